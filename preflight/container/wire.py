"""A minimal scanner of the protobuf wire format: the top level of one message, nothing decoded.

The container layer must find nested OMs in flow models and recognise bare model definitions without
protobuf. Sub-messages and byte fields are skipped, not read.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from preflight.container.source import Source
from preflight.errors import MalformedInput

MAX_FIELDS = 200_000  # top-level fields of one message
VARINT, FIXED64, LENGTH, FIXED32 = 0, 1, 2, 5
_WINDOW = 32  # bytes; holds a tag and a length, or a tag and a varint


class WireField(Struct, frozen=True):
    """One field: for LENGTH its bytes lie at [offset, offset + size); `value` holds varints.

    `start` is where its tag begins.
    """

    number: int
    kind: int
    offset: int
    size: int
    value: int = 0
    start: int = 0


def scan_fields(source: Source, limit: int = MAX_FIELDS) -> Iterator[WireField]:
    """The top-level fields in order; MalformedInput where the bytes are no protobuf message."""
    offset, count = 0, 0
    while offset < source.size:
        if count == limit:
            raise MalformedInput(f"{source.name}: more than {limit} fields at the top level")
        count += 1
        window = source.read(offset, min(_WINDOW, source.size - offset))
        tag, used = _varint(window, 0, source.name)
        number, kind = tag >> 3, tag & 7
        if number == 0 or tag >> 32:
            raise MalformedInput(f"{source.name}: field tag {tag} at {offset} is not possible")
        value, size, start = 0, 0, offset + used
        if kind == VARINT:
            value, after = _varint(window, used, source.name)
            size = after - used
        elif kind == LENGTH:
            size, after = _varint(window, used, source.name)
            start = offset + after
        elif kind in (FIXED64, FIXED32):
            size = 8 if kind == FIXED64 else 4
        else:
            raise MalformedInput(f"{source.name}: wire type {kind} at {offset} is not used here")
        if start + size > source.size:
            raise MalformedInput(f"{source.name}: field {number} at {offset} runs past the end")
        yield WireField(number, kind, start, size, value, offset)
        offset = start + size


def looks_like(source: Source, allowed: dict[int, int], required: set[int]) -> bool:
    """Whether the whole source is a message with only `allowed` fields (number -> wire type)."""
    seen = set()
    try:
        for field in scan_fields(source):
            if allowed.get(field.number) != field.kind:
                return False
            seen.add(field.number)
    except MalformedInput:
        return False
    return required <= seen


def encode_field(number: int, value: int | bytes) -> bytes:
    """One field on the wire: an int as varint, bytes with their length."""
    if isinstance(value, int):
        return encode_varint(number << 3 | VARINT) + encode_varint(value)
    return encode_varint(number << 3 | LENGTH) + encode_varint(len(value)) + value


def encode_varint(value: int) -> bytes:
    """Base-128 digits, lowest first; negative numbers as their 64-bit complement."""
    value &= (1 << 64) - 1
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def _varint(window: bytes, at: int, name: str) -> tuple[int, int]:
    value = 0
    for index in range(10):
        if at + index >= len(window):
            break
        byte = window[at + index]
        value |= (byte & 0x7F) << (7 * index)
        if byte < 0x80:
            return value & ((1 << 64) - 1), at + index + 1
    raise MalformedInput(f"{name}: a varint does not end")
