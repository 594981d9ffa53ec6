"""Predicates about the bytes around the graph (bands PF1xx)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from preflight.checks import ordering
from preflight.checks.context import Context
from preflight.checks.facts import behaviour_certainty
from preflight.checks.predicate import Hit, Outcome, Undecided, predicate
from preflight.container.types import Block, ContainerKind, Fault, Note
from preflight.findings import Certainty, Evidence

_CAP_PREFIX = "cap."


@dataclass(frozen=True, slots=True)
class FaultFacts:
    """A check that the file fails whatever the release. `where` names block and partition."""

    detail: str
    where: str
    offset: int | None


@dataclass(frozen=True, slots=True)
class FaultParams:
    """`check` is the id of the fault; the other three word the expected side of the evidence."""

    check: str
    subject: str
    expected: str
    expected_from: str = "the loader's own check"


def faults_of(context: Context) -> tuple[Fault, ...]:
    """Every fault of this file (not of models nested in it), in the loader's order."""
    found = list(context.model.faults)
    found += [fault for fault in context.model.container.faults if fault not in found]
    return tuple(sorted(found, key=lambda fault: fault.position))


def notes_of(context: Context) -> tuple[Note, ...]:
    """Every note of the reader on this file."""
    found = list(context.model.notes)
    found += [note for note in context.model.container.notes if note not in found]
    return tuple(found)


@predicate("container.fault", evidence=FaultFacts, params=FaultParams)
def fault(context: Context, params: FaultParams) -> Iterator[Outcome]:
    """The reader met this fault; the loader meets the first of its kind only."""
    for found in faults_of(context):
        if found.check == params.check:
            yield fault_hit(context, found, params)
            return


def fault_hit(context: Context, found: Fault, params: FaultParams) -> Hit:
    """A fault as a hit, with the rule's wording of what the loader expects."""
    where = fault_path(found)
    return Hit(
        FaultFacts(found.detail, where or "the file", found.offset),
        (
            Evidence(
                subject=params.subject,
                expected=params.expected,
                found=found.detail,
                expected_from=params.expected_from,
                found_from=where or "file header",
            ),
        ),
        location=context.place(where, found.offset),
        position=found.position,
        message_codes=found.message_codes or None,
    )


def fault_path(found: Fault) -> str:
    """ "block 0 / partition 2", as far as the fault says."""
    parts = []
    if found.block is not None:
        parts.append(f"block {found.block}")
    if found.partition is not None:
        parts.append(f"partition {found.partition}")
    return " / ".join(parts)


@dataclass(frozen=True, slots=True)
class OtherFaultParams:
    """Ids of the faults that other rules report."""

    known: list[str]


@dataclass(frozen=True, slots=True)
class OtherFaultFacts:
    """A fault without a rule of its own."""

    check: str
    detail: str


@predicate("container.other_fault", evidence=OtherFaultFacts, params=OtherFaultParams)
def other_fault(context: Context, params: OtherFaultParams) -> Iterator[Outcome]:
    """A fault that no other rule reports, so that none can pass in silence."""
    for found in faults_of(context):
        if found.check in params.known:
            continue
        if found.check.startswith(_CAP_PREFIX):
            yield Undecided(f"the file exceeds a limit of this reader: {found.detail}")
            continue
        yield Hit(
            OtherFaultFacts(found.check, found.detail),
            (Evidence(found.check, "nothing wrong", found.detail),),
            location=context.place(fault_path(found), found.offset),
            position=found.position,
            certainty=Certainty.LIKELY,
        )


@dataclass(frozen=True, slots=True)
class CountFacts:
    """A partition table whose number of entries the loader does not accept."""

    block: int
    count: int
    accepted: str
    table: str
    release: str


@dataclass(frozen=True, slots=True)
class CountParams:
    """`table` is "tiny" or "wide"."""

    table: str


# The base set of om-format §A.4; a release adds 0..k to each.
_BASE_COUNTS = (1, 3, 4, 5)


def accepted_counts(extra: int) -> frozenset[int]:
    """Partition counts that a loader with k = `extra` accepts (om-format §A.4)."""
    return frozenset(base + i for base in _BASE_COUNTS for i in range(extra + 1))


@predicate("container.partition_count", evidence=CountFacts, params=CountParams)
def partition_count(context: Context, params: CountParams) -> Iterator[Outcome]:
    """The table of a block has a number of entries that this release refuses."""
    if _is_flow(context):
        return
    for block in context.model.container.blocks:
        if block.table == params.table:
            outcome = _count_outcome(context, block)
            if outcome is not None:
                yield outcome
                return


def _is_flow(context: Context) -> bool:
    """Flow models have a limit of their own (tab.flow_num)."""
    return context.header is not None and context.header.modeltype == 3


def _count_outcome(context: Context, block: Block) -> Outcome | None:
    behaviour = context.behaviour
    if behaviour is None:
        return _count_without_release(context, block)
    accepted = accepted_counts(behaviour.partition_extra)
    if block.declared_count in accepted:
        return None
    certainty = behaviour_certainty(context, "partition_extra")
    source = behaviour.sources.get("partition_extra", "")
    return _count_hit(context, block, accepted, behaviour.label, source, certainty)


def _count_without_release(context: Context, block: Block) -> Outcome | None:
    """Some counts pass in every release and some in none, whatever the target is."""
    always, ever = accepted_counts(0), accepted_counts(3)
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


@dataclass(frozen=True, slots=True)
class NotAModelFacts:
    """What a file is that is no model, and what to do."""

    what: str
    advice: str
    size: int


@predicate("container.not_a_model", evidence=NotAModelFacts)
def not_a_model(context: Context, _: object) -> Iterator[Outcome]:
    """The file only has the name of a model."""
    container = context.model.container
    if container.kind is not ContainerKind.NOT_A_MODEL:
        return
    yield Hit(
        NotAModelFacts(container.what, container.advice or "get the model again", container.size),
        (
            Evidence(
                subject="kind of file",
                expected="a model file that begins with IMOD or PK",
                found=f"{container.what}, {container.size} bytes",
                found_from="first bytes of the file",
            ),
        ),
        location=context.place(offset=0),
    )


@dataclass(frozen=True, slots=True)
class NoteFacts:
    """Something odd that the loader does not look at."""

    detail: str


@dataclass(frozen=True, slots=True)
class NoteParams:
    """Ids of the reader's notes that the rule reports."""

    notes: list[str]
    subject: str


@predicate("container.note", evidence=NoteFacts, params=NoteParams)
def note(context: Context, params: NoteParams) -> Iterator[Outcome]:
    """The reader noted something that the loader ignores and a careful person would not."""
    for found in notes_of(context):
        if found.id in params.notes:
            yield Hit(
                NoteFacts(found.detail),
                (Evidence(params.subject, "", found.detail, found_from="the file"),),
                location=context.place(offset=found.offset),
            )


@dataclass(frozen=True, slots=True)
class OtherNoteParams:
    """Ids of the notes that other rules report."""

    known: list[str]


@predicate("container.other_note", evidence=NoteFacts, params=OtherNoteParams)
def other_note(context: Context, params: OtherNoteParams) -> Iterator[Outcome]:
    """A note of the reader without a rule of its own."""
    for found in notes_of(context):
        if found.id not in params.known:
            yield Hit(
                NoteFacts(found.detail),
                (Evidence(found.id, "", found.detail, found_from="the file"),),
                location=context.place(offset=found.offset),
            )


@dataclass(frozen=True, slots=True)
class KindFacts:
    """A kind of file that the target's loader is not made for."""

    kind: str
    what: str


@predicate("container.kind", evidence=KindFacts)
def kind(context: Context, _: object) -> Iterator[Outcome]:
    """The file is of a kind that the rule's `applies.container` names."""
    container = context.model.container
    yield Hit(
        KindFacts(container.kind.value, container.what),
        (Evidence("kind of file", "a compiled model", container.what, found_from="the file"),),
        location=context.place(),
    )
