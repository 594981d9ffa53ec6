"""T3: history registry rows against the protocol reader, the window, the defaults and the writer."""

from __future__ import annotations

import json
import re
import tempfile
from pathlib import Path
from typing import Any

from preflight.errors import PreflightError
from preflight.registry.defaults import DefaultFault, parse_default
from preflight.registry.protocol import (
    SUPPORTED_MAJOR,
    load_chain,
    load_index,
    load_metadata,
    load_operator,
)
from preflight.registry.prototype import AttributeSpec, Port, Prototype, to_protocol
from preflight.registry.records import RegistryFault, parse_operator
from preflight.registry.window import (
    DEFAULT_DAYS,
    is_calendar_date,
    is_protocol_date,
    select_window,
)
from preflight.registry.writing import write_release

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
    """The heading in docs/registry.md that explains why this row may differ, "" when none does."""
    given = row["input"]
    if row["op"] == "window" and any(date < "1970-01-02" for _, date in given["all"]):
        return "Calendar days before 1970"
    if row["op"] == "write":
        if row["expected"].get("reason") == "version_exists":
            return "Nothing is overwritten"
        if is_protocol_date(given["date"]) and not is_calendar_date(given["date"]):
            return "Written dates exist"
        if len(set(map(str, given.get("ops", [])))) < len(given.get("ops", [])):
            return "No operator twice"
    if _index_major(_directory(row, folder)) > SUPPORTED_MAJOR:
        return "A newer index version is refused"
    return ""


def _index_major(directory: str) -> int:
    path = Path(directory) / "index.json"
    if not directory or not path.is_file():
        return 0
    match = re.search(rb'"version"\s*:\s*"([0-9]{1,9})', path.read_bytes())
    return int(match[1]) if match else 0


def _directory(row: dict[str, Any], folder: Path) -> str:
    given = row["input"]
    if "dir" in given:
        return str(given["dir"])
    return str(folder / row["dir"]) + given.get("dir_suffix", "") if "dir" in row else ""


def _compare(expected: object, found: object) -> list[str]:
    if expected == found:
        return []
    return [f"expected {json.dumps(expected)[:300]}, found {json.dumps(found)[:300]}"]


def _shown(prototype: Prototype) -> dict[str, Any]:
    return to_protocol(prototype)


def _index(row: dict[str, Any], directory: str) -> list[str]:
    try:
        reading = load_index(directory)
    except RegistryFault as error:
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
        branch = load_metadata(directory, version)
        found: dict[str, Any] = {"metadata": {"branch_name": branch, "release_version": version}}
    except RegistryFault as error:
        found = {"exception": "runtime_error", "reason": REASONS[error.reason]}
    return _compare(row["expected"], found)


def _operator(row: dict[str, Any], directory: str) -> list[str]:
    given = row["input"]
    try:
        prototype = load_operator(directory, given["version"], given["op_type"])
        found: dict[str, Any] = {"proto": _shown(prototype)}
    except RegistryFault as error:
        found = {"exception": "runtime_error", "reason": REASONS[error.reason]}
    return _compare(row["expected"], found)


def _window(row: dict[str, Any], _: str) -> list[str]:
    given = row["input"]
    releases = [(version, date) for version, date in given["all"]]
    days = given.get("days", DEFAULT_DAYS)
    return _compare(row["expected"]["window"], select_window(releases, given["current"], days))


def _chain(row: dict[str, Any], directory: str) -> list[str]:
    chain = load_chain(directory, row["input"]["op_type"], row["input"]["current"])
    found = {
        "ok": True,
        "protos": [_shown(p) for _, p in chain.found],
        "skipped": len(chain.skipped),
        "versions": [release for release, _ in chain.found],
        "window": list(chain.window),
    }
    return _compare(row["expected"], found)


def _date(row: dict[str, Any], _: str) -> list[str]:
    return _compare(row["expected"]["valid"], is_protocol_date(row["input"]["date"]))


def _default(row: dict[str, Any], _: str) -> list[str]:
    kind = row["input"]["type"]
    try:
        value = parse_default(kind, row["input"]["text"])
        found: dict[str, Any] = {"expr": "=" + _expression(kind, value), "ok": True}
    except DefaultFault as error:
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
    given = row["input"]
    with tempfile.TemporaryDirectory() as name:
        target = Path(name)
        for relative in row.get("files", {}):
            path = target / relative
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes((Path(directory) / relative).read_bytes())
        operators = _given_operators(row)
        found: dict[str, Any] = {}
        try:
            write_release(target, given["version"], given["date"], operators, given["branch"])
        except PreflightError:
            found["exception"] = "invalid_argument"
        found["files"] = {
            str(p.relative_to(target)): p.read_text()
            for p in sorted(target.rglob("*"))
            if p.is_file()
        }
    expected = {k: v for k, v in row["expected"].items() if k != "reason"}
    return _compare(expected, found)


def _given_operators(row: dict[str, Any]) -> dict[str, Prototype]:
    """The harness's Vec* operators: those it writes are read from its own answer."""
    given = row["input"]
    name = f"registry/{given['version']}/operators.json"
    text = row["expected"].get("files", {}).get(name, '{"operators": []}')
    known = {o["op_type"]: parse_operator(o) for o in json.loads(text)["operators"]}
    unsupported = AttributeSpec("a", "Bytes", required=False)
    operators: dict[str, Prototype] = {}
    for op in (o for o in given.get("ops", []) if o is not None):
        lost = Prototype(op, (Port("x", "INPUT"),), attrs=(unsupported,))
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
