"""What changed between two prototypes, or between two sets of them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping

from msgspec.structs import replace

from preflight.findings import Certainty
from preflight.registry.diff_attributes import attribute_changes
from preflight.registry.diff_ports import Dates, port_changes, subgraph_changes
from preflight.registry.kinds import Category, Change, make_change
from preflight.registry.prototype import Prototype


def diff_prototypes(
    old: Prototype, new: Prototype, old_date: str = "", new_date: str = ""
) -> tuple[Change, ...]:
    """All changes of one operator, worst first.

    The dates (YYYY-MM-DD) say what group names such as NumberType meant on each side; without
    them both sides mean what the groups mean today.
    """
    dates = Dates(old_date, new_date)
    changes = [
        *port_changes(old, new, dates),
        *attribute_changes(old, new),
        *subgraph_changes(old, new),
    ]
    return tuple(sorted(changes, key=lambda c: c.sort_key))


def diff_releases(
    old: Mapping[str, Prototype],
    new: Mapping[str, Prototype],
    old_date: str = "",
    new_date: str = "",
    *,
    only: Collection[str] = (),
    absent: Callable[[str], tuple[bool, Certainty, str]] | None = None,
) -> tuple[Change, ...]:
    """All changes between two releases, worst category first.

    `absent(op_type)` judges an operator that the new side lacks: (it was removed, how sure, note);
    where the record is incomplete it is no removal. Without it every absence is a removal.
    """
    names = sorted((set(only) & (set(old) | set(new))) if only else set(old) | set(new))
    changes: list[Change] = []
    for name in names:
        before, after = old.get(name), new.get(name)
        if before is None:
            changes.append(make_change(name, "op_added", "*"))
        elif after is None:
            changes.append(_missing(name, absent))
        else:
            changes.extend(diff_prototypes(before, after, old_date, new_date))
    return tuple(sorted(changes, key=lambda c: c.sort_key))


def breaking(changes: Iterable[Change]) -> tuple[Change, ...]:
    """Only what breaks a graph made for the old side."""
    return tuple(c for c in changes if c.kind.category is Category.BREAKING)


def lower_certainty(changes: Iterable[Change], certainty: Certainty) -> tuple[Change, ...]:
    """The same changes, none surer than `certainty`."""
    return tuple(
        replace(c, certainty=certainty) if c.certainty.rank < certainty.rank else c for c in changes
    )


def _missing(name: str, absent: Callable[[str], tuple[bool, Certainty, str]] | None) -> Change:
    removed, certainty, note = absent(name) if absent else (True, Certainty.CERTAIN, "")
    kind = "op_removed" if removed else "op_not_recorded"
    return replace(make_change(name, kind, "*", note=note), certainty=certainty)
