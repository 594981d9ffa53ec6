"""Two models: verdicts, interfaces, operators matched by name, origin and place."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec.structs import replace

from preflight import api
from preflight.compare.models import compare_files, compare_models
from preflight.compare.types import CompareVerdict, Difference, ModelComparison, Weights
from preflight.container.writer import write_bundle
from preflight.errors import MalformedInput
from preflight.model.writer import GraphSpec, OperatorSpec, TensorSpec, build_tasks
from tests.support.models import (
    build,
    change,
    model,
    renamed,
    small_graph,
    with_attribute,
)


def compare(folder: Path, old: bytes, new: bytes, **options: bool) -> ModelComparison:
    (folder / "old.om").write_bytes(old)
    (folder / "new.om").write_bytes(new)
    return compare_files(folder / "old.om", folder / "new.om", **options)


def graphs(old: GraphSpec, new: GraphSpec) -> ModelComparison:
    return compare_models(model([old]), model([new]))


def changes(comparison: ModelComparison) -> dict[str, tuple[Difference, ...]]:
    return {c.new_name: c.differences for c in comparison.operators.changed}


def test_the_same_build_is_interchangeable(tmp_path: Path) -> None:
    reordered = replace(small_graph(), operators=small_graph().operators[::-1])
    comparison = compare(tmp_path, build(), build([reordered], name="another"))
    assert comparison.verdict is CompareVerdict.INTERCHANGEABLE
    assert comparison.reasons == ()
    assert comparison.weights is Weights.EQUAL
    assert comparison.fingerprints[0] == comparison.fingerprints[1]


def test_an_epsilon_that_moved_is_seen(tmp_path: Path) -> None:
    comparison = compare(tmp_path, build([small_graph(1e-5)]), build([small_graph(1e-6)]))
    assert comparison.verdict is CompareVerdict.DIFFERENT_GRAPH
    assert comparison.interface == ()
    (found,) = changes(comparison)["norm"]
    assert found.subject == "attribute epsilon"
    assert (found.old, found.new) == ("1e-05", "1e-06")
    assert comparison.weights is Weights.NOT_COMPARED  # the answer was clear without reading them


def test_weights_decide_when_all_else_is_equal(tmp_path: Path) -> None:
    other = build(weights=b"\1" * 63 + b"\2")
    assert compare(tmp_path, build(), other).reasons == ("the weights differ",)
    assert compare(tmp_path, build(), other).weights is Weights.DIFFERENT
    unread = compare(tmp_path, build(), other, weights=False)
    assert unread.verdict is CompareVerdict.INTERCHANGEABLE
    assert unread.weights is Weights.NOT_COMPARED
    shorter = compare(tmp_path, build(), build(weights=b"\1"), weights=False)
    assert shorter.weights is Weights.DIFFERENT


def test_kernels_and_devices_stand_against_interchanging(tmp_path: Path) -> None:
    kernels = compare(tmp_path, build(kernels=b"\0" * 40), build(kernels=b"\1" * 40))
    assert kernels.reasons == ("TBE_KERNELS differs: other code runs",)
    device = compare(tmp_path, build(), build(attributes={"soc_version": "Ascend310P3"}))
    assert device.verdict is CompareVerdict.DIFFERENT_GRAPH
    assert device.reasons == ("they are compiled for different devices",)
    assert Difference("soc_version", "Ascend910B3", "Ascend310P3") in device.facts


def test_damage_stands_against_it(tmp_path: Path) -> None:
    cut = build()[:-4]
    damaged = compare(tmp_path, build(), cut)
    assert "they do not fail the same load checks" in damaged.reasons
    assert damaged.verdict is CompareVerdict.DIFFERENT_GRAPH
    assert any(d.subject == "failed load checks" for d in damaged.facts)


def test_other_task_lists_are_told(tmp_path: Path) -> None:
    comparison = compare(tmp_path, build(), build(tasks=build_tasks(streams=2)))
    assert comparison.verdict is CompareVerdict.INTERCHANGEABLE
    assert comparison.notes == ("the task lists (TASK_INFO) differ in their bytes",)


def test_versions_alone_do_not(tmp_path: Path) -> None:
    newer = {"atc_version": "7.8.0.1.1", "opp_version": "7.8.0.1.1"}
    static = compare(tmp_path, build(), build(attributes=newer))
    assert static.verdict is CompareVerdict.INTERCHANGEABLE
    assert [d.subject for d in static.facts] == ["atc_version", "opp_version"]
    dynamic = compare(
        tmp_path, build(is_unknow_model=1), build(attributes=newer, is_unknow_model=1)
    )
    assert dynamic.reasons == ("a dynamic model runs only where opp_version is the same",)


INTERFACES: dict[str, tuple[Callable[[GraphSpec], GraphSpec], str]] = {
    "name": (lambda g: renamed(g, {"image": "picture"}), "input 0 name"),
    "dtype": (
        lambda g: change(
            g,
            "image",
            lambda op: replace(
                op,
                input_descs=(replace(op.input_descs[0], dtype="FLOAT"),),
                output_descs=(replace(op.output_descs[0], dtype="FLOAT"),),
            ),
        ),
        "input 0 dtype",
    ),
    "shape": (
        lambda g: change(
            g,
            "image",
            lambda op: replace(
                op,
                input_descs=(replace(op.input_descs[0], shape=(2, 3, 8, 8)),),
                output_descs=(replace(op.output_descs[0], shape=(2, 3, 8, 8)),),
            ),
        ),
        "input 0 shape",
    ),
    "one more": (
        lambda g: replace(
            g,
            operators=(
                *g.operators,
                OperatorSpec("more", "Data", (), (TensorSpec(),), (TensorSpec(),), {"index": 1}),
            ),
        ),
        "number of inputs",
    ),
    "preprocessing": (
        lambda g: with_attribute(g, "image", _aipp_inputs=["NCHW:DT_UINT8"]),
        "input 'image' attribute _aipp_inputs",
    ),
}


@pytest.mark.parametrize("case", INTERFACES)
def test_interfaces(case: str) -> None:
    edit, subject = INTERFACES[case]
    comparison = graphs(small_graph(), edit(small_graph()))
    assert comparison.verdict is CompareVerdict.DIFFERENT_INTERFACE
    assert subject in [d.subject for d in comparison.interface]


def test_inputs_that_swapped_places() -> None:
    def two(first: int, second: int) -> GraphSpec:
        left, right = TensorSpec("FLOAT", (1,)), TensorSpec("FLOAT", (2,))
        return GraphSpec(
            "g",
            (
                OperatorSpec("a", "Data", (), (left,), (left,), {"index": first}),
                OperatorSpec("b", "Data", (), (right,), (right,), {"index": second}),
                OperatorSpec("out", "NetOutput", ("a:0", "b:0"), (left, right), ()),
            ),
        )

    comparison = graphs(two(0, 1), two(1, 0))
    assert comparison.interface == (Difference("order of inputs", "a, b", "b, a"),)


def test_inserted_nodes_are_found_by_their_place() -> None:
    old = small_graph()
    swapped = renamed(old, {"trans_TransData_4": "trans_TransData_9"})
    extra = OperatorSpec(
        "trans_TransData_4",
        "TransData",
        ("norm:0",),
        (old.operators[4].output_descs[0],),
        (old.operators[4].output_descs[0],),
        {"src_format": "NC1HWC0", "dst_format": "NCHW"},
    )
    new = replace(
        change(swapped, "out", lambda op: replace(op, inputs=("trans_TransData_4:0",))),
        operators=(
            *change(
                swapped, "out", lambda op: replace(op, inputs=("trans_TransData_4:0",))
            ).operators,
            extra,
        ),
    )
    comparison = graphs(old, new)
    assert dict(comparison.operators.matched)["place"] == 1
    assert [(r.name, r.type) for r in comparison.operators.added] == [
        ("trans_TransData_4", "TransData")
    ]
    assert comparison.operators.removed == ()
    assert set(changes(comparison)) == {"out"}  # only its edge moved
    assert [c.type for c in comparison.operators.counts] == ["TransData"]


def test_fused_operators_are_found_by_their_origin() -> None:
    old = small_graph()
    new = renamed(old, {"norm": "norm_fused_17"})
    new = change(new, "norm_fused_17", lambda op: replace(op, type="LayerNormV4"))
    (found,) = graphs(old, new).operators.changed
    assert (found.old_name, found.new_name, found.matched_by) == ("norm", "norm_fused_17", "origin")
    assert found.differences == (Difference("type", "LayerNorm", "LayerNormV4"),)


def test_edges_follow_renamed_producers() -> None:
    old = small_graph()
    new = with_attribute(renamed(old, {"conv": "conv_b"}), "norm", epsilon=0.5)
    assert set(changes(graphs(old, new))) == {"norm"}


def test_members_of_attribute_groups() -> None:
    def grouped(crop: int) -> GraphSpec:
        return with_attribute(small_graph(), "conv", group={"attr": {"crop": crop, "mode": 1}})

    (found,) = changes(graphs(grouped(1), grouped(2)))["conv"]
    assert found == Difference("attribute group.crop", "1", "2")


def test_models_inside_a_bundle(tmp_path: Path) -> None:
    old = write_bundle([build(), build()])
    assert compare(tmp_path, old, old).verdict is CompareVerdict.INTERCHANGEABLE
    changed = compare(tmp_path, old, write_bundle([build(), build([small_graph(1.0)])]))
    assert changed.verdict is CompareVerdict.DIFFERENT_GRAPH
    assert [c.verdict for c in changed.nested] == [
        CompareVerdict.INTERCHANGEABLE,
        CompareVerdict.DIFFERENT_GRAPH,
    ]
    fewer = compare(tmp_path, old, write_bundle([build()]))
    assert fewer.verdict is CompareVerdict.DIFFERENT_INTERFACE


def test_without_a_definition_there_is_nothing_to_compare(tmp_path: Path) -> None:
    with pytest.raises(MalformedInput, match="no readable model definition"):
        compare(tmp_path, build(), b"not a model at all")


@pytest.mark.shared
def test_real_models_equal_themselves_only(shared: Path) -> None:
    files = sorted((shared / "corpus" / "om").glob("*.om"))
    readable = [f for f in files if api.read_model(f).manifest is not None]
    assert len(readable) > 10
    for place, file in enumerate(readable):
        assert compare_files(file, file).verdict is CompareVerdict.INTERCHANGEABLE
        following = readable[(place + 1) % len(readable)]
        assert compare_files(file, following).verdict is not CompareVerdict.INTERCHANGEABLE
