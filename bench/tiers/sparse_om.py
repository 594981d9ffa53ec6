"""Makes a model whose weights partition is a hole of any size, from a bundled sample."""

from __future__ import annotations

import struct
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
HEADER, MODEL_LENGTH_AT, ENTRY = 256, 184, 24
WEIGHTS_DATA = 1


def write_sparse_om(path: Path, weights: int) -> None:
    """Copy the sample with its weights partition replaced by `weights` zero bytes (not written)."""
    sample = (ROOT / "samples" / "resnet_static_310P3.om").read_bytes()
    (count,) = struct.unpack_from("<I", sample, HEADER)
    table = bytearray(sample[HEADER : HEADER + 8 + ENTRY * count])
    header = bytearray(sample[:HEADER])
    read_at = write_at = HEADER + len(table)
    offset = 0
    with path.open("wb") as out:
        for i in range(count):
            kind, _, _, size = struct.unpack_from("<IIQQ", sample, HEADER + 8 + ENTRY * i)
            new_size = weights if kind == WEIGHTS_DATA else size
            struct.pack_into("<IIQQ", table, 8 + ENTRY * i, kind, 0, offset, new_size)
            if kind != WEIGHTS_DATA:
                out.seek(write_at)
                out.write(sample[read_at : read_at + size])
            read_at, write_at, offset = read_at + size, write_at + new_size, offset + new_size
        struct.pack_into("<Q", header, MODEL_LENGTH_AT, write_at - HEADER)
        out.truncate(write_at)
        out.seek(0)
        out.write(header + table)
