"""From version to version of one operator, release by release, with returns to older ones."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from msgspec import Struct

from preflight.findings import Certainty
from preflight.registry.diff import diff_prototypes, lower_certainty
from preflight.registry.kinds import Change

if TYPE_CHECKING:
    from preflight.registry.history import History


class Return(Struct, frozen=True):
    """A release in which a version that had been left came back, and what that changed."""

    release: str
    before: int  # the version that it took the place of
    version: int
    changes: tuple[Change, ...]


def version_steps(history: History, op_type: str) -> tuple[tuple[Change, ...], ...]:
    """For each version what its first release changed in the one held until then.

    Empty for the first version. Raises UnknownOperator.
    """
    versions = history.operator(op_type).versions
    found: dict[int, tuple[Change, ...]] = {1: ()}
    for before, after, old, new in _moves(history, op_type):
        if after not in found:
            changes = _changes(history, op_type, (before, after), (old, new))
            found[after] = lower_certainty(changes, versions[after - 1].certainty)
    return tuple(found.get(version.number, ()) for version in versions)


def version_returns(history: History, op_type: str) -> tuple[Return, ...]:
    """Every release that went back to an older version. Raises UnknownOperator."""
    highest, found = 1, []
    for before, after, old, new in _moves(history, op_type):
        if after <= highest:
            changes = _changes(history, op_type, (before, after), (old, new))
            record = history.operator(op_type).recorded(new)
            certainty = record.certainty if record else Certainty.POSSIBLE
            found.append(Return(new, before, after, lower_certainty(changes, certainty)))
        highest = max(highest, after)
    return tuple(found)


def _moves(history: History, op_type: str) -> list[tuple[int, int, str, str]]:
    """(version, next version, last release of the one, first release of the other), in order."""
    records = [r for r in history.operator(op_type).records if r.number]
    return [
        (was.number, now.number, was.release, now.release)
        for was, now in pairwise(records)
        if was.number != now.number
    ]


def _changes(
    history: History, op_type: str, numbers: tuple[int, int], releases: tuple[str, str]
) -> tuple[Change, ...]:
    before, after = (history.operator(op_type).version(n) for n in numbers)
    old, new = (history.release(name) for name in releases)
    return diff_prototypes(before.prototype, after.prototype, old.date, new.date)


def version_gaps(history: History, op_type: str) -> tuple[tuple[str, str, str], ...]:
    """(first, last, next record) of every run of releases between two records that lack it.

    Only releases whose record is complete count: elsewhere a missing operator proves nothing.
    """
    recorded = {r.release for r in history.operator(op_type).records}
    names = [r.version for r in history.releases]
    here = [i for i, name in enumerate(names) if name in recorded]
    found = []
    for left, right in pairwise(here):
        lacking = [n for n in names[left + 1 : right] if history.absence(op_type, n).proven]
        if lacking:
            found.append((lacking[0], lacking[-1], names[right]))
    return tuple(found)
