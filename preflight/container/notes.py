"""What the loader ignores in headers and tables and a careful person would not."""

from __future__ import annotations

from preflight.container.header import HEADER_SIZE
from preflight.container.types import Block, Header, Note


def header_notes(header: Header) -> list[Note]:
    """Header fields that the loader ignores and that are not as every writer leaves them."""
    notes = []
    if header.headsize != HEADER_SIZE:
        notes.append(
            Note(
                "headsize",
                f"headsize is {header.headsize}; the loader always skips 256",
                4,
                {"headsize": header.headsize},
            )
        )
    if header.is_encrypt:
        notes.append(
            Note(
                "is_encrypt",
                "the header says encrypted; the loader does not look at the flag "
                "and would read the payload as it is",
                80,
                {"is_encrypt": header.is_encrypt},
            )
        )
    return notes


def block_notes(blocks: list[Block], *, repeats: bool = True) -> list[Note]:
    """Declared offsets that are not where the loader reads, and types that occur twice.

    `repeats` false leaves out the second, for kinds where ids repeat on purpose.
    """
    notes = []
    for block in blocks:
        base = block.offset + block.table_size
        odd = tuple(p.name for p in block.partitions if p.declared_offset != p.offset - base)
        if odd:
            text = f"declared offsets of {', '.join(odd)} are not where the loader reads"
            notes.append(_block_note("declared_offset", block, text, odd))
        firsts: dict[int, int] = {}
        repeated = tuple(
            p.name for p in block.partitions if firsts.setdefault(p.id, p.index) != p.index
        )
        if repeats and repeated:
            text = f"{', '.join(dict.fromkeys(repeated))} occurs again; the loader takes the first"
            notes.append(_block_note("duplicate_partition", block, text, repeated))
    return notes


def _block_note(note: str, block: Block, text: str, partitions: tuple[str, ...]) -> Note:
    data = {"block": block.index, "partitions": partitions}
    return Note(note, f"block {block.index}: {text}", block.offset, data)
