"""Operator histories and differences as JSON."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from preflight.registry.behaviour import BehaviourNote
from preflight.registry.kinds import Category, Change
from preflight.registry.operator import OperatorHistory, OperatorVersion, Release
from preflight.registry.prototype import to_protocol
from preflight.registry.steps import Return

SCHEMA_VERSION = 1


def changes_json(changes: Sequence[Change], old: Release, new: Release) -> str:
    """All changes with the two releases and what their records cover."""
    counts = Counter(c.kind.category.value for c in changes)
    return _dump(
        {
            "schema_version": SCHEMA_VERSION,
            "from": _release(old),
            "to": _release(new),
            "counts": {category.value: counts[category.value] for category in Category},
            "changes": [_change(c) for c in changes],
        }
    )


def history_json(
    history: OperatorHistory,
    steps: Sequence[Sequence[Change]],
    notes: Sequence[BehaviourNote],
    returns: Sequence[Return] = (),
    gaps: Sequence[tuple[str, str, str]] = (),
) -> str:
    """Versions with prototypes, the record behind every release, steps, returns and notes."""
    return _dump(
        {
            "schema_version": SCHEMA_VERSION,
            "operator": history.op_type,
            "versions": [
                _version(v) | {"changes": [_change(c) for c in changes]}
                for v, changes in zip(history.versions, steps, strict=True)
            ],
            "returns": [
                {
                    "release": r.release,
                    "before": r.before,
                    "version": r.version,
                    "changes": [_change(c) for c in r.changes],
                }
                for r in returns
            ],
            "missing": [
                {"since": first, "until": last, "recorded_again": again}
                for first, last, again in gaps
            ],
            "records": [
                {
                    "release": r.release,
                    "version": r.number or None,
                    "package": r.package,
                    "coverage": r.coverage.value,
                    "certainty": r.certainty.value,
                    "note": r.note,
                }
                for r in history.records
            ],
            "removed": None
            if history.removed is None
            else {
                "release": history.removed.release,
                "certainty": history.removed.certainty.value,
                "why": history.removed.why,
            },
            "notes": [
                {
                    "id": n.id,
                    "since": n.since,
                    "until": n.until,
                    "attribute": n.attribute,
                    "summary": n.summary,
                    "source": n.source,
                }
                for n in notes
            ],
        }
    )


def releases_json(
    releases: Sequence[Release], sources: Mapping[str, Mapping[str, Mapping[str, str]]]
) -> str:
    """Releases with what their records cover; `sources` are facts by package and release."""
    records = []
    for release in releases:
        record = _release(release)
        if sources:
            record["sources"] = {
                p: dict(sources.get(p, {}).get(release.version, {})) for p in release.packages
            }
        records.append(record)
    return _dump({"schema_version": SCHEMA_VERSION, "releases": records})


def version_json(version: OperatorVersion, release: str) -> str:
    """One resolved version with its prototype."""
    return _dump({"schema_version": SCHEMA_VERSION, "release": release} | _version(version))


def _change(change: Change) -> dict[str, Any]:
    return {
        "code": change.kind.code,
        "kind": change.kind.name,
        "category": change.kind.category.value,
        "op": change.op,
        "field": change.field,
        "old": change.old,
        "new": change.new,
        "certainty": change.certainty.value,
        "note": change.note,
    }


def _release(release: Release) -> dict[str, Any]:
    return {
        "release": release.version,
        "date": release.date,
        "packages": list(release.packages),
        "coverage": release.coverage.value,
        "note": release.note,
    }


def _version(version: OperatorVersion) -> dict[str, Any]:
    return {
        "version": version.number,
        "since": version.since,
        "until": version.until or None,
        "spans": [
            {"since": s.since, "until": s.until, "certainty": s.certainty.value}
            for s in version.spans
        ],
        "certainty": version.certainty.value,
        "flags": list(version.flags),
        "prototype": to_protocol(version.prototype),
        "datatypes": dict(version.prototype.datatypes),
    }


def _dump(value: object) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"
