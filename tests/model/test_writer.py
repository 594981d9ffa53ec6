"""What is written comes back when it is read."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from preflight.errors import UsageError
from preflight.model.definition import decode_model_definition
from preflight.model.writer import GraphSpec, OperatorSpec, TensorSpec, build_model_definition

_NAMES = st.text(max_size=6)
_SCALARS = st.one_of(
    st.booleans(),
    st.integers(-(1 << 63), (1 << 63) - 1),
    st.text(max_size=10),
    st.binary(max_size=10),
)
_LISTS = st.one_of(
    st.lists(st.booleans(), min_size=1, max_size=4),
    st.lists(st.integers(-(1 << 63), (1 << 63) - 1), min_size=1, max_size=4),
    st.lists(st.text(max_size=5), min_size=1, max_size=4),
    st.lists(st.lists(st.integers(-9, 9), max_size=3), min_size=1, max_size=3),
)


@given(st.dictionaries(_NAMES, st.one_of(_SCALARS, _LISTS), max_size=5))
def test_model_attributes_round_trip(attributes: dict[str, object]) -> None:
    found = decode_model_definition(build_model_definition([GraphSpec("g")], attributes))
    assert found.ok
    assert {name: found.attributes[name].value for name in found.attributes} == attributes


_DESCS = st.builds(
    TensorSpec,
    dtype=st.sampled_from(["FLOAT", "FLOAT16", "INT64", "BOOL", "BF16", "INT4"]),
    shape=st.lists(st.integers(-2, 1 << 40), max_size=4).map(tuple),
    format=st.sampled_from(["NCHW", "ND", "NC1HWC0:16", "anything"]),
    size=st.integers(0, 1 << 40),
)


@given(st.lists(_DESCS, max_size=4))
def test_descriptors_round_trip(descs: list[TensorSpec]) -> None:
    operator = OperatorSpec("d", "Data", (), (), tuple(descs))
    found = decode_model_definition(build_model_definition([GraphSpec("g", (operator,))]))
    read = found.graphs[0].operators[0].output_descs
    assert [(d.dtype, d.shape, d.format, d.size or 0) for d in read] == [
        (d.dtype, d.shape, d.format, d.size) for d in descs
    ]


@given(st.text(max_size=8), st.text(max_size=8), st.integers(0, (1 << 32) - 1))
def test_names_and_versions_round_trip(name: str, custom: str, version: int) -> None:
    data = build_model_definition(
        [GraphSpec(name)], name=name, custom_version=custom, version=version
    )
    found = decode_model_definition(data)
    assert (found.name, found.custom_version, found.version) == (name, custom, version)
    assert found.graphs[0].name == name


def test_same_description_gives_the_same_bytes() -> None:
    forward = {"a": 1, "b": "x", "c": [1, 2]}
    backward = dict(reversed(forward.items()))
    graph = GraphSpec("g", (OperatorSpec("d", "Data", attributes=forward),))
    other = GraphSpec("g", (OperatorSpec("d", "Data", attributes=backward),))
    assert build_model_definition([graph], forward) == build_model_definition([other], backward)


@pytest.mark.parametrize("value", [[], None, object(), 1j])
def test_values_without_a_type_are_refused(value: object) -> None:
    with pytest.raises(UsageError, match="explicit type"):
        build_model_definition([GraphSpec("g")], {"x": value})
