"""Joins a model's operators with what changed between its compiler's release and the target's.

Only changes that hold for every release that may be meant are used; where the record or the file
leaves a choice, the operator is `undecided` and nothing is claimed about it. Histories are read
for the operators that a rule asks about and no others: most models meet no change at all.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING

from preflight.checks.compiled import ReleaseGuess, compiled_release, named_release, placed
from preflight.checks.context import Context
from preflight.checks.histories import TargetHistory
from preflight.checks.internal import internal_kind, is_fused, is_inserted
from preflight.findings import Certainty
from preflight.model.manifest import ModelManifest, Operator
from preflight.target.types import Target

if TYPE_CHECKING:
    from preflight.registry.history import History
    from preflight.registry.kinds import Change
    from preflight.registry.operator import OperatorHistory, OperatorVersion


class OperatorUse:
    """One operator type of a model with what the histories say about it.

    `nodes` are its ordinary nodes: neither fused nor put in by the compiler. `first` is
    "graph/op". `known` tells whether any release has the operator.
    """

    def __init__(
        self, join: Join, op_type: str, first: str, count: int, nodes: tuple[Operator, ...]
    ) -> None:
        self._join = join
        self.op_type = op_type
        self.first = first
        self.count = count
        self.nodes = nodes
        self.known = join.knows(op_type)

    @cached_property
    def history(self) -> OperatorHistory | None:
        """The record of the operator, None when there is none."""
        return self._join.history.operator(self.op_type) if self.known else None

    @cached_property
    def old(self) -> OperatorVersion | None:
        """The version that the model was compiled for; None when that is not one."""
        return self._version(self._join.compiled)

    @cached_property
    def new(self) -> OperatorVersion | None:
        """The version of the target's release; None when that is not one."""
        return self._version(self._join.target)

    @cached_property
    def changes(self) -> tuple[Change, ...]:
        """What changed from `old` to `new`; nothing between a release and itself."""
        if self._join.same_release or self.old is None or self.new is None:
            return ()
        if self.old.number == self.new.number:
            return ()
        from preflight.registry.diff import diff_prototypes, lower_certainty

        history, join = self._join.history, self._join
        days = (
            history.release(join.compiled.candidates[-1]).date,
            history.release(join.target.candidates[-1]).date,
        )
        surest = max(self.old.certainty, self.new.certainty, key=lambda c: c.rank)
        found = diff_prototypes(self.old.prototype, self.new.prototype, *days)
        return lower_certainty(found, surest)

    def _version(self, guess: ReleaseGuess) -> OperatorVersion | None:
        """The version of every release which may be meant; None when they differ or nobody knows.

        A release without a record has the version that holds right before and after it.
        """
        if self.history is None:
            return None
        history = self._join.history
        numbers: set[int] = set()
        certainty = guess.certainty
        for candidate in guess.candidates:
            record = self.history.recorded(candidate)
            if record is not None and record.number:
                numbers.add(record.number)
                certainty = max(certainty, record.certainty, key=lambda c: c.rank)
                continue
            around = history.versions_around(self.op_type, candidate)
            proven_absent = history.absence(self.op_type, candidate).proven
            if len(around) != 2 or around[0] != around[1] or proven_absent:
                return None
            numbers.add(around[0])
            certainty = max(certainty, Certainty.LIKELY, key=lambda c: c.rank)
        if len(numbers) != 1:
            return None
        from msgspec.structs import replace

        return replace(self.history.version(numbers.pop()), certainty=certainty)


class Join:
    """All operator types of a model that are not the compiler's own."""

    def __init__(self, context: Context, manifest: ModelManifest, release: str) -> None:
        self._context = context
        self._manifest = manifest
        self._release = release
        named, _ = named_release(manifest)
        self.same_release = bool(named) and named.lower() == release.lower()

    @cached_property
    def history(self) -> History:
        """The record of all operators; reading it is put off until something needs it."""
        history = self._context.history() if self._context.history else None
        assert history is not None  # join_operators has seen to that
        return history

    @cached_property
    def compiled(self) -> ReleaseGuess:
        """The release that compiled the model, or the releases that may have."""
        return compiled_release(self._context.model, self.history)

    @cached_property
    def target(self) -> ReleaseGuess:
        """The release of the target among those of the record."""
        return placed(self._release, self.history, self._context.target.release.source)

    @cached_property
    def uses(self) -> tuple[OperatorUse, ...]:
        """One entry per operator type, in the order of the model's inventory."""
        return tuple(self._uses())

    def knows(self, op_type: str) -> bool:
        """Whether any release has an operator type."""
        source = self._context.history
        if isinstance(source, TargetHistory):
            return source.knows(op_type)
        return self.history.knows(op_type)

    def _uses(self) -> Iterator[OperatorUse]:
        nodes: dict[str, list[Operator]] = {}
        for graph in self._manifest.graphs:
            for operator in graph.operators:
                nodes.setdefault(operator.type, []).append(operator)
        for row in self._manifest.operators:
            if internal_kind(row.type):
                continue
            ordinary = tuple(
                o for o in nodes.get(row.type, ()) if not is_fused(o) and not is_inserted(o)
            )
            yield OperatorUse(self, row.type, row.first, row.count, ordinary)


# Several rules look at the same model and target one after another; the last join is kept.
_last: tuple[ModelManifest, Target, Join] | None = None


def join_operators(context: Context) -> Join | None:
    """The join of a context; None when it has no model definition, release or history."""
    global _last
    manifest, release = context.manifest, context.target.release
    if manifest is None or context.history is None or not release.value:
        return None
    if _last is not None and _last[0] is manifest and _last[1] is context.target:
        return _last[2]
    joined = Join(context, manifest, release.value)
    _last = (manifest, context.target, joined)
    return joined
