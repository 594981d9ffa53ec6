"""What is known about atc's options and its rules for rebuilding, by release and SoC family.

Everything here is read from `manifests/atc/options.json` and `manifests/atc/rules.json`, where each
entry has its source; code decides nothing about a single option or release.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import TypeVar

import msgspec

from preflight.data import manifests_dir
from preflight.errors import DataError
from preflight.versions import CannVersion


class _Strict(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Base of everything read from the two files: a misspelt key is an error."""


class AllowedValues(_Strict, frozen=True, rename={"since": "from", "until": "to"}):
    """The values that atc accepts between two releases, both included; empty means open."""

    values: tuple[str, ...]
    since: str = ""
    until: str = ""


class AtcOption(_Strict, frozen=True):
    """One option. `action` is what a rebuild does with it; `since` empty = in the oldest release.

    `maybe_earlier`: `since` is where it was first seen on record, not where it appeared. `removed`
    says in words when it went away. `file` is "file" or "folder" when the value is a path.
    """

    name: str
    action: str  # carry | carry_optional | set_for_target | rewrite | drop
    topic: str
    source: str
    since: str = ""
    maybe_earlier: bool = False
    removed: str = ""
    values: tuple[AllowedValues, ...] = ()
    not_on: tuple[str, ...] = ()  # SoC families
    replaced_by: str = ""
    deprecated: bool = False
    file: str = ""
    need: str = ""
    excludes: tuple[str, ...] = ()
    not_in_modes: tuple[str, ...] = ()
    only_in_modes: tuple[str, ...] = ()

    def availability(self, release: str) -> str:
        """ "yes", "no", or "unknown" for an atc of that release."""
        if self.removed:
            return "no"
        if not self.since:
            return "yes"
        reached = at_least(release, self.since)
        if reached is None:
            return "unknown"
        if reached:
            return "yes"
        return "unknown" if self.maybe_earlier else "no"

    def accepts(self, value: str, release: str) -> tuple[str, ...] | None:
        """The accepted values when `value` is none of them; None when it is or nobody knows."""
        for allowed in self.values:
            if in_releases(release, allowed.since, allowed.until) and value not in allowed.values:
                return allowed.values
        return None


class Framework(_Strict, frozen=True):
    """A source framework: the number that --framework takes and the names that models record.

    `own_options` are options that no other framework uses.
    """

    value: str
    names: tuple[str, ...]
    file: str
    not_on: tuple[str, ...]
    instead: str
    becomes: str  # the framework's number after that
    own_options: tuple[str, ...] = ()


class Rewrite(_Strict, frozen=True):
    """An option that another one replaces from a release on; `how` names the transformation."""

    option: str
    to: str
    how: str
    since: str
    why: str
    source: str


class ValueLimit(_Strict, frozen=True):
    """Values that only some SoC families have; `unsure_on` are those the record is not sure of."""

    option: str
    values: tuple[str, ...]
    only_on: tuple[str, ...]
    unsure_on: tuple[str, ...]
    why: str
    source: str


class ValueFloor(_Strict, frozen=True):
    """A value that atc takes from a release on."""

    option: str
    value: str
    since: str
    source: str


class ShapeRanges(_Strict, frozen=True):
    """SoC families where input_shape may not hold ranges, and what to use there."""

    instead: dict[str, str]
    source: str


class Modes(_Strict, frozen=True):
    """Values of --mode that build a model, and the one to use for a family."""

    build: tuple[str, ...]
    by_family: dict[str, str]
    otherwise: str
    source: str


class HostOptions(_Strict, frozen=True):
    """The options that name the host a model with host libraries is for."""

    options: tuple[str, ...]
    source: str


class OptionChange(_Strict, frozen=True):
    """A new rule for options, from a release on."""

    options: tuple[str, ...]
    release: str
    what: str
    source: str


class Spelling(_Strict, frozen=True):
    """An old or incomplete SoC name and what may be meant."""

    old: str
    new: tuple[str, ...]
    sure: bool
    why: str


class OtherProduct(_Strict, frozen=True):
    """A SoC name of another product line, whose atc is another program."""

    soc: str
    what: str
    source: str


class AtcRules(_Strict, frozen=True):
    """The content of `manifests/atc/rules.json`."""

    schema_version: int
    about: str
    frameworks: tuple[Framework, ...]
    frameworks_source: str
    rewrites: tuple[Rewrite, ...]
    value_limits: tuple[ValueLimit, ...]
    value_floors: tuple[ValueFloor, ...]
    shape_ranges: ShapeRanges
    modes: Modes
    host: HostOptions
    at_most_one: tuple[tuple[str, ...], ...]
    at_most_one_source: str
    changes: tuple[OptionChange, ...]
    spellings: tuple[Spelling, ...]
    spellings_source: str
    other_products: tuple[OtherProduct, ...]
    program_release: str
    program_release_source: str
    families: dict[str, tuple[str, ...]]
    families_source: str

    def family(self, soc: str) -> str:
        """The family of a SoC by its full name, empty when the record does not have it."""
        return next((family for family, names in self.families.items() if soc in names), "")

    def first_with(self, option: str, value: str, release: str) -> str:
        """The first release that takes a value, when `release` is known to come before it."""
        floors = (f for f in self.value_floors if (f.option, f.value) == (option, value))
        return next((f.since for f in floors if at_least(release, f.since) is False), "")

    def framework_value(self, recorded: str) -> str:
        """The --framework number for what a model records: its name or the number itself."""
        for framework in self.frameworks:
            if recorded == framework.value or recorded in framework.names:
                return framework.value
        return ""

    def release_of_program(self, program: str) -> str:
        """The release named in the path of a recorded atc, empty when there is none."""
        found = re.search(self.program_release, program[:4096])
        return found["release"] if found else ""


class _OptionFile(_Strict, frozen=True):
    schema_version: int
    about: str
    options: tuple[AtcOption, ...]


_T = TypeVar("_T")


def _load(path: Path, kind: type[_T]) -> _T:
    try:
        return msgspec.json.decode(path.read_bytes(), type=kind)
    except (OSError, msgspec.DecodeError) as error:
        raise DataError(f"{path.name}: {error}") from error


@cache
def atc_options() -> dict[str, AtcOption]:
    """All options by name. Raises DataError when the manifest is damaged."""
    file = _load(manifests_dir() / "atc" / "options.json", _OptionFile)
    return {option.name: option for option in file.options}


@cache
def atc_rules() -> AtcRules:
    """The rules for rebuilding. Raises DataError when the manifest is damaged."""
    return _load(manifests_dir() / "atc" / "rules.json", AtcRules)


def at_least(release: str, floor: str) -> bool | None:
    """Whether a release is `floor` or newer; None when `release` is no release number.

    "master" is newer than everything.
    """
    if not floor or release == "master":
        return True
    version, limit = CannVersion.parse(release), CannVersion.parse(floor)
    if version is None or limit is None:
        return None
    return version >= limit


def in_releases(release: str, since: str, until: str) -> bool:
    """Whether a release is known to lie between two, both included; empty means open."""
    if not at_least(release, since):
        return False
    return not until or bool(at_least(until, release))


def canonical_name(name: str) -> str:
    """The full option name behind what was typed: dashes, old spellings, unique beginnings.

    `--input-shape` is input_shape and `--check` is check_report (facts/atc-options.json
    parser_rules). A name that is unknown or ambiguous comes back with underscores only.
    """
    plain = name.replace("-", "_")
    known = atc_options()
    if plain in known:
        return plain
    longer = [full for full in known if full.startswith(plain)] if plain else []
    return longer[0] if len(longer) == 1 else plain


def normalise(options: tuple[tuple[str, str | None], ...]) -> dict[str, str | None]:
    """Options by full name in first-seen order; of several the last one counts, as in atc."""
    result: dict[str, str | None] = {}
    for name, value in options:
        result[canonical_name(name)] = value
    return result
