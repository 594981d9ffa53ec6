"""Changes of inputs, outputs and subgraphs: added, removed, renamed, reordered, kind, dtypes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Protocol, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from preflight.findings import Certainty
from preflight.registry.dtypes import dtype_set, era_at, known_dtypes, spelt_set
from preflight.registry.kinds import Change, make_change
from preflight.registry.prototype import Port, Prototype


class Named(Protocol):
    """Anything in a prototype's ordered lists."""

    @property
    def name(self) -> str: ...

    @property
    def type(self) -> str: ...


N = TypeVar("N", bound=Named)


class Dates(Struct, frozen=True):
    """The days of both sides, which decide what group names mean; equal days switch that off."""

    old: str
    new: str


_ADDED_WORD = {
    "INPUT": "required",
    "OPTIONAL_INPUT": "optional",
    "DYNAMIC_INPUT": "dynamic",
    "OUTPUT": "single",
    "DYNAMIC_OUTPUT": "dynamic",
}
_RELAXED = ("INPUT", "OPTIONAL_INPUT")


def port_changes(old: Prototype, new: Prototype, dates: Dates) -> Iterator[Change]:
    """Everything that differs in the inputs and outputs of one operator."""
    for side, before, after in (
        ("input", old.inputs, new.inputs),
        ("output", old.outputs, new.outputs),
    ):
        if before == after and old.datatypes == new.datatypes and _same_era(dates):
            continue
        renames = _port_renames(before, after, old, new, dates)
        yield from _structure(old.op_type, side, before, after, renames)
        yield from _dtypes(side, (old, before), (new, after), renames, dates)


def subgraph_changes(old: Prototype, new: Prototype) -> Iterator[Change]:
    """Everything that differs in the subgraph slots of one operator."""
    if old.subgraphs == new.subgraphs:
        return
    renames = positional_renames(old.subgraphs, new.subgraphs)
    yield from _structure(old.op_type, "subgraph", old.subgraphs, new.subgraphs, renames)


def positional_renames(before: tuple[N, ...], after: tuple[N, ...]) -> dict[str, str]:
    """Old name to new name where a position keeps its kind and both names are new to the other."""
    old_names = {item.name for item in before}
    new_names = {item.name for item in after}
    return {
        was.name: now.name
        for was, now in zip(before, after, strict=False)
        if was.name not in new_names and now.name not in old_names and was.type == now.type
    }


def _port_renames(
    before: tuple[Port, ...], after: tuple[Port, ...], old: Prototype, new: Prototype, dates: Dates
) -> dict[str, str]:
    """Positional renames; where the list grew or shrank, the two must share a data type."""
    renames = positional_renames(before, after)
    if len(before) == len(after):
        return renames
    old_types = {p.name: dtype_set(p.dtype, old.datatypes, dates.old) for p in before}
    new_types = {p.name: dtype_set(p.dtype, new.datatypes, dates.new) for p in after}
    return {was: now for was, now in renames.items() if old_types[was] & new_types[now]}


def _structure(
    op: str,
    side: str,
    before: tuple[N, ...],
    after: tuple[N, ...],
    renames: Mapping[str, str],
) -> Iterator[Change]:
    targets = set(renames.values())
    old_by_name = {item.name: item for item in before}
    new_by_name = {item.name: item for item in after}
    kept = [
        renames.get(i.name, i.name) for i in before if renames.get(i.name, i.name) in new_by_name
    ]
    for item in before:
        if item.name in renames:
            yield make_change(op, f"{side}_renamed", item.name, item.name, renames[item.name])
        elif item.name not in new_by_name:
            yield make_change(op, f"{side}_removed", item.name, item.type)
    now_order = [item.name for item in after if item.name in set(kept)]
    if now_order != kept:
        yield make_change(op, f"{side}_reordered", "*", _names(before), _names(after))
    for item in before:
        now = new_by_name.get(renames.get(item.name, item.name))
        if now is not None and now.type != item.type:
            relaxed = (item.type, now.type) == _RELAXED
            kind = "input_relaxed" if relaxed else f"{side}_kind_changed"
            yield make_change(op, kind, item.name, item.type, now.type)
    last_kept = max((i for i, item in enumerate(after) if item.name in set(kept)), default=-1)
    for position, item in enumerate(after):
        if item.name not in old_by_name and item.name not in targets:
            kind = _added_kind(side, item.type, position < last_kept)
            yield make_change(op, kind, item.name, None, f"{item.type}@{position}")


def _added_kind(side: str, item_type: str, before_others: bool) -> str:
    if side == "subgraph":
        return "subgraph_added"
    return f"{side}_added_{_ADDED_WORD[item_type]}_{'middle' if before_others else 'end'}"


def _names(items: tuple[N, ...]) -> str:
    return ",".join(item.name for item in items)


def _same_era(dates: Dates) -> bool:
    return era_at(dates.old) is era_at(dates.new)


def _dtypes(
    side: str,
    old: tuple[Prototype, tuple[Port, ...]],
    new: tuple[Prototype, tuple[Port, ...]],
    renames: Mapping[str, str],
    dates: Dates,
) -> Iterator[Change]:
    after = {port.name: port for port in new[1]}
    for port in old[1]:
        now = after.get(renames.get(port.name, port.name))
        if now is not None:
            yield from _dtype_change(side, old[0], port, new[0], now, dates)


def _dtype_change(
    side: str, old: Prototype, port: Port, new: Prototype, now: Port, dates: Dates
) -> Iterator[Change]:
    was_set = dtype_set(port.dtype, old.datatypes, dates.old)
    now_set = dtype_set(now.dtype, new.datatypes, dates.new)
    op, name = old.op_type, now.name
    if was_set == now_set:
        if port.dtype != now.dtype:
            yield make_change(op, f"{side}_dtype_respelled", name, port.dtype, now.dtype)
        return
    lost, gained = was_set - now_set, now_set - was_set
    kind = "replaced" if lost and gained else "narrowed" if lost else "widened"
    spelt = spelt_set(port.dtype, old.datatypes), spelt_set(now.dtype, new.datatypes)
    certainty, note = Certainty.CERTAIN, ""
    if spelt[0] == spelt[1]:
        note = "the text is the same; the group name changed its meaning"
    uncertain = sorted(
        {g for s, day in zip(spelt, (dates.old, dates.new), strict=True) for g in _unsure(s, day)}
    )
    if uncertain:
        certainty = Certainty.LIKELY
        note = note or f"what {', '.join(uncertain)} meant in that release is not quite certain"
    elif not lost & known_dtypes() and lost:
        certainty, note = Certainty.POSSIBLE, "the old text names no existing type: a misspelling?"
    change = make_change(
        op, f"{side}_dtype_{kind}", name, "-" + _listed(lost), "+" + _listed(gained), note
    )
    yield replace(change, certainty=certainty)


def _unsure(spelt: frozenset[str], date: str) -> frozenset[str]:
    """The group names of a set whose meaning on that day is only bounded, not known."""
    era = era_at(date)
    return frozenset() if era.certain else spelt & frozenset(era.groups)


def _listed(names: frozenset[str]) -> str:
    return " ".join(sorted(names))
