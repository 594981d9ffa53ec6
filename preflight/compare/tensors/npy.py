"""Headers of .npy files, read by a parser of their own: nothing from the file is evaluated.

Format: magic, version, header length, then a Python dictionary text with exactly the keys `descr`,
`fortran_order` and `shape`.
"""

from __future__ import annotations

import re
import struct

from msgspec import Struct

from preflight.compare.tensors.decode import ElementType, element_type
from preflight.container.source import Source
from preflight.errors import MalformedInput

_MAGIC = b"\x93NUMPY"
_MAX_HEADER = 1 << 16
_MAX_RANK = 64
_HEADER = re.compile(
    r"""\s*\{\s*
    (?:'descr'\s*:\s*'(?P<descr>[<>|=]?[A-Za-z]+\d*)'\s*,?\s*
      |'fortran_order'\s*:\s*(?P<order>True|False)\s*,?\s*
      |'shape'\s*:\s*\((?P<shape>[0-9,\sL]*)\)\s*,?\s*){3}
    \}\s*""",
    re.VERBOSE,
)
_KINDS = {"f": "float", "i": "int", "u": "uint", "c": "complex", "b": "bool"}


class NpyHeader(Struct, frozen=True):
    """`offset` is where the numbers start; `shape` is in the order of the file's axes."""

    kind: ElementType
    shape: tuple[int, ...]
    big_endian: bool
    fortran_order: bool
    offset: int


def is_npy(source: Source) -> bool:
    """Whether the bytes start like an array file."""
    return source.size >= 10 and source.read(0, 6) == _MAGIC


def read_npy_header(source: Source) -> NpyHeader:
    """Read and check the header. Raises MalformedInput when it is not understood."""
    if not is_npy(source):
        raise MalformedInput(f"{source.name}: not an array file")
    major = source.read(6, 1)[0]
    if major not in (1, 2, 3):
        raise MalformedInput(f"{source.name}: array file version {major} is not known")
    width, code = (2, "<H") if major == 1 else (4, "<I")
    length = struct.unpack(code, source.read(8, width))[0]
    if length > _MAX_HEADER:
        raise MalformedInput(f"{source.name}: a header of {length} bytes")
    text = source.read(8 + width, length).decode("utf-8", "replace")
    match = _HEADER.fullmatch(text)
    if match is None or None in (match["descr"], match["order"], match["shape"]):
        raise MalformedInput(f"{source.name}: the array header is not understood")
    kind = _element_type(match["descr"])
    if kind is None:
        raise MalformedInput(f"{source.name}: elements of type '{match['descr']}' are not known")
    shape = _shape(match["shape"], source.name)
    return NpyHeader(
        kind, shape, match["descr"][0] == ">", match["order"] == "True", 8 + width + length
    )


def _element_type(descr: str) -> ElementType | None:
    parts = re.fullmatch(r"[<>|=]?([A-Za-z]+)(\d*)", descr)
    if parts is None:
        return None
    letters, digits = parts.groups()
    if letters == "bfloat":  # ml_dtypes writes 'bfloat16' without a byte order
        return element_type("bfloat16")
    if letters == "V" and digits == "2":
        return None  # could be any two bytes
    if letters not in _KINDS or not digits:
        return None
    if letters == "b":
        return element_type("bool") if digits == "1" else None
    return element_type(f"{_KINDS[letters]}{int(digits) * 8}")


def _shape(text: str, name: str) -> tuple[int, ...]:
    parts = [p.strip().rstrip("L") for p in text.split(",") if p.strip()]
    if len(parts) > _MAX_RANK or any(not p.isdecimal() or len(p) > 18 for p in parts):
        raise MalformedInput(f"{name}: the array shape ({text}) is not understood")
    return tuple(int(p) for p in parts)
