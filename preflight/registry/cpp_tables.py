"""Names of the language and of ge that attribute defaults use."""

from __future__ import annotations

from preflight.registry.cpp_expressions import Number

LIMITS: dict[str, Number] = {
    "INT8_MIN": -(2**7),
    "INT8_MAX": 2**7 - 1,
    "UINT8_MAX": 2**8 - 1,
    "INT16_MIN": -(2**15),
    "INT16_MAX": 2**15 - 1,
    "UINT16_MAX": 2**16 - 1,
    "INT_MIN": -(2**31),
    "INT_MAX": 2**31 - 1,
    "INT32_MIN": -(2**31),
    "INT32_MAX": 2**31 - 1,
    "UINT_MAX": 2**32 - 1,
    "UINT32_MAX": 2**32 - 1,
    "INT64_MIN": -(2**63),
    "INT64_MAX": 2**63 - 1,
    "LONG_MIN": -(2**63),
    "LONG_MAX": 2**63 - 1,
    "LLONG_MIN": -(2**63),
    "LLONG_MAX": 2**63 - 1,
    "UINT64_MAX": 2**64 - 1,
    "ULONG_MAX": 2**64 - 1,
    "ULLONG_MAX": 2**64 - 1,
    "SIZE_MAX": 2**64 - 1,
    "FLT_MAX": 3.4028234663852886e38,
    "FLT_MIN": 1.1754943508222875e-38,
    "FLT_EPSILON": 1.1920928955078125e-07,
    "DBL_MAX": 1.7976931348623157e308,
    "DBL_MIN": 2.2250738585072014e-308,
    "DBL_EPSILON": 2.220446049250313e-16,
}

# C++ type -> (bits, signed); only conversions whose width can matter are narrowed.
INTEGERS: dict[str, tuple[int, bool]] = {
    "int8_t": (8, True),
    "uint8_t": (8, False),
    "int16_t": (16, True),
    "uint16_t": (16, False),
    "int": (32, True),
    "int32_t": (32, True),
    "unsigned": (32, False),
    "uint32_t": (32, False),
    "long": (64, True),
    "int64_t": (64, True),
    "size_t": (64, False),
    "uint64_t": (64, False),
}
FLOATS = frozenset({"float", "double"})
STRINGS = frozenset({"string", "AscendString"})
LIMITS_OF = {
    "int": "INT",
    "int8_t": "INT8",
    "uint8_t": "UINT8",
    "int16_t": "INT16",
    "uint16_t": "UINT16",
    "int32_t": "INT32",
    "uint32_t": "UINT32",
    "int64_t": "INT64",
    "uint64_t": "UINT64",
    "float": "FLT",
    "double": "DBL",
}

# list type -> type of its elements
LISTS = {
    "ListInt": "Int",
    "ListFloat": "Float",
    "ListBool": "Bool",
    "ListType": "Type",
    "ListString": "String",
    "ListListInt": "ListInt",
}
