"""Lines with roles as Rich text; the one place that knows colours. Never parses markup."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from types import MappingProxyType

from rich.cells import cell_len
from rich.style import Style
from rich.text import Text

from preflight.tui.words import Line

_WORDS = re.compile(r"\S+\s*")
_PIECES = re.compile(r".+?(?:[/\-=_]|(?<=[A-Za-z])\.(?=[A-Za-z])|$)\s*")

# Only attributes and the terminal's own 16 colours that are legible on dark and on light: no
# yellow or cyan, which vanish on white, and no blue, which vanishes on black.
ROLE_STYLES: Mapping[str, Style] = MappingProxyType(
    {
        "plain": Style(),
        "title": Style(bold=True),
        "dim": Style(dim=True),
        "good": Style(color="green"),
        "warn": Style(color="magenta"),
        "bad": Style(color="red", bold=True),
        "unsure": Style(bold=True),
        "command": Style(bold=True),
    }
)


def text_of_lines(lines: Iterable[Line]) -> Text:
    """All lines as one text, each in the style of its role."""
    text = Text(no_wrap=False, end="")
    for number, line in enumerate(lines):
        if number:
            text.append("\n")
        text.append(line.text, ROLE_STYLES[line.role])
    return text


def folded(text: str, width: int) -> list[str]:
    """The text in rows of at most `width` cells: at spaces; a longer word behind / - = _ or a dot.

    Rich breaks names of targets and files wherever a row is full; in narrow columns that is in
    the middle of a number.
    """
    indent = text[: len(text) - len(text.lstrip())]
    rows, row = [], indent
    for word in _WORDS.findall(text.strip()):
        long = len(indent) + cell_len(word.rstrip()) > width
        for piece in _PIECES.findall(word) if long else [word]:
            if cell_len(row) + cell_len(piece.rstrip()) > width and row.strip():
                rows.append(row.rstrip())
                row = indent
            row += piece
    rows.append(row.rstrip())
    return rows
