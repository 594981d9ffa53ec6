"""What fingerprints keep and what they notice."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from preflight.model.fingerprint import fingerprint_model
from preflight.model.manifest import Attribute, Gears
from preflight.model.meaning import attribute_filter, value_text
from preflight.model.writer import GraphSpec, OperatorSpec, TensorSpec
from tests.support.models import change, manifest, renamed, small_graph, with_attribute

Edit = Callable[[GraphSpec], GraphSpec]


def graph_print(*graphs: GraphSpec) -> str:
    return fingerprint_model(manifest(*graphs)).model


SAME: dict[str, Edit] = {
    "order": lambda g: replace(g, operators=tuple(reversed(g.operators))),
    "graph name": lambda g: replace(g, name="other_17"),
    "temporary name": lambda g: renamed(g, {"trans_TransData_4": "trans_TransData_11"}),
    "every name": lambda g: renamed(g, {op.name: f"n{i}" for i, op in enumerate(g.operators)}),
    "stream": lambda g: with_attribute(g, "conv", stream_id=9),
    "kernel name": lambda g: with_attribute(g, "conv", conv_kernelname="te_conv_2__kernel0"),
    "another kernel name": lambda g: with_attribute(g, "conv", other_kernelname="k"),
    "compiler's note": lambda g: with_attribute(g, "conv", _op_slice_info="{}"),
    "workspace": lambda g: with_attribute(g, "conv", workspaceSize=4096),
}

DIFFERENT: dict[str, Edit] = {
    "attribute value": lambda g: with_attribute(g, "norm", epsilon=1e-6),
    "attribute type": lambda g: with_attribute(g, "norm", begin_norm_axis=1.0),
    "new attribute": lambda g: with_attribute(g, "norm", begin_params_axis=1),
    "kept note": lambda g: with_attribute(g, "norm", _op_impl_mode_enum=2),
    "operator type": lambda g: change(g, "norm", lambda op: replace(op, type="GroupNorm")),
    "shape": lambda g: change(
        g, "norm", lambda op: replace(op, output_descs=(TensorSpec("FLOAT16", (1, 16, 64)),))
    ),
    "data type": lambda g: change(
        g,
        "norm",
        lambda op: replace(op, output_descs=(replace(op.output_descs[0], dtype="FLOAT"),)),
    ),
    "layout": lambda g: change(
        g, "norm", lambda op: replace(op, output_descs=(replace(op.output_descs[0], format="ND"),))
    ),
    "edge": lambda g: change(g, "norm", lambda op: replace(op, inputs=("conv:0",))),
    "control edge": lambda g: change(
        g, "norm", lambda op: replace(op, inputs=(*op.inputs, "image:-1"))
    ),
    "input order": lambda g: change(g, "conv", lambda op: replace(op, inputs=op.inputs[::-1])),
    "operator added": lambda g: replace(g, operators=(*g.operators, OperatorSpec("extra", "NoOp"))),
    "operator removed": lambda g: replace(
        change(g, "norm", lambda op: replace(op, inputs=("conv:0",))),
        operators=tuple(op for op in g.operators if op.type != "TransData"),
    ),
    "constant's data": lambda g: with_attribute(
        g, "weight", value=TensorSpec("FLOAT16", (16, 3, 3, 3), "NCHW", data=b"\0\1")
    ),
}


@pytest.mark.parametrize("case", SAME)
def test_what_does_not_matter(case: str) -> None:
    assert graph_print(SAME[case](small_graph())) == graph_print(small_graph())


@pytest.mark.parametrize("case", DIFFERENT)
def test_what_matters(case: str) -> None:
    assert graph_print(DIFFERENT[case](small_graph())) != graph_print(small_graph())


def test_which_of_two_equal_producers_is_read() -> None:
    def graph(second: str) -> GraphSpec:
        desc = (TensorSpec(),)
        return GraphSpec(
            "g",
            (
                OperatorSpec("a1", "Range", output_descs=desc),
                OperatorSpec("a2", "Range", output_descs=desc),
                OperatorSpec("b", "Relu", ("a1:0",), desc, desc),
                OperatorSpec("c", "Abs", (f"{second}:0",), desc, desc),
            ),
        )

    assert graph_print(graph("a1")) != graph_print(graph("a2"))


def test_subgraphs_count_and_their_names_do_not() -> None:
    def graphs(inner: str, epsilon: float) -> list[GraphSpec]:
        call = OperatorSpec("call", "PartitionedCall", subgraphs=(inner,))
        body = GraphSpec(inner, (OperatorSpec("n", "LayerNorm", attributes={"epsilon": epsilon}),))
        return [GraphSpec("main", (call,)), body]

    assert graph_print(*graphs("body", 1e-5)) == graph_print(*graphs("body_7", 1e-5))
    assert graph_print(*graphs("body", 1e-5)) != graph_print(*graphs("body", 1e-6))
    prints = fingerprint_model(manifest(*graphs("body", 1e-5)))
    changed = fingerprint_model(manifest(*graphs("body", 1e-6)))
    assert [g.name for g in prints.graphs] == ["main", "body"]
    assert all(a != b for a, b in zip(prints.graphs, changed.graphs, strict=True))


def test_loops_and_self_references_end() -> None:
    desc = (TensorSpec(),)

    def loop(kind: str) -> GraphSpec:
        return GraphSpec(
            "g",
            (
                OperatorSpec("a", "Relu", ("b:0",), desc, desc),
                OperatorSpec("b", kind, ("a:0",), desc, desc),
                OperatorSpec("c", "Abs", ("c:0",), desc, desc, subgraphs=("g",)),
            ),
        )

    backwards = replace(loop("Exp"), operators=loop("Exp").operators[::-1])
    assert graph_print(loop("Exp")) == graph_print(backwards)
    assert graph_print(loop("Exp")) != graph_print(loop("Log"))


def test_attribute_compression_keeps_it() -> None:
    graph = with_attribute(small_graph(), "norm", mode="tanh")
    names = ["epsilon", "begin_norm_axis", "strides", "pads", "data_format", "mode"]
    code = {name: bytes([0, i + 1]).decode() for i, name in enumerate(names)}
    flags = [name == "mode" for name in names]

    def packed(op: OperatorSpec) -> OperatorSpec:
        attributes = {code.get(n, n): 0 if n == "mode" else v for n, v in op.attributes.items()}
        return replace(op, attributes=attributes)

    compressed = replace(graph, operators=tuple(map(packed, graph.operators)))
    plain = fingerprint_model(manifest(graph))
    found = manifest(
        compressed,
        om_compress_version=1,
        attr_name_enum=names,
        attrs_use_string_value=flags,
        attr_value_enum=["tanh"],
    )
    assert found.compressed_attributes
    assert fingerprint_model(found).model == plain.model


def test_the_interface_is_what_callers_see() -> None:
    plain = fingerprint_model(manifest(small_graph())).interface
    renamed_input = renamed(small_graph(), {"image": "picture"})
    assert fingerprint_model(manifest(renamed_input)).interface != plain
    other = with_attribute(small_graph(), "norm", epsilon=1.0)
    assert fingerprint_model(manifest(other)).interface == plain
    geared = replace(manifest(small_graph()), gears=Gears(batch=(1, 2)))
    assert fingerprint_model(geared).interface != plain


def test_running_numbers_of_inserted_nodes() -> None:
    rule = attribute_filter()
    assert rule.stable_name("trans_Cast_105trans_TransData_103:0") == (
        "trans_Cast_#trans_TransData_#:0"
    )
    assert rule.is_temporary("trans_Cast_5")
    assert not rule.is_temporary("transformer_1")


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.binary(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)


@given(value=VALUES, other=VALUES)
def test_equal_text_means_equal_value(value: object, other: object) -> None:
    same = value_text(value) == value_text(other)
    assert same == (repr_sorted(value) == repr_sorted(other))


def repr_sorted(value: object) -> str:
    if isinstance(value, dict):
        return "{" + ",".join(sorted(f"{k!r}:{repr_sorted(v)}" for k, v in value.items())) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(repr_sorted, value)) + "]"
    return repr(value)


def test_an_attribute_carries_its_type() -> None:
    assert value_text(Attribute("a", "i", 1)) != value_text(Attribute("a", "dt", 1))


@st.composite
def graphs(draw: st.DrawFn) -> GraphSpec:
    desc = (TensorSpec("FLOAT16", (2, 2)),)
    operators: list[OperatorSpec] = []
    for index in range(draw(st.integers(1, 12))):
        kind = draw(st.sampled_from(["Relu", "Add", "Cast"]))
        reads = draw(st.lists(st.integers(0, index - 1), max_size=2)) if index else []
        inputs = tuple(f"op{i}:0" for i in reads)
        attributes = {"axis": draw(st.integers(0, 2)), "stream_id": draw(st.integers(0, 9))}
        operators.append(
            OperatorSpec(f"op{index}", kind, inputs, desc * len(reads), desc, attributes)
        )
    return GraphSpec("g", tuple(operators))


@settings(max_examples=60, deadline=None)
@given(graph=graphs(), seed=st.integers(0, 1000))
def test_permuting_and_renaming_keep_it(graph: GraphSpec, seed: int) -> None:
    order = list(graph.operators)
    random.Random(seed).shuffle(order)
    fresh = {op.name: f"x{seed}_{i}" for i, op in enumerate(order)}
    shuffled = renamed(replace(graph, operators=tuple(order)), fresh)
    assert graph_print(shuffled) == graph_print(graph)


@settings(max_examples=60, deadline=None)
@given(graph=graphs(), data=st.data())
def test_any_changed_attribute_changes_it(graph: GraphSpec, data: st.DataObject) -> None:
    chosen = data.draw(st.sampled_from([op.name for op in graph.operators]))
    assert graph_print(with_attribute(graph, chosen, axis=7)) != graph_print(graph)
    assert graph_print(with_attribute(graph, chosen, stream_id=77)) == graph_print(graph)
