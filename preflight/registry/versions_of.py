"""Numbers the distinct meanings of one operator from its records, release by release."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from preflight.findings import Certainty
from preflight.registry.dtypes import spelt_set
from preflight.registry.prototype import Port, Prototype
from preflight.registry.store import Coverage, Held

Meaning = tuple[object, ...]


class Recorded(Struct, frozen=True):
    """What is known of an operator in one release.

    `number` is the version, 0 when the sources leave it open. `package` is whose record decides.
    """

    release: str
    number: int
    package: str
    coverage: Coverage
    certainty: Certainty
    note: str = ""


def meaning(prototype: Prototype, *, dtypes: bool = True) -> Meaning:
    """What makes two prototypes the same version: all but the spelling of data types."""

    def ports(items: tuple[Port, ...]) -> tuple[object, ...]:
        if not dtypes:
            return tuple((p.name, p.type) for p in items)
        return tuple((p.name, p.type, spelt_set(p.dtype, prototype.datatypes)) for p in items)

    return (
        ports(prototype.inputs),
        ports(prototype.outputs),
        prototype.attrs,
        prototype.subgraphs,
    )


def number_versions(
    releases: Sequence[Sequence[Held]],
) -> tuple[tuple[Prototype, ...], tuple[Recorded, ...]]:
    """Number the prototypes of an operator; one item of `releases` per release, oldest first.

    In each the first record speaks. Where only the second source has one it decides nothing by
    itself: what it says must agree with the first-hand records around it, or be news of its own.
    """
    prototypes: list[Prototype] = []
    numbers: dict[Meaning, int] = {}

    def number_of(prototype: Prototype) -> int:
        key = meaning(prototype)
        if key not in numbers:
            prototypes.append(prototype)
            numbers[key] = len(prototypes)
        return numbers[key]

    first_hand = [next((h for h in r if h.coverage is not Coverage.SECOND), None) for r in releases]
    records: list[Recorded] = []
    for position, held in enumerate(releases):
        own = first_hand[position]
        if own is not None:
            number = number_of(own.prototype)
            records.append(
                Recorded(own.release, number, own.package, own.coverage, Certainty.CERTAIN)
            )
            continue
        before = next((h for h in reversed(first_hand[:position]) if h), None)
        after = next((h for h in first_hand[position:] if h), None)
        earlier = _second_before(releases, position)
        judged, certainty, note = _judge(held[0], before, after, earlier)
        number = number_of(judged) if judged is not None else 0
        records.append(
            Recorded(held[0].release, number, held[0].package, Coverage.SECOND, certainty, note)
        )
    return tuple(prototypes), tuple(records)


def _second_before(releases: Sequence[Sequence[Held]], position: int) -> Held | None:
    """The second source's record at or before the last first-hand one: what it said then."""
    for held in reversed(releases[:position]):
        second = next((h for h in held if h.coverage is Coverage.SECOND), None)
        if second is not None and any(h.coverage is not Coverage.SECOND for h in held):
            return second
    return None


def _judge(
    second: Held, before: Held | None, after: Held | None, earlier: Held | None
) -> tuple[Prototype | None, Certainty, str]:
    """Which prototype a release has that only the second source records; None: left open."""
    if before is None and after is None:
        return second.prototype, Certainty.POSSIBLE, "known through documentation strings only"
    if before and after and meaning(before.prototype) == meaning(after.prototype):
        return (
            before.prototype,
            Certainty.LIKELY,
            f"the same in {before.release} and {after.release}",
        )
    unchanged = earlier is not None and meaning(earlier.prototype) == meaning(second.prototype)
    if before and after is None and unchanged:
        note = f"as in {before.release}; the second source shows no change since"
        return before.prototype, Certainty.LIKELY, note
    for neighbour in (before, after):
        if neighbour and _alike(neighbour.prototype, second.prototype):
            note = f"as in {neighbour.release}, by the second source"
            return neighbour.prototype, Certainty.LIKELY, note
    if before and after is None and earlier is not None:
        return second.prototype, Certainty.POSSIBLE, "news of the second source"
    return None, Certainty.POSSIBLE, "the sources disagree about this release"


def _alike(first: Prototype, second: Prototype) -> bool:
    return meaning(first, dtypes=False) == meaning(second, dtypes=False)
