from __future__ import annotations

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from preflight.container.inout import (
    STATUS_FAILED,
    STATUS_PARAM_INVALID,
    InOutInfo,
    TensorInfo,
    decode_inout,
)
from preflight.container.store_writer import write_inout

I32, I64 = st.integers(-(2**31), 2**31 - 1), st.integers(-(2**63), 2**63 - 1)
U64 = st.integers(0, 2**64 - 1)
LONGS = st.lists(I64, max_size=4).map(tuple)
TENSORS = st.lists(
    st.builds(
        TensorInfo,
        st.binary(max_size=8),
        U64,
        I32,
        I32,
        LONGS,
        LONGS,
        st.lists(st.tuples(I64, I64), max_size=3).map(tuple),
    ),
    max_size=3,
).map(tuple)
ROWS = st.lists(st.lists(U64, max_size=3).map(tuple), max_size=3).map(tuple)


@st.composite
def texts(draw: st.DrawFn) -> tuple[bytes, ...]:
    """Only what the loader's misplaced bound lets through: 8 n bytes at least."""
    found = tuple(draw(st.lists(st.binary(max_size=9), max_size=3)))
    fits = 8 * len(found) <= 4 + 4 * len(found) + sum(map(len, found))
    return found if fits else found[:1]


@given(
    st.builds(InOutInfo, TENSORS, TENSORS, st.lists(U64).map(tuple), ROWS, ROWS, texts(), texts())
)
def test_what_was_written_is_read(info: InOutInfo) -> None:
    assert decode_inout(write_inout(info)) == info


@given(st.binary(max_size=200))
def test_any_bytes_give_an_answer(data: bytes) -> None:
    decoded = decode_inout(data)
    assert decoded.ok is (decoded.status == 0)


def block(kind: int, value: bytes) -> bytes:
    return struct.pack("<II", kind, len(value)) + value


def tensor(name_len: int = 1, dims: int = 8, dims_v2: int = 8, ranges: int = 0) -> bytes:
    base = struct.pack("<QiiIIII", 24, 0, 0, name_len, dims, dims_v2, ranges)
    return struct.pack("<I", 1) + base + b"x" + struct.pack("<qq", 5, 5)


def test_lengths_that_are_no_multiple_shift_what_follows() -> None:
    decoded = decode_inout(block(0, tensor(dims=7)))
    assert (decoded.inputs[0].dims, decoded.inputs[0].dims_v2) == ((), (5,))


def test_repeated_blocks_add_up() -> None:
    assert len(decode_inout(block(1, tensor()) * 3).outputs) == 3


@pytest.mark.parametrize("stray", range(1, 8))
def test_stray_bytes_fail(stray: int) -> None:
    assert decode_inout(block(0, tensor()) + bytes(stray)).status == STATUS_PARAM_INVALID


def test_an_unknown_block_fails_otherwise() -> None:
    assert decode_inout(block(7, b"")).status == STATUS_FAILED


def test_three_short_texts_are_refused_by_the_misplaced_bound() -> None:
    three = struct.pack("<4I", 3, 1, 1, 1) + b"abc"
    assert not decode_inout(block(5, three)).ok
    two = struct.pack("<3I", 2, 5, 0) + b"0:1,2"
    assert decode_inout(block(6, two)).data_name_order == (b"0:1,2", b"")


def test_a_name_that_leaves_its_block_is_undefined() -> None:
    decoded = decode_inout(block(0, tensor(name_len=2**31)))
    assert decoded.undefined and not decoded.ok


def test_a_name_with_odd_bytes_can_be_shown() -> None:
    (only,) = decode_inout(block(0, tensor().replace(b"x", b"\xff"))).inputs
    assert (only.name, only.raw_name) == ("\\xff", b"\xff")


@pytest.mark.parametrize("count", [2, 2**32 - 1])
@pytest.mark.parametrize("kind", range(7))
def test_counts_larger_than_the_bytes(kind: int, count: int) -> None:
    assert not decode_inout(block(kind, struct.pack("<I", count) + bytes(4))).ok
