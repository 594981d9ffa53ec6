"""Inputs and outputs of a model from its graph, for files without MODEL_INOUT_INFO (§A.9)."""

from __future__ import annotations

from msgspec.structs import replace

from preflight.model.attributes import message_number
from preflight.model.definition import ModelDefinition
from preflight.model.manifest import Operator, TensorInfo

_DATA_TYPES = frozenset({"Data", "AnnData", "RefData", "AippData"})


def graph_boundary(
    definition: ModelDefinition,
) -> tuple[tuple[TensorInfo, ...], tuple[TensorInfo, ...]]:
    """Inputs by the `index` attribute of the Data operators, outputs as NetOutput takes them.

    Origin shapes and formats are what a user fed, so they stand beside the device's own.
    """
    root = definition.root
    if root is None:
        return (), ()
    data: list[tuple[int, int, Operator]] = []
    outputs: tuple[TensorInfo, ...] = ()
    # Only boundary operators are made: a big graph stays untouched.
    assert definition.message is not None
    wanted = _DATA_TYPES | {"NetOutput"}
    message = next(g for g in reversed(definition.message.graph) if g.name == root.name)
    for position, raw in enumerate(message.op):
        if raw.type not in wanted:
            continue
        operator = root.operators[position]
        if operator.type == "NetOutput":
            outputs = _outputs(operator)
        else:
            index = message_number(operator.attributes.get("index"))
            data.append((position if index is None else index, position, operator))
    data.sort(key=lambda entry: entry[:2])
    return tuple(_input(operator) for _, _, operator in data), outputs


def _input(operator: Operator) -> TensorInfo:
    descs = operator.output_descs or operator.input_descs
    if not descs:
        return TensorInfo(name=operator.name, dtype="UNDEFINED", format="", shape=None)
    return replace(descs[0], name=operator.name)


def _outputs(operator: Operator) -> tuple[TensorInfo, ...]:
    named = []
    for position, desc in enumerate(operator.input_descs):
        edge = operator.inputs[position] if position < len(operator.inputs) else None
        name = f"{edge[0]}:{edge[1]}" if edge else desc.name or f"output{position}"
        named.append(replace(desc, name=name))
    return tuple(named)
