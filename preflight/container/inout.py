"""MODEL_INOUT_INFO: the description of inputs and outputs, decoded as the loader does (§A.9).

The quirks of corrections 23 are kept on purpose: what this refuses, the description query refuses.
Loading a model does not depend on it.
"""

from __future__ import annotations

import struct

from msgspec import Struct, field

INPUT_DESC, OUTPUT_DESC, DYNAMIC_BATCH, DYNAMIC_HW, DYNAMIC_DIMS = range(5)
DYNAMIC_OUTPUT_SHAPE, SHAPE_ORDER = 5, 6
STATUS_OK = 0
STATUS_PARAM_INVALID = 1343225857  # ge::PARAM_INVALID, every failed assertion
STATUS_FAILED = 0xFFFFFFFF  # ge::FAILED, a block type that is not known

_TLV = struct.Struct("<II")  # type, length
_BASE = struct.Struct("<QiiIIII")  # size, format, dtype, bytes of name, dims, dimsV2, ranges


class TensorInfo(Struct, frozen=True):
    """One input or output; `data_type` in the ge numbering, `format` as stored."""

    raw_name: bytes
    size: int
    format: int
    data_type: int
    dims: tuple[int, ...]
    dims_v2: tuple[int, ...]
    shape_range: tuple[tuple[int, int], ...]

    @property
    def name(self) -> str:
        return self.raw_name.decode("utf-8", "backslashreplace")


class InOutInfo(Struct, frozen=True):
    """Everything the partition says. `problem` is empty when the query succeeds.

    `status` is Graph Engine's own (0, PARAM_INVALID or FAILED; the caller sees 500002 for both).
    `undefined`: the query reads outside its bytes first, so that it may also crash.
    """

    inputs: tuple[TensorInfo, ...] = ()
    outputs: tuple[TensorInfo, ...] = ()
    dynamic_batch: tuple[int, ...] = ()
    dynamic_hw: tuple[tuple[int, ...], ...] = ()
    dynamic_dims: tuple[tuple[int, ...], ...] = ()
    dynamic_output_shape: tuple[bytes, ...] = ()
    data_name_order: tuple[bytes, ...] = ()
    problem: str = ""
    status: int = STATUS_OK
    undefined: bool = False

    @property
    def ok(self) -> bool:
        return not self.problem


class _Refused(Exception):
    """Ends the decoding; the words become `InOutInfo.problem`."""

    def __init__(self, problem: str, status: int = STATUS_PARAM_INVALID, undefined: bool = False):
        super().__init__(problem)
        self.status = status
        self.undefined = undefined


class _State(Struct):
    inputs: list[TensorInfo] = field(default_factory=list)
    outputs: list[TensorInfo] = field(default_factory=list)
    dynamic_batch: list[int] = field(default_factory=list)
    dynamic_hw: list[tuple[int, ...]] = field(default_factory=list)
    dynamic_dims: list[tuple[int, ...]] = field(default_factory=list)
    dynamic_output_shape: list[bytes] = field(default_factory=list)
    data_name_order: list[bytes] = field(default_factory=list)

    def frozen(self, problem: str = "", status: int = 0, undefined: bool = False) -> InOutInfo:
        return InOutInfo(
            tuple(self.inputs),
            tuple(self.outputs),
            tuple(self.dynamic_batch),
            tuple(self.dynamic_hw),
            tuple(self.dynamic_dims),
            tuple(self.dynamic_output_shape),
            tuple(self.data_name_order),
            problem,
            status,
            undefined,
        )


def decode_inout(data: bytes) -> InOutInfo:
    """The partition's bytes decoded; never raises for content.

    Blocks may repeat and add up. Every byte must belong to a block.
    """
    state = _State()
    offset = 0
    try:
        while offset < len(data):
            if len(data) - offset < _TLV.size:
                raise _Refused(f"{len(data) - offset} bytes behind the last block")
            kind, length = _TLV.unpack_from(data, offset)
            offset += _TLV.size
            if length > len(data) - offset:
                raise _Refused(f"block of type {kind} claims {length} bytes")
            _block(state, kind, data[offset : offset + length])
            offset += length
    except _Refused as refused:
        return state.frozen(str(refused), refused.status, refused.undefined)
    return state.frozen()


def _block(state: _State, kind: int, value: bytes) -> None:
    match kind:
        case 0:
            _tensors(value, state.inputs)
        case 1:
            _tensors(value, state.outputs)
        case 2:
            state.dynamic_batch += _numbers(value)
        case 3:
            state.dynamic_hw += _rows(value)
        case 4:
            state.dynamic_dims += _rows(value)
        case 5:
            state.dynamic_output_shape += _strings(value)
        case 6:
            state.data_name_order += _strings(value)
        case _:
            raise _Refused(f"block type {kind} is not known", STATUS_FAILED)


def _need(value: bytes, end: int, what: str) -> None:
    if end > len(value):
        raise _Refused(f"{what} need {end} bytes of a block of {len(value)}")


def _count(value: bytes) -> int:
    _need(value, 4, "the count")
    count: int = struct.unpack_from("<I", value)[0]
    return count


def _tensors(value: bytes, into: list[TensorInfo]) -> None:
    count = _count(value)
    offset = 4
    for _ in range(count):
        _need(value, offset + _BASE.size, "tensor descriptions")
        size, layout, dtype, name_len, dims, dims_v2, ranges = _BASE.unpack_from(value, offset)
        offset += _BASE.size
        if offset + name_len > len(value):
            # The name is copied before its length is compared.
            raise _Refused(f"a name of {name_len} bytes leaves its block", undefined=True)
        name = value[offset : offset + name_len]
        offset += name_len
        first, offset = _longs(value, offset, dims, 1, "dims")
        second, offset = _longs(value, offset, dims_v2, 1, "dimsV2")
        pairs, offset = _longs(value, offset, ranges, 2, "shape ranges")
        both = tuple(zip(pairs[::2], pairs[1::2], strict=True))
        into.append(TensorInfo(name, size, layout, dtype, first, second, both))


def _longs(
    value: bytes, offset: int, length: int, group: int, what: str
) -> tuple[tuple[int, ...], int]:
    """Signed 64-bit numbers in whole groups; a rest of the length is checked, but not skipped."""
    _need(value, offset + length, what)
    count = length // (8 * group) * group
    return struct.unpack_from(f"<{count}q", value, offset), offset + 8 * count


def _numbers(value: bytes) -> tuple[int, ...]:
    count = _count(value)
    _need(value, 4 + 8 * count, "batch sizes")
    return struct.unpack_from(f"<{count}Q", value, 4)


def _rows(value: bytes) -> list[tuple[int, ...]]:
    count = _count(value)
    _need(value, 4 + 4 * count, "row lengths")
    offset = 4 + 4 * count
    rows = []
    for length in struct.unpack_from(f"<{count}I", value, 4):
        _need(value, offset + 8 * length, "rows")
        rows.append(struct.unpack_from(f"<{length}Q", value, offset))
        offset += 8 * length
    return rows


def _strings(value: bytes) -> list[bytes]:
    """Texts with their lengths in front; the bound of the lengths is the loader's misplaced one."""
    count = _count(value)
    _need(value, 8 * count, "text lengths")
    offset = 4 + 4 * count
    texts = []
    for length in struct.unpack_from(f"<{count}I", value, 4):
        _need(value, offset + length, "texts")
        texts.append(value[offset : offset + length])
        offset += length
    return texts
