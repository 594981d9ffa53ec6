"""Attribute defaults: C++ initialisers to the JSON text that operators.json holds.

What a compiler would compute, for the forms that prototype headers use: literals, braces, constant
expressions, named constants of the same header set, casts, limits, data type names. Anything else
is refused with the text that was not understood; a default is never guessed.
Source of the texts: spec/om-format.md §F.3.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from itertools import pairwise

from msgspec import Struct

from preflight.errors import MalformedInput
from preflight.registry.cpp_casts import cast, dtype_value, to_integer
from preflight.registry.cpp_constants import Constants
from preflight.registry.cpp_expressions import Number, evaluate, read_number, to_float32
from preflight.registry.cpp_macros import MAX_ITEMS, expand
from preflight.registry.cpp_tables import (
    FLOATS,
    INTEGERS,
    LIMITS,
    LIMITS_OF,
    LISTS,
    STRINGS,
)
from preflight.registry.cpp_tokens import Token, stringify

_MAX_DEPTH = 32


class _Dtype(Struct, frozen=True):
    """A ge::DataType constant by its name without the prefix."""

    name: str


class _Tensor:
    """An empty tensor, the only tensor default that the protocol can express."""


_TENSOR = _Tensor()
_Value = Number | str | list["_Value"] | _Dtype | _Tensor


def read_default(attr_type: str, tokens: Sequence[Token], constants: Constants) -> str:
    """The JSON text of an attribute's default, `9.999999747378752e-06` for `Float, 1e-5f`.

    `attr_type` is one of the protocol's names. Raises MalformedInput when the initialiser is not
    understood or does not fit the type.
    """
    reader = _Parser(expand(_unqualified(tokens), constants.lookup))
    value = reader.value(0)
    reader.expect_end()
    return json.dumps(_convert(attr_type, value), ensure_ascii=False, separators=(",", ":"))


def _unqualified(tokens: Sequence[Token]) -> list[Token]:
    """Names without what stands before `::`; `ge::DT_FLOAT` and `Mode::kSum` name one constant."""
    scopes = {
        i + offset
        for i, (a, b) in enumerate(pairwise(tokens))
        if a.kind == "name" and b.text == "::"
        for offset in (0, 1)
    }
    return [t for i, t in enumerate(tokens) if i not in scopes]


def _convert(attr_type: str, value: _Value) -> object:
    if attr_type in LISTS:
        if not isinstance(value, list):
            raise MalformedInput(f"{attr_type} needs a list in braces")
        return [_convert(LISTS[attr_type], item) for item in value]
    if isinstance(value, list):
        if len(value) > 1 or (value and isinstance(value[0], list)):
            raise MalformedInput(f"{attr_type} cannot hold a list")
        value = value[0] if value else _EMPTY.get(attr_type, value)  # `{5}` and `{}` initialise
    return _scalar(attr_type, value)


_EMPTY: dict[str, _Value] = {
    "Int": 0,
    "Float": 0.0,
    "Bool": False,
    "String": "",
    "Tensor": _TENSOR,
    "Type": _Dtype("FLOAT"),  # the enumerator of value 0
}


def _scalar(attr_type: str, value: _Value) -> object:
    match attr_type, value:
        case "Int", bool() | int() | float():
            return to_integer(value, 64, signed=True)
        case "Int", _Dtype(name):
            return dtype_value(name)
        case "Float", int() | float():
            narrowed = to_float32(float(value))
            if not math.isfinite(narrowed):
                raise MalformedInput("a Float default that is not finite has no JSON text")
            return narrowed
        case "Bool", int() | float():
            return bool(value)
        case "String", str():
            return value
        case "Type", _Dtype(name):
            return f"DT_{name}"
        case "Tensor", _Tensor():
            return "Tensor()"
    raise MalformedInput(f"the default does not fit the type {attr_type}")


class _Parser:
    """Reads one initialiser. Nesting is bounded, so recursion is."""

    def __init__(self, tokens: Sequence[Token]) -> None:
        self._tokens = tokens
        self._at = 0

    def value(self, depth: int) -> _Value:
        if depth > _MAX_DEPTH:
            raise MalformedInput(f"braces nested deeper than {_MAX_DEPTH}")
        token = self._peek()
        if token is None:
            raise MalformedInput("the default is missing")
        if token.text == "{":
            return self._braces(depth)
        if token.kind == "string":
            return self._string()
        if token.kind == "name" and (named := self._named(depth)) is not None:
            return named
        return self._expression(depth)

    def expect_end(self) -> None:
        if (token := self._peek()) is not None:
            raise MalformedInput(f"'{token.text}' after the end of the default")

    def _peek(self, ahead: int = 0) -> Token | None:
        place = self._at + ahead
        return self._tokens[place] if place < len(self._tokens) else None

    def _text(self, ahead: int = 0) -> str:
        token = self._peek(ahead)
        return token.text if token else ""

    def _take(self, text: str) -> None:
        if self._text() != text:
            found = self._text() or "the end"
            raise MalformedInput(f"'{text}' expected, found '{found}'")
        self._at += 1

    def _string(self) -> str:
        parts: list[str] = []
        while (token := self._peek()) is not None and token.kind == "string":
            parts.append(token.value)
            self._at += 1
        return "".join(parts)

    def _braces(self, depth: int) -> list[_Value]:
        self._take("{")
        items: list[_Value] = []
        while self._text() != "}":
            if len(items) >= MAX_ITEMS:
                raise MalformedInput("a list without end")
            items.append(self.value(depth + 1))
            if self._text() != "}":
                self._take(",")
        self._take("}")
        return items

    def _name(self) -> str:
        """The name that stands here; moves past it."""
        name = self._text()
        self._at += 1
        return name

    def _named(self, depth: int) -> _Value | None:
        """A value that starts with a name and is no number; None (unmoved) when it is one."""
        start = self._at
        name = self._name()
        if name.startswith("DT_") and self._text() in ("", ",", "}", ")"):
            return _Dtype(name[3:])
        if name == "Tensor":
            return self._tensor()
        if name in STRINGS:
            return self._wrapped(depth)
        if name == "vector":
            self._skip_angles()
            return self._wrapped(depth)
        self._at = start
        return None

    def _tensor(self) -> _Tensor:
        opening = self._text()
        self._at += 1
        if (opening, self._text()) not in (("(", ")"), ("{", "}")):
            raise MalformedInput("only an empty Tensor() can be a default")
        self._at += 1
        return _TENSOR

    def _wrapped(self, depth: int) -> _Value:
        """`std::string("a")`, `std::vector<int64_t>{1, 2}`: what stands inside."""
        if self._text() == "{":
            return self.value(depth + 1)
        self._take("(")
        if self._text() == ")":
            self._at += 1
            return []
        inner = self.value(depth + 1)
        self._take(")")
        return inner

    def _skip_angles(self) -> str:
        self._take("<")
        words: list[str] = []
        level = 1
        while level:
            text = self._text()
            if text in ("", "{", "}", "("):
                raise MalformedInput("'<' is not closed")
            level += {"<": 1, ">": -1, ">>": -2}.get(text, 0)
            words.append(text)
            self._at += 1
        return words[-2] if len(words) > 1 else ""

    def _expression(self, depth: int) -> Number:
        """Collect the terms of an arithmetic expression up to ',' or a closing bracket."""
        terms: list[str | Number] = []
        level = 0
        while (token := self._peek()) is not None:
            if token.text in (",", "}") or (token.text == ")" and not level):
                break
            if token.text == "(" and (wanted := self._cast_type()) is not None:
                self._at += 3
                terms.append(cast(wanted, self._operand(depth)))
            elif token.kind in ("name", "number", "char"):
                terms.append(self._operand(depth))
            else:
                level += {"(": 1, ")": -1}.get(token.text, 0)
                terms.append(token.text)
                self._at += 1
        if not terms:
            raise MalformedInput("the default is missing")
        return evaluate(terms)

    def _cast_type(self) -> str | None:
        inner = self._text(1)
        known = inner in INTEGERS or inner in FLOATS or inner == "bool"
        return inner if known and self._text(2) == ")" else None

    def _operand(self, depth: int) -> Number:
        if depth > _MAX_DEPTH:
            raise MalformedInput(f"casts nested deeper than {_MAX_DEPTH}")
        token = self._peek()
        if token is None:
            raise MalformedInput("a value is missing at the end")
        if token.kind == "number":
            self._at += 1
            self._refuse_negated_unsigned(token)
            return read_number(token.text)
        if token.kind == "char" and len(token.value) == 1:
            self._at += 1
            return ord(token.value)
        if token.text in ("-", "+"):
            self._at += 1
            return self._operand(depth + 1) * (-1 if token.text == "-" else 1)
        if token.text == "(":
            return self._bracketed(depth)
        if token.kind == "name":
            return self._constant(depth)
        raise MalformedInput(f"'{token.text}' is not understood")

    def _refuse_negated_unsigned(self, token: Token) -> None:
        """`-1U` wraps by a width that the literal does not show."""
        before = self._tokens[self._at - 2].text if self._at >= 2 else ""
        if before in ("-", "~") and token.text[-1] in "uU" and not token.text.startswith("0x"):
            raise MalformedInput(f"'{before}{token.text}' wraps around")

    def _bracketed(self, depth: int) -> Number:
        opening = self._text()
        self._take("{" if opening == "{" else "(")
        value = self._expression(depth + 1)
        self._take("}" if opening == "{" else ")")
        return value

    def _constant(self, depth: int) -> Number:
        shown = self._text()
        name = self._name()
        if name in ("true", "false"):
            return name == "true"
        if name in LIMITS:
            return LIMITS[name]
        if name.startswith("DT_"):
            return dtype_value(name[3:])
        if name == "static_cast":
            return cast(self._skip_angles(), self._bracketed(depth))
        if name == "numeric_limits":
            return self._limit()
        if name in INTEGERS or name in FLOATS or name == "bool":
            return cast(name, self._bracketed(depth))
        raise MalformedInput(f"'{name or shown}' is not a constant of these headers")

    def _limit(self) -> Number:
        """`std::numeric_limits<int64_t>::max()`."""
        kind = LIMITS_OF.get(self._skip_angles(), "")
        self._take("::")
        which = self._text()
        self._at += 1
        self._take("(")
        self._take(")")
        real = kind in ("FLT", "DBL")
        if which == "lowest" and real:
            return -LIMITS[f"{kind}_MAX"]
        limit = "min" if which == "lowest" else which
        unsigned_least = limit == "min" and kind.startswith("UINT")
        value = 0 if unsigned_least else LIMITS.get(f"{kind}_{limit.upper()}")
        if value is None:
            raise MalformedInput(f"numeric_limits of that type has no '{which}' here")
        return value


def literal_text(tokens: tuple[Token, ...]) -> str:
    """A dtype argument: the content of string literals (`"T1"` is the symbol T1), else its text."""
    if tokens and all(t.kind == "string" for t in tokens):
        return "".join(t.value for t in tokens)
    return stringify(tokens)
