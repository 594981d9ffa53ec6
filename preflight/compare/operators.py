"""Compares operators one by one: types, attributes, data types, layouts, shapes and edges."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from preflight.compare.matching import Match, match_operators
from preflight.compare.types import (
    CountChange,
    Difference,
    OperatorChange,
    OperatorComparison,
    OperatorRef,
)
from preflight.model.fingerprint import ModelFingerprint
from preflight.model.manifest import (
    Attribute,
    Graph,
    GraphValue,
    ModelManifest,
    Operator,
    TensorInfo,
    TensorValue,
)
from preflight.model.meaning import AttributeFilter, attribute_filter, value_text
from preflight.registry.words import shortest_float

ABSENT = "absent"
_SHOWN = 160


def compare_operators(
    old: ModelManifest, new: ModelManifest, prints: tuple[ModelFingerprint, ModelFingerprint]
) -> OperatorComparison:
    """Every operator of every graph. Graphs with equal fingerprints are not looked into."""
    rule = attribute_filter()
    changed: list[OperatorChange] = []
    removed: list[OperatorRef] = []
    added: list[OperatorRef] = []
    how: Counter[str] = Counter()
    digest = [{(g.block, g.name): g.fingerprint for g in p.graphs} for p in prints]
    for left, right in pair_graphs(old.graphs, new.graphs):
        if left is None or right is None:
            lone = left or right
            refs = [OperatorRef(lone.name, o.name, o.type) for o in lone.operators] if lone else []
            (removed if left else added).extend(refs)
        elif digest[0].get((left.block, left.name)) == digest[1].get((right.block, right.name)):
            how["fingerprint"] += len(left.operators)
        else:
            pair = _GraphPair(left, right, rule)
            how.update(m.by for m in pair.matches)
            changed += pair.changes()
            removed += pair.lone(0)
            added += pair.lone(1)
    return OperatorComparison(
        tuple(sorted(how.items())),
        tuple(changed),
        tuple(removed),
        tuple(added),
        compare_counts(
            {r.type: r.count for r in old.operators}, {r.type: r.count for r in new.operators}
        ),
    )


def compare_counts(old: Mapping[str, int], new: Mapping[str, int]) -> tuple[CountChange, ...]:
    """Operator types whose number differs, by name."""
    return tuple(
        CountChange(name, old.get(name, 0), new.get(name, 0))
        for name in sorted(old.keys() | new.keys())
        if old.get(name, 0) != new.get(name, 0)
    )


def pair_graphs(
    old: Sequence[Graph], new: Sequence[Graph]
) -> list[tuple[Graph | None, Graph | None]]:
    """The root of each block with that of the same block, others by name, the rest in order."""
    pairs: list[tuple[Graph | None, Graph | None]] = []
    blocks = sorted({g.block for g in old} | {g.block for g in new})
    for block in blocks:
        left = [g for g in old if g.block == block]
        right = [g for g in new if g.block == block]
        if left and right:
            pairs.append((left.pop(0), right.pop(0)))
        by_name = {g.name: g for g in right}
        rest: list[Graph] = []
        for graph in left:
            twin = by_name.pop(graph.name, None)
            if twin is None:
                rest.append(graph)
            else:
                pairs.append((graph, twin))
        lone = list(by_name.values())
        for place in range(max(len(rest), len(lone))):
            pairs.append(
                (
                    rest[place] if place < len(rest) else None,
                    lone[place] if place < len(lone) else None,
                )
            )
    return pairs


class _GraphPair:
    def __init__(self, old: Graph, new: Graph, rule: AttributeFilter) -> None:
        self._old, self._new = list(old.operators), list(new.operators)
        self._graph = old.name
        self._rule = rule
        self.matches: list[Match] = match_operators(self._old, self._new, rule)
        # old name -> new name, for edges
        self._became = {self._old[m.old].name: self._new[m.new].name for m in self.matches}

    def changes(self) -> list[OperatorChange]:
        found: list[OperatorChange] = []
        for match in self.matches:
            old, new = self._old[match.old], self._new[match.new]
            differences = tuple(self._differences(old, new))
            if differences:
                found.append(
                    OperatorChange(
                        self._graph, old.name, new.name, old.type, new.type, match.by, differences
                    )
                )
        return found

    def lone(self, side: int) -> list[OperatorRef]:
        """Operators of one side without a partner."""
        operators = (self._old, self._new)[side]
        paired = {(m.old, m.new)[side] for m in self.matches}
        return [
            OperatorRef(self._graph, op.name, op.type)
            for place, op in enumerate(operators)
            if place not in paired
        ]

    def _differences(self, old: Operator, new: Operator) -> list[Difference]:
        found = [Difference("type", old.type, new.type)] if old.type != new.type else []
        found += compare_attributes(self._rule.of(old), self._rule.of(new))
        found += _compare_descs("input", old.input_descs, new.input_descs)
        found += _compare_descs("output", old.output_descs, new.output_descs)
        return found + self._compare_edges(old, new)

    def _compare_edges(self, old: Operator, new: Operator) -> list[Difference]:
        found: list[Difference] = []
        before = [_edge(e, self._became) for e in old.inputs]
        after = [_edge(e, {}) for e in new.inputs]
        for place in range(max(len(before), len(after))):
            left = before[place] if place < len(before) else ABSENT
            right = after[place] if place < len(after) else ABSENT
            if left != right:
                found.append(Difference(f"input {place} comes from", left, right))
        control = sorted(self._became.get(n, n) for n in old.control_inputs)
        if control != sorted(new.control_inputs):
            texts = [", ".join(names) or "nothing" for names in (control, new.control_inputs)]
            found.append(Difference("waits for", *texts))
        if len(old.subgraphs) != len(new.subgraphs):
            numbers = (str(len(old.subgraphs)), str(len(new.subgraphs)))
            found.append(Difference("subgraphs", *numbers))
        return found


def _edge(edge: tuple[str, int] | None, became: Mapping[str, str]) -> str:
    return "nothing" if edge is None else f"{became.get(edge[0], edge[0])}:{edge[1]}"


def compare_attributes(
    old: Mapping[str, Attribute], new: Mapping[str, Attribute], prefix: str = "attribute "
) -> list[Difference]:
    """Attributes that differ in presence, type or value; floats are compared exactly.

    Of groups of attributes (NamedAttrs) only the members that differ are told.
    """
    found: list[Difference] = []
    for name in sorted(old.keys() | new.keys()):
        left, right = old.get(name), new.get(name)
        if left is not None and right is not None:
            if value_text(left) == value_text(right):
                continue
            members = [_members(left), _members(right)]
            if members[0] and members[1]:
                found += compare_attributes(members[0], members[1], f"{prefix}{name}.")
                continue
        texts = [ABSENT if side is None else show_value(side.value) for side in (left, right)]
        if texts[0] == texts[1] and left is not None and right is not None:
            texts = [f"{t} ({s.type})" for t, s in zip(texts, (left, right), strict=True)]
        found.append(Difference(f"{prefix}{name}", texts[0], texts[1]))
    return found


def _members(attribute: Attribute) -> Mapping[str, Attribute]:
    value = attribute.value
    inner = value.get("attr") if isinstance(value, Mapping) else None
    return inner if isinstance(inner, Mapping) else {}


def _compare_descs(
    side: str, old: Sequence[TensorInfo], new: Sequence[TensorInfo]
) -> list[Difference]:
    if len(old) != len(new):
        return [Difference(f"{side}s", str(len(old)), str(len(new)))]
    found: list[Difference] = []
    for place, (left, right) in enumerate(zip(old, new, strict=True)):
        found += compare_tensors(f"{side} {place}", left, right)
    return found


def compare_tensors(subject: str, old: TensorInfo, new: TensorInfo) -> list[Difference]:
    """Data type, layout, shape and range of one tensor."""
    rows = (
        ("dtype", old.dtype, new.dtype),
        ("format", old.format, new.format),
        ("shape", show_shape(old.shape), show_shape(new.shape)),
        ("range", show_value(list(old.shape_range)), show_value(list(new.shape_range))),
    )
    return [Difference(f"{subject} {what}", a, b) for what, a, b in rows if a != b]


def show_shape(shape: Sequence[int] | None) -> str:
    """A shape as people write it; unknown when the model does not say."""
    return "unknown" if shape is None else "[" + ",".join(map(str, shape)) + "]"


def show_value(value: object) -> str:
    """An attribute value in one short line; a float as the shortest text of its single precision.

    That text still tells every two float32 values apart.
    """
    match value:
        case float():
            return repr(shortest_float(value))
        case TensorValue():
            data = f", {value.data_size} bytes, sha256 {value.data_sha256[:12]}"
            return f"{show_tensor(value.desc)}{data if value.data_size else ''}"
        case TensorInfo():
            return show_tensor(value)
        case GraphValue():
            return f"a graph of {value.operators} operators"
        case bytes():
            return f"{len(value)} bytes {value[:16].hex()}"
        case list() | tuple():
            text = "[" + ", ".join(show_value(item) for item in value[:64]) + "]"
        case Attribute():
            text = show_value(value.value)
        case Mapping():
            pairs = sorted((str(k), show_value(v)) for k, v in list(value.items())[:64])
            text = "{" + ", ".join(f"{k}={v}" for k, v in pairs) + "}"
        case _:
            text = str(value)
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1]}…"


def show_tensor(tensor: TensorInfo) -> str:
    """Data type, layout and shape in one short text."""
    return f"{tensor.dtype} {tensor.format} {show_shape(tensor.shape)}"
