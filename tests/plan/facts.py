"""Model manifests made by hand, for tests that need no file."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from preflight.model.atc_command import parse_atc_command
from preflight.model.manifest import (
    Gears,
    MemoryNeeds,
    ModelManifest,
    SoStore,
    TensorInfo,
)


def tensor(name: str, *shape: int, format: str = "NCHW", **more: Any) -> TensorInfo:
    return TensorInfo(name, "FLOAT", format, tuple(shape), **more)


_EMPTY = ModelManifest(
    model_name="m",
    ir_version=2,
    custom_version="",
    compressed_attributes=False,
    soc_version="",
    arch_type="",
    atc_version="",
    opp_version="",
    compiler_version="",
    framework_type="",
    atc_command=None,
    host_env_os="",
    host_env_cpu="",
    need_check_os_cpu=0,
    so_store=SoStore(),
    dynamic=False,
    single_op=False,
    inputs=(),
    outputs=(),
    gears=Gears(),
    attributes={},
    graphs=(),
    operators=(),
    kernels=(),
    memory=MemoryNeeds(),
)


def manifest(command: str = "", **changes: Any) -> ModelManifest:
    """A static, host-neutral model; `changes` are fields of the manifest."""
    parsed = parse_atc_command(command) if command else None
    return replace(_EMPTY, atc_command=parsed, **changes)
