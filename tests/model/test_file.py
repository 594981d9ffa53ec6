"""Whole files of every kind, read to facts and faults; the project's own samples."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from msgspec import structs

from preflight.container import partitions as ids
from preflight.container.partitions import MODEL_DEF, SO_BINS, TASK_INFO, TILING_DATA
from preflight.container.store_writer import SoPart, write_custom_ops, write_so_store
from preflight.container.types import ContainerKind
from preflight.container.writer import (
    submodel,
    write_bare,
    write_bundle,
    write_flow,
    write_hiai,
    write_nano,
    write_om,
)
from preflight.errors import UnreadableInput
from preflight.model import contents
from preflight.model.dictionary import encode_position
from preflight.model.file import MAX_DEPTH, read_model
from preflight.model.manifest import ModelFile
from preflight.model.writer import GraphSpec, OperatorSpec, TensorSpec, build_model_definition

SAMPLES = Path(__file__).resolve().parent.parent.parent / "samples"
DESC = TensorSpec("FLOAT", (1, 2), "ND", size=8)
GRAPH = GraphSpec(
    "g",
    (
        OperatorSpec("late", "Data", (), (DESC,), (DESC,), {"index": 1}),
        OperatorSpec("early", "Data", (), (DESC,), (DESC,), {"index": 0}),
        OperatorSpec("add", "Add", ("early:0", "late:0"), (DESC, DESC), (DESC,)),
        OperatorSpec("out", "NetOutput", ("add:0",), (DESC,)),
    ),
)
DEFINITION = build_model_definition([GRAPH], {"soc_version": "Ascend310P3"}, name="m")


def sample(name: str) -> ModelFile:
    return read_model(SAMPLES / name)


def om(*parts: tuple[int, bytes], **fields: Any) -> ModelFile:
    return read_model(write_om([[(MODEL_DEF, DEFINITION), *parts]], **fields))


def test_boundary_comes_from_the_graph_when_the_file_does_not_describe_it() -> None:
    manifest = om().manifest
    assert manifest is not None
    assert [t.name for t in manifest.inputs] == ["early", "late"], "by the index attribute"
    assert [(t.name, t.shape) for t in manifest.outputs] == [("add:0", (1, 2))]


def test_boundary_comes_from_the_description_when_there_is_one() -> None:
    manifest = sample("gears_310P3.om").manifest
    assert manifest is not None
    assert manifest.gears.batch == (1, 2, 4, 8)
    assert manifest.inputs[0].name == "actual_input_1"
    assert manifest.inputs[0].dtype == "FLOAT"
    assert manifest.inputs[0].shape == (8, 3, 224, 224)
    assert manifest.inputs[0].size == 8 * 3 * 224 * 224 * 4


def test_static_sample_says_what_it_was_built_for() -> None:
    model = sample("resnet_static_310P3.om")
    manifest = model.manifest
    assert manifest is not None
    assert model.container.kind is ContainerKind.OM
    assert (manifest.soc_version, manifest.arch_type) == ("Ascend310P3", "1")
    assert manifest.opp_version == "7.7.0.1.238"
    assert manifest.atc_command is not None
    assert manifest.atc_command.get("soc_version") == "Ascend310P3"
    assert manifest.memory.weights == 4096
    assert next(k.name for k in manifest.kernels) == "te_conv2d_1__kernel0"
    counts = {row.type: row.count for row in manifest.operators}
    assert counts["Conv2D"] == 1
    assert sum(counts.values()) == 11
    assert model.faults == model.standard_faults == ()


def test_weights_and_bodies_are_not_read() -> None:
    small = write_om([[(MODEL_DEF, DEFINITION), (ids.WEIGHTS_DATA, b"")]])
    large = write_om([[(MODEL_DEF, DEFINITION), (ids.WEIGHTS_DATA, bytes(1 << 22))]])
    reads = []
    for data in (small, large):
        source = _Counting(data)
        read_model(source)
        reads.append(source.count)
    assert reads[0] == reads[1]


class _Counting:
    """A source that counts the bytes asked of it."""

    name = "counting"

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.count = 0

    @property
    def size(self) -> int:
        return len(self.data)

    def read(self, offset: int, length: int) -> bytes:
        assert offset >= 0 and offset + length <= len(self.data)
        self.count += length
        return self.data[offset : offset + length]


def test_digest_depends_on_definitions_and_not_on_weights() -> None:
    one = om((ids.WEIGHTS_DATA, b"a" * 100))
    two = om((ids.WEIGHTS_DATA, b"b" * 100))
    other = read_model(write_om([[(MODEL_DEF, DEFINITION + b"\x12\x00")]]))
    assert one.sha256 == two.sha256 != other.sha256
    assert len(one.sha256) == 64


def test_dynamic_sample_counts_every_block() -> None:
    manifest = sample("dynamic_8.0.0.om").manifest
    assert manifest is not None
    assert manifest.dynamic
    assert len(manifest.block_attributes) == 2
    assert {g.block for g in manifest.graphs} == {0, 1}
    assert manifest.inputs[0].shape == (-1, 64)


def test_subgraphs_of_the_root_are_not_counted_again() -> None:
    inner = GraphSpec("inner", (OperatorSpec("x", "Relu"),))
    root = GraphSpec("root", (OperatorSpec("call", "PartitionedCall", subgraphs=("inner",)),))
    blocks = [
        [(MODEL_DEF, build_model_definition([root, inner]))],
        [(MODEL_DEF, build_model_definition([inner]))],
    ]
    manifest = read_model(write_om(blocks)).manifest
    assert manifest is not None
    assert {row.type: row.count for row in manifest.operators} == {"PartitionedCall": 1, "Relu": 1}


def test_host_libraries_are_listed_with_their_cpu() -> None:
    for name, cpu in (("hostlib_x86_64.om", "x86_64"), ("hostlib_aarch64.om", "aarch64")):
        manifest = sample(name).manifest
        assert manifest is not None
        assert manifest.need_check_os_cpu == 1
        assert manifest.so_store.present and manifest.so_store.loaded
        library = manifest.so_store.libraries[0]
        assert (library.type_name, library.elf_machine) == ("kSpaceRegistry", cpu)
        assert manifest.host_env_cpu == cpu


def test_compressed_sample_has_its_real_names() -> None:
    model = sample("compressed_310P3.om")
    assert model.manifest is not None
    assert model.manifest.compressed_attributes
    add = next(op for g in model.manifest.graphs for op in g.operators if op.type == "Add")
    assert add.attributes["_kernelname"].value == "te_add_1__kernel0"


def test_external_weights_and_expression_samples() -> None:
    manifest = sample("external_weights.om").manifest
    assert manifest is not None
    assert manifest.external_weights == ("adder_weights.bin",)
    bad = sample("bad_expression.om")
    assert [f.check for f in bad.faults] == ["def.attr_unknown_case"]
    assert bad.faults[0].message_codes == ("E18888", "E19999")


def test_single_op_is_recognised_by_its_attributes() -> None:
    model = sample("single_op.om")
    assert model.container.kind is ContainerKind.SINGLE_OP
    assert model.manifest is not None
    assert model.manifest.single_op


def test_bundle_and_flow_open_the_models_inside() -> None:
    bundle = sample("bundle.om")
    assert [m.manifest.soc_version for m in bundle.nested if m.manifest] == ["Ascend310P3"] * 2
    assert bundle.nested[0].path.startswith(f"{SAMPLES / 'bundle.om'}!")
    flow = sample("flow.om")
    assert [m.name for m in flow.nested] == ["stage0"]
    assert flow.nested[0].manifest is not None
    assert [f.check for f in bundle.standard_faults][:1] == ["hdr.bundle_via_plain"]


def test_models_inside_models_are_opened_to_a_depth() -> None:
    data = write_om([[(MODEL_DEF, DEFINITION)]])
    for _ in range(MAX_DEPTH + 2):
        data = write_bundle([data])
    model, depth = read_model(data), 0
    while model.nested:
        model, depth = model.nested[0], depth + 1
    assert depth == MAX_DEPTH
    assert [n.id for n in model.notes] == ["cap.depth"]


def test_flow_proto_must_be_a_flow_model() -> None:
    good = write_flow(DEFINITION, [submodel("s")], ["s"])
    assert read_model(good).faults == ()
    bad = good.replace(b"\x1a\x01s", b"\x1a\x01\xff")  # a name that is no text
    assert next(f.check for f in read_model(bad).faults) == "flow.proto"


def test_other_kinds() -> None:
    package = sample("package_om2.om").manifest
    assert package is not None
    assert (package.soc_version, package.opp_version) == ("Ascend910B3", "9.1.0")
    assert [t.shape for t in package.inputs] == [(16, 64)] * 2
    assert package.inputs[0].dtype == "FLOAT16"
    assert {row.type: row.count for row in package.operators} == {
        "Add": 1,
        "Data": 2,
        "NetOutput": 1,
    }
    assert package.so_store.libraries[0].elf_machine == "aarch64"
    assert package.kernels[0].store == "OM2"
    for name, kind in (("adder.air", ContainerKind.AIR), ("bare.om", ContainerKind.BARE)):
        model = sample(name)
        assert model.container.kind is kind
        assert model.manifest is not None
        assert model.faults == ()
    text = sample("ge_proto_00000000_graph_1_Build.txt").manifest
    assert text is not None
    assert {row.type: row.count for row in text.operators} == {"Add": 1, "Data": 2, "NetOutput": 1}
    nano = read_model(write_nano([(ids.PRE_MODEL_DESC, b"x" * 8)]))
    assert (nano.manifest, nano.faults) == (None, ())
    hiai = read_model(write_hiai([(0, DEFINITION)]))
    assert hiai.manifest is not None


def test_first_generation_definition_behind_a_header() -> None:
    fields = b"\x0a\x05small" + b"\x10\x01" + b"\x50\x80\x10" + b"\x58\x01"
    operator = b"\x0a\x01a" + b"\x12\x04Data"
    last = b"\x0a\x01b" + b"\x12\x09NetOutput" + b"\x42\x01a" + b"\x4a\x01\x00"
    attribute = b"\x0a\x01k" + b"\x12\x04\x0a\x02\x18\x07"
    data = fields + b"".join(
        bytes([number << 3 & 0x7F | 2 | 0x80, number >> 4]) + bytes([len(body)]) + body
        for number, body in ((20, operator), (20, last), (30, attribute))
    )
    model = read_model(write_bare(data))
    assert model.container.details["schema"] == "domi"
    manifest = model.manifest
    assert manifest is not None
    assert (manifest.model_name, manifest.ir_version) == ("small", 1)
    assert manifest.memory.memory_size == 2048
    assert manifest.memory.streams == 1
    assert manifest.attributes["k"].value == [7]
    assert [op.type for op in manifest.graphs[0].operators] == ["Data", "NetOutput"]


def test_files_that_are_no_models_are_named() -> None:
    pointer = sample("lfs_pointer.om")
    assert pointer.container.kind is ContainerKind.NOT_A_MODEL
    assert "LFS" in pointer.container.what
    assert pointer.container.advice == "git lfs pull"
    cut = sample("truncated.om")
    assert "missing" in cut.container.what
    assert cut.manifest is not None, "the definition lies before the cut"
    with pytest.raises(UnreadableInput):
        read_model(SAMPLES / "nowhere.om")


def test_content_faults_are_positioned_in_the_loaders_order() -> None:
    bad = build_model_definition([GRAPH], {"x": 1}) + b"\xff"
    blocks = [
        [(SO_BINS, write_so_store([SoPart("a.so", "v", b"\x7fELF")], declared=2)),
         (ids.CUSTOM_OPS, b"garbage"), (TILING_DATA, b"garbage"), (MODEL_DEF, DEFINITION),
         (TASK_INFO, b"\xff")],
        [(MODEL_DEF, bad)],
    ]  # fmt: skip
    model = read_model(write_om(blocks))
    assert [(f.check, f.position) for f in model.faults] == [
        ("task.parse", (80, 0, 94)),
        ("so.store", (80, 0, 96)),
        ("customops.part", (80, 0, 98)),
        ("tiling.part", (80, 0, 99)),
        ("def.parse", (80, 1, 80)),
    ]
    assert all(f.message_codes[-1] == "E19999" for f in model.faults)
    assert model.manifest is not None
    assert model.manifest.so_store.present
    assert not model.manifest.so_store.loaded


def test_custom_ops_need_a_library_of_their_own() -> None:
    ops = (ids.CUSTOM_OPS, write_custom_ops([("MyAdd", b"state")]))
    plain = (SO_BINS, write_so_store([SoPart("a.so", "", b"\x7fELF", 0)]))
    own = (SO_BINS, write_so_store([SoPart("a.so", "", b"\x7fELF", 3)]))
    assert [f.check for f in om(ops).faults] == ["customops.part"]
    assert [f.check for f in om(plain, ops).faults] == ["customops.part"]
    good = om(own, ops)
    assert good.faults == ()
    assert good.manifest is not None
    assert good.manifest.custom_ops == ("MyAdd",)
    assert om((ids.CUSTOM_OPS, b"")).faults == ()


def test_stores_of_later_blocks_are_not_looked_at() -> None:
    later = [(MODEL_DEF, DEFINITION), (SO_BINS, b"garbage!!"), (TILING_DATA, b"garbage")]
    assert read_model(write_om([[(MODEL_DEF, DEFINITION)], later])).faults == ()


def test_damaged_kernel_store_is_a_note() -> None:
    model = om((ids.TBE_KERNELS, b"x" * 40))
    assert model.faults == ()
    assert [n.id for n in model.notes] == ["kernel.store"]


def test_bytes_behind_an_early_end_are_noted() -> None:
    model = read_model(write_om([[(MODEL_DEF, DEFINITION + b"\0tail")]]))
    assert model.faults == ()
    assert "definition_tail" in [n.id for n in model.notes]
    zeros = om((TASK_INFO, b"\0\0\xff"))
    assert zeros.faults == ()


def test_missing_definition_is_an_empty_one() -> None:
    model = read_model(write_om([[(ids.WEIGHTS_DATA, b"x" * 16)]]))
    assert [(f.check, f.data["why"]) for f in model.faults] == [("def.parse", "no_graph")]
    assert model.faults[0].message_codes == ("E19999",)


def test_partitioned_root_lends_its_dictionary() -> None:
    dictionary: dict[str, object] = {
        "om_compress_version": 1,
        "attr_name_enum": ["a"],
        "attr_value_enum": ["x"],
        "attrs_use_string_value": [True],
    }
    inner = GraphSpec("s", (OperatorSpec("r", "Relu", attributes={encode_position(0): 0}),))
    for lent in (True, False):
        root = structs.replace(GRAPH, attributes={"_dynamic_shape_partitioned": lent})
        blocks = [
            [(MODEL_DEF, build_model_definition([root], dictionary))],
            [(MODEL_DEF, build_model_definition([inner]))],
        ]
        manifest = read_model(write_om(blocks)).manifest
        assert manifest is not None
        names = list(manifest.graphs[1].operators[0].attributes)
        assert names == (["a"] if lent else [encode_position(0)])


def test_standard_reading_of_another_kind() -> None:
    flow = write_flow(DEFINITION, [submodel("s")], ["s"])
    assert read_model(flow).standard_faults == ()
    assert read_model(flow, loader="standard").container.as_standard is None
    hiai = read_model(write_hiai([(0, DEFINITION)]))
    assert hiai.faults == ()
    assert hiai.standard_faults != (), "modeltype 3 makes the standard loader read a wide table"


def test_text_graphs_that_cannot_be_parsed_say_so() -> None:
    good = (SAMPLES / "ge_proto_00000000_graph_1_Build.txt").read_bytes()
    for bad in (good + b"\n}", good.replace(b"Add", b"\xff"), good.replace(b'"ND"', b"7", 1)):
        model = read_model(bad)
        assert [f.check for f in model.faults] == ["text.parse"]
        assert model.manifest is None
    odd = good.replace(b"graph {", b"brand_new_field: 3\ngraph {", 1)
    assert read_model(b'name: "m"\n' + odd).manifest is not None


def test_definition_longer_than_the_loader_can_parse(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(contents, "INT32_MAX", 20)
    model = om()
    assert [(f.check, f.data["why"]) for f in model.faults] == [("def.parse", "proto_parse")]
    assert "longer than the loader can parse" in model.faults[0].detail
