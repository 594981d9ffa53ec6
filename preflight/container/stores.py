"""Host library store, kernel stores and custom op store: item headers only, bodies are skipped.

SO_BINS §A.7 with corrections 17, TBE_KERNELS / CUST_AICPU_KERNELS §A.8, CUSTOM_OPS §A.11. Each
reader ends where the loader's own loop ends and says whether the loader would be content.
"""

from __future__ import annotations

import struct

from msgspec import Struct

from preflight.container.elf import ELF_HEAD, elf_machine
from preflight.container.source import Source

MAX_ITEMS = 100_000  # of one store
MAX_NAME = 4096  # bytes of a name that are kept; longer ones are cut, not refused
STORE_MAGIC = 0x5D776EFD
CUSTOM_OP_MAGIC = 0x4B43534B

# so_bin_type, spec/enums.json SoBinType
SO_TYPES = {0: "space_registry", 1: "op_master_device", 2: "autofuse", 3: "custom_op"}
SO_CUSTOM_OP = 3

_SO_HEAD = struct.Struct("<IHHII")  # magic, so_name_len, so_bin_type, vendor_name_len, bin_len
_ITEM_HEAD = struct.Struct("<III")  # magic, name_len, bin_len


class SoItem(Struct, frozen=True):
    """A host library inside the model; `offset` of its bytes counts from the partition start."""

    name: str
    vendor: str
    bin_type: int
    offset: int
    size: int
    machine: str  # "aarch64", empty when the bytes are no ELF file
    magic_ok: bool = True

    @property
    def type_name(self) -> str:
        return SO_TYPES.get(self.bin_type, f"unknown_{self.bin_type}")


class SoStore(Struct, frozen=True):
    """SO_BINS. `problem` is empty when the loader accepts the store (releases below 9.1 only warn).

    `declared` is so_num, 0 when the partition is too short to hold it. `capped`: more items than
    this reader looks at, so that nothing is decided.
    """

    items: tuple[SoItem, ...]
    declared: int
    problem: str = ""
    capped: bool = False

    @property
    def ok(self) -> bool:
        return not self.problem


class StoreItem(Struct, frozen=True):
    """A kernel or the state of a custom op; `offset` counts from the partition start."""

    name: str
    offset: int
    size: int
    magic_ok: bool = True


class ItemStore(Struct, frozen=True):
    """A kernel store or CUSTOM_OPS. `problem` is empty when the loader reads all of it."""

    items: tuple[StoreItem, ...]
    problem: str = ""
    capped: bool = False

    @property
    def ok(self) -> bool:
        return not self.problem


def read_so_store(part: Source) -> SoStore:
    """SO_BINS as the loader reads it; `part` is the partition.

    Up to 4 bytes are accepted whatever they hold. An item that does not fit ends the loop, and so
    do 16 bytes or less. Then the number of items must be so_num; an item without bytes is refused
    at once. The item magic is not compared.
    """
    size = part.size
    declared = struct.unpack("<I", part.read(0, 4))[0] if size > 4 else 0
    offset = 4 if size > 4 else 0
    items: list[SoItem] = []
    while size - offset > _SO_HEAD.size:
        if len(items) == MAX_ITEMS:
            return SoStore(tuple(items), declared, f"more than {MAX_ITEMS} libraries", capped=True)
        magic, name_len, kind, vendor_len, bin_len = _SO_HEAD.unpack(
            part.read(offset, _SO_HEAD.size)
        )
        names = offset + _SO_HEAD.size
        start = names + name_len + vendor_len
        if start + bin_len > size:
            break
        name = _name(part, names, name_len)
        if bin_len == 0:
            return SoStore(tuple(items), declared, f"library {name} has no bytes")
        items.append(
            SoItem(
                name=name,
                vendor=_name(part, names + name_len, vendor_len),
                bin_type=kind,
                offset=start,
                size=bin_len,
                machine=elf_machine(part.read(start, min(ELF_HEAD, bin_len))),
                magic_ok=magic == STORE_MAGIC,
            )
        )
        offset = start + bin_len
    problem = "" if len(items) == declared else f"{declared} libraries declared, {len(items)} fit"
    return SoStore(tuple(items), declared, problem)


def read_kernel_store(part: Source) -> ItemStore:
    """TBE_KERNELS or CUST_AICPU_KERNELS: items until 12 bytes or less are left.

    An item that does not fit ends the loop; the loader only warns and finds those kernels missing
    later. The magic is not compared.
    """
    items: list[StoreItem] = []
    offset, size = 0, part.size
    while size - offset > _ITEM_HEAD.size:
        if len(items) == MAX_ITEMS:
            return ItemStore(tuple(items), f"more than {MAX_ITEMS} kernels", capped=True)
        magic, name_len, bin_len = _ITEM_HEAD.unpack(part.read(offset, _ITEM_HEAD.size))
        names = offset + _ITEM_HEAD.size
        end = names + name_len + bin_len
        if end > size:
            return ItemStore(tuple(items), f"the item at byte {offset} leaves the store")
        name = _name(part, names, name_len)
        items.append(StoreItem(name, names + name_len, bin_len, magic == STORE_MAGIC))
        offset = end
    rest = size - offset
    return ItemStore(tuple(items), f"{rest} bytes behind the last item" if rest else "")


def read_custom_ops(part: Source) -> ItemStore:
    """CUSTOM_OPS: magic and bounds of every item are checked up to the last byte (§A.11)."""
    items: list[StoreItem] = []
    offset, size = 0, part.size
    while offset < size:
        if len(items) == MAX_ITEMS:
            return ItemStore(tuple(items), f"more than {MAX_ITEMS} custom ops", capped=True)
        if size - offset < _ITEM_HEAD.size:
            return ItemStore(tuple(items), f"{size - offset} bytes are no item")
        magic, name_len, bin_len = _ITEM_HEAD.unpack(part.read(offset, _ITEM_HEAD.size))
        names = offset + _ITEM_HEAD.size
        if magic != CUSTOM_OP_MAGIC:
            return ItemStore(tuple(items), f"magic 0x{magic:08x} at byte {offset}")
        if names + name_len + bin_len > size:
            return ItemStore(tuple(items), f"the item at byte {offset} leaves the partition")
        items.append(StoreItem(_name(part, names, name_len), names + name_len, bin_len))
        offset = names + name_len + bin_len
    return ItemStore(tuple(items))


def _name(part: Source, offset: int, length: int) -> str:
    raw = part.read(offset, min(length, MAX_NAME))
    return raw.decode("utf-8", "backslashreplace") + ("…" if length > MAX_NAME else "")
