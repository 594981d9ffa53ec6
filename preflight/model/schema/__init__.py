"""The message classes of model files, made at run time from a serialized descriptor set."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

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
    from google.protobuf import descriptor_pb2, descriptor_pool

    files = descriptor_pb2.FileDescriptorSet()
    files.ParseFromString((Path(__file__).parent / "descriptors.bin").read_bytes())
    pool = descriptor_pool.DescriptorPool()
    for file in files.file:
        pool.Add(file)
    return pool


@cache
def message_class(name: str) -> Any:
    """The class for a message of `_PACKAGES`; protobuf is imported at the first call."""
    from google.protobuf import message_factory

    return message_factory.GetMessageClass(_pool().FindMessageTypeByName(_PACKAGES[name]))
