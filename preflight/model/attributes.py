"""Attribute maps as the loader keeps them: what is skipped, what fails, what survives (§C.3).

At model, graph and operator level a value without deserializer fails the whole definition; in a
tensor descriptor it is dropped without a word (spec/corrections.md 7); a value that is not set and
a list without a type are skipped at every level, but are errors inside NamedAttrs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from enum import Enum
from typing import Any

from msgspec import Struct

from preflight.model.codecs import CODECS, LIST_CODECS, decode
from preflight.model.manifest import Attribute

# Keys that carry names for the loader; it strips them from operators without looking at their type.
CONTROL_KEYS = frozenset(
    {
        "_opt_input",
        "_input_name_key",
        "_input_name_value",
        "_output_name_key",
        "_output_name_value",
        "_ir_inputs_key",
        "_ir_inputs_value",
        "_ir_outputs_key",
        "_ir_outputs_value",
    }
)


class Skip(Enum):
    """An attribute that does not exist after loading, without any error."""

    SKIPPED = "skipped"


class Problem(Struct, frozen=True):
    """Why the loader cannot deserialize a value. `why` is the class of vectors tier T4."""

    check: str
    why: str
    codes: tuple[str, ...]
    detail: str


_EXPRESSION = Problem(
    "def.attr_unknown_case",
    "attr_case_without_deserializer",
    ("E18888",),
    "is an expression, for which the loader has no deserializer",
)
_UNKNOWN_LIST = Problem(
    "def.attr_unknown_case", "list_type_unknown", (), "is a list of an unknown type"
)
_INNER_UNSET = Problem(
    "def.namedattrs_empty",
    "named_attrs_value_without_deserializer",
    ("E18888", "E19999"),
    "has an inner value that is not set or that has no deserializer",
)
_INNER_LIST = Problem(
    "def.namedattrs_empty", "list_type_unknown", (), "has an inner list without a known type"
)

_NESTED_LISTS = 9  # ListValue.val_type of NamedAttrs


def problem(value: Any) -> Problem | Skip | None:
    """What the loader says about one AttrDef outside NamedAttrs; None when it keeps it."""
    case = value.WhichOneof("value")
    if case == "list":
        kind = value.list.val_type
        if kind == 0:
            return Skip.SKIPPED
        if kind not in LIST_CODECS:
            return _UNKNOWN_LIST
        return _named_list_problem(value.list) if kind == _NESTED_LISTS else None
    if case == "func":
        return _named_problem(value.func)
    if case is None:
        return Skip.SKIPPED
    return None if case in CODECS else _EXPRESSION


def _named_problem(named: Any) -> Problem | None:
    # The nesting is bounded by the parser's depth limit of 100 messages.
    for value in named.attr.values():
        found = _inner_problem(value)
        if found is not None:
            return found
    return None


def _named_list_problem(values: Any) -> Problem | None:
    return next((p for p in map(_named_problem, values.na) if p is not None), None)


def _inner_problem(value: Any) -> Problem | None:
    case = value.WhichOneof("value")
    if case == "list":
        kind = value.list.val_type
        if kind not in LIST_CODECS:
            return _INNER_LIST
        return _named_list_problem(value.list) if kind == _NESTED_LISTS else None
    if case == "func":
        return _named_problem(value.func)
    return None if case in CODECS else _INNER_UNSET


# Cases that no level refuses; the others need a second look.
_HARMLESS = frozenset(CODECS) - {"func"} | {None}


class AttributeMap(Mapping[str, Attribute]):
    """The attributes that survive loading, looked at and decoded only when one is asked for.

    `values` are AttrDef messages by name, or attributes that are decoded already; names in `hidden`
    count as absent, and so does a value that the loader skips or refuses.
    """

    __slots__ = ("_hidden", "_values")

    def __init__(self, values: Mapping[str, Any], hidden: frozenset[str] = frozenset()) -> None:
        self._values = values
        self._hidden = hidden

    def _kept(self, name: object) -> Any | None:
        """The value that survives under a name, not decoded."""
        # A message map has no other keys than texts, and makes an entry for every name asked for.
        if not isinstance(name, str) or name not in self._values or name in self._hidden:
            return None
        value = self._values[name]
        return value if isinstance(value, Attribute) or problem(value) is None else None

    def find(self, name: str) -> Attribute | None:
        """The attribute of that name, None when there is none."""
        value = self._kept(name)
        if value is None or isinstance(value, Attribute):
            return value
        return decode(name, value)

    def __getitem__(self, name: str) -> Attribute:
        found = self.find(name)
        if found is None:
            raise KeyError(name)
        return found

    def __contains__(self, name: object) -> bool:
        return self._kept(name) is not None

    def __iter__(self) -> Iterator[str]:
        return (name for name in self._values if name in self)

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __repr__(self) -> str:
        return f"AttributeMap({sorted(self)})"

    def is_any(self, wanted: Callable[[str], bool]) -> bool:
        """Whether a name in the file passes a test, be it of an attribute that is skipped."""
        return any(map(wanted, self._values))

    def raw(self) -> Iterator[tuple[str, Any]]:
        """Names and undecoded values of the attributes that survive."""
        return ((name, self._values[name]) for name in self)


NO_ATTRIBUTES = AttributeMap({})


Problems = tuple[tuple[str, Problem], ...]  # (attribute name, what is wrong)


def kept_attributes(message: Any, *, operator: bool = False) -> AttributeMap:
    """The surviving attributes of any message with an attribute map.

    In a tensor descriptor bad ones are dropped silently; elsewhere they fail the definition
    (`attribute_problems`).
    """
    values = message.attr
    if not values:
        return NO_ATTRIBUTES
    return AttributeMap(values, CONTROL_KEYS) if operator else AttributeMap(values)


def attribute_problems(message: Any, *, operator: bool = False) -> Problems:
    """What in the attributes of a model, graph or operator message fails the definition."""
    values = message.attr
    found: list[tuple[str, Problem]] = []
    for name in values:
        value = values[name]
        if value.WhichOneof("value") in _HARMLESS or (operator and name in CONTROL_KEYS):
            continue
        wrong = problem(value)
        if isinstance(wrong, Problem):
            found.append((name, wrong))
    return tuple(found)


def message_number(value: Attribute | None) -> int | None:
    """The value of an `i` attribute, None for any other type (AttrUtils::GetInt)."""
    if value is None or value.type != "i":
        return None
    return value.value if isinstance(value.value, int) else None


def message_text(value: Attribute | None) -> str:
    """The value of an `s` attribute, empty for any other type (AttrUtils::GetStr).

    The loader compares bytes; those that are not UTF-8 become escapes ("\\xff"), so that the text
    is neither empty nor equal to any that people write.
    """
    if value is None or value.type != "s":
        return ""
    if isinstance(value.value, bytes):
        return value.value.decode("utf-8", "backslashreplace")
    return str(value.value)


def message_flag(value: Attribute | None) -> bool:
    """The value of a `b` attribute, False for any other type (AttrUtils::GetBool)."""
    return value is not None and value.type == "b" and value.value is True
