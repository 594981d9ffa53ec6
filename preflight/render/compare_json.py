"""Comparisons for programs. Fields are only ever added; numbers that are not finite are null."""

from __future__ import annotations

import math
from typing import Any

from preflight.compare.fusion import FusionComparison, PassCounts
from preflight.compare.tensors.compare import TensorComparison, TensorRow
from preflight.compare.types import Difference, ModelComparison, OperatorRef
from preflight.render.json import dump

SCHEMA_VERSION = 1


def comparison_json(comparison: ModelComparison) -> str:
    """A comparison of two models as indented JSON."""
    return dump({"schema_version": SCHEMA_VERSION, **_models(comparison)}, masked=False)


def tensors_json(comparison: TensorComparison) -> str:
    """A comparison of two folders of tensors as indented JSON."""
    first = comparison.first_drift
    value = {
        "schema_version": SCHEMA_VERSION,
        "old": comparison.old,
        "new": comparison.new,
        "ordered_by": comparison.ordered_by,
        "first_drift": None if first is None else _tensor(first),
        "counts": {status.value: number for status, number in sorted(comparison.counts.items())},
        "tensors": [_tensor(row) for row in comparison.rows],
        "problems": list(comparison.problems),
    }
    return dump(value, masked=False)


def fusion_json(comparison: FusionComparison) -> str:
    """A comparison of two fusion result files as indented JSON."""
    value = {
        "schema_version": SCHEMA_VERSION,
        "old": comparison.old,
        "new": comparison.new,
        "graphs": comparison.graphs,
        "graphs_changed": comparison.changed,
        "share": comparison.share,
        "paired_by": comparison.paired_by,
        "old_only": list(comparison.old_only),
        "new_only": list(comparison.new_only),
        "changes": [
            {
                "graph": c.graph,
                "section": c.section,
                "pass": c.name,
                "old": _counts(c.old),
                "new": _counts(c.new),
            }
            for c in comparison.changes
        ],
    }
    return dump(value, masked=False)


def _models(comparison: ModelComparison) -> dict[str, Any]:
    operators = comparison.operators
    return {
        "old": comparison.old,
        "new": comparison.new,
        "old_is_lock": comparison.old_is_lock,
        "verdict": comparison.verdict.value,
        "reasons": list(comparison.reasons),
        "notes": list(comparison.notes),
        "weights": comparison.weights.value,
        "fingerprints": {"old": comparison.fingerprints[0], "new": comparison.fingerprints[1]},
        "interface": [_difference(d) for d in comparison.interface],
        "facts": [_difference(d) for d in comparison.facts],
        "partitions": [_difference(d) for d in comparison.content],
        "operators": {
            "compared": operators.compared,
            "matched": dict(operators.matched),
            "changed": [
                {
                    "graph": c.graph,
                    "old_name": c.old_name,
                    "new_name": c.new_name,
                    "old_type": c.old_type,
                    "new_type": c.new_type,
                    "matched_by": c.matched_by,
                    "differences": [_difference(d) for d in c.differences],
                }
                for c in operators.changed
            ],
            "removed": [_ref(r) for r in operators.removed],
            "added": [_ref(r) for r in operators.added],
            "counts": [{"type": c.type, "old": c.old, "new": c.new} for c in operators.counts],
        },
        "nested": [_models(inner) for inner in comparison.nested],
    }


def _difference(difference: Difference) -> dict[str, str]:
    return {"subject": difference.subject, "old": difference.old, "new": difference.new}


def _ref(ref: OperatorRef) -> dict[str, str]:
    return {"graph": ref.graph, "name": ref.name, "type": ref.type}


def _counts(counts: PassCounts | None) -> dict[str, int | None] | None:
    if counts is None:
        return None
    return {
        "matched": counts.matched,
        "effective": counts.effective,
        "from_repository": counts.from_repository,
    }


def _tensor(row: TensorRow) -> dict[str, Any]:
    value: dict[str, Any] = {
        "op": row.op,
        "op_type": row.op_type,
        "side": row.side,
        "index": row.index,
        "occurrence": row.occurrence,
        "status": row.status.value,
        "reason": row.reason,
        "old_file": row.old_file,
        "new_file": row.new_file,
        "old_dtype": row.old_dtype,
        "new_dtype": row.new_dtype,
        "shape": None if row.shape is None else list(row.shape),
        "absolute_tolerance": row.tolerance.absolute,
        "relative_tolerance": row.tolerance.relative,
        "sensitive": row.sensitive,
    }
    if row.measure is not None:
        found = row.measure
        value |= {
            "elements": found.elements,
            "outside": found.outside,
            "first_outside": found.first,
            "max_absolute": _number(found.max_absolute),
            "max_relative": _number(found.max_relative),
            "mean_absolute": _number(found.mean_absolute),
            "cosine": found.cosine,
            "identical": found.identical,
            "nan": {"old": found.nan_old, "new": found.nan_new},
            "inf": {"old": found.inf_old, "new": found.inf_new},
        }
    return value


def _number(value: float) -> float | None:
    return value if math.isfinite(value) else None
