"""Text dumps of Graph Engine: ge_proto_*.txt and ge_onnx_*.pbtxt, read into ModelDef."""

from __future__ import annotations

from typing import Any

from preflight.model.schema import message_class

MAX_TEXT = 32 << 20  # bytes; the parser takes a second for each MB
_ONNX_PREFIX = "ge:"


def parse_text_graph(text: bytes, kind: str) -> tuple[Any | None, str]:
    """(ModelDef, "") or (None, what is wrong). `kind` is "ge_proto" or "ge_onnx".

    Fields that this package does not know are passed over.
    """
    from google.protobuf import text_format

    message = message_class("ModelDef" if kind == "ge_proto" else "OnnxModel")()
    try:
        text_format.Merge(text.decode("utf-8"), message, allow_unknown_field=True)
    except text_format.ParseError as error:
        return None, f"text graph cannot be parsed: {error}"
    except UnicodeDecodeError:
        return None, "text graph is not UTF-8"
    except RecursionError:
        return None, "text graph is nested too deeply"
    return (message, "") if kind == "ge_proto" else (_from_onnx(message), "")


def _from_onnx(source: Any) -> Any:
    """Operators and edges; that dump has no tensor descriptors of its own."""
    message = message_class("ModelDef")(name=source.graph.name)
    graph = message.graph.add(name=source.graph.name)
    for node in source.graph.node:
        operator = graph.op.add(name=node.name, type=node.op_type.removeprefix(_ONNX_PREFIX))
        operator.input.extend(node.input)
        for item in node.attribute:
            _attribute(operator.attr[item.name], item)
    return message


# AttributeProto.type -> (field there, field of AttrDef or ListValue, val_type of a list)
_KINDS = {
    1: ("f", "f", 0),
    2: ("i", "i", 0),
    3: ("s", "s", 0),
    6: ("floats", "f", 3),
    7: ("ints", "i", 2),
    8: ("strings", "s", 1),
}


def _attribute(target: Any, item: Any) -> None:
    kind = _KINDS.get(item.type)
    if kind is None:
        target.SetInParent()
        return
    source, field, val_type = kind
    if val_type:
        target.list.val_type = val_type
        getattr(target.list, field).extend(getattr(item, source))
    else:
        setattr(target, field, getattr(item, source))
