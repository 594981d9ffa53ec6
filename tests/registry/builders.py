"""Prototypes, registries and files that tests are made of."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from preflight.registry.prototype import AttributeSpec, Port, Prototype
from preflight.registry.writing import write_release

FLOATS = "TensorType({DT_FLOAT16, DT_FLOAT})"


def op(
    name: str = "Foo",
    inputs: tuple[Port, ...] = (Port("x", "INPUT", FLOATS),),
    outputs: tuple[Port, ...] = (Port("y", "OUTPUT", FLOATS),),
    attrs: tuple[AttributeSpec, ...] = (),
    **rest: Any,
) -> Prototype:
    """An operator with one input and one output, unless told otherwise."""
    return Prototype(name, inputs, outputs, attrs=attrs, **rest)


def attr(name: str, kind: str = "Int", default: str | None = "0") -> AttributeSpec:
    """An optional attribute; a required one without a default."""
    return AttributeSpec(name, kind, default is None, default)


def registry(folder: Path, *releases: tuple[str, str, tuple[Prototype, ...]]) -> Path:
    """A package folder with releases (name, date, operators)."""
    for release, date, prototypes in releases:
        write_release(folder, release, date, {p.op_type: p for p in prototypes})
    return folder


def write_json(path: Path, value: object) -> Path:
    """A JSON file, its folder made."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value), encoding="utf-8")
    return path
