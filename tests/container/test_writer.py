"""Reading back what was written gives the same parts, for every kind that has parts."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from preflight.container import writer
from preflight.container.om2 import Package
from preflight.container.read import read_container
from preflight.container.source import BytesSource
from preflight.container.types import Block, ContainerKind
from preflight.container.wire import encode_field

CONTENT = st.binary(max_size=24)
IDS = st.sampled_from([0, 1, 2, 3, 4, 5, 8, 12, 26, 27, 4000, 2**32 - 1])
PARTS = st.lists(st.tuples(IDS, CONTENT), min_size=1, max_size=8).filter(
    lambda parts: any(content for _, content in parts)
)


def parts_of(data: bytes, block: Block) -> list[tuple[int, bytes]]:
    return [(p.id, data[p.offset :][: p.size]) for p in block.partitions]


@given(st.lists(PARTS, min_size=1, max_size=3), st.sampled_from(["tiny", "wide"]))
def test_blocks_of_a_standard_om(blocks: list[list[tuple[int, bytes]]], table: str) -> None:
    data = writer.write_om(blocks, table=table)
    found = read_container(data, loader="standard")
    assert found.faults == ()
    assert [parts_of(data, b) for b in found.blocks] == blocks
    assert {b.table for b in found.blocks} == {table}
    assert "declared_offset" not in [n.id for n in found.notes]


@given(PARTS)
def test_first_generation_and_mobile_files(parts: list[tuple[int, bytes]]) -> None:
    for write, kind in (
        (writer.write_first_generation, ContainerKind.OM),
        (writer.write_hiai, ContainerKind.HIAI),
    ):
        data = write(parts)
        found = read_container(data)
        assert (found.kind, found.faults) == (kind, ())
        assert parts_of(data, found.blocks[0]) == parts


@given(st.lists(st.tuples(st.sampled_from([1, 9, 10, 11, 21]), st.binary(min_size=1)), max_size=5))
def test_nano_parts_are_padded(parts: list[tuple[int, bytes]]) -> None:
    parts = [(20, b"description"), *parts]
    data = writer.write_nano(parts)
    found = read_container(data)
    assert (found.kind, found.faults) == (ContainerKind.NANO, ())
    padded = [(kind, content.ljust(-(-len(content) // 8) * 8, b"\0")) for kind, content in parts]
    assert parts_of(data, found.blocks[0]) == padded


@given(st.lists(st.binary(max_size=30), max_size=5), st.none() | st.integers(0, 2**62))
def test_bundles(models: list[bytes], var_size: int | None) -> None:
    data = writer.write_bundle(models, var_size=var_size)
    found = read_container(data)
    assert (found.kind, found.faults, found.notes) == (ContainerKind.BUNDLE, (), ())
    assert [data[n.offset :][: n.size] for n in found.nested] == models
    assert found.details["var_size"] == (var_size or 0)


@given(st.dictionaries(st.text("abc", min_size=1), st.binary(min_size=1), max_size=4))
def test_flow_models(models: dict[str, bytes]) -> None:
    parts = [writer.submodel(name, om) for name, om in models.items()]
    data = writer.write_flow(b"definition", parts, models)
    found = read_container(data)
    assert (found.kind, found.faults) == (ContainerKind.FLOW, ())
    assert {n.name: data[n.offset :][: n.size] for n in found.nested} == models


@given(
    st.dictionaries(
        st.text(st.characters(codec="ascii", categories=["L", "N"]), min_size=1), st.binary()
    ),
    st.booleans(),
)
def test_om2_entries(files: dict[str, bytes], stored: bool) -> None:
    entries = {f"data/model_0/{name}": content for name, content in files.items()}
    entries["data/model_0/model_meta.json"] = b"{}"
    data = writer.write_om2(entries, stored=entries if stored else ())
    found = read_container(data)
    assert found.kind is ContainerKind.OM2
    read = found.details["entries"]
    assert isinstance(read, tuple)
    assert {e.name: e.size for e in read} == {name: len(c) for name, c in entries.items()}
    assert {e.stored for e in read} == {stored}
    package = Package(BytesSource(data))
    assert {name: package.read(name) for name in entries} == entries


@given(st.binary(min_size=2, max_size=40), st.binary(min_size=4, max_size=40))
def test_bare_definitions(name: bytes, graph: bytes) -> None:
    definition = encode_field(1, name) + encode_field(7, graph)
    data = writer.write_bare(definition)
    found = read_container(data)
    if found.kind is ContainerKind.BARE:  # a name may spell a plausible table count
        assert parts_of(data, found.blocks[0]) == [(0, definition)]
    else:
        assert int.from_bytes(definition[:4], "little") <= 4096


def test_the_same_parts_give_the_same_bytes() -> None:
    assert writer.write_om2({"a": b"1"}) == writer.write_om2({"a": b"1"})


def test_header_fields_can_be_overridden() -> None:
    data = writer.write_om([[(0, b"x")]], name="net", need_check_os_cpu_info=1, genmode=1)
    header = read_container(data).header
    assert header is not None
    assert (header.name, header.need_check_os_cpu_info, header.genmode) == ("net", 1, 1)
    assert (header.layout, header.model_num) == ("v3", 1)
