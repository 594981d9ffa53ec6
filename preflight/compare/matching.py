"""Finds which operator of one graph is which of another: by name, by origin, by place."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Sequence

from msgspec import Struct

from preflight.model.manifest import Operator
from preflight.model.meaning import AttributeFilter

_ROUNDS = 64  # how far matching by place may spread from what is already matched
_MAX_ORIGINS = 4096  # operators that share one origin name and are still looked at one by one


class Match(Struct, frozen=True):
    """Positions of an operator on both sides and how they were found."""

    old: int
    new: int
    by: str  # "name" | "origin" | "place"


def match_operators(
    old: Sequence[Operator], new: Sequence[Operator], rule: AttributeFilter
) -> list[Match]:
    """Pairs in the order of the old graph; what is in no pair was removed or added.

    Names come first, except those that the compiler gives to inserted nodes: their running numbers
    say nothing, so they are found by the operators around them before their names count.
    """
    matcher = _Matcher(old, new, rule)
    steady = [
        [None if rule.is_temporary(op.name) else op.name for op in side] for side in (old, new)
    ]
    matcher.by_key(
        "name",
        *(
            [_typed(op, n) for op, n in zip(*s, strict=True)]
            for s in zip((old, new), steady, strict=True)
        ),
    )
    matcher.by_key("name", *steady)
    matcher.by_origin()
    matcher.by_place()
    matcher.by_key("name", [(o.type, o.name) for o in old], [(o.type, o.name) for o in new])
    return sorted(matcher.matches, key=lambda m: m.old)


def _typed(operator: Operator, name: str | None) -> tuple[str, str] | None:
    return None if name is None else (operator.type, name)


class _Matcher:
    def __init__(
        self, old: Sequence[Operator], new: Sequence[Operator], rule: AttributeFilter
    ) -> None:
        self._sides = (old, new)
        self._rule = rule
        self.matches: list[Match] = []
        # position -> number of its pair, per side
        self._pair: tuple[dict[int, int], dict[int, int]] = ({}, {})

    def by_key(self, how: str, *keys: Sequence[Hashable]) -> bool:
        """Pair operators with equal keys in file order; None is no key. True when any was found."""
        waiting: dict[Hashable, list[int]] = defaultdict(list)
        for place, key in enumerate(keys[1]):
            if key is not None and place not in self._pair[1]:
                waiting[key].append(place)
        for places in waiting.values():
            places.reverse()
        found = False
        for place, key in enumerate(keys[0]):
            if key is not None and place not in self._pair[0] and waiting.get(key):
                self._add(place, waiting[key].pop(), how)
                found = True
        return found

    def by_origin(self) -> None:
        """Pair operators that were made from the same source nodes, the best overlap first."""
        made_from: dict[str, list[int]] = defaultdict(list)
        for place, op in enumerate(self._sides[1]):
            if place not in self._pair[1]:
                for origin in self._origins(op):
                    made_from[origin].append(place)
        for place, op in enumerate(self._sides[0]):
            if place in self._pair[0]:
                continue
            shared: dict[int, int] = defaultdict(int)
            for origin in self._origins(op):
                for other in made_from.get(origin, ())[:_MAX_ORIGINS]:
                    if other not in self._pair[1]:
                        shared[other] += 1
            if shared:
                self._add(place, max(shared, key=lambda o: self._likeness(op, o, shared)), "origin")

    def _origins(self, operator: Operator) -> Iterable[str]:
        """Names of the source nodes; an operator that was never merged stands for itself."""
        own = () if self._rule.is_temporary(operator.name) else (operator.name,)
        return dict.fromkeys((*filter(None, operator.origin_names), *own))

    def _likeness(self, op: Operator, other: int, shared: dict[int, int]) -> tuple[object, ...]:
        candidate = self._sides[1][other]
        return (candidate.type == op.type, shared[other], -other)

    def by_place(self) -> None:
        """Pair operators of one type whose neighbours are paired, until nothing more is found."""
        for _ in range(_ROUNDS):
            reading = self.by_key("place", *(self._reading_keys(side) for side in (0, 1)))
            feeding = self.by_key("place", *(self._feeding_keys(side) for side in (0, 1)))
            if not reading and not feeding:
                return

    def _reading_keys(self, side: int) -> list[Hashable]:
        pairs, place = self._pair[side], _places(self._sides[side])

        def key(op: Operator) -> Hashable:
            read = [(pairs.get(place.get(e[0], -1)), e[1]) for e in op.inputs if e is not None]
            read = read or [(pairs.get(place.get(n, -1)), -1) for n in op.control_inputs]
            return None if not read or any(p is None for p, _ in read) else (op.type, *read)

        return self._keys(side, key)

    def _feeding_keys(self, side: int) -> list[Hashable]:
        pairs = self._pair[side]
        readers: dict[str, list[tuple[int | None, int, int]]] = defaultdict(list)
        waiters: dict[str, list[tuple[int | None, int, int]]] = defaultdict(list)
        for place, op in enumerate(self._sides[side]):
            for slot, edge in enumerate(op.inputs):
                if edge is not None:
                    readers[edge[0]].append((pairs.get(place), slot, edge[1]))
            for name in op.control_inputs:
                waiters[name].append((pairs.get(place), -1, -1))

        def key(op: Operator) -> Hashable:
            read_by = readers.get(op.name) or waiters.get(op.name, [])
            if not read_by or any(p is None for p, _, _ in read_by):
                return None
            return (op.type, *sorted(read_by, key=str))

        return self._keys(side, key)

    def _keys(self, side: int, key: Callable[[Operator], Hashable]) -> list[Hashable]:
        return [
            None if place in self._pair[side] else key(op)
            for place, op in enumerate(self._sides[side])
        ]

    def _add(self, old: int, new: int, how: str) -> None:
        self._pair[0][old] = self._pair[1][new] = len(self.matches)
        self.matches.append(Match(old, new, how))


def _places(operators: Sequence[Operator]) -> dict[str, int]:
    return {op.name: place for place, op in enumerate(operators)}
