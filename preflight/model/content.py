"""What the partitions beside MODEL_DEF gave: stores, inputs and outputs, operators (§A.7-A.11)."""

from __future__ import annotations

from dataclasses import field

from preflight.model.manifest import Gears, Kernel, SoStore, TensorInfo
from preflight.values import dataclass


@dataclass(frozen=True, slots=True)
class Boundary:
    """Decoded MODEL_INOUT_INFO."""

    inputs: tuple[TensorInfo, ...] = ()
    outputs: tuple[TensorInfo, ...] = ()
    gears: Gears = field(default_factory=Gears)


@dataclass(frozen=True, slots=True)
class Content:
    """Facts from partitions other than the model definition; empty where a file has none."""

    so_store: SoStore = field(default_factory=SoStore)
    kernels: tuple[Kernel, ...] = ()
    custom_ops: tuple[str, ...] = ()
    boundary: Boundary | None = None
