"""Builds every kind of container from parts, for tests, samples and experiments.

What is written is what `read_container` gives back. Nothing here judges: odd values can be written
on purpose, to see what a reader does with them.
"""

from __future__ import annotations

import io
import struct
import zipfile
from collections.abc import Iterable, Mapping, Sequence

from msgspec.structs import replace

from preflight.container.flow import (
    FLOW_SUBMODEL_NAME,
    SUBMODEL_BUILTIN,
    SUBMODEL_NAME,
    SUBMODEL_OM,
    SUBMODEL_PATH,
    SUBMODEL_TYPE,
)
from preflight.container.header import (
    HEADER_SIZE,
    MODELTYPE_BUNDLE,
    MODELTYPE_FLOW,
    MODELTYPE_LITE,
    VERSION_V1,
    VERSION_V2,
    new_header,
    pack_header,
)
from preflight.container.partitions import (
    BUNDLE_MODEL_INFO,
    BUNDLE_MODEL_VAR_INFO,
    FLOW_MODEL,
    FLOW_SUBMODEL,
    MODEL_DEF,
)
from preflight.container.standard import TINY, WIDE
from preflight.container.wire import encode_field

Parts = Sequence[tuple[int, bytes]]  # (partition id, content) in file order
NANO_ALIGNMENT = 8  # bytes (§A.3)
_FIXED_TIME = (1980, 1, 1, 0, 0, 0)  # so that the same parts give the same archive


def write_block(parts: Parts, table: str = "wide", *, start: int = 0, alignment: int = 1) -> bytes:
    """A partition table and its partitions; offsets count from the table end plus `start`."""
    layout, pad = (WIDE, 4) if table == "wide" else (TINY, 0)
    head = struct.pack("<I", len(parts)) + bytes(pad)
    length = len(head) + layout.size * len(parts)
    offset = _align(length, alignment) - length + start
    entries, body = [head], [bytes(offset - start)]
    for kind, content in parts:
        size = _align(len(content), alignment)
        entries.append(layout.pack(kind, offset, size))
        body.append(content.ljust(size, b"\0"))
        offset += size
    return b"".join(entries + body)


def write_om(blocks: Sequence[Parts], *, table: str = "wide", **fields: object) -> bytes:
    """A standard OM; `fields` override header fields.

    `table` "wide" writes model_length, "tiny" the old `length`. Several blocks make the model
    a dynamic one.
    """
    payload = b"".join(write_block(parts, table) for parts in blocks)
    return _file(payload, table == "wide", {"model_num": len(blocks)} | fields)


def write_file(payload: bytes, *, wide: bool = True, **fields: object) -> bytes:
    """Header and payload, the payload's length in the field that the table kind goes with."""
    return _file(payload, wide, fields)


def _file(payload: bytes, wide: bool, fields: Mapping[str, object]) -> bytes:
    """The layout of the header follows from the fields, as in reading (§A.1)."""
    length: dict[str, object] = {"model_length" if wide else "length": len(payload)}
    header = new_header(**(length | dict(fields)))
    new = header.model_length or header.need_check_os_cpu_info or header.is_unknow_model
    layout = "v1" if header.version < VERSION_V2 else "v3" if new else "v2"
    return pack_header(replace(header, layout=layout)) + payload


def write_first_generation(parts: Parts, **fields: object) -> bytes:
    """A standard OM with the first header version: no model_num, tiny table."""
    first = {"version": VERSION_V1, "model_num": 0}
    ascend = {"platform_version": "1.11.z.0", "platform_type": 1}
    return _file(write_block(parts, "tiny"), False, first | ascend | fields)


def write_hiai(parts: Parts, **fields: object) -> bytes:
    """A mobile model: first header version, modeltype 3 and a tiny table all the same."""
    mobile = {"modeltype": MODELTYPE_FLOW, "platform_version": "3.51.z.0", "platform_type": 0}
    return write_first_generation(parts, **(mobile | fields))


def write_bare(model_def: bytes, **fields: object) -> bytes:
    """A header followed by a model definition, no table."""
    first = {"version": VERSION_V1, "model_num": 0, "om_ir_version": 0}
    return _file(model_def, False, first | fields)


def write_nano(parts: Parts, **fields: object) -> bytes:
    """A nano OM: wide table, offsets and sizes rounded up to 8 bytes."""
    payload = write_block(parts, alignment=NANO_ALIGNMENT)
    return _file(payload, True, {"modeltype": MODELTYPE_LITE} | fields)


def write_bundle(models: Sequence[bytes], *, var_size: int | None = 0, **fields: object) -> bytes:
    """Complete OMs in one file; `var_size` None leaves out the entry that releases < 9.0 lack."""
    parts = [(BUNDLE_MODEL_INFO, model) for model in models]
    if var_size is not None:
        parts.insert(0, (BUNDLE_MODEL_VAR_INFO, struct.pack("<q", var_size)))
    payload = write_block(parts, start=8 + WIDE.size * len(parts))
    bundle = {
        "modeltype": MODELTYPE_BUNDLE,
        "model_num": len(models),
        "model_length": HEADER_SIZE + len(payload),  # of the whole file (§A.6)
    }
    return _file(payload, True, bundle | fields)


def write_flow(
    model_def: bytes, submodels: Sequence[bytes], names: Iterable[str] = (), **fields: object
) -> bytes:
    """A flow model from SubmodelDef messages (see `submodel`) and the names it lists."""
    flow = b"".join(encode_field(FLOW_SUBMODEL_NAME, n.encode()) for n in names)
    parts = [(MODEL_DEF, model_def), (FLOW_MODEL, flow)]
    parts += [(FLOW_SUBMODEL, s) for s in submodels]
    return _file(write_block(parts), True, {"modeltype": MODELTYPE_FLOW} | fields)


def submodel(
    name: str, om: bytes = b"", *, model_type: str = "NPU", path: str = "", builtin: bool = False
) -> bytes:
    """A SubmodelDef message; empty fields are left out, as protobuf does."""
    fields: list[tuple[int, int | bytes]] = [
        (SUBMODEL_NAME, name.encode()),
        (SUBMODEL_TYPE, model_type.encode()),
        (SUBMODEL_OM, om),
        (SUBMODEL_PATH, path.encode()),
        (SUBMODEL_BUILTIN, int(builtin)),
    ]
    return b"".join(encode_field(number, value) for number, value in fields if value)


def write_om2(entries: Mapping[str, bytes], *, stored: Iterable[str] = ()) -> bytes:
    """An OM2 package; entries named in `stored` are not compressed."""
    kept = frozenset(stored)
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, content in entries.items():
            info = zipfile.ZipInfo(name, _FIXED_TIME)
            info.compress_type = zipfile.ZIP_STORED if name in kept else zipfile.ZIP_DEFLATED
            archive.writestr(info, content)
    return out.getvalue()


def _align(size: int, alignment: int) -> int:
    return -(-size // alignment) * alignment
