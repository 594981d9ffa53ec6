"""Tensor and fusion comparisons for people at a terminal."""

from __future__ import annotations

import shlex
from collections.abc import Iterator

from preflight.compare.fusion import FusionComparison, PassCounts
from preflight.compare.tensors.compare import TensorComparison, TensorRow, TensorStatus
from preflight.render.escape import printable

_COLUMNS = ("tensor", "type", "status", "max abs", "max rel", "cosine", "outside", "tolerance")
_MAX_NAME = 60


def render_tensors(comparison: TensorComparison, *, limit: int | None = 40) -> str:
    """The answer, a table in the order of the graph, and what to do next."""
    lines = [tensor_answer(comparison), f"  old  {comparison.old}", f"  new  {comparison.new}"]
    lines += [f"  ordered by {comparison.ordered_by}", ""]
    lines += _table(comparison, limit)
    lines += [f"not read: {text}" for text in comparison.problems]
    lines.append(_next(comparison))
    return "".join(f"{printable(line)}\n" for line in lines)


def tensor_answer(comparison: TensorComparison) -> str:
    """One line that answers whether results drift, and where first."""
    counts = comparison.counts
    measured = sum(counts.get(s, 0) for s in (TensorStatus.SAME, TensorStatus.WITHIN))
    measured += counts.get(TensorStatus.DRIFT, 0)
    first = comparison.first_drift
    if first is not None:
        where = "first" if comparison.ordered_by != "name" else "first by name"
        found = f"drift: {counts[TensorStatus.DRIFT]} of {measured} tensors, {where} {first.label}"
        return found + (f" ({first.op_type})" if first.op_type else "") + _rest(comparison)
    if not measured:
        return "nothing could be compared" + _rest(comparison)
    return f"no drift in {measured} tensors" + _rest(comparison)


def _rest(comparison: TensorComparison) -> str:
    counts = comparison.counts
    alone = counts.get(TensorStatus.OLD_ONLY, 0) + counts.get(TensorStatus.NEW_ONLY, 0)
    parts = [
        (counts.get(TensorStatus.INCOMPARABLE, 0), "incomparable"),
        (alone, "without partner"),
        (len(comparison.problems), "files not read"),
    ]
    words = ", ".join(f"{number} {what}" for number, what in parts if number)
    return f"; {words}" if words else ""


def _table(comparison: TensorComparison, limit: int | None) -> Iterator[str]:
    """What is not fine, in order; without a limit every tensor."""
    fine = (TensorStatus.SAME, TensorStatus.WITHIN)
    shown = [r for r in comparison.rows if limit is None or r.status not in fine]
    rows = [_COLUMNS, *(_cells(row) for row in shown[:limit])]
    if len(rows) > 1:
        widths = [max(len(row[i]) for row in rows) for i in range(len(_COLUMNS))]
        for row in rows:
            padded = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
            yield "  ".join(padded).rstrip()
    if limit is not None:
        counts = [f"{n} {s.value}" for s in fine if (n := comparison.counts.get(s, 0))]
        if len(shown) > limit:
            counts.insert(0, f"{len(shown) - limit} more")
        if counts:
            yield f"not listed: {', '.join(counts)}; --all lists them"
    if comparison.rows:
        yield ""


def _cells(row: TensorRow) -> tuple[str, ...]:
    name = row.label if len(row.label) <= _MAX_NAME else f"…{row.label[1 - _MAX_NAME :]}"
    limit = f"{row.tolerance.absolute:g} + {row.tolerance.relative:g}·|old|"
    if row.measure is None:
        return (name, row.op_type, f"{row.status.value}: {row.reason}", "", "", "", "", "")
    found = row.measure
    outside = f"{found.outside} of {found.elements}"
    if found.nan_old or found.nan_new or found.inf_old or found.inf_new:
        outside += f" (NaN {found.nan_old}/{found.nan_new}, Inf {found.inf_old}/{found.inf_new})"
    cosine = "-" if found.cosine is None else f"{found.cosine:.6f}"
    status = row.status.value + (f", {row.reason}" if row.reason else "")
    return (
        name,
        row.op_type,
        status,
        f"{found.max_absolute:.3g}",
        f"{found.max_relative:.3g}",
        cosine,
        outside,
        limit + (" sensitive" if row.sensitive else ""),
    )


def _next(comparison: TensorComparison) -> str:
    old, new = shlex.quote(comparison.old), shlex.quote(comparison.new)
    if comparison.first_drift is None:
        return "next: preflight lock MODEL.om"
    if comparison.ordered_by != "graph":
        return f"next: preflight compare --tensors {old} {new} --model NEW.om"
    return "next: preflight compare OLD.om NEW.om"


def render_fusion(comparison: FusionComparison, *, limit: int | None = 60) -> str:
    """Which passes matched differently and the share of graphs that were rewritten differently."""
    lines = [fusion_answer(comparison), f"  old  {comparison.old}", f"  new  {comparison.new}"]
    if comparison.graphs:
        lines.append(f"  graphs paired by {comparison.paired_by}")
    lines += [f"  only old: graph {name}" for name in comparison.old_only]
    lines += [f"  only new: graph {name}" for name in comparison.new_only]
    lines.append("")
    rows = [
        (c.graph or "-", c.section.removesuffix("_fusion"), c.name, _counts(c.old), _counts(c.new))
        for c in comparison.changes
    ]
    head = ("graph", "kind", "pass", "old matched/effective", "new matched/effective")
    table = [head, *rows[:limit]] if rows else []
    widths = [max(len(row[i]) for row in table) for i in range(len(head))] if table else []
    lines += ["  ".join(c.ljust(w) for c, w in zip(r, widths, strict=True)).rstrip() for r in table]
    if limit is not None and len(rows) > limit:
        lines.append(f"and {len(rows) - limit} more; --all lists them")
    lines.append("next: preflight compare OLD.om NEW.om")
    return "".join(f"{printable(line)}\n" for line in lines)


def fusion_answer(comparison: FusionComparison) -> str:
    """One line: how many graphs were rewritten differently."""
    if not comparison.graphs:
        return "neither file lists a graph"
    if not comparison.changed:
        return f"the passes rewrote all {comparison.graphs} graphs in the same way"
    passes = len({(c.section, c.name) for c in comparison.changes})
    share = f"{comparison.changed} of {comparison.graphs} graphs ({comparison.share:.0%})"
    return f"{share} were rewritten differently, by {passes} passes"


def _counts(counts: PassCounts | None) -> str:
    if counts is None:
        return "absent"
    return "/".join("?" if n is None else str(n) for n in (counts.matched, counts.effective))
