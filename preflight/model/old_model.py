"""Definitions in other clothes, turned into ge.proto.ModelDef: first generation and text dumps."""

from __future__ import annotations

from typing import Any

from preflight.model.dtypes import dtype_name, dtype_proto_number, format_name
from preflight.model.parse import parse_message
from preflight.model.schema import message_class

# Numbers that the first generation keeps in fields of the model and later ones in attributes.
_NUMBERS = ("memory_size", "stream_num", "event_num", "weight_size", "label_num")
_TARGETS = ("MINI", "TINY", "LITE")


def convert_old_definition(data: bytes) -> Any | None:
    """A first-generation model definition as ModelDef; None when the bytes are none."""
    old, _ = parse_message("OldModelDef", data)
    if old is None:
        return None
    message = message_class("ModelDef")(name=old.name, version=old.version)
    for name in _NUMBERS:
        message.attr[name].i = getattr(old, name)
    if 0 <= old.target_type < len(_TARGETS):
        message.attr["target_type"].s = _TARGETS[old.target_type].encode()
    for name, value in old.attr.items():
        _attribute(message.attr[name], value)
    graph = message.graph.add(name=old.name)
    for source in old.op:
        _operator(graph.op.add(name=source.name, type=source.type), source)
    return message


def _operator(target: Any, source: Any) -> None:
    target.id, target.stream_id = source.id, source.stream_id
    indices = list(source.src_index) + [0] * len(source.src_name)
    for name, index in zip(source.src_name, indices, strict=False):
        target.input.append(f"{name}:{index}")
    for descs, into in (
        (source.input_desc, target.input_desc),
        (source.output_desc, target.output_desc),
    ):
        for desc in descs:
            made = into.add(layout=format_name(desc.format), size=desc.size)
            made.dtype = dtype_proto_number(dtype_name(desc.data_type))
            made.shape.dim.extend(desc.dim)
    for name, value in source.attr.items():
        _attribute(target.attr[name], value)


_LISTS = (("s", 1), ("i", 2), ("f", 3), ("b", 4), ("bt", 5), ("u", 2))


def _attribute(target: Any, value: Any) -> None:
    """Unsigned numbers become signed ones: the later format has no others."""
    case = value.WhichOneof("value")
    if case == "list":
        name, kind = next((n, k) for n, k in (*_LISTS, ("", 0)) if not n or getattr(value.list, n))
        target.list.val_type = kind
        if name:
            items = getattr(value.list, name)
            raw = [item.encode() for item in items] if name == "s" else items
            getattr(target.list, "i" if name == "u" else name).extend(raw)
    elif case == "s":
        target.s = value.s.encode()
    elif case == "u":
        target.i = value.u
    elif case is not None:
        setattr(target, case, getattr(value, case))
