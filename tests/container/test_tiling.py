from __future__ import annotations

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from preflight.container.source import BytesSource
from preflight.container.store_writer import TilingRecord, write_tiling
from preflight.container.tiling import TilingData, read_tiling

I64 = st.integers(-(2**63), 2**63 - 1)
RECORDS = st.builds(
    TilingRecord,
    st.integers(0, 2**64 - 1),
    st.integers(0, 2**32 - 1),
    st.binary(max_size=20),
    st.lists(I64, max_size=3).map(tuple),
    st.lists(I64, max_size=3).map(tuple),
)


def tiling(data: bytes) -> TilingData:
    return read_tiling(BytesSource(data))


def raw(*records: tuple[int, bytes], magic: int = 0xDD776EFE, extra: int = 0) -> bytes:
    body = b"".join(struct.pack("<BI", kind, len(value)) + value for kind, value in records)
    return struct.pack("<III", magic, 2, len(body) + extra) + body


def info(workspaces: int = 0, size: int = 56) -> bytes:
    fixed = struct.pack("<QQI?3xiIII", 1, 0, 8, True, -1, 0, workspaces, 0)
    return fixed.ljust(size, b"\0")[:size]


@given(st.lists(RECORDS, min_size=1, max_size=4))
def test_records_come_back(records: list[TilingRecord]) -> None:
    read = tiling(write_tiling(records))
    assert read.ok and read.version == 2
    assert [
        (i.tiling_key, i.block_dim, i.tiling_size, i.workspace_num) for i in read.run_infos
    ] == [(r.tiling_key, r.block_dim, len(r.data), len(r.workspaces)) for r in records]
    assert (read.records, read.ids) == (3 * len(records), sum(len(r.ids) for r in records))


@pytest.mark.parametrize(
    "data",
    [
        raw((0, info())) + b"ignored",
        raw((0, info()), (1, b"bytes"), (2, bytes(8))),
        raw((0, info()), (1, b"")),
        raw((1, b"")),
        raw((0, info(1, 64))),
        raw((0, info(0, 70))),
        struct.pack("<III", 0xDD776EFE, 99, 0) + b"!",
    ],
)
def test_what_the_loader_accepts(data: bytes) -> None:
    assert tiling(data).problem == ""


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (struct.pack("<III", 0xDD776EFE, 2, 0), "12 bytes"),
        (b"", "0 bytes"),
        (raw((0, info()), extra=1), "do not fit"),
        (raw((0, info()), magic=1), "magic"),
        (raw((3, b"")), "record type 3"),
        (raw((1, b"x")), "without an OpRunInfo"),
        (raw((2, b"")), "without an OpRunInfo"),
        (raw((0, info()), (2, b""), (1, b"x")), "without an OpRunInfo"),
        (raw((0, info(size=55))), "too short"),
        (raw((0, info(workspaces=1))), "too short"),
        (raw((0, info(workspaces=2**32 - 1))), "too short"),
        (raw((0, info()), extra=4) + bytes(4), "are no record"),
        (raw((0, info()), extra=5) + b"\0\x01\0\0\0", "leaves the data"),
    ],
)
def test_what_the_loader_refuses(data: bytes, problem: str) -> None:
    assert problem in tiling(data).problem
