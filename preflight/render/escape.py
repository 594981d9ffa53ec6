"""Text from outside made safe to show, and private parts of paths made safe to pass on."""

from __future__ import annotations

import re

# Home folders: what stands behind them up to the next separator is somebody's name.
_HOME = re.compile(r"((?:^|(?<=[\s=:,;'\"(]))(?:/home/|/Users/|[A-Za-z]:\\Users\\))[^/\\\s]+")
MASKED = "<user>"


def printable(text: str) -> str:
    """Control, format and undecodable characters become escapes; line breaks too."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def mask(text: str) -> str:
    """User names in home folder paths replaced by <user>."""
    return _HOME.sub(lambda found: found[1] + MASKED, text)
