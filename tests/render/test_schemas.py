"""The published schemas: valid, closed to unknown fields, and with a word on every field."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest

import preflight.render

SCHEMAS = sorted((Path(preflight.render.__file__).parent / "schemas").glob("*.schema.json"))
DESCRIBED = ("report.schema.json", "inspect.schema.json")


def fields(node: Any, path: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    """Every property of every object below a schema, with the way to it."""
    if isinstance(node, list):
        for item in node:
            yield from fields(item, path)
    if not isinstance(node, dict):
        return
    for name, value in node.get("properties", {}).items():
        yield f"{path}.{name}", value
        yield from fields(value, f"{path}.{name}")
    for key in ("items", "additionalProperties", "oneOf", "anyOf", "allOf", "prefixItems"):
        yield from fields(node.get(key), path)
    for name, value in node.get("$defs", {}).items():
        yield from fields(value, f"#{name}")


@pytest.mark.parametrize("path", SCHEMAS, ids=lambda path: path.name)
def test_a_schema_is_one(path: Path) -> None:
    jsonschema.Draft202012Validator.check_schema(json.loads(path.read_text(encoding="utf-8")))


@pytest.mark.parametrize("path", [p for p in SCHEMAS if p.name in DESCRIBED], ids=lambda p: p.name)
def test_every_field_is_described(path: Path) -> None:
    found = list(fields(json.loads(path.read_text(encoding="utf-8"))))
    assert len(found) > 50
    assert [name for name, value in found if len(value.get("description", "")) < 5] == []
