"""Finds the CANN of this host, or the one below a folder, and reads it.

Layouts (spec/om-format.md §E.3, facts/compatibility-tables.json `layout`): before 8.5
`ascend-toolkit/<version>` with links in `ascend-toolkit/latest`; from 8.5 `cann-<version>` with a
link `cann` beside it and version files in `share/info/<package>`. Both may have been moved.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path

from msgspec.structs import replace

from preflight.errors import UnreadableInput, UsageError
from preflight.target.driver import DriverFacts, read_driver
from preflight.target.install import OPP_BY_SET_ENV, target_from_install
from preflight.target.loader_view import OPP_VARIABLE
from preflight.target.names import find_soc
from preflight.target.packages import parse_version_cfg
from preflight.target.tree import Tree
from preflight.target.types import Target
from preflight.versions import CannVersion

_HOME_VARIABLES = ("ASCEND_HOME_PATH", "ASCEND_TOOLKIT_HOME")
_NPU_SMI_SECONDS = 10
_ASCEND = "usr/local/Ascend"
_PRODUCTS = ("cann", "ascend-toolkit/latest", "nnae/latest", "nnrt/latest")
_LEADING = ("compiler", "runtime", "opp")
_MARKS = (*_LEADING, "share/info", "toolkit")
_PYTHON_PACKAGES = ("torch", "torch-npu", "mindspore", "onnxruntime-cann", "vllm-ascend", "numpy")


def discover(
    root: Path | None = None,
    *,
    soc: str | None = None,
    env: Mapping[str, str] | None = None,
    system: Path = Path("/"),
) -> Target:
    """The installed CANN: of this host, or the one at or below `root`.

    With `root` only that folder counts: environment variables are not looked at and links are not
    followed out of it (a folder named `latest`, and a link `cann`, may point to its neighbours).
    Without it the environment decides, then the well-known places below `system`.
    Raises UnreadableInput, with the places looked at, when there is no CANN; UsageError for an
    unknown `soc`.
    """
    if root is not None:
        return _below(root, soc)
    env = os.environ if env is None else env
    tree = Tree()
    home = _from_environment(env, tree) or _well_known(system, env, tree)
    if home is None:
        raise _nothing(tree, f"no CANN is installed below {system}")
    driver = read_driver(system, tree, (system / _ASCEND,))
    notes: tuple[str, ...] = ()
    if soc is None:
        soc, notes = device_soc()
    target = _read(home, tree, env, soc, driver)
    return replace(
        target,
        python_packages=_python_packages(),
        places=tree.places,
        notes=(*target.notes, *notes),
    )


def _below(root: Path, soc: str | None) -> Target:
    """The CANN at or below a folder that was named."""
    if not root.is_dir():
        raise UnreadableInput(f"{root}: there is no such folder")
    tree = Tree(_bounds(root))
    home = find_home(root, tree)
    if home is None:
        raise _nothing(tree, f"{root}: no CANN installation at or below this folder")
    driver = read_driver(root, tree, (root, root / _ASCEND)) if _may_have_driver(root) else None
    return _read(home, tree, {}, soc, driver)


def _read(
    home: Path, tree: Tree, env: Mapping[str, str], soc: str | None, driver: DriverFacts | None
) -> Target:
    """Reads a home; the operator package is the home's own unless the environment names another."""
    resolved = loader_root(home, tree)
    own_opp = not env.get(OPP_VARIABLE) and home != resolved and tree.is_dir(home / "opp")
    return target_from_install(
        resolved,
        opp_path=home / "opp" if own_opp else None,
        opp_source=OPP_BY_SET_ENV if own_opp else "",
        home=home,
        soc=soc,
        env=env,
        tree=tree,
        driver=driver,
    )


def _bounds(root: Path) -> tuple[Path, ...]:
    """Where reading may go: the folder, and for `latest` the versions beside it."""
    return (root, root.absolute().parent) if root.absolute().name == "latest" else (root,)


def _may_have_driver(root: Path) -> bool:
    return any((root / p).exists() for p in ("etc/ascend_install.info", "driver/version.info"))


def _nothing(tree: Tree, message: str) -> UnreadableInput:
    looked = "; ".join(f"{p.path} ({p.result})" for p in tree.places[:12])
    return UnreadableInput(
        message,
        hint=f"looked at: {looked}. Name a target instead, as in --target 8.1.RC1/Ascend910B3",
    )


def _from_environment(env: Mapping[str, str], tree: Tree) -> Path | None:
    """The first variable that leads to an installation."""
    for name in _HOME_VARIABLES:
        if env.get(name):
            path = Path(env[name])
            if is_home(path, tree):
                tree.note(path, "found", name)
                return path
            tree.note(path, "absent", f"{name}; no CANN there")
    if env.get(OPP_VARIABLE):
        path = Path(env[OPP_VARIABLE]).parent
        if is_home(path, tree):
            tree.note(path, "found", f"the folder that holds {OPP_VARIABLE}")
            return path
        tree.note(path, "absent", f"the folder that holds {OPP_VARIABLE}; no CANN there")
    return None


def _well_known(system: Path, env: Mapping[str, str], tree: Tree) -> Path | None:
    """The first of the places where installers put CANN; the others are recorded."""
    bases = [system / _ASCEND]
    if env.get("HOME"):
        bases.append(Path(env["HOME"]) / "Ascend")
    chosen: Path | None = None
    for base in bases:
        for candidate in (*(base / product for product in _PRODUCTS), base):
            home = find_home(candidate, tree, deep=candidate == base)
            if home is None:
                tree.note(candidate, "absent", "well-known place")
            elif chosen is None:
                chosen = home
                tree.note(home, "found", "well-known place")
            elif home.resolve() != chosen.resolve():
                tree.note(home, "ignored", f"another installation; {chosen} comes first")
    return chosen


def is_home(path: Path, tree: Tree) -> bool:
    """Does a folder look like an install root, of either layout?"""
    return any(tree.is_dir(path / mark) for mark in _MARKS)


def find_home(path: Path, tree: Tree, *, deep: bool = True) -> Path | None:
    """The install root at a folder or below it, None when there is none.

    Knows `latest` without its links, a product folder with versions, and (when `deep`) a folder
    like /usr/local/Ascend or an unpacked image.
    """
    if not tree.is_dir(path):
        return None
    if is_home(path, tree):
        return path
    if path.name == "latest":
        return _behind_latest(path, tree)
    for below in _likely_below(path, tree, deep):
        home = find_home(below, tree, deep=False)
        if home is not None:
            tree.note(home, "found", f"installation below {path}")
            return home
    return None


def _likely_below(path: Path, tree: Tree, deep: bool) -> Iterator[Path]:
    yield from (path / name for name in ("latest", "cann"))
    yield from _versions(path, tree)
    if deep:
        yield from (path / product.split("/")[0] for product in _PRODUCTS[1:])
        for base in (_ASCEND, "Ascend"):
            yield from (path / base / product.split("/")[0] for product in _PRODUCTS)
            yield path / base


def _versions(path: Path, tree: Tree) -> list[Path]:
    """Folders named after a version ("8.1.RC1", "cann-8.5.0"), newest first."""
    found = []
    for entry in tree.folder(path, "installed versions") if tree.is_dir(path) else []:
        version = CannVersion.parse(re.sub(r"^cann-", "", entry.name))
        if version is not None and len(version.parts) > 1 and tree.is_dir(entry):
            found.append((version, entry))
    return [entry for _, entry in sorted(found, key=lambda pair: pair[0], reverse=True)]


def _behind_latest(path: Path, tree: Tree) -> Path | None:
    """The version that a `latest` folder without links means: by version.cfg, then the newest."""
    text = tree.text(path / "version.cfg", "running versions")
    named = {version_dir for _, version_dir in parse_version_cfg(text or "").values()}
    versions = [entry for entry in _versions(path.absolute().parent, tree) if is_home(entry, tree)]
    preferred = [entry for entry in versions if entry.name in named]
    return next(iter([*preferred, *versions]), None)


def loader_root(home: Path, tree: Tree) -> Path:
    """The root as the loader works it out: links of the package that holds its library resolved.

    In `latest`, `compiler` is a link to `../8.1.RC1/compiler`, so the root is `…/8.1.RC1`.
    """
    for name in _LEADING[:2]:
        package = home / name
        if tree.is_dir(package) and package.is_symlink():
            return package.resolve().parent
    return home


def device_soc() -> tuple[str | None, tuple[str, ...]]:
    """(soc_version, remarks) of this machine's device as npu-smi names it; (None, …) when unsure.

    npu-smi prints names like "910B3" or "310P3", and "Ascend910" for devices whose soc_version it
    does not tell; several kinds of device in one machine decide nothing either.
    """
    program = shutil.which("npu-smi")
    if program is None:
        return None, ()
    try:
        done = subprocess.run(  # noqa: S603  # a fixed command of the driver, no text of ours
            [program, "info"], capture_output=True, timeout=_NPU_SMI_SECONDS, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return None, (f"npu-smi info could not be run: {error}",)
    return soc_of_npu_smi(done.stdout.decode("utf-8", "replace"))


def soc_of_npu_smi(text: str) -> tuple[str | None, tuple[str, ...]]:
    """What the table of `npu-smi info` says about the SoC; see `device_soc`."""
    names = sorted(
        set(re.findall(r"^\|\s*\d+\s+([A-Za-z0-9_-]*\d{3}\w*(?:-\d)?)\s*\|", text, re.M))
    )
    if not names:
        return None, ()
    if len(names) > 1:
        return None, (f"npu-smi lists several kinds of device: {', '.join(names)}",)
    try:
        soc, notes = find_soc(names[0])
    except UsageError as error:
        return None, (f"npu-smi names the device {names[0]!r}: {error.message}",)
    return soc, (*notes, f"npu-smi names the device {names[0]!r}")


def _python_packages() -> dict[str, str]:
    """Versions of framework packages in this interpreter's environment."""
    from importlib import metadata

    found = {}
    for name in _PYTHON_PACKAGES:
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return found
