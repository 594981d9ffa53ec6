"""Tensor and fusion comparisons for people at a terminal."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence

from preflight.compare.fusion import FusionComparison, PassCounts
from preflight.compare.tensors.compare import TensorComparison, TensorRow, TensorStatus
from preflight.render.escape import printable

_COLUMNS = ("tensor", "type", "status", "max abs", "max rel", "cosine", "outside")
_WIDTH = 100  # columns of the table
_MAX_TYPE = 20


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
        drifting = f"{counts[TensorStatus.DRIFT]} of {_tensors(measured)}"
        found = f"drift: {drifting}, {where} {first.label}"
        return found + (f" ({first.op_type})" if first.op_type else "") + _rest(comparison)
    if not measured:
        return "nothing could be compared" + _rest(comparison)
    return f"no drift in {_tensors(measured)}" + _rest(comparison)


def _tensors(count: int) -> str:
    return "1 tensor" if count == 1 else f"{count} tensors"


def _rest(comparison: TensorComparison) -> str:
    counts = comparison.counts
    alone = counts.get(TensorStatus.OLD_ONLY, 0) + counts.get(TensorStatus.NEW_ONLY, 0)
    one = len(comparison.problems) == 1
    parts = [
        (counts.get(TensorStatus.INCOMPARABLE, 0), "incomparable"),
        (alone, "without partner"),
        (len(comparison.problems), "file not read" if one else "files not read"),
    ]
    words = ", ".join(f"{number} {what}" for number, what in parts if number)
    return f"; {words}" if words else ""


def _table(comparison: TensorComparison, limit: int | None) -> Iterator[str]:
    """What is not fine, in order; without a limit every tensor."""
    fine = (TensorStatus.SAME, TensorStatus.WITHIN)
    shown = [r for r in comparison.rows if limit is None or r.status not in fine]
    yield from _rows(shown[:limit])
    if limit is not None:
        counts = [f"{n} {s.value}" for s in fine if (n := comparison.counts.get(s, 0))]
        if len(shown) > limit:
            counts.insert(0, f"{len(shown) - limit} more")
        if counts:
            yield f"not listed: {', '.join(counts)}; --all lists them"
    if comparison.rows:
        yield ""


def _rows(rows: Sequence[TensorRow]) -> Iterator[str]:
    """A line for each tensor, at most `_WIDTH` columns, and a line for what does not fit in one.

    A name that is too long keeps its end, which tells tensors of the same network apart.
    """
    if not rows:
        return
    cells = [_COLUMNS, *(_cells(row) for row in rows)]
    widths = [max(len(line[i]) for line in cells) for i in range(len(_COLUMNS))]
    widths[1] = min(widths[1], _MAX_TYPE)
    free = _WIDTH - sum(widths[1:]) - 2 * (len(widths) - 1)
    widths[0] = min(widths[0], free)
    for line, row in zip(cells, (None, *rows), strict=True):
        cut = (_end_of(cell, width) for cell, width in zip(line, widths, strict=True))
        yield "  ".join(c.ljust(w) for c, w in zip(cut, widths, strict=True)).rstrip()
        for note in _notes(row) if row is not None else ():
            yield f"    {note}"
    yield from _tolerances(rows)


def _end_of(text: str, width: int) -> str:
    return text if len(text) <= width else f"…{text[1 - width :]}"


def _cells(row: TensorRow) -> tuple[str, ...]:
    label, op_type, status = printable(row.label), printable(row.op_type), row.status.value
    if row.measure is None:
        return (label, op_type, status, "", "", "", "")
    found = row.measure
    cosine = "-" if found.cosine is None else f"{found.cosine:.6f}"
    numbers = f"{found.max_absolute:.3g}", f"{found.max_relative:.3g}", cosine
    return (label, op_type, status, *numbers, f"{found.outside}/{found.elements}")


def _notes(row: TensorRow) -> Iterator[str]:
    """What a row cannot say in its columns."""
    if row.reason:
        yield row.reason
    found = row.measure
    if found is None:
        return
    if found.nan_old or found.nan_new:
        yield f"NaN: {found.nan_old} old, {found.nan_new} new"
    if found.inf_old or found.inf_new:
        yield f"infinite: {found.inf_old} old, {found.inf_new} new"


def _tolerances(rows: Sequence[TensorRow]) -> Iterator[str]:
    """How far apart numbers may be, once for all operators and once for the sensitive ones."""
    usual = next((r for r in rows if r.measure is not None and not r.sensitive), None)
    strict = next((r for r in rows if r.measure is not None and r.sensitive), None)
    if usual is not None:
        yield f"outside: |new - old| is more than {_tolerance(usual)}"
    if strict is not None:
        types = sorted({printable(r.op_type) for r in rows if r.sensitive})
        named = ", ".join(types[:3]) + (" and others" if len(types) > 3 else "")
        yield f"sensitive operators ({named}): more than {_tolerance(strict)}"


def _tolerance(row: TensorRow) -> str:
    return f"{row.tolerance.absolute:g} + {row.tolerance.relative:g}·|old|"


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
    head = ("graph", "kind", "pass", "old match/effect", "new match/effect")
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
    were = "was" if comparison.changed == 1 else "were"
    return (
        f"{share} {were} rewritten differently, by {passes} {'pass' if passes == 1 else 'passes'}"
    )


def _counts(counts: PassCounts | None) -> str:
    if counts is None:
        return "absent"
    return "/".join("?" if n is None else str(n) for n in (counts.matched, counts.effective))
