"""Tensor descriptors as the loader reads them (spec/om-format.md §C.1, §C.2)."""

from __future__ import annotations

from typing import Any

from preflight.model.attributes import lenient_attributes
from preflight.model.dictionary import Dictionary, resolve
from preflight.model.dtypes import RESERVED, dtype_name_from_proto, format_number
from preflight.model.manifest import TensorInfo


def tensor_info(message: Any, dictionary: Dictionary | None = None) -> TensorInfo:
    """One TensorDescriptor; `dictionary` undoes attribute compression that was checked before."""
    attributes = lenient_attributes(message)
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


def _text(attributes: Any, name: str) -> str:
    if name not in attributes:
        return ""
    value = attributes[name].value
    return value if isinstance(value, str) else ""


def _numbers(attributes: Any, name: str) -> tuple[int, ...] | None:
    if name not in attributes or attributes[name].type != "list_i":
        return None
    return tuple(attributes[name].value)


def _ranges(attributes: Any) -> tuple[tuple[int, int], ...]:
    if "shape_range" not in attributes or attributes["shape_range"].type != "list_list_int":
        return ()
    rows = attributes["shape_range"].value
    return tuple((row[0], row[1]) for row in rows if len(row) == 2)
