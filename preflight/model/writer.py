"""Model definitions from a plain description: for samples, tests and stand-ins of a compiler."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from msgspec import Struct, field

from preflight.errors import UsageError
from preflight.model.dtypes import dtype_proto_number
from preflight.model.manifest import Attribute
from preflight.model.schema import message_class

# A plain value (str, bool, int, float, bytes, or a list of one of them), a TensorSpec, or an
# Attribute whose `type` names the codec.
AttributeSpec = object


class TensorSpec(Struct, frozen=True):
    """A tensor descriptor; `dtype` without DT_, `data` makes it a constant's value."""

    dtype: str = "FLOAT"
    shape: tuple[int, ...] = ()
    format: str = "ND"
    name: str = ""
    size: int = 0
    attributes: Mapping[str, AttributeSpec] = field(default_factory=dict)
    data: bytes | None = None


class OperatorSpec(Struct, frozen=True):
    """An operator; `inputs` are "producer:index" texts, index -1 for a control edge."""

    name: str
    type: str
    inputs: tuple[str, ...] = ()
    input_descs: tuple[TensorSpec, ...] = ()
    output_descs: tuple[TensorSpec, ...] = ()
    attributes: Mapping[str, AttributeSpec] = field(default_factory=dict)
    subgraphs: tuple[str, ...] = ()


class GraphSpec(Struct, frozen=True):
    """A graph; `inputs` and `outputs` are GraphDef.input and GraphDef.output."""

    name: str
    operators: tuple[OperatorSpec, ...] = ()
    inputs: tuple[str, ...] = ()
    outputs: tuple[str, ...] = ()
    attributes: Mapping[str, AttributeSpec] = field(default_factory=dict)


def build_model_definition(
    graphs: Sequence[GraphSpec],
    attributes: Mapping[str, AttributeSpec] | None = None,
    *,
    name: str = "model",
    version: int = 2,
    custom_version: str = "",
) -> bytes:
    """Serialized ge.proto.ModelDef; the same description gives the same bytes.

    Raises UsageError for an attribute value of a kind that the format does not have.
    """
    message = message_class("ModelDef")(name=name, version=version, custom_version=custom_version)
    _fill_attributes(message, attributes or {})
    for graph in graphs:
        _fill_graph(message.graph.add(), graph)
    return bytes(message.SerializeToString(deterministic=True))


def build_flow_model(name: str, submodels: Sequence[str]) -> bytes:
    """Serialized FlowModelDef that lists `submodels`."""
    message = message_class("FlowModelDef")(model_name=name, submodel_name=list(submodels))
    return bytes(message.SerializeToString(deterministic=True))


def build_submodel(name: str, om: bytes = b"", *, kind: str = "NPU", om_path: str = "") -> bytes:
    """Serialized SubmodelDef with an embedded OM, or with the path of one."""
    message = message_class("SubmodelDef")(
        model_name=name, model_type=kind, om_data=om, om_data_file_path=om_path
    )
    return bytes(message.SerializeToString(deterministic=True))


def build_tasks(*, streams: int = 1, events: int = 0, memory: int = 0) -> bytes:
    """Serialized ModelTaskDef without tasks."""
    message = message_class("ModelTaskDef")(
        version="0.1", stream_num=streams, event_num=events, memory_size=memory
    )
    return bytes(message.SerializeToString(deterministic=True))


def _fill_graph(message: Any, graph: GraphSpec) -> None:
    message.name = graph.name
    message.input.extend(graph.inputs)
    message.output.extend(graph.outputs)
    _fill_attributes(message, graph.attributes)
    for spec in graph.operators:
        operator = message.op.add(name=spec.name, type=spec.type)
        operator.input.extend(spec.inputs)
        operator.subgraph_name.extend(spec.subgraphs)
        _fill_attributes(operator, spec.attributes)
        for desc in spec.input_descs:
            _fill_desc(operator.input_desc.add(), desc)
        for desc in spec.output_descs:
            _fill_desc(operator.output_desc.add(), desc)


def _fill_desc(message: Any, spec: TensorSpec) -> None:
    message.name = spec.name
    message.dtype = dtype_proto_number(spec.dtype)
    message.layout = spec.format
    message.shape.dim.extend(spec.shape)
    message.size = spec.size
    _fill_attributes(message, spec.attributes)


def _fill_attributes(message: Any, attributes: Mapping[str, AttributeSpec]) -> None:
    for name, value in attributes.items():
        encode_attribute(message.attr[name], name, value)


def encode_attribute(target: Any, name: str, value: AttributeSpec) -> None:
    """Set an AttrDef; an Attribute of type "unset" leaves it without a value."""
    kind, plain = (value.type, value.value) if isinstance(value, Attribute) else (None, value)
    kind = kind or _kind_of(name, plain)
    if kind == "unset":
        target.SetInParent()
    elif kind in _LISTS:
        number, fill = _LISTS[kind]
        target.list.val_type = number
        fill(target.list, plain)
    elif kind in _SINGLE:
        _SINGLE[kind](target, plain)
    else:
        raise UsageError(f"attribute '{name}': there is no attribute type '{kind}'")


def _kind_of(name: str, value: object) -> str:
    # bool before int: a bool is an int in Python.
    kinds = ((bool, "b"), (str, "s"), (int, "i"), (float, "f"), (bytes, "bt"))
    for python, kind in kinds:
        if isinstance(value, python):
            return kind
    if isinstance(value, TensorSpec):
        return "td" if value.data is None else "t"
    if isinstance(value, dict):
        return "func"
    if isinstance(value, list | tuple) and value:
        if isinstance(value[0], list | tuple):
            return "list_list_float" if _holds_float(value) else "list_list_int"
        return {"func": "list_na"}.get(inner := _kind_of(name, value[0]), f"list_{inner}")
    raise UsageError(f"attribute '{name}': {value!r} needs an explicit type")


def _holds_float(rows: Sequence[Sequence[object]]) -> bool:
    return any(isinstance(item, float) for row in rows for item in row)


def _raw(value: Any) -> bytes:
    return value.encode() if isinstance(value, str) else bytes(value)


def _set(name: str) -> Callable[[Any, Any], None]:
    return lambda target, value: setattr(target, name, value)


def _fill_tensor(message: Any, spec: TensorSpec) -> None:
    _fill_desc(message.desc, spec)
    message.data = spec.data or b""


def _fill_named(message: Any, value: Mapping[str, Any]) -> None:
    """NamedAttrs from {"name": …, "attr": {…}}."""
    message.name = value.get("name", "")
    message.SetInParent()
    _fill_attributes(message, value.get("attr", {}))


def _fill_rows(message: Any, field_name: str, inner: str, rows: Sequence[Sequence[Any]]) -> None:
    message.SetInParent()
    for row in rows:
        getattr(getattr(message, field_name).add(), inner).extend(row)


_SINGLE: Mapping[str, Callable[[Any, Any], None]] = {
    "s": lambda target, value: setattr(target, "s", _raw(value)),
    "i": _set("i"),
    "f": _set("f"),
    "b": _set("b"),
    "bt": _set("bt"),
    "dt": _set("dt"),
    "expression": lambda target, value: setattr(target, "expression", _raw(value)),
    "td": lambda target, value: _fill_desc(target.td, value),
    "t": lambda target, value: _fill_tensor(target.t, value),
    "g": lambda target, value: _fill_graph(target.g, value),
    "func": lambda target, value: _fill_named(target.func, value),
    "list_list_int": lambda target, value: _fill_rows(
        target.list_list_int, "list_list_i", "list_i", value
    ),
    "list_list_float": lambda target, value: _fill_rows(
        target.list_list_float, "list_list_f", "list_f", value
    ),
}


def _extend(name: str, convert: Callable[[Any], Any] | None = None) -> Callable[[Any, Any], None]:
    def fill(target: Any, values: Sequence[Any]) -> None:
        getattr(target, name).extend([convert(v) for v in values] if convert else values)

    return fill


def _add(name: str, fill_one: Callable[[Any, Any], None]) -> Callable[[Any, Any], None]:
    def fill(target: Any, values: Sequence[Any]) -> None:
        for value in values:
            fill_one(getattr(target, name).add(), value)

    return fill


# codec name -> (ListValue.val_type, how to fill the ListValue)
_LISTS: Mapping[str, tuple[int, Callable[[Any, Any], None]]] = {
    "list_none": (0, _extend("s", _raw)),
    "list_s": (1, _extend("s", _raw)),
    "list_i": (2, _extend("i")),
    "list_f": (3, _extend("f")),
    "list_b": (4, _extend("b")),
    "list_bt": (5, _extend("bt")),
    "list_td": (6, _add("td", _fill_desc)),
    "list_t": (7, _add("t", _fill_tensor)),
    "list_g": (8, _add("g", _fill_graph)),
    "list_na": (9, _add("na", _fill_named)),
    "list_dt": (10, _extend("dt")),
    "list_unknown": (11, _extend("i")),
}
