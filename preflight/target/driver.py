"""The driver's version files (spec/om-format.md §E.3) and the C lines it works with."""

from __future__ import annotations

from pathlib import Path

from msgspec import Struct

from preflight.target.packages import parse_key_values, parse_lines, release_line
from preflight.target.tree import Tree


class DriverFacts(Struct, frozen=True):
    """What driver/version.info says; "" and () where it is silent."""

    version: str
    innerversion: str
    line: str  # C line of innerversion
    compatible_lines: tuple[str, ...]
    interfaces: tuple[tuple[str, str], ...]  # ("ascendhal", "7.35.23"), …
    source: str


def read_driver(system: Path, tree: Tree, extra: tuple[Path, ...] = ()) -> DriverFacts | None:
    """The driver that `<system>/etc/ascend_install.info` names, or one of `extra`; None for none.

    `system` is "/" on a host and the folder of an image that was unpacked.
    """
    info = tree.text(system / "etc/ascend_install.info", "where the driver is installed")
    places = list(extra)
    if info is not None:
        named = parse_key_values(info).get("Driver_Install_Path_Param", "")
        if named:
            places.insert(0, system / named.lstrip("/"))
    for place in places:
        path = place / "driver/version.info"
        text = tree.text(path, "driver version")
        if text is not None:
            return parse_driver(text, str(path))
    return None


def parse_driver(text: str, source: str) -> DriverFacts:
    """driver/version.info: Version, Innerversion, compatible_version and interface versions."""
    values = parse_key_values(text)
    lower = {key.lower(): value for key, value in values.items()}
    interfaces = tuple(
        (key.removesuffix("_version"), value)
        for key, value in values.items()
        if key.endswith("_version") and not key.lower().startswith("compatible")
    )
    inner = lower.get("innerversion", "")
    return DriverFacts(
        version=values.get("Version", ""),
        innerversion=inner,
        line=release_line(inner),
        compatible_lines=parse_lines(lower.get("compatible_version", "")),
        interfaces=interfaces,
        source=source,
    )
