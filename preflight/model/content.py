"""What the partitions beside MODEL_DEF gave: stores, inputs and outputs, operators (§A.7-A.11)."""

from __future__ import annotations

from msgspec import Struct, field

from preflight.model.manifest import Gears, Kernel, SoStore, TensorInfo


class Boundary(Struct, frozen=True):
    """Decoded MODEL_INOUT_INFO."""

    inputs: tuple[TensorInfo, ...] = ()
    outputs: tuple[TensorInfo, ...] = ()
    gears: Gears = field(default_factory=Gears)


class Content(Struct, frozen=True):
    """Facts from partitions other than the model definition; empty where a file has none."""

    so_store: SoStore = field(default_factory=SoStore)
    kernels: tuple[Kernel, ...] = ()
    custom_ops: tuple[str, ...] = ()
    boundary: Boundary | None = None
