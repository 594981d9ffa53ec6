"""Which nodes of a model a change of their operator's prototype touches."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping

from preflight.model.dtypes import dtype_number
from preflight.model.manifest import Attribute, Operator, TensorInfo
from preflight.registry.defaults import DefaultFault, parse_default
from preflight.registry.kinds import Change
from preflight.registry.prototype import AttributeSpec, Port, Prototype

_FLOAT32_STEP = 1e-6  # relative; a float attribute went through 32 bits


def touched(change: Change, nodes: Iterable[Operator], old: Prototype) -> tuple[Operator, ...]:
    """The nodes for which the change matters; none for kinds that touch nobody."""
    test = _TESTS.get(change.kind.name)
    return tuple(node for node in nodes if test(change, node, old)) if test else ()


def same_value(spec: AttributeSpec, attribute: Attribute) -> bool | None:
    """Whether a recorded attribute has the prototype's default; None when that cannot be told."""
    if spec.default_value is None:
        return None
    try:
        default = parse_default(spec.type, spec.default_value)
    except DefaultFault:
        return None
    return _equal(default, attribute.value)


def _equal(default: object, value: object) -> bool | None:
    if isinstance(value, bytes):
        value = value.decode(errors="replace")
    if isinstance(default, list):
        if not isinstance(value, list | tuple) or len(value) != len(default):
            return False
        pairs = [_equal(d, v) for d, v in zip(default, value, strict=True)]
        return None if None in pairs else all(pairs)
    if isinstance(default, bool) or isinstance(value, bool):
        return default is value
    if isinstance(default, str) and default.startswith("DT_") and isinstance(value, int):
        return dtype_number(default.removeprefix("DT_")) == value
    if isinstance(default, int | float) and isinstance(value, int | float):
        return math.isclose(default, value, rel_tol=_FLOAT32_STEP)
    return default == value if isinstance(default, str) and isinstance(value, str) else None


def port_dtype(node: Operator, ports: tuple[Port, ...], name: str, output: bool) -> set[str]:
    """The data types that a node has at a port, with the DT_ prefix.

    Before a dynamic port positions count from the front, behind it from the end.
    """
    descs = node.output_descs if output else node.input_descs
    return {f"DT_{d.dtype}" for d in _at_port(ports, descs, name) if d.dtype != "UNDEFINED"}


def _at_port(
    ports: tuple[Port, ...], descs: tuple[TensorInfo, ...], name: str
) -> tuple[TensorInfo, ...]:
    slots = _slots(ports, len(descs), name)
    return () if slots is None else descs[slots]


def _slots(ports: tuple[Port, ...], count: int, name: str) -> slice | None:
    """Which of a node's `count` inputs or outputs belong to a port; None when that is open.

    Behind two dynamic ports nobody can tell where one ends.
    """
    index = next((i for i, p in enumerate(ports) if p.name == name), None)
    if index is None:
        return slice(0, 0)
    dynamic = [i for i, p in enumerate(ports) if p.type.startswith("DYNAMIC")]
    if not dynamic or index < dynamic[0]:
        return slice(index, index + 1)
    if len(dynamic) > 1:
        return None
    behind = len(ports) - 1 - dynamic[0]
    if index == dynamic[0]:
        return slice(index, max(index, count - behind))
    start = count - (len(ports) - index)
    return slice(start, start + 1) if start >= 0 else slice(0, 0)


def _connected(node: Operator, ports: tuple[Port, ...], name: str) -> bool | None:
    """Whether a node has something at an input; None when that is open."""
    slots = _slots(ports, len(node.inputs), name)
    return None if slots is None else any(source is not None for source in node.inputs[slots])


def _positional(change: Change, node: Operator, old: Prototype) -> bool:
    return sum(source is not None for source in node.inputs) > 1


def _added_in_front(change: Change, node: Operator, old: Prototype) -> bool:
    """Something is connected at or behind the place where the new port was put in."""
    position = int((change.new or "@0").rpartition("@")[2])
    found = [_connected(node, old.inputs, port.name) for port in old.inputs[position:]]
    return any(state is not False for state in found)


def _input_gone(change: Change, node: Operator, old: Prototype) -> bool:
    return _connected(node, old.inputs, change.field) is not False


def _output_gone(change: Change, node: Operator, old: Prototype) -> bool:
    """The node has that output; optional ones that are not used have no data type."""
    slots = _slots(old.outputs, len(node.output_descs), change.field)
    if slots is None:
        return True
    return any(desc.dtype != "UNDEFINED" for desc in node.output_descs[slots])


def _several_outputs(change: Change, node: Operator, old: Prototype) -> bool:
    return len(node.output_descs) > 1


def _input_needed(change: Change, node: Operator, old: Prototype) -> bool:
    return change.new == "INPUT" and _connected(node, old.inputs, change.field) is False


def _set_to_something(change: Change, node: Operator, old: Prototype) -> bool:
    """The attribute is recorded, and with another value than the old default."""
    attribute, spec = node.attributes.get(change.field), old.attribute(change.field)
    if attribute is None or spec is None:
        return False
    return spec.required or same_value(spec, attribute) is not True


def _attribute_absent(change: Change, node: Operator, old: Prototype) -> bool:
    return change.field not in node.attributes


def _every(change: Change, node: Operator, old: Prototype) -> bool:
    return True


def _dtype_lost(change: Change, node: Operator, old: Prototype) -> bool:
    output = change.kind.name.startswith("output")
    lost = set((change.old or "").lstrip("-").split())
    name = change.field
    ports = old.outputs if output else old.inputs
    if all(p.name != name for p in ports):
        return False  # renamed at the same time: which port it was is not recorded
    return bool(lost & port_dtype(node, ports, name, output))


def _called_by_name(change: Change, node: Operator, old: Prototype) -> bool:
    """The node has an input of the old name; fused nodes and some compilers number them anew."""
    return change.field in node.input_names


Test = Callable[[Change, Operator, Prototype], bool]
_TESTS: Mapping[str, Test] = {
    "input_reordered": _positional,
    "input_added_required_middle": _added_in_front,
    "input_added_optional_middle": _added_in_front,
    "input_added_dynamic_middle": _added_in_front,
    "input_added_required_end": _every,
    "input_removed": _input_gone,
    "input_kind_changed": _input_needed,
    "input_renamed": _called_by_name,
    "output_reordered": _several_outputs,
    "output_added_single_middle": _every,
    "output_added_dynamic_middle": _every,
    "output_removed": _output_gone,
    "attr_removed": _set_to_something,
    "attr_renamed": _set_to_something,
    "attr_type_changed": _set_to_something,
    "attr_added_required": _attribute_absent,
    "attr_optional_to_required": _attribute_absent,
    "input_dtype_narrowed": _dtype_lost,
    "input_dtype_replaced": _dtype_lost,
    "output_dtype_narrowed": _dtype_lost,
    "output_dtype_replaced": _dtype_lost,
}
