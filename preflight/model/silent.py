"""What the loader reports while it drops attributes of tensor descriptors and still succeeds."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from preflight.model.attributes import Problem, problem
from preflight.model.definition import ModelDefinition


def silent_codes(definition: ModelDefinition) -> tuple[str, ...]:
    """Message codes in the log of an accepted definition, first-seen order, usually none.

    Walks every tensor descriptor, attribute values included, so it is not part of reading.
    """
    if definition.message is None:
        return ()
    codes = dict.fromkeys(definition.silent_codes)
    for desc in _descriptors(definition.message):
        for value in desc.attr.values():
            found = problem(value)
            if isinstance(found, Problem):
                codes.update(dict.fromkeys(found.codes))
    return tuple(codes)


def _descriptors(message: Any) -> Iterator[Any]:
    """Every tensor descriptor of the definition; graphs kept as attribute values stay closed."""
    yield from _in_attributes(message)
    for graph in message.graph:
        yield from _in_attributes(graph)
        for operator in graph.op:
            yield from _in_attributes(operator)
            for desc in (*operator.input_desc, *operator.output_desc):
                yield desc
                yield from _in_attributes(desc)


def _in_attributes(message: Any) -> Iterator[Any]:
    # Depth is bounded by the parser's limit of 100 nested messages.
    for value in message.attr.values():
        case = value.WhichOneof("value")
        found = list(_direct(value, case))
        for desc in found:
            yield desc
            yield from _in_attributes(desc)
        named = [value.func] if case == "func" else value.list.na if case == "list" else ()
        for inner in named:
            yield from _in_attributes(inner)


def _direct(value: Any, case: str | None) -> Iterator[Any]:
    if case == "td":
        yield value.td
    elif case == "t":
        yield value.t.desc
    elif case == "list":
        yield from value.list.td
        yield from (tensor.desc for tensor in value.list.t)
