"""Graphs and operators of a definition as values; operators are made when they are looked at."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, overload

from preflight.model.attributes import AttributeMap
from preflight.model.dictionary import Dictionary
from preflight.model.edges import join_inputs
from preflight.model.manifest import Graph, Operator
from preflight.model.tensors import tensor_info

_ORIGIN_KEYS = ("_datadump_original_op_names", "original_op_names")
_INPUT_NAMES_KEY = "_input_name_key"


class OperatorList(Sequence[Operator]):
    """The operators of one graph, made one by one and kept."""

    __slots__ = ("_attributes", "_block", "_dictionary", "_graph", "_made", "_messages")

    def __init__(
        self,
        graph: Any,
        attributes: Sequence[AttributeMap],
        block: int,
        dictionary: Dictionary | None,
    ) -> None:
        self._graph: str = graph.name
        self._messages = list(graph.op)
        self._attributes = attributes
        self._block = block
        self._dictionary = dictionary
        self._made: dict[int, Operator] = {}

    def __len__(self) -> int:
        return len(self._messages)

    @overload
    def __getitem__(self, index: int) -> Operator: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[Operator]: ...

    def __getitem__(self, index: int | slice) -> Operator | Sequence[Operator]:
        if isinstance(index, slice):
            return [self._at(i) for i in range(*index.indices(len(self)))]
        return self._at(range(len(self))[index])

    def __iter__(self) -> Iterator[Operator]:
        return map(self._at, range(len(self)))

    def _at(self, index: int) -> Operator:
        made = self._made.get(index)
        if made is None:
            made = self._make(self._messages[index], self._attributes[index])
            self._made[index] = made
        return made

    def _make(self, message: Any, attributes: AttributeMap) -> Operator:
        inputs = join_inputs(message)
        dictionary = self._dictionary
        return Operator(
            name=message.name,
            type=message.type,
            graph=self._graph,
            block=self._block,
            attributes=attributes,
            inputs=inputs.data,
            control_inputs=inputs.control,
            input_descs=tuple(tensor_info(desc, dictionary) for desc in message.input_desc),
            output_descs=tuple(tensor_info(desc, dictionary) for desc in message.output_desc),
            input_names=_input_names(message),
            origin_names=_origin_names(attributes),
            subgraphs=tuple(message.subgraph_name),
        )


def make_graph(
    message: Any,
    attributes: AttributeMap,
    operators: Sequence[AttributeMap],
    block: int,
    dictionary: Dictionary | None = None,
) -> Graph:
    """A GraphDef as a value; `operators` are the surviving attributes of its operators."""
    return Graph(
        name=message.name,
        block=block,
        operators=OperatorList(message, operators, block, dictionary),
        inputs=tuple(message.input),
        outputs=tuple(message.output),
        attributes=attributes,
    )


def _input_names(message: Any) -> tuple[str, ...]:
    """Names by input position: the loader's own key attribute, else OpDef.input_name."""
    if _INPUT_NAMES_KEY in message.attr:
        raw = message.attr[_INPUT_NAMES_KEY].list.s
        return tuple(name.decode("utf-8", "backslashreplace") for name in raw)
    return tuple(message.input_name)


def _origin_names(attributes: AttributeMap) -> tuple[str, ...]:
    for key in _ORIGIN_KEYS:
        if key in attributes and attributes[key].type == "list_s":
            value = attributes[key].value
            if isinstance(value, list):
                return tuple(item for item in value if isinstance(item, str) and item)
    return ()
