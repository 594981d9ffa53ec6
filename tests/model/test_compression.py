"""The attribute dictionary: codes, resolution, and where the loader gives up."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from preflight.model.compression import decompress, dictionary_of
from preflight.model.definition import ModelDefinition, decode_model_definition
from preflight.model.dictionary import Dictionary, decode_position, encode_position
from preflight.model.manifest import Attribute
from preflight.model.writer import GraphSpec, OperatorSpec, TensorSpec, build_model_definition

FIRST, SECOND = encode_position(0), encode_position(1)
DICTIONARY: dict[str, object] = {
    "om_compress_version": 1,
    "attr_name_enum": ["a", "b"],
    "attr_value_enum": ["x", "y"],
    "attrs_use_string_value": [True, False],
}


def definition(
    attributes: dict[str, object],
    model: dict[str, object] | None = None,
    *,
    tensor: dict[str, object] | None = None,
) -> ModelDefinition:
    desc = TensorSpec(attributes=tensor or {})
    operator = OperatorSpec("d", "Data", output_descs=(desc,), attributes=attributes)
    data = build_model_definition(
        [GraphSpec("g", (operator,))], DICTIONARY if model is None else model
    )
    return decode_model_definition(data)


def undo(found: ModelDefinition):  # type: ignore[no-untyped-def]  # Fault | None
    return decompress(found, dictionary_of(found.attributes))


@given(st.integers(0, 127**9 - 1))
def test_codes_round_trip(position: int) -> None:
    code = encode_position(position)
    assert code[0] == "\0"
    assert "\0" not in code[1:]
    assert decode_position(code) == position


def test_codes_are_those_of_real_files() -> None:
    assert [encode_position(n) for n in (0, 1, 126, 127)] == [
        "\0\x01",
        "\0\x02",
        "\0\x7f",
        "\0\x01\x02",
    ]
    assert decode_position("\0") == 0


def test_names_and_texts_are_resolved() -> None:
    found = definition({FIRST: 1, SECOND: 77, "plain": "v"}, tensor={FIRST: 0})
    assert undo(found) is None
    operator = found.graphs[0].operators[0]
    assert {n: a.value for n, a in operator.attributes.items()} == {"a": "y", "b": 77, "plain": "v"}
    assert operator.output_descs[0].attributes["a"] == Attribute("a", "s", "x")


def test_lists_of_positions_become_lists_of_texts() -> None:
    found = definition({FIRST: [0, 1, 0]})
    assert undo(found) is None
    assert found.graphs[0].operators[0].attributes["a"] == Attribute("a", "list_s", ["x", "y", "x"])


@pytest.mark.parametrize(
    "attributes",
    [
        {encode_position(2): 0},  # no such name
        {FIRST: 2},  # no such text
        {FIRST: -1},
        {FIRST: [0, 9]},
        {FIRST: 1.0},  # a text cannot be a float
        {"": 1},
    ],
)
def test_what_cannot_be_resolved_fails(attributes: dict[str, object]) -> None:
    fault = undo(definition(attributes))
    assert fault is not None
    assert (fault.check, fault.position) == ("def.decompress", (80, 0, 92))
    assert fault.message_codes == ("E19999",)


def test_tensor_attributes_are_checked_too() -> None:
    assert undo(definition({}, tensor={encode_position(5): 1})) is not None


@pytest.mark.parametrize("missing", ["attr_name_enum", "attr_value_enum", "attrs_use_string_value"])
@pytest.mark.parametrize("version", [1, -1])
def test_all_three_lists_must_exist_as_soon_as_there_is_a_version(
    missing: str, version: int
) -> None:
    model = {n: v for n, v in DICTIONARY.items() if n != missing} | {"om_compress_version": version}
    assert undo(definition({}, model)) is not None


def test_names_and_flags_must_have_equal_length() -> None:
    assert undo(definition({}, DICTIONARY | {"attrs_use_string_value": [True]})) is not None


@pytest.mark.parametrize("version", [None, "1"])
def test_without_a_numeric_version_codes_stay_as_they_are(version: object) -> None:
    model = {n: v for n, v in DICTIONARY.items() if n != "om_compress_version"}
    model |= {} if version is None else {"om_compress_version": version}
    found = definition({encode_position(9): 1}, model)
    assert undo(found) is None
    assert list(found.graphs[0].operators[0].attributes) == [encode_position(9)]


def test_version_minus_one_means_not_compressed() -> None:
    found = definition({encode_position(9): 1}, DICTIONARY | {"om_compress_version": -1})
    assert undo(found) is None


def test_graphs_that_are_not_loaded_are_not_resolved() -> None:
    bad = OperatorSpec("d", "Data", attributes={encode_position(9): 1})
    data = build_model_definition([GraphSpec("g"), GraphSpec("unused", (bad,))], DICTIONARY)
    found = decode_model_definition(data)
    assert undo(found) is None


def test_positions_beyond_the_lists_are_never_taken_from_the_end() -> None:
    with pytest.raises(Exception, match="asked for"):
        Dictionary(("a",), (True,), ("x",)).text(-1)
