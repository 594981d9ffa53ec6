"""Edges and subgraphs: what the loader joins, and where it gives up (spec/corrections.md 8, 13)."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct

_INT64_MAX, _INT64_MIN = (1 << 63) - 1, -(1 << 63)


class EdgeProblem(Struct, frozen=True):
    """An edge or a subgraph name that fails the load. `why` is the class of vectors tier T4."""

    why: str
    graph: str
    operator: str
    detail: str
    codes: tuple[str, ...]


def split_input(text: str) -> tuple[str, int] | None:
    """(producer, output index) of an OpDef.input text; None when it has no colon.

    The split is at the last colon; the index is read like strtol does and cut to 32 bits, so that
    "" is 0 and a number that does not fit 64 bits is -1 (a control edge).
    """
    producer, colon, index = text.rpartition(":")
    return (producer, _strtol32(index)) if colon else None


def _strtol32(text: str) -> int:
    if len(text) < 10 and text.isascii() and text.isdigit():
        return int(text)  # nearly every index of every file
    rest = text.lstrip(" \t\n\v\f\r")
    sign = -1 if rest[:1] == "-" else 1
    digits = rest[1:] if rest[:1] in ("-", "+") else rest
    end = 0
    while end < len(digits) and digits[end] in "0123456789":
        end += 1
    # 20 digits are enough to know that 64 bits overflow.
    significant = digits[:end].lstrip("0")
    value = sign * int(significant[:20] or "0")
    value = max(_INT64_MIN, min(_INT64_MAX, value))
    return ((value + (1 << 31)) & 0xFFFFFFFF) - (1 << 31)


class Inputs(Struct, frozen=True):
    """The joined inputs of one operator: a slot per input descriptor, and control edges."""

    data: tuple[tuple[str, int] | None, ...]
    control: tuple[str, ...]


def join_inputs(operator: Any) -> Inputs:
    """The inputs of an OpDef by the loader's slot rule; texts without colon keep an empty slot."""
    slots: list[tuple[str, int] | None] = []
    control: list[str] = []
    for text in operator.input:
        edge = split_input(text)
        if edge is None:
            slots.append(None)
        elif edge[1] < 0:
            control.append(edge[0])
        else:
            slots.append(edge)
    wanted = len(operator.input_desc)
    slots = slots[:wanted] + [None] * (wanted - len(slots))
    return Inputs(tuple(slots), tuple(control))


def edge_problems(graph: Any) -> Iterator[EdgeProblem]:
    """What fails in one GraphDef, in the loader's order."""
    outputs = {operator.name: len(operator.output_desc) for operator in graph.op}
    for operator in graph.op:
        if operator.input:
            yield from _operator_problems(graph.name, operator, outputs)
    for role, names in (("input", graph.input), ("output", graph.output)):
        for text in names:
            edge = split_input(text)
            if edge is not None and edge[0] not in outputs:
                yield EdgeProblem(
                    "graph_io_missing_op",
                    graph.name,
                    edge[0],
                    f"graph {role} '{text}' names an operator that is not there",
                    ("E19999",),
                )


def _operator_problems(
    graph: str, operator: Any, outputs: Mapping[str, int]
) -> Iterator[EdgeProblem]:
    slot = 0
    slots = len(operator.input_desc)
    for text in operator.input:
        edge = split_input(text)
        if edge is None:
            slot += 1
            continue
        producer, index = edge
        if producer not in outputs:
            detail = f"input '{text}' names an operator that is not in the graph"
            yield EdgeProblem("dangling_input", graph, operator.name, detail, ("E19999",))
        elif index >= outputs[producer]:
            detail = f"input '{text}': '{producer}' has {outputs[producer]} outputs"
            codes = ("E18888", "E19999")
            yield EdgeProblem("output_index_out_of_range", graph, operator.name, detail, codes)
        elif index >= 0 and slot >= slots:
            detail = f"input '{text}' is number {slot + 1} of an operator with {slots} inputs"
            yield EdgeProblem("input_index_out_of_range", graph, operator.name, detail, ("E19999",))
        if index >= 0:
            slot += 1


class Reach(Struct, frozen=True):
    """Subgraphs that are reachable from the root through subgraph names, in the file's order."""

    names: tuple[str, ...]
    problems: tuple[EdgeProblem, ...]
    used_twice: bool = False


def reach_subgraphs(graphs: Sequence[Any]) -> Reach:
    """Follow subgraph names from graphs[0]; they are resolved only when there are several names."""
    by_name = {graph.name: graph for graph in graphs}
    if len(by_name) <= 1:
        return Reach((), ())
    root = by_name[graphs[0].name]
    reached: dict[str, None] = {}
    problems: list[EdgeProblem] = []
    twice = False
    pending = deque([root])
    while pending:
        graph = pending.popleft()
        for operator in graph.op:
            for name in operator.subgraph_name:
                if name in reached:
                    twice = True
                elif name in by_name:
                    reached[name] = None
                    pending.append(by_name[name])
                else:
                    detail = f"subgraph '{name}' is not in the model"
                    codes = ("E18888", "E19999")
                    problems.append(
                        EdgeProblem("subgraph_unresolved", graph.name, operator.name, detail, codes)
                    )
    names = tuple(graph.name for graph in graphs[1:] if graph.name in reached)
    return Reach(tuple(dict.fromkeys(names)), tuple(problems), twice)
