"""One side of a difference that is a team's own registry folder instead of a recorded release."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

from preflight.errors import UsageError
from preflight.findings import Certainty
from preflight.registry.diff import diff_releases
from preflight.registry.diff_history import recorded_operators
from preflight.registry.entries import Skipped
from preflight.registry.folders import FolderLayer
from preflight.registry.kinds import Change
from preflight.registry.operator import Release
from preflight.registry.prototype import Prototype
from preflight.registry.store import Coverage

if TYPE_CHECKING:
    from preflight.registry.history import History


class Side(Struct, frozen=True):
    """A release with its operators; `release.note` names the folder of one that is not recorded.

    `own` are the operators that a folder speaks about: what any of its releases has. None for a
    recorded release, which speaks about every operator.
    """

    release: Release
    operators: dict[str, Prototype]
    own: frozenset[str] | None = None
    damaged: bool = False
    skipped: tuple[Skipped, ...] = ()


def names_folder(history: History, text: str) -> bool:
    """Whether a side is a path: `./mine`, `mine`, `mine@1.2.0`. A recorded release comes first."""
    if os.sep in text or text in (os.curdir, os.pardir):
        return True
    if any(text.lower() == release.version.lower() for release in history.releases):
        return False
    return Path(text).is_dir() or Path(text.rpartition("@")[0] or text).is_dir()


def folder_path(text: str) -> Path:
    """The folder of a side, without the release behind `@`."""
    whole = Path(text)
    return whole if "@" not in text or whole.is_dir() else Path(text.rpartition("@")[0])


def folder_side(text: str, package: str = "") -> Side:
    """The newest release of a registry folder, or the one behind `@`.

    Raises UsageError when the folder does not have it, UnreadableInput when it is no registry.
    """
    path = folder_path(text)
    wanted = "" if path == Path(text) else text.rpartition("@")[2]
    layer = FolderLayer(path)
    packages = [name for name in layer.packages if package in ("", name)]
    if not packages:
        hint = f"its packages: {', '.join(layer.packages)}"
        raise UsageError(f"{layer.folder} has no package '{package}'", hint=hint)
    dated = {r.version: r.date for name in packages for r in layer.releases(name)}
    known = [version for version in layer.order if version in dated]
    if not known or (wanted and wanted not in dated):
        what = f"release '{wanted}'" if wanted else "release that can be read"
        raise UsageError(
            f"{layer.folder} has no {what}",
            hint=f"its releases: {', '.join(known)}"
            if known
            else "see preflight registry validate",
        )
    version = wanted or known[-1]
    operators: dict[str, Prototype] = {}
    own: set[str] = set()
    for name in packages:
        for entry in layer.releases(name):
            own.update(layer.operators(name, entry.version))
        for op_type, prototype in layer.operators(name, version).items():
            operators.setdefault(op_type, prototype)
    return Side(
        Release(version, dated[version], tuple(packages), Coverage.COMPLETE, str(layer.folder)),
        operators,
        frozenset(own),
        any(layer.damaged(name, version) for name in packages),
        tuple(layer.skipped),
    )


def recorded_side(history: History, version: str) -> Side:
    """A release of the record, all packages together."""
    release = history.release(version)
    return Side(release, recorded_operators(history, release))


def diff_sides(old: Side, new: Side, only: tuple[str, ...] = ()) -> tuple[Change, ...]:
    """What changed, for the operators that every folder among the two sides speaks about."""
    names = set(old.operators) | set(new.operators)
    for side in (old, new):
        names &= side.own if side.own is not None else names
    chosen = sorted(names & set(only) if only else names)
    if not chosen:
        return ()

    def absent(op_type: str) -> tuple[bool, Certainty, str]:
        if new.damaged:
            return False, Certainty.POSSIBLE, "some operators of this release could not be read"
        if new.release.coverage is not Coverage.COMPLETE:
            return False, Certainty.POSSIBLE, "the record of this release is not complete"
        return True, Certainty.CERTAIN, ""

    return diff_releases(
        old.operators,
        new.operators,
        old.release.date,
        new.release.date,
        only=chosen,
        absent=absent,
    )
