"""Predicates about the lock that lies beside a model (band PF9xx).

A model without a lock costs one look at the file system; the rest is loaded only when there is one.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING

from msgspec import Struct

from preflight.checks.context import Context
from preflight.checks.predicate import Hit, Outcome, Undecided, predicate
from preflight.errors import PreflightError
from preflight.findings import Evidence

if TYPE_CHECKING:
    from preflight.model.lock import LockMismatch
    from preflight.model.lockfile import Lock

LOCK_SUFFIX = ".lock.json"
_MOST = 20  # mismatches shown as evidence


class UnreadableFacts(Struct, frozen=True):
    """A lock that cannot be read, and why."""

    lock: str
    reason: str


class MisfitFacts(Struct, frozen=True):
    """How many facts no longer fit, and the first of them."""

    lock: str
    count: int
    first: str
    locked: str
    found: str


class Areas(Struct, frozen=True):
    """`areas` of a lock that this rule speaks about; silent where one of `unless` differs too."""

    areas: list[str]
    unless: list[str] = []


@predicate("locks.unreadable", evidence=UnreadableFacts)
def unreadable(context: Context, _: object) -> Iterator[Outcome]:
    """There is a lock, but nothing can be learnt from it."""
    place = _lock_beside(context)
    if place is None:
        return
    lock = _read(*place)
    if isinstance(lock, str):
        evidence = Evidence("lock", "a readable lock file", lock, "preflight lock", place[0])
        yield Hit(UnreadableFacts(os.path.basename(place[0]), lock), (evidence,))  # noqa: PTH119


@predicate("locks.differs", evidence=MisfitFacts, params=Areas)
def differs(context: Context, params: Areas) -> Iterator[Outcome]:
    """The model is not what its lock recorded, in one of these areas."""
    place = _lock_beside(context)
    lock = _read(*place) if place is not None else ""
    if place is None or isinstance(lock, str):
        return
    mismatches = _mismatches(context, lock)
    if "graph" in params.areas and any(m.area == "scheme" for m in mismatches):
        yield Undecided("the lock's fingerprints were made by other rules", ("lock.fingerprint",))
        return
    if any(m.area in params.unless for m in mismatches):
        return
    ours = [m for m in mismatches if m.area in params.areas]
    if ours:
        first = ours[0]
        name = os.path.basename(place[0])  # noqa: PTH119
        yield Hit(
            MisfitFacts(name, len(ours), first.subject, first.locked, first.found),
            tuple(
                Evidence(m.subject, m.locked or "absent", m.found or "absent", name, "model file")
                for m in ours[:_MOST]
            ),
        )


def _lock_beside(context: Context) -> tuple[str, int, int] | None:
    """(path, time of change, size) of the lock; nested models have none of their own."""
    if context.prefix or not context.model.path:
        return None
    path = context.model.path + LOCK_SUFFIX
    try:
        facts = os.stat(path)  # noqa: PTH116 - every check asks this; no path object is needed
    except (FileNotFoundError, NotADirectoryError, ValueError):
        return None
    except OSError:  # there is something, such as a link that leads to itself
        return path, 0, 0
    return path, facts.st_mtime_ns, facts.st_size


@lru_cache(maxsize=4)
def _read(path: str, changed: int, size: int) -> Lock | str:
    """The lock, or why it cannot be read."""
    from preflight.model.lockfile import read_lock

    try:
        return read_lock(path)
    except PreflightError as error:
        return error.message


# The last comparison: several rules ask about the same model and lock.
_last: list[tuple[object, object, tuple[LockMismatch, ...]]] = []


def _mismatches(context: Context, lock: Lock) -> tuple[LockMismatch, ...]:
    if not _last or _last[0][0] is not context.model or _last[0][1] is not lock:
        from preflight.model.lock import compare_lock

        _last[:] = [(context.model, lock, compare_lock(context.model, lock))]
    return _last[0][2]
