"""What a history says about an operator: versions, spans, absences, and what it cannot say."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from preflight.errors import ExitCode, PreflightError
from preflight.findings import Certainty
from preflight.registry.prototype import Prototype
from preflight.registry.store import Coverage
from preflight.registry.versions_of import Recorded


class UnknownRelease(PreflightError):
    """A release that no record has; `nearest` are known ones with a similar name."""

    exit_code = ExitCode.USAGE

    def __init__(self, release: str, nearest: Sequence[str]) -> None:
        known = f"nearest known releases: {', '.join(nearest)}; " if nearest else ""
        hint = f"{known}see all: preflight registry list"
        super().__init__(f"no operator record of release '{release}'", hint=hint)
        self.release = release
        self.nearest = tuple(nearest)


class UnknownOperator(PreflightError):
    """An operator type that no record has; `nearest` are known ones with a similar name."""

    exit_code = ExitCode.USAGE

    def __init__(self, op_type: str, nearest: Sequence[str]) -> None:
        hint = f"nearest known operators: {', '.join(nearest)}" if nearest else ""
        super().__init__(f"no record of an operator '{op_type}'", hint=hint)
        self.op_type = op_type
        self.nearest = tuple(nearest)


class UnresolvedVersion(PreflightError):
    """The record does not say which version a release has; `nearest` are the candidates."""

    def __init__(self, op_type: str, release: str, why: str, nearest: Sequence[Nearest]) -> None:
        names = ", ".join(f"version {n.number} ({n.release})" for n in nearest)
        super().__init__(
            f"operator {op_type} in {release}: {why}", hint=f"nearest: {names}" if names else ""
        )
        self.op_type = op_type
        self.release = release
        self.nearest = tuple(nearest)


class Nearest(Struct, frozen=True):
    """A version that is known in a neighbouring release."""

    number: int
    release: str


class Release(Struct, frozen=True):
    """One release of the merged record."""

    version: str
    date: str
    packages: tuple[str, ...]  # who records it, the one that speaks first in front
    coverage: Coverage  # of the package that speaks first
    note: str = ""


class Span(Struct, frozen=True):
    """Consecutive recorded releases in which a version held.

    `certainty` is that of the first one. `open_end`: nothing newer is recorded and nothing says
    that it ended.
    """

    since: str
    until: str
    certainty: Certainty = Certainty.CERTAIN
    open_end: bool = False


class OperatorVersion(Struct, frozen=True):
    """One meaning of an operator."""

    op_type: str
    number: int
    prototype: Prototype
    spans: tuple[Span, ...]
    certainty: Certainty

    @property
    def flags(self) -> tuple[str, ...]:
        """Behaviour flags (preflight.registry.behaviour), sorted."""
        from preflight.registry.behaviour import prototype_flags  # reads two fact files

        return prototype_flags(self.prototype)

    @property
    def since(self) -> str:
        """The first release in which it is recorded."""
        return self.spans[0].since

    @property
    def until(self) -> str:
        """The last release in which it is recorded; empty when nothing says that it ended."""
        return "" if self.spans[-1].open_end else self.spans[-1].until

    @property
    def last_recorded(self) -> str:
        """The last release in which it is recorded, ended or not."""
        return self.spans[-1].until


class Absence(Struct, frozen=True):
    """An operator is not in a release. `proven` False: the record cannot tell."""

    release: str
    proven: bool
    certainty: Certainty
    why: str


class OperatorHistory(Struct, frozen=True):
    """All versions of one operator; `records` say for every release where that is from."""

    op_type: str
    versions: tuple[OperatorVersion, ...]
    records: tuple[Recorded, ...]
    removed: Absence | None = None  # the first release that provably lacks it, for good
    packages: tuple[str, ...] = ()  # every package that has a record of it

    def recorded(self, release: str) -> Recorded | None:
        """The record of one release, None when nobody has one."""
        return next((r for r in self.records if r.release == release), None)

    def version(self, number: int) -> OperatorVersion:
        """The version of that number (from 1)."""
        return self.versions[number - 1]
