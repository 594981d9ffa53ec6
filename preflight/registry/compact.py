"""Builds the bundled history from a folder of registries, and encodes single prototypes.

    python -m preflight.registry.compact REGISTRIES [-o manifests/history]

The result has one entry per operator and distinct prototype with the releases in which it held.
The bytes depend on the input only: names are sorted, nothing has a time stamp.
"""

from __future__ import annotations

import argparse
import json
import tomllib
import zlib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from preflight.errors import DataError
from preflight.registry.encoding import FORMAT, SHARDS, encode, release_order, shard_of
from preflight.registry.names import NAMES
from preflight.registry.protocol import IndexReading, load_index, load_release

SOURCES = "sources.toml"  # how to read the record: precedence, coverage, order


def build_history(registries: Path, target: Path) -> None:
    """Write the bundled form of a folder of registries. Raises DataError when it is no use."""
    packages = sorted(p.parent.name for p in registries.glob("*/index.json"))
    if not packages:
        raise DataError(f"{registries}: no package folder with an index.json")
    readings = {name: _whole_index(registries / name) for name in packages}
    operators = _collect(registries, readings)
    target.mkdir(parents=True, exist_ok=True)
    index = _index(readings, target / SOURCES)
    _write(target / "index.json", json.dumps(index, separators=(",", ":")).encode())
    names = "\n".join(sorted(operators)) + "\n"
    _write(target / NAMES, names.encode())
    shards: list[dict[str, Any]] = [{} for _ in range(SHARDS)]
    for name in sorted(operators):
        shards[shard_of(name)][name] = operators[name]
    for number, shard in enumerate(shards):
        text = json.dumps(shard, separators=(",", ":"), ensure_ascii=False)
        _write(target / f"ops-{number:02d}.z", zlib.compress(text.encode(), 9))
    provenance = registries / "provenance.json"
    if provenance.exists():
        records = _trimmed_provenance(json.loads(provenance.read_text(encoding="utf-8")))
        text = json.dumps(records, indent=1, ensure_ascii=False, sort_keys=True) + "\n"
        _write(target / "provenance.json", text.encode())


def _index(readings: dict[str, IndexReading], sources: Path) -> dict[str, Any]:
    """Packages in order of precedence with releases and coverage, and the order of all releases."""
    facts = _sources(sources)
    ranked = [p["name"] for p in facts["packages"] if p["name"] in readings]
    ranked += [name for name in readings if name not in ranked]
    entries = [(r.version, r.date) for name in ranked for r in readings[name].releases]
    order = release_order(entries, {o["release"]: o["follows"] for o in facts["order"]})
    coverage = {p["name"]: p["coverage"] for p in facts["packages"]}
    packages = {}
    for name in ranked:
        rules = coverage.get(name, [])
        packages[name] = {
            "version": readings[name].version,
            "releases": [[r.version, r.date, r.branch] for r in readings[name].releases],
            "coverage": _coverage_by_release(readings[name], rules, order),
        }
    return {"format": FORMAT, "order": order, "packages": packages}


def _coverage_by_release(
    reading: IndexReading, rules: list[dict[str, str]], order: list[str]
) -> list[list[str]]:
    """[coverage, note] of each release: that of the last rule at or before it."""
    result = []
    for release in reading.releases:
        position = order.index(release.version)
        passed = [r for r in rules if r["from"] in order and order.index(r["from"]) <= position]
        rule = passed[-1] if passed else {"is": "complete"}
        result.append([rule["is"], rule.get("note", "")])
    return result


def _sources(path: Path) -> dict[str, Any]:
    if not path.exists():
        return {"packages": [], "order": []}
    return {"packages": [], "order": []} | tomllib.loads(path.read_text(encoding="utf-8"))


def runs(positions: Iterable[int]) -> list[list[int]]:
    """Ascending positions as [first, last] pairs."""
    result: list[list[int]] = []
    for position in positions:
        if result and result[-1][1] == position - 1:
            result[-1][1] = position
        else:
            result.append([position, position])
    return result


def _whole_index(package: Path) -> IndexReading:
    reading = load_index(package)
    if reading.rejected or reading.skipped:
        reason = reading.rejected or reading.skipped[0].reason
        raise DataError(f"{package}: {reason}", hint="repair it: preflight registry validate")
    return reading


def _collect(registries: Path, readings: dict[str, IndexReading]) -> dict[str, list[Any]]:
    """Operator -> [[prototype, {package: runs of release positions}], …], oldest first."""
    held: dict[str, dict[str, tuple[list[Any], dict[str, list[int]]]]] = {}
    for package, reading in readings.items():
        for position, release in enumerate(reading.releases):
            file = load_release(registries / package, release.version)
            if file.skipped:
                raise DataError(f"{file.skipped[0].where}: {file.skipped[0].reason}")
            for name, prototype in file.operators.items():
                record = encode(prototype)
                key = json.dumps(record)
                _, places = held.setdefault(name, {}).setdefault(key, (record, {}))
                places.setdefault(package, []).append(position)
    return {
        name: [
            [record, {package: runs(positions) for package, positions in places.items()}]
            for record, places in prototypes.values()
        ]
        for name, prototypes in held.items()
    }


def _trimmed_provenance(records: dict[str, Any]) -> dict[str, Any]:
    wanted = ("cann", "evidence", "source")
    return {
        package: {
            release: {k: facts[k] for k in wanted if k in facts} for release, facts in r.items()
        }
        for package, r in records.items()
    }


def _write(path: Path, data: bytes) -> None:
    path.write_bytes(data)


def main(argv: list[str] | None = None) -> int:
    """Entry point of `python -m preflight.registry.compact`."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("registries", type=Path, help="package folders with index.json")
    parser.add_argument("-o", "--output", type=Path, default=Path("manifests/history"))
    arguments = parser.parse_args(argv)
    build_history(arguments.registries, arguments.output)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
