"""ACL and GE dump files: where the tensors lie in them (facts/dump-formats.md §1).

Version 2: length of a header message, the message `DumpData`, then the raw bytes of inputs,
outputs, buffers and space. Version 1: one `DumpData` with the data inside.
"""

from __future__ import annotations

import struct

from msgspec import Struct

from preflight.compare.tensors.decode import ElementType, element_type
from preflight.container.source import Source, SubSource
from preflight.container.wire import LENGTH, VARINT, WireField, scan_fields
from preflight.errors import MalformedInput

_MAX_HEADER = 64 << 20
_MAX_TENSORS = 65_536
_MAX_RANK = 64

# DumpData.data_type -> ge name; not the numbering of GE or ACL.
_DTYPES: tuple[str, ...] = (
    "UNDEFINED", "FLOAT", "FLOAT16", "INT8", "UINT8", "INT16", "UINT16", "INT32", "INT64",
    "UINT32", "UINT64", "BOOL", "DOUBLE", "STRING", "DUAL_SUB_INT8", "DUAL_SUB_UINT8",
    "COMPLEX64", "COMPLEX128", "QINT8", "QINT16", "QINT32", "QUINT8", "QUINT16", "RESOURCE",
    "STRING_REF", "DUAL", "VARIANT", "BF16", "INT4", "UINT1", "INT2", "UINT2", "COMPLEX32",
    "HIFLOAT8", "FLOAT8_E5M2", "FLOAT8_E4M3FN", "FLOAT8_E8M0", "FLOAT6_E3M2", "FLOAT6_E2M3",
    "FLOAT4_E2M1", "FLOAT4_E1M2", "HIFLOAT4", "HIFLOAT4_SCALE",
)  # fmt: skip

_OUTPUT, _INPUT, _BUFFER, _OP_NAME, _SPACE = 3, 4, 5, 6, 8
_DATA = {_OUTPUT: 5, _INPUT: 4, _BUFFER: 2, _SPACE: 2}
_SIZE = {_OUTPUT: 6, _INPUT: 5, _BUFFER: 3, _SPACE: 3}
_TYPE, _SHAPE, _ORIGINAL_OP = 1, 3, 4


class DumpedTensor(Struct, frozen=True):
    """One tensor of a dump file: `side` input or output, raw bytes at [offset, offset + size)."""

    side: str
    index: int
    dtype: str
    shape: tuple[int, ...]
    offset: int
    size: int
    origin: tuple[str, int] | None = None  # source node and its output, where the dump names one

    @property
    def kind(self) -> ElementType | None:
        """How to read the elements; None when that is not known."""
        return element_type(self.dtype)


class Dump(Struct, frozen=True):
    """A dump file: the operator it is about and its inputs and outputs."""

    op_name: str
    tensors: tuple[DumpedTensor, ...]


class _Entry(Struct):
    kind: int
    dtype: int = 0
    shape: tuple[int, ...] = ()
    size: int = 0
    inside: tuple[int, int] | None = None  # where the data is, in version 1
    origin: tuple[str, int] | None = None


def read_dump(source: Source) -> Dump:
    """Read the description of a dump file; no tensor data. Raises MalformedInput."""
    if source.size < 9:
        raise MalformedInput(f"{source.name}: too short for a dump file")
    length = struct.unpack("<Q", source.read(0, 8))[0]
    if 0 < length <= min(source.size - 8, _MAX_HEADER):
        try:
            return _read_version_2(source, length)
        except MalformedInput:
            if length > 0xFF:  # a version 1 file starts with a small tag and a length
                raise
    return _read_version_1(source)


def _read_version_2(source: Source, length: int) -> Dump:
    name, entries = _entries(SubSource(source, 8, length, source.name), 8)
    offset = 8 + length
    tensors: list[DumpedTensor] = []
    for kind in (_INPUT, _OUTPUT, _BUFFER, _SPACE):
        for index, entry in enumerate(e for e in entries if e.kind == kind):
            size = entry.size or _size_by_shape(entry)
            if offset + size > source.size:
                raise MalformedInput(
                    f"{source.name}: {_side(kind)} {index} needs {size} bytes at {offset}, "
                    f"the file has {source.size}"
                )
            if kind in (_INPUT, _OUTPUT):
                tensors.append(_tensor(entry, index, offset, size))
            offset += size
    if offset != source.size:
        raise MalformedInput(f"{source.name}: {source.size - offset} bytes behind the last tensor")
    return Dump(name, tuple(tensors))


def _read_version_1(source: Source) -> Dump:
    name, entries = _entries(SubSource(source, 0, source.size, source.name), 0)
    tensors: list[DumpedTensor] = []
    for kind in (_INPUT, _OUTPUT):
        for index, entry in enumerate(e for e in entries if e.kind == kind):
            offset, size = entry.inside or (0, 0)
            tensors.append(_tensor(entry, index, offset, size))
    return Dump(name, tuple(tensors))


def _tensor(entry: _Entry, index: int, offset: int, size: int) -> DumpedTensor:
    dtype = _DTYPES[entry.dtype] if entry.dtype < len(_DTYPES) else f"type {entry.dtype}"
    return DumpedTensor(_side(entry.kind), index, dtype, entry.shape, offset, size, entry.origin)


def _side(kind: int) -> str:
    return {_INPUT: "input", _OUTPUT: "output", _BUFFER: "buffer", _SPACE: "space"}[kind]


def _size_by_shape(entry: _Entry) -> int:
    """Some writers leave the size at 0; then shape and type give it."""
    if entry.kind not in (_INPUT, _OUTPUT) or entry.dtype >= len(_DTYPES):
        return 0
    kind = element_type(_DTYPES[entry.dtype])
    count = 1
    for dim in entry.shape:
        count *= dim
    return kind.size_of(count) if kind is not None and entry.shape else 0


def _entries(message: SubSource, base: int) -> tuple[str, list[_Entry]]:
    name = ""
    entries: list[_Entry] = []
    for found in scan_fields(message):
        if found.number == _OP_NAME and found.kind == LENGTH:
            name = message.read(found.offset, found.size).decode("utf-8", "replace")
        elif found.number in _DATA:
            if found.kind != LENGTH:
                raise MalformedInput(f"{message.name}: no dump description")
            if len(entries) >= _MAX_TENSORS:
                raise MalformedInput(f"{message.name}: more than {_MAX_TENSORS} tensors")
            inner = SubSource(message, found.offset, found.size, message.name)
            entries.append(_entry(inner, found.number, base + found.offset))
    return name, entries


def _entry(message: SubSource, kind: int, base: int) -> _Entry:
    entry = _Entry(kind)
    for found in scan_fields(message):
        if found.number == _DATA[kind] and found.kind == LENGTH:
            entry.inside = (base + found.offset, found.size)
        elif found.number == _SIZE[kind] and found.kind == VARINT:
            entry.size = found.value
        elif kind in (_INPUT, _OUTPUT):
            _describe(entry, message, found)
    return entry


def _describe(entry: _Entry, message: SubSource, found: WireField) -> None:
    if found.number == _TYPE and found.kind == VARINT:
        entry.dtype = found.value
    elif found.number == _SHAPE and found.kind == LENGTH:
        entry.shape = _dims(SubSource(message, found.offset, found.size, message.name))
    elif found.number == _ORIGINAL_OP and found.kind == LENGTH and entry.kind == _OUTPUT:
        entry.origin = _origin(SubSource(message, found.offset, found.size, message.name))


def _origin(message: SubSource) -> tuple[str, int] | None:
    """OriginalOp: name and output_index; None without a name."""
    name, index = "", 0
    for found in scan_fields(message):
        if found.number == 1 and found.kind == LENGTH:
            name = message.read(found.offset, found.size).decode("utf-8", "replace")
        elif found.number == 2 and found.kind == VARINT:
            index = found.value
    return (name, index) if name else None


def _dims(message: SubSource) -> tuple[int, ...]:
    """Shape.dim, packed or not."""
    dims: list[int] = []
    for found in scan_fields(message):
        if found.number != 1:
            continue
        if found.kind == VARINT:
            dims.append(found.value)
        elif found.kind == LENGTH:
            dims += _packed(message.read(found.offset, min(found.size, 10 * _MAX_RANK)))
        if len(dims) > _MAX_RANK:
            raise MalformedInput(f"{message.name}: a shape of more than {_MAX_RANK} dims")
    return tuple(dims)


def _packed(data: bytes) -> list[int]:
    numbers: list[int] = []
    value = shift = 0
    for byte in data:
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            numbers.append(value & ((1 << 64) - 1))
            value = shift = 0
    return numbers
