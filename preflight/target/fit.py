"""Which CANN releases fit a driver, and the other way round, as far as anybody wrote it down.

Facts: manifests/drivers.toml. A toolkit and a driver each list release lines they work with; a pair
fits when either list has the other's line (the newer side knows the older one).
"""

from __future__ import annotations

from functools import cache
from typing import Literal

import msgspec
from msgspec import Struct, field

from preflight.data import manifests_dir
from preflight.errors import UsageError
from preflight.findings import Certainty
from preflight.target.manifests import read_toml, releases
from preflight.target.names import find_release, nearest
from preflight.target.packages import release_line
from preflight.versions import CannVersion

Answer = Literal["fits", "outside", "unknown"]
_LINES = Certainty.POSSIBLE  # what follows from lines is an inference


class DriverEntry(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A driver whose version file was seen."""

    version: str
    line: str
    accepts: tuple[str, ...]
    interfaces: tuple[str, ...]
    firmware: str
    certainty: Certainty
    source: str


class ToolkitEntry(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A toolkit whose install record was seen."""

    cann: str
    line: str
    accepts: tuple[str, ...]
    source: str


class PairEntry(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A driver and a release that were seen or stated to work together."""

    cann: str
    driver: str
    note: str
    certainty: Certainty
    source: str


class FeatureEntry(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A feature with the least driver (and CANN) that has it."""

    feature: str
    min_driver: str
    source: str
    min_cann: str = ""
    note: str = ""


class _Meaning(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    source: str
    certainty: Certainty


class DriverFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """manifests/drivers.toml."""

    meaning: _Meaning
    driver: tuple[DriverEntry, ...]
    toolkit: tuple[ToolkitEntry, ...]
    pair: tuple[PairEntry, ...]
    feature: tuple[FeatureEntry, ...]


class Fit(Struct, frozen=True):
    """One pair's answer with its reason."""

    cann: str
    driver: str
    answer: Answer
    certainty: Certainty
    why: str
    source: str


class FitReport(Struct, frozen=True):
    """Everything known about one driver or one release; `asked` is what the user named."""

    asked: str
    kind: Literal["driver", "cann"]
    fits: tuple[Fit, ...]
    features: tuple[FeatureEntry, ...] = ()
    known: tuple[str, ...] = field(default=())  # what could have been asked instead

    @property
    def good(self) -> tuple[Fit, ...]:
        """The pairs that fit."""
        return tuple(f for f in self.fits if f.answer == "fits")

    @property
    def bad(self) -> tuple[Fit, ...]:
        """The pairs that lie outside."""
        return tuple(f for f in self.fits if f.answer == "outside")


@cache
def drivers() -> DriverFile:
    """What is known about drivers."""
    return read_toml(manifests_dir() / "drivers.toml", DriverFile)


def lines_fit(
    toolkit_line: str,
    toolkit_accepts: tuple[str, ...],
    driver_line: str,
    driver_accepts: tuple[str, ...],
) -> bool | None:
    """Do a toolkit and a driver fit by their lists? None when that cannot be said.

    The newer side knows the older one, so a missing list of the newer side leaves it open.
    """
    if driver_line and driver_line in toolkit_accepts:
        return True
    if toolkit_line and toolkit_line in driver_accepts:
        return True
    if not driver_line or not toolkit_accepts:
        return None
    if driver_accepts and toolkit_line:
        return False
    return False if _is_older(driver_line, toolkit_line) else None


def _is_older(line: str, other: str) -> bool:
    """Was a release line published before another? False when the order is not known."""
    order = _line_order()
    return line in order and other in order and order.index(line) < order.index(other)


@cache
def _line_order() -> tuple[str, ...]:
    """Release lines in the order of the releases that have them."""
    lines = (release_line(entry.innerversion) for entry in releases())
    return tuple(dict.fromkeys(line for line in lines if line))


@cache
def _toolkits() -> tuple[ToolkitEntry, ...]:
    """Toolkits by release order; those whose list was never seen have an empty one."""
    listed = {entry.cann: entry for entry in drivers().toolkit}
    found = []
    for entry in releases():
        line = release_line(entry.innerversion)
        if entry.public in listed:
            found.append(listed[entry.public])
        elif line:
            found.append(ToolkitEntry(entry.public, line, (), entry.source))
    return tuple(found)


def fit_driver(text: str) -> FitReport:
    """Which releases fit a driver version such as "24.1.rc2"; empty where nobody knows.

    A version matches an entry that it refines ("24.1.rc2.2" is a 24.1.rc2) or that refines it.
    """
    version = _version(text, "driver")
    entries = [d for d in drivers().driver if _refines(version, CannVersion(d.version))]
    fits = [_by_lines(toolkit, entry) for entry in entries for toolkit in _toolkits()]
    pairs = [_by_pair(p) for p in drivers().pair if _refines(version, CannVersion(p.driver))]
    names = {d.version for d in drivers().driver} | {p.driver for p in drivers().pair}
    features = tuple(f for f in drivers().feature if CannVersion(f.min_driver) <= version)
    return FitReport(text, "driver", _merge(pairs, fits), features, tuple(sorted(names)))


def fit_cann(text: str) -> FitReport:
    """Which drivers fit a release such as "8.1.RC1". Raises UsageError for an unknown release."""
    release = find_release(text)[0].public
    entries = [t for t in _toolkits() if t.cann == release]
    fits = [_by_lines(entry, driver) for entry in entries for driver in drivers().driver]
    pairs = [_by_pair(p) for p in drivers().pair if find_public(p.cann) == release]
    names = {t.cann for t in _toolkits()} | {p.cann for p in drivers().pair}
    wanted = CannVersion.parse(release)
    features = tuple(
        f
        for f in drivers().feature
        if f.min_cann and wanted is not None and CannVersion(f.min_cann) <= wanted
    )
    return FitReport(release, "cann", _merge(pairs, fits), features, tuple(sorted(names)))


def find_public(text: str) -> str:
    """The listed public name of a release text, or the text itself."""
    try:
        return find_release(text)[0].public
    except UsageError:
        return text


def _version(text: str, what: str) -> CannVersion:
    version = CannVersion.parse(text)
    if version is None:
        known = [d.version for d in drivers().driver]
        raise UsageError(
            f"{text!r} is not a {what} version",
            hint="known: " + ", ".join(nearest(text, known) or known),
        )
    return version


def _refines(version: CannVersion, entry: CannVersion) -> bool:
    """Does either text begin with the other? "24.1" asks about every 24.1."""
    shared = min(len(version.parts), len(entry.parts))
    return version.parts[:shared] == entry.parts[:shared]


def _by_lines(toolkit: ToolkitEntry, driver: DriverEntry) -> Fit:
    verdict = lines_fit(toolkit.line, toolkit.accepts, driver.line, driver.accepts)
    answer: Answer = "unknown" if verdict is None else "fits" if verdict else "outside"
    why = (
        f"{toolkit.cann} is line {toolkit.line} and lists {_joined(toolkit.accepts)}; "
        f"driver {driver.version} is line {driver.line} and lists {_joined(driver.accepts)}"
    )
    source = f"{toolkit.source}; {driver.source}"
    return Fit(toolkit.cann, driver.version, answer, _LINES, why, source)


def _by_pair(pair: PairEntry) -> Fit:
    return Fit(pair.cann, pair.driver, "fits", pair.certainty, pair.note, pair.source)


def _joined(lines: tuple[str, ...]) -> str:
    return ", ".join(lines) or "nothing known"


def _merge(pairs: list[Fit], fits: list[Fit]) -> tuple[Fit, ...]:
    """Stated pairs first; what follows from lines only for pairs that nobody stated."""
    stated = {(p.cann, p.driver) for p in pairs}
    return (*pairs, *(f for f in fits if (f.cann, f.driver) not in stated))
