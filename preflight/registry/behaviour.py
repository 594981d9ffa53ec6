"""What a prototype alone does not say: behaviour flags and curated notes with their sources."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path
from typing import Any

from msgspec import Struct

from preflight.data import manifests_dir
from preflight.errors import DataError
from preflight.registry.dtypes import dtype_set
from preflight.registry.prototype import Prototype

DEPENDS_ON_DEFAULT = "depends_on_default"  # an attribute may be left out and then has a default
POSITIONAL_INPUTS = "positional_inputs"  # more than one input: a moved one is silently another
DTYPE_SENSITIVE = "dtype_sensitive"  # computes in more than one floating type
ACCUMULATION_ORDER = "accumulation_order"  # sums many terms: another order, other last digits

_FLOATING = frozenset({"DT_FLOAT16", "DT_BF16", "DT_FLOAT", "DT_DOUBLE"})


class BehaviourNote(Struct, frozen=True):
    """A change of meaning, or a trap, that somebody has read out of a source."""

    id: str
    operators: tuple[str, ...]
    since: str  # the release from which it holds, empty when always
    until: str  # the last release for which it holds, empty when still
    attribute: str
    summary: str
    source: str


def prototype_flags(prototype: Prototype) -> tuple[str, ...]:
    """The behaviour flags of one version, sorted."""
    flags = set()
    if any(not a.required and a.default_value is not None for a in prototype.attrs):
        flags.add(DEPENDS_ON_DEFAULT)
    if len(prototype.inputs) > 1:
        flags.add(POSITIONAL_INPUTS)
    for port in prototype.inputs:
        if len(dtype_set(port.dtype, prototype.datatypes) & _FLOATING) > 1:
            flags.add(DTYPE_SENSITIVE)
    if prototype.op_type in _accumulating():
        flags.add(ACCUMULATION_ORDER)
    return tuple(sorted(flags))


@cache
def behaviour_notes(folder: Path | None = None) -> tuple[BehaviourNote, ...]:
    """Every note of manifests/behaviours, by id. Raises DataError naming the file and the field."""
    notes = []
    for path in sorted((folder or _folder()).glob("*.toml")):
        for record in _table(path).get("notes", []):
            notes.append(_note(path, record))
    ids = [note.id for note in notes]
    twice = {i for i in ids if ids.count(i) > 1}
    if twice:
        raise DataError(f"behaviours: id {', '.join(sorted(twice))} is used twice")
    return tuple(sorted(notes, key=lambda n: n.id))


def notes_for(op_type: str) -> tuple[BehaviourNote, ...]:
    """The notes about one operator."""
    return tuple(n for n in behaviour_notes() if op_type in n.operators)


def _folder() -> Path:
    return manifests_dir() / "behaviours"


@cache
def _accumulating() -> frozenset[str]:
    return frozenset(_table(_folder() / "accumulation.toml")["accumulation"]["operators"])


def _table(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, tomllib.TOMLDecodeError) as error:
        raise DataError(f"{path}: {error}") from error


_FIELDS = {"id", "operators", "since", "until", "attribute", "summary", "source"}
_NEEDED = ("id", "operators", "summary", "source")


def _note(path: Path, record: dict[str, object]) -> BehaviourNote:
    unknown = sorted(set(record) - _FIELDS)
    missing = [key for key in _NEEDED if not record.get(key)]
    if unknown or missing:
        what = f"unknown field {unknown[0]}" if unknown else f"no {missing[0]}"
        raise DataError(f"{path}: note {record.get('id', '?')} has {what}")
    operators = record["operators"]
    if not isinstance(operators, list):
        raise DataError(f"{path}: note {record['id']} has operators that are no list")
    return BehaviourNote(
        str(record["id"]),
        tuple(str(o) for o in operators),
        str(record.get("since", "")),
        str(record.get("until", "")),
        str(record.get("attribute", "")),
        str(record["summary"]),
        str(record["source"]),
    )
