"""Bundles: several complete OMs in one file, read as the bundle reader does (§A.6, §D.5).

The reader walks the entries one behind the other and ignores their offsets; it compares neither
magic nor length. Releases before 9.0 hand every entry on as a nested OM, whatever its type says:
all entries are therefore kept as partitions, and `nested` is the view from 9.0 on.
"""

from __future__ import annotations

import struct

from preflight.container.header import HEADER_SIZE, MAGIC, MODELTYPE_BUNDLE, parse_header
from preflight.container.notes import block_notes, header_notes
from preflight.container.partitions import (
    BUNDLE_MODEL_INFO,
    BUNDLE_MODEL_VAR_INFO,
    partition_name,
)
from preflight.container.source import Source
from preflight.container.standard import read_count, read_entries
from preflight.container.types import (
    Block,
    Container,
    ContainerKind,
    Fault,
    NestedEntry,
    Note,
    Partition,
)

MIN_BUNDLE = HEADER_SIZE + 8
MAX_ENTRIES = 65_536
_U64 = 1 << 64


def read_bundle(source: Source) -> Container:
    """Take a bundle apart; a file that the bundle reader refuses gets faults bundle.size / .type.

    `details`: `var_size` (bytes, u64 as the reader sees it; 0 without that entry). A fault
    bundle.size with `data["overflow"]` is the case that the reader reports as 500001, not 100000.
    """
    size = source.size
    if size < MIN_BUNDLE:
        fault = Fault("bundle.size", f"{size} bytes, a bundle has at least {MIN_BUNDLE}", (200, 0))
        return Container(ContainerKind.BUNDLE, "bundle, cut short", size, faults=(fault,))
    header = parse_header(source.read(0, HEADER_SIZE))
    if header.modeltype != MODELTYPE_BUNDLE:
        fault = Fault(
            "bundle.type",
            f"modeltype is {header.modeltype}, a bundle has {MODELTYPE_BUNDLE}",
            (200, 1),
            data={"modeltype": header.modeltype},
        )
        return Container(ContainerKind.BUNDLE, "no bundle", size, header=header, faults=(fault,))
    block, fault_or_none = _walk(source)
    faults = [fault_or_none] if fault_or_none else []
    var_size, var_fault = _var_size(source, block)
    if var_fault and not faults:
        faults.append(var_fault)
    nested = _nested(block) if not fault_or_none else ()
    notes = header_notes(header) + _notes(header.magic, header.model_num, block, len(nested))
    return Container(
        ContainerKind.BUNDLE,
        f"bundle of {len(nested)} model{'' if len(nested) == 1 else 's'}",
        size,
        header=header,
        blocks=(block,),
        faults=tuple(faults),
        notes=tuple(notes),
        nested=nested,
        details={"var_size": var_size},
    )


def _walk(source: Source) -> tuple[Block, Fault | None]:
    count = read_count(source, HEADER_SIZE)
    table_size = 8 + 24 * count
    start = HEADER_SIZE + table_size
    empty = Block(0, HEADER_SIZE, "wide", table_size, count, ())
    if start > source.size:
        return empty, _size_fault(-1, f"the table of {count} entries ends behind the file", start)
    if count > MAX_ENTRIES:
        return empty, Fault("cap.partitions", f"{count} bundle entries", (200, 2))
    running, partitions, fault = start, [], None
    for index, (kind, declared, size) in enumerate(
        read_entries(source, HEADER_SIZE, "wide", count)
    ):
        end = running + size
        if end > source.size:
            fault = _size_fault(index, f"entry {index} of {size} bytes leaves the file", end)
            break
        partitions.append(Partition(index, kind, partition_name(kind), running, size, declared))
        running = end
    return Block(0, HEADER_SIZE, "wide", table_size, count, tuple(partitions)), fault


def _size_fault(index: int, detail: str, end: int) -> Fault:
    data = {"end": end, "overflow": end >= _U64}
    return Fault("bundle.size", detail, (200, 3 + index), partition=max(index, 0), data=data)


def _var_size(source: Source, block: Block) -> tuple[int, Fault | None]:
    """The variable memory size: 8 bytes where a BUNDLE_MODEL_VAR_INFO entry starts, last one wins.

    The reader does not look at the entry's size; where the 8 bytes leave the file its answer is not
    defined, which is a fault of ours (bundle.var_out_of_bounds).
    """
    value = 0
    for partition in block.partitions:
        if partition.id != BUNDLE_MODEL_VAR_INFO:
            continue
        if partition.offset + 8 > source.size:
            return 0, Fault(
                "bundle.var_out_of_bounds",
                "the variable size entry has no 8 bytes before the file ends",
                (209, partition.index),
                partition=partition.index,
                offset=partition.offset,
            )
        value = struct.unpack("<Q", source.read(partition.offset, 8))[0]
    return value, None


def _nested(block: Block) -> tuple[NestedEntry, ...]:
    found = [p for p in block.partitions if p.id == BUNDLE_MODEL_INFO]
    return tuple(NestedEntry(f"model {n}", p.offset, p.size) for n, p in enumerate(found))


def _notes(magic: int, model_num: int, block: Block, nested: int) -> list[Note]:
    notes = []
    if magic != MAGIC:
        notes.append(Note("bundle_magic", "the magic is wrong; the bundle reader never looks", 0))
    if model_num != nested:
        text = (
            f"model_num is {model_num}, there are {nested} nested models; the reader counts those"
        )
        notes.append(Note("bundle_model_num", text, 156, {"model_num": model_num}))
    # Written offsets of a bundle count from the header end, not from the table end (§A.6).
    shifted = Block(0, block.offset, "wide", 0, block.declared_count, block.partitions)
    return notes + block_notes([shifted], repeats=False)
