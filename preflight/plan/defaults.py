"""Attributes of a model whose defaults moved between the release that compiled it and another.

A compiled model holds the value that was in force. A source model that does not state it gets the
new default when it is compiled again, and the result changes without a word.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Iterator
from functools import lru_cache

from preflight.errors import PreflightError
from preflight.model.manifest import ModelFile, ModelManifest, Operator
from preflight.plan.atc_options import atc_rules
from preflight.plan.recipe_types import MovedDefault
from preflight.registry.history import open_history
from preflight.registry.kinds import Change
from preflight.target.catalog import known_releases
from preflight.target.names import find_release
from preflight.target.types import Target

_DEFAULT_CHANGED = "attr_default_changed"


def moved_defaults(model: ModelFile, target: Target) -> tuple[MovedDefault, ...]:
    """Per operator, the attributes to state in the source model before compiling for `target`.

    Only what the record says for certain or likely: an operator that one of the releases does not
    record gives nothing. Operators that state another value than the old default are not touched by
    the move.
    """
    manifest, release = model.manifest, target.release.value
    if manifest is None or not release:
        return ()
    old = compiling_release(manifest)
    if not old or old == release:
        return ()
    dirs = tuple(target.history_dirs)
    changes: dict[str, tuple[Change, ...]] = {}
    found: list[MovedDefault] = []
    for graph in manifest.graphs:
        for operator in graph.operators:
            if operator.type not in changes:
                changes[operator.type] = _default_changes(dirs, operator.type, old, release)
            for change in changes[operator.type]:
                found += _moved(operator, change)
    return tuple(found)


def compiling_release(manifest: ModelManifest) -> str:
    """The public release that compiled a model, empty when its facts do not name one."""
    for entry in known_releases():
        if entry.internal and entry.internal == manifest.opp_version:
            return entry.public
    command = manifest.atc_command
    named = atc_rules().release_of_program(command.program) if command is not None else ""
    try:
        return find_release(named)[0].public if named else ""
    except PreflightError:
        return ""


@lru_cache(maxsize=8192)  # thousands of models are made of the same hundred operators
def _default_changes(dirs: tuple[str, ...], op_type: str, old: str, new: str) -> tuple[Change, ...]:
    try:
        changes = open_history(*dirs).changes(op_type, old, new)
    except PreflightError:  # not recorded in one of the two: nothing can be said
        return ()
    return tuple(c for c in changes if c.kind.name == _DEFAULT_CHANGED)


def _moved(operator: Operator, change: Change) -> Iterator[MovedDefault]:
    old, new = _default(change.old), _default(change.new)
    recorded = operator.attributes.get(change.field)
    if recorded is not None and not same_value(recorded.value, old):
        return
    yield MovedDefault(operator.name, change.field, old, new, operator.type)


def _default(text: str | None) -> object:
    """A default literal; a float as the shortest number that is the same single-precision value."""
    if text is None:
        return None
    try:
        value: object = json.loads(text)
    except ValueError:
        return text
    return shortest(value) if isinstance(value, float) else value


def shortest(value: float) -> float:
    """The shortest decimal with the same single-precision bits: 9.999999747378752e-05 is 0.0001."""
    single = _single(value)
    for digits in range(1, 10):
        short = float(f"{value:.{digits}g}")
        if _single(short) == single:
            return short
    return value


def shown_value(value: object) -> str:
    """A value as people write it: floats short, text without the sign of bytes."""
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(shown_value, value)) + "]"
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    if isinstance(value, str):
        return value
    return repr(shortest(value) if isinstance(value, float) else value)


def _single(value: float) -> bytes:
    try:
        return struct.pack("<f", value)
    except OverflowError:
        return struct.pack("<d", value)


def same_value(recorded: object, default: object) -> bool:
    """Equal as the graph holds values: floats in single precision, numbers whatever their type."""
    if isinstance(recorded, list) and isinstance(default, list):
        pairs = zip(recorded, default, strict=False)
        return len(recorded) == len(default) and all(same_value(a, b) for a, b in pairs)
    if isinstance(recorded, bytes):
        recorded = recorded.decode("utf-8", "replace")
    if isinstance(recorded, int | float) and isinstance(default, int | float):
        return _single(float(recorded)) == _single(float(default))
    return recorded == default
