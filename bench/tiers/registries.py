"""`agree.py registries DIR [--changes FILE]`: round trips of every release, and known changes.

Every release of every package below DIR is read, validated, compacted, exported again and compared
operator by operator, `datatype_symbols.json` included. With `--changes` every row
{package, from, to, op, kind, field, old, new} must be found by the diff, and for the operators
that the file names nothing else may be.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections import defaultdict
from functools import cache
from pathlib import Path
from typing import Any

from preflight.findings import Severity
from preflight.registry.compact import build
from preflight.registry.diff import diff_releases
from preflight.registry.folders import FolderLayer
from preflight.registry.store import BundledLayer
from preflight.registry.transfer import export_bundled
from preflight.registry.validate import validate_package
from tiers.tally import Tally

HERE = Path(__file__).resolve().parent
# How the names of the changes file map to ours.
NAMES: dict[str, Any] = json.loads((HERE / "change_names.json").read_text(encoding="utf-8"))
# Days of the eras of group names: a row whose sets hold under one of them differs from ours only in
# what a group such as NumberType is taken to mean (manifests/history/dtype_groups.json).
ERAS = ("2020-12-31", "2022-01-01", "9999-12-31")

Row = tuple[str, str, str, str | None, str | None]


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("dir", type=Path, help="package folders with index.json and registry/")
    parser.add_argument("--changes", type=Path, help="known changes, one JSON object per line")


def run(args: argparse.Namespace) -> Tally:
    tally = Tally()
    source = FolderLayer(args.dir)
    _validation(tally, source)
    _round_trip(tally, args.dir, source)
    if args.changes:
        _changes(tally, args.changes, source)
    tally.table()
    return tally


def _validation(tally: Tally, source: FolderLayer) -> None:
    """No release of a public registry may have an error; warnings are counted and shown."""
    warnings = 0
    for folder in source.folders:
        problems = validate_package(folder)
        errors = [p for p in problems if p.severity is Severity.ERROR]
        warnings += len(problems) - len(errors)
        tally.record("validate", folder.name, [f"{p.where}: {p.message}" for p in errors])
    print(f"validation warnings: {warnings}")


def _round_trip(tally: Tally, folder: Path, source: FolderLayer) -> None:
    with tempfile.TemporaryDirectory() as name:
        build(folder, Path(name) / "history")
        export_bundled(Path(name) / "out", layer=BundledLayer(Path(name) / "history"))
        for package in source.packages:
            for release in source.releases(package):
                subject = f"{package} {release.version}"
                there, back = folder / package, Path(name) / "out" / package
                if package not in {p.name for p in folder.iterdir()}:
                    there = folder
                tally.record("round trip", subject, _compare(there, back, release.version))
            tally.record("index", package, _compare_file(folder, Path(name) / "out", package))


def _compare(there: Path, back: Path, release: str) -> list[str]:
    differences = []
    for file, key in (
        ("metadata.json", ""),
        ("operators.json", "op_type"),
        ("datatype_symbols.json", ""),
    ):
        paths = [root / "registry" / release / file for root in (there, back)]
        if not any(p.exists() for p in paths):
            continue
        if not all(p.exists() for p in paths):
            differences.append(f"{file} is on one side only")
            continue
        values = [json.loads(p.read_bytes()) for p in paths]
        if key:
            values = [{o[key]: o for o in v["operators"]} for v in values]
        for name in sorted(set(values[0]) | set(values[1])):
            if values[0].get(name) != values[1].get(name):
                differences.append(f"{file}: {name} differs")
    return differences


def _compare_file(folder: Path, out: Path, package: str) -> list[str]:
    there = folder / package / "index.json"
    path = there if there.exists() else folder / "index.json"
    same = json.loads(path.read_bytes()) == json.loads((out / package / "index.json").read_bytes())
    return [] if same else ["index.json differs"]


def _changes(tally: Tally, path: Path, source: FolderLayer) -> None:
    groups: dict[tuple[str, str, str], list[dict[str, Any]]] = defaultdict(list)
    for line in path.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        groups[(row["package"], row["from"], row["to"])].append(row)
    for (package, old, new), rows in groups.items():
        _pair(tally, source, (package, old, new), rows)


def _pair(
    tally: Tally, source: FolderLayer, pair: tuple[str, str, str], rows: list[dict[str, Any]]
) -> None:
    package, old, new = pair
    plain, common_only = NAMES["packages"].get(package, [package, False])
    found = _found(source, plain, old, new, "")
    other_eras = [_found(source, plain, old, new, era) for era in ERAS]
    expected = set()
    for row in rows:
        kind, wanted = _wanted(row)
        expected.add(wanted)
        subject = f"{package} {old} -> {new} {row['op']}"
        if _matches(wanted, found):
            tally.record(f"change {kind}", subject, [])
        elif any(_matches(wanted, era) for era in other_eras):
            tally.record_deliberate("change", "a group name is taken to mean its later members")
        elif set(NAMES["notation"]) & set(_words(row["new"])):
            tally.record_deliberate("change", "a word of the notation is counted as a data type")
        else:
            near = [r for r in found if r[0] == row["op"] and r[2] == row["field"]]
            tally.record(f"change {kind}", subject, [f"expected {wanted}, found {near}"])
    today = found & _found(source, plain, old, new, ERAS[-1])
    moved = {r for r in found - today if not any(_same_field(r, t) for t in other_eras[-1])}
    _surplus(tally, pair, {r["op"] for r in rows}, expected, (found - moved, moved), common_only)


def _surplus(
    tally: Tally,
    pair: tuple[str, str, str],
    operators: set[str],
    expected: set[Row],
    seen: tuple[set[Row], set[Row]],
    common_only: bool,
) -> None:
    """Changes we see and the file does not, of operators that the file names for this pair.

    `seen` are changes of the text, and those that only rest on a group's changed meaning.
    """
    found, moved = seen
    for row in sorted(moved, key=str):
        if row[0] in operators:
            tally.record_deliberate("change", "a group name changed its meaning, the text did not")
    fields = {(r[0], r[2], _family(r[1])) for r in expected}
    for row in sorted(found, key=str):
        if row[0] not in operators or (common_only and row[1].startswith("op_")):
            continue
        # A row of the same field and family was compared (and reported) from the file's side.
        if (row[0], row[2], _family(row[1])) not in fields:
            tally.record("not in the file", " ".join(pair), [f"found {row}"])


def _same_field(first: Row, second: Row) -> bool:
    return (first[0], first[2], _family(first[1])) == (second[0], second[2], _family(second[1]))


def _family(kind: str) -> str:
    return kind.rsplit("_", 1)[0] if "_dtype_" in kind else kind


def _wanted(row: dict[str, Any]) -> tuple[str, Row]:
    kind = NAMES["kinds"].get(row["kind"], row["kind"])
    if kind.startswith("op_"):  # the file names a header there, which registries do not record
        return row["kind"], (row["op"], kind, row["field"], None, None)
    return row["kind"], (row["op"], kind, row["field"], row["old"], row["new"])


def _matches(wanted: Row, found: set[Row]) -> bool:
    alternatives = NAMES["also"].get(wanted[1], [])
    return any((wanted[0], k, *wanted[2:]) in found for k in (wanted[1], *alternatives))


def _words(text: str | None) -> list[str]:
    return (text or "").lstrip("+").split()


@cache
def _releases(source: FolderLayer, package: str) -> dict[str, str]:
    return {r.version: r.date for r in source.releases(package)}


def _found(source: FolderLayer, package: str, old: str, new: str, era: str) -> set[Row]:
    dates = _releases(source, package)
    changes = diff_releases(
        source.operators(package, old),
        source.operators(package, new),
        era or dates[old],
        era or dates[new],
    )
    return {(c.op, c.kind.name, c.field, c.old, c.new) for c in changes}
