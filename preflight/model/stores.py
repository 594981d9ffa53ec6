"""Faults and facts of the partitions beside MODEL_DEF, in the loader's order within a block.

SO_BINS, CUSTOM_OPS and TILING_DATA are read from block 0 only; kernel stores only warn. What only
some releases refuse (so.store and customops.part, fatal from 9.1 on) is recorded all the same: the
rules know which release they check for.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from preflight.container.inout import decode_inout
from preflight.container.partitions import (
    CUST_AICPU_KERNELS,
    CUSTOM_OPS,
    MODEL_INOUT_INFO,
    SO_BINS,
    TASK_INFO,
    TBE_KERNELS,
    TILING_DATA,
)
from preflight.container.source import Source, SubSource
from preflight.container.stores import (
    SO_CUSTOM_OP,
    read_custom_ops,
    read_kernel_store,
    read_so_store,
)
from preflight.container.types import Block, Fault, Note, Partition
from preflight.model.content import Boundary, Content
from preflight.model.inout import boundary_from
from preflight.model.manifest import HostLibrary, Kernel, SoStore
from preflight.model.parse import INT32_MAX, parse_message

MAX_TASKS = 256 << 20  # bytes of TASK_INFO that are parsed
MAX_INOUT = 4 << 20  # bytes of MODEL_INOUT_INFO that are decoded; real ones have a few thousand

# Positions within a block: the orders of spec/loadchecks.json.
_STEPS = {"task.parse": 94, "so.store": 96, "customops.part": 98, "tiling.part": 99}
_SO_TYPES = {0: "kSpaceRegistry", 1: "kOpMasterDevice", 2: "kAutofuse", 3: "kCustomOp"}


@dataclass
class _Reading:
    source: Source
    faults: list[Fault] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)
    so_store: SoStore = field(default_factory=SoStore)
    kernels: list[Kernel] = field(default_factory=list)
    custom_ops: tuple[str, ...] = ()
    boundary: Boundary | None = None

    def part(self, partition: Partition) -> SubSource:
        return SubSource(self.source, partition.offset, partition.size, partition.name)

    def fault(self, check: str, block: Block, partition: Partition, detail: str) -> None:
        self.faults.append(
            Fault(
                check,
                detail,
                (80, block.index, _STEPS[check]),
                block=block.index,
                partition=partition.index,
                offset=partition.offset,
                data={"why": detail},
                message_codes=("E19999",),
            )
        )

    def note(self, note: str, block: Block, partition: Partition, detail: str) -> None:
        data = {"block": block.index, "partition": partition.name}
        self.notes.append(Note(note, f"{partition.name}: {detail}", partition.offset, data))


def read_stores(
    source: Source, blocks: tuple[Block, ...]
) -> tuple[Content, tuple[Fault, ...], tuple[Note, ...]]:
    """Everything of all blocks that is neither graph nor weights; bodies of items are skipped."""
    reading = _Reading(source)
    for block in blocks:
        for partition_id, read in _READERS:
            partition = block.first(partition_id)
            if partition is not None and partition.size:
                read(reading, block, partition)
        if block.index == 0:
            _inout(reading, block)
    content = Content(
        so_store=reading.so_store,
        kernels=tuple(reading.kernels),
        custom_ops=reading.custom_ops,
        boundary=reading.boundary,
    )
    return content, tuple(reading.faults), tuple(reading.notes)


def _tasks(reading: _Reading, block: Block, partition: Partition) -> None:
    """The loader casts the size to a signed number of 32 bits, which must be above 0 (§A.5)."""
    size = partition.size & 0xFFFFFFFF
    if not 0 < size <= INT32_MAX:
        detail = f"TASK_INFO of {partition.size} bytes is longer than the loader can parse"
        reading.fault("task.parse", block, partition, detail)
    elif size > MAX_TASKS:
        detail = f"{partition.size} bytes are more than are read here; not checked"
        reading.note("cap.tasks", block, partition, detail)
    else:
        data = reading.source.read(partition.offset, size)
        if parse_message("ModelTaskDef", data)[0] is None:
            detail = "TASK_INFO is not a task definition (domi.ModelTaskDef)"
            reading.fault("task.parse", block, partition, detail)


def _kernels(reading: _Reading, block: Block, partition: Partition) -> None:
    store = read_kernel_store(reading.part(partition))
    if store.problem:
        reading.note("kernel.store", block, partition, store.problem)
    reading.kernels += [
        Kernel(item.name, item.size, partition.name, block.index) for item in store.items
    ]


def _libraries(reading: _Reading, block: Block, partition: Partition) -> None:
    if block.index:
        return
    store = read_so_store(reading.part(partition))
    if store.capped:
        reading.note("cap.libraries", block, partition, store.problem)
    elif store.problem:
        reading.fault("so.store", block, partition, store.problem)
    libraries = tuple(
        HostLibrary(
            name=item.name,
            type=item.bin_type,
            type_name=_SO_TYPES.get(item.bin_type, "unknown"),
            vendor=item.vendor,
            size=item.size,
            elf_machine=item.machine,
            block=block.index,
        )
        for item in store.items
    )
    reading.so_store = SoStore(present=True, loaded=store.ok, libraries=libraries)


def _custom_ops(reading: _Reading, block: Block, partition: Partition) -> None:
    """Needs a library of type kCustomOp, and every item of it is checked (§A.11)."""
    if block.index:
        return
    store = read_custom_ops(reading.part(partition))
    reading.custom_ops = tuple(item.name for item in store.items)
    if store.capped:
        reading.note("cap.custom_ops", block, partition, store.problem)
    elif store.problem:
        reading.fault("customops.part", block, partition, store.problem)
    elif not any(library.type == SO_CUSTOM_OP for library in reading.so_store.libraries):
        detail = "CUSTOM_OPS without a library of type kCustomOp in SO_BINS"
        reading.fault("customops.part", block, partition, detail)


def _tiling(reading: _Reading, block: Block, partition: Partition) -> None:
    if block.index:
        return
    from preflight.container.tiling import read_tiling  # few models have it

    tiling = read_tiling(reading.part(partition))
    if tiling.capped:
        reading.note("cap.tiling", block, partition, tiling.problem)
    elif tiling.problem:
        reading.fault("tiling.part", block, partition, f"TILING_DATA: {tiling.problem}")


def _inout(reading: _Reading, block: Block) -> None:
    """MODEL_INOUT_INFO, also under the id 6 that one embedded release line gave it."""
    partition = next((p for p in block.partitions if p.name == "MODEL_INOUT_INFO"), None)
    partition = block.first(MODEL_INOUT_INFO) or partition
    if partition is None or not partition.size:
        return
    if partition.size > MAX_INOUT:
        detail = f"{partition.size} bytes are more than are read here"
        reading.note("cap.inout", block, partition, detail)
        return
    info = decode_inout(reading.source.read(partition.offset, partition.size))
    if info.problem:
        detail = f"{info.problem}; loading does not need it, but asking for inputs from it fails"
        reading.note("inout", block, partition, detail)
    if info.ok:
        reading.boundary = boundary_from(info)


_Read = Callable[[_Reading, Block, Partition], None]
_READERS: tuple[tuple[int, _Read], ...] = (
    (TASK_INFO, _tasks),
    (TBE_KERNELS, _kernels),
    (CUST_AICPU_KERNELS, _kernels),
    (SO_BINS, _libraries),
    (CUSTOM_OPS, _custom_ops),
    (TILING_DATA, _tiling),
)
