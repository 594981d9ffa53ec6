"""Builds the partitions that are no protobuf: stores, tiling data, input descriptions."""

from __future__ import annotations

import struct
from collections.abc import Sequence

from msgspec import Struct

from preflight.container.inout import InOutInfo, TensorInfo
from preflight.container.stores import CUSTOM_OP_MAGIC, STORE_MAGIC
from preflight.container.tiling import DATA, IDS, MAGIC, RUN_INFO, RUN_INFO_SIZE


class SoPart(Struct, frozen=True):
    """One host library to embed."""

    name: str
    vendor: str
    content: bytes
    bin_type: int = 0


def write_so_store(libraries: Sequence[SoPart], *, declared: int | None = None) -> bytes:
    """SO_BINS; `declared` overrides so_num."""
    out = [struct.pack("<I", len(libraries) if declared is None else declared)]
    for library in libraries:
        name, vendor = library.name.encode(), library.vendor.encode()
        lengths = (len(name), library.bin_type, len(vendor), len(library.content))
        out.append(struct.pack("<IHHII", STORE_MAGIC, *lengths) + name + vendor + library.content)
    return b"".join(out)


def write_kernel_store(kernels: Sequence[tuple[str, bytes]], *, magic: int = STORE_MAGIC) -> bytes:
    """TBE_KERNELS or CUST_AICPU_KERNELS from (name, body)."""
    return b"".join(
        struct.pack("<III", magic, len(name.encode()), len(body)) + name.encode() + body
        for name, body in kernels
    )


def write_custom_ops(ops: Sequence[tuple[str, bytes]]) -> bytes:
    """CUSTOM_OPS from (op type, serialized state)."""
    return write_kernel_store(ops, magic=CUSTOM_OP_MAGIC)


class TilingRecord(Struct, frozen=True):
    """An operator's run information with its tiling bytes and the ids that use it."""

    tiling_key: int
    block_dim: int
    data: bytes
    ids: tuple[int, ...]
    workspaces: tuple[int, ...] = ()


def write_tiling(records: Sequence[TilingRecord], *, version: int = 2) -> bytes:
    """TILING_DATA: per record an OpRunInfo, its tiling bytes and ids."""
    body = b""
    for record in records:
        fixed = struct.pack(
            "<QQI?3xiIII", record.tiling_key, len(record.data), record.block_dim,
            False, 0, 0, len(record.workspaces), 0,
        )  # fmt: skip
        info = fixed.ljust(RUN_INFO_SIZE, b"\0") + struct.pack(
            f"<{len(record.workspaces)}q", *record.workspaces
        )
        ids = struct.pack(f"<{len(record.ids)}q", *record.ids)
        for kind, value in ((RUN_INFO, info), (DATA, record.data), (IDS, ids)):
            body += struct.pack("<BI", kind, len(value)) + value
    return struct.pack("<III", MAGIC, version, len(body)) + body


def write_inout(info: InOutInfo) -> bytes:
    """MODEL_INOUT_INFO; blocks without content are left out, as Graph Engine does."""
    blocks: list[tuple[int, bytes]] = []
    for kind, tensors in ((0, info.inputs), (1, info.outputs)):
        if tensors:
            blocks.append((kind, _count(tensors) + b"".join(map(_tensor, tensors))))
    if info.dynamic_batch:
        batch = struct.pack(f"<{len(info.dynamic_batch)}Q", *info.dynamic_batch)
        blocks.append((2, _count(info.dynamic_batch) + batch))
    for kind, rows in ((3, info.dynamic_hw), (4, info.dynamic_dims)):
        if rows:
            blocks.append((kind, _rows(rows)))
    for kind, texts in ((5, info.dynamic_output_shape), (6, info.data_name_order)):
        if texts:
            lengths = struct.pack(f"<{len(texts)}I", *map(len, texts))
            blocks.append((kind, _count(texts) + lengths + b"".join(texts)))
    return b"".join(struct.pack("<II", kind, len(value)) + value for kind, value in blocks)


def _count(values: Sequence[object]) -> bytes:
    return struct.pack("<I", len(values))


def _tensor(tensor: TensorInfo) -> bytes:
    flat = [bound for pair in tensor.shape_range for bound in pair]
    name, longs = tensor.raw_name, (tensor.dims, tensor.dims_v2, flat)
    base = struct.pack(
        "<QiiIIII", tensor.size, tensor.format, tensor.data_type, len(name),
        *(8 * len(values) for values in longs),
    )  # fmt: skip
    return base + name + b"".join(struct.pack(f"<{len(v)}q", *v) for v in longs)


def _rows(rows: Sequence[Sequence[int]]) -> bytes:
    lengths = struct.pack(f"<{len(rows)}I", *map(len, rows))
    return _count(rows) + lengths + b"".join(struct.pack(f"<{len(r)}Q", *r) for r in rows)
