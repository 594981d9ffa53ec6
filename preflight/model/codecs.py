"""One codec per attribute type: what the loader keeps, as plain Python (spec/om-format.md §C.3).

A codec is stateless. The registry has one for every AttrDef case that the loader registers a
deserializer for; a case or list type without a codec is exactly what the loader refuses.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from typing import Any

from msgspec import Struct

from preflight.model.manifest import Attribute, AttrValue, GraphValue, TensorValue


class Codec(Struct, frozen=True):
    """`name` is Attribute.type; `decode` takes the AttrDef (for lists: the ListValue)."""

    name: str
    decode: Callable[[Any], AttrValue]


def text(raw: bytes) -> str | bytes:
    """A string attribute: bytes on the wire, text when they are UTF-8."""
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        return raw


def _tensor_desc(message: Any) -> AttrValue:
    from preflight.model.tensors import tensor_info  # tensors have attributes: a cycle by nature

    return tensor_info(message)


def _tensor(message: Any) -> TensorValue:
    from preflight.model.tensors import tensor_info

    digest = hashlib.sha256(message.data).hexdigest() if message.data else ""
    return TensorValue(tensor_info(message.desc), len(message.data), digest)


def _graph(message: Any) -> GraphValue:
    return GraphValue(name=message.name, operators=len(message.op))


def _named(message: Any) -> AttrValue:
    """NamedAttrs: {"name": text, "attr": {name: Attribute}}."""
    attributes = {name: decode(name, value) for name, value in message.attr.items()}
    return {"name": message.name, "attr": attributes}


CODECS: Mapping[str, Codec] = {
    codec.name: codec
    for codec in (
        Codec("s", lambda a: text(a.s)),
        Codec("i", lambda a: a.i),
        Codec("f", lambda a: a.f),
        Codec("b", lambda a: a.b),
        Codec("bt", lambda a: a.bt),
        Codec("dt", lambda a: a.dt),
        Codec("td", lambda a: _tensor_desc(a.td)),
        Codec("t", lambda a: _tensor(a.t)),
        Codec("g", lambda a: _graph(a.g)),
        Codec("func", lambda a: _named(a.func)),
        Codec("list_list_int", lambda a: [list(row.list_i) for row in a.list_list_int.list_list_i]),
        Codec(
            "list_list_float",
            lambda a: [list(row.list_f) for row in a.list_list_float.list_list_f],
        ),
    )
}

# Position = ListValue.val_type; 0 (NONE) has no codec.
LIST_CODECS: Mapping[int, Codec] = {
    1: Codec("list_s", lambda v: [text(item) for item in v.s]),
    2: Codec("list_i", lambda v: list(v.i)),
    3: Codec("list_f", lambda v: list(v.f)),
    4: Codec("list_b", lambda v: list(v.b)),
    5: Codec("list_bt", lambda v: list(v.bt)),
    6: Codec("list_td", lambda v: [_tensor_desc(item) for item in v.td]),
    7: Codec("list_t", lambda v: [_tensor(item) for item in v.t]),
    8: Codec("list_g", lambda v: [_graph(item) for item in v.g]),
    9: Codec("list_na", lambda v: [_named(item) for item in v.na]),
    10: Codec("list_dt", lambda v: list(v.dt)),
}


def decode(name: str, value: Any) -> Attribute:
    """The attribute for an AttrDef that `preflight.model.attributes.problem` lets pass."""
    case = value.WhichOneof("value")
    if case == "list":
        codec = LIST_CODECS[value.list.val_type]
        return Attribute(name, codec.name, codec.decode(value.list))
    return Attribute(name, case, CODECS[case].decode(value))
