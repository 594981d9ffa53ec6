"""Arithmetic of constant expressions: numbers, operators, precedence; as C++ computes them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from preflight.errors import MalformedInput

Number = int | float

# Binary operators by how tightly they bind; all are left-associative.
_BINDING: dict[str, int] = {
    "||": 1,
    "&&": 2,
    "|": 3,
    "^": 4,
    "&": 5,
    "==": 6,
    "!=": 6,
    "<": 7,
    ">": 7,
    "<=": 7,
    ">=": 7,
    "<<": 8,
    ">>": 8,
    "+": 9,
    "-": 9,
    "*": 10,
    "/": 10,
    "%": 10,
}
_UNARY = frozenset("+-!~")
_INTEGER = re.compile(r"(0[xX][0-9A-Fa-f]+|0[bB][01]+|[0-9]+)([uUlLzZ]*)")
_DECIMAL = re.compile(r"((?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)([fFlL]?)")
_HEX_FLOAT = re.compile(r"(0[xX][0-9A-Fa-f]*\.?[0-9A-Fa-f]*[pP][+-]?[0-9]+)([fFlL]?)")
_MAX_TERMS = 4096
_MAX_SHIFT = 63
_MAX_BITS = 128


def read_number(text: str) -> Number:
    """A C++ number: decimal, hexadecimal, octal, binary, separators, suffixes, exponents.

    A literal that ends in `f` is rounded to float32, because that is its type. Raises
    MalformedInput when the text is no number.
    """
    plain = text.replace("'", "")
    if match := _INTEGER.fullmatch(plain):
        digits = match.group(1)
        if digits[:2] in ("0x", "0X", "0b", "0B"):
            return int(digits, 0)
        if len(digits) > 1 and digits[0] == "0":
            return _octal(digits, text)
        return int(digits) if len(digits) < 40 else _refuse(text)
    if match := _DECIMAL.fullmatch(plain):
        return _floating(float(match.group(1)), match.group(2))
    if match := _HEX_FLOAT.fullmatch(plain):
        return _floating(float.fromhex(match.group(1)), match.group(2))
    return _refuse(text)


def _octal(digits: str, text: str) -> int:
    if set(digits) - set("01234567"):
        _refuse(text)
    return int(digits, 8)


def _floating(value: float, suffix: str) -> float:
    return to_float32(value) if suffix in ("f", "F") else value


def to_float32(value: float) -> float:
    """The nearest float32, widened again; infinite when it is beyond its range."""
    import struct

    try:
        narrowed: float = struct.unpack("<f", struct.pack("<f", value))[0]
    except OverflowError:
        return float("inf") if value > 0 else float("-inf")
    return narrowed


def _refuse(text: str) -> int:
    raise MalformedInput(f"'{text}' is not a number")


def evaluate(terms: Sequence[str | Number]) -> Number:
    """The value of an infix expression of numbers (or their text), operators and brackets.

    Evaluated with two stacks, so depth costs no recursion. Raises MalformedInput.
    """
    if len(terms) > _MAX_TERMS:
        raise MalformedInput(f"an expression of {len(terms)} terms")
    values: list[Number] = []
    operators: list[str] = []
    operand_expected = True
    for term in terms:
        if isinstance(term, (int, float)):
            operand_expected = _push(values, term, operand_expected)
        elif term == "(":
            if not operand_expected:
                raise MalformedInput("'(' after a value")
            operators.append(term)
        elif term == ")":
            _close(values, operators, operand_expected)
        elif operand_expected and term in _UNARY:
            operators.append("u" + term)
        elif not operand_expected and term in _BINDING:
            _reduce(values, operators, _BINDING[term])
            operators.append(term)
            operand_expected = True
        else:
            operand_expected = _push(values, read_number(term), operand_expected)
    if operand_expected:
        raise MalformedInput("the expression ends before a value")
    _reduce(values, operators, 0)
    if operators or len(values) != 1:
        raise MalformedInput("brackets do not match")
    return values[0]


def _push(values: list[Number], value: Number, operand_expected: bool) -> bool:
    if not operand_expected:
        raise MalformedInput(f"'{value}' follows a value without an operator")
    values.append(value)
    return False


def _close(values: list[Number], operators: list[str], operand_expected: bool) -> None:
    if operand_expected:
        raise MalformedInput("')' where a value is expected")
    _reduce(values, operators, 0)
    if not operators:
        raise MalformedInput("')' without '('")
    operators.pop()


def _reduce(values: list[Number], operators: list[str], binding: int) -> None:
    """Apply what binds at least as tightly, down to an open bracket."""
    while operators and operators[-1] != "(":
        top = operators[-1]
        if not top.startswith("u") and _BINDING[top] < binding:
            return
        operators.pop()
        right = values.pop()
        result = _unary(top[1], right) if top[0] == "u" else _binary(top, values.pop(), right)
        if isinstance(result, int) and result.bit_length() > _MAX_BITS:
            raise MalformedInput("a number too large for any C++ type")
        values.append(result)


def _unary(operator: str, value: Number) -> Number:
    if operator == "+":
        return +value
    if operator == "-":
        return -value
    if operator == "!":
        return int(not value)
    if isinstance(value, float):
        raise MalformedInput("'~' needs an integer")
    return ~value


def _binary(operator: str, left: Number, right: Number) -> Number:
    if operator in ("||", "&&"):
        return int(bool(left or right) if operator == "||" else bool(left and right))
    if operator in ("==", "!=", "<", ">", "<=", ">="):
        return int(_compare(operator, left, right))
    if operator in ("+", "-", "*"):
        return (
            left + right if operator == "+" else left - right if operator == "-" else left * right
        )
    if operator in ("/", "%"):
        return _divide(operator, left, right)
    if isinstance(left, float) or isinstance(right, float):
        raise MalformedInput(f"'{operator}' needs integers")
    if operator in ("<<", ">>"):
        if not 0 <= right <= _MAX_SHIFT:
            raise MalformedInput(f"a shift by {right}")
        return left << right if operator == "<<" else left >> right
    return left | right if operator == "|" else left & right if operator == "&" else left ^ right


def _compare(operator: str, left: Number, right: Number) -> bool:
    if operator in ("==", "!="):
        return (left == right) == (operator == "==")
    if operator in ("<", ">="):
        return (left < right) == (operator == "<")
    return (left > right) == (operator == ">")


def _divide(operator: str, left: Number, right: Number) -> Number:
    if not right:
        raise MalformedInput("a division by zero")
    if isinstance(left, float) or isinstance(right, float):
        if operator == "%":
            raise MalformedInput("'%' needs integers")
        return left / right
    quotient = abs(left) // abs(right) * (1 if (left < 0) == (right < 0) else -1)  # toward zero
    return quotient if operator == "/" else left - quotient * right
