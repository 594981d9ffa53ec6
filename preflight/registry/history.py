"""Operator versions: what an operator meant in each release, and what nobody can tell.

Every prototype with a meaning of its own is a version (1, 2, …) of its operator, in order of
first appearance. A prototype that comes back keeps its number, so one version may hold in several
spans of releases; versions are never deleted. Where the public record is incomplete nothing is
inferred from an absence.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from preflight.findings import Certainty
from preflight.registry.encoding import release_order
from preflight.registry.entries import Skipped
from preflight.registry.operator import (
    Absence,
    Nearest,
    OperatorHistory,
    OperatorVersion,
    Release,
    Span,
    UnknownOperator,
    UnknownRelease,
    UnresolvedVersion,
)
from preflight.registry.prototype import Prototype
from preflight.registry.store import Coverage, Held, Layer, bundled_layer
from preflight.registry.versions_of import Recorded, number_versions

if TYPE_CHECKING:
    from preflight.registry.kinds import Change
    from preflight.registry.steps import Return


class History:
    """Layers of registries as one record; the first layer that has an operator's record wins."""

    def __init__(self, layers: Iterable[Layer]) -> None:
        self.layers = tuple(layers)
        self._operators: dict[str, OperatorHistory | None] = {}
        self._complete_at: dict[str, tuple[tuple[str, tuple[str, ...]], ...]] = {}

    @cached_property
    def releases(self) -> tuple[Release, ...]:
        """All releases, oldest first."""
        entries: dict[str, tuple[str, list[str], Coverage, str]] = {}
        for layer in self.layers:
            for package in layer.packages:
                for entry in layer.releases(package):
                    if entry.version in entries:
                        entries[entry.version][1].append(package)
                        continue
                    coverage, note = layer.coverage(package, entry.version)
                    entries[entry.version] = (entry.date, [package], coverage, note)
        order = self._order({version: facts[0] for version, facts in entries.items()})
        return tuple(
            Release(version, entries[version][0], tuple(entries[version][1]), *entries[version][2:])
            for version in order
        )

    def _order(self, dates: dict[str, str]) -> list[str]:
        """The bundled order; releases that only upper layers know are put in by their dates."""
        known = [v for v in (self.layers[-1].order if self.layers else ()) if v in dates]
        result = list(known)
        for version in release_order([(v, d) for v, d in dates.items() if v not in set(known)]):
            later = [i for i, other in enumerate(result) if dates[other] > dates[version]]
            result.insert(later[0] if later else len(result), version)
        return result

    @cached_property
    def _positions(self) -> dict[str, int]:
        return {release.version: i for i, release in enumerate(self.releases)}

    def release(self, version: str) -> Release:
        """The release of that name, letter case aside. Raises UnknownRelease with nearest names."""
        position = self._positions.get(version)
        if position is None:
            folded = {name.lower(): i for name, i in self._positions.items()}
            position = folded.get(version.lower())
        if position is None:
            names = list(self._positions)
            raise UnknownRelease(version, _close(version, names, 0.5))
        return self.releases[position]

    @property
    def skipped(self) -> tuple[Skipped, ...]:
        """What the layers had to leave out of what was read so far."""
        return tuple(s for layer in self.layers for s in getattr(layer, "skipped", ()))

    def operator_types(self) -> tuple[str, ...]:
        """Every operator type that any layer knows, sorted."""
        return tuple(sorted({name for layer in self.layers for name in layer.operator_types()}))

    def operator(self, op_type: str) -> OperatorHistory:
        """The history of one operator. Raises UnknownOperator with the nearest names."""
        if op_type not in self._operators:
            self._operators[op_type] = self._read(op_type)
        history = self._operators[op_type]
        if history is None:
            names = self.operator_types()
            raise UnknownOperator(op_type, _close(op_type, names, 0.75))
        return history

    def knows(self, op_type: str) -> bool:
        """Whether any layer has any record of the operator."""
        if op_type not in self._operators:
            self._operators[op_type] = self._read(op_type)
        return self._operators[op_type] is not None

    def resolve(self, op_type: str, release: str) -> OperatorVersion:
        """The version that a graph of that release means.

        Raises UnknownRelease, UnknownOperator or UnresolvedVersion; the last carries the nearest
        versions. Nothing is guessed: a release without a record has no version.
        """
        history = self.operator(op_type)
        version = self.release(release).version
        record = history.recorded(version)
        if record is not None and record.number:
            found = history.version(record.number)
            return replace(found, certainty=record.certainty)
        why = record.note if record else self.absence(op_type, version).why
        raise UnresolvedVersion(op_type, version, why, self._nearest(history, version))

    def versions_around(self, op_type: str, release: str) -> tuple[int, ...]:
        """Numbers of the versions recorded last before and first after a release."""
        return tuple(n.number for n in self._nearest(self.operator(op_type), release))

    def absence(self, op_type: str, release: str) -> Absence:
        """What it means that a release has no record of an operator."""
        facts = self.release(release)
        if not self.knows(op_type):
            why = "no record of this operator in any release"
            return Absence(facts.version, False, Certainty.POSSIBLE, why)
        history = self.operator(op_type)
        if not self.complete_for(history.packages, facts):
            why = INCOMPLETE[facts.coverage] or "only some packages of this release are known"
            return Absence(facts.version, False, Certainty.POSSIBLE, why)
        position = self._positions[facts.version]
        later = [r.release for r in history.records if self._positions[r.release] >= position]
        if later:
            again = len(later) < len(history.records)
            why = (
                f"missing here, and {'recorded again' if again else 'first recorded'} in {later[0]}"
            )
            return Absence(facts.version, True, Certainty.POSSIBLE, why)
        return Absence(facts.version, True, Certainty.LIKELY, _WHOLE)

    def complete_for(self, packages: Collection[str], release: Release) -> bool:
        """Whether a release would record an operator of these packages if it had it.

        A package speaks for its own operators, and `all` for those of every package beside it; a
        record that could not be read to its end speaks for none.
        """
        asked = set(packages)
        return any(
            name in asked or (name == _ALL and not asked.isdisjoint(beside))
            for name, beside in self._complete(release)
        )

    def _complete(self, release: Release) -> tuple[tuple[str, tuple[str, ...]], ...]:
        """Packages whose record of a release is complete, each with the packages beside it."""
        if release.version not in self._complete_at:
            self._complete_at[release.version] = tuple(
                (name, layer.packages)
                for layer in self.layers
                for name in layer.packages
                if name in release.packages
                and any(entry.version == release.version for entry in layer.releases(name))
                and layer.coverage(name, release.version)[0] is Coverage.COMPLETE
                and not layer.damaged(name, release.version)
            )
        return self._complete_at[release.version]

    def changes(self, op_type: str, old: str, new: str) -> tuple[Change, ...]:
        """What changed for one operator between two releases that both record it.

        Raises what `resolve` raises.
        """
        before, after = self.resolve(op_type, old), self.resolve(op_type, new)
        if before.number == after.number:
            return ()
        from preflight.registry.diff import diff_prototypes, lower_certainty

        days = (self.release(old).date, self.release(new).date)
        surest = max((before.certainty, after.certainty), key=lambda c: c.rank)
        return lower_certainty(diff_prototypes(before.prototype, after.prototype, *days), surest)

    def steps(self, op_type: str) -> tuple[tuple[Change, ...], ...]:
        """For each version what it changed in the one held before it; empty for the first."""
        from preflight.registry.steps import version_steps

        return version_steps(self, op_type)

    def returns(self, op_type: str) -> tuple[Return, ...]:
        """Every release in which a version that had been left came back."""
        from preflight.registry.steps import version_returns

        return version_returns(self, op_type)

    def gaps(self, op_type: str) -> tuple[tuple[str, str, str], ...]:
        """(first, last, next record) of the releases between two records that lack an operator."""
        from preflight.registry.steps import version_gaps

        return version_gaps(self, op_type)

    def operators_at(self, release: str, package: str = "") -> dict[str, Prototype]:
        """All operators recorded for a release; of several records the first layer's wins."""
        version = self.release(release).version
        merged: dict[str, Prototype] = {}
        for layer in self.layers:
            for name in layer.packages:
                if package in ("", name):
                    for op_type, prototype in layer.operators(name, version).items():
                        merged.setdefault(op_type, prototype)
        return merged

    def diff(
        self, old: str, new: str, *, package: str = "", only: Sequence[str] = ()
    ) -> tuple[Change, ...]:
        """All changes between two releases (preflight.registry.diff_history)."""
        from preflight.registry.diff_history import diff_history

        return diff_history(self, old, new, package, only)

    def _nearest(self, history: OperatorHistory, release: str) -> list[Nearest]:
        here = self._positions[release]
        numbered = [r for r in history.records if r.number]
        before = [r for r in numbered if self._positions[r.release] < here][-1:]
        after = [r for r in numbered if self._positions[r.release] > here][:1]
        return [Nearest(r.number, r.release) for r in (*before, *after)]

    def _read(self, op_type: str) -> OperatorHistory | None:
        """Records by release, first layer and package first, numbered by meaning."""
        held: dict[str, list[Held]] = {}
        for layer in self.layers:
            ranks = {package: i for i, package in enumerate(layer.packages)}
            for record in sorted(layer.held(op_type), key=lambda h: ranks[h.package]):
                held.setdefault(record.release, []).append(record)
        if not held:
            return None
        ordered = sorted(held, key=lambda release: self._positions[release])
        prototypes, records = number_versions([held[release] for release in ordered])
        packages = tuple(dict.fromkeys(h.package for found in held.values() for h in found))
        removal = self._removal(records, packages)
        versions = tuple(
            self._version(op_type, number, prototype, records, (packages, removal))
            for number, prototype in enumerate(prototypes, 1)
        )
        return OperatorHistory(op_type, versions, records, removal, packages)

    def _version(
        self,
        op_type: str,
        number: int,
        prototype: Prototype,
        records: tuple[Recorded, ...],
        fate: tuple[tuple[str, ...], Absence | None],
    ) -> OperatorVersion:
        packages, removal = fate
        mine = [r for r in records if r.number == number]
        surest = min((r.certainty for r in mine), key=lambda c: c.rank)
        spans = self._spans(number, records, packages)
        if records[-1].number == number and removal is None:
            spans[-1] = replace(spans[-1], open_end=True)
        return OperatorVersion(op_type, number, prototype, tuple(spans), surest)

    def _spans(
        self, number: int, records: tuple[Recorded, ...], packages: tuple[str, ...]
    ) -> list[Span]:
        """Runs of this version; a release that merely has no record does not end a run."""
        spans: list[Span] = []
        previous: Recorded | None = None
        for record in records:
            if record.number == number:
                if (
                    previous
                    and previous.number == number
                    and not self._absent_between(previous.release, record.release, packages)
                ):
                    spans[-1] = replace(spans[-1], until=record.release)
                else:
                    spans.append(Span(record.release, record.release, record.certainty))
            previous = record
        return spans

    def _absent_between(self, first: str, last: str, packages: tuple[str, ...]) -> bool:
        between = self.releases[self._positions[first] + 1 : self._positions[last]]
        return any(self.complete_for(packages, release) for release in between)

    def _removal(self, records: tuple[Recorded, ...], packages: tuple[str, ...]) -> Absence | None:
        """The first release after the last record whose own record is complete."""
        last = self._positions[records[-1].release]
        for release in self.releases[last + 1 :]:
            if self.complete_for(packages, release):
                return Absence(release.version, True, Certainty.LIKELY, _WHOLE)
        return None


def _close(name: str, known: Sequence[str], cutoff: float) -> list[str]:
    import difflib  # only for a message

    return difflib.get_close_matches(name, known, 3, cutoff)


_ALL = "all"  # the package that has every operator of a release
_WHOLE = "the record of this release is complete"
INCOMPLETE = {
    Coverage.OPEN: "only the open repositories of this release are known",
    Coverage.TRIMMED: "the headers of this release were vendored with some left out",
    Coverage.SECOND: "this release is known through documentation strings only",
    Coverage.COMPLETE: "",
}


def open_history(*folders: str | Path) -> History:
    """The bundled history with registry folders layered over it, the first folder on top."""
    if not folders:
        return History((bundled_layer(),))
    from preflight.registry.folders import FolderLayer

    return History((*(FolderLayer(folder) for folder in folders), bundled_layer()))
