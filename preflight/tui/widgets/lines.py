"""Lines with roles as Rich text; the one place that knows colours. Never parses markup."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType

from rich.style import Style
from rich.text import Text

from preflight.tui.words import Line

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
