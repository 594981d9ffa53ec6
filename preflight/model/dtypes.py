"""Data types and formats: the three numberings of a data type, and format texts (§C.2).

Names and numbers are those of spec/enums.json, without the prefixes DT_ and FORMAT_.
"""

from __future__ import annotations

# Position = number in TensorDescriptor.dtype; value = (name, ge::DataType number).
_BY_PROTO: tuple[tuple[str, int], ...] = (
    ("UNDEFINED", 28),
    ("FLOAT", 0),
    ("FLOAT16", 1),
    ("INT8", 2),
    ("UINT8", 4),
    ("INT16", 6),
    ("UINT16", 7),
    ("INT32", 3),
    ("INT64", 9),
    ("UINT32", 8),
    ("UINT64", 10),
    ("BOOL", 12),
    ("DOUBLE", 11),
    ("STRING", 13),
    ("DUAL_SUB_INT8", 14),
    ("DUAL_SUB_UINT8", 15),
    ("COMPLEX64", 16),
    ("COMPLEX128", 17),
    ("QINT8", 18),
    ("QINT16", 19),
    ("QINT32", 20),
    ("QUINT8", 21),
    ("QUINT16", 22),
    ("RESOURCE", 23),
    ("STRING_REF", 24),
    ("DUAL", 25),
    ("VARIANT", 26),
    ("BF16", 27),
    ("INT4", 29),
    ("UINT1", 30),
    ("INT2", 31),
    ("UINT2", 32),
    ("COMPLEX32", 33),
    ("HIFLOAT8", 34),
    ("FLOAT8_E5M2", 35),
    ("FLOAT8_E4M3FN", 36),
    ("FLOAT8_E8M0", 37),
    ("FLOAT6_E3M2", 38),
    ("FLOAT6_E2M3", 39),
    ("FLOAT4_E2M1", 40),
    ("FLOAT4_E1M2", 41),
    ("HIFLOAT4", 42),
)

UNDEFINED = 28  # ge::DataType

_FORMATS: dict[str, int] = {
    "NCHW": 0,
    "NHWC": 1,
    "ND": 2,
    "NC1HWC0": 3,
    "FRACTAL_Z": 4,
    "NC1C0HWPAD": 5,
    "NHWC1C0": 6,
    "FSR_NCHW": 7,
    "FRACTAL_DECONV": 8,
    "C1HWNC0": 9,
    "FRACTAL_DECONV_TRANSPOSE": 10,
    "FRACTAL_DECONV_SP_STRIDE_TRANS": 11,
    "NC1HWC0_C04": 12,
    "FRACTAL_Z_C04": 13,
    "CHWN": 14,
    "FRACTAL_DECONV_SP_STRIDE8_TRANS": 15,
    "HWCN": 16,
    "NC1KHKWHWC0": 17,
    "BN_WEIGHT": 18,
    "FILTER_HWCK": 19,
    "HASHTABLE_LOOKUP_LOOKUPS": 20,
    "HASHTABLE_LOOKUP_KEYS": 21,
    "HASHTABLE_LOOKUP_VALUE": 22,
    "HASHTABLE_LOOKUP_OUTPUT": 23,
    "HASHTABLE_LOOKUP_HITS": 24,
    "C1HWNCoC0": 25,
    "MD": 26,
    "NDHWC": 27,
    "FRACTAL_ZZ": 28,
    "FRACTAL_NZ": 29,
    "NCDHW": 30,
    "DHWCN": 31,
    "NDC1HWC0": 32,
    "FRACTAL_Z_3D": 33,
    "CN": 34,
    "NC": 35,
    "DHWNC": 36,
    "FRACTAL_Z_3D_TRANSPOSE": 37,
    "FRACTAL_ZN_LSTM": 38,
    "FRACTAL_Z_G": 39,
    "RESERVED": 40,
    "ALL": 41,
    "NULL": 42,
    "ND_RNN_BIAS": 43,
    "FRACTAL_ZN_RNN": 44,
    "NYUV": 45,
    "NYUV_A": 46,
    "NCL": 47,
    "FRACTAL_Z_WINO": 48,
    "C1HWC0": 49,
    "FRACTAL_NZ_C0_16": 50,
    "FRACTAL_NZ_C0_32": 51,
    "FRACTAL_NZ_C0_2": 52,
    "FRACTAL_NZ_C0_4": 53,
    "FRACTAL_NZ_C0_8": 54,
}

RESERVED = 40
_FORMAT_NAMES = {number: name for name, number in _FORMATS.items()}
_GE_NAMES = {number: name for name, number in _BY_PROTO}
_GE_NUMBERS = dict(_BY_PROTO)


def dtype_name_from_proto(number: int) -> str:
    """The name for TensorDescriptor.dtype; unknown numbers are UNDEFINED, as in the loader."""
    return _BY_PROTO[number][0] if 0 <= number < len(_BY_PROTO) else "UNDEFINED"


def dtype_name(number: int) -> str:
    """The name for a ge::DataType number; "DT(<n>)" for one that no known release defines."""
    return _GE_NAMES.get(number, f"DT({number})")


def dtype_number(name: str) -> int:
    """The ge::DataType number of a name, 28 (UNDEFINED) when there is none."""
    return _GE_NUMBERS.get(name, UNDEFINED)


def dtype_proto_number(name: str) -> int:
    """The number that TensorDescriptor.dtype carries for a name; 0 when there is none."""
    return next((i for i, (known, _) in enumerate(_BY_PROTO) if known == name), 0)


def format_number(layout: str) -> int:
    """The format number for a layout text, sub-format included ("NC1HWC0:16" is 3 | 16 << 8).

    Texts that the loader does not know count as RESERVED (40).
    """
    name, colon, sub = layout.partition(":")
    number = _FORMATS.get(name)
    if number is None:
        return RESERVED
    if colon and sub.isascii() and sub.isdigit():
        return number | (int(sub[:5]) & 0xFFFF) << 8
    return number


def format_name(number: int) -> str:
    """The layout text for a format number of MODEL_INOUT_INFO."""
    name = _FORMAT_NAMES.get(number & 0xFF, f"FORMAT({number & 0xFF})")
    sub = (number >> 8) & 0xFFFF
    return f"{name}:{sub}" if sub else name
