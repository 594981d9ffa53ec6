"""The attribute dictionary of a compressed model (spec/om-format.md §C.4, corrections.md 19).

Names of operator and tensor attributes may be codes into attr_name_enum, and an attribute whose
flag is set carries positions in attr_value_enum instead of text. A code is a NUL followed by
base-127 digits, lowest first, each stored plus one.
"""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from preflight.model.attributes import AttributeMap
from preflight.model.codecs import decode
from preflight.model.manifest import Attribute

_MARK = "\0"
_BASE = 127
_DIGITS = 9  # 127^9 is beyond any dictionary


class Unresolved(Exception):
    """The loader cannot resolve an attribute; the text says which and why."""


class Dictionary(Struct, frozen=True):
    """Names with their flags, and texts."""

    names: tuple[str, ...]
    uses_text: tuple[bool, ...]
    values: tuple[str, ...]

    def name(self, code: str) -> tuple[str, bool]:
        """The name that a code or a plain name stands for, and whether its value is coded."""
        if not code:
            raise Unresolved("an attribute has an empty name")
        if not code.startswith(_MARK):
            return code, False
        position = decode_position(code)
        if position >= len(self.names) or position >= len(self.uses_text):
            raise Unresolved(f"name {position} of {len(self.names)} is asked for")
        return self.names[position], self.uses_text[position]

    def text(self, position: int) -> str:
        """The text at a position of attr_value_enum."""
        if not 0 <= position < len(self.values):
            raise Unresolved(f"text {position} of {len(self.values)} is asked for")
        return self.values[position]


def encode_position(position: int) -> str:
    """The code for a position in attr_name_enum."""
    digits = []
    while True:
        position, digit = divmod(position, _BASE)
        digits.append(chr(digit + 1))
        if not position:
            return _MARK + "".join(digits)


def decode_position(code: str) -> int:
    """The position for a code; a lone NUL is 0."""
    raw = code.encode("utf-8", "surrogateescape")[1 : 1 + _DIGITS]
    return sum((byte - 1) * _BASE**power for power, byte in enumerate(raw))


def resolve(attributes: AttributeMap, dictionary: Dictionary) -> AttributeMap:
    """The attributes under their real names; raises Unresolved where the loader gives up."""
    if not attributes.is_any(lambda name: not name or name.startswith(_MARK)):
        return attributes
    resolved: dict[str, Any] = {}
    for code, value in attributes.raw():
        name, coded = dictionary.name(code)
        resolved[name] = _coded(name, value, dictionary) if coded else value
    return AttributeMap(resolved)


def _coded(name: str, value: Any, dictionary: Dictionary) -> Attribute:
    attribute = decode(name, value)
    if attribute.type == "i" and isinstance(attribute.value, int):
        return Attribute(name, "s", dictionary.text(attribute.value))
    if attribute.type == "list_i" and isinstance(attribute.value, list):
        return Attribute(name, "list_s", [dictionary.text(index) for index in attribute.value])
    raise Unresolved(f"attribute '{name}' should carry positions and is of type {attribute.type}")
