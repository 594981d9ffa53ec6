"""Many models and many targets as a table: where each runs, and what the others need."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from pathlib import PurePath

from preflight.plan.fleet import Coverage, Fleet
from preflight.render.escape import printable

_WIDTH = 100  # columns; a name or a target may be longer, it is never broken
_MOST_TARGETS = 8
_MOST_NAMES = 5  # in one row
_MOST_NEEDS = 30


def fleet_lines(fleet: Fleet) -> list[str]:
    """The smallest set of targets, a table of the best ones, and what each model lacks."""
    return [_answer(fleet), "", *_table(fleet), *_nowhere(fleet), "", *_needs(fleet)]


def _answer(fleet: Fleet) -> str:
    placed, total = fleet.placement, len(fleet.models)
    if placed.single:
        return f"one target on which all {total} run as they are: {placed.single}"
    if not placed.groups:
        return f"none of the {total} runs as it is on any known target"
    count = len(placed.groups)
    targets = "1 target" if count == 1 else f"{count} targets"
    left = len(placed.nowhere)
    rest = (
        f"; {left} run{'s' if left == 1 else ''} nowhere as {'it is' if left == 1 else 'they are'}"
    )
    which = "all of them run" if not left else f"{total - left} of {total} run"
    return f"no single target; the smallest set on which {which}: {targets}" + (
        rest if left else ""
    )


def _rows(fleet: Fleet) -> list[tuple[str, Coverage]]:
    """A mark and a target: the chosen set (*), the plan's own target (>), the best of the rest."""
    chosen = {g.spec for g in fleet.placement.groups}
    table = fleet.placement.table
    wanted = [c for c in table if c.spec in chosen or c.spec == fleet.target]
    others: list[Coverage] = []
    for cover in table:  # of targets with the same models, the nearest one
        alike = any(cover.models == other.models for other in others)
        if cover.models and cover not in wanted and not alike:
            others.append(cover)
    rows = [*wanted, *others[: max(0, _MOST_TARGETS - len(wanted))]]
    rows.sort(key=lambda c: (c.spec not in chosen, c.spec != fleet.target, -len(c.models)))
    marks = {True: "*", False: " "}
    return [(marks[c.spec in chosen] + (">" if c.spec == fleet.target else " "), c) for c in rows]


def _table(fleet: Fleet) -> Iterator[str]:
    rows, total = _rows(fleet), len(fleet.models)
    width = max([len(printable(c.spec)) for _, c in rows] + [6])
    digits = 2 * len(str(total)) + 1
    yield f"   {'target':<{width}}  {'run':>{digits}}  models"
    placed = {g.spec: g.models for g in fleet.placement.groups}
    for mark, cover in rows:
        count = f"{len(cover.models)}/{total}"
        lead = f"{mark} {printable(cover.spec):<{width}}  {count:>{digits}}  "
        mine = placed.get(cover.spec, cover.models)
        names = _names(fleet, sorted(mine))
        yield from _wrapped(lead, names or "-")
    yield "   * the smallest set, with the models placed there   > the target of this plan"


def _nowhere(fleet: Fleet) -> Iterator[str]:
    if fleet.placement.nowhere:
        yield from _wrapped("   nowhere as it is: ", _names(fleet, fleet.placement.nowhere))


def _needs(fleet: Fleet) -> Iterator[str]:
    """What is to be done, with the models for which it is the same."""
    if not fleet.needs:
        return
    yield f"what the others need to run on {printable(fleet.target)}:"
    groups: dict[str, list[int]] = {}
    place = {path: index for index, path in enumerate(fleet.models)}
    for need in fleet.needs:
        said = "; ".join(need.words) + f" ({', '.join(need.rules)})"
        groups.setdefault(said, []).append(place[need.model])
    for said, indices in list(groups.items())[:_MOST_NEEDS]:
        yield from _wrapped("   ", f"{_names(fleet, indices)}: {said}", "     ")
    if len(groups) > _MOST_NEEDS:
        yield f"   and {len(groups) - _MOST_NEEDS} more kinds of need; --json lists all"


def _names(fleet: Fleet, indices: list[int] | tuple[int, ...]) -> str:
    names = [printable(PurePath(fleet.models[i]).name) for i in indices[:_MOST_NAMES]]
    more = len(indices) - len(names)
    return ", ".join(names) + (f" and {more} more" if more else "")


def _wrapped(lead: str, text: str, indent: str | None = None) -> list[str]:
    return textwrap.wrap(
        printable(text),
        _WIDTH,
        initial_indent=lead,
        subsequent_indent=" " * len(lead) if indent is None else indent,
        break_long_words=False,
        break_on_hyphens=False,
    )
