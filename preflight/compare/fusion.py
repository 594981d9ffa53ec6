"""Compares fusion_result.json files: which passes rewrote the graphs differently.

Layouts of all releases are read (facts/fusion.json fusion_result_json): objects one after another,
an array of them, or one object with a key per graph; a file may be empty or null.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest
from pathlib import Path

from msgspec import Struct

from preflight.container.source import FileSource
from preflight.errors import MalformedInput

_MAX_BYTES = 64 << 20
_MAX_GRAPHS = 100_000
_SECTIONS = ("graph_fusion", "ub_fusion")
_KEY = "session_and_graph_id_"
_SPACE = " \t\r\n"


class PassCounts(Struct, frozen=True):
    """How often a pass matched and took effect in one graph; None where the file does not say."""

    matched: int | None
    effective: int | None
    from_repository: int | None = None


class GraphFusion(Struct, frozen=True):
    """The passes of one graph by (section, pass name). `id` is "session_graph"."""

    id: str
    passes: Mapping[tuple[str, str], PassCounts]


class PassChange(Struct, frozen=True):
    """One pass that behaved differently in one graph; None where it does not appear."""

    graph: str
    section: str
    name: str
    old: PassCounts | None
    new: PassCounts | None


class FusionComparison(Struct, frozen=True):
    """`changed` of `graphs` graphs were rewritten differently; graphs of one side alone count."""

    old: str
    new: str
    graphs: int
    changed: int
    changes: tuple[PassChange, ...]
    old_only: tuple[str, ...] = ()
    new_only: tuple[str, ...] = ()
    paired_by: str = "id"

    @property
    def share(self) -> float:
        """The share of graphs whose rewriting changed, 0 to 1."""
        return self.changed / self.graphs if self.graphs else 0.0


def read_fusion_results(path: Path) -> tuple[GraphFusion, ...]:
    """All graphs of a file in order. Raises MalformedInput when it is no fusion result."""
    with FileSource(path) as source:
        if source.size > _MAX_BYTES:
            raise MalformedInput(f"{path}: larger than {_MAX_BYTES} bytes")
        text = source.read(0, source.size).decode("utf-8-sig", "replace")
    graphs: list[GraphFusion] = []
    for value in _values(text, path):
        graphs += _graphs(value, path)
        if len(graphs) > _MAX_GRAPHS:
            raise MalformedInput(f"{path}: more than {_MAX_GRAPHS} graphs")
    return tuple(graphs)


def compare_fusion(old: Path, new: Path) -> FusionComparison:
    """Compare two files graph by graph: by id where both use the same ids, otherwise in order."""
    left, right = read_fusion_results(old), read_fusion_results(new)
    paired_by, pairs = _pair(left, right)
    changes: list[PassChange] = []
    changed = 0
    for first, second in pairs:
        found = _compare(first, second)
        changes += found
        changed += bool(found) or first is None or second is None
    return FusionComparison(
        str(old),
        str(new),
        len(pairs),
        changed,
        tuple(changes),
        tuple(a.id for a, b in pairs if a is not None and b is None),
        tuple(b.id for a, b in pairs if b is not None and a is None),
        paired_by,
    )


def _values(text: str, path: Path) -> Iterator[object]:
    decoder = json.JSONDecoder()
    place = 0
    while True:
        while place < len(text) and text[place] in _SPACE:
            place += 1
        if place >= len(text):
            return
        try:
            value, place = decoder.raw_decode(text, place)
        except (ValueError, RecursionError) as error:
            raise MalformedInput(f"{path}: not a fusion result file: {error}") from error
        yield value


def _graphs(value: object, path: Path) -> Iterator[GraphFusion]:
    if value is None:
        return
    if isinstance(value, list):
        for item in value:
            yield from _graphs(item, path)
        return
    if not isinstance(value, dict):
        raise MalformedInput(f"{path}: holds {type(value).__name__} where a graph is expected")
    keyed = [key for key in value if key.startswith(_KEY)]
    for key in keyed:
        yield GraphFusion(key.removeprefix(_KEY), _passes(value[key], path))
    if keyed or not value:
        return
    if "session_and_graph_id" in value:
        name = str(value["session_and_graph_id"])
    elif "graphId" in value:
        name = f"{value.get('sessionId', '')}_{value['graphId']}"
    elif any(section in value for section in _SECTIONS):
        name = ""
    else:
        raise MalformedInput(f"{path}: no graph id and no passes, so it is no fusion result")
    yield GraphFusion(name, _passes(value, path))


def _passes(record: object, path: Path) -> dict[tuple[str, str], PassCounts]:
    found: dict[tuple[str, str], PassCounts] = {}
    sections: dict[str, object] = record if isinstance(record, dict) else {}
    for section in _SECTIONS:
        passes = sections.get(section) or {}
        if not isinstance(passes, dict):
            raise MalformedInput(f"{path}: '{section}' is no table of passes")
        for name, counts in passes.items():
            table = counts if isinstance(counts, dict) else {}
            found[section, str(name)] = PassCounts(
                _number(table.get("match_times")),
                _number(table.get("effect_times")),
                _number(table.get("repository_hit_times")),
            )
    return found


def _number(value: object) -> int | None:
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return value
    return int(value) if isinstance(value, str) and value.isdecimal() and len(value) < 19 else None


_Pair = tuple[GraphFusion | None, GraphFusion | None]


def _pair(old: Sequence[GraphFusion], new: Sequence[GraphFusion]) -> tuple[str, list[_Pair]]:
    """Session and graph numbers start anew in every process, so they help only where they agree."""
    ids = [[g.id for g in side] for side in (old, new)]
    unique = all(len(set(side)) == len(side) for side in ids)
    if not unique or not set(ids[0]) & set(ids[1]):
        return "order", list(zip_longest(old, new))
    right = {g.id: g for g in new}
    pairs: list[_Pair] = [(g, right.pop(g.id, None)) for g in old]
    return "id", pairs + [(None, g) for g in right.values()]


def _compare(old: GraphFusion | None, new: GraphFusion | None) -> list[PassChange]:
    left, right = (side.passes if side is not None else {} for side in (old, new))
    side = old or new
    graph = side.id if side is not None else ""
    found: list[PassChange] = []
    for section, name in sorted(left.keys() | right.keys()):
        before, after = left.get((section, name)), right.get((section, name))
        if _rewriting(before) != _rewriting(after):
            found.append(PassChange(graph, section, name, before, after))
    return found


def _rewriting(counts: PassCounts | None) -> tuple[int | None, int | None]:
    """What counts: a pass that matched nothing is the same as one that does not appear."""
    if counts is None or (counts.matched == 0 and not counts.effective):
        return (0, 0)
    return (counts.matched, counts.effective)
