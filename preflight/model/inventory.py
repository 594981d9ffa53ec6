"""Which operator types a model has, how often and where first."""

from __future__ import annotations

from collections.abc import Iterable

from preflight.model.definition import ModelDefinition
from preflight.model.manifest import OperatorCount


def count_operators(definitions: Iterable[ModelDefinition]) -> tuple[OperatorCount, ...]:
    """Counts by type, most frequent first, equal counts by name.

    A graph that an earlier block already holds is not counted again: block 0 of a dynamic model
    may carry the subgraphs whose compiled form the later blocks hold.
    """
    counts: dict[str, int] = {}
    firsts: dict[str, str] = {}
    seen: set[str] = set()
    for definition in definitions:
        if definition.message is None:
            continue
        here = {graph.name for graph in definition.message.graph}
        for graph in definition.message.graph:
            if graph.name in seen:
                continue
            for operator in graph.op:
                kind = operator.type
                if kind not in counts:
                    counts[kind] = 0
                    firsts[kind] = f"{graph.name}/{operator.name}"
                counts[kind] += 1
        seen |= here
    rows = (OperatorCount(kind, count, firsts[kind]) for kind, count in counts.items())
    return tuple(sorted(rows, key=lambda row: (-row.count, row.type)))
