"""Tensor files for tests: arrays, raw files with descriptions, ACL dumps."""

from __future__ import annotations

import json
import struct
from collections.abc import Sequence
from pathlib import Path

from preflight.container.wire import encode_field

DUMP_TYPES = {
    "FLOAT": (1, "f"),
    "FLOAT16": (2, "e"),
    "INT32": (7, "i"),
    "BF16": (27, ""),
    "INT4": (28, ""),
}


def npy(
    values: Sequence[float], shape: tuple[int, ...], descr: str = "<f4", order: bool = False
) -> bytes:
    """An array file; `values` in the order in which they are stored."""
    head = f"{{'descr': '{descr}', 'fortran_order': {order}, 'shape': {shape!r}, }}"
    head = head.ljust(117) + "\n"
    code = {"f4": "f", "f2": "e", "f8": "d", "i4": "i", "i8": "q", "u1": "B", "b1": "?"}[descr[-2:]]
    mark = ">" if descr[0] == ">" else "<"
    body = struct.pack(f"{mark}{len(values)}{code}", *values)
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode() + body


def described(folder: Path, name: str, raw: bytes, **description: object) -> None:
    """A .bin file with its description beside it."""
    (folder / name).write_bytes(raw)
    (folder / f"{name}.json").write_text(json.dumps(description))


def raw_values(dtype: str, values: Sequence[float]) -> bytes:
    """Numbers as a device writes them."""
    if dtype == "BF16":
        return b"".join(struct.pack("<f", v)[2:] for v in values)
    return struct.pack(f"<{len(values)}{DUMP_TYPES[dtype][1]}", *values)


def acl_dump(
    op_name: str,
    outputs: Sequence[tuple[str, tuple[int, ...], bytes]],
    inputs: Sequence[tuple[str, tuple[int, ...], bytes]] = (),
    *,
    sizes: bool = True,
    version: int = 2,
    origin: tuple[str, int] | None = None,
) -> bytes:
    """A dump file; `sizes` False leaves the size fields at 0, as one known writer does.

    `origin` is the source node that every output is from.
    """
    message = encode_field(1, b"2.0")
    source = b""
    if origin is not None:
        node = encode_field(1, origin[0].encode()) + encode_field(2, origin[1])
        source = encode_field(4, node)
    message += b"".join(encode_field(3, _tensor(t, 6, 5, sizes, version) + source) for t in outputs)
    message += b"".join(encode_field(4, _tensor(t, 5, 4, sizes, version)) for t in inputs)
    message += encode_field(6, op_name.encode())
    if version == 1:
        return message
    body = b"".join(raw for _, _, raw in (*inputs, *outputs))
    return struct.pack("<Q", len(message)) + message + body


def _tensor(
    tensor: tuple[str, tuple[int, ...], bytes], size: int, data: int, sizes: bool, version: int
) -> bytes:
    dtype, shape, raw = tensor
    dims = b"".join(encode_field(1, dim) for dim in shape)
    text = encode_field(1, DUMP_TYPES[dtype][0]) + encode_field(3, dims)
    if sizes:
        text += encode_field(size, len(raw))
    return text + (encode_field(data, raw) if version == 1 else b"")
