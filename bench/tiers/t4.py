"""T4: model definitions. The loader's verdict, class, codes, and what survives of the graph."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any

from preflight import api

_TYPES = {
    "s": "string", "i": "int", "f": "float", "b": "bool", "bt": "bytes", "dt": "dtype",
    "td": "tensor_desc", "t": "tensor", "g": "graph", "func": "func", "list_s": "list_string",
    "list_i": "list_int", "list_f": "list_float", "list_b": "list_bool", "list_bt": "list_bytes",
    "list_td": "list_tensor_desc", "list_t": "list_tensor", "list_g": "list_graph",
    "list_na": "list_func", "list_dt": "list_dtype", "list_list_int": "list_list_int",
    "list_list_float": "list_list_float",
}  # fmt: skip


def differences(row: dict[str, Any], folder: Path) -> list[str]:
    """Everything in which preflight and the vector disagree."""
    expected = row["expected"]
    found = api.decode_model_definition((folder / row["file"]).read_bytes())
    if found.ok != expected["ok"]:
        return [f"ok {found.ok}, expected {expected['ok']} ({expected.get('why')})"]
    if not found.ok:
        first = found.faults[0]
        pairs = [
            ("why", first.data["why"], expected["why"]),
            ("codes", list(first.message_codes), expected["message_codes"]),
        ]
        return _unequal(pairs)
    pairs = [
        ("message_codes", list(api.silent_codes(found))),
        ("name", found.name),
        ("version", found.version),
        ("custom_version", _bytes(found.custom_version)),
        ("attrs", _attributes(found.attributes)),
        ("default_attrs", list(found.default_attributes)),
        ("graph", _graph(found.root)),
        ("subgraphs", [_graph(g) for g in found.reachable]),
    ]
    return _unequal([(key, ours, expected[key]) for key, ours in pairs if key in expected])


def _unequal(pairs: list[tuple[str, Any, Any]]) -> list[str]:
    return [
        f"{name} {str(found)[:300]}, expected {str(wanted)[:300]}"
        for name, found, wanted in pairs
        if found != wanted
    ]


def _attributes(attributes: Any) -> dict[str, Any]:
    return {name: _attribute(attributes[name]) for name in attributes}


def _attribute(attribute: Any) -> dict[str, Any]:
    return {"type": _TYPES[attribute.type], "value": _value(attribute.type, attribute.value)}


def _value(kind: str, value: Any) -> Any:
    if kind == "list_g":
        return [item.name for item in value]
    if kind.startswith("list_list_"):
        return [[_value(kind[10], item) for item in row] for row in value]
    if kind.startswith("list_"):
        return [_value(kind[5:] if kind != "list_na" else "func", item) for item in value]
    if kind in ("s", "bt"):
        return _bytes(value)
    if kind == "f":
        return (
            "nan" if value != value else {"f32": struct.unpack("<I", struct.pack("<f", value))[0]}
        )
    if kind == "td":
        return _tensor(value)
    if kind == "t":
        return {"desc": _tensor(value.desc), "data_size": value.data_size}
    if kind == "g":
        return {"name": value.name, "ops": value.operators}
    if kind == "func":
        return {"name": value["name"], "attr": _attributes(value["attr"])}
    return value


def _bytes(value: str | bytes) -> Any:
    """Printable text as it is, anything else as hexadecimal, like the vectors."""
    raw = value.encode() if isinstance(value, str) else value
    if all(32 <= byte < 127 for byte in raw):
        return raw.decode()
    return {"hex": raw.hex()}


def _tensor(info: Any) -> dict[str, Any]:
    return {
        "attrs": sorted(info.attributes),
        "dtype": api.dtype_number(info.dtype),
        "format": api.format_number(info.format),
        "shape": list(info.shape),
    }


def _graph(graph: Any) -> dict[str, Any]:
    return {
        "name": graph.name,
        "attrs": sorted(graph.attributes),
        "ops": [_operator(op) for op in graph.operators],
    }


def _operator(op: Any) -> dict[str, Any]:
    return {
        "name": op.name,
        "type": op.type,
        "attrs": sorted(op.attributes),
        "control": list(op.control_inputs),
        "edges": [None if edge is None else f"{edge[0]}:{edge[1]}" for edge in op.inputs],
        "inputs": [_tensor(desc) if desc.connected else None for desc in op.input_descs],
        "outputs": [_tensor(desc) for desc in op.output_descs],
    }
