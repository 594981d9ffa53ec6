"""The values a container is read into; all offsets count from the start of the file."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from msgspec import Struct, field


class ContainerKind(StrEnum):
    """What a file is; the value is what users and JSON see in `container.kind`."""

    OM = "om"  # standard: static, or dynamic with one or several blocks
    SINGLE_OP = "single_op"  # a standard OM compiled with --singleop
    FLOW = "flow"
    BUNDLE = "bundle"
    NANO = "nano"
    HIAI = "hiai"  # mobile / Kirin, header 0x10000000 with its own partition ids
    BARE = "bare"  # header followed by a bare model definition, no table
    OM2 = "om2"
    AIR = "air"  # a serialized ModelDef without a container
    TEXT_GRAPH = "text_graph"  # ge_proto_*.txt
    NOT_A_MODEL = "not_a_model"


class Header(Struct, frozen=True):
    """The 256-byte file header (spec/om-format.md §A.1); `layout` says which of the three it is.

    `v1`: 0x10000000, no model_num, platform_version at 156. `v2`: model_num at 156, nothing after
    platform_type. `v3`: model_length, need_check_os_cpu_info and is_unknow_model as well.
    Fields that a layout lacks are 0 or empty.
    """

    magic: int
    headsize: int
    version: int
    checksum: bytes
    length: int
    is_encrypt: int
    is_checksum: int
    modeltype: int
    genmode: int
    name: str
    ops: int
    userdefineinfo: bytes
    om_ir_version: int
    model_num: int
    platform_version: str
    platform_type: int
    model_length: int
    need_check_os_cpu_info: int
    is_unknow_model: int
    layout: str

    @property
    def payload_length(self) -> int:
        """Payload length as the loader reads it (§A.2): model_length, or length when that is 0."""
        return self.model_length or self.length

    @property
    def is_dynamic(self) -> bool:
        """The loader's own dynamic flag (§A.2)."""
        return self.version >= 0x20000000 and (self.model_num > 1 or self.is_unknow_model == 1)


class Partition(Struct, frozen=True):
    """One entry of a partition table with the place where the loader finds its bytes."""

    index: int
    id: int
    name: str  # "MODEL_DEF", or "UNKNOWN_<id>"
    offset: int  # absolute, by the rule of the loader of this kind
    size: int
    declared_offset: int  # as written in the table


class Block(Struct, frozen=True):
    """One partition table and its partitions; dynamic models have several."""

    index: int
    offset: int
    table: str  # "tiny" | "wide"
    table_size: int
    declared_count: int
    partitions: tuple[Partition, ...]

    def first(self, partition_id: int) -> Partition | None:
        """The partition that the loader's lookup returns: the first of that type."""
        return next((p for p in self.partitions if p.id == partition_id), None)


class Fault(Struct, frozen=True):
    """Something wrong with the bytes, named by the load check it fails.

    `check` is an id of spec/loadchecks.json where the loader has that check, otherwise an id of
    ours (`cap.*`, `hiai.*`). `data` holds numbers for the message.

    `position` orders faults as the loader meets them, so that the first failing check is the
    smallest position among faults and rule findings. It starts with the order number of the check:
    (31,) file.len, (40,) hdr.min_size, (50,) hdr.bundle_via_plain, (60,) hdr.length_or_magic,
    (70, block, step) for one table with step 0 tab.too_small, 1 the partition count (decided by a
    rule from `Block.declared_count`, except for flow models), 2 tab.no_payload, 3 + i part.bounds
    of partition i; (76,) part.end_mismatch; (200, entry) bundle, (400, partition) flow,
    (500, n) om2, (600,) and (601, partition) nano. The walk goes on behind a header fault and
    behind any declared count as far as the bytes allow, so later faults may follow earlier ones.
    """

    check: str
    detail: str
    position: tuple[int, ...]
    block: int | None = None
    partition: int | None = None
    offset: int | None = None
    data: Mapping[str, object] = field(default_factory=dict)
    message_codes: tuple[str, ...] = ()


class Note(Struct, frozen=True):
    """Something the loader ignores and a careful person would not (trailing bytes, odd offsets)."""

    id: str
    detail: str
    offset: int | None = None
    data: Mapping[str, object] = field(default_factory=dict)


class NestedEntry(Struct, frozen=True):
    """A complete OM inside this file: bundle entry, flow submodel."""

    name: str
    offset: int
    size: int


class Container(Struct, frozen=True):
    """A file taken apart. `what` says in words what a file is that is no model."""

    kind: ContainerKind
    what: str
    size: int
    header: Header | None = None
    blocks: tuple[Block, ...] = ()
    faults: tuple[Fault, ...] = ()
    notes: tuple[Note, ...] = ()
    nested: tuple[NestedEntry, ...] = ()
    advice: str = ""  # for NOT_A_MODEL: what to do
    details: Mapping[str, object] = field(default_factory=dict)  # kind-specific: om2 entries, …
    # What the standard loader (aclmdlLoadFromFile) makes of the same bytes, for every kind that is
    # read by other rules; None for OM and SINGLE_OP, whose own reading it is.
    as_standard: Container | None = None

    @property
    def standard_view(self) -> Container:
        """The reading whose faults decide a load through the standard loader."""
        return self.as_standard or self
