"""The standard loader's walk over header and partition tables (spec/om-format.md §A.2-A.4, §D.1).

It yields what the loader would see, block by block, and the faults in the loader's order. How many
partitions a table may have depends on the release, so a rule decides that from `declared_count`.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass, field

from msgspec.structs import replace

from preflight.container.header import (
    HEADER_SIZE,
    MAGIC,
    MODELTYPE_BUNDLE,
    MODELTYPE_FLOW,
    VERSION_V2,
    parse_header,
)
from preflight.container.notes import block_notes, header_notes
from preflight.container.partitions import partition_name
from preflight.container.source import Source
from preflight.container.types import (
    Block,
    Container,
    ContainerKind,
    Fault,
    Header,
    Note,
    Partition,
)

MAX_PARTITIONS = 4096  # of one table; the loader's own limit for flow models (§A.4)
MAX_BLOCKS = 65_536  # of one file; real models have one per partitioned subgraph
MIN_BLOCK = 8  # a table is looked at only when more than these bytes are left (§A.3 rule 1)

TINY = struct.Struct("<III")  # type, offset, size
WIDE = struct.Struct("<I4xQQ")
_COUNT = struct.Struct("<I")


def table_kind(header: Header) -> str:
    """`wide` or `tiny`, by the loader's own choice (§A.3)."""
    return "wide" if header.modeltype == MODELTYPE_FLOW or header.model_length else "tiny"


def table_size(table: str, count: int) -> int:
    """Bytes of a table of `count` entries."""
    return 8 + WIDE.size * count if table == "wide" else 4 + TINY.size * count


def read_entries(source: Source, offset: int, table: str, count: int) -> list[tuple[int, int, int]]:
    """(id, declared offset, size) of each entry of the table at `offset`; bounds are checked."""
    layout, skip = (WIDE, 8) if table == "wide" else (TINY, 4)
    raw = source.read(offset + skip, layout.size * count)
    return list(layout.iter_unpack(raw))


def read_count(source: Source, offset: int) -> int:
    """The declared number of entries of the table at `offset`."""
    count: int = _COUNT.unpack(source.read(offset, 4))[0]
    return count


def lay_out(
    entries: list[tuple[int, int, int]], start: int, end: int, names: dict[int, str] | None = None
) -> tuple[tuple[Partition, ...], int | None]:
    """Partitions one behind the other from `start`, as the loader places them (§A.3 rule 4).

    Returns those that fit below `end` and the index of the first that does not, if any.
    """
    partitions: list[Partition] = []
    running = start
    for index, (kind, declared, size) in enumerate(entries):
        if running + size > end:
            return tuple(partitions), index
        name = partition_name(kind, names) if names else partition_name(kind)
        partitions.append(Partition(index, kind, name, running, size, declared))
        running += size
    return tuple(partitions), None


@dataclass
class _Walk:
    """State of one walk; offsets are absolute."""

    source: Source
    header: Header
    single_op: bool = False  # that loader has one status for every table problem
    offset: int = HEADER_SIZE
    blocks: list[Block] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)

    def one_block(self) -> bool:
        """Read the table at the current offset; False when the loader could not go on."""
        index, end = len(self.blocks), self.source.size
        left = end - self.offset
        if left <= MIN_BLOCK:
            self._fault(
                "tab.too_small", 0, f"only {left} bytes are left for block {index}", left=left
            )
            return False
        count = read_count(self.source, self.offset)
        table = table_kind(self.header)
        size = table_size(table, count)
        if self._count_impossible(count, table, size):
            return False
        start = self.offset + size
        if end <= start:
            self._add(table, size, count, ())
            self._fault(
                "tab.no_payload",
                2,
                f"the table of {count} entries ends at or behind the file end",
                count=count,
                table_end=start,
                size=end,
            )
            return False
        entries = read_entries(self.source, self.offset, table, count)
        partitions, bad = lay_out(entries, start, end)
        self._add(table, size, count, partitions)
        if bad is not None:
            self._out_of_bounds(partitions[-1] if partitions else None, entries[bad], bad, start)
            return False
        self.offset = partitions[-1].offset + partitions[-1].size if partitions else start
        return True

    def _count_impossible(self, count: int, table: str, size: int) -> bool:
        """Counts that end the walk whatever the release: above the flow limit, or above our cap."""
        if count <= MAX_PARTITIONS:
            return False
        self._add(table, size, count, ())
        if self.header.modeltype == MODELTYPE_FLOW:
            self._fault(
                "tab.flow_num", 1, f"{count} partitions declared, at most 4096", count=count
            )
        elif self.source.size <= self.offset + size:
            self._fault(
                "tab.no_payload", 2, f"a table of {count} entries does not fit", count=count
            )
        else:
            self._fault("cap.partitions", 2, f"{count} partitions declared", count=count)
        return True

    def _out_of_bounds(
        self, last: Partition | None, entry: tuple[int, int, int], index: int, start: int
    ) -> None:
        offset = last.offset + last.size if last else start
        name = partition_name(entry[0])
        block = self.blocks[-1]
        self.add_fault(
            Fault(
                "part.bounds",
                f"{name} needs {entry[2]} bytes at {offset}, the file has {self.source.size}",
                (70, block.index, 3 + index),
                block=block.index,
                partition=index,
                offset=offset,
                data={"id": entry[0], "name": name, "need": entry[2], "size": self.source.size},
            )
        )

    def _add(self, table: str, size: int, count: int, partitions: tuple[Partition, ...]) -> None:
        self.blocks.append(
            Block(len(self.blocks), self.offset, table, size, count, tuple(partitions))
        )

    def _fault(self, check: str, step: int, detail: str, **data: object) -> None:
        index = len(self.blocks) if step == 0 else len(self.blocks) - 1
        self.add_fault(
            Fault(check, detail, (70, index, step), block=index, offset=self.offset, data=data)
        )

    def add_fault(self, fault: Fault) -> None:
        """Record a table fault; for the single-op loader under its own check, order 301 on."""
        if self.single_op and not fault.check.startswith("cap."):
            data = dict(fault.data) | {"step": fault.check}
            position = (301 if fault.position[0] == 70 else 302, *fault.position[1:])
            fault = replace(fault, check="sop.table", data=data, position=position)
        self.faults.append(fault)


def walk_standard(source: Source) -> Container:
    """The whole walk; never raises for content, only when the source itself cannot be read."""
    if source.size < HEADER_SIZE:
        fault = Fault(
            "hdr.min_size",
            f"{source.size} bytes, the header alone has 256",
            (40,),
            data={"size": source.size},
            message_codes=("E10001:om",),
        )
        return Container(ContainerKind.OM, "no complete header", source.size, faults=(fault,))
    header = parse_header(source.read(0, HEADER_SIZE))
    walk = _Walk(source, header)
    walk.faults += header_faults(header, source.size)
    if header.modeltype != MODELTYPE_BUNDLE and header.magic == MAGIC:
        _walk_blocks(walk, header.is_dynamic, header.model_num if header.is_dynamic else 1)
    kind = ContainerKind.FLOW if header.modeltype == MODELTYPE_FLOW else ContainerKind.OM
    return Container(
        kind,
        describe(header, len(walk.blocks)),
        source.size,
        header=header,
        blocks=tuple(walk.blocks),
        faults=tuple(walk.faults),
        notes=tuple(header_notes(header) + block_notes(walk.blocks) + _trailing(walk)),
    )


def walk_single_op(source: Source) -> Container:
    """The walk of the single-op loader (§D.5, corrections 26), which refuses less and says less.

    The magic is not compared, is_unknow_model does not make a model dynamic, bundles are not
    refused, and the length test wraps modulo 2^64. Faults: sop.size (300,), sop.table (301, block,
    step) with `data["step"]` naming the table check; the partition count is at (301, block, 1).
    """
    header = None
    if source.size > HEADER_SIZE:
        header = parse_header(source.read(0, HEADER_SIZE))
    if header is None or (header.payload_length + HEADER_SIZE) % (1 << 64) != source.size:
        text = f"{source.size} bytes are not the length that the header announces"
        fault = Fault("sop.size", text, (300,), data={"size": source.size})
        return Container(
            ContainerKind.SINGLE_OP, "no single-op OM", source.size, header=header, faults=(fault,)
        )
    walk = _Walk(source, header, single_op=True)
    several = header.version >= VERSION_V2 and header.model_num > 1
    _walk_blocks(walk, several, header.model_num if several else 1)
    return Container(
        ContainerKind.SINGLE_OP,
        "OM as the single-op loader reads it",
        source.size,
        header=header,
        blocks=tuple(walk.blocks),
        faults=tuple(walk.faults),
        notes=tuple(header_notes(header) + block_notes(walk.blocks)),
    )


def _walk_blocks(walk: _Walk, dynamic: bool, wanted: int) -> None:
    """`wanted` blocks; those of a dynamic model must end with the file (§A.3 rule 6)."""
    for number in range(wanted):
        if number >= MAX_BLOCKS:
            text = f"{wanted} blocks declared, {MAX_BLOCKS} read"
            walk.add_fault(Fault("cap.blocks", text, (70, number, 0), block=number))
            return
        if not walk.one_block():
            return
    if dynamic and walk.offset != walk.source.size:
        walk.add_fault(
            Fault(
                "part.end_mismatch",
                f"{wanted} blocks end at {walk.offset}, the file at {walk.source.size}",
                (76,),
                offset=walk.offset,
                data={"end": walk.offset, "size": walk.source.size, "blocks": wanted},
            )
        )


def header_faults(header: Header, size: int) -> list[Fault]:
    """hdr.bundle_via_plain and hdr.length_or_magic; nothing else is checked (§A.2, §D.1)."""
    faults = []
    if header.modeltype == MODELTYPE_BUNDLE:
        faults.append(
            Fault(
                "hdr.bundle_via_plain",
                "a bundle is not accepted by the plain load functions",
                (50,),
                message_codes=("E19999",),
            )
        )
    announced, payload = header.payload_length, size - HEADER_SIZE
    if header.magic != MAGIC:
        detail = f"magic is 0x{header.magic:08x}, not 0x{MAGIC:08x}"
    elif announced != payload:
        detail = f"the header announces {announced} bytes behind it, the file has {payload}"
    else:
        return faults
    faults.append(
        Fault(
            "hdr.length_or_magic",
            detail,
            (60,),
            offset=0,
            data={"magic": header.magic, "announced": announced, "payload": payload},
            message_codes=("E10001:om",),
        )
    )
    return faults


def _trailing(walk: _Walk) -> list[Note]:
    """Bytes behind a static model's only block; legal (§A.3 rule 6) and still worth a word."""
    rest = walk.source.size - walk.offset
    if walk.header.is_dynamic or not walk.blocks or walk.faults or rest <= 0:
        return []
    return [
        Note(
            "trailing_bytes",
            f"{rest} bytes behind the last partition are never read",
            walk.offset,
            {"bytes": rest},
        )
    ]


def describe(header: Header, blocks: int) -> str:
    """In words: what this standard container is."""
    if header.modeltype == MODELTYPE_FLOW:
        return "flow model"
    if header.is_dynamic:
        return f"dynamic-shape OM, {blocks} block{'' if blocks == 1 else 's'}"
    return "static-shape OM"
