"""The committed descriptor set is what the .proto files say, in a pool of its own."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from google.protobuf import descriptor_pb2, descriptor_pool

from preflight.model import schema
from preflight.model.schema import message_class

FOLDER = Path(schema.__file__).parent


def descriptor_set(data: bytes) -> descriptor_pb2.FileDescriptorSet:
    files = descriptor_pb2.FileDescriptorSet()
    files.ParseFromString(data)
    return files


def test_binary_matches_the_sources() -> None:
    pytest.importorskip("grpc_tools", reason="grpcio-tools is needed to compile .proto files")
    program = (
        "import sys; from preflight.model.schema.compile import compile_descriptors; "
        "sys.stdout.buffer.write(compile_descriptors())"
    )
    made = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True).stdout
    committed = (FOLDER / "descriptors.bin").read_bytes()
    assert descriptor_set(made) == descriptor_set(committed), (
        "run `python -m preflight.model.schema.compile`"
    )


def test_default_pool_is_left_alone() -> None:
    message_class("ModelDef")
    with pytest.raises(KeyError):
        descriptor_pool.Default().FindMessageTypeByName("ge.proto.ModelDef")


def test_importing_the_model_package_does_not_import_protobuf() -> None:
    program = (
        "import sys, preflight.model.file, preflight.model.writer; "
        "sys.exit('google.protobuf' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


@pytest.mark.parametrize("name", sorted(schema._PACKAGES))
def test_every_message_can_be_made_and_read_back(name: str) -> None:
    cls = message_class(name)
    assert cls.FromString(cls().SerializeToString()) == cls()
