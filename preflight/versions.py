"""Version numbers of CANN, and the comparisons that loaders and installers make with them.

Three different comparisons exist and must not be mixed:

- `CannVersion` orders release names the way people mean them (alpha < beta < rc < release);
- `loader_number` and friends are the loader's own arithmetic on "major.minor" (spec/om-format.md
  §D.4), which is not an order of versions at all: 6.10 lies below 6.3 there;
- `VersionRange` is what package installers test (`required_package_*`, §E.2): components are
  compared only as far as the requirement has them, so "<=7.7" includes 7.7.0.1.238.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import total_ordering
from typing import Literal, NamedTuple

from preflight.errors import PreflightError

# ASCII white space as the C++ library and the loader's trim see it.
SPACE = " \t\n\v\f\r"
_U32 = 1 << 32


class InvalidVersion(PreflightError):
    """A text is not a version number of any known CANN form."""


# Order of what may stand in one place of a version. `END` is where a shorter version stops:
# everything below it is a step towards the release, everything above it refines the release.
_RANKS = {"t": 0, "alpha": 1, "beta": 2, "rc": 3, "pre": 4, "spc": 6, "b": 7}
_END = (5, 0)
_NUMBER_RANK = 8
_COMPONENT = re.compile(r"(?P<number>[0-9]+)|(?P<word>alpha|beta|rc|pre|spc|t|b)(?P<count>[0-9]*)")
_MAX_TEXT = 128


def _split_version(text: str) -> tuple[tuple[int, int], ...]:
    """The comparable components of a version; raises InvalidVersion."""
    body = text.strip().lower().removesuffix(".")
    if not body or len(body) > _MAX_TEXT or not body[0].isdigit():
        raise InvalidVersion(
            f"{text[:_MAX_TEXT]!r} is not a CANN version number",
            hint="versions look like 8.1.RC1, 8.5.0, 9.1.0-beta.1 or 7.7.0.1.238",
        )
    parts: list[tuple[int, int]] = []
    open_word: int | None = None  # a word that still waits for its number, as in "beta.1"
    for piece in re.split(r"[.-]", body):
        match = _COMPONENT.fullmatch(piece)
        if match is None:
            raise InvalidVersion(f"{text!r}: {piece!r} is not a part of a CANN version number")
        if match["number"] is not None:
            if open_word is not None:
                parts[-1] = (open_word, int(match["number"]))
            else:
                parts.append((_NUMBER_RANK, int(match["number"])))
            open_word = None
        else:
            rank = _RANKS[match["word"]]
            parts.append((rank, int(match["count"] or 0)))
            waits = match["count"] == "" and match["word"] in ("alpha", "beta", "rc")
            open_word = rank if waits else None
    return tuple(parts)


@total_ordering
class CannVersion:
    """A public ("8.1.RC1", "9.1.0-beta.1") or internal ("7.7.0.1.238") version number.

    Ordered, hashable, and `str()` gives the text it was made from. Two spellings of one version
    are equal ("8.1.rc1" and "8.1.RC1"). `9.1.0.B060` is build 60 of 9.1.0, so it is not below it.
    Public and internal numbers are two series; comparing across them has no meaning (see
    `VersionPair`).
    """

    __slots__ = ("_key", "_text", "parts")

    def __init__(self, text: str) -> None:
        """Raises InvalidVersion when the text has none of the known forms."""
        self._text = text
        self.parts = _split_version(text)
        self._key = (*self.parts, _END)

    @classmethod
    def parse(cls, text: str) -> CannVersion | None:
        """Like the constructor, but None for a text that is no version."""
        try:
            return cls(text)
        except InvalidVersion:
            return None

    def __str__(self) -> str:
        return self._text

    def __repr__(self) -> str:
        return f"CannVersion({self._text!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, CannVersion) and self._key == other._key

    def __lt__(self, other: CannVersion) -> bool:
        return self._key < other._key

    def __hash__(self) -> int:
        return hash(self._key)

    @property
    def numbers(self) -> tuple[int, ...]:
        """The leading plain numbers: (8, 1) of 8.1.RC1."""
        found = []
        for rank, value in self.parts:
            if rank != _NUMBER_RANK:
                break
            found.append(value)
        return tuple(found)

    @property
    def major_minor(self) -> tuple[int, int]:
        """The first two numbers; a missing one is 0."""
        major, minor = (*self.numbers, 0, 0)[:2]
        return major, minor

    @property
    def is_prerelease(self) -> bool:
        """True for alpha, beta, rc, T builds and .pre: anything on the way to a release."""
        return any(rank < _END[0] for rank, _ in self.parts)


class VersionPair(NamedTuple):
    """One release in both numberings (§E.1): 8.1.RC1 is internally 7.7.0.1.238.

    Either may be missing. From 8.5.0 on both are the same text.
    """

    public: CannVersion | None
    internal: CannVersion | None

    def __str__(self) -> str:
        public, internal = (str(v) if v is not None else "?" for v in (self.public, self.internal))
        return public if public == internal else f"{public} (internal {internal})"


# --- the loader's arithmetic (§D.4 steps 2 to 5, spec/corrections.md item 5) -------------------


def _read_u32(text: str) -> int | None:
    """What `stream >> uint32_t` followed by an end-of-input test makes of a text.

    Leading white space and one sign are accepted, a minus wraps modulo 2**32, anything behind the
    digits or a magnitude above 2**32-1 fails.
    """
    match = re.fullmatch(r"[ \t\n\v\f\r]*([+-]?)([0-9]+)", text)
    if match is None:
        return None
    digits = match[2].lstrip("0")
    if len(digits) > 10 or int(digits or "0") >= _U32:
        return None
    value = int(digits or "0")
    return (-value) % _U32 if match[1] == "-" else value


def loader_number(text: str, padded: bool) -> int | None:
    """The number by which the loader compares "major.minor…"; None when it refuses the text.

    `padded`: the minor part is filled with zeros on the right to five characters (releases from
    9.1). Examples: 7.7.0.1.238 is 77 or 770000, 7.10 is 710 or 710000.
    """
    parts = text.split(".")
    if len(parts) < 2:
        return None
    minor = parts[1].ljust(5, "0") if padded else parts[1]
    return _read_u32(parts[0] + minor)


def parse_loader_ranges(text: str, padded: bool) -> tuple[tuple[int, int], ...] | None:
    """The closed intervals of a `required_opp_abi_version` value; None when the loader refuses it.

    An item ">=a" must be followed by "<=b"; any other item is a single point. Intervals may be
    empty (low above high): the loader does not mind.
    """
    items = [item.strip(SPACE) for item in text.replace('"', "").strip(SPACE).split(",")]
    ranges: list[tuple[int, int]] = []
    index = 0
    while index < len(items):
        item = items[index]
        if item.startswith(">="):
            if index + 1 >= len(items) or not items[index + 1].startswith("<="):
                return None
            low = loader_number(item[2:], padded)
            high = loader_number(items[index + 1][2:], padded)
            index += 2
        else:
            low = high = loader_number(item, padded)
            index += 1
        if low is None or high is None:
            return None
        ranges.append((low, high))
    return tuple(ranges)


def is_vendor_version_valid(
    opp_version: str, compiler_version: str, range_text: str | None, padded: bool
) -> bool:
    """The loader's test of embedded host libraries and of vendor packages against its ABI range.

    `range_text` is the value of `required_opp_abi_version`, None when the file or the key is
    absent. The range is parsed first, so a malformed one refuses everything, even when both
    versions are empty (spec/corrections.md item 6). Items of `compiler_version` are not trimmed.
    """
    if range_text is None:
        return True
    ranges = parse_loader_ranges(range_text, padded)
    if ranges is None:
        return False
    wanted = [opp_version] if opp_version else []
    wanted += compiler_version.split(",") if compiler_version else []
    numbers = [loader_number(text, padded) for text in wanted]
    return all(n is not None and any(a <= n <= b for a, b in ranges) for n in numbers)


# --- the installer's requirements (§E.2) ------------------------------------------------------

_Operator = Literal[">=", ">", "<=", "<", ""]
_OPERATORS: tuple[_Operator, ...] = (">=", ">", "<=", "<")
_NUMERIC = re.compile(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)")


def _compare_component(version: str, required: str) -> int:
    """-1, 0 or 1 for one component of a version against one of a requirement.

    Numbers compare as numbers; of "0-beta" against "0" only the leading number counts, as in the
    installer's script; against a word ("RC2") the comparison is textual.
    """
    if _NUMERIC.fullmatch(required.strip()) is None:
        return (version > required) - (version < required)
    match = _NUMERIC.match(version.strip())
    left, right = float(match[0]) if match else 0.0, float(required)
    return (left > right) - (left < right)


class VersionBound(NamedTuple):
    """One item of a requirement: an operator ("" = the version starts with this) and components."""

    operator: _Operator
    components: tuple[str, ...]

    def compare(self, version: str) -> int:
        """-1, 0 or 1 over the components of the bound; a shorter version counts as smaller."""
        parts = version.split(".")
        for index, required in enumerate(self.components):
            if required == "":
                continue
            if index >= len(parts):
                return -1
            order = _compare_component(parts[index], required)
            if order:
                return order
        return 0

    def holds(self, version: str) -> bool:
        """Does a version satisfy this item alone? "<=7.7" holds for 7.7.0.1.238."""
        order = self.compare(version)
        longer = len(version.split(".")) > len(self.components)
        return {
            ">=": order >= 0,
            ">": order > 0 or (order == 0 and longer),
            "<=": order <= 0,
            "<": order < 0,
            "": order == 0,
        }[self.operator]


class VersionRange:
    """The value of a `required_package_<name>_version` or `required_driver_*` key (§E.2).

    A comma list; ">" items pair with the "<" item that follows, everything else is an alternative.
    `bounds` are the items in order, quotes removed.
    """

    __slots__ = ("bounds", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self.bounds = tuple(_bounds(text))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, VersionRange) and self.bounds == other.bounds

    def __hash__(self) -> int:
        return hash(self.bounds)

    def __repr__(self) -> str:
        return f"VersionRange({self.text!r})"

    def __contains__(self, version: str | CannVersion) -> bool:
        text = str(version)
        lower: bool | None = None  # does the last ">" item hold? None: there is none open
        for bound in self.bounds:
            holds = bound.holds(text)
            if bound.operator.startswith(">"):
                lower = holds
            elif bound.operator.startswith("<"):
                if holds and lower is not False:
                    return True
                lower = None
            elif holds:
                return True
        return lower is True

    def __str__(self) -> str:
        return self.text.replace('"', "").strip()


def _bounds(text: str) -> Iterator[VersionBound]:
    for item in text.replace('"', "").split(","):
        body = item.strip(" ")
        operator: _Operator = next((op for op in _OPERATORS if body.startswith(op)), "")
        yield VersionBound(operator, tuple(body[len(operator) :].strip(" ").split(".")))
