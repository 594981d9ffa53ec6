"""What happened while a plan was carried out: one JSON line before and after everything done.

Each line is on disk (fsync) before the program goes on, so that after a kill at any point the
journal says whether a step had begun, was moving its files into place, or was done. A torn last
line, which only a kill while writing can leave, counts as not written.
"""

from __future__ import annotations

import datetime
import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import BinaryIO

import msgspec

from preflight.errors import ApplyError, UnreadableInput, UsageError
from preflight.writing import sync_folder


class Move(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A file or folder that goes from the staging folder to its place."""

    source: str
    destination: str


class Record(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """One line. `event`: begin | started | committing | done | failed | undoing | undone | end.

    `files` are the SHA-256 digests of files that the step made, by path. `staging` is the folder in
    which the step works; it is removed when the step ends or did not end. `folders` are those above
    it that the step makes, innermost first.
    """

    seq: int
    event: str
    at: str
    step: str = ""
    plan: str = ""
    title: str = ""
    staging: str = ""
    folders: tuple[str, ...] = ()
    moves: tuple[Move, ...] = ()
    files: dict[str, str] = {}
    confirmed: bool = False
    undo: str = ""
    log: str = ""
    detail: str = ""


@dataclass(slots=True)
class StepState:
    """Where a step stands: pending | started | committing | done | failed | undoing | undone."""

    step: str
    status: str = "pending"
    attempts: int = 0
    title: str = ""
    staging: str = ""
    folders: tuple[str, ...] = ()
    moves: tuple[Move, ...] = ()
    files: dict[str, str] = field(default_factory=dict)
    confirmed: bool = False
    undo: str = ""
    detail: str = ""


STAGING = ".preflight-"  # how the name of a staging folder begins
_decoder = msgspec.json.Decoder(Record)


class JournalError(ApplyError):
    """A record could not be written: nothing more may be done."""


class Journal:
    """An open journal; one process at a time may have it. Use as a context manager."""

    def __init__(self, path: Path) -> None:
        """Opens or makes the file, takes its lock and drops a torn last line.

        Raises UsageError when another process has it, UnreadableInput when it is no journal.
        """
        self.path = path
        try:
            existed = path.exists()
            self._file = path.open("a+b", buffering=0)
        except OSError as error:
            raise UnreadableInput(f"{path}: the journal cannot be opened: {error}") from error
        try:
            _lock(self._file, path)
            self.records = list(_read(self._file, path))
            refuse_foreign(self.records, path)
            self._states = states_of(self.records)
        except BaseException:
            self._file.close()
            raise
        if not existed:
            sync_folder(path.parent)

    def __enter__(self) -> Journal:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._file.close()

    def write(self, event: str, step: str = "", **facts: object) -> Record:
        """Append a record; when this returns it is on disk.

        Raises JournalError when it cannot be written; the file is as it was then.
        """
        now = datetime.datetime.now(tz=datetime.UTC).isoformat(timespec="seconds")
        values = {"seq": len(self.records) + 1, "event": event, "at": now, "step": step, **facts}
        record = msgspec.convert(values, Record)
        handle = self._file.fileno()
        end = os.fstat(handle).st_size
        line = memoryview(msgspec.json.encode(record) + b"\n")
        try:
            while line:
                line = line[os.write(handle, line) :]
            os.fsync(handle)
        except OSError as error:
            os.ftruncate(handle, end)  # half a line would spoil the next one
            raise JournalError(
                f"{self.path}: the journal cannot be written: {error}",
                hint="make room, then apply again or roll back: the journal has what was done",
            ) from error
        self.records.append(record)
        _fold(self._states, record)
        return record

    @property
    def plan_digest(self) -> str:
        """The digest of the plan that this journal is about, empty when nothing has begun."""
        return next((r.plan for r in reversed(self.records) if r.event == "begin"), "")

    def states(self) -> dict[str, StepState]:
        """Where every step stands that the journal mentions, in the order they were begun.

        The states change as records are written.
        """
        return self._states


def states_of(records: list[Record]) -> dict[str, StepState]:
    """Fold records into the state of each step."""
    states: dict[str, StepState] = {}
    for record in records:
        _fold(states, record)
    return states


def _fold(states: dict[str, StepState], record: Record) -> None:
    if not record.step:
        return
    state = states.setdefault(record.step, StepState(record.step))
    if record.event == "started":
        states.pop(record.step)  # the order is that of the latest attempt
        states[record.step] = state
        state.attempts += 1
        state.title, state.undo = record.title, record.undo
        state.staging, state.folders = record.staging, record.folders
        state.moves, state.files = (), {}
    elif record.event == "committing":
        state.moves, state.files = record.moves, dict(record.files)
    elif record.event == "done":
        state.confirmed = record.confirmed
        state.files = dict(record.files) or state.files
    state.status, state.detail = record.event, record.detail


def read_journal(path: Path) -> list[Record]:
    """The records of a journal without taking its lock, for showing progress."""
    try:
        with path.open("rb") as stream:
            return list(_decode(stream.read(), path))
    except FileNotFoundError:
        return []
    except OSError as error:
        raise UnreadableInput(f"{path}: the journal cannot be read: {error}") from error


def journal_path(plan: Path) -> Path:
    """Where the journal of a plan lies: beside it."""
    return plan.with_name(f"{plan.stem}.journal.jsonl")


def _lock(stream: BinaryIO, path: Path) -> None:
    try:
        import fcntl
    except ImportError:  # no such locks on this system; one user at a time is up to the user
        return
    try:
        fcntl.flock(stream.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        raise UsageError(f"{path}: another preflight is working on this plan") from error


def _read(stream: BinaryIO, path: Path) -> Iterator[Record]:
    """All records; what follows the last line end is cut off the file."""
    stream.seek(0)
    data = stream.read()
    whole = data.rfind(b"\n") + 1
    if whole < len(data):
        stream.truncate(whole)
    yield from _decode(data, path)


def refuse_foreign(records: list[Record], path: Path) -> None:
    """A journal moves and removes only what its steps made, in the folder where they worked.

    Raises UnreadableInput for one that names other places: it was not written by this program.
    """
    for record in records:
        place = Path(record.staging)
        if record.staging and not (place.is_absolute() and place.name.startswith(STAGING)):
            raise UnreadableInput(f"{path}: line {record.seq} names a folder that is no step's")
    for state in states_of(records).values():
        place = Path(state.staging)
        moved = {move.destination for move in state.moves}
        sound = all(_is_below(m.source, place) for m in state.moves)
        sound = sound and all(str(Path(d).parent) == str(place.parent) for d in moved)
        sound = sound and all(any(_is_below(f, Path(d)) for d in moved) for f in state.files)
        sound = sound and all(_is_below(state.staging, Path(f)) for f in state.folders)
        if not sound:
            raise UnreadableInput(
                f"{path}: step {state.step} names files that it did not make",
                hint="if the file is not a journal of preflight, move it away",
            )


def _is_below(path: str, folder: Path) -> bool:
    """Whether a path is that place or below it, by its text alone."""
    return ".." not in Path(path).parts and Path(path).is_relative_to(folder)


def _decode(data: bytes, path: Path) -> Iterator[Record]:
    for number, line in enumerate(data[: data.rfind(b"\n") + 1].splitlines(), 1):
        try:
            yield _decoder.decode(line)
        except msgspec.DecodeError as error:
            raise UnreadableInput(
                f"{path}: line {number} is not a journal record: {error}",
                hint="if the file is not a journal of preflight, move it away",
            ) from error


def plan_states(plan: str | os.PathLike[str]) -> dict[str, str]:
    """Where each step of a plan file stands, by step id; empty when nothing was begun."""
    records = read_journal(journal_path(Path(plan)))
    return {name: state.status for name, state in states_of(records).items()}
