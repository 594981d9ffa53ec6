"""The 256-byte file header in its three layouts (spec/om-format.md §A.1)."""

from __future__ import annotations

import struct

from preflight.container.types import Header
from preflight.errors import MalformedInput

HEADER_SIZE = 256
MAGIC = 0x444F4D49  # the bytes "IMOD"
MAGIC_BYTES = b"IMOD"
VERSION_V1 = 0x10000000
VERSION_V2 = 0x20000000

# modeltype values, spec/enums.json ModelType
MODELTYPE_IR = 0
MODELTYPE_STANDARD = 1
MODELTYPE_TINY = 2
MODELTYPE_FLOW = 3
MODELTYPE_LITE = 4
MODELTYPE_BUNDLE = 5

# magic headsize version checksum length is_encrypt is_checksum modeltype genmode name ops
# userdefineinfo om_ir_version: the same bytes in every layout, 0..156
_HEAD = struct.Struct("<3I64sI4B32sI32sI")
_TAIL_V1 = struct.Struct("<20sB79s")
_TAIL = struct.Struct("<I20sB3sQBB62s")

assert _HEAD.size + _TAIL_V1.size == HEADER_SIZE
assert _HEAD.size + _TAIL.size == HEADER_SIZE


def parse_header(data: bytes) -> Header:
    """The header in the first 256 bytes of `data`; magic and values are not judged here.

    The loader itself always reads model_length, need_check_os_cpu_info and is_unknow_model at
    184, 192 and 193, whatever the version says: so they are filled in every layout, and the layout
    is `v1` for a version below 0x20000000, `v3` when one of the bytes after platform_type is set,
    else `v2`. A v1 file has no model_num; the bytes there belong to platform_version.
    Raises MalformedInput below 256 bytes.
    """
    if len(data) < HEADER_SIZE:
        raise MalformedInput(f"{len(data)} bytes are too short for the 256-byte file header")
    head = _HEAD.unpack_from(data)
    tail = _TAIL.unpack_from(data, _HEAD.size)
    model_num, platform, platform_type, pad, model_length, need_check, unknow, reserved = tail
    layout = "v3" if model_length or need_check or unknow or any(pad) or any(reserved) else "v2"
    if head[2] < VERSION_V2:
        layout, model_num = "v1", 0
        platform, platform_type, _ = _TAIL_V1.unpack_from(data, _HEAD.size)
    return Header(
        magic=head[0],
        headsize=head[1],
        version=head[2],
        checksum=head[3],
        length=head[4],
        is_encrypt=head[5],
        is_checksum=head[6],
        modeltype=head[7],
        genmode=head[8],
        name=_text(head[9]),
        ops=head[10],
        userdefineinfo=head[11],
        om_ir_version=head[12],
        model_num=model_num,
        platform_version=_text(platform),
        platform_type=platform_type,
        model_length=model_length,
        need_check_os_cpu_info=need_check,
        is_unknow_model=unknow,
        layout=layout,
    )


def pack_header(header: Header) -> bytes:
    """The 256 bytes of `header` in its own layout; the inverse of parse_header on its fields."""
    head = _HEAD.pack(
        header.magic,
        header.headsize,
        header.version,
        header.checksum,
        header.length,
        header.is_encrypt,
        header.is_checksum,
        header.modeltype,
        header.genmode,
        _field(header.name, 31),
        header.ops,
        header.userdefineinfo,
        header.om_ir_version,
    )
    platform = _field(header.platform_version, 19)
    if header.layout == "v1":
        tail = bytearray(_TAIL_V1.pack(platform, header.platform_type, b""))
        struct.pack_into(
            "<QBB",
            tail,
            184 - _HEAD.size,
            header.model_length,
            header.need_check_os_cpu_info,
            header.is_unknow_model,
        )
        return head + bytes(tail)
    return head + _TAIL.pack(
        header.model_num,
        platform,
        header.platform_type,
        b"",
        header.model_length,
        header.need_check_os_cpu_info,
        header.is_unknow_model,
        b"",
    )


def new_header(**fields: object) -> Header:
    """A header with the values that a writer leaves by default, and `fields` set over them."""
    defaults: dict[str, object] = {
        "magic": MAGIC, "headsize": HEADER_SIZE, "version": VERSION_V2, "checksum": b"\0" * 64,
        "length": 0, "is_encrypt": 0, "is_checksum": 0, "modeltype": MODELTYPE_IR, "genmode": 0,
        "name": "", "ops": 0, "userdefineinfo": b"\0" * 32, "om_ir_version": 2, "model_num": 1,
        "platform_version": "", "platform_type": 0, "model_length": 0,
        "need_check_os_cpu_info": 0, "is_unknow_model": 0, "layout": "v3",
    }  # fmt: skip
    return Header(**(defaults | fields))  # type: ignore[arg-type]  # field types are the caller's


def _text(raw: bytes) -> str:
    """NUL-terminated text; bytes that are not UTF-8 stay visible as escapes."""
    return raw.split(b"\0", 1)[0].decode("utf-8", "backslashreplace")


def _field(text: str, limit: int) -> bytes:
    return text.encode("utf-8")[:limit]
