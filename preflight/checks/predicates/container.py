"""Predicates about faults and notes of the reader, whatever they are about (bands PF1xx, PF2xx)."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from preflight.checks.context import Context
from preflight.checks.predicate import Hit, Outcome, Undecided, predicate
from preflight.container.types import Fault, Note
from preflight.findings import Certainty, Evidence

_CAP_PREFIX = "cap."


class FaultFacts(Struct, frozen=True):
    """A check that the file fails whatever the release. `where` names block and partition."""

    detail: str
    where: str
    offset: int | None


class FaultParams(Struct, frozen=True):
    """`check` is the id of the fault; the next three word the expected side of the evidence.

    `own_kind`: the fault is one of the file's own kind, whichever loader is asked.
    `own_codes`: the message codes of the rule count, not those that the reader put to the fault.
    `overflow_status`: a fault with `data["overflow"]` has another ACL status.
    """

    check: str
    subject: str
    expected: str
    expected_from: str = "the loader's own check"
    own_kind: bool = False
    own_codes: bool = False
    overflow_status: int = 0
    overflow_status_name: str = ""


def faults_of(context: Context) -> tuple[Fault, ...]:
    """What the context's loader finds wrong in this file (not in models nested in it), in order."""
    model = context.model
    return model.standard_faults if context.loader == "standard" else model.faults


def notes_of(context: Context) -> tuple[Note, ...]:
    """Every note of the reader on this file."""
    found = list(context.model.notes)
    found += [note for note in context.model.container.notes if note not in found]
    return tuple(found)


@predicate("container.fault", evidence=FaultFacts, params=FaultParams)
def fault(context: Context, params: FaultParams) -> Iterator[Outcome]:
    """The reader met this fault; the loader meets the first of its kind only."""
    faults = context.model.faults if params.own_kind else faults_of(context)
    for found in faults:
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
        message_codes=None if params.own_codes else found.message_codes or None,
        status=_overflow(found, params),
    )


def _overflow(found: Fault, params: FaultParams) -> tuple[int, str] | None:
    if params.overflow_status and found.data.get("overflow"):
        return params.overflow_status, params.overflow_status_name
    return None


def fault_path(found: Fault) -> str:
    """ "block 0 / partition 2", as far as the fault says."""
    parts = []
    if found.block is not None:
        parts.append(f"block {found.block}")
    if found.partition is not None:
        parts.append(f"partition {found.partition}")
    return " / ".join(parts)


class OtherFaultParams(Struct, frozen=True):
    """Ids of the faults that other rules report."""

    known: list[str]


class OtherFaultFacts(Struct, frozen=True):
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
    for note in notes_of(context):
        if note.id.startswith(_CAP_PREFIX):
            yield Undecided(f"the file exceeds a limit of this reader: {note.detail}")


class NoteFacts(Struct, frozen=True):
    """Something odd that the loader does not look at."""

    detail: str


class NoteParams(Struct, frozen=True):
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


class OtherNoteParams(Struct, frozen=True):
    """Ids of the notes that other rules report."""

    known: list[str]


@predicate("container.other_note", evidence=NoteFacts, params=OtherNoteParams)
def other_note(context: Context, params: OtherNoteParams) -> Iterator[Outcome]:
    """A note of the reader without a rule of its own."""
    for found in notes_of(context):
        if found.id not in params.known and not found.id.startswith(_CAP_PREFIX):
            yield Hit(
                NoteFacts(found.detail),
                (Evidence(found.id, "", found.detail, found_from="the file"),),
                location=context.place(offset=found.offset),
            )
