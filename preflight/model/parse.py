"""Bytes to messages, with the loader's own idea of where a message ends (spec/corrections.md 10).

The loader parses from a stream and does not ask for the end of input: a zero tag or an unmatched
end-group tag at top level ends the message successfully, and what follows is ignored. Everything
else (UTF-8 in text fields, nesting of at most 100, wire types) is as strict here as there,
whichever implementation of protobuf is installed.
"""

from __future__ import annotations

from typing import Any

from preflight.model.schema import message_class

INT32_MAX = (1 << 31) - 1
MAX_NESTING = 100  # messages and groups inside one another, protobuf's own limit
MAX_FIELDS = 1_000_000  # top-level fields that are passed over in search of an early end
_VARINT, _FIXED64, _LENGTH, _START_GROUP, _END_GROUP, _FIXED32 = range(6)
_TAG_BYTES, _VARINT_BYTES = 5, 10


class _WireError(Exception):
    """The wire format is broken before an early end was found."""


def parse_message(kind: str, data: bytes) -> tuple[Any | None, int]:
    """Parse `data` as the loader does; (message, bytes that counted), or (None, 0) on failure.

    `kind` is a name that preflight.model.schema.message_class knows.
    """
    if len(data) > INT32_MAX:
        return None, 0
    whole = _parse(kind, data)
    if whole is not None:
        return whole, len(data)
    end = _early_end(data)
    if end is None:
        return None, 0
    head = _parse(kind, data[:end])
    return (head, end) if head is not None else (None, 0)


def _parse(kind: str, data: bytes) -> Any | None:
    from google.protobuf.internal import api_implementation
    from google.protobuf.message import DecodeError

    message = message_class(kind)
    # Pure-Python releases do not limit the depth, or let a group leave its parent.
    if api_implementation.Type() == "python" and not _is_well_nested(data, message.DESCRIPTOR):
        return None
    try:
        return message.FromString(data)
    except (DecodeError, UnicodeDecodeError):
        return None  # the pure-Python implementation reports bad text by the second


def _is_well_nested(data: bytes, descriptor: Any) -> bool:
    """Whether messages and groups end inside their parents and lie at most MAX_NESTING deep."""
    position = 0
    # (end, descriptor or None in a group, number of the group or 0)
    open_parts: list[tuple[int, Any, int]] = [(len(data), descriptor, 0)]
    try:
        while open_parts:
            end, kind, group = open_parts[-1]
            if position >= end:
                if position > end or group:
                    return False
                open_parts.pop()
                continue
            tag, position = _tag(data, position)
            number, wire = tag >> 3, tag & 7
            if wire == _END_GROUP:
                if number != group:
                    return False
                open_parts.pop()
            elif wire == _START_GROUP:
                open_parts.append((end, None, number))
            elif wire == _LENGTH:
                length, position = _varint(data, position)
                field = None if kind is None else kind.fields_by_number.get(number)
                if position + length > end:
                    return False
                if field is not None and field.message_type is not None:
                    open_parts.append((position + length, field.message_type, 0))
                else:
                    position += length
            else:
                position = _skip(data, position, tag, 0)
            if position > end or len(open_parts) > MAX_NESTING + 1:
                return False
    except _WireError:
        return False
    return True


def _early_end(data: bytes) -> int | None:
    """Where a zero tag or an unmatched end-group tag ends the top level; None when none does."""
    position = 0
    try:
        for _ in range(MAX_FIELDS):
            if position >= len(data):
                return None
            tag, after = _tag(data, position)
            if tag == 0 or tag & 7 == _END_GROUP:
                return position
            position = _skip(data, after, tag, 0)
    except _WireError:
        return None
    return None


def _skip(data: bytes, position: int, tag: int, depth: int) -> int:
    wire = tag & 7
    if wire == _VARINT:
        return _varint(data, position)[1]
    if wire == _FIXED64:
        return _within(data, position + 8)
    if wire == _FIXED32:
        return _within(data, position + 4)
    if wire == _LENGTH:
        length, position = _varint(data, position)
        return _within(data, position + length)
    if wire == _START_GROUP and depth < MAX_NESTING:
        return _skip_group(data, position, tag >> 3, depth + 1)
    raise _WireError


def _skip_group(data: bytes, position: int, number: int, depth: int) -> int:
    while True:
        tag, position = _tag(data, position)
        if tag & 7 == _END_GROUP:
            if tag >> 3 != number:
                raise _WireError
            return position
        position = _skip(data, position, tag, depth)


def _within(data: bytes, position: int) -> int:
    if position > len(data):
        raise _WireError
    return position


def _tag(data: bytes, position: int) -> tuple[int, int]:
    """A tag has at most five bytes, of which the loader keeps 32 bits."""
    value, after = _varint(data, position, _TAG_BYTES)
    return value & 0xFFFFFFFF, after


def _varint(data: bytes, position: int, limit: int = _VARINT_BYTES) -> tuple[int, int]:
    value = 0
    for shift in range(0, 7 * limit, 7):
        if position >= len(data):
            raise _WireError
        byte = data[position]
        position += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, position
    raise _WireError
