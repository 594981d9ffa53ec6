"""What changed between two releases of a merged record, and what it cannot decide."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from preflight.findings import Certainty
from preflight.registry.diff import diff_releases, lower_certainty
from preflight.registry.kinds import Change
from preflight.registry.operator import Release
from preflight.registry.prototype import Prototype
from preflight.registry.store import Coverage

if TYPE_CHECKING:
    from preflight.registry.history import History


def diff_history(
    history: History, old: str, new: str, package: str, only: Sequence[str]
) -> tuple[Change, ...]:
    """All changes between two releases, of all packages or of one.

    The second source is left out unless it is named or alone in recording a release.
    """
    before, after = history.release(old), history.release(new)
    found = diff_releases(
        recorded_operators(history, before, package),
        recorded_operators(history, after, package),
        before.date,
        after.date,
        only=only,
        absent=lambda op_type: _judge(history, op_type, after, package),
    )
    if package or Coverage.SECOND not in (before.coverage, after.coverage):
        return found
    return lower_certainty(found, Certainty.POSSIBLE)


def recorded_operators(
    history: History, release: Release, package: str = ""
) -> dict[str, Prototype]:
    """Operators of a release by first-hand records, where there are any or no package is named."""
    if package or release.coverage is Coverage.SECOND:
        return history.operators_at(release.version, package)
    merged: dict[str, Prototype] = {}
    for layer in history.layers:
        for name in layer.packages:
            if layer.coverage(name, release.version)[0] is not Coverage.SECOND:
                for op_type, prototype in layer.operators(name, release.version).items():
                    merged.setdefault(op_type, prototype)
    return merged


def _judge(
    history: History, op_type: str, release: Release, package: str
) -> tuple[bool, Certainty, str]:
    """Whether an operator that the newer release lacks was removed, how surely, and why."""
    from preflight.registry.history import INCOMPLETE

    coverage, note = release.coverage, release.note
    if package:
        for layer in history.layers:
            if package in layer.packages and layer.operators(package, release.version):
                coverage, note = layer.coverage(package, release.version)
                break
    if coverage is not Coverage.COMPLETE:
        return False, Certainty.POSSIBLE, INCOMPLETE[coverage]
    if any(
        package in ("", name) and layer.damaged(name, release.version)
        for layer in history.layers
        for name in layer.packages
    ):
        return False, Certainty.POSSIBLE, "some operators of this release could not be read"
    absence = history.absence(op_type, release.version)
    return True, absence.certainty, "; ".join(t for t in (absence.why, note) if t)
