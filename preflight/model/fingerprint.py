"""Content hashes of graphs: equal for builds that compute the same in the same way.

A fingerprint covers operator types, the attributes that matter, data types, layouts and shapes, the
edges with their slots, and subgraphs. It leaves out names of operators and graphs, the order in the
file, attribute compression, addresses and everything else that manifests/compare/attributes.toml
lists. Weights are not covered: `preflight lock --weights` hashes them.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct

from preflight.model.manifest import Attribute, Graph, ModelManifest, Operator
from preflight.model.meaning import AttributeFilter, attribute_filter, tensor_text, value_text

_INPUT_TYPES = ("Data", "AippData", "RefData")
_CALLER_ATTRIBUTES = ("_aipp_inputs", "_mbatch_origin_input_dims", "aipp", "input_dims")
_LOOP_ROUNDS = 8  # how far differences spread inside loops, which no loader forbids


class GraphFingerprint(Struct, frozen=True):
    """One graph of one block. `fingerprint` is hexadecimal text behind the number of its scheme."""

    block: int
    name: str
    fingerprint: str
    operators: int


class ModelFingerprint(Struct, frozen=True):
    """`model` covers all graphs; `interface` the inputs, outputs and gears, names included."""

    model: str
    interface: str
    graphs: tuple[GraphFingerprint, ...]


def fingerprint_model(manifest: ModelManifest) -> ModelFingerprint:
    """Fingerprints of a model, of its interface and of each graph."""
    rule = attribute_filter()
    graphs = tuple(
        GraphFingerprint(graph.block, graph.name, _labelled(rule, digest), len(graph.operators))
        for graph, digest in _graph_digests(manifest.graphs, rule)
    )
    model = _labelled(rule, _hash(sorted(g.fingerprint for g in graphs)))
    interface = _interface(manifest, rule)
    return ModelFingerprint(model, _labelled(rule, interface), graphs)


def _labelled(rule: AttributeFilter, digest: str) -> str:
    return f"{rule.scheme}:{digest}"


def _hash(parts: Iterable[str]) -> str:
    digest = hashlib.sha256()
    for part in parts:
        data = part.encode("utf-8", "surrogatepass")
        digest.update(b"%d:" % len(data))
        digest.update(data)
    return digest.hexdigest()[:32]


def _interface(manifest: ModelManifest, rule: AttributeFilter) -> str:
    gears = manifest.gears
    parts = [f"in {rule.stable_name(t.name)} {tensor_text(t)}" for t in manifest.inputs]
    parts += [f"out {rule.stable_name(t.name)} {tensor_text(t)}" for t in manifest.outputs]
    parts.append(value_text([gears.batch, gears.hw, gears.dims, gears.output_shapes]))
    parts += [f"{name} {a.name}={value_text(a)}" for name, a in caller_attributes(manifest)]
    return _hash(parts)


def caller_attributes(manifest: ModelManifest) -> list[tuple[str, Attribute]]:
    """(input, attribute) for what changes the bytes a caller must supply beyond the descriptions.

    Preprocessing (AIPP) takes images of another layout and size than the input it feeds.
    """
    root = next(iter(manifest.graphs), None)
    return [
        (op.name, op.attributes[name])
        for op in (root.operators if root is not None else ())
        if op.type in _INPUT_TYPES
        for name in _CALLER_ATTRIBUTES
        if name in op.attributes
    ]


def _graph_digests(graphs: Sequence[Graph], rule: AttributeFilter) -> list[tuple[Graph, str]]:
    """Digest every graph after the graphs that its operators contain."""
    known: dict[tuple[int, str], str] = {}
    by_key = {(g.block, g.name): g for g in graphs}
    for graph in _inner_first(by_key):
        inner = {name: digest for (block, name), digest in known.items() if block == graph.block}
        known[graph.block, graph.name] = _GraphHasher(graph, rule, inner).digest()
    return [(graph, known[graph.block, graph.name]) for graph in by_key.values()]


def _inner_first(graphs: Mapping[tuple[int, str], Graph]) -> list[Graph]:
    """Graphs such that each comes after all that it contains, except where graphs form a loop."""
    order: list[Graph] = []
    done: set[tuple[int, str]] = set()
    for start in graphs:
        stack = [(start, False)]
        while stack:
            key, expanded = stack.pop()
            if expanded:
                order.append(graphs[key])
                continue
            if key in done:
                continue
            done.add(key)
            stack.append((key, True))
            names = {name for op in graphs[key].operators for name in op.subgraphs}
            stack += [((key[0], n), False) for n in sorted(names) if (key[0], n) in graphs]
    return order


class _GraphHasher:
    """Hashes every operator together with all that it reads from, then with all that reads it."""

    def __init__(self, graph: Graph, rule: AttributeFilter, inner: Mapping[str, str]) -> None:
        self._operators = list(graph.operators)
        self._ends = [f"in {n}" for n in graph.inputs] + [f"out {n}" for n in graph.outputs]
        self._place = place = {
            op.name: i for i, op in enumerate(self._operators)
        }  # the last of a name counts
        self._reads = [_reads(op, place) for op in self._operators]
        self._own = [_own_text(op, rule, inner) for op in self._operators]

    def digest(self) -> str:
        """The multiset of the operators' hashes, and which of them are the ends in which order."""
        order, looped = self._order()
        upward = self._spread(self._own, self._reads, order, looped)
        readers = self._readers()
        both = self._spread(upward, readers, list(reversed(order)), looped)
        final = self._spread(both, self._reads, order, looped)
        return _hash([*sorted(final), *self._end_texts(final)])

    def _end_texts(self, labels: Sequence[str]) -> list[str]:
        texts: list[str] = []
        for end in self._ends:
            side, _, text = end.partition(" ")
            name, colon, slot = text.rpartition(":")
            place = self._place.get(name if colon else text)
            if place is not None:
                texts.append(f"{side} {slot if colon else ''} {labels[place]}")
        return texts

    def _order(self) -> tuple[list[int], list[int]]:
        """Operators after what they read; and those that loops keep from having such a place."""
        waiting = [len({i for i, _ in reads}) for reads in self._reads]
        readers: dict[int, set[int]] = defaultdict(set)
        for reader, reads in enumerate(self._reads):
            for producer, _ in reads:
                readers[producer].add(reader)
        order = [i for i, count in enumerate(waiting) if not count]
        for place in order:  # grows while it is walked
            for reader in readers[place]:
                waiting[reader] -= 1
                if not waiting[reader]:
                    order.append(reader)
        return order, [i for i, count in enumerate(waiting) if count]

    def _readers(self) -> list[list[tuple[int, str]]]:
        found: list[list[tuple[int, str]]] = [[] for _ in self._operators]
        for reader, reads in enumerate(self._reads):
            for producer, slot in reads:
                found[producer].append((reader, slot))
        return found

    @staticmethod
    def _spread(
        labels: Sequence[str],
        neighbours: Sequence[Sequence[tuple[int, str]]],
        order: Sequence[int],
        looped: Sequence[int],
    ) -> list[str]:
        """New labels from own and neighbouring labels; loops get a fixed number of rounds."""
        new = list(labels)

        def combine(place: int, known: Sequence[str]) -> str:
            around = sorted(f"{slot}={known[i]}" for i, slot in neighbours[place])
            return _hash([labels[place], *around])

        for place in order:
            new[place] = combine(place, new)
        for _ in range(_LOOP_ROUNDS if looped else 0):
            before = list(new)
            for place in looped:
                new[place] = combine(place, before)
        return new


def _reads(operator: Operator, place: Mapping[str, int]) -> list[tuple[int, str]]:
    """(producer, "output>input slot") per data edge and (producer, "after") per control edge."""
    reads = [
        (place[edge[0]], f"{edge[1]}>{slot}")
        for slot, edge in enumerate(operator.inputs)
        if edge is not None and edge[0] in place
    ]
    return reads + [(place[n], "after") for n in operator.control_inputs if n in place]


def _own_text(operator: Operator, rule: AttributeFilter, inner: Mapping[str, str]) -> str:
    parts = [operator.type]
    parts += [f"{n}:{value_text(a)}" for n, a in rule.of(operator).items()]
    parts += [f"in {tensor_text(t)}" for t in operator.input_descs]
    parts += [f"out {tensor_text(t)}" for t in operator.output_descs]
    parts += [f"graph {inner.get(name, 'itself')}" for name in operator.subgraphs]
    return _hash(parts)
