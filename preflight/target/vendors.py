"""Custom operator packages in the loader's search order, and what they carry (§E.4, §D.4)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import msgspec

from preflight.target.kernels import Ports, dtype_name
from preflight.target.loader_view import LoaderView
from preflight.target.packages import parse_platform, parse_vendor_priority
from preflight.target.tree import MAX_CONFIG, Tree
from preflight.target.types import Fact, ReleaseBehaviour, Vendor

CUSTOM_VARIABLE = "ASCEND_CUSTOM_OPP_PATH"


def read_vendors(
    view: LoaderView,
    opp_path: Path,
    behaviour: Fact[ReleaseBehaviour],
    env: Mapping[str, str],
) -> tuple[Vendor, ...]:
    """Vendors in the order in which the loader searches them.

    ASCEND_CUSTOM_OPP_PATH left to right, then the names of `<opp>/vendors/config.ini`. Folders
    under vendors that config.ini does not name come last: the loader never looks at them.
    """
    found = [
        _vendor(view, Path(entry), behaviour, f"{CUSTOM_VARIABLE}, place {place}")
        for place, entry in enumerate(_entries(env.get(CUSTOM_VARIABLE, "")), 1)
    ]
    folder = opp_path / "vendors"
    if not view.tree.is_dir(folder):
        return tuple(found)
    config = folder / "config.ini"
    text = view.tree.text(config, "vendors and their priority")
    names = parse_vendor_priority(text) if text is not None else None
    why = f"{config} is malformed" if text is not None and names is None else f"not in {config}"
    for name in dict.fromkeys(names or ()):
        found.append(_vendor(view, folder / name, behaviour, f"{config}"))
    for path in view.tree.folder(folder, "vendor packages"):
        if view.tree.is_dir(path) and path.name not in (names or ()):
            unlisted = _vendor(view, path, behaviour, "")
            found.append(
                Vendor(
                    path.name,
                    str(path),
                    unlisted.compiler_version,
                    accepted=False,
                    reason=f"{why}: the loader does not search it",
                    operators=unlisted.operators,
                )
            )
    return tuple(found)


def _entries(text: str) -> Iterator[str]:
    return (entry for entry in text.split(":") if entry)


def _vendor(view: LoaderView, path: Path, behaviour: Fact[ReleaseBehaviour], where: str) -> Vendor:
    """One vendor as the loader's filter sees it; undecided when the padding is not known."""
    answers = [view.vendor(path, padded) for padded in _paddings(behaviour)]
    first = answers[0]
    accepted = first.valid if len({answer.valid for answer in answers}) == 1 else None
    reason = where if accepted else first.reason
    exists = view.tree.is_dir(path)
    if not exists and view.tree.conclusive(path):
        accepted, reason = False, f"there is no folder {path}"
    elif not exists:
        accepted, reason = None, f"{path} could not be read"
    elif accepted is None:
        reason = reason or "depends on how this release compares versions, which is not known"
    return Vendor(
        name=path.name,
        path=str(path),
        compiler_version=first.compiler_version or None,
        accepted=accepted,
        reason=reason,
        operators=vendor_operators(path, view.tree) if exists else (),
    )


def _paddings(behaviour: Fact[ReleaseBehaviour]) -> tuple[bool, ...]:
    if behaviour.known and behaviour.value is not None:
        return (behaviour.value.vendor_abi_padding,)
    return (False, True)


def vendor_operators(path: Path, tree: Tree) -> tuple[str, ...]:
    """Operator types that a custom package registers, sorted; for whichever SoC.

    From `op_impl/ai_core/tbe/config/<soc>/*.json`, `op_impl/*cpu*/**/config/*.json` and the older
    `op_info_cfg/ai_core/<soc>/*.ini` and `op_impl/ai_core/tbe/op_info_cfg/ai_core/<soc>/*.ini`.
    """
    names: set[str] = set()
    for config in config_files(path / "op_impl", tree):
        names.update(read_op_config(config, tree))
    for base in (path / "op_info_cfg/ai_core", path / "op_impl/ai_core/tbe/op_info_cfg/ai_core"):
        for folder in _folders(base, tree):
            for file in tree.folder(folder, "operator information"):
                if file.suffix in (".ini", ".cfg"):
                    text = tree.text(file, "operator information", limit=MAX_CONFIG)
                    names.update(parse_platform(text or ""))
    return tuple(sorted(names))


def _folders(path: Path, tree: Tree) -> list[Path]:
    if not tree.is_dir(path):
        return []
    return [p for p in tree.folder(path, "operator configs") if tree.is_dir(p)]


def config_files(op_impl: Path, tree: Tree, short: str = "") -> list[Path]:
    """Operator config files below an op_impl folder: AI Core ones (of one SoC when `short` is
    given, in lower case) and those of the CPU engines."""
    folders = [
        folder
        for folder in _folders(op_impl / "ai_core/tbe/config", tree)
        if not short or folder.name == short
    ]
    for engine in ("cpu", "aicpu", "host_cpu"):
        base = op_impl / engine
        folders += [base / "config", *(f / "config" for f in _folders(base, tree))]
    files: list[Path] = []
    for folder in folders:
        if tree.is_dir(folder):
            files += [p for p in tree.folder(folder, "operator configs") if p.suffix == ".json"]
    return files


def read_op_config(path: Path, tree: Tree) -> dict[str, tuple[str, ...]]:
    """Operator -> dtypes of its first input (of its first output when it has no input).

    AI Core configs spell them under "dtype", CPU ones under "type"; empty when neither is there.
    A file that is no JSON object gives nothing and is recorded as unreadable.
    """
    return {op: _dtypes(entry) for op, entry in _entries_of(path, tree)}


def read_op_ports(path: Path, tree: Tree) -> dict[str, Ports]:
    """Operator -> every input and output that states its name and its dtypes."""
    return {op: dict(_ports(entry)) for op, entry in _entries_of(path, tree)}


def _entries_of(path: Path, tree: Tree) -> Iterator[tuple[str, Mapping[str, object]]]:
    """The operators of a config; unreadable ones are noted and give nothing."""
    data = tree.read(path, "operator config", limit=MAX_CONFIG)
    if data is None:
        return
    try:
        content = msgspec.json.decode(data)
    except (msgspec.MsgspecError, RecursionError):
        tree.note(path, "unreadable", "operator config; not JSON")
        return
    if not isinstance(content, dict):
        tree.note(path, "unreadable", "operator config; not an object")
        return
    yield from ((str(op), entry) for op, entry in content.items() if isinstance(entry, dict))


def _ports(entry: Mapping[str, object]) -> Iterator[tuple[str, tuple[str, tuple[str, ...]]]]:
    for place, tensor in entry.items():
        if not place.startswith(("input", "output")) or not isinstance(tensor, dict):
            continue
        name, text = tensor.get("name"), tensor.get("dtype") or tensor.get("type")
        if isinstance(name, str) and isinstance(text, str):
            dtypes = tuple(dict.fromkeys(dtype_name(t) for t in _split(text)))
            if dtypes:
                yield place, (name, dtypes)


def _dtypes(entry: Mapping[str, object]) -> tuple[str, ...]:
    for place in ("input0", "output0"):
        tensor = entry.get(place)
        if isinstance(tensor, dict):
            text = tensor.get("dtype") or tensor.get("type")
            if isinstance(text, str):
                return tuple(dict.fromkeys(dtype_name(t) for t in _split(text)))
            return ()
    return ()


def _split(text: str) -> Iterable[str]:
    return (part for part in text.split(",") if part.strip())
