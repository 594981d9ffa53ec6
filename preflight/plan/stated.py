"""Whether a new model holds the values that a plan had somebody state in the source model."""

from __future__ import annotations

import json

from msgspec import Struct

from preflight.model.manifest import ModelFile, Operator
from preflight.plan.defaults import same_value, shown_value
from preflight.plan.model import Plan, Statement


class StatedValues(Struct, frozen=True):
    """`lost` are attributes with another value than stated; `unseen` those that are not there."""

    lost: tuple[str, ...] = ()
    unseen: tuple[str, ...] = ()


def stated_values(plan: Plan, old: str, new: ModelFile) -> StatedValues:
    """Look for the statements about the model at `old` in the file that was compiled anew.

    An operator that the compiler fused or renamed is not there by its name: that says nothing
    about its value, so it is named and not counted as lost.
    """
    stated = [s for step in plan.steps if step.model == old for s in step.statements]
    if not stated:
        return StatedValues()
    operators: dict[str, Operator] = {}
    for model in (new, *new.nested):
        graphs = model.manifest.graphs if model.manifest is not None else ()
        operators |= {op.name: op for graph in graphs for op in graph.operators}
    lost: list[str] = []
    unseen: list[str] = []
    for statement in stated:
        operator = operators.get(statement.operator)
        recorded = operator.attributes.get(statement.attribute) if operator is not None else None
        name = f"{statement.operator}.{statement.attribute}"
        if recorded is None:
            unseen.append(name)
        elif not same_value(recorded.value, _value(statement)):
            found = shown_value(recorded.value)
            lost.append(f"{name} is {found} in the new model, not {statement.value}")
    return StatedValues(tuple(lost), tuple(unseen))


def _value(statement: Statement) -> object:
    """The value behind the literal in a plan, which a person may have edited."""
    plain = {"True": "true", "False": "false"}.get(statement.value, statement.value)
    try:
        return json.loads(plain)
    except ValueError:
        return statement.value
