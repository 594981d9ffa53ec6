"""One operator record of operators.json, field by field (spec/om-format.md §F.3)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from preflight.errors import MalformedInput
from preflight.registry.prototype import (
    INPUT_TYPES,
    OUTPUT_TYPES,
    SUBGRAPH_TYPES,
    AttributeSpec,
    Port,
    Prototype,
    SubgraphSpec,
)


class RegistryFault(MalformedInput):
    """A registry file that cannot serve; `reason` is a stable word for it.

    Reasons: package_directory_empty, index_version, metadata, operators_file, operator_not_found,
    operator_duplicate, operator_malformed, symbols_file.
    """

    def __init__(self, reason: str, message: str, *, hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.reason = reason


def parse_operator(record: object) -> Prototype:
    """One entry of `operators`. Raises RegistryFault("operator_malformed") naming the field."""
    if not isinstance(record, dict):
        raise _malformed("operator", "is not an object")
    op_type = _text(record, "op_type", "operator")
    return Prototype(
        op_type,
        tuple(_port(r, INPUT_TYPES, f"{op_type}.inputs") for r in _items(record, "inputs")),
        tuple(_port(r, OUTPUT_TYPES, f"{op_type}.outputs") for r in _items(record, "outputs")),
        tuple(_subgraph(r, f"{op_type}.subgraphs") for r in _items(record, "subgraphs")),
        tuple(_attribute(r, f"{op_type}.attrs") for r in _items(record, "attrs")),
    )


def is_clean(prototype: Prototype) -> bool:
    """Whether a typed decoder's result also keeps the rules that types cannot say."""
    if not prototype.op_type or prototype.datatypes:
        return False
    for port in prototype.inputs:
        if not port.name or port.type not in INPUT_TYPES:
            return False
    for port in prototype.outputs:
        if not port.name or port.type not in OUTPUT_TYPES:
            return False
    for attribute in prototype.attrs:
        if not attribute.name or not attribute.type:
            return False
    return all(s.name and s.type in SUBGRAPH_TYPES for s in prototype.subgraphs)


def _malformed(where: str, what: str) -> RegistryFault:
    return RegistryFault("operator_malformed", f"{where} {what}")


def _items(record: Mapping[str, Any], key: str) -> list[object]:
    value = record.get(key, [])
    if not isinstance(value, list):
        raise _malformed(str(record.get("op_type")), f"has '{key}' that is no list")
    return value


def _text(record: Mapping[str, Any], key: str, where: str) -> str:
    value = record.get(key)
    if not isinstance(value, str) or not value:
        raise _malformed(where, f"has no '{key}' text")
    return value


def _port(record: object, types: tuple[str, ...], where: str) -> Port:
    if not isinstance(record, dict):
        raise _malformed(where, "has an element that is no object")
    name, kind = _text(record, "name", where), _text(record, "type", where)
    if kind not in types:
        raise _malformed(f"{where}.{name}", f"has type '{kind}', known are {', '.join(types)}")
    dtype = record.get("dtype", "")
    if not isinstance(dtype, str):
        raise _malformed(f"{where}.{name}", "has a dtype that is no text")
    return Port(name, kind, dtype)


def _subgraph(record: object, where: str) -> SubgraphSpec:
    if not isinstance(record, dict):
        raise _malformed(where, "has an element that is no object")
    name, kind = _text(record, "name", where), _text(record, "type", where)
    if kind not in SUBGRAPH_TYPES:
        raise _malformed(f"{where}.{name}", f"has type '{kind}'")
    return SubgraphSpec(name, kind)


def _attribute(record: object, where: str) -> AttributeSpec:
    if not isinstance(record, dict):
        raise _malformed(where, "has an element that is no object")
    name, kind = _text(record, "name", where), _text(record, "type", where)
    required = record.get("required")
    if not isinstance(required, bool):
        raise _malformed(f"{where}.{name}", "has no 'required' that is true or false")
    default = record.get("default_value")
    if default is not None and not isinstance(default, str):
        raise _malformed(f"{where}.{name}", "has a default_value that is no text")
    return AttributeSpec(name, kind, required, default)
