"""Bytes to messages, with the loader's own idea of where a message ends (spec/corrections.md 10).

The loader parses from a stream and does not ask for the end of input: a zero tag or an unmatched
end-group tag at top level ends the message successfully, and what follows is ignored. Everything
else (UTF-8 in text fields, nesting of at most 100, wire types) is as strict here as there.
"""

from __future__ import annotations

from typing import Any

from preflight.model.schema import message_class

INT32_MAX = (1 << 31) - 1
_END_GROUP = 4
_START_GROUP = 3
_GROUP_DEPTH = 100  # protobuf's own limit


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
    from google.protobuf.message import DecodeError

    try:
        return message_class(kind).FromString(data)
    except (DecodeError, UnicodeDecodeError, RecursionError):
        # The pure-Python implementation reports bad text and deep nesting by the other two.
        return None


def _early_end(data: bytes) -> int | None:
    """Where a zero tag or an unmatched end-group tag ends the top level; None when none does."""
    position = 0
    try:
        while position < len(data):
            tag, after = _varint(data, position)
            if tag == 0 or tag & 7 == _END_GROUP:
                return position
            position = _skip(data, after, tag, 0)
    except _WireError:
        return None
    return None


def _skip(data: bytes, position: int, tag: int, depth: int) -> int:
    wire = tag & 7
    if wire == 0:
        return _varint(data, position)[1]
    if wire == 1:
        return _within(data, position + 8)
    if wire == 5:
        return _within(data, position + 4)
    if wire == 2:
        length, position = _varint(data, position)
        return _within(data, position + length)
    if wire == _START_GROUP and depth < _GROUP_DEPTH:
        return _skip_group(data, position, tag >> 3, depth + 1)
    raise _WireError


def _skip_group(data: bytes, position: int, number: int, depth: int) -> int:
    while True:
        tag, position = _varint(data, position)
        if tag & 7 == _END_GROUP:
            if tag >> 3 != number:
                raise _WireError
            return position
        position = _skip(data, position, tag, depth)


def _within(data: bytes, position: int) -> int:
    if position > len(data):
        raise _WireError
    return position


def _varint(data: bytes, position: int) -> tuple[int, int]:
    value = 0
    for shift in range(0, 70, 7):
        if position >= len(data):
            raise _WireError
        byte = data[position]
        position += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, position
    raise _WireError
