"""Reads JSON the way the existing registry reader does: one value, whatever follows is ignored.

spec/corrections.md item 25: a byte order mark is accepted, trailing text (a second value, NUL
bytes) is not looked at, of duplicate keys the last one wins. NaN, Infinity, numbers that overflow
and lone surrogates are refused.
"""

from __future__ import annotations

import json
import math
import re
import stat
from pathlib import Path

from preflight.errors import MalformedInput, UnreadableInput

MAX_FILE_BYTES = 64 << 20  # the largest public operators.json is below 2 MB

_BLANKS = re.compile(r"[ \t\n\r]*")
_MAYBE_LONE = re.compile(r"\\u[dD][89a-fA-F]")


def read_bytes(path: Path) -> bytes:
    """The bytes of a registry file.

    Raises UnreadableInput when it is absent, too large or no regular file: a pipe or a device
    would never come to an end.
    """
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            raise UnreadableInput(f"{path}: cannot be read (not a regular file)")
        with path.open("rb") as stream:
            data = stream.read(MAX_FILE_BYTES + 1)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise UnreadableInput(f"{path}: cannot be read ({reason})") from error
    if len(data) > MAX_FILE_BYTES:
        raise MalformedInput(f"{path}: registry files are read up to {MAX_FILE_BYTES} bytes")
    return data


def first_value(data: bytes, name: str) -> object:
    """The first JSON value of `data`; `name` is the file for messages. Raises MalformedInput."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = _valid_prefix(data)
    start = _BLANKS.match(text)
    try:
        value, _ = _DECODER.raw_decode(text, start.end() if start else 0)
        if _MAYBE_LONE.search(text):
            json.dumps(value, ensure_ascii=False).encode()
    except (ValueError, RecursionError) as error:
        detail = "nested too deeply" if isinstance(error, RecursionError) else str(error)
        raise MalformedInput(f"{name}: not JSON ({detail})") from error
    return value


def _valid_prefix(data: bytes) -> str:
    """Text up to the first byte that is no UTF-8: it may lie after the value, unread."""
    text = data.decode("utf-8-sig", errors="surrogateescape")
    bad = next(i for i, c in enumerate(text) if "\udc80" <= c <= "\udcff")
    return text[:bad]


def _finite(text: str) -> float:
    value = float(text)
    if math.isinf(value):
        raise ValueError(f"number out of range: {text[:40]}")
    return value


def _no_constant(text: str) -> float:
    raise ValueError(f"{text} is no JSON number")


_DECODER = json.JSONDecoder(parse_float=_finite, parse_constant=_no_constant)
