"""Containers of other loaders with the same header: nano, HiAI/mobile, no table (§A.13)."""

from __future__ import annotations

import struct

from msgspec.structs import replace

from preflight.container.header import HEADER_SIZE, MAGIC, VERSION_V2
from preflight.container.notes import block_notes, header_notes
from preflight.container.partitions import (
    FLOW_MODEL,
    MOBILE_NAMES,
    MODEL_DEF,
    MODEL_INOUT_INFO,
    NANO_IDS,
    partition_name,
)
from preflight.container.source import Source, SubSource
from preflight.container.standard import (
    MAX_PARTITIONS,
    lay_out,
    read_count,
    read_entries,
    table_kind,
    table_size,
)
from preflight.container.types import (
    Block,
    Container,
    ContainerKind,
    Fault,
    Header,
    Note,
    Partition,
)
from preflight.container.wire import LENGTH, VARINT, looks_like

# Top-level fields of ge.proto.ModelDef (§C.1): number -> wire type
MODEL_DEF_FIELDS = {1: LENGTH, 2: VARINT, 3: LENGTH, 7: LENGTH, 11: LENGTH, 12: LENGTH}
# Its predecessor, seen in header-only files of the first generation: ops at 20, attributes at 30
OLD_MODEL_DEF_FIELDS = dict.fromkeys((2, 10, 11, 12, 13, 14, 15), VARINT) | dict.fromkeys(
    (1, 7, 20, 30), LENGTH
)
ASCEND_PLATFORM = "1."  # platform_version of Ascend files with the first header; HiAI has 3.x


def is_hiai(header: Header) -> bool:
    """A mobile file: first header version without model_length, and modeltype or platform say so.

    Ascend files of that header version have modeltype 0 and a platform version 1.x; HiAI files
    carry platform 3.x or one of the device modeltypes, and a tiny table even for modeltype 3.
    """
    if header.version >= VERSION_V2 or header.model_length:
        return False
    foreign = header.platform_version and not header.platform_version.startswith(ASCEND_PLATFORM)
    return header.modeltype in (2, 3, 4) or bool(foreign)


def read_hiai(source: Source, header: Header) -> Container:
    """Tiny table, mobile partition ids, partitions one behind the other."""
    faults: list[Fault] = []
    blocks: tuple[Block, ...] = ()
    end = source.size
    count = read_count(source, HEADER_SIZE) if end >= HEADER_SIZE + 4 else 0
    size = table_size("tiny", count)
    if count == 0 or count > MAX_PARTITIONS or HEADER_SIZE + size > end:
        faults.append(Fault("hiai.table", f"no table of {count} entries fits", (70, 0, 0), block=0))
    else:
        entries = read_entries(source, HEADER_SIZE, "tiny", count)
        partitions, bad = lay_out(entries, HEADER_SIZE + size, end, MOBILE_NAMES)
        blocks = (Block(0, HEADER_SIZE, "tiny", size, count, partitions),)
        if bad is not None:
            name = partition_name(entries[bad][0], MOBILE_NAMES)
            text = f"{name} of {entries[bad][2]} bytes leaves the file"
            faults.append(Fault("hiai.bounds", text, (70, 0, 3 + bad), block=0, partition=bad))
    return Container(
        ContainerKind.HIAI,
        "HiAI (Kirin, mobile) model",
        end,
        header=header,
        blocks=blocks,
        faults=tuple(faults),
        notes=tuple(header_notes(header) + block_notes(list(blocks))),
    )


def is_bare(source: Source, header: Header) -> bool:
    """Whether the payload is a model definition itself: no count of a table, but its fields."""
    payload = source.size - HEADER_SIZE
    if payload < 8 or read_count(source, HEADER_SIZE) <= MAX_PARTITIONS:
        return False
    part = SubSource(source, HEADER_SIZE, payload, "payload")
    if part.read(0, 1) != b"\x0a":  # field 1, the model's name
        return False
    return looks_like(part, MODEL_DEF_FIELDS, {1, 7}) or looks_like(
        part, OLD_MODEL_DEF_FIELDS, {1, 20}
    )


def read_bare(source: Source, header: Header) -> Container:
    """One block without a table whose only partition is the model definition.

    `details["schema"]` is "ge" for ge.proto.ModelDef and "domi" for its predecessor.
    """
    size = source.size - HEADER_SIZE
    part = SubSource(source, HEADER_SIZE, size, "payload")
    schema = "ge" if looks_like(part, MODEL_DEF_FIELDS, {1, 7}) else "domi"
    return Container(
        ContainerKind.BARE,
        "model definition behind a header, without a partition table",
        source.size,
        header=header,
        blocks=(bare_block(HEADER_SIZE, size),),
        notes=tuple(header_notes(header)),
        details={"schema": schema},
    )


def bare_block(offset: int, size: int) -> Block:
    """A block of one MODEL_DEF partition without a table."""
    partition = Partition(0, MODEL_DEF, partition_name(MODEL_DEF), offset, size, 0)
    return Block(0, offset, "none", 0, 1, (partition,))


def is_nano(source: Source, header: Header) -> bool:
    """Whether the first table has a partition that only the nano executor knows.

    A file with a MODEL_DEF is the standard loader's, which passes over ids that it does not know.
    """
    if header.magic != MAGIC or table_kind(header) != "wide" or source.size < HEADER_SIZE + 8:
        return False
    count = read_count(source, HEADER_SIZE)
    if count > MAX_PARTITIONS or HEADER_SIZE + table_size("wide", count) > source.size:
        return False
    ids = {entry[0] for entry in read_entries(source, HEADER_SIZE, "wide", count)}
    return bool(ids & NANO_IDS) and MODEL_DEF not in ids


def read_nano(source: Source, header: Header) -> Container:
    """Wide table whose offsets (from the table end) are honoured; only the magic is verified.

    A partition must not be empty and must lie inside the file, else the executor answers 545000.
    """
    faults = []
    if header.magic != MAGIC:
        faults.append(Fault("nano.magic", f"magic is 0x{header.magic:08x}", (600,), offset=0))
    blocks: tuple[Block, ...] = ()
    count = read_count(source, HEADER_SIZE) if source.size >= HEADER_SIZE + 8 else 0
    size = table_size("wide", count)
    if count > MAX_PARTITIONS or HEADER_SIZE + size > source.size:
        text = f"a table of {count} entries does not fit"
        faults.append(Fault("nano.part", text, (601, 0), block=0, data={"count": count}))
    else:
        partitions, bad = _nano_partitions(source, count, HEADER_SIZE + size)
        blocks = (Block(0, HEADER_SIZE, "wide", size, count, partitions),)
        faults += bad
    return Container(
        ContainerKind.NANO,
        "nano OM",
        source.size,
        header=header,
        blocks=blocks,
        faults=tuple(faults),
        notes=tuple(header_notes(header)),
    )


def _nano_partitions(
    source: Source, count: int, base: int
) -> tuple[tuple[Partition, ...], list[Fault]]:
    partitions, faults = [], []
    entries = read_entries(source, HEADER_SIZE, "wide", count)
    for index, (kind, offset, length) in enumerate(entries):
        name = partition_name(kind)
        if length == 0 or base + offset + length > source.size:
            text = f"{name}: {length} bytes at {base + offset} are empty or leave the file"
            faults.append(Fault("nano.part", text, (601, index), block=0, partition=index))
            continue
        partitions.append(Partition(index, kind, name, base + offset, length, offset))
    return tuple(partitions), faults


def name_old_inout(container: Container, source: Source) -> Container:
    """Partition id 6 of a file that is no flow model, named for what one embedded line put there.

    There the id meant MODEL_INOUT_INFO; the standard loader of today takes no notice of it. The
    name changes only where the bytes start like that partition: a TLV with type 0..6 that fits.
    """
    blocks = tuple(
        replace(b, partitions=tuple(_renamed(p, source) for p in b.partitions))
        for b in container.blocks
    )
    if blocks == container.blocks:
        return container
    note = Note("old_inout_id", "MODEL_INOUT_INFO is written as id 6; loaders of today ignore it")
    return replace(container, blocks=blocks, notes=(*container.notes, note))


def _renamed(partition: Partition, source: Source) -> Partition:
    if partition.id != FLOW_MODEL or partition.size < 12:
        return partition
    kind, length = struct.unpack("<II", source.read(partition.offset, 8))
    if kind > 6 or length > partition.size - 8:
        return partition
    return replace(partition, name=partition_name(MODEL_INOUT_INFO))
