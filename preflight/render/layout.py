"""How a text report is laid out: width, colours, and how much of it is shown."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from msgspec import Struct

DEFAULT_WIDTH = 100  # columns, where nobody says how wide the screen is
_NARROWEST = 40

_COLOURS = {"red": 31, "green": 32, "yellow": 33, "cyan": 36}


class TextLayout(Struct, frozen=True):
    """`width` in columns; `verbose` shows the evidence of notes and every model in full."""

    width: int = DEFAULT_WIDTH
    colour: bool = False
    verbose: bool = False

    def wrap(self, text: str, indent: str, hanging: str | None = None) -> list[str]:
        """A text in lines that fit; words and paths longer than a line are never broken.

        `hanging` begins the lines after the first: as many blanks as `indent` unless given.
        """
        return textwrap.wrap(
            text,
            max(self.width, _NARROWEST),
            initial_indent=indent,
            subsequent_indent=" " * len(indent) if hanging is None else hanging,
            break_long_words=False,
            break_on_hyphens=False,
        ) or [indent.rstrip()]

    def paint(self, text: str, colour: str) -> str:
        """A word of our own in a colour; as it is where colours are off or it has none."""
        if not self.colour or colour not in _COLOURS:
            return text
        return f"\x1b[{_COLOURS[colour]}m{text}\x1b[0m"


def columns(rows: Sequence[Sequence[str]]) -> list[str]:
    """Rows of cells as lines with aligned columns, nothing behind the last one."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]
