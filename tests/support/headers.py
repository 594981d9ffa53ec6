"""Writes prototype headers from prototypes, in many layouts, for tests of the extraction."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterable

from preflight.registry.prototype import AttributeSpec, Port, Prototype

_GRAPHS = {"STATIC": "GRAPH", "DYNAMIC": "DYNAMIC_GRAPH"}


def write_header(prototypes: Iterable[Prototype], seed: int | None = None) -> str:
    """One header with a chain per prototype; with a seed the layout varies but means the same."""
    layout = random.Random(seed) if seed is not None else None
    chains = [write_chain(p, layout) for p in prototypes]
    return (
        "#ifndef GUARD_H_\n#define GUARD_H_\nnamespace ge {\n" + "\n".join(chains) + "\n}\n#endif\n"
    )


def write_chain(prototype: Prototype, layout: random.Random | None = None) -> str:
    """`REG_OP(X)….OP_END_FACTORY_REG(X)`, calls in the order of real headers."""
    symbols = {name for name, _ in prototype.datatypes}
    calls = [_port(p, symbols) for p in prototype.inputs + prototype.outputs]
    calls += [f".{_GRAPHS[s.type]}({s.name})" for s in prototype.subgraphs]
    calls += [f".DATATYPE({name}, {text})" for name, text in prototype.datatypes]
    calls += [_attribute(a, layout) for a in prototype.attrs]
    calls.append(f".OP_END_FACTORY_REG({prototype.op_type})")
    text = f"REG_OP({prototype.op_type})" + "".join(_gap(layout) + call for call in calls)
    return _disturb(text, layout) if layout else text


def _port(port: Port, symbols: set[str]) -> str:
    dtype = f'"{port.dtype}"' if port.dtype in symbols else port.dtype
    return f".{port.type}({port.name}, {dtype})"


def _attribute(attribute: AttributeSpec, layout: random.Random | None) -> str:
    if attribute.required:
        return f".REQUIRED_ATTR({attribute.name}, {attribute.type})"
    value = json.loads(attribute.default_value or "null")
    return f".ATTR({attribute.name}, {attribute.type}, {_literal(attribute.type, value, layout)})"


def _literal(attr_type: str, value: object, layout: random.Random | None) -> str:
    if isinstance(value, list):
        inner = attr_type.removeprefix("List")
        between = layout.choice([", ", ",", " ,\n   "]) if layout else ", "
        return "{" + between.join(_literal(inner, item, layout) for item in value) + "}"
    if attr_type == "String":
        return _string(str(value), layout)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return f"{value!r}f" if not layout else layout.choice([f"{value!r}f", repr(value)])
    if isinstance(value, int) and layout and value >= 0:
        return layout.choice([str(value), f"({value})", hex(value), f"{value}LL", f"{value} + 0"])
    return str(value)


def _string(value: str, layout: random.Random | None) -> str:
    cut = layout.randrange(len(value) + 1) if layout else 0
    parts = [value[:cut], value[cut:]] if cut else [value]
    return " ".join(json.dumps(part, ensure_ascii=False) for part in parts)


def _gap(layout: random.Random | None) -> str:
    gaps = ["", "\n    ", " \\\n  ", " // note, with (brackets\n  ", " /* .ATTR(no, Int, 1) */ "]
    return layout.choice(gaps) if layout else "\n    "


def _disturb(text: str, layout: random.Random) -> str:
    """Break names by a continuation now and then: it is removed before anything else is read."""
    if layout.random() < 0.5:
        return text
    match = layout.choice(list(re.finditer(r"\w{4,}", text)))
    middle = (match.start() + match.end()) // 2
    inside_comment = "//" in text[: match.start()].rsplit("\n", 1)[-1]
    return text if inside_comment else text[:middle] + "\\\n" + text[middle:]
