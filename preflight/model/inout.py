"""MODEL_INOUT_INFO as manifest values (spec/om-format.md §A.9)."""

from __future__ import annotations

from preflight.container import inout as parts
from preflight.model.content import Boundary
from preflight.model.dtypes import dtype_name, format_name
from preflight.model.manifest import Gears, TensorInfo


def boundary_from(info: parts.InOutInfo) -> Boundary:
    """Names, types, shapes and gears; dimsV2 is the shape before AIPP and the like."""
    return Boundary(
        inputs=tuple(map(_tensor, info.inputs)),
        outputs=tuple(map(_tensor, info.outputs)),
        gears=Gears(
            batch=info.dynamic_batch,
            hw=info.dynamic_hw,
            dims=info.dynamic_dims,
            output_shapes=tuple(map(_text, info.dynamic_output_shape)),
            name_order=tuple(map(_text, info.data_name_order)),
        ),
    )


def _tensor(tensor: parts.TensorInfo) -> TensorInfo:
    return TensorInfo(
        name=tensor.name,
        dtype=dtype_name(tensor.data_type),
        format=format_name(tensor.format),
        shape=tensor.dims,
        origin_shape=tensor.dims_v2 if tensor.dims_v2 != tensor.dims else None,
        shape_range=tensor.shape_range,
        size=tensor.size,
    )


def _text(raw: bytes) -> str:
    return raw.decode("utf-8", "backslashreplace")
