"""Conversions of constants as C++ makes them."""

from __future__ import annotations

import math

from preflight.errors import MalformedInput
from preflight.model.dtypes import UNDEFINED, dtype_number
from preflight.registry.cpp_expressions import Number, to_float32
from preflight.registry.cpp_tables import FLOATS, INTEGERS


def to_integer(value: Number, bits: int, *, signed: bool) -> int:
    """The value as an integer of that width: cut toward zero, wrapped around."""
    if isinstance(value, float) and not math.isfinite(value):
        raise MalformedInput("a number that is not finite cannot become an integer")
    whole = int(value) & ((1 << bits) - 1)
    return whole - (1 << bits) if signed and whole >> (bits - 1) else whole


def dtype_value(name: str) -> int:
    """The ge::DataType number, for `ATTR(dtype, Int, DT_FLOAT)`."""
    number = dtype_number(name)
    if number == UNDEFINED and name != "UNDEFINED":
        raise MalformedInput(f"'DT_{name}' is no data type")
    return number


def cast(cpp_type: str, value: Number) -> Number:
    """The value as a C++ type of cpp_tables. Raises MalformedInput for another type."""
    if cpp_type == "bool":
        return bool(value)
    if cpp_type in FLOATS:
        return to_float32(float(value)) if cpp_type == "float" else float(value)
    if cpp_type not in INTEGERS:
        raise MalformedInput(f"a cast to '{cpp_type}' is not understood")
    bits, signed = INTEGERS[cpp_type]
    return to_integer(value, bits, signed=signed)
