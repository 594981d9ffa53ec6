"""Default literals: JSON text inside a string, read by the attribute's type.

The conversions are those of the consumers of the protocol (spec/corrections.md item 25): an Int
takes 1.5 as 1 and wraps at 64 bits, but never takes true; a Bool takes only true and false.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from preflight.errors import MalformedInput
from preflight.registry.jsontext import first_value

Literal = object  # int, float, bool, str, list of these, TENSOR


class DefaultFault(MalformedInput):
    """A default literal that its type cannot take.

    `reason`: missing, not_json, type_mismatch, tensor_literal, unsupported_type.
    """

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(message)
        self.reason = reason


def parse_default(type_name: str, text: str) -> Literal:
    """The value that `text` means for an attribute of that type. Raises DefaultFault."""
    reader = _READERS.get(type_name)
    if reader is None:
        raise DefaultFault("unsupported_type", f"attribute type '{type_name}' is not known")
    if not text:
        raise DefaultFault("missing", "the default value is empty text")
    try:
        value = first_value(text.encode("utf-8", errors="replace"), "default value")
    except MalformedInput as error:
        raise DefaultFault("not_json", f"{text[:60]!r} is not JSON") from error
    return reader(value)


def _mismatch(value: object, wanted: str) -> DefaultFault:
    return DefaultFault("type_mismatch", f"{str(value)[:60]!r} is no {wanted}")


def _int(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise _mismatch(value, "Int")
    wrapped = int(value) & 0xFFFFFFFFFFFFFFFF
    return wrapped - (1 << 64) if wrapped >> 63 else wrapped


def _float(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise _mismatch(value, "Float")
    return float(value)


def _bool(value: object) -> bool:
    if not isinstance(value, bool):
        raise _mismatch(value, "Bool")
    return value


def _string(value: object) -> str:
    if not isinstance(value, str):
        raise _mismatch(value, "String")
    return value


def _tensor(value: object) -> str:
    if not isinstance(value, str):
        raise _mismatch(value, "Tensor")
    if value != "Tensor()":
        raise DefaultFault("tensor_literal", f"{value[:60]!r}: a Tensor default is only Tensor()")
    return value


def _list_of(item: Callable[[object], Literal], wanted: str) -> Callable[[object], list[Literal]]:
    def read(value: object) -> list[Literal]:
        if not isinstance(value, list):
            raise _mismatch(value, wanted)
        return [item(element) for element in value]

    return read


_LIST_INT = _list_of(_int, "ListInt")

_READERS: Mapping[str, Callable[[object], Literal]] = {
    "Int": _int,
    "Float": _float,
    "Bool": _bool,
    "String": _string,
    "Type": _string,
    "Tensor": _tensor,
    "ListInt": _LIST_INT,
    "ListFloat": _list_of(_float, "ListFloat"),
    "ListBool": _list_of(_bool, "ListBool"),
    "ListType": _list_of(_string, "ListType"),
    "ListString": _list_of(_string, "ListString"),
    "ListListInt": _list_of(_LIST_INT, "ListListInt"),
}
