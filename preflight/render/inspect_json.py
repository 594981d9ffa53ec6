"""What a model file says about itself, for programs; the schema is schemas/inspect.schema.json.

Fields are only ever added. Attribute values are plain JSON; what JSON cannot carry is an object:
bytes {"hex": …}, numbers that are not finite {"float": "nan"}, tensors and graphs by their fields.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import fields

from preflight.container.types import Block, Container, Fault, Header, Note
from preflight.model.manifest import (
    Attribute,
    GraphValue,
    ModelFile,
    ModelManifest,
    TensorInfo,
    TensorValue,
)
from preflight.render.json import dump

SCHEMA_VERSION = 1
MAX_NESTING = 80  # levels of a value that comes from a file
MAX_HEX = 1 << 16  # bytes of one attribute that are shown; longer ones say their size


def render_inspect_json(models: Sequence[ModelFile], *, masked: bool = True) -> str:
    """One object for one file, {"schema_version", "results"} for several; ends in a newline."""
    if len(models) == 1:
        return dump(inspect_value(models[0]), masked=masked)
    results = [inspect_value(model) for model in models]
    return dump({"schema_version": SCHEMA_VERSION, "results": results}, masked=masked)


def inspect_value(model: ModelFile) -> dict[str, Any]:
    """One file as plain values, in the order in which they are written."""
    return {
        "schema_version": SCHEMA_VERSION,
        "path": model.path,
        "name": model.name,
        "sha256": model.sha256,
        "bytes_read": model.bytes_read,
        "container": _container(model.container),
        "manifest": None if model.manifest is None else _manifest(model.manifest),
        "faults": [_fault(fault) for fault in model.faults],
        "standard_faults": [_fault(fault) for fault in model.standard_faults],
        "notes": [_note(note) for note in model.notes],
        "nested": [inspect_value(inner) for inner in model.nested],
    }


def _container(container: Container) -> dict[str, Any]:
    return {
        "kind": container.kind.value,
        "what": container.what,
        "advice": container.advice,
        "size": container.size,
        "header": None if container.header is None else _header(container.header),
        "blocks": [_block(block) for block in container.blocks],
        "nested": [
            {"name": entry.name, "offset": entry.offset, "size": entry.size}
            for entry in container.nested
        ],
        "details": plain(container.details),
    }


def _header(header: Header) -> dict[str, Any]:
    values = {field.name: getattr(header, field.name) for field in fields(header)}
    values["checksum"] = header.checksum.hex()
    values["userdefineinfo"] = header.userdefineinfo.hex()
    return values | {"payload_length": header.payload_length, "is_dynamic": header.is_dynamic}


def _block(block: Block) -> dict[str, Any]:
    return {
        "index": block.index,
        "offset": block.offset,
        "table": block.table,
        "table_size": block.table_size,
        "declared_count": block.declared_count,
        "partitions": [
            {
                "index": part.index,
                "id": part.id,
                "name": part.name,
                "offset": part.offset,
                "size": part.size,
                "declared_offset": part.declared_offset,
            }
            for part in block.partitions
        ],
    }


def _manifest(manifest: ModelManifest) -> dict[str, Any]:
    command = manifest.atc_command
    return {
        "model_name": manifest.model_name,
        "ir_version": manifest.ir_version,
        "custom_version": manifest.custom_version,
        "compressed_attributes": manifest.compressed_attributes,
        "soc_version": manifest.soc_version,
        "arch_type": manifest.arch_type,
        "atc_version": manifest.atc_version,
        "opp_version": manifest.opp_version,
        "compiler_version": manifest.compiler_version,
        "framework_type": manifest.framework_type,
        "atc_command": None
        if command is None
        else {
            "text": command.text,
            "program": command.program,
            "options": [list(option) for option in command.options],
        },
        "host_env_os": manifest.host_env_os,
        "host_env_cpu": manifest.host_env_cpu,
        "need_check_os_cpu": manifest.need_check_os_cpu,
        "so_store": plain(manifest.so_store),
        "dynamic": manifest.dynamic,
        "single_op": manifest.single_op,
        "inputs": [_tensor(tensor) for tensor in manifest.inputs],
        "outputs": [_tensor(tensor) for tensor in manifest.outputs],
        "gears": plain(manifest.gears),
        "attributes": {name: plain(a.value) for name, a in _sorted(manifest.attributes)},
        "attribute_types": {name: a.type for name, a in _sorted(manifest.attributes)},
        "default_attributes": list(manifest.default_attributes),
        "graphs": [
            {"name": g.name, "block": g.block, "operators": len(g.operators)}
            for g in manifest.graphs
        ],
        "operators": [
            {"type": row.type, "count": row.count, "first": row.first} for row in manifest.operators
        ],
        "kernels": [plain(kernel) for kernel in manifest.kernels],
        "memory": plain(manifest.memory),
        "external_weights": list(manifest.external_weights),
        "custom_ops": list(manifest.custom_ops),
    }


def _sorted(attributes: Mapping[str, Attribute]) -> list[tuple[str, Attribute]]:
    return sorted(attributes.items())


def _tensor(tensor: TensorInfo) -> dict[str, Any]:
    return {
        "name": tensor.name,
        "dtype": tensor.dtype,
        "format": tensor.format,
        "shape": plain(tensor.shape),
        "origin_format": tensor.origin_format,
        "origin_shape": plain(tensor.origin_shape),
        "shape_range": plain(tensor.shape_range),
        "size": tensor.size,
    }


def _fault(fault: Fault) -> dict[str, Any]:
    return {
        "check": fault.check,
        "detail": fault.detail,
        "block": fault.block,
        "partition": fault.partition,
        "offset": fault.offset,
        "data": plain(fault.data),
        "message_codes": list(fault.message_codes),
    }


def _note(note: Note) -> dict[str, Any]:
    return {
        "id": note.id,
        "detail": note.detail,
        "offset": note.offset,
        "data": plain(note.data),
    }


def plain(value: object, depth: int = 0) -> Any:
    """A value as JSON can carry it; see the module docstring for what becomes an object.

    Whole numbers beyond 64 bits become texts, and what is nested too deeply is left out.
    """
    if depth > MAX_NESTING:
        return "(nested too deeply)"
    if isinstance(value, int) and not -(1 << 63) <= value < 1 << 64:
        return str(value)
    if isinstance(value, bytes):
        shown: dict[str, Any] = {"hex": value[:MAX_HEX].hex()}
        return shown | ({"size": len(value)} if len(value) > MAX_HEX else {})
    if isinstance(value, float) and not math.isfinite(value):
        return {"float": str(value)}
    if isinstance(value, TensorInfo):
        return _tensor(value)
    if isinstance(value, TensorValue):
        return {"desc": _tensor(value.desc), "data_size": value.data_size}
    if isinstance(value, GraphValue):
        return {"graph": value.name, "operators": value.operators}
    if isinstance(value, Attribute):
        return plain(value.value, depth + 1)
    if isinstance(value, Mapping):
        return {str(key): plain(item, depth + 1) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item, depth + 1) for item in value]
    if isinstance(value, Struct):
        return {f.name: plain(getattr(value, f.name), depth + 1) for f in fields(value)}
    return value
