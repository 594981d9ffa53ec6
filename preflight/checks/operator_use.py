"""Joins a model's operators with what changed between its compiler's release and the target's.

Only changes that hold for every release that may be meant are used; where the record or the file
leaves a choice, the operator is `undecided` and nothing is claimed about it.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from preflight.checks.compiled import ReleaseGuess, compiled_release, placed
from preflight.checks.context import Context
from preflight.checks.internal import internal_kind, is_fused, is_inserted
from preflight.findings import Certainty
from preflight.model.manifest import ModelManifest, Operator
from preflight.registry.history import History
from preflight.registry.kinds import Change
from preflight.registry.operator import OperatorHistory, OperatorVersion
from preflight.target.types import Target


class OperatorUse(Struct, frozen=True):
    """One operator type of a model with what the histories say about it.

    `nodes` are its ordinary nodes: neither fused nor put in by the compiler. `old` and `new` are
    the versions on both sides, None where the record leaves a choice or says nothing.
    """

    op_type: str
    first: str  # "graph/op"
    count: int
    nodes: tuple[Operator, ...]
    history: OperatorHistory | None
    old: OperatorVersion | None
    new: OperatorVersion | None
    changes: tuple[Change, ...]
    undecided: bool


class Join(Struct, frozen=True):
    """All operator types of a model that are not the compiler's own."""

    compiled: ReleaseGuess
    target: ReleaseGuess
    uses: tuple[OperatorUse, ...]
    history: History


# Several rules look at the same model and target one after another; the last join is kept.
_last: tuple[ModelManifest, Target, Join] | None = None


def join_operators(context: Context) -> Join | None:
    """The join of a context; None when it has no model definition, release or history."""
    global _last
    manifest, release = context.manifest, context.target.release
    history = context.history() if context.history else None
    if manifest is None or history is None or not release.value:
        return None
    if _last is not None and _last[0] is manifest and _last[1] is context.target:
        return _last[2]
    target = placed(release.value, history, release.source)
    compiled = compiled_release(manifest, history)
    joined = Join(compiled, target, tuple(_uses(manifest, history, compiled, target)), history)
    _last = (manifest, context.target, joined)
    return joined


def _uses(
    manifest: ModelManifest, history: History, compiled: ReleaseGuess, target: ReleaseGuess
) -> Iterator[OperatorUse]:
    nodes: dict[str, list[Operator]] = {}
    for graph in manifest.graphs:
        for operator in graph.operators:
            nodes.setdefault(operator.type, []).append(operator)
    for row in manifest.operators:
        if internal_kind(row.type):
            continue
        ordinary = tuple(
            o for o in nodes.get(row.type, ()) if not is_fused(o) and not is_inserted(o)
        )
        if history.knows(row.type):
            yield _use(row.type, row.first, row.count, ordinary, history, compiled, target)
        else:
            yield OperatorUse(row.type, row.first, row.count, ordinary, None, None, None, (), True)


def _use(
    op_type: str,
    first: str,
    count: int,
    nodes: tuple[Operator, ...],
    history: History,
    compiled: ReleaseGuess,
    target: ReleaseGuess,
) -> OperatorUse:
    operator = history.operator(op_type)
    old, new = _version(operator, history, compiled), _version(operator, history, target)
    changes: tuple[Change, ...] = ()
    if old is not None and new is not None and old.number != new.number:
        changes = _changes(history, compiled, target, old, new)
    return OperatorUse(
        op_type,
        first,
        count,
        nodes,
        operator,
        old,
        new,
        changes,
        undecided=old is None or new is None,
    )


def _version(
    operator: OperatorHistory, history: History, guess: ReleaseGuess
) -> OperatorVersion | None:
    """The version that every release which may be meant has; None when they differ or nobody knows.

    A release without a record has the version that holds right before and after it.
    """
    numbers: set[int] = set()
    certainty = guess.certainty
    for candidate in guess.candidates:
        record = operator.recorded(candidate)
        if record is not None and record.number:
            numbers.add(record.number)
            certainty = max(certainty, record.certainty, key=lambda c: c.rank)
            continue
        around = history.versions_around(operator.op_type, candidate)
        if (
            len(around) != 2
            or around[0] != around[1]
            or _proven_absent(history, operator, candidate)
        ):
            return None
        numbers.add(around[0])
        certainty = max(certainty, Certainty.LIKELY, key=lambda c: c.rank)
    if len(numbers) != 1:
        return None
    found = operator.version(numbers.pop())
    return OperatorVersion(found.op_type, found.number, found.prototype, found.spans, certainty)


def _proven_absent(history: History, operator: OperatorHistory, release: str) -> bool:
    return history.absence(operator.op_type, release).proven


def _changes(
    history: History,
    compiled: ReleaseGuess,
    target: ReleaseGuess,
    old: OperatorVersion,
    new: OperatorVersion,
) -> tuple[Change, ...]:
    from preflight.registry.diff import diff_prototypes, lower_certainty

    days = (
        history.release(compiled.candidates[-1]).date,
        history.release(target.candidates[-1]).date,
    )
    surest = max(old.certainty, new.certainty, key=lambda c: c.rank)
    return lower_certainty(diff_prototypes(old.prototype, new.prototype, *days), surest)
