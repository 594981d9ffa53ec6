"""What a shared library exports, looked up as the dynamic linker does it (ELF gABI, GNU hash).

Only 64-bit little-endian libraries are read, which is what every host of a CANN has. Section
headers do not count: a stripped library has none, and the linker does not look at them either.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Mapping

from msgspec import Struct

from preflight.errors import MalformedInput

_HEADER = struct.Struct("<16sHHIQQQIHHHHHH")
_SEGMENT = struct.Struct("<IIQQQQQQ")
_SYMBOL = struct.Struct("<IBBHQQ")
_PAIR = struct.Struct("<qQ")
_LOAD, _DYNAMIC = 1, 2  # p_type
_HASH, _STRTAB, _SYMTAB, _STRSZ, _GNU_HASH = 4, 5, 6, 10, 0x6FFFFEF5  # d_tag
_UNDEFINED = 0  # section index of a symbol that is needed, not given
_MAX_SEGMENTS = 256
_MAX_TAGS = 4096
_MAX_CHAIN = 1 << 16  # symbols of one bucket; real ones hold a few


class _Image(Struct, frozen=True):
    """The bytes of a library and where its segments lie: (address, offset, bytes in the file)."""

    data: bytes
    segments: tuple[tuple[int, int, int], ...]

    def at(self, address: int, size: int) -> bytes:
        """Bytes at a memory address; MalformedInput when the file does not have them."""
        for start, offset, length in self.segments:
            if start <= address and address + size <= start + length:
                found = self.data[offset + address - start :][:size]
                if len(found) == size:
                    return found
        raise MalformedInput(f"nothing in the library is loaded at {address:#x}")

    def number(self, address: int, form: str = "<I") -> int:
        value: int = struct.unpack(form, self.at(address, struct.calcsize(form)))[0]
        return value


def exported(data: bytes, names: Iterable[str]) -> frozenset[str]:
    """Which of the names the library defines for others.

    MalformedInput, with the reason, for what the dynamic linker cannot open at all.
    """
    image, tags = _open(data)
    find = _by_gnu_hash if _GNU_HASH in tags else _by_hash
    return frozenset(name for name in names if find(image, tags, name.encode()))


def _open(data: bytes) -> tuple[_Image, Mapping[int, int]]:
    if len(data) < _HEADER.size or not data.startswith(b"\x7fELF"):
        raise MalformedInput("no ELF header")
    if data[4] != 2 or data[5] != 1:
        raise MalformedInput("not a 64-bit little-endian library")
    ident, kind, _, _, _, table, _, _, _, entry_size, count, *_ = _HEADER.unpack_from(data)
    if kind != 3:
        raise MalformedInput("not a shared object")
    if entry_size != _SEGMENT.size or count > _MAX_SEGMENTS or len(ident) != 16:
        raise MalformedInput("no program headers")
    loaded, dynamic = [], (0, 0)
    for number in range(count):
        place = table + number * _SEGMENT.size
        if place + _SEGMENT.size > len(data):
            raise MalformedInput("the program headers leave the file")
        what, _, offset, address, _, length, *_ = _SEGMENT.unpack_from(data, place)
        if what == _LOAD:
            loaded.append((address, offset, length))
        elif what == _DYNAMIC:
            dynamic = (offset, length)
    return _Image(data, tuple(loaded)), _tags(data, *dynamic)


def _tags(data: bytes, offset: int, length: int) -> Mapping[int, int]:
    """The dynamic section up to its end mark."""
    tags: dict[int, int] = {}
    end = min(offset + length, len(data), offset + _MAX_TAGS * _PAIR.size)
    for place in range(offset, end - _PAIR.size + 1, _PAIR.size):
        tag, value = _PAIR.unpack_from(data, place)
        if tag == 0:
            break
        tags.setdefault(tag, value)
    if not {_STRTAB, _SYMTAB, _STRSZ} <= tags.keys() or not tags.keys() & {_HASH, _GNU_HASH}:
        raise MalformedInput("no dynamic symbols")
    return tags


def _by_gnu_hash(image: _Image, tags: Mapping[int, int], name: bytes) -> bool:
    table = tags[_GNU_HASH]
    buckets, first, words, _ = struct.unpack("<4I", image.at(table, 16))
    if not buckets:
        return False
    wanted = gnu_hash(name)
    starts = table + 16 + 8 * words
    index = image.number(starts + 4 * (wanted % buckets))
    chain = starts + 4 * buckets
    if index < first:
        return False
    for number in range(index, index + _MAX_CHAIN):
        found = image.number(chain + 4 * (number - first))
        if found | 1 == wanted | 1 and _defines(image, tags, number, name):
            return True
        if found & 1:
            return False
    raise MalformedInput("a hash chain without an end")


def _by_hash(image: _Image, tags: Mapping[int, int], name: bytes) -> bool:
    table = tags[_HASH]
    buckets = image.number(table)
    if not buckets:
        return False
    index = image.number(table + 8 + 4 * (sysv_hash(name) % buckets))
    for _ in range(_MAX_CHAIN):
        if not index:
            return False
        if _defines(image, tags, index, name):
            return True
        index = image.number(table + 8 + 4 * (buckets + index))
    raise MalformedInput("a hash chain without an end")


def _defines(image: _Image, tags: Mapping[int, int], index: int, name: bytes) -> bool:
    symbol = image.at(tags[_SYMTAB] + index * _SYMBOL.size, _SYMBOL.size)
    text, _, _, section, *_ = _SYMBOL.unpack(symbol)
    if section == _UNDEFINED or text + len(name) >= tags[_STRSZ]:
        return False
    return image.at(tags[_STRTAB] + text, len(name) + 1) == name + b"\0"


def gnu_hash(name: bytes) -> int:
    """The hash of DT_GNU_HASH."""
    value = 5381
    for byte in name:
        value = (value * 33 + byte) & 0xFFFFFFFF
    return value


def sysv_hash(name: bytes) -> int:
    """The hash of DT_HASH."""
    value = 0
    for byte in name:
        value = (value << 4) + byte
        high = value & 0xF0000000
        value = (value ^ high >> 24) & ~high & 0xFFFFFFFF
    return value


def write_library(machine: int, exports: Iterable[str]) -> bytes:
    """A minimal shared object that exports these names, for samples and tests; no code inside."""
    names = [name.encode() for name in exports]
    strings, places = b"\0", []
    for name in names:
        places.append(len(strings))
        strings += name + b"\0"
    symbols = bytes(_SYMBOL.size)
    symbols += b"".join(_SYMBOL.pack(place, 0x12, 0, 1, 0x40, 0) for place in places)
    links = [*range(2, len(names) + 1), 0] if names else []
    table = struct.pack(f"<{4 + len(links)}I", 1, len(names) + 1, 1 if names else 0, 0, *links)
    start = _HEADER.size + 2 * _SEGMENT.size
    at_strings = start + len(symbols)
    at_hash = -(-(at_strings + len(strings)) // 8) * 8
    at_tags = -(-(at_hash + len(table)) // 8) * 8
    tags = b"".join(
        _PAIR.pack(*pair)
        for pair in (
            (_HASH, at_hash), (_STRTAB, at_strings), (_SYMTAB, start), (_STRSZ, len(strings)),
            (11, _SYMBOL.size), (0, 0),
        )
    )  # fmt: skip
    size = at_tags + len(tags)
    ident = b"\x7fELF\x02\x01\x01" + bytes(9)
    sizes = (_HEADER.size, _SEGMENT.size, 2, 0, 0, 0)
    head = _HEADER.pack(ident, 3, machine, 1, 0, _HEADER.size, 0, 0, *sizes)
    head += _SEGMENT.pack(_LOAD, 6, 0, 0, 0, size, size, 0x1000)
    head += _SEGMENT.pack(_DYNAMIC, 6, at_tags, at_tags, at_tags, len(tags), len(tags), 8)
    body = head + symbols + strings
    return body.ljust(at_hash, b"\0") + table.ljust(at_tags - at_hash, b"\0") + tags
