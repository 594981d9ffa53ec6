"""Version files of an installed CANN, read the way the loader and the installers read them.

Formats and traps: spec/om-format.md §E, spec/corrections.md items 21 and 22. Texts are decoded as
UTF-8 with undecodable bytes kept (surrogateescape), because the loader compares bytes.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from preflight.target.types import Package
from preflight.versions import SPACE

VERSION_KEY = "Version="
ABI_KEY = "required_opp_abi_version="
COMPILER_KEY = "compiler_version="


def find_key(text: str, key: str) -> str | None:
    """What the loader finds for a key: everything behind the first place a line contains it.

    The key is searched as plain text anywhere in the trimmed line, so `xVersion=3.3` answers for
    `Version=`. A line that consists of the key alone is passed over; `foo_Version=` is an empty
    value. None when no line has the key.
    """
    for line in text.split("\n"):
        trimmed = line.strip(SPACE)
        place = trimmed.find(key)
        if place >= 0 and trimmed != key:
            return trimmed[place + len(key) :]
    return None


def parse_scene(text: str) -> tuple[str, str]:
    """(os, arch) of a scene.info; a key that is absent gives "".

    Lines with more or less than one "=" are skipped and later lines win.
    """
    values = {"os": "", "arch": ""}
    for line in text.split("\n"):
        parts = line.strip(SPACE).split("=")
        if len(parts) == 2 and parts[0] in values:
            values[parts[0]] = parts[1]
    return values["os"], values["arch"]


def parse_vendor_priority(text: str) -> tuple[str, ...] | None:
    """Vendor names of vendors/config.ini, first is searched first; None when it is malformed.

    Only the first line counts (`load_priority=a,b`), it must have exactly one "=", names are
    trimmed and empty ones dropped. Names may repeat.
    """
    parts = text.split("\n", 1)[0].strip(SPACE).split("=")
    if len(parts) != 2:
        return None
    names = (name.strip(SPACE) for name in parts[1].split(","))
    return tuple(name for name in names if name)


def parse_key_values(text: str) -> dict[str, str]:
    """A plain `key=value` file (install.info and relatives): no comments, the first one wins."""
    values: dict[str, str] = {}
    for line in text.splitlines():
        stripped = line.strip()
        if stripped.startswith(("#", ";", "[")):
            continue
        key, equals, value = stripped.partition("=")
        if equals:
            values.setdefault(key.strip(), value.strip())
    return values


# `required_package_x_version>="8.3"` occurs in real files: the operator belongs to the value then.
_REQUIREMENT = re.compile(
    r"required_(?P<kind>package|driver)_(?P<name>[^=<>]+?)(?:_version)?(?P<value>(?:[<>]=?|=).*)"
)


def parse_package(name: str, text: str, path: str) -> Package:
    """A version.info as an installer reads it: numbers and requirements.

    A missing `Version=` gives an empty version; `path` is only for messages.
    """
    values = parse_key_values(text)
    requires: dict[str, str] = {}
    drivers: dict[str, str] = {}
    for line in text.splitlines():
        match = _REQUIREMENT.fullmatch(line.strip())
        if match is None:
            continue
        value = match["value"]
        value = value[1:] if value.startswith("=") else value
        wanted = requires if match["kind"] == "package" else drivers
        wanted.setdefault(match["name"], value.replace('"', "").strip())
    return Package(
        name=name,
        version=values.get("Version", ""),
        version_dir=values.get("version_dir", ""),
        requires=requires,
        requires_driver=drivers,
        path=path,
    )


_CFG_VALUE = re.compile(r"\[([^\]:]*):([^\]]*)\]")


def parse_version_cfg(text: str) -> Mapping[str, tuple[str, str]]:
    """Running versions of latest/version.cfg: package -> (Version, version_dir)."""
    found = {}
    for key, value in parse_key_values(text).items():
        match = _CFG_VALUE.match(value)
        if key.endswith("_running_version") and match is not None:
            found[key.removesuffix("_running_version")] = (match[1], match[2])
    return found


def parse_lines(text: str) -> tuple[str, ...]:
    """The release lines of a `compatible_version=` value: ("C15", "C18") of [V100R001C15],…

    A bracket with two entries is a range, [V100R001C13,V100R001C15] means C13, C14 and C15. Lines
    of another R than R001 are named with it ("R003C11").
    """
    found: list[str] = []
    for bracket in re.findall(r"\[([^\]]*)\]", text):
        lines = [line for line in map(release_line, bracket.split(",")) if line]
        found += _line_range(*lines) if len(lines) == 2 else lines
    return tuple(dict.fromkeys(found))


def _line_range(first: str, last: str) -> list[str]:
    """The lines from one to another, both included; the two themselves when they make no range."""
    start, end = first.rpartition("C"), last.rpartition("C")
    low, high = int(start[2]), int(end[2])
    if start[0] != end[0] or not low <= high <= low + 99:
        return [first, last]
    return [f"{start[0]}C{number}" for number in range(low, high + 1)]


def release_line(innerversion: str) -> str:
    """ "C21" of V100R001C21SPC001B238; "" for a text of another form."""
    match = re.match(r"\s*V[0-9]+(R[0-9]+)(C[0-9]{1,4})", innerversion)
    if match is None:
        return ""
    return match[2] if match[1] == "R001" else match[1] + match[2]


def parse_platform(text: str) -> dict[str, dict[str, str]]:
    """Sections of a platform ini file; keys keep their case, the first of two equal keys wins."""
    sections: dict[str, dict[str, str]] = {}
    current: dict[str, str] = {}
    for line in text.splitlines():
        stripped = line.strip()
        if stripped.startswith("[") and stripped.endswith("]"):
            current = sections.setdefault(stripped[1:-1].strip(), {})
        elif not stripped.startswith(("#", ";")):
            key, equals, value = stripped.partition("=")
            if equals:
                current.setdefault(key.strip(), value.strip())
    return sections
