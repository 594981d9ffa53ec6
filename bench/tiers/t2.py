"""T2: version arithmetic, ABI ranges, key search, scene files, vendors, against the public API."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from preflight import api
from tiers.releases import behaviour_of


def differences(row: dict[str, Any], folder: Path) -> list[str]:
    """What a row says and we do not."""
    behaviour = behaviour_of(row["ge_version"])
    with tempfile.TemporaryDirectory() as name:
        root = Path(name)
        for directory in row["input"].get("dirs", []):
            (root / directory).mkdir(parents=True, exist_ok=True)
        for path, stored in row.get("files", {}).items():
            target = root / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes((folder / stored["file"]).read_bytes())
        found = OPERATIONS[row["op"]](row["input"], root, behaviour.abi_padding)
    wanted = row["expected"]
    return [
        f"{key}: expected {plain(value)!r}, found {found.get(key)!r}"
        for key, value in wanted.items()
        if found.get(key) != plain(value)
    ]


def plain(value: Any) -> Any:
    """Expected values as Python has them: byte lists become the text they spell."""
    if isinstance(value, dict) and set(value) == {"bytes"}:
        return bytes(value["bytes"]).decode("utf-8", "surrogateescape")
    return value


def effective(given: dict[str, Any], root: Path, padded: bool) -> dict[str, Any]:
    number = api.loader_number(plain(given["v"]), padded)
    return {"ok": number is not None, "value": number}


def ranges(given: dict[str, Any], root: Path, padded: bool) -> dict[str, Any]:
    text = api.LoaderView(root).abi_range().value
    found = [] if text is None else api.parse_loader_ranges(text, padded)
    if found is None:
        return {"ok": False}
    return {"ok": True, "ranges": [list(pair) for pair in found]}


def check(given: dict[str, Any], root: Path, padded: bool) -> dict[str, Any]:
    text = api.LoaderView(root).abi_range().value
    parsed = ranges(given, root, padded)
    valid = api.is_vendor_version_valid(
        plain(given["opp_version"]), plain(given["compiler_version"]), text, padded
    )
    return {"ranges_ok": parsed["ok"], "ranges": parsed.get("ranges", []), "valid": valid}


def getkey(given: dict[str, Any], root: Path, padded: bool) -> dict[str, Any]:
    path = root / "case/version.info"
    text = path.read_bytes().decode("utf-8", "surrogateescape") if path.exists() else ""
    value = api.find_key(text, given["key"])
    return {"ok": value is not None, "value": value}


def scene(given: dict[str, Any], root: Path, padded: bool) -> dict[str, Any]:
    found = api.LoaderView(root).scene()
    return {"os": found.os, "cpu": found.cpu}


def vendor(given: dict[str, Any], root: Path, padded: bool) -> dict[str, Any]:
    found = api.LoaderView(root).vendor(root / given["path"], padded)
    return {
        "valid": found.valid,
        "opp_version": found.opp_version,
        "compiler_version": found.compiler_version,
    }


def vendors(given: dict[str, Any], root: Path, padded: bool) -> dict[str, Any]:
    text = (root / "case/config.ini").read_bytes().decode("utf-8", "surrogateescape")
    names = api.parse_vendor_priority(text)
    return {"ok": names is not None, "vendors": list(names or ())}


OPERATIONS = {
    "effective": effective,
    "ranges": ranges,
    "check": check,
    "getkey": getkey,
    "scene": scene,
    "vendor": vendor,
    "vendors": vendors,
}
