"""Text from outside made safe to show, and private parts of paths made safe to pass on."""

from __future__ import annotations

import re

# Home folders: what stands behind them up to the next separator is somebody's name.
_HOME = re.compile(r"((?:^|(?<=[\s=:,;'\"(]))(?:/home/|/Users/|[A-Za-z]:\\Users\\))[^/\\\s]+")
MASKED = "user"
_SHORTEST_NAME = 3  # shorter words occur in paths for other reasons


def printable(text: str) -> str:
    """Control, format and undecodable characters become escapes; line breaks too."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def mask(text: str) -> str:
    """User names in home folder paths replaced by `user`, wherever the same text repeats them."""
    names = {found[0][len(found[1]) :] for found in _HOME.finditer(text)}
    text = _HOME.sub(lambda found: found[1] + MASKED, text)
    for name in sorted(names - {MASKED}, key=len, reverse=True):
        if len(name) >= _SHORTEST_NAME:
            text = re.sub(rf"(?<![\w.-]){re.escape(name)}(?![\w.-])", MASKED, text)
    return text
