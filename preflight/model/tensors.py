"""Tensor descriptors as the loader reads them (spec/om-format.md §C.1, §C.2)."""

from __future__ import annotations

from typing import Any

from preflight.model.attributes import AttributeMap, kept_attributes
from preflight.model.dictionary import Dictionary, resolve
from preflight.model.dtypes import RESERVED, dtype_name_from_proto, format_number
from preflight.model.manifest import TensorInfo


def tensor_info(message: Any, dictionary: Dictionary | None = None) -> TensorInfo:
    """One TensorDescriptor; `dictionary` undoes attribute compression that was checked before."""
    attributes = kept_attributes(message)
    if dictionary is not None:
        attributes = resolve(attributes, dictionary)
    dtype = dtype_name_from_proto(message.dtype)
    layout = message.layout
    return TensorInfo(
        name=message.name,
        dtype=dtype,
        format=layout,
        shape=tuple(message.shape.dim),
        origin_format=_text(attributes, "origin_format"),
        origin_shape=_numbers(attributes, "origin_shape"),
        shape_range=_ranges(attributes),
        size=message.size or None,
        # An input that was left out keeps a descriptor which the loader counts as not valid.
        connected=dtype != "UNDEFINED" or format_number(layout) != RESERVED,
        attributes=attributes,
    )


def _value(attributes: AttributeMap, name: str, kind: str) -> Any:
    """The value of an attribute of one type; None when there is none of that name and type."""
    attribute = attributes.find(name)
    return attribute.value if attribute is not None and attribute.type == kind else None


def _text(attributes: AttributeMap, name: str) -> str:
    value = _value(attributes, name, "s")
    return value if isinstance(value, str) else ""


def _numbers(attributes: AttributeMap, name: str) -> tuple[int, ...] | None:
    value = _value(attributes, name, "list_i")
    return None if value is None else tuple(value)


def _ranges(attributes: AttributeMap) -> tuple[tuple[int, int], ...]:
    rows = _value(attributes, "shape_range", "list_list_int") or ()
    return tuple((row[0], row[1]) for row in rows if len(row) == 2)
