"""Any bytes give a container or one clear error, and reading costs little whatever they claim."""

from __future__ import annotations

import struct
import tracemalloc

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from preflight.container.inout import decode_inout
from preflight.container.read import read_container
from preflight.container.source import BytesSource, SubSource
from preflight.container.stores import read_custom_ops, read_kernel_store, read_so_store
from preflight.container.tiling import read_tiling
from preflight.container.types import Container
from preflight.errors import PreflightError
from tests.container.models import EVERY_KIND

SEEDS = [build() for _, build in EVERY_KIND.values()]
VALUES = [0, 1, 2, 5, 0x7F, 0xFF, 0x7FFFFFFF, 0xFFFFFFFF, 1 << 40, (1 << 63), (1 << 64) - 1]
LOADERS = ("auto", "standard", "single_op", "flow", "bundle", "nano", "om2")


class CountingSource(BytesSource):
    """Counts reads, to see that work is bounded by the file and not by its numbers."""

    def __init__(self, data: bytes) -> None:
        super().__init__(data)
        self.fetched = 0

    def read(self, offset: int, length: int) -> bytes:
        data = super().read(offset, length)
        self.fetched += length
        return data


@st.composite
def mutants(draw: st.DrawFn) -> bytes:
    data = bytearray(draw(st.sampled_from(SEEDS)))
    for _ in range(draw(st.integers(1, 3))):
        at = draw(st.integers(0, max(len(data) - 1, 0)))
        match draw(st.integers(0, 3)):
            case 0:
                del data[at:]
            case 1:
                data[at:at] = draw(st.binary(min_size=1, max_size=8))
            case 2:
                width = draw(st.sampled_from([1, 2, 4, 8]))
                value = draw(st.sampled_from(VALUES)) & ((1 << 8 * width) - 1)
                data[at : at + width] = value.to_bytes(width, "little")
            case _:
                data[at : at + 1] = draw(st.binary(min_size=1, max_size=1))
    if draw(st.booleans()) and len(data) > 256:
        struct.pack_into("<Q", data, 184, len(data) - 256)
    return bytes(data)


def look_inside(source: BytesSource, container: Container) -> None:
    """Everything a caller may do with the parts of a container."""
    for block in container.blocks:
        for partition in block.partitions:
            part = SubSource(source, partition.offset, partition.size)
            for read in (read_so_store, read_kernel_store, read_custom_ops, read_tiling):
                read(part)
            decode_inout(part.read(0, part.size))
    for entry in container.nested:
        read_container(SubSource(source, entry.offset, entry.size))


@given(mutants() | st.binary(max_size=300), st.sampled_from(LOADERS))
@settings(max_examples=300)
def test_any_bytes_give_a_container_or_one_error(data: bytes, loader: str) -> None:
    source = CountingSource(data)
    try:
        container = read_container(source, loader=loader)  # type: ignore[arg-type]
    except PreflightError as error:
        assert error.message
        return
    assert source.fetched <= 64 * len(data) + 200_000
    assert all(f.check and f.detail and f.position for f in container.faults)
    look_inside(source, container)


@pytest.mark.parametrize("offset", [76, 156, 184, 256, 264, 272, 280])
@pytest.mark.parametrize("value", [0xFFFFFFFF, 0x80000000, 65_536])
def test_numbers_in_a_file_cost_no_memory(offset: int, value: int) -> None:
    for seed in SEEDS:
        if len(seed) < 300:
            continue
        data = bytearray(seed)
        struct.pack_into("<I", data, offset, value)
        tracemalloc.start()
        try:
            read_container(bytes(data))
        except PreflightError:
            pass
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < 4_000_000
