"""The order in which a model computes, for naming the first operator that drifts."""

from __future__ import annotations

from collections.abc import Sequence

from preflight.compare.tensors.names import flat_name
from preflight.model.manifest import Graph, ModelManifest, Operator


def graph_order(manifest: ModelManifest) -> dict[str, tuple[int, str]]:
    """Operator name as dump files spell it -> (rank, type); inner graphs follow their caller."""
    by_name = {(g.block, g.name): g for g in manifest.graphs}
    roots = [next(g for g in manifest.graphs if g.block == b) for b in _blocks(manifest.graphs)]
    order: dict[str, tuple[int, str]] = {}
    done: set[tuple[int, str]] = set()
    stack: list[tuple[int, Operator | Graph]] = [(g.block, g) for g in reversed(roots)]
    while stack:
        block, item = stack.pop()
        if isinstance(item, Graph):
            if (block, item.name) not in done:
                done.add((block, item.name))
                stack += [(block, op) for op in reversed(sorted_operators(item.operators))]
            continue
        order.setdefault(flat_name(item.name), (len(order), item.type))
        inner = [by_name[block, n] for n in item.subgraphs if (block, n) in by_name]
        stack += [(block, graph) for graph in reversed(inner)]
    return order


def _blocks(graphs: Sequence[Graph]) -> list[int]:
    return sorted({g.block for g in graphs})


def sorted_operators(operators: Sequence[Operator]) -> list[Operator]:
    """Operators after what they read, otherwise in file order; members of loops come last."""
    place = {op.name: i for i, op in enumerate(operators)}
    reads = [
        {place[n] for n in _sources(op) if n in place and place[n] != i}
        for i, op in enumerate(operators)
    ]
    readers: list[list[int]] = [[] for _ in operators]
    for reader, producers in enumerate(reads):
        for producer in producers:
            readers[producer].append(reader)
    waiting = [len(producers) for producers in reads]
    order = [i for i, count in enumerate(waiting) if not count]
    for current in order:  # grows while it is walked
        for reader in readers[current]:
            waiting[reader] -= 1
            if not waiting[reader]:
                order.append(reader)
    looped = [i for i, count in enumerate(waiting) if count]
    return [operators[i] for i in order + looped]


def _sources(operator: Operator) -> list[str]:
    return [edge[0] for edge in operator.inputs if edge is not None] + list(operator.control_inputs)
