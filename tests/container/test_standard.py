from __future__ import annotations

import struct

import pytest

from preflight.container import writer
from preflight.container.header import HEADER_SIZE
from preflight.container.source import BytesSource
from preflight.container.standard import MAX_BLOCKS, walk_single_op, walk_standard
from preflight.container.types import Container

PARTS = [(0, b"definition"), (2, b"task"), (1, b"weights")]


def walk(data: bytes) -> Container:
    return walk_standard(BytesSource(data))


def checks(data: bytes) -> list[str]:
    return [f.check for f in walk(data).faults]


def patched(data: bytes, offset: int, layout: str, *values: int) -> bytes:
    out = bytearray(data)
    struct.pack_into(layout, out, offset, *values)
    return bytes(out)


@pytest.mark.parametrize("table", ["tiny", "wide"])
def test_partitions_lie_one_behind_the_other(table: str) -> None:
    data = writer.write_om([PARTS], table=table)
    found = walk(data)
    assert found.faults == () and found.notes == ()
    (block,) = found.blocks
    assert block.table == table
    assert [(p.id, data[p.offset :][: p.size]) for p in block.partitions] == PARTS
    assert [p.name for p in block.partitions] == ["MODEL_DEF", "TASK_INFO", "WEIGHTS_DATA"]


def test_declared_offsets_are_ignored_and_noted() -> None:
    data = writer.write_om([PARTS])
    odd = patched(data, HEADER_SIZE + 8 + 8, "<Q", 2**63)
    assert [p.offset for p in walk(odd).blocks[0].partitions] == [
        p.offset for p in walk(data).blocks[0].partitions
    ]
    assert [n.id for n in walk(odd).notes] == ["declared_offset"]
    assert walk(odd).faults == ()


def test_the_first_of_two_equal_types_is_the_one_looked_up() -> None:
    found = walk(writer.write_om([[(0, b"one"), (0, b"two"), (77, b"x")]]))
    assert found.blocks[0].first(0) == found.blocks[0].partitions[0]
    assert found.blocks[0].partitions[2].name == "UNKNOWN_77"
    assert [n.id for n in found.notes] == ["duplicate_partition"]


def test_a_dynamic_model_has_a_table_per_block_and_ends_with_the_file() -> None:
    data = writer.write_om([PARTS, PARTS[:1]], is_unknow_model=1)
    found = walk(data)
    assert found.header is not None and found.header.is_dynamic
    assert [b.declared_count for b in found.blocks] == [3, 1]
    assert found.faults == ()
    longer = patched(data + b"!", 184, "<Q", len(data) + 1 - HEADER_SIZE)
    fault = walk(longer).faults[0]
    assert (fault.check, fault.position) == ("part.end_mismatch", (76,))


def test_a_static_model_may_have_bytes_behind_it() -> None:
    data = writer.write_om([PARTS])
    longer = patched(data + b"!!", 184, "<Q", len(data) + 2 - HEADER_SIZE)
    found = walk(longer)
    assert found.faults == ()
    assert [(n.id, n.data["bytes"]) for n in found.notes] == [("trailing_bytes", 2)]


@pytest.mark.parametrize("cut", [0, 3, 255])
def test_less_than_a_header(cut: int) -> None:
    assert checks(writer.write_om([PARTS])[:cut]) == ["hdr.min_size"]


def test_magic_and_length_are_one_check() -> None:
    data = writer.write_om([PARTS])
    assert checks(patched(data, 0, "<I", 1)) == ["hdr.length_or_magic"]
    assert checks(data[:-1])[0] == "hdr.length_or_magic"
    assert checks(patched(data, 184, "<Q", 2**64 - 200))[0] == "hdr.length_or_magic"


def test_a_cut_file_still_shows_what_is_left() -> None:
    found = walk(writer.write_om([PARTS])[:-3])
    assert [p.name for p in found.blocks[0].partitions] == ["MODEL_DEF", "TASK_INFO"]
    bounds = found.faults[1]
    assert (bounds.check, bounds.position, bounds.partition) == ("part.bounds", (70, 0, 5), 2)


def test_a_bundle_is_refused_before_its_length_is_looked_at() -> None:
    found = walk(writer.write_bundle([writer.write_om([PARTS])]))
    assert [f.check for f in found.faults] == ["hdr.bundle_via_plain", "hdr.length_or_magic"]
    assert min(found.faults, key=lambda f: f.position).check == "hdr.bundle_via_plain"


@pytest.mark.parametrize("size", [0, 8])
def test_nothing_is_read_from_eight_bytes_or_less(size: int) -> None:
    assert checks(writer.write_file(bytes(size), model_length=size or 0)) == ["tab.too_small"]


def test_a_table_must_be_followed_by_a_byte() -> None:
    table = writer.write_block([(0, b"")])
    found = walk(writer.write_file(table))
    assert [f.check for f in found.faults] == ["tab.no_payload"]
    assert found.blocks[0].declared_count == 1
    assert checks(writer.write_file(table + b"!")) == []


def test_the_count_is_kept_for_a_rule_and_precedes_later_faults() -> None:
    data = patched(writer.write_om([PARTS]), HEADER_SIZE, "<I", 9)
    found = walk(data)
    assert found.blocks[0].declared_count == 9
    assert [f.check for f in found.faults] == ["tab.no_payload"]
    assert found.faults[0].position > (70, 0, 1)


def test_a_count_in_the_second_block_precedes_its_own_faults_only() -> None:
    first = writer.write_block(PARTS)
    second = writer.write_block([(9, b"")] * 12)
    found = walk(writer.write_file(first + second + b"!", model_num=2))
    assert [b.declared_count for b in found.blocks] == [3, 12]
    assert [f.check for f in found.faults] == ["part.end_mismatch"]
    assert found.faults[0].position > (70, 1, 1)


def test_sizes_that_overflow_64_bits_are_out_of_bounds() -> None:
    data = writer.write_om([PARTS])
    for size in (2**64 - 1, 2**63, 2**64 - 300):
        assert checks(patched(data, HEADER_SIZE + 8 + 16, "<Q", size)) == ["part.bounds"]


def test_flow_models_have_a_limit_of_their_own() -> None:
    data = writer.write_flow(b"d", [])
    assert checks(data) == []
    assert checks(patched(data, HEADER_SIZE, "<I", 4097)) == ["tab.flow_num"]
    assert checks(patched(data, HEADER_SIZE, "<I", 4096)) == ["tab.no_payload"]


def test_a_huge_count_costs_nothing() -> None:
    data = patched(writer.write_om([PARTS]), HEADER_SIZE, "<I", 2**32 - 1)
    found = walk(data)
    assert found.blocks[0].declared_count == 2**32 - 1
    assert found.blocks[0].partitions == ()
    assert [f.check for f in found.faults] == ["tab.no_payload"]


def test_a_file_of_empty_blocks_ends_at_the_cap() -> None:
    body = bytes(8 * (MAX_BLOCKS + 2))
    found = walk(writer.write_file(body, model_num=2**32 - 1))
    assert len(found.blocks) == MAX_BLOCKS
    assert [f.check for f in found.faults] == ["cap.blocks"]


def test_what_the_loader_never_looks_at_is_noted() -> None:
    found = walk(writer.write_om([PARTS], headsize=128, is_encrypt=1))
    assert [n.id for n in found.notes] == ["headsize", "is_encrypt"]
    assert found.faults == ()


def test_the_single_op_loader_refuses_less() -> None:
    data = writer.write_om([PARTS])
    assert walk_single_op(BytesSource(patched(data, 0, "<I", 1))).faults == ()
    dynamic = patched(data, 193, "<B", 1)
    assert walk_single_op(BytesSource(dynamic + b"")).faults == ()
    assert [f.check for f in walk_single_op(BytesSource(data[:-1])).faults] == ["sop.size"]
    assert [f.check for f in walk_single_op(BytesSource(data[:256])).faults] == ["sop.size"]


def test_the_single_op_length_wraps_and_table_faults_are_one() -> None:
    data = writer.write_om([PARTS])
    wrapped = patched(data, 184, "<Q", len(data) - 256)
    assert walk_single_op(BytesSource(wrapped)).faults == ()
    outside = patched(data, HEADER_SIZE + 8 + 16, "<Q", 2**40)
    (fault,) = walk_single_op(BytesSource(outside)).faults
    assert (fault.check, fault.data["step"], fault.position) == (
        "sop.table",
        "part.bounds",
        (301, 0, 3),
    )
