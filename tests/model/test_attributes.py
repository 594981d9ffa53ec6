"""What survives of attributes, at every level and for every type."""

from __future__ import annotations

import math
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from preflight.model.attributes import AttributeMap
from preflight.model.codecs import CODECS, LIST_CODECS
from preflight.model.definition import ModelDefinition, decode_model_definition
from preflight.model.manifest import Attribute, GraphValue, TensorInfo, TensorValue
from preflight.model.schema import message_class
from preflight.model.silent import silent_codes
from preflight.model.writer import (
    GraphSpec,
    OperatorSpec,
    TensorSpec,
    build_model_definition,
)

EXPRESSION = Attribute("", "expression", "s0")
UNSET = Attribute("", "unset", None)
UNTYPED = Attribute("", "list_none", ["a"])
UNKNOWN = Attribute("", "list_unknown", [1])
NAMED_UNSET = {"name": "f", "attr": {"k": UNSET}}


def model(value: object) -> ModelDefinition:
    graph = GraphSpec("g", (OperatorSpec("d", "Data"),))
    return decode_model_definition(build_model_definition([graph], {"x": value, "keep": 1}))


def operator(value: object, name: str = "x") -> ModelDefinition:
    graph = GraphSpec("g", (OperatorSpec("d", "Data", attributes={name: value, "keep": 1}),))
    return decode_model_definition(build_model_definition([graph]))


def tensor(value: object) -> ModelDefinition:
    desc = TensorSpec(attributes={"x": value, "keep": 1})
    graph = GraphSpec("g", (OperatorSpec("d", "Data", output_descs=(desc,)),))
    return decode_model_definition(build_model_definition([graph]))


VALUES = [
    ("s", "text", "text"),
    ("s", b"\xff\xfe", b"\xff\xfe"),
    ("i", -(1 << 63), -(1 << 63)),
    ("f", 0.5, 0.5),
    ("b", False, False),
    ("bt", b"\0\1", b"\0\1"),
    ("dt", 27, 27),
    ("list_s", ["a", "b"], ["a", "b"]),
    ("list_i", [], []),
    ("list_f", [0.5], [0.5]),
    ("list_b", [True, False], [True, False]),
    ("list_bt", [b"\0"], [b"\0"]),
    ("list_dt", [0, 9], [0, 9]),
    ("list_list_int", [[1, -2], []], [[1, -2], []]),
    ("list_list_float", [[0.5], []], [[0.5], []]),
]


@pytest.mark.parametrize(("kind", "written", "read"), VALUES)
def test_plain_values_survive_as_they_are(kind: str, written: object, read: object) -> None:
    found = model(Attribute("x", kind, written))
    assert found.ok
    assert found.attributes["x"] == Attribute("x", kind, read)


def test_structured_values_become_values_of_the_manifest() -> None:
    desc = TensorSpec("FLOAT16", (1, 2), "NCHW", attributes={"origin_format": "ND"})
    constant = TensorSpec("INT32", (3,), data=b"\0" * 12)
    found = model(Attribute("x", "list_na", [{"name": "f", "attr": {"t": constant, "d": desc}}]))
    named = found.attributes["x"].value[0]  # type: ignore[index]  # a list of dicts
    assert named["name"] == "f"
    value = named["attr"]["t"].value
    assert isinstance(value, TensorValue)
    assert (value.data_size, value.desc.dtype, value.desc.shape) == (12, "INT32", (3,))
    info = named["attr"]["d"].value
    assert isinstance(info, TensorInfo)
    assert (info.dtype, info.format, info.origin_format) == ("FLOAT16", "NCHW", "ND")
    graph = GraphSpec("inner", (OperatorSpec("broken", "X", ("nobody:0",)),))
    found = model(Attribute("x", "g", graph))
    assert found.ok, "a graph as a value is kept without looking inside"
    assert found.attributes["x"].value == GraphValue("inner", 1)


def test_registry_has_a_codec_for_every_registered_case_and_no_other() -> None:
    oneof = message_class("AttrDef").DESCRIPTOR.oneofs_by_name["value"]
    cases = {field.name for field in oneof.fields}
    assert cases - {"list", "expression"} == set(CODECS)
    assert set(LIST_CODECS) == set(range(1, 11))


@pytest.mark.parametrize("value", [UNSET, UNTYPED])
@pytest.mark.parametrize("level", [model, operator, tensor])
def test_unset_and_untyped_are_skipped_everywhere(value: object, level: object) -> None:
    found = level(value)  # type: ignore[operator]  # one of the three builders
    assert found.ok
    assert set(_attributes(found, level)) == {"keep"}


@pytest.mark.parametrize(
    ("value", "check", "why", "codes"),
    [
        (EXPRESSION, "def.attr_unknown_case", "attr_case_without_deserializer", ("E18888",)),
        (UNKNOWN, "def.attr_unknown_case", "list_type_unknown", ()),
        (
            NAMED_UNSET,
            "def.namedattrs_empty",
            "named_attrs_value_without_deserializer",
            ("E18888", "E19999"),
        ),
        (
            {"name": "f", "attr": {"k": {"name": "g", "attr": {"k": EXPRESSION}}}},
            "def.namedattrs_empty",
            "named_attrs_value_without_deserializer",
            ("E18888", "E19999"),
        ),
        ({"name": "f", "attr": {"k": UNTYPED}}, "def.namedattrs_empty", "list_type_unknown", ()),
        (
            Attribute("", "list_na", [{"name": "f"}, NAMED_UNSET]),
            "def.namedattrs_empty",
            "named_attrs_value_without_deserializer",
            ("E18888", "E19999"),
        ),
    ],
)
def test_bad_values_fail_the_model_and_its_operators(
    value: object, check: str, why: str, codes: tuple[str, ...]
) -> None:
    found = model(value)
    assert [f.check for f in found.faults] == [check]
    assert found.faults[0].data["why"] == why
    assert found.faults[0].message_codes == codes
    below = operator(value)
    assert below.faults[0].check == check
    assert below.faults[0].message_codes == tuple(dict.fromkeys((*codes, "E19999")))
    assert "operator 'd'" in below.faults[0].detail


@pytest.mark.parametrize("value", [EXPRESSION, UNKNOWN, NAMED_UNSET])
def test_tensor_descriptors_drop_bad_values_silently(value: object) -> None:
    found = tensor(value)
    assert found.ok
    assert set(_attributes(found, tensor)) == {"keep"}


def test_dropped_values_still_leave_codes_in_the_log() -> None:
    assert silent_codes(tensor(EXPRESSION)) == ("E18888",)
    assert silent_codes(tensor(NAMED_UNSET)) == ("E18888", "E19999")
    assert silent_codes(model(TensorSpec(attributes={"x": EXPRESSION}))) == ("E18888",)
    assert silent_codes(model(1)) == ()


@pytest.mark.parametrize("name", ["_opt_input", "_input_name_key", "_ir_outputs_value"])
def test_control_keys_are_stripped_from_operators_whatever_they_hold(name: str) -> None:
    found = operator(UNKNOWN, name)
    assert found.ok
    assert set(found.graphs[0].operators[0].attributes) == {"keep"}
    assert not decode_model_definition(
        build_model_definition([GraphSpec("g")], {name: UNKNOWN})
    ).ok, "at model level they are attributes like any other"


def test_list_type_is_cut_to_32_bits() -> None:
    value = b"\x0a\x0d" + b"\x18\x05" + b"\xa0\x01" + b"\x82\x80\x80\x80\x80\x80\x80\x80\x01"
    entry = b"\x0a\x01x" + b"\x12" + bytes([len(value)]) + value
    data = b"\x5a" + bytes([len(entry)]) + entry + b"\x3a\x00"
    found = decode_model_definition(data)
    assert found.attributes["x"] == Attribute("x", "list_i", [5])


@given(st.floats(width=32))
def test_floats_keep_their_32_bits(value: float) -> None:
    read = model(value).attributes["x"].value
    assert isinstance(read, float)
    assert struct.pack("<f", read) == struct.pack("<f", value) or math.isnan(value)


def test_attribute_map_knows_its_names_and_makes_none_up() -> None:
    attributes = model(5).attributes
    assert isinstance(attributes, AttributeMap)
    assert attributes["x"] == attributes.find("x")
    assert attributes.find("missing") is None
    assert len(attributes) == 2
    assert "missing" not in attributes
    with pytest.raises(KeyError):
        attributes["missing"]


def _attributes(found: ModelDefinition, level: object) -> AttributeMap:
    if level is model:
        return found.attributes
    if level is operator:
        return found.graphs[0].operators[0].attributes
    attributes = found.graphs[0].operators[0].output_descs[0].attributes
    assert isinstance(attributes, AttributeMap)
    return attributes
