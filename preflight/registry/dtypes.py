"""Sets of data types from registration text, group names expanded by release date.

The text is never compiled by the tools that write it, so it holds misspelt names, missing braces
and full-width commas (registries/evolution.md): the reader below looks for names only and keeps
the ones it does not know as they are.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Mapping
from functools import cache, lru_cache
from typing import Any

import msgspec
from msgspec import Struct

from preflight.data import manifests_dir
from preflight.errors import DataError

NEWEST = "9999-12-31"  # a date after every era: what the groups mean today

_NAME = re.compile(r"[A-Za-z_][A-Za-z_0-9]*")
# Words of the notation itself; the second is a misspelling that real headers contain.
_NOTATION = frozenset({"TensorType", "TesnorType", "ge", "Promote"})
# A spelling that headers use for a type that exists ("many" in 8.1.RC1, registries/evolution.md).
_ALIASES = {"DT_FLOAT32": "DT_FLOAT"}
_MAX_SYMBOL_DEPTH = 8


class Era(Struct, frozen=True):
    """What group names meant from a day on. `certain`: the day is known, not only bounded."""

    start: str
    groups: Mapping[str, frozenset[str]]
    certain: bool
    source: str


@cache
def eras() -> tuple[Era, ...]:
    """The eras of manifests/history/dtype_groups.json, oldest first. Raises DataError."""
    groups: dict[str, frozenset[str]] = {}
    result: list[Era] = []
    for record in _facts()["eras"]:
        groups = {**groups, **{k: frozenset(v) for k, v in record.get("groups", {}).items()}}
        for name, gained in record.get("gained", {}).items():
            if name not in groups:
                raise DataError(f"dtype_groups.json: era {record['from']} extends unknown {name}")
            groups[name] = groups[name] | frozenset(gained)
        result.append(Era(record["from"], groups, record["certain"], record["source"]))
    return tuple(result)


@cache
def known_dtypes() -> frozenset[str]:
    """The names of data types that exist."""
    return frozenset(_facts()["known"])


def era_at(date: str) -> Era:
    """The era of a day (YYYY-MM-DD); an empty date means today."""
    all_eras = eras()
    return all_eras[max(0, bisect_right([e.start for e in all_eras], date or NEWEST) - 1)]


def names_in(text: str) -> tuple[str, ...]:
    """The names a dtype text consists of, in order, notation left out."""
    return tuple(n for n in _NAME.findall(text) if n not in _NOTATION)


def dtype_set(
    text: str, symbols: tuple[tuple[str, str], ...] = (), date: str = NEWEST
) -> frozenset[str]:
    """The data types that a port takes: symbols resolved, groups expanded as of `date`."""
    return _expanded(text, symbols, era_at(date).start)


def spelt_set(text: str, symbols: tuple[tuple[str, str], ...] = ()) -> frozenset[str]:
    """The names after resolving symbols, groups left as names: equal sets mean only respelt."""
    return _spelt(text, symbols)


@lru_cache(maxsize=8192)
def _expanded(text: str, symbols: tuple[tuple[str, str], ...], start: str) -> frozenset[str]:
    groups = era_at(start).groups
    found: set[str] = set()
    for name in _spelt(text, symbols):
        found |= groups.get(name, frozenset((name,)))
    return frozenset(found)


@lru_cache(maxsize=8192)
def _spelt(text: str, symbols: tuple[tuple[str, str], ...]) -> frozenset[str]:
    table = dict(symbols)
    pending = [(name, 0) for name in names_in(text)]
    found: set[str] = set()
    while pending:
        name, depth = pending.pop()
        if name in table and depth < _MAX_SYMBOL_DEPTH:
            pending += [(inner, depth + 1) for inner in names_in(table[name])]
        else:
            found.add(_ALIASES.get(name, name))
    return frozenset(found)


@cache
def _facts() -> dict[str, Any]:
    path = manifests_dir() / "history" / "dtype_groups.json"
    try:
        facts: dict[str, Any] = msgspec.json.decode(path.read_bytes())
    except (OSError, ValueError, msgspec.DecodeError) as error:
        raise DataError(f"{path}: {error}") from error
    return facts
