"""Inputs that no writer makes: what the loader does with them decides, not what looks plausible."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from preflight.container import writer
from preflight.container.header import new_header, pack_header
from preflight.container.source import RangeSource
from preflight.container.types import Block, Partition
from preflight.container.wire import encode_field
from preflight.model import definition, parse, stores, text_graph
from preflight.model.definition import decode_model_definition
from preflight.model.dictionary import encode_position
from preflight.model.file import read_model
from preflight.model.manifest import Attribute, ModelFile
from preflight.model.parse import parse_message
from preflight.model.writer import GraphSpec, OperatorSpec, TensorSpec, build_model_definition

GRAPH = GraphSpec("g", (OperatorSpec("d", "Data"),))
GOOD = build_model_definition([GRAPH], {"soc_version": "Ascend310P3"})
OM = writer.write_om([[(0, GOOD), (1, b"w")]])


def checks(model: ModelFile) -> list[str]:
    return [fault.check for fault in model.faults]


def test_versions_that_are_no_utf8_are_not_taken_for_absent() -> None:
    odd = Attribute("", "s", b"Ascend310P3\xff")
    data = build_model_definition([GRAPH], {"soc_version": odd, "opp_version": odd})
    manifest = read_model(writer.write_om([[(0, data)]])).manifest
    assert manifest is not None
    assert manifest.soc_version == r"Ascend310P3\xff"
    assert manifest.opp_version == manifest.soc_version


def test_a_dynamic_model_of_no_blocks_passes_the_walk_and_has_no_definition() -> None:
    header = new_header(model_num=0, is_unknow_model=1)
    model = read_model(pack_header(header))
    assert model.container.faults == ()
    assert checks(model) == ["def.parse"]


def test_ids_of_nano_files_do_not_hide_a_standard_model() -> None:
    model = read_model(writer.write_om([[(0, GOOD), (9, b"x" * 8)]]))
    assert model.container.kind.value == "om"
    assert model.faults == ()


def test_a_bundle_is_one_whatever_its_magic() -> None:
    bundle = writer.write_bundle([OM])
    assert read_model(b"XXXX" + bundle[4:]).container.kind.value == "bundle"
    assert read_model(b"XXXX" + OM[4:]).container.kind.value == "not_a_model"
    text = writer.write_bundle([b"no model at all" * 30])
    assert read_model(b"XXXX" + text[4:]).container.kind.value == "not_a_model"


@pytest.mark.parametrize(
    "field",
    [
        encode_field(9, b"\xff\xfe"),  # a path
        encode_field(4, b"\x0a\x01\xff"),  # a graph whose name is no text
        encode_field(7, b"\x0a\x01\xff"),  # an attribute
        b"\x0a\x7fcut",
        b"\x0f",  # wire type 7
    ],
)
def test_every_text_of_a_submodel_must_be_one(field: bytes) -> None:
    good = writer.write_flow(GOOD, [writer.submodel("a", OM)], ["a"])
    assert read_model(good).faults == ()
    bad = writer.write_flow(GOOD, [writer.submodel("a", OM) + field], ["a"])
    assert checks(read_model(bad)) == ["flow.proto"]


def test_the_model_inside_a_submodel_is_not_part_of_its_message() -> None:
    nested = writer.write_om([[(0, GOOD), (1, b"\xff" * 100)]])
    twice = writer.submodel("a", b"first") + encode_field(3, nested)
    model = read_model(writer.write_flow(GOOD, [twice], ["a"]))
    assert model.faults == ()
    assert [inner.faults for inner in model.nested] == [()]


@pytest.mark.parametrize(
    ("tail", "counts"),
    [
        (b"\x80\x80\x80\x80\x00rest", True),  # a zero tag of five bytes
        (b"\x80\x80\x80\x80\x10rest", True),  # 2^32: the loader keeps 32 bits
        (b"\x80\x80\x80\x80\x80\x00rest", False),  # six bytes are no tag
        (b"\x8c\x80\x00rest", True),  # an end-group tag of three bytes
        (b"\x02\x00", False),  # field number 0 with a type
    ],
)
def test_tags_that_are_longer_than_needed(tail: bytes, counts: bool) -> None:
    message, length = parse_message("ModelDef", GOOD + tail)
    assert (message is not None) is counts
    assert length == (len(GOOD) if counts else 0)


def test_the_search_for_an_early_end_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    data = GOOD + b"\x10\x01" * 20 + b"\0rest"
    assert parse_message("ModelDef", data)[0] is not None
    monkeypatch.setattr(parse, "MAX_FIELDS", 10)
    assert parse_message("ModelDef", data) == (None, 0)


@pytest.mark.parametrize(("name", "limit"), [("MAX_OPERATORS", 2), ("MAX_GRAPHS", 1)])
def test_more_than_anybody_writes_is_left_open(
    monkeypatch: pytest.MonkeyPatch, name: str, limit: int
) -> None:
    graphs = [GraphSpec(n, (OperatorSpec("a", "Data"), OperatorSpec("b", "Data"))) for n in "gh"]
    data = build_model_definition(graphs)
    assert decode_model_definition(data).faults == ()
    monkeypatch.setattr(definition, name, limit)
    found = decode_model_definition(data)
    assert [fault.check for fault in found.faults] == ["cap.definition"]
    assert found.message is None


def test_long_texts_and_descriptions_are_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    text = b'graph {\n  name: "g"\n  op {\n    name: "x"\n  }\n}\n'
    monkeypatch.setattr(text_graph, "MAX_TEXT", 10)
    assert checks(read_model(text)) == ["cap.text"]
    monkeypatch.setattr(stores, "MAX_INOUT", 4)
    model = read_model(writer.write_om([[(0, GOOD), (8, bytes(12))]]))
    assert [note.id for note in model.notes] == ["cap.inout"]


@pytest.mark.parametrize(
    ("size", "task", "fine"),
    [
        (1 << 32, b"", False),  # 0 as the loader counts
        ((1 << 31), b"", False),  # negative
        ((1 << 32) + 4, b"\x0a\x02ok", True),
        ((1 << 32) + 4, b"\x0a\x02\xff\xff", False),
    ],
)
def test_the_size_of_the_tasks_is_cut_to_32_bits(size: int, task: bytes, fine: bool) -> None:
    source = RangeSource("sparse", size, lambda offset, length: task[offset : offset + length])
    part = Partition(0, 2, "TASK_INFO", 0, size, 0)
    faults = stores.read_stores(source, (Block(0, 0, "wide", 0, 1, (part,)),))[1]
    assert [fault.check for fault in faults] == ([] if fine else ["task.parse"])


def test_codes_of_a_graph_that_is_not_loaded_are_left_alone() -> None:
    lost = TensorSpec(attributes={encode_position(9): 1})
    graphs = [
        GRAPH,
        GraphSpec(
            "lost", (OperatorSpec("x", "Data", (), (lost,), (lost,), {encode_position(9): 1}),)
        ),
    ]
    lists = {
        "om_compress_version": 1,
        "attr_name_enum": Attribute("", "list_s", ["a"]),
        "attr_value_enum": Attribute("", "list_s", ["v"]),
        "attrs_use_string_value": Attribute("", "list_b", [False]),
    }
    model = read_model(writer.write_om([[(0, build_model_definition(graphs, lists)), (1, b"w")]]))
    assert model.faults == ()
    assert model.manifest is not None
    operator = model.manifest.graphs[1].operators[0]
    assert list(operator.attributes) == list(operator.output_descs[0].attributes)


def nested(depth: int, group: bytes = b"") -> bytes:
    """A model attribute of `depth` NamedAttrs inside one another."""
    value = b""
    for _ in range(depth):
        entry = encode_field(1, b"k") + encode_field(2, value)
        value = encode_field(10, encode_field(2, entry) + group)
    return GOOD + encode_field(11, encode_field(1, b"deep") + encode_field(2, value))


# The same verdicts are asked of the pure-Python implementation, which has no limits of its own.
DEPTHS = """
import sys
sys.path.insert(0, {root!r})
from tests.model.test_oddities import GOOD, nested
from preflight.model.parse import parse_message
from google.protobuf.internal import api_implementation
assert api_implementation.Type() == "python"
for depth, parses in ((31, True), (32, True), (33, False), (100, False), (2000, False)):
    assert (parse_message("ModelDef", nested(depth))[0] is not None) is parses, depth
assert parse_message("ModelDef", nested(2, b"\\x23\\x24"))[0] is not None
assert parse_message("ModelDef", nested(2, b"\\x23"))[0] is None
assert parse_message("ModelDef", nested(2, b"\\x23\\x2c"))[0] is None
assert parse_message("ModelDef", GOOD + b"\\0rest")[1] == len(GOOD)
"""


@pytest.mark.parametrize(("depth", "parses"), [(31, True), (32, True), (33, False), (2000, False)])
def test_nesting_is_limited(depth: int, parses: bool) -> None:
    assert (parse_message("ModelDef", nested(depth))[0] is not None) is parses


def test_nesting_is_limited_whichever_protobuf_is_installed() -> None:
    root = str(Path(__file__).resolve().parents[2])
    done = subprocess.run(
        [sys.executable, "-c", DEPTHS.format(root=root)],
        env={**os.environ, "PROTOCOL_BUFFERS_PYTHON_IMPLEMENTATION": "python"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
