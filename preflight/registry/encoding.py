"""The compact form of the bundled history: prototypes as nested lists, operators in shards."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Mapping
from typing import Any

from preflight.registry.prototype import AttributeSpec, Port, Prototype, SubgraphSpec

FORMAT = 1
SHARDS = 64


def shard_of(op_type: str) -> int:
    """The shard that holds an operator."""
    return zlib.crc32(op_type.encode()) % SHARDS


def encode(prototype: Prototype) -> list[Any]:
    """A prototype as nested lists: inputs, outputs, attributes, subgraphs, symbols."""
    return [
        [[p.name, p.type, p.dtype] for p in prototype.inputs],
        [[p.name, p.type, p.dtype] for p in prototype.outputs],
        [[a.name, a.type, int(a.required), a.default_value] for a in prototype.attrs],
        [[s.name, s.type] for s in prototype.subgraphs],
        [list(pair) for pair in prototype.datatypes],
    ]


def decode(op_type: str, record: list[Any]) -> Prototype:
    """The prototype that `encode` made the lists from."""
    inputs, outputs, attrs, subgraphs, symbols = record
    return Prototype(
        op_type,
        tuple(Port(*p) for p in inputs),
        tuple(Port(*p) for p in outputs),
        tuple(SubgraphSpec(*s) for s in subgraphs),
        tuple(AttributeSpec(a[0], a[1], bool(a[2]), a[3]) for a in attrs),
        tuple((symbol, text) for symbol, text in symbols),
    )


def release_order(
    entries: Iterable[tuple[str, str]], follows: Mapping[str, str] | None = None
) -> list[str]:
    """Releases in the order in which they succeed each other: by the first date given for each.

    `follows` moves a release that was published late behind the one that it continues.
    """
    dates: dict[str, str] = {}
    for version, date in entries:
        dates.setdefault(version, date)
    order = sorted(dates, key=lambda version: (dates[version], version))
    for release, before in (follows or {}).items():
        if release in dates and before in dates:
            order.remove(release)
            order.insert(order.index(before) + 1, release)
    return order
