"""A recorded atc command line taken apart; any text gives a result, nothing is ever executed."""

from __future__ import annotations

import re

from preflight.model.manifest import AtcCommand

# The writer joins arguments with blanks and keeps no quotes (facts/atc-options.json
# atc_cmdline_attribute), so a value may contain blanks itself: whatever stands between two options
# belongs to the first. For the same reason a quote is mostly a character like any other. It
# encloses something only where a person would have put it to do so, as in a line typed by hand:
# around a whole argument, or around a value or a part of one between separators.
_QUOTED = r"""(?:"(?:\\.|[^"\\])*"|'[^']*')"""
_PART = rf"""(?:{_QUOTED}|[^\s"';:,]*)"""
_END = r"(?=\s|$)"
_TOKEN = re.compile(
    rf"(?P<whole>{_QUOTED}){_END}"
    rf"|(?P<name>-{{1,2}}[A-Za-z][\w.-]*=)(?P<value>{_PART}(?:[;:,]{_PART})*){_END}"
    r"|\S+",
    re.DOTALL,
)
_OPTION = re.compile(r"-{1,2}[A-Za-z][\w.-]*(?:=|$)")


def parse_atc_command(text: str) -> AtcCommand:
    """Program and options of a command line as `atc_cmdline` records it.

    Handles `--a=b`, `--a b`, bare flags, values with blanks or semicolons, and quotes around
    arguments or values; a quote that encloses nothing belongs to the value. Words before the first
    option that are not the program are dropped. Never fails.
    """
    program = ""
    options: list[tuple[str, str | None]] = []
    for position, found in enumerate(_TOKEN.finditer(text)):
        token = _token(found)
        if _OPTION.match(token):
            name, equals, value = token.lstrip("-").partition("=")
            options.append((name, value if equals else None))
        elif position == 0:
            program = token
        elif options:
            name, earlier = options[-1]
            options[-1] = (name, token if earlier is None else f"{earlier} {token}")
    return AtcCommand(text=text, program=program, options=tuple(options))


def _token(found: re.Match[str]) -> str:
    """One argument without the quotes that enclose it, its value or parts of its value."""
    if found["whole"] is not None:
        return _unquoted(found["whole"])
    if found["name"] is not None:
        return found["name"] + re.sub(
            _QUOTED, lambda part: _unquoted(part[0]), found["value"], flags=re.DOTALL
        )
    name, equals, value = found[0].partition("=")
    if equals and _OPTION.match(found[0]) and value[:1] in ('"', "'"):
        value = value[1:]  # opened and never closed: the line was cut, or the quote was a slip
    return name + equals + value


def _unquoted(quoted: str) -> str:
    inner = quoted[1:-1]
    return re.sub(r"\\([\"\\])", r"\1", inner) if quoted[0] == '"' else inner
