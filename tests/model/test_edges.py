"""Edges, boundaries of graphs, and subgraphs, as the loader joins them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from preflight.model.definition import decode_model_definition
from preflight.model.edges import split_input
from preflight.model.writer import GraphSpec, OperatorSpec, TensorSpec, build_model_definition

T = TensorSpec("FLOAT", (1, 2), "NCHW")
DATA = OperatorSpec("d", "Data", (), (), (T,))


def read(*graphs: GraphSpec):  # type: ignore[no-untyped-def]  # short for the tests below
    return decode_model_definition(build_model_definition(graphs))


def relu(*inputs: str, descs: int = 1) -> OperatorSpec:
    return OperatorSpec("r", "Relu", inputs, (T,) * descs, (T,))


@pytest.mark.parametrize(
    ("text", "edge"),
    [
        ("d:0", ("d", 0)),
        ("a:b:1", ("a:b", 1)),
        ("d:", ("d", 0)),
        ("d:x", ("d", 0)),
        ("d: 7z", ("d", 7)),
        ("d:+3", ("d", 3)),
        ("d:-1", ("d", -1)),
        ("d:4294967296", ("d", 0)),
        ("d:2147483648", ("d", -(1 << 31))),
        ("d:99999999999999999999999", ("d", -1)),
        ("d:-99999999999999999999999", ("d", 0)),
        ("d", None),
        ("", None),
        (":0", ("", 0)),
        ("d:١", ("d", 0)),  # a digit of another script is no digit for strtol
    ],
)
def test_input_text_splits_at_the_last_colon(text: str, edge: tuple[str, int] | None) -> None:
    assert split_input(text) == edge


@given(st.text(max_size=8), st.integers(-(1 << 70), 1 << 70))
def test_index_is_always_32_bits(name: str, index: int) -> None:
    edge = split_input(f"{name}:{index}")
    assert edge is not None
    assert edge[0] == name
    assert -(1 << 31) <= edge[1] < 1 << 31
    if -(1 << 31) <= index < 1 << 31:
        assert edge[1] == index


def test_data_and_control_edges_are_joined_by_slot() -> None:
    found = read(GraphSpec("g", (DATA, relu("d:-1", "nothing", "d:0", descs=2))))
    assert found.ok
    joined = found.graphs[0].operators[1]
    assert joined.inputs == (None, ("d", 0))
    assert joined.control_inputs == ("d",)


@pytest.mark.parametrize(
    ("operator", "why", "codes"),
    [
        (relu("nobody:0"), "dangling_input", ("E19999",)),
        (relu("nobody:-1"), "dangling_input", ("E19999",)),
        (relu("D:0"), "dangling_input", ("E19999",)),
        (relu("d:1"), "output_index_out_of_range", ("E18888", "E19999")),
        (relu("d:0", "d:0"), "input_index_out_of_range", ("E19999",)),
        (relu("ignored", "d:0"), "input_index_out_of_range", ("E19999",)),
    ],
)
def test_bad_edges_fail(operator: OperatorSpec, why: str, codes: tuple[str, ...]) -> None:
    found = read(GraphSpec("g", (DATA, operator)))
    assert [f.check for f in found.faults] == ["def.edges"]
    assert found.faults[0].data["why"] == why
    assert found.faults[0].message_codes == codes
    assert found.faults[0].position == (80, 0, 83)


def test_cycles_and_duplicate_names_pass() -> None:
    a = OperatorSpec("a", "A", ("b:0",), (T,), (T,))
    b = OperatorSpec("b", "B", ("a:0",), (T,), (T,))
    assert read(GraphSpec("g", (a, b))).ok
    first, last = OperatorSpec("x", "X", (), (), ()), OperatorSpec("x", "X", (), (), (T,))
    assert read(GraphSpec("g", (first, last, relu("x:0")))).ok, "the last of a name counts"
    assert not read(GraphSpec("g", (last, first, relu("x:0")))).ok


def test_graph_boundary_must_exist_when_it_has_a_colon() -> None:
    assert read(GraphSpec("g", (DATA,), outputs=("d:0", "whatever"))).ok
    found = read(GraphSpec("g", (DATA,), outputs=("nobody:0",)))
    assert found.faults[0].data["why"] == "graph_io_missing_op"
    assert not read(GraphSpec("g", (DATA,), inputs=("nobody:0",))).ok


def caller(*names: str) -> OperatorSpec:
    return OperatorSpec("if", "If", subgraphs=names)


def test_subgraph_names_count_only_with_several_graph_names() -> None:
    assert read(GraphSpec("g", (caller("nowhere"),))).ok
    assert read(GraphSpec("g", (caller("nowhere"),)), GraphSpec("g")).ok
    found = read(GraphSpec("g", (caller("nowhere"),)), GraphSpec("s"))
    assert found.faults[0].data["why"] == "subgraph_unresolved"
    assert found.faults[0].message_codes == ("E18888", "E19999")


def test_only_reachable_subgraphs_are_resolved_and_kept() -> None:
    lonely = GraphSpec("lonely", (caller("nowhere"),))
    found = read(GraphSpec("g", (caller("s"),)), GraphSpec("s", (DATA,)), lonely)
    assert found.ok
    assert [g.name for g in found.reachable] == ["s"]
    nested = GraphSpec("s", (caller("nowhere"),))
    assert not read(GraphSpec("g", (caller("s"),)), nested).ok


def test_bad_edge_in_an_unused_graph_fails_all_the_same() -> None:
    assert not read(GraphSpec("g"), GraphSpec("unused", (relu("nobody:0"),))).ok


def test_the_last_graph_of_the_roots_name_is_the_root() -> None:
    found = read(GraphSpec("", (DATA,)), GraphSpec("", (OperatorSpec("e", "Data"),)))
    assert found.root is not None
    assert [op.name for op in found.root.operators] == ["e"]


def test_subgraphs_that_call_each_other_end() -> None:
    found = read(GraphSpec("g", (caller("s"),)), GraphSpec("s", (caller("g", "s"),)))
    assert found.ok


def test_constant_with_a_file_is_a_conditional_fault() -> None:
    where = {"location": "/weights/w.bin", "length": 4}
    found = read(GraphSpec("g", (OperatorSpec("c", "Const", attributes=where),)))
    fault = found.faults[0]
    assert (fault.check, fault.data["why"]) == ("def.parse", "const_file")
    assert fault.data["conditional"] is True
    assert fault.data["location"] == "/weights/w.bin"
    assert read(GraphSpec("g", (OperatorSpec("c", "FileConstant", attributes=where),))).ok
    assert read(GraphSpec("g", (OperatorSpec("c", "Const", attributes={"length": 4}),))).ok
    odd = {"location": 7, "length": 4}
    assert read(GraphSpec("g", (OperatorSpec("c", "Const", attributes=odd),))).ok


def test_faults_of_one_definition_are_capped() -> None:
    bad = tuple(OperatorSpec(f"r{i}", "R", ("nobody:0",), (T,)) for i in range(200))
    assert len(read(GraphSpec("g", bad)).faults) == 50
