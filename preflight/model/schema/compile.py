"""Compile the .proto files of this folder into `descriptors.bin`; needs grpcio-tools.

Run it after changing a .proto file; a test compares the result with the committed file.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
SOURCES = ("ge_ir.proto", "flow.proto", "task.proto", "om_v0.proto", "ge_onnx.proto")


def compile_descriptors() -> bytes:
    """The serialized FileDescriptorSet of all sources, without comments and positions."""
    from grpc_tools import protoc  # type: ignore[import-untyped]  # ships no stubs

    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / "descriptors.bin"
        arguments = [f"--proto_path={FOLDER}", f"--descriptor_set_out={target}"]
        status = protoc.main(["protoc", *arguments, *SOURCES])
        if status:
            raise SystemExit(f"protoc ended with status {status}")
        return target.read_bytes()


if __name__ == "__main__":
    (FOLDER / "descriptors.bin").write_bytes(compile_descriptors())
