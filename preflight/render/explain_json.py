"""Explanations for programs; the schema is schemas/explain.schema.json. Fields are only added."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import Enum
from typing import Any

import msgspec

from preflight.explain.types import CodeExplanation, LogExplanation
from preflight.render.json import dump

SCHEMA_VERSION = "1.0"


def render_code_json(
    answers: Iterable[CodeExplanation], rules: Iterable[Mapping[str, Any]] = ()
) -> str:
    """Codes and rules as indented JSON."""
    value = {
        "schema_version": SCHEMA_VERSION,
        "kind": "codes",
        "codes": [{"known": a.known or bool(a.faults), **plain(a)} for a in answers],
        "rules": [dict(rule) for rule in rules],
    }
    return dump(value, masked=False)


def render_log_json(answer: LogExplanation) -> str:
    """The explanation of a log as indented JSON; user names in paths are masked."""
    value = {"schema_version": SCHEMA_VERSION, "kind": "log", **plain(answer)}
    return dump(value, masked=True)


def plain(value: Any) -> Any:
    """Structs, enums and mappings as the values JSON knows."""
    if isinstance(value, msgspec.Struct):
        return {name: plain(getattr(value, name)) for name in value.__struct_fields__}
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, Mapping):
        return {str(k): plain(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in value]
    return value
