from __future__ import annotations

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from preflight.container.source import BytesSource
from preflight.container.store_writer import (
    SoPart,
    write_custom_ops,
    write_kernel_store,
    write_so_store,
)
from preflight.container.stores import (
    ItemStore,
    SoStore,
    read_custom_ops,
    read_kernel_store,
    read_so_store,
)
from tests.container.models import ELF_AARCH64

NAMES = st.text(max_size=12)
LIBRARY = SoPart("libhost.so", "opp/vendors/x", ELF_AARCH64)


def so(data: bytes) -> SoStore:
    return read_so_store(BytesSource(data))


def kernels(data: bytes) -> ItemStore:
    return read_kernel_store(BytesSource(data))


@given(st.lists(st.builds(SoPart, NAMES, NAMES, st.binary(min_size=1), st.integers(0, 65535))))
def test_libraries_come_back(parts: list[SoPart]) -> None:
    data = write_so_store(parts)
    store = so(data)
    assert store.ok and store.declared == len(parts)
    read = [SoPart(i.name, i.vendor, data[i.offset :][: i.size], i.bin_type) for i in store.items]
    assert read == parts


def test_a_library_is_described_without_its_body() -> None:
    (item,) = so(write_so_store([SoPart("a.so", "v", ELF_AARCH64, 3)])).items
    assert (item.machine, item.type_name, item.magic_ok) == ("aarch64", "custom_op", True)
    assert so(write_so_store([SoPart("a", "v", b"x", 9)])).items[0].type_name == "unknown_9"


@pytest.mark.parametrize("size", [1, 2, 3, 4])
def test_up_to_four_bytes_are_accepted(size: int) -> None:
    assert so(b"\xff" * size).ok


@pytest.mark.parametrize("size", [5, 20])
def test_a_short_store_must_declare_nothing(size: int) -> None:
    assert so(bytes(size)).ok
    assert not so(b"\x01" + bytes(size - 1)).ok


def test_the_number_of_items_decides_not_the_trailing_bytes() -> None:
    data = write_so_store([LIBRARY, LIBRARY])
    assert so(data + bytes(16)).ok
    assert not so(data[:-1]).ok
    assert not so(write_so_store([LIBRARY], declared=2)).ok
    assert not so(write_so_store([LIBRARY], declared=0)).ok
    dropped = write_so_store([LIBRARY, LIBRARY], declared=1)
    assert so(dropped[:-1]).ok


def test_a_library_without_bytes_is_refused() -> None:
    store = so(write_so_store([SoPart("a", "v", b"")]) + bytes(20))
    assert "has no bytes" in store.problem


def test_magic_is_noted_and_not_compared() -> None:
    data = bytearray(write_so_store([LIBRARY]))
    data[4] = 0
    assert so(bytes(data)).ok and not so(bytes(data)).items[0].magic_ok


@given(st.lists(st.tuples(NAMES, st.binary(min_size=1, max_size=20)), max_size=6))
def test_kernels_and_custom_ops_come_back(items: list[tuple[str, bytes]]) -> None:
    for write, read in (
        (write_kernel_store, read_kernel_store),
        (write_custom_ops, read_custom_ops),
    ):
        data = write(items)
        store = read(BytesSource(data))
        assert store.ok
        assert [(i.name, data[i.offset :][: i.size]) for i in store.items] == items


def test_a_last_kernel_without_name_and_body_is_not_seen() -> None:
    """The loop needs more than the 12 bytes of an item head; custom ops need no more."""
    assert kernels(write_kernel_store([("", b"")])).items == ()
    assert len(read_custom_ops(BytesSource(write_custom_ops([("", b"")]))).items) == 1


def test_a_cut_kernel_store_keeps_what_fits() -> None:
    data = write_kernel_store([("one", b"1" * 10), ("two", b"2" * 10)])
    store = kernels(data[:-1])
    assert [i.name for i in store.items] == ["one"]
    assert "leaves the store" in store.problem
    assert kernels(data + b"xyz").problem == "3 bytes behind the last item"
    assert kernels(b"").ok


@pytest.mark.parametrize(
    "data",
    [
        write_custom_ops([("Op", b"state")])[:-1],
        write_custom_ops([("Op", b"state")]) + b"\0",
        write_kernel_store([("Op", b"state")]),
        struct.pack("<III", 0x4B43534B, 2**32 - 1, 2**32 - 1),
    ],
)
def test_custom_ops_are_checked_to_the_last_byte(data: bytes) -> None:
    assert not read_custom_ops(BytesSource(data)).ok


def test_long_names_are_cut_and_not_loaded_whole() -> None:
    name = "n" * 5000
    (item,) = kernels(write_kernel_store([(name, b"x")])).items
    assert item.name == "n" * 4096 + "…"
