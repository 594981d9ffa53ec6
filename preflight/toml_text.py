"""Writes TOML, which the standard library only reads.

Covers what plans and target snapshots need: text, whole numbers, finite and special floats,
booleans, arrays, tables, arrays of tables. `tomllib.loads(dumps(value)) == value` holds for every
value that is accepted (TOML 1.0, https://toml.io/en/v1.0.0).
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence

from preflight.errors import UsageError

_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")
_SHORT_ESCAPES = {
    "\b": "\\b",
    "\t": "\\t",
    "\n": "\\n",
    "\f": "\\f",
    "\r": "\\r",
    '"': '\\"',
    "\\": "\\\\",
}
_INT_LIMIT = 1 << 63
_LINE_WIDTH = 96


def dumps(document: Mapping[str, object]) -> str:
    """The document as TOML text, keys in the order given; scalars before sub-tables, as TOML asks.

    Raises UsageError naming the key for a value that TOML cannot hold (None, bytes, lone
    surrogates, integers beyond 64 bits).
    """
    lines: list[str] = []
    _table(lines, document, ())
    return "\n".join(lines).strip("\n") + "\n"


def _table(lines: list[str], table: Mapping[str, object], path: tuple[str, ...]) -> None:
    """Appends the scalars of a table, then its sub-tables under headers of their own."""
    nested: list[tuple[str, object]] = []
    for key, value in table.items():
        if isinstance(value, Mapping) or _is_table_array(value):
            nested.append((key, value))
        else:
            lines.append(f"{_key(key)} = {_value(value, (*path, key))}")
    for key, value in nested:
        inner = (*path, key)
        header = ".".join(_key(part) for part in inner)
        if isinstance(value, Mapping):
            lines += ["", f"[{header}]"]
            _table(lines, value, inner)
            continue
        assert isinstance(value, Sequence)
        for item in value:
            assert isinstance(item, Mapping)
            lines += ["", f"[[{header}]]"]
            _table(lines, item, inner)


def _is_table_array(value: object) -> bool:
    """Whether `[[header]]` can write it: a sequence of tables only, and not empty."""
    return (
        isinstance(value, list | tuple)
        and bool(value)
        and all(isinstance(item, Mapping) for item in value)
    )


def _value(value: object, path: tuple[str, ...]) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        if not -_INT_LIMIT <= value < _INT_LIMIT:
            raise UsageError(
                f"{'.'.join(path)}: {value} does not fit the 64 bits of a TOML integer"
            )
        return str(int(value))
    if isinstance(value, float):
        return _float(value)
    if isinstance(value, str):
        return _text(value, path)
    if isinstance(value, list | tuple):
        return _array([_value(item, path) for item in value])
    if isinstance(value, Mapping):  # inside an array that also holds other things
        body = ", ".join(f"{_key(k)} = {_value(v, (*path, k))}" for k, v in value.items())
        return f"{{ {body} }}" if body else "{}"
    raise UsageError(f"{'.'.join(path)}: TOML cannot hold a {type(value).__name__}")


def _array(items: list[str]) -> str:
    """One line when it fits, otherwise one item per line, so that long commands can be reviewed."""
    flat = f"[{', '.join(items)}]"
    if len(flat) <= _LINE_WIDTH:
        return flat
    return "[\n" + "".join(f"  {item},\n" for item in items) + "]"


def _float(value: float) -> str:
    if math.isnan(value):
        return "nan"
    if math.isinf(value):
        return "inf" if value > 0 else "-inf"
    text = repr(value)
    return text if any(c in text for c in ".e") else f"{text}.0"


def _key(key: str) -> str:
    return key if _BARE_KEY.fullmatch(key) else _text(key, (key,))


def _text(text: str, path: tuple[str, ...]) -> str:
    """A basic string: control characters escaped, everything else as it is."""
    out: list[str] = []
    for char in text:
        if char in _SHORT_ESCAPES:
            out.append(_SHORT_ESCAPES[char])
        elif 0xD800 <= ord(char) <= 0xDFFF:
            raise UsageError(
                f"{'.'.join(path)!r}: the text holds a lone surrogate, not a character"
            )
        elif char.isprintable() or char == " ":
            out.append(char)
        else:
            code = ord(char)
            out.append(f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}")
    return '"' + "".join(out) + '"'
