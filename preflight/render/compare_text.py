"""Comparisons for people at a terminal: the answer first, a command to paste last."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Sequence

from preflight.compare.types import (
    CompareVerdict,
    Difference,
    ModelComparison,
    OperatorComparison,
)
from preflight.render.escape import printable

_WIDTH = 46  # of the subject column, at most


def render_comparison(comparison: ModelComparison, *, limit: int | None = 20) -> str:
    """The whole comparison as text, ending in a newline; `limit` operators are listed in full."""
    lines = [_answer(comparison), *_body(comparison, limit), _next(comparison)]
    return "".join(f"{printable(line)}\n" for line in lines)


def _answer(comparison: ModelComparison) -> str:
    text = comparison.verdict.value
    if comparison.verdict is CompareVerdict.INTERCHANGEABLE:
        return (
            f"{text}, as far as compared: {'; '.join(comparison.notes)}"
            if comparison.notes
            else text
        )
    return f"{text}: {'; '.join(comparison.reasons)}"


def _body(comparison: ModelComparison, limit: int | None) -> Iterator[str]:
    yield f"  old  {comparison.old}"
    yield f"  new  {comparison.new}"
    yield ""
    if comparison.interface:
        yield "interface"
        yield from _rows(comparison.interface)
    else:
        yield f"interface: the same ({comparison.inputs} inputs, {comparison.outputs} outputs)"
    yield from _section("versions, device and host", comparison.facts)
    yield from _section("partitions", comparison.content)
    yield from _operators(comparison.operators, limit)
    yield f"weights: {comparison.weights.value}"
    for inner in comparison.nested:
        yield ""
        yield f"inside: {_answer(inner)}"
        yield from (f"  {line}" for line in _body(inner, limit))
    yield ""


def _section(title: str, differences: Sequence[Difference]) -> Iterator[str]:
    if differences:
        yield title
        yield from _rows(differences)


def _operators(operators: OperatorComparison, limit: int | None) -> Iterator[str]:
    if not operators.compared:
        yield "operators: a lock records their numbers only"
    elif not (operators.changed or operators.removed or operators.added):
        found = sum(number for _, number in operators.matched)
        yield f"operators: the same ({found} matched)"
    else:
        matched = ", ".join(f"{n} by {how}" for how, n in operators.matched) or "none"
        yield (
            f"operators: {len(operators.changed)} differ, {len(operators.removed)} removed, "
            f"{len(operators.added)} added; matched {matched}"
        )
    for change in operators.changed[:limit]:
        name = change.new_name
        if change.old_name != name:
            name = f"{change.old_name} -> {name}"
        yield f"  {name} ({change.new_type}, matched by {change.matched_by})"
        yield from (f"  {line}" for line in _rows(change.differences))
    if limit is not None and len(operators.changed) > limit:
        yield f"  and {len(operators.changed) - limit} more; --all lists them"
    for sign, refs in (("-", operators.removed), ("+", operators.added)):
        for ref in refs[:limit]:
            yield f"  {sign} {ref.name} ({ref.type})"
        if limit is not None and len(refs) > limit:
            yield f"  {sign} and {len(refs) - limit} more; --all lists them"
    if operators.counts:
        yield "operator types"
        yield from _rows(Difference(c.type, str(c.old), str(c.new)) for c in operators.counts)


def _rows(differences: Iterable[Difference]) -> Iterator[str]:
    rows = list(differences)
    width = min(_WIDTH, max((len(d.subject) for d in rows), default=0))
    for row in rows:
        yield f"  {row.subject:<{width}}  {row.old} -> {row.new}"


def _next(comparison: ModelComparison) -> str:
    new = shlex.quote(comparison.new)
    if comparison.verdict is CompareVerdict.INTERCHANGEABLE:
        return f"next: preflight lock {new}"
    if comparison.old_is_lock:
        return f"next: preflight inspect {new}"
    return f"next: preflight compare --tensors OLD_DUMP NEW_DUMP --model {new}"
