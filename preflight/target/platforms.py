"""SoC facts from the platform ini files of an installation (spec/om-format.md §D.3, §E)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from preflight.target.packages import parse_platform
from preflight.target.tree import Tree
from preflight.target.types import SocFacts

# Where releases put `platform_config/<SoC>.ini` below the install root; "*" is <arch>-linux.
_PLACES = (
    "*-linux/data/platform_config",
    "data/platform_config",
    "compiler/data/platform_config",
    "runtime/data/platform_config",
    "share/platform_config",
)


def read_platforms(root: Path, tree: Tree) -> dict[str, SocFacts]:
    """Every SoC described below a root, by file name: the loader looks a SoC up by that name.

    The first place that has files wins. Empty when there is none.
    """
    for folder in _folders(root, tree):
        files = [
            p for p in tree.folder(folder, "platform files, one per SoC") if p.suffix == ".ini"
        ]
        found = {}
        for path in files:
            text = tree.text(path, "platform file")
            if text is not None:
                found[path.stem] = soc_facts(path.stem, text, str(path))
        if found:
            return found
    return {}


def _folders(root: Path, tree: Tree) -> Iterator[Path]:
    for pattern in _PLACES:
        first, _, rest = pattern.partition("/")
        if first == "*-linux":
            for entry in tree.folder(root, "install root"):
                if entry.name.endswith("-linux") and tree.is_dir(entry / rest):
                    yield entry / rest
        elif tree.is_dir(root / pattern):
            yield root / pattern


def soc_facts(name: str, text: str, source: str) -> SocFacts:
    """The facts of one platform ini file; missing keys stay None or empty."""
    sections = parse_platform(text)
    version, info = sections.get("version", {}), sections.get("SoCInfo", {})
    return SocFacts(
        soc_version=version.get("SoC_version") or name,
        short=version.get("Short_SoC_version", ""),
        arch_type=version.get("Arch_type") or None,
        npu_arch=version.get("NpuArch") or None,
        aic_version=version.get("AIC_version", ""),
        ai_core_count=_number(info.get("ai_core_cnt")),
        memory_bytes=_number(info.get("memory_size")),
        source=source,
    )


def _number(text: str | None) -> int | None:
    """A decimal number, None for anything else (and for absurdly long ones)."""
    if text is None or not text.isascii() or not text.isdigit() or len(text) > 18:
        return None
    return int(text)
