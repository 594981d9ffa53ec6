"""Operator prototypes as the history registry protocol writes them (spec/om-format.md §F.3).

The field names are those of operators.json, so that one decoder reads a file straight into these
types. Order matters everywhere: inputs are read by position, attributes keep the declared order.
"""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

INPUT_TYPES = ("INPUT", "OPTIONAL_INPUT", "DYNAMIC_INPUT")
OUTPUT_TYPES = ("OUTPUT", "DYNAMIC_OUTPUT")
SUBGRAPH_TYPES = ("STATIC", "DYNAMIC")

# The attribute types that the protocol's consumers understand.
ATTRIBUTE_TYPES = (
    "Int",
    "Float",
    "Bool",
    "String",
    "Type",
    "Tensor",
    "ListInt",
    "ListFloat",
    "ListBool",
    "ListType",
    "ListListInt",
    "ListString",
)


class Port(Struct, frozen=True):
    """An input or output. `dtype` is the registration text, "TensorType({DT_FLOAT})" or "T"."""

    name: str
    type: str  # one of INPUT_TYPES or OUTPUT_TYPES
    dtype: str = ""


class SubgraphSpec(Struct, frozen=True):
    """A subgraph slot: GRAPH is STATIC, DYNAMIC_GRAPH is DYNAMIC."""

    name: str
    type: str


class AttributeSpec(Struct, frozen=True):
    """An attribute. `default_value` is JSON text and only optional attributes have one."""

    name: str
    type: str  # usually one of ATTRIBUTE_TYPES
    required: bool
    default_value: str | None = None


class Prototype(Struct, frozen=True):
    """What one release declares about one operator type.

    `datatypes` are the DATATYPE symbols, (symbol, dtype text) in declared order; the protocol's
    operators.json does not hold them, datatype_symbols.json beside it does.
    """

    op_type: str
    inputs: tuple[Port, ...] = ()
    outputs: tuple[Port, ...] = ()
    subgraphs: tuple[SubgraphSpec, ...] = ()
    attrs: tuple[AttributeSpec, ...] = ()
    datatypes: tuple[tuple[str, str], ...] = ()

    def attribute(self, name: str) -> AttributeSpec | None:
        """The attribute of that name, None when there is none."""
        return next((a for a in self.attrs if a.name == name), None)


def to_protocol(prototype: Prototype) -> dict[str, object]:
    """The JSON object of operators.json: empty dtypes and absent defaults are left out."""
    return {
        "attrs": [_attribute(a) for a in prototype.attrs],
        "inputs": [_port(p) for p in prototype.inputs],
        "op_type": prototype.op_type,
        "outputs": [_port(p) for p in prototype.outputs],
        "subgraphs": [{"name": s.name, "type": s.type} for s in prototype.subgraphs],
    }


def symbols_to_protocol(prototypes: Mapping[str, Prototype]) -> dict[str, object]:
    """The object of datatype_symbols.json: only operators that declare symbols appear."""
    return {name: {"datatypes": dict(p.datatypes)} for name, p in prototypes.items() if p.datatypes}


def _port(port: Port) -> dict[str, object]:
    record: dict[str, object] = {"dtype": port.dtype} if port.dtype else {}
    return record | {"name": port.name, "type": port.type}


def _attribute(attribute: AttributeSpec) -> dict[str, object]:
    record: dict[str, object] = {}
    if attribute.default_value is not None:
        record["default_value"] = attribute.default_value
    return record | {
        "name": attribute.name,
        "required": attribute.required,
        "type": attribute.type,
    }
