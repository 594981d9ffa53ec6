"""Changes between prototypes: kinds, values, categories, and what is only another spelling."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from preflight.findings import Certainty
from preflight.registry.diff import diff_prototypes, diff_releases
from preflight.registry.dtypes import dtype_set, spelt_set
from preflight.registry.kinds import KINDS, Category, Change
from preflight.registry.prototype import AttributeSpec, Port, Prototype, SubgraphSpec
from tests.registry.builders import FLOATS, attr, op

OLD, NEW = "2020-12-31", "2025-06-01"


def changes(old: Prototype, new: Prototype) -> list[tuple[str, str, str | None, str | None]]:
    return [(c.kind.name, c.field, c.old, c.new) for c in diff_prototypes(old, new)]


def inputs(*names: str) -> tuple[Port, ...]:
    """`?x` is optional, `*x` dynamic."""
    kinds = {"?": "OPTIONAL_INPUT", "*": "DYNAMIC_INPUT"}
    return tuple(Port(n.lstrip("?*"), kinds.get(n[0], "INPUT"), FLOATS) for n in names)


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        (("x", "axis"), ("axis", "x"), ("input_reordered", "*", "x,axis", "axis,x")),
        (("x",), ("x", "?b"), ("input_added_optional_end", "b", None, "OPTIONAL_INPUT@1")),
        (
            ("x", "z"),
            ("x", "?b", "z"),
            ("input_added_optional_middle", "b", None, "OPTIONAL_INPUT@1"),
        ),
        (("x",), ("x", "b"), ("input_added_required_end", "b", None, "INPUT@1")),
        (("x",), ("b", "x"), ("input_added_required_middle", "b", None, "INPUT@0")),
        (
            ("x", "z"),
            ("x", "*b", "z"),
            ("input_added_dynamic_middle", "b", None, "DYNAMIC_INPUT@1"),
        ),
        (("x", "b"), ("x",), ("input_removed", "b", "INPUT", None)),
        (("x", "scale"), ("x", "gamma"), ("input_renamed", "scale", "scale", "gamma")),
        (("x", "b"), ("x", "?b"), ("input_kind_changed", "b", "INPUT", "OPTIONAL_INPUT")),
        (("x", "?b"), ("x", "b"), ("input_kind_changed", "b", "OPTIONAL_INPUT", "INPUT")),
    ],
)
def test_inputs(
    before: tuple[str, ...], after: tuple[str, ...], expected: tuple[object, ...]
) -> None:
    assert changes(op(inputs=inputs(*before)), op(inputs=inputs(*after))) == [expected]


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ((attr("a"),), (), [("attr_removed", "a", "Int =0", None)]),
        ((attr("a", default=None),), (), [("attr_removed", "a", "Int required", None)]),
        ((attr("a"),), (attr("b"),), [("attr_renamed", "a", "a", "b")]),
        ((attr("a"),), (attr("a", default="1"),), [("attr_default_changed", "a", "0", "1")]),
        ((attr("a", "Float", "1.0"),), (attr("a", "Float", "1.00"),), []),
        (
            (attr("a"),),
            (attr("a", default=None),),
            [("attr_optional_to_required", "a", "0", "required")],
        ),
        (
            (attr("a", default=None),),
            (attr("a"),),
            [("attr_required_to_optional", "a", "required", "0")],
        ),
        ((), (attr("a"),), [("attr_added_default", "a", None, "Int=0@0")]),
        ((), (attr("a", default=None),), [("attr_added_required", "a", None, "Int@0")]),
        ((attr("a"), attr("b")), (attr("b"), attr("a")), [("attr_reordered", "*", "a,b", "b,a")]),
        (
            (attr("a", "Bool", "true"),),
            (attr("a", "ListInt", "[1]"),),
            [
                ("attr_type_changed", "a", "Bool", "ListInt"),
                ("attr_default_changed", "a", "true", "[1]"),
            ],
        ),
    ],
)
def test_attributes(
    before: tuple[AttributeSpec, ...], after: tuple[AttributeSpec, ...], expected: list[object]
) -> None:
    assert changes(op(attrs=before), op(attrs=after)) == expected


def test_an_attribute_that_moved_and_changed_its_name_has_a_hint() -> None:
    old = op(attrs=(attr("epsilon", "Float", "1e-4"), attr("n")))
    new = op(attrs=(attr("n"), attr("eps", "Float", "1e-4")))
    removed = next(c for c in diff_prototypes(old, new) if c.kind.name == "attr_removed")
    assert removed.note == "perhaps renamed to eps: same type and default"


@pytest.mark.parametrize(
    ("before", "after", "kind", "old", "new"),
    [
        ("TensorType({DT_FLOAT})", "TensorType({DT_FLOAT, DT_BF16})", "widened", "-", "+DT_BF16"),
        ("TensorType({DT_FLOAT, DT_BF16})", "TensorType({DT_FLOAT})", "narrowed", "-DT_BF16", "+"),
        ("TensorType({DT_INT8})", "TensorType({DT_INT32})", "replaced", "-DT_INT8", "+DT_INT32"),
        (
            "TensorType({DT_FLOAT32})",
            "TensorType{DT_FLOAT}",
            "respelled",
            "TensorType({DT_FLOAT32})",
            "TensorType{DT_FLOAT}",
        ),
        (
            "TensorType::IndexNumberType()",
            "TensorType({DT_INT32, DT_INT64})",
            "respelled",
            "TensorType::IndexNumberType()",
            "TensorType({DT_INT32, DT_INT64})",
        ),
    ],
)
def test_data_types(before: str, after: str, kind: str, old: str, new: str) -> None:
    pair = [op(inputs=(Port("x", "INPUT", text),)) for text in (before, after)]
    assert changes(*pair) == [(f"input_dtype_{kind}", "x", old, new)]


def test_a_group_name_means_what_it_meant_in_that_release() -> None:
    assert "DT_BF16" not in dtype_set("TensorType::NumberType()", (), OLD)
    assert "DT_BF16" in dtype_set("TensorType::NumberType()", (), NEW)
    assert "DT_BF16" not in dtype_set("TensorType::FloatingDataType()", (), NEW)
    same = op(inputs=(Port("x", "INPUT", "TensorType::NumberType()"),))
    (change,) = diff_prototypes(same, same, OLD, NEW)
    assert (change.kind.name, change.new) == ("input_dtype_widened", "+DT_BF16 DT_COMPLEX32")
    assert "group name" in change.note
    assert not diff_prototypes(same, same, NEW, NEW)


def test_between_the_dated_headers_a_group_is_less_certain() -> None:
    old = op(inputs=(Port("x", "INPUT", "TensorType::BasicType()"),))
    new = op(inputs=(Port("x", "INPUT", "TensorType({DT_FLOAT})"),))
    (change,) = diff_prototypes(old, new, "2022-06-01", "2022-07-01")
    assert change.certainty is Certainty.LIKELY
    (change,) = diff_prototypes(old, new, NEW, NEW)
    assert change.certainty is Certainty.CERTAIN


def test_symbols_are_resolved_and_a_cycle_ends() -> None:
    symbols = (("T", "TensorType({DT_FLOAT})"), ("T2", 'Promote({"T", "T2"})'))
    assert dtype_set("T", symbols) == {"DT_FLOAT"}
    assert "DT_FLOAT" in spelt_set("T2", symbols)
    old = op(outputs=(Port("y", "OUTPUT", "T"),), datatypes=symbols[:1])
    new = replace(old, datatypes=(("T", "TensorType({DT_FLOAT, DT_BF16})"),))
    assert changes(old, new) == [("output_dtype_widened", "y", "-", "+DT_BF16")]


def test_a_corrected_misspelling_is_doubted() -> None:
    old = op(inputs=(Port("x", "INPUT", "TensorType({DT_BFLOAT16})"),))
    new = op(inputs=(Port("x", "INPUT", "TensorType({DT_BF16})"),))
    (change,) = diff_prototypes(old, new)
    assert change.kind.name == "input_dtype_replaced"
    assert change.certainty is Certainty.POSSIBLE


def test_subgraphs() -> None:
    old = op(subgraphs=(SubgraphSpec("then", "STATIC"),))
    new = op(subgraphs=(SubgraphSpec("then", "DYNAMIC"), SubgraphSpec("else", "STATIC")))
    assert changes(old, new) == [
        ("subgraph_kind_changed", "then", "STATIC", "DYNAMIC"),
        ("subgraph_added", "else", None, "STATIC@1"),
    ]
    assert changes(new, old)[0] == ("subgraph_removed", "else", "STATIC", None)


def test_an_operator_that_the_new_side_lacks_is_judged_by_the_record() -> None:
    old = {"Foo": op("Foo"), "Bar": op("Bar")}
    (removed,) = diff_releases(old, {"Foo": op("Foo")})
    assert removed.kind.code == "OH102"
    (missing,) = diff_releases(
        old,
        {"Foo": op("Foo")},
        absent=lambda _: (False, Certainty.POSSIBLE, "open repositories only"),
    )
    assert (missing.kind.code, missing.kind.category) == ("OH103", Category.UNKNOWN)
    (added,) = diff_releases({"Foo": op("Foo")}, old)
    assert added.kind.code == "OH101"


def test_codes_are_unique_and_in_their_bands() -> None:
    codes = [kind.code for kind in KINDS.values()]
    assert len(set(codes)) == len(codes)
    bands = {"op": "1", "input": "2", "output": "3", "attr": "4", "subgraph": "6"}
    for kind in KINDS.values():
        band = "5" if "dtype" in kind.name else bands[kind.name.split("_")[0]]
        assert kind.code.startswith(f"OH{band}"), kind


kinds_of_input = st.sampled_from(["INPUT", "OPTIONAL_INPUT", "DYNAMIC_INPUT"])
texts = st.sampled_from([FLOATS, "TensorType({DT_INT8})", "TensorType::NumberType()"])
ports = st.lists(
    st.builds(Port, st.sampled_from("abcd"), kinds_of_input, texts),
    max_size=4,
    unique_by=lambda p: p.name,
).map(tuple)
attributes = st.lists(
    st.builds(attr, st.sampled_from("mnop"), st.just("Int"), st.sampled_from(["0", "1", None])),
    max_size=4,
    unique_by=lambda a: a.name,
).map(tuple)
operators = st.builds(lambda i, a: op(inputs=i, attrs=a), ports, attributes)


@given(operators, operators)
def test_no_change_means_equal_and_equal_means_no_change(old: Prototype, new: Prototype) -> None:
    assert not diff_prototypes(old, old)
    assert bool(diff_prototypes(old, new)) == (old != new)


@given(operators, operators)
def test_looking_back_swaps_lost_and_gained(old: Prototype, new: Prototype) -> None:
    def count(changes_found: tuple[Change, ...], *names: str) -> int:
        return sum(c.kind.name in names for c in changes_found)

    there, back = diff_prototypes(old, new), diff_prototypes(new, old)
    assert count(there, "attr_removed") == count(back, "attr_added_default", "attr_added_required")
    assert count(there, "attr_default_changed") == count(back, "attr_default_changed")
    assert count(there, "input_reordered") == count(back, "input_reordered")
    assert sum(c.kind.name.endswith("_narrowed") for c in there) == sum(
        c.kind.name.endswith("_widened") for c in back
    )


@given(operators, st.lists(st.sampled_from("mnop"), unique=True))
def test_adding_only_optional_things_at_the_end_breaks_nothing(
    base: Prototype, more: list[str]
) -> None:
    known = {a.name for a in base.attrs}
    grown = replace(
        base,
        inputs=(*base.inputs, Port("last", "OPTIONAL_INPUT", FLOATS)),
        attrs=(*base.attrs, *(attr(n) for n in more if n not in known)),
    )
    assert all(c.kind.category is Category.COMPATIBLE for c in diff_prototypes(base, grown))
