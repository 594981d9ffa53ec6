"""Whether a new file holds what a plan had somebody state in the source model."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from preflight.model.file import read_model
from preflight.model.manifest import Attribute, ModelFile, Operator
from preflight.plan.defaults import same_value, shortest, shown_value
from preflight.plan.model import Statement, Step
from preflight.plan.stated import stated_values
from tests.plan.plans import plan

SCENARIOS = Path(__file__).resolve().parent / "scenarios"
OLD = "/m/old.om"


def model(value: object, name: str = "norm", attribute: str = "eps") -> ModelFile:
    """A model of one operator with one attribute."""
    base = read_model(SCENARIOS / "group_norm.om")
    assert base.manifest is not None
    (graph,) = base.manifest.graphs
    operator: Operator = next(o for o in graph.operators if o.name == "norm")
    held = {attribute: Attribute(attribute, "f", value)}
    changed = replace(graph, operators=(replace(operator, name=name, attributes=held),))
    return replace(base, manifest=replace(base.manifest, graphs=(changed,)))


def looked(statement: str, new: ModelFile) -> tuple[tuple[str, ...], tuple[str, ...]]:
    step = Step("e", "edit_source_model", "e", model=OLD, instruction="state it")
    step = replace(step, statements=(Statement("norm", "eps", statement),))
    found = stated_values(plan(step), OLD, new)
    return found.lost, found.unseen


@pytest.mark.parametrize(
    ("statement", "value"),
    [
        ("0.0001", 9.999999747378752e-05),
        ("1e-04", 1e-4),
        ("True", True),
        ("4", 4),
        ("NCHW", b"NCHW"),
        ("[1, 2]", [1, 2]),
    ],
)
def test_the_value_of_the_statement_is_found(statement: str, value: object) -> None:
    assert looked(statement, model(value)) == ((), ())


def test_another_value_is_lost_and_said_short() -> None:
    lost, unseen = looked("0.0001", model(9.999999747378752e-06))
    assert lost == ("norm.eps is 1e-05 in the new model, not 0.0001",)
    assert unseen == ()


def test_what_the_compiler_renamed_or_left_out_is_not_lost() -> None:
    assert looked("0.0001", model(1e-5, name="norm_fused")) == ((), ("norm.eps",))
    assert looked("0.0001", model(1e-5, attribute="epsilon")) == ((), ("norm.eps",))


@given(st.floats(width=32, allow_nan=False, allow_infinity=False))
def test_the_short_form_is_the_same_single(value: float) -> None:
    assert same_value(shortest(value), value)
    assert same_value(float(shown_value(value)), value)
