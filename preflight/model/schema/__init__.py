"""The message classes of model files, made at run time from a serialized descriptor set."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from preflight.container.source import BytesSource
from preflight.container.wire import scan_fields

_PACKAGES = {
    "ModelDef": "ge.proto.ModelDef",
    "GraphDef": "ge.proto.GraphDef",
    "OpDef": "ge.proto.OpDef",
    "TensorDescriptor": "ge.proto.TensorDescriptor",
    "TensorDef": "ge.proto.TensorDef",
    "AttrDef": "ge.proto.AttrDef",
    "NamedAttrs": "ge.proto.NamedAttrs",
    "FlowModelDef": "ge.flow_model.proto.FlowModelDef",
    "SubmodelDef": "ge.flow_model.proto.SubmodelDef",
    "ModelTaskDef": "domi.ModelTaskDef",
    "OldModelDef": "domi.v0.ModelDef",
    "OnnxModel": "ge.onnx_text.OnnxModel",
}


@cache
def _pool() -> Any:
    # A pool of our own: the default one may already hold ge.proto from a CANN Python package.
    from google.protobuf import descriptor_pool

    pool = descriptor_pool.DescriptorPool()
    source = BytesSource((Path(__file__).parent / "descriptors.bin").read_bytes())
    for file in scan_fields(source):  # a FileDescriptorSet: every field is one serialized file
        pool.AddSerializedFile(source.read(file.offset, file.size))
    return pool


@cache
def message_class(name: str) -> Any:
    """The class for a message of `_PACKAGES`; protobuf is imported at the first call."""
    from google.protobuf import message_factory

    return message_factory.GetMessageClass(_pool().FindMessageTypeByName(_PACKAGES[name]))
