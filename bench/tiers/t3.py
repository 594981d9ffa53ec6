"""T3: history registry rows against the protocol reader, the window, the defaults and the writer."""

from __future__ import annotations

import json
import tempfile
from datetime import date
from pathlib import Path
from typing import Any

from preflight import api
from preflight.errors import PreflightError

_EPOCH = date(1970, 1, 1)
REASONS = {
    "package_directory_empty": "pkg_dir_empty",
    "metadata": "metadata",
    "operators_file": "operators_file",
    "operator_not_found": "op_not_found",
    "operator_duplicate": "duplicate_op",
    "operator_malformed": "op_malformed",
}


def differences(row: dict[str, Any], folder: Path) -> list[str]:
    """What our reader or writer answers differently from the vector; empty when all agrees."""
    return _OPS[row["op"]](row, _directory(row, folder))


def deliberate(row: dict[str, Any], folder: Path) -> str:
    """The heading in docs/registry.md that explains why this row differs, "" when none does.

    Each heading names one difference, and what we do instead must be exactly that.
    """
    directory = _directory(row, folder)
    if row["op"] == "window":
        return "Calendar days before 1970" if _collapsed_window(row) else ""
    if row["op"] == "write":
        return _deliberate_write(row, directory)
    if _refused_as_newer(directory):
        return "A newer index version is refused"
    return ""


def _refused_as_newer(directory: str) -> bool:
    try:
        api.load_index(directory)
    except api.RegistryFault as error:
        return error.reason == "index_version"
    return False


def _collapsed_window(row: dict[str, Any]) -> bool:
    """Whether the expected window is ours but for the day lost east of Greenwich at 1970-01-01."""
    given = row["input"]
    days = {v: (date.fromisoformat(d) - _EPOCH).days for v, d in given["all"]}
    number = {v: d - 1 if d >= 1 else d for v, d in days.items()}
    anchor = number.get(given["current"], 0)
    width = given.get("days", api.DEFAULT_DAYS)
    window = [v for v, _ in given["all"] if 0 <= anchor - number[v] <= width]
    return "tz" in given and window == row["expected"]["window"]


def _deliberate_write(row: dict[str, Any], directory: str) -> str:
    given, expected = row["input"], row["expected"]
    found = _written(row, directory)
    before = {name: (Path(directory) / name).read_text() for name in row.get("files", {})}
    refused = found == {"exception": "invalid_argument", "files": before}
    if refused and expected.get("reason") == "version_exists":
        return "Nothing is overwritten"
    if refused and api.is_protocol_date(given["date"]) and not api.is_calendar_date(given["date"]):
        return "Written dates exist"
    if refused and _refused_as_newer(directory):
        return "A newer index version is refused"
    if found.get("files") == {k: _without_twins(t) for k, t in expected["files"].items()}:
        return "No operator twice"
    return ""


def _without_twins(text: str) -> str:
    """operators.json with every operator once; other files as they are."""
    value = json.loads(text)
    if "operators" not in value:
        return text
    kept = {o["op_type"]: o for o in value["operators"]}
    return json.dumps({"operators": list(kept.values())}, indent=2, sort_keys=True)


def _directory(row: dict[str, Any], folder: Path) -> str:
    given = row["input"]
    if "dir" in given:
        return str(given["dir"])
    return str(folder / row["dir"]) + given.get("dir_suffix", "") if "dir" in row else ""


def _compare(expected: object, found: object) -> list[str]:
    if expected == found:
        return []
    return [f"expected {json.dumps(expected)[:300]}, found {json.dumps(found)[:300]}"]


def _index(row: dict[str, Any], directory: str) -> list[str]:
    try:
        reading = api.load_index(directory)
    except api.RegistryFault as error:
        found: dict[str, Any] = {"reason": REASONS.get(error.reason, error.reason), "versions": []}
        return _compare({k: row["expected"][k] for k in found if k in row["expected"]}, found)
    found = {
        "index_rejected": bool(reading.rejected),
        "skipped_entries": len(reading.skipped),
        "versions": [
            {"branch_name": r.branch, "release_date": r.date, "release_version": r.version}
            for r in reading.releases
        ],
    }
    return _compare(row["expected"], found)


def _metadata(row: dict[str, Any], directory: str) -> list[str]:
    version = row["input"]["version"]
    try:
        branch = api.load_metadata(directory, version)
        found: dict[str, Any] = {"metadata": {"branch_name": branch, "release_version": version}}
    except api.RegistryFault as error:
        found = {"exception": "runtime_error", "reason": REASONS[error.reason]}
    return _compare(row["expected"], found)


def _operator(row: dict[str, Any], directory: str) -> list[str]:
    given = row["input"]
    try:
        prototype = api.load_operator(directory, given["version"], given["op_type"])
        found: dict[str, Any] = {"proto": api.to_protocol(prototype)}
    except api.RegistryFault as error:
        found = {"exception": "runtime_error", "reason": REASONS[error.reason]}
    return _compare(row["expected"], found)


def _window(row: dict[str, Any], _: str) -> list[str]:
    given = row["input"]
    releases = [(version, date) for version, date in given["all"]]
    days = given.get("days", api.DEFAULT_DAYS)
    return _compare(row["expected"]["window"], api.select_window(releases, given["current"], days))


def _chain(row: dict[str, Any], directory: str) -> list[str]:
    chain = api.load_chain(directory, row["input"]["op_type"], row["input"]["current"])
    found = {
        "ok": True,
        "protos": [api.to_protocol(p) for _, p in chain.found],
        "skipped": len(chain.skipped),
        "versions": [release for release, _ in chain.found],
        "window": list(chain.window),
    }
    return _compare(row["expected"], found)


def _date(row: dict[str, Any], _: str) -> list[str]:
    return _compare(row["expected"]["valid"], api.is_protocol_date(row["input"]["date"]))


def _default(row: dict[str, Any], _: str) -> list[str]:
    kind = row["input"]["type"]
    try:
        value = api.parse_default(kind, row["input"]["text"])
        found: dict[str, Any] = {"expr": "=" + _expression(kind, value), "ok": True}
    except api.DefaultFault as error:
        found = {"ok": False, "reason": error.reason}
    return _compare(row["expected"], found)


def _expression(kind: str, value: Any) -> str:
    """The C++ initialiser that the consumer generates for a value."""
    if isinstance(value, list):
        return "{" + ", ".join(_expression(kind.removeprefix("List"), v) for v in value) + "}"
    if kind == "Tensor":
        return "EsMakeUnique<ge::Tensor>(ge::Tensor())"
    if kind == "Type":
        return f"ge::{value}"
    if kind == "String":
        return f'"{value}"'
    if kind == "Bool":
        return "true" if value else "false"
    return f"{value:f}" if kind == "Float" else str(value)


def _write(row: dict[str, Any], directory: str) -> list[str]:
    expected = {k: v for k, v in row["expected"].items() if k != "reason"}
    return _compare(expected, _written(row, directory))


def _written(row: dict[str, Any], directory: str) -> dict[str, Any]:
    """What our writer does with a copy of the row's folder: the exception and all files."""
    given = row["input"]
    found: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as name:
        target = Path(name)
        for relative in row.get("files", {}):
            path = target / relative
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes((Path(directory) / relative).read_bytes())
        operators = _given_operators(row)
        try:
            api.write_release(target, given["version"], given["date"], operators, given["branch"])
        except PreflightError:
            found["exception"] = "invalid_argument"
        found["files"] = {
            str(p.relative_to(target)): p.read_text()
            for p in sorted(target.rglob("*"))
            if p.is_file()
        }
    return found


def _given_operators(row: dict[str, Any]) -> dict[str, api.Prototype]:
    """The harness's Vec* operators: those it writes are read from its own answer."""
    given = row["input"]
    name = f"registry/{given['version']}/operators.json"
    text = row["expected"].get("files", {}).get(name, '{"operators": []}')
    known = {o["op_type"]: api.parse_operator(o) for o in json.loads(text)["operators"]}
    unsupported = api.AttributeSpec("a", "Bytes", required=False)
    operators: dict[str, api.Prototype] = {}
    for op in (o for o in given.get("ops", []) if o is not None):
        lost = api.Prototype(op, (api.Port("x", "INPUT"),), attrs=(unsupported,))
        operators[op] = known.get(op, lost)
    return operators


_OPS = {
    "load_index": _index,
    "load_metadata": _metadata,
    "load_op": _operator,
    "window": _window,
    "chain": _chain,
    "date": _date,
    "default": _default,
    "write": _write,
}
