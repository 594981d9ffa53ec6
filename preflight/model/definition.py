"""A model definition read by the loader's rules: what survives, what fails it, and in which order.

Checks and their classes are those of Model::LoadWithMultiThread (spec/om-format.md §C.4); vectors
tier T4 holds its verdicts.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from preflight.container.types import Fault
from preflight.model.attributes import (
    NO_ATTRIBUTES,
    AttributeMap,
    Problem,
    Problems,
    attribute_problems,
    kept_attributes,
)
from preflight.model.dictionary import Dictionary, resolve
from preflight.model.edges import EdgeProblem, edge_problems, reach_subgraphs
from preflight.model.graphs import make_graph
from preflight.model.manifest import Attribute, Graph
from preflight.model.parse import INT32_MAX, parse_message

# Attributes that a loaded model has even when its file does not (spec/corrections.md 16).
DEFAULT_ATTRIBUTES = (
    "event_num",
    "label_num",
    "memory_size",
    "p2p_memory_size",
    "stream_num",
    "target_type",
    "weight_size",
)
MAX_FAULTS = 50  # of one definition; the first decides, the rest is for people
MAX_GRAPHS = 65_536  # of one definition
MAX_OPERATORS = 1_000_000  # of one definition; the largest real graphs have some 100,000

# Positions within a block are the orders of spec/loadchecks.json.
_STEPS = {
    "def.parse": 80,
    "def.attr_unknown_case": 81,
    "def.namedattrs_empty": 82,
    "def.edges": 83,
}


@dataclass
class ModelDefinition:
    """One MODEL_DEF. `faults` is empty exactly when the loader accepts it.

    `message` is the parsed protobuf (private to preflight.model), None when it did not parse;
    `length` counts the bytes before an early end. `dictionary` undoes attribute compression of the
    loaded graphs.
    """

    message: Any | None
    length: int
    block: int
    subgraphs: tuple[str, ...]
    faults: tuple[Fault, ...]
    silent_codes: tuple[str, ...] = ()
    dictionary: Dictionary | None = None

    @property
    def attributes(self) -> AttributeMap:
        """The surviving attributes of the model."""
        return NO_ATTRIBUTES if self.message is None else kept_attributes(self.message)

    def operator_attributes(self, graph: int, operator: Any) -> AttributeMap:
        """The surviving attributes of an OpDef of the graph at a position, under real names."""
        attributes = kept_attributes(operator, operator=True)
        dictionary = self.dictionary_of_graph(graph)
        return attributes if dictionary is None else resolve(attributes, dictionary)

    def dictionary_of_graph(self, graph: int) -> Dictionary | None:
        """The dictionary, for graphs that belong to the loaded model: others are never resolved."""
        return self.dictionary if graph in self._loaded else None

    @property
    def ok(self) -> bool:
        """Whether the loader accepts the definition."""
        return not self.faults

    @property
    def name(self) -> str:
        return str(self.message.name) if self.message is not None else ""

    @property
    def version(self) -> int | None:
        """ModelDef.version, the IR version."""
        return int(self.message.version) if self.message is not None else None

    @property
    def custom_version(self) -> str:
        return str(self.message.custom_version) if self.message is not None else ""

    @property
    def default_attributes(self) -> tuple[str, ...]:
        """Names that the loader adds with values of its own."""
        return tuple(name for name in DEFAULT_ATTRIBUTES if name not in self.attributes)

    @property
    def graphs(self) -> tuple[Graph, ...]:
        """All graphs of the definition in file order."""
        if self.message is None:
            return ()
        return tuple(
            make_graph(graph, self.block, self.dictionary_of_graph(position))
            for position, graph in enumerate(self.message.graph)
        )

    @property
    def root(self) -> Graph | None:
        """The root graph: of those that share the first graph's name, the loader keeps the last."""
        graphs = self.graphs
        return next((g for g in reversed(graphs) if g.name == graphs[0].name), None)

    @cached_property
    def loaded_graphs(self) -> tuple[int, ...]:
        """Positions of the graphs that belong to the loaded model, the root first."""
        if self.message is None or not self.message.graph:
            return ()
        names = [graph.name for graph in self.message.graph]
        last = {name: position for position, name in enumerate(names)}
        return (last[names[0]], *(last[name] for name in self.subgraphs if name != names[0]))

    @cached_property
    def _loaded(self) -> frozenset[int]:
        return frozenset(self.loaded_graphs)

    @property
    def reachable(self) -> tuple[Graph, ...]:
        """The subgraphs that belong to the root graph after loading."""
        names = set(self.subgraphs)
        return tuple(graph for graph in self.graphs[1:] if graph.name in names)


def decode_model_definition(data: bytes, *, block: int = 0) -> ModelDefinition:
    """Read MODEL_DEF bytes as the loader does; never raises for content.

    `block` goes into the positions of the faults, (80, block, step).
    """
    message, length = parse_message("ModelDef", data)
    if message is None:
        size = f"{len(data)} bytes, more than 2^31 - 1" if len(data) > INT32_MAX else "the bytes"
        detail = f"{size} are not a model definition (ge.proto.ModelDef)"
        fault = _fault("def.parse", "proto_parse", detail, block, ("E18888",))
        return ModelDefinition(None, 0, block, (), (fault,))
    return check_definition(message, length, block)


def _too_many(message: Any, block: int) -> Fault | None:
    """A definition that nobody wrote; the loader's verdict on it stays open."""
    operators = sum(len(graph.op) for graph in message.graph[: MAX_GRAPHS + 1])
    if len(message.graph) <= MAX_GRAPHS and operators <= MAX_OPERATORS:
        return None
    detail = (
        f"the model definition has {len(message.graph)} graphs and more than {operators - 1} "
        f"operators; {MAX_GRAPHS} and {MAX_OPERATORS} are read at most"
    )
    return Fault("cap.definition", detail, (80, block, 80), block=block, data={"why": "cap"})


def check_definition(message: Any, length: int, block: int) -> ModelDefinition:
    """Apply the loader's checks to a parsed ModelDef."""
    capped = _too_many(message, block)
    if capped is not None:
        return ModelDefinition(None, 0, block, (), (capped,))
    faults: list[Fault] = []
    _attribute_faults(faults, attribute_problems(message), "the model", block, inner=False)
    if not message.graph:
        detail = "the model definition has no graph"
        faults.append(_fault("def.parse", "no_graph", detail, block, ()))
    for graph in message.graph:
        place = f"graph '{graph.name}'"
        _attribute_faults(faults, attribute_problems(graph), place, block, inner=True)
        _operator_faults(faults, graph, block)
    _constant_faults(faults, message, block)
    _edge_faults(faults, (p for g in message.graph for p in edge_problems(g)), block)
    reach = reach_subgraphs(message.graph) if message.graph else None
    if reach:
        _edge_faults(faults, iter(reach.problems), block)
    return ModelDefinition(
        message,
        length,
        block,
        reach.names if reach else (),
        tuple(faults),
        ("E18888",) if reach and reach.used_twice else (),
    )


def _operator_faults(faults: list[Fault], graph: Any, block: int) -> None:
    for operator in graph.op:
        problems = attribute_problems(operator, operator=True)
        if problems:
            place = f"operator '{operator.name}' ({operator.type}) of graph '{graph.name}'"
            _attribute_faults(faults, problems, place, block, inner=True)


def _attribute_faults(
    faults: list[Fault], problems: Problems, place: str, block: int, *, inner: bool
) -> None:
    """Below the model itself the caller adds E19999 (vectors T4)."""
    for name, problem in problems:
        codes = _with_caller(problem) if inner else problem.codes
        detail = f"attribute '{name}' of {place} {problem.detail}"
        data = {"attribute": name, "place": place}
        _append(faults, _fault(problem.check, problem.why, detail, block, codes, data))


def _with_caller(problem: Problem) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*problem.codes, "E19999")))


def _constant_faults(faults: list[Fault], message: Any, block: int) -> None:
    """Const with location and length: the loader opens that file while it parses (14)."""
    for operator in (op for graph in message.graph for op in graph.op):
        if operator.type not in ("Const", "Constant"):
            continue
        attributes = kept_attributes(operator, operator=True)
        location, length = attributes.find("location"), attributes.find("length")
        if location is None or length is None or (location.type, length.type) != ("s", "i"):
            continue
        detail = (
            f"constant '{operator.name}' keeps its value in '{_shown(location)}', "
            "a file that the loader opens while it reads the definition"
        )
        data = {"location": location.value, "operator": operator.name, "conditional": True}
        _append(faults, _fault("def.parse", "const_file", detail, block, ("E19999",), data))


def _shown(location: Attribute) -> str:
    value = location.value
    return value.decode("utf-8", "backslashreplace") if isinstance(value, bytes) else str(value)


def _edge_faults(faults: list[Fault], problems: Iterator[EdgeProblem], block: int) -> None:
    for problem in problems:
        if len(faults) >= MAX_FAULTS:
            return
        detail = f"operator '{problem.operator}' of graph '{problem.graph}': {problem.detail}"
        data = {"graph": problem.graph, "operator": problem.operator}
        faults.append(_fault("def.edges", problem.why, detail, block, problem.codes, data))


def _append(faults: list[Fault], fault: Fault) -> None:
    if len(faults) < MAX_FAULTS:
        faults.append(fault)


def _fault(
    check: str,
    why: str,
    detail: str,
    block: int,
    codes: tuple[str, ...],
    data: Mapping[str, object] | None = None,
) -> Fault:
    return Fault(
        check,
        detail,
        (80, block, _STEPS[check]),
        block=block,
        data={"why": why, **(data or {})},
        message_codes=codes,
    )
