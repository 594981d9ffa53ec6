"""`agree.py registries DIR [--changes FILE]`: round trips of every release, and known changes.

Every release of every package below DIR is read, validated, compacted, exported again and compared
operator by operator, `datatype_symbols.json` included. With `--changes` every row
{package, from, to, op, kind, field, old, new} must be found by the diff, and for the operators
that the file names nothing else may be.

A row about data types counts what a group such as NumberType means, and does not say as of which
release. It agrees when our diff gives exactly that row with the groups as of each release, or as of
one of the two dated headers on both sides; how many needed the latter is counted by itself.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from preflight import api
from preflight.findings import Severity
from tiers.tally import Tally

HERE = Path(__file__).resolve().parent
# How the names of a changes file map to ours.
NAMES: dict[str, Any] = json.loads((HERE / "change_names.json").read_text(encoding="utf-8"))
COMMON = "-common"  # a package `all-common…` is `all`, and compares only operators of both sides
# The days of the two headers that define the groups (manifests/history/dtype_groups.json).
DATED = ("2020-12-31", "9999-12-31")

Row = tuple[str, str, str, str | None, str | None]
Operators = Mapping[str, api.Prototype]


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("dir", type=Path, help="package folders with index.json and registry/")
    parser.add_argument("--changes", type=Path, help="known changes, one JSON object per line")


def run(args: argparse.Namespace) -> Tally:
    tally = Tally()
    source = api.FolderLayer(args.dir)
    _validation(tally, source)
    _round_trip(tally, source)
    if args.changes:
        _changes(tally, args.changes, source)
    tally.table()
    return tally


def _validation(tally: Tally, source: api.FolderLayer) -> None:
    """No release of a public registry may have an error; warnings are counted and shown."""
    warnings = 0
    for folder in source.folders:
        problems = api.validate_package(folder)
        errors = [p for p in problems if p.severity is Severity.ERROR]
        warnings += len(problems) - len(errors)
        tally.record("validate", folder.name, [f"{p.where}: {p.message}" for p in errors])
    print(f"validation warnings: {warnings}")


def _round_trip(tally: Tally, source: api.FolderLayer) -> None:
    with tempfile.TemporaryDirectory() as name:
        history, out = Path(name) / "history", Path(name) / "out"
        api.build_history(source.folder, history)
        api.export_bundled(out, layer=api.BundledLayer(history))
        for package, there in zip(source.packages, source.folders, strict=True):
            back = out / package
            for release in source.releases(package):
                subject = f"{package} {release.version}"
                tally.record("round trip", subject, _compare(there, back, release.version))
            same = _read(there / "index.json") == _read(back / "index.json")
            tally.record("index", package, [] if same else ["index.json differs"])


def _read(path: Path) -> Any:
    return json.loads(path.read_bytes())


def _compare(there: Path, back: Path, release: str) -> list[str]:
    differences = []
    for file in ("metadata.json", "operators.json", "datatype_symbols.json"):
        paths = [root / "registry" / release / file for root in (there, back)]
        present = [p.exists() for p in paths]
        if not any(present):
            continue
        if not all(present):
            differences.append(f"{file} is on one side only")
            continue
        values = [_read(p) for p in paths]
        if file == "operators.json":
            values = [{o["op_type"]: _stated(o) for o in v["operators"]} for v in values]
        for name in sorted(set(values[0]) | set(values[1])):
            if values[0].get(name) != values[1].get(name):
                differences.append(f"{file}: {name} differs")
    return differences


def _stated(operator: dict[str, Any]) -> dict[str, Any]:
    """An operator record without what means the same as leaving it out."""
    record: dict[str, Any] = {"inputs": [], "outputs": [], "attrs": [], "subgraphs": []} | operator
    record["attrs"] = [
        {k: v for k, v in a.items() if (k, v) != ("default_value", None)} for a in record["attrs"]
    ]
    for side in ("inputs", "outputs"):
        record[side] = [
            {k: v for k, v in p.items() if (k, v) != ("dtype", "")} for p in record[side]
        ]
    return record


def _changes(tally: Tally, path: Path, source: api.FolderLayer) -> None:
    groups: dict[tuple[str, str, str], list[dict[str, Any]]] = defaultdict(list)
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.strip():
            row = json.loads(line)
            groups[(row["package"], row["from"], row["to"])].append(row)
    for (named, old, new), rows in groups.items():
        package, common, _ = named.partition(COMMON)
        dates = {r.version: r.date for r in source.releases(package)}
        missing = [release for release in (old, new) if release not in dates]
        if missing:
            for row in rows:
                text = f"{package} has no release {missing[0]}"
                tally.record(f"change {row['kind']}", f"{named} {row['op']}", [text])
            continue
        pair = _Pair(source, package, old, new, (dates[old], dates[new]), bool(common))
        pair.judge(tally, rows)


class _Pair:
    """Two releases of a package and what our diff says about them."""

    def __init__(
        self,
        source: api.FolderLayer,
        package: str,
        old: str,
        new: str,
        dates: tuple[str, str],
        common: bool,
    ) -> None:
        self.subject = f"{package} {old} -> {new}"
        self.old, self.new = source.operators(package, old), source.operators(package, new)
        self.common = common
        self.found = self._rows(*dates)
        self.readings = [self._rows(day, day) for day in DATED]

    def _rows(self, old_date: str, new_date: str) -> set[Row]:
        changes = api.diff_releases(self.old, self.new, old_date, new_date)
        return {(c.op, c.kind.name, c.field, c.old, c.new) for c in changes}

    def judge(self, tally: Tally, rows: list[dict[str, Any]]) -> None:
        """Every row of the file against our changes, then ours against the file."""
        expected = [_wanted(row) for row in rows]
        for row, wanted in zip(rows, expected, strict=True):
            subject, group = f"{self.subject} {row['op']}", f"change {row['kind']}"
            if wanted in self.found:
                tally.record(group, subject, [])
            elif _is_dtype(wanted) and any(wanted in reading for reading in self.readings):
                tally.record("change of data types, groups as of one header", subject, [])
            elif _is_dtype(wanted) and self._notation_aside(wanted):
                tally.record_deliberate(
                    "change", "a word of the notation is counted as a data type"
                )
            else:
                near = [r for r in self.found if r[0] == wanted[0] and r[2] == wanted[2]]
                tally.record(group, subject, [f"expected {wanted}, found {near}"])
        self._surplus(tally, expected)

    def _notation_aside(self, wanted: Row) -> bool:
        """Whether the row is ours when words such as Promote are not counted as data types."""
        op, kind, field, *_ = wanted
        old, new = (_without_notation(text) for text in wanted[3:])
        if (old, new) == wanted[3:]:
            return False
        if (old, new) != ("-", "+"):
            return (op, kind, field, old, new) in self.found
        family = _family(kind)  # nothing is left: we may only see another spelling
        ours = [r for r in self.found if r[0] == op and r[2] == field and _family(r[1]) == family]
        return all(r[1].endswith("_respelled") for r in ours)

    def _surplus(self, tally: Tally, expected: list[Row]) -> None:
        """Changes we see and the file does not, of operators that the file names for this pair."""
        operators = {row[0] for row in expected}
        # A row of the same field and family was compared (and reported) from the file's side.
        fields = {(row[0], row[2], _family(row[1])) for row in expected}
        for row in sorted(self.found, key=str):
            if row[0] not in operators or (self.common and row[1].startswith("op_")):
                continue
            if (row[0], row[2], _family(row[1])) in fields:
                continue
            if _is_dtype(row) and self._same_text(row):
                tally.record_deliberate(
                    "change", "a group name changed its meaning, the text did not"
                )
            else:
                tally.record("not in the file", self.subject, [f"found {row}"])

    def _same_text(self, row: Row) -> bool:
        op, kind, field, *_ = row
        side = "inputs" if kind.startswith("input") else "outputs"
        texts = [
            (port.dtype, prototype.datatypes)
            for prototype in (self.old[op], self.new[op])
            for port in getattr(prototype, side)
            if port.name == field
        ]
        return len(texts) == 2 and texts[0] == texts[1]


def _wanted(row: dict[str, Any]) -> Row:
    kind = NAMES["kinds"].get(row["kind"], row["kind"])
    if kind.startswith("op_"):  # the file names a header there, which registries do not record
        return (row["op"], kind, row["field"], None, None)
    return (row["op"], kind, row["field"], row["old"], row["new"])


def _is_dtype(row: Row) -> bool:
    return "_dtype_" in row[1]


def _family(kind: str) -> str:
    return kind.rsplit("_", 1)[0] if "_dtype_" in kind else kind


def _without_notation(text: str | None) -> str | None:
    if not text or text[0] not in "+-":
        return text
    return text[0] + " ".join(w for w in text[1:].split() if w not in NAMES["notation"])
