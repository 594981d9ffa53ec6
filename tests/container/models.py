"""Small files of every kind, made by the project's own writer."""

from __future__ import annotations

import json
from collections.abc import Callable

from preflight.container import writer
from preflight.container.dynamic import write_library
from preflight.container.om2 import ENTRY_POINTS
from preflight.container.store_writer import (
    SoPart,
    TilingRecord,
    write_kernel_store,
    write_so_store,
    write_tiling,
)
from preflight.container.types import ContainerKind
from preflight.container.wire import encode_field

ELF_AARCH64 = b"\x7fELF\x02\x01" + bytes(12) + b"\xb7\x00" + bytes(8)
MODEL_DEF = encode_field(1, b"net") + encode_field(2, 2) + encode_field(7, encode_field(1, b"g"))
PARTS = [
    (5, write_so_store([SoPart("libhost.so", "opp/built-in", ELF_AARCH64)])),
    (12, write_tiling([TilingRecord(7, 8, b"tiling", (1, 2), (64,))])),
    (0, MODEL_DEF),
    (1, bytes(range(64))),
    (3, write_kernel_store([("kernel", b"object code")])),
]
META = {
    "name": "net",
    "work_size": 64,
    "zero_copy_size": 16,
    "inputs": [{"name": "x", "shape": [1], "shape_v2": [1]}],
    "outputs": [{"name": "y", "shape": [1]}],
}
OM2_ENTRIES = {
    "manifest.json": json.dumps({"om2_version": "0"}).encode(),
    "data/model_0/model_meta.json": json.dumps(META).encode(),
    "data/model_0/runtime/libnet_om2.so": write_library(0xB7, ENTRY_POINTS),
    "data/constants/constant_0": bytes(16),
    "data/constants/model_0_constants_config.json": json.dumps(
        {
            "internal_weight_size": 16,
            "consts": {"c": {"index": 0, "type": "INTERNAL", "offset": 0, "size": 16}},
        }
    ).encode(),
}


def om2(changes: dict[str, bytes] | None = None, *, without: str = "") -> bytes:
    entries = {n: d for n, d in (OM2_ENTRIES | (changes or {})).items() if n != without}
    return writer.write_om2(entries, stored=["data/constants/constant_0"])


def flow() -> bytes:
    nested = writer.write_om([[(0, MODEL_DEF), (1, b"weights")]])
    parts = [writer.submodel("a", nested), writer.submodel("b", nested)]
    return writer.write_flow(MODEL_DEF, parts, ["a", "b"])


TEXT_GRAPH = b'graph {\n  name: "g"\n  op {\n    name: "x"\n    type: "Data"\n  }\n}\n'

EVERY_KIND: dict[str, tuple[ContainerKind, Callable[[], bytes]]] = {
    "static": (ContainerKind.OM, lambda: writer.write_om([PARTS])),
    "tiny": (ContainerKind.OM, lambda: writer.write_om([PARTS], table="tiny")),
    "first": (ContainerKind.OM, lambda: writer.write_first_generation(PARTS)),
    "dynamic": (
        ContainerKind.OM,
        lambda: writer.write_om([PARTS, PARTS[2:], PARTS[2:3]], is_unknow_model=1),
    ),
    "flow": (ContainerKind.FLOW, flow),
    "bundle": (
        ContainerKind.BUNDLE,
        lambda: writer.write_bundle([writer.write_om([PARTS]), flow()], var_size=4096),
    ),
    "nano": (ContainerKind.NANO, lambda: writer.write_nano([(20, b"d" * 12), (1, b"w" * 5)])),
    "hiai": (ContainerKind.HIAI, lambda: writer.write_hiai([(0, MODEL_DEF), (7, b"key")])),
    "bare": (ContainerKind.BARE, lambda: writer.write_bare(MODEL_DEF)),
    "air": (ContainerKind.AIR, lambda: MODEL_DEF),
    "om2": (ContainerKind.OM2, om2),
    "text": (ContainerKind.TEXT_GRAPH, lambda: TEXT_GRAPH),
}
