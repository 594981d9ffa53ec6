"""A recorded atc command line taken apart; any text gives a result, nothing is ever executed."""

from __future__ import annotations

import re
from collections.abc import Iterator

from preflight.model.manifest import AtcCommand

# The writer joins arguments with blanks and keeps no quotes, so a value may contain blanks itself:
# whatever stands between two options belongs to the first.
_TOKEN = re.compile(r"""(?:[^\s"']|"(?:\\.|[^"\\])*(?:"|$)|'[^']*(?:'|$))+""", re.DOTALL)
_OPTION = re.compile(r"-{1,2}[A-Za-z][\w.-]*(?:=|$)")


def parse_atc_command(text: str) -> AtcCommand:
    """Program and options of a command line as `atc_cmdline` records it.

    Handles quotes, `--a=b`, `--a b`, bare flags and values with blanks or semicolons. Words before
    the first option that are not the program are dropped. Never fails.
    """
    program = ""
    options: list[tuple[str, str | None]] = []
    for position, token in enumerate(_TOKEN.findall(text)):
        if _OPTION.match(token):
            name, equals, value = token.lstrip("-").partition("=")
            options.append((name, _unquoted(value) if equals else None))
        elif position == 0:
            program = _unquoted(token)
        elif options:
            name, earlier = options[-1]
            word = _unquoted(token)
            options[-1] = (name, word if earlier is None else f"{earlier} {word}")
    return AtcCommand(text=text, program=program, options=tuple(options))


def _unquoted(token: str) -> str:
    return "".join(_pieces(token))


def _pieces(token: str) -> Iterator[str]:
    for piece in re.findall(r"""[^"']+|"(?:\\.|[^"\\])*"?|'[^']*'?""", token, re.DOTALL):
        if piece[0] == '"':
            inner = piece[1:-1] if len(piece) > 1 and piece.endswith('"') else piece[1:]
            yield re.sub(r"\\([\"\\])", r"\1", inner)
        elif piece[0] == "'":
            yield piece[1:-1] if len(piece) > 1 and piece.endswith("'") else piece[1:]
        else:
            yield piece
