"""Looks up error codes: numbers in any notation, names, message codes.

The facts are in `manifests/errors/catalogue.json`; a code that is not there is answered with the
range it falls in and the nearest known ones, never with a guess at its meaning.
"""

from __future__ import annotations

import re
from functools import cache

import msgspec

from preflight.data import manifests_dir
from preflight.errors import DataError
from preflight.explain.spelling import readings, resembling
from preflight.explain.types import CodeEntry, CodeExplanation, CodeRange, Spelling

_MESSAGE_CODE = re.compile(r"(?:ERR\d{5}|[EWI][0-9A-Z]\d{4})")
_SIGNED_32 = 1 << 32
_GE_SYSTEM_ID = 8  # sysid of the graph engine in the composed status numbers


class _Spelling(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    code: str
    releases: str
    note: str = ""


class _Code(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    code: str
    names: tuple[str, ...]
    layer: str
    meaning: str
    source: str
    hides: tuple[str, ...] = ()
    spellings: tuple[_Spelling, ...] = ()
    collect: tuple[str, ...] = ()
    arguments: tuple[str, ...] = ()
    since: str = ""
    until: str = ""
    load_relevant: bool = False


class _Range(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    low: int
    high: int
    layer: str
    what: str
    source: str


class _Letter(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    prefix: str
    layer: str
    what: str
    source: str


class _File(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    schema_version: int
    codes: tuple[_Code, ...]
    ranges: tuple[_Range, ...]
    letters: tuple[_Letter, ...]
    ge_modules: dict[str, str]
    ge_modules_source: str
    collect: dict[str, tuple[str, ...]]


@cache
def _file() -> _File:
    path = manifests_dir() / "errors" / "catalogue.json"
    try:
        return msgspec.json.decode(path.read_bytes(), type=_File)
    except (OSError, msgspec.DecodeError) as error:
        raise DataError(f"{path.name}: {error}", hint="install om-preflight again") from error


@cache
def entries() -> dict[str, CodeEntry]:
    """Every entry of the catalogue by its code, in the order of the file."""
    file = _file()
    return {c.code: _entry(c, file) for c in file.codes}


def _entry(code: _Code, file: _File) -> CodeEntry:
    return CodeEntry(
        code=code.code,
        names=code.names,
        number=int(code.code) if code.code.isdigit() else None,
        layer=code.layer,
        meaning=code.meaning,
        source=code.source,
        hides=code.hides,
        spellings=tuple(Spelling(s.code, s.releases, s.note) for s in code.spellings),
        collect=code.collect or file.collect.get(code.layer, ()),
        arguments=code.arguments,
        since=code.since,
        until=code.until,
        load_relevant=code.load_relevant,
    )


@cache
def _names() -> dict[str, str]:
    return {name.casefold(): e.code for e in entries().values() for name in e.names}


def parse_number(text: str) -> int | None:
    """A code written in decimal, hexadecimal or as a signed 32-bit number; None for other text."""
    body = text.strip().replace("_", "")
    sign = body.startswith("-")
    body = body.removeprefix("-")
    if re.fullmatch(r"0[xX][0-9a-fA-F]{1,16}", body):
        value = int(body, 16)
    elif re.fullmatch(r"[0-9]{1,20}", body):
        value = int(body)
    else:
        return None
    if sign:
        return _SIGNED_32 - value if 0 < value <= _SIGNED_32 // 2 else None
    return value


def find(text: str) -> CodeEntry | None:
    """The entry for a code in any notation, or None. 64-bit forms of negative numbers count too."""
    number = parse_number(text)
    if number is not None:
        if number >> 32 == 0xFFFFFFFF:
            number &= 0xFFFFFFFF
        return entries().get(str(number))
    bare = text.strip().strip("[]():,.")
    found = entries().get(bare.upper())
    if found is not None:
        return found
    return entries().get(_names().get(bare.casefold(), ""))


def lookup(text: str) -> CodeExplanation:
    """What is known about a code as somebody wrote it, without the rules (see `narrate`)."""
    entry = find(text)
    if entry is not None:
        return CodeExplanation(text, entry, _range_of(text, entry))
    meant = list(readings(text))
    for reading in meant:
        entry = find(reading)
        if entry is not None:
            return CodeExplanation(text, entry, _range_of(reading, entry))
    shown = meant[0] if meant else text
    return CodeExplanation(text, None, _range_of(shown, None), _nearest(shown))


def stranger(text: str) -> CodeEntry | None:
    """A code that is not in the catalogue but lies in a known range: only the range is told."""
    found = _range_of(text, None)
    if found is None:
        return None
    meaning = f"Not in the catalogue; {found.text}: {found.what}."
    number = parse_number(text)
    code = str(number) if number is not None else text.strip().upper()
    return CodeEntry(code, (), number, found.layer, meaning, found.source)


def _range_of(text: str, entry: CodeEntry | None) -> CodeRange | None:
    number = entry.number if entry is not None else parse_number(text)
    if number is not None:
        return _number_range(number)
    bare = (entry.code if entry is not None else text.strip()).upper()
    if _MESSAGE_CODE.fullmatch(bare):
        return _letter_range(bare, known=entry is not None)
    return None


def _number_range(number: int) -> CodeRange | None:
    for r in _file().ranges:
        if r.low <= number <= r.high:
            return CodeRange(f"{r.low} to {r.high}", r.layer, r.what, r.source)
    return _composed(number)


def _composed(number: int) -> CodeRange | None:
    """The graph engine's own status numbers carry their module (GE_ERRORNO_DEFINE)."""
    if number >> 28 != 0b0101 or (number >> 17) & 0xFF != _GE_SYSTEM_ID:
        return None
    module = (number >> 12) & 0x1F
    name = _file().ge_modules.get(str(module))
    if name is None:
        return None
    low = number & ~0xFFF
    what = f"a status of the graph engine, module {name}, value {number & 0xFFF}"
    return CodeRange(f"{low} to {low | 0xFFF}", "GE", what, _file().ge_modules_source)


def _letter_range(code: str, *, known: bool) -> CodeRange | None:
    fitting = [letter for letter in _file().letters if code.startswith(letter.prefix)]
    if not fitting:
        return None
    letter = max(fitting, key=lambda item: len(item.prefix))
    what = letter.what
    if not known and len(code) == 6 and code[2:].isdigit():
        internal = int(code[2:]) >= 9000
        what += ": an internal error" if internal else ": an error with a text for users"
    return CodeRange(f"{letter.prefix}…", letter.layer, what, letter.source)


def _nearest(text: str, limit: int = 3) -> tuple[CodeEntry, ...]:
    """Neighbours in number, then codes that are written nearly the same."""
    number = parse_number(text)
    bare = text.strip().upper()
    found: list[CodeEntry] = []
    if number is not None:
        numbered = [e for e in entries().values() if e.number]
        found = [e for e in numbered if abs((e.number or 0) - number) < 1000]
        found.sort(key=lambda e: (abs((e.number or 0) - number), e.number))
    elif _MESSAGE_CODE.fullmatch(bare):
        found = [e for e in entries().values() if e.number is None and e.code[:2] == bare[:2]]
        found.sort(key=lambda e: (-_common(e.code, bare), e.code))
    if not found:
        found = [entries()[code] for code in resembling(text, _ways_to_write(), limit)]
    return tuple(found[:limit])


@cache
def _ways_to_write() -> dict[str, str]:
    return {**_names(), **{code.casefold(): code for code in entries()}}


def _common(one: str, other: str) -> int:
    return next((i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), len(one))
