"""Graphs and operators of a definition as values; operators are made when they are looked at."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, overload

from preflight.model.attributes import AttributeMap, kept_attributes
from preflight.model.dictionary import Dictionary, resolve
from preflight.model.edges import join_inputs
from preflight.model.manifest import Graph, Operator
from preflight.model.tensors import tensor_info

_ORIGIN_KEYS = ("_datadump_original_op_names", "original_op_names")
_INPUT_NAMES_KEY = "_input_name_key"


class OperatorList(Sequence[Operator]):
    """The operators of one graph, each made when it is looked at and not kept.

    A graph of 100,000 operators as values is many times its bytes; who needs them twice keeps them.
    """

    __slots__ = ("_block", "_dictionary", "_message")

    def __init__(self, graph: Any, block: int, dictionary: Dictionary | None) -> None:
        self._message = graph
        self._block = block
        self._dictionary = dictionary

    def __len__(self) -> int:
        return len(self._message.op)

    @overload
    def __getitem__(self, index: int) -> Operator: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[Operator]: ...

    def __getitem__(self, index: int | slice) -> Operator | Sequence[Operator]:
        found = self._message.op[index]
        return [self._make(op) for op in found] if isinstance(index, slice) else self._make(found)

    def __iter__(self) -> Iterator[Operator]:
        return map(self._make, self._message.op)

    def _make(self, message: Any) -> Operator:
        inputs = join_inputs(message)
        dictionary = self._dictionary
        attributes = kept_attributes(message, operator=True)
        if dictionary is not None:
            attributes = resolve(attributes, dictionary)
        return Operator(
            name=message.name,
            type=message.type,
            graph=self._message.name,
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


def make_graph(message: Any, block: int, dictionary: Dictionary | None = None) -> Graph:
    """A GraphDef as a value; `dictionary` undoes attribute compression that was checked before."""
    return Graph(
        name=message.name,
        block=block,
        operators=OperatorList(message, block, dictionary),
        inputs=tuple(message.input),
        outputs=tuple(message.output),
        attributes=kept_attributes(message),
    )


def _input_names(message: Any) -> tuple[str, ...]:
    """Names by input position: the loader's own key attribute, else OpDef.input_name."""
    if _INPUT_NAMES_KEY in message.attr:
        raw = message.attr[_INPUT_NAMES_KEY].list.s
        return tuple(name.decode("utf-8", "backslashreplace") for name in raw)
    return tuple(message.input_name)


def _origin_names(attributes: AttributeMap) -> tuple[str, ...]:
    for key in _ORIGIN_KEYS:
        found = attributes.find(key)
        if found is not None and found.type == "list_s" and isinstance(found.value, list):
            return tuple(item for item in found.value if isinstance(item, str) and item)
    return ()
