"""Predicates about partition tables (band PF1xx)."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from preflight.checks import ordering
from preflight.checks.context import Context
from preflight.checks.facts import behaviour_certainty, is_settled
from preflight.checks.predicate import Hit, Outcome, Undecided, predicate
from preflight.container.types import Block
from preflight.findings import Certainty, Evidence


class CountFacts(Struct, frozen=True):
    """A partition table whose number of entries the loader does not accept."""

    block: int
    count: int
    accepted: str
    table: str
    release: str


class CountParams(Struct, frozen=True):
    """`table` is "tiny" or "wide"."""

    table: str


# The base set of om-format §A.4; a release adds 0..k to each.
_BASE_COUNTS = (1, 3, 4, 5)
LARGEST_EXTRA = 3  # of all known releases


def accepted_counts(extra: int) -> frozenset[int]:
    """Partition counts that a loader with k = `extra` accepts (om-format §A.4)."""
    return frozenset(base + i for base in _BASE_COUNTS for i in range(extra + 1))


@predicate("table.partition_count", evidence=CountFacts, params=CountParams)
def partition_count(context: Context, params: CountParams) -> Iterator[Outcome]:
    """The table of a block has a number of entries that this release refuses."""
    if is_flow(context):
        return
    for block in context.container.blocks:
        if block.table == params.table:
            outcome = count_outcome(context, block)
            if outcome is not None:
                yield outcome
                return


def is_flow(context: Context) -> bool:
    """Flow models have a limit of their own (tab.flow_num)."""
    return context.header is not None and context.header.modeltype == 3


def count_outcome(context: Context, block: Block) -> Outcome | None:
    """What the target's release makes of one table's count; None when it accepts it."""
    behaviour = context.behaviour
    if behaviour is None or not is_settled(context, "partition_extra"):
        return _count_without_release(context, block)
    accepted = accepted_counts(behaviour.partition_extra)
    if block.declared_count in accepted:
        return None
    impossible = block.declared_count not in accepted_counts(LARGEST_EXTRA)
    certainty = behaviour_certainty(context, "partition_extra")
    certainty = Certainty.CERTAIN if impossible else certainty
    source = behaviour.sources.get("partition_extra", "")
    return _count_hit(context, block, accepted, behaviour.label, source, certainty)


def _count_without_release(context: Context, block: Block) -> Outcome | None:
    """Some counts pass in every release and some in none, whatever the target is."""
    always, ever = accepted_counts(0), accepted_counts(LARGEST_EXTRA)
    if block.declared_count in always:
        return None
    if block.declared_count not in ever:
        return _count_hit(context, block, ever, "every release", "", Certainty.LIKELY)
    return Undecided(
        f"whether {block.declared_count} partitions are accepted depends on the release",
        ("target.behaviour",),
    )


def _count_hit(
    context: Context,
    block: Block,
    accepted: frozenset[int],
    release: str,
    source: str,
    certainty: Certainty,
) -> Hit:
    ordered = ", ".join(str(n) for n in sorted(accepted))
    return Hit(
        CountFacts(block.index, block.declared_count, ordered, block.table, release),
        (
            Evidence(
                subject="partition count",
                expected=f"one of {ordered}",
                found=str(block.declared_count),
                expected_from=source or f"loader of {release}",
                found_from=f"block {block.index}, {block.table} table",
            ),
        ),
        location=context.place(f"block {block.index}", block.offset),
        position=ordering.table_count(block.index),
        certainty=certainty,
    )


class PartitionFacts(Struct, frozen=True):
    """Partitions that the target's loader does not use."""

    names: tuple[str, ...]
    block: int


class PartitionParams(Struct, frozen=True):
    """The partition ids that the rule is about; none stands for every unknown id."""

    ids: list[int]


@predicate("table.partition_present", evidence=PartitionFacts, params=PartitionParams)
def partition_present(context: Context, params: PartitionParams) -> Iterator[Outcome]:
    """A block carries partitions of these ids, or of ids that nobody knows."""
    for block in context.container.blocks:
        names = tuple(
            p.name
            for p in block.partitions
            if (p.id in params.ids if params.ids else p.name.startswith("UNKNOWN_"))
        )
        if names:
            yield Hit(
                PartitionFacts(names, block.index),
                (
                    Evidence(
                        "partitions",
                        "only partitions that the loader reads",
                        ", ".join(names),
                        found_from=f"table of block {block.index}",
                    ),
                ),
                location=context.place(f"block {block.index}", block.offset),
            )
            return


class SinglePartition(Struct, frozen=True):
    """A table with one entry."""

    name: str


@predicate("table.single_partition", evidence=SinglePartition)
def single_partition(context: Context, _: object) -> Iterator[Outcome]:
    """Block 0 has exactly one partition: not an executable model.

    The plain load calls do not refuse it for that; without tasks and kernels it fails later, unless
    the graph is trivial (spec/om-format.md §D.1). That is possible, and no ok.
    """
    blocks = context.container.blocks
    if blocks and blocks[0].declared_count == 1 and blocks[0].partitions:
        name = blocks[0].partitions[0].name
        yield Hit(
            SinglePartition(name),
            (Evidence("partitions", "more than MODEL_DEF alone", name, found_from="block 0"),),
            location=context.place("block 0"),
            certainty=Certainty.POSSIBLE,
        )


class BundleEntryFacts(Struct, frozen=True):
    """A bundle entry that an older reader takes for a model."""

    index: int
    size: int


@predicate("table.bundle_variables_on_old_loader", evidence=BundleEntryFacts)
def bundle_variables_on_old_loader(context: Context, _: object) -> Iterator[Outcome]:
    """The reader hands the entry with the variable size on as a model, which is too short."""
    for block in context.container.blocks:
        for partition in block.partitions:
            if partition.id == 25:  # BUNDLE_MODEL_VAR_INFO, om-format §A.5
                yield Hit(
                    BundleEntryFacts(partition.index, partition.size),
                    (
                        Evidence(
                            f"bundle entry {partition.index}",
                            "a complete model",
                            f"{partition.name}, {partition.size} bytes",
                            context.target.behaviour.source,
                            "bundle table",
                        ),
                    ),
                    location=context.place(f"entry {partition.index}", partition.offset),
                    position=(ordering.BUNDLE_INNER, partition.index),
                )
                return
