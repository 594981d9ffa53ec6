"""The two sides of a change in words; `Change` itself keeps the exact text of the record."""

from __future__ import annotations

import re
import struct

from preflight.registry.kinds import Change

_FLOAT = re.compile(r"-?\d+\.\d+(?:[eE][+-]?\d+)?|-?\d+[eE][+-]?\d+")


def readable_sides(change: Change) -> tuple[str | None, str | None]:
    """(old, new) as a person says them: `Float=1.0000000116860974e-07@2` is
    "Float 1e-07, as attribute 2". Places count from 0.
    """
    kind, old, new = change.kind.name, change.old, change.new
    if "_added" in kind and new is not None:
        return old, _added(new, kind.partition("_")[0])
    if kind == "attr_removed" and old is not None:
        return _typed(old), new
    if kind.startswith("attr_") and kind != "attr_reordered":
        return _optional(old), _optional(new)
    return old, new


def readable_change(change: Change) -> str:
    """Both sides in one phrase: "0.0001 -> 1e-05", "loses DT_INT8", "Int, as attribute 4"."""
    old, new = readable_sides(change)
    if old is None or new is None:
        return old or new or ""
    if old.startswith("-") and new.startswith("+") and "_dtype_" in change.kind.name:
        parts = (("loses", old[1:]), ("gains", new[1:]))
        return ", ".join(f"{word} {names}" for word, names in parts if names)
    return f"{old} -> {new}"


def readable_literal(text: str) -> str:
    """A default literal with floats as the shortest number of the same single precision.

    `9.999999747378752e-05` is `0.0001`; text in quotes stays as it is.
    """
    if '"' in text:
        return text
    return _FLOAT.sub(lambda found: repr(shortest_float(float(found[0]))), text)


def shortest_float(value: float) -> float:
    """The shortest decimal with the same float32 bits; the value itself when it is no float32."""
    for digits in range(1, 10):
        short = float(f"{value:.{digits}g}")
        if _single(short) == value:
            return short
    return value


def _single(value: float) -> float:
    try:
        narrowed: float = struct.unpack("<f", struct.pack("<f", value))[0]
    except OverflowError:
        return value
    return narrowed


def _added(text: str, side: str) -> str:
    """`INPUT@3`, `Int@4` and `Float=1.0@2`: what is new, and in which place."""
    what, _, position = text.rpartition("@")
    side = "attribute" if side == "attr" else side
    name, equals, default = what.partition("=")
    if equals:
        what = f"{name} {readable_literal(default)}" if default else f"{name} without one"
    return f"{what}, as {side} {position}"


def _typed(text: str) -> str:
    """`Float =1.0` or `Bool required`: an attribute that was there."""
    name, equals, default = text.partition("=")
    if equals:
        return f"{name.strip()}, default {readable_literal(default) or 'none'}"
    name, _, state = text.partition(" ")
    return f"{name}, {state}" if state else name


def _optional(text: str | None) -> str | None:
    return None if text is None else readable_literal(text)
