"""Raw bytes to numbers, chunk by chunk: the data types that dumps and array files hold.

Numbers are Python floats and ints, so that sums are double precision and integers exact. 8-bit
floats and 4-bit integers are looked up in tables; HIFLOAT8 and other sub-byte types have no
decoder, such tensors are compared byte by byte.
"""

from __future__ import annotations

import math
import struct
from array import array
from collections.abc import Callable, Sequence
from functools import cache

from msgspec import Struct

Numbers = Sequence[int] | Sequence[float]


class ElementType(Struct, frozen=True):
    """A data type by its ge name. `width` is bytes per element; `parts` numbers per element.

    `code` is the struct code of one number, empty for bfloat16, which is widened by hand, for types
    with a table, and for types without a decoder (`readable` is False). Of the 4-bit types one
    element is a byte with two numbers.
    """

    name: str
    width: int
    code: str = ""
    parts: int = 1

    @property
    def readable(self) -> bool:
        return bool(self.code) or self.name == "BF16" or self.name in _TABLES

    @property
    def is_float(self) -> bool:
        return self.code in ("e", "f", "d") or self.name == "BF16" or self.name in _TABLES

    def size_of(self, numbers: int) -> int:
        """Bytes of a tensor with that many numbers (a complex one counts as one)."""
        return -(-numbers // 2) if self.name == "INT4" else numbers * self.width


_TYPES = (
    ElementType("FLOAT", 4, "f"),
    ElementType("FLOAT16", 2, "e"),
    ElementType("BF16", 2),
    ElementType("DOUBLE", 8, "d"),
    ElementType("INT8", 1, "b"),
    ElementType("UINT8", 1, "B"),
    ElementType("INT16", 2, "h"),
    ElementType("UINT16", 2, "H"),
    ElementType("INT32", 4, "i"),
    ElementType("UINT32", 4, "I"),
    ElementType("INT64", 8, "q"),
    ElementType("UINT64", 8, "Q"),
    ElementType("BOOL", 1, "B"),
    ElementType("QINT8", 1, "b"),
    ElementType("QUINT8", 1, "B"),
    ElementType("QINT16", 2, "h"),
    ElementType("QUINT16", 2, "H"),
    ElementType("QINT32", 4, "i"),
    ElementType("COMPLEX32", 4, "e", 2),
    ElementType("COMPLEX64", 8, "f", 2),
    ElementType("COMPLEX128", 16, "d", 2),
    ElementType("HIFLOAT8", 1),
    ElementType("FLOAT8_E5M2", 1),
    ElementType("FLOAT8_E4M3FN", 1),
    ElementType("FLOAT8_E8M0", 1),
    ElementType("INT4", 1, parts=2),
)
ELEMENT_TYPES: dict[str, ElementType] = {t.name: t for t in _TYPES}

# Names that array files and descriptions use.
ALIASES: dict[str, str] = {
    "float": "FLOAT",
    "float32": "FLOAT",
    "fp32": "FLOAT",
    "float16": "FLOAT16",
    "fp16": "FLOAT16",
    "half": "FLOAT16",
    "bfloat16": "BF16",
    "bf16": "BF16",
    "float64": "DOUBLE",
    "double": "DOUBLE",
    "complex64": "COMPLEX64",
    "complex128": "COMPLEX128",
    "bool": "BOOL",
    "int4": "INT4",
    "float8_e5m2": "FLOAT8_E5M2",
    "float8_e4m3fn": "FLOAT8_E4M3FN",
    "float8_e8m0": "FLOAT8_E8M0",
    **{
        f"{sign}int{bits}": f"{sign}int{bits}".upper()
        for sign in ("", "u")
        for bits in (8, 16, 32, 64)
    },
}


def element_type(name: str) -> ElementType | None:
    """The type of that name: "FLOAT16", "DT_FLOAT16", "float16"; None when it is not known."""
    plain = name.removeprefix("DT_")
    return ELEMENT_TYPES.get(plain) or ELEMENT_TYPES.get(ALIASES.get(plain.lower(), ""))


def decoder(kind: ElementType, big_endian: bool = False) -> Callable[[bytes], Numbers]:
    """A function from raw bytes (a whole number of elements) to numbers."""
    if kind.name == "BF16":
        return _widen_big if big_endian else _widen_little
    if kind.name in _TABLES:
        return _lookup(kind.name)
    order, code, width = (">" if big_endian else "<"), kind.code, struct.calcsize(kind.code)
    return lambda data: struct.unpack(f"{order}{len(data) // width}{code}", data)


def _lookup(name: str) -> Callable[[bytes], Numbers]:
    table = _table(name)
    if name == "INT4":
        return lambda data: [number for byte in data for number in table[byte]]
    return lambda data: [table[byte][0] for byte in data]


@cache
def _table(name: str) -> tuple[tuple[float, ...], ...]:
    """The numbers that each of the 256 bytes stands for."""
    return tuple(_TABLES[name](byte) for byte in range(256))


def _e5m2(byte: int) -> tuple[float, ...]:
    """The upper half of a float16."""
    number: float = struct.unpack("<e", bytes((0, byte)))[0]
    return (number,)


def _e4m3fn(byte: int) -> tuple[float, ...]:
    """Bias 7, no infinities; all ones is the only NaN."""
    sign = -1.0 if byte & 0x80 else 1.0
    exponent, fraction = (byte >> 3) & 15, byte & 7
    if (exponent, fraction) == (15, 7):
        return (math.nan,)
    if not exponent:
        return (sign * fraction * 2.0**-9,)
    return (sign * (8 + fraction) * 2.0 ** (exponent - 10),)


def _e8m0(byte: int) -> tuple[float, ...]:
    """A power of two without sign; the last code is NaN."""
    return (math.nan if byte == 0xFF else 2.0 ** (byte - 127),)


def _int4(byte: int) -> tuple[float, ...]:
    """Two signed numbers, the lower half first."""
    return tuple(half - 16 if half > 7 else half for half in (byte & 15, byte >> 4))


_TABLES: dict[str, Callable[[int], tuple[float, ...]]] = {
    "FLOAT8_E5M2": _e5m2,
    "FLOAT8_E4M3FN": _e4m3fn,
    "FLOAT8_E8M0": _e8m0,
    "INT4": _int4,
}


def _widen_little(data: bytes) -> Numbers:
    """bfloat16 is the upper half of a float32."""
    wide = bytearray(2 * len(data))
    wide[2::4] = data[0::2]
    wide[3::4] = data[1::2]
    return _native_floats(wide)


def _widen_big(data: bytes) -> Numbers:
    wide = bytearray(2 * len(data))
    wide[2::4] = data[1::2]
    wide[3::4] = data[0::2]
    return _native_floats(wide)


def _native_floats(little: bytearray) -> Numbers:
    import sys

    numbers = array("f")
    numbers.frombytes(little)
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers
