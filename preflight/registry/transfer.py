"""Moves releases between records: the bundled history to protocol files, one folder to another."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from msgspec import Struct

from preflight.errors import UsageError
from preflight.registry.entries import Skipped
from preflight.registry.folders import FolderLayer
from preflight.registry.store import BundledLayer, bundled_layer
from preflight.registry.writing import write_release


class Moved(Struct, frozen=True):
    """What became of one release of one package.

    `outcome`: "written", "same" (already there, equal) or "conflict" (already there, different;
    nothing was changed). `operators` counts what the source has, `differing` names operators that
    are not equal.
    """

    package: str
    release: str
    outcome: str
    operators: int
    differing: tuple[str, ...] = ()
    skipped: tuple[str, ...] = ()


def export_bundled(
    target: str | Path,
    releases: Collection[str] = (),
    packages: Collection[str] = (),
    layer: BundledLayer | None = None,
) -> tuple[Moved, ...]:
    """Write bundled releases as protocol files, equal to what they were made from.

    Without names everything is written. Raises UsageError for a name that the record does not
    have, and for a release that is already in the target and differs.
    """
    source = layer or bundled_layer()
    _known("package", packages, source.packages)
    _known("release", releases, source.order)
    moved = []
    for package in source.packages:
        if packages and package not in packages:
            continue
        for release in source.releases(package):
            if not releases or release.version in releases:
                moved.append(_move(source, package, release.version, Path(target)))
    return tuple(moved)


def merge_folders(
    sources: Collection[str | Path], target: str | Path
) -> tuple[tuple[Moved, ...], tuple[Skipped, ...]]:
    """Add every release of the source registries to the target; what is there is never changed.

    Also returns what the sources have and nobody can read: it is not taken over.
    """
    moved: list[Moved] = []
    left_out: list[Skipped] = []
    for folder in sources:
        source = FolderLayer(folder)
        for package in source.packages:
            for release in source.releases(package):
                moved.append(_move(source, package, release.version, Path(target)))
        left_out += source.skipped
    return tuple(moved), tuple(left_out)


def _move(source: BundledLayer | FolderLayer, package: str, release: str, target: Path) -> Moved:
    operators = source.operators(package, release)
    entry = next(r for r in source.releases(package) if r.version == release)
    present = _present(target, package, release)
    if present is not None:
        there = present.operators(package, release)
        names = sorted(set(operators) | set(there))
        differing = tuple(n for n in names if operators.get(n) != there.get(n))
        outcome = "conflict" if differing else "same"
        return Moved(package, release, outcome, len(operators), differing)
    written = write_release(target / package, release, entry.date, operators, entry.branch)
    skipped = tuple(f"{s.where}: {s.reason}" for s in written.skipped)
    return Moved(package, release, "written", written.operators, skipped=skipped)


def _present(target: Path, package: str, release: str) -> FolderLayer | None:
    folder = target / package
    if not (folder / "index.json").is_file():
        return None
    layer = FolderLayer(folder)
    return layer if any(r.version == release for r in layer.releases(package)) else None


def _known(what: str, names: Collection[str], known: Collection[str]) -> None:
    wrong = [name for name in names if name not in known]
    if wrong:
        raise UsageError(
            f"the bundled history has no {what} '{wrong[0]}'",
            hint="see what there is: preflight registry list",
        )
