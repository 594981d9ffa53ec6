"""The journal: what is written is there after a kill, and states follow from records."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from preflight.errors import UnreadableInput, UsageError
from preflight.plan.journal import Journal, JournalError, Move, read_journal, states_of

WORK = "/m/.preflight-1-a-1"
MOVE = Move(f"{WORK}/y.om", "/m/y.om")


def written(path: Path) -> bytes:
    with Journal(path) as journal:
        journal.write("begin", plan="abc")
        journal.write("started", "a", title="A", staging=WORK, folders=("/m",))
        journal.write("committing", "a", moves=(MOVE,), files={"/m/y.om": "00"})
        journal.write("done", "a", files={"/m/y.om": "00"})
        journal.write("started", "b", title="B")
    return path.read_bytes()


def test_states_follow_from_records(tmp_path: Path) -> None:
    path = tmp_path / "j.jsonl"
    written(path)
    with Journal(path) as journal:
        states = journal.states()
        assert journal.plan_digest == "abc"
    assert {name: state.status for name, state in states.items()} == {"a": "done", "b": "started"}
    assert states["a"].files == {"/m/y.om": "00"}
    assert states["a"].moves == (MOVE,)
    assert states["b"].attempts == 1


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_any_cut_leaves_a_journal_of_the_first_whole_lines(data: st.DataObject) -> None:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "j.jsonl"
        content = written(path)
        cut = data.draw(st.integers(0, len(content)))
        path.write_bytes(content[:cut])
        whole = content[:cut].count(b"\n")
        assert len(read_journal(path)) == whole
        with Journal(path) as journal:
            assert len(journal.records) == whole
            journal.write("started", "c", title="C")
        assert [r.seq for r in read_journal(path)] == list(range(1, whole + 2))


def test_only_one_process_at_a_time(tmp_path: Path) -> None:
    path = tmp_path / "j.jsonl"
    with Journal(path), pytest.raises(UsageError, match="another preflight"):
        Journal(path)
    with Journal(path):
        pass


def test_a_file_that_is_no_journal_is_named(tmp_path: Path) -> None:
    path = tmp_path / "j.jsonl"
    path.write_text('{"seq": 1}\n')
    with pytest.raises(UnreadableInput, match="line 1"):
        Journal(path)
    with pytest.raises(UnreadableInput, match="line 1"):
        read_journal(path)


def test_a_second_attempt_starts_afresh(tmp_path: Path) -> None:
    path = tmp_path / "j.jsonl"
    written(path)
    with Journal(path) as journal:
        journal.write("undone", "a")
        journal.write("started", "a", title="A", staging="/m/.preflight-1-a-2")
        states = states_of(journal.records)
    assert states["a"].attempts == 2
    assert states["a"].files == {}
    assert list(states) == ["b", "a"]


@pytest.mark.parametrize(
    "facts",
    [
        {"staging": "/home/me"},
        {"staging": ".preflight-1"},
        {"moves": (Move("/etc/passwd", "/m/y.om"),)},
        {"moves": (Move(f"{WORK}/../secret", "/m/y.om"),)},
        {"moves": (Move(f"{WORK}/y.om", "/etc/cron.d/y.om"),)},
        {"files": {"/home/me/thesis": "00"}},
        {"files": {"/m/y.om/../../home/me/thesis": "00"}},
        {"folders": ("/home/me",)},
    ],
)
def test_a_journal_that_names_other_places_is_refused(
    tmp_path: Path, facts: dict[str, object]
) -> None:
    """A journal that came with a plan moves and removes nothing that its steps did not make."""
    path = tmp_path / "j.jsonl"
    start = {"staging": WORK} | {k: v for k, v in facts.items() if k in ("staging", "folders")}
    rest = {"moves": (MOVE,), "files": {"/m/y.om": "00"}} | facts
    with Journal(path) as journal:
        journal.write("started", "a", **start)
        journal.write("committing", "a", moves=rest["moves"], files=rest["files"])
    with pytest.raises(UnreadableInput, match=r"did not make|no step's"):
        Journal(path)


def test_a_record_that_does_not_fit_on_the_disk_leaves_the_journal_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "j.jsonl"
    before = written(path)
    real = os.write
    written_so_far = []

    def full(handle: int, data: bytes) -> int:
        if written_so_far:
            raise OSError(28, "No space left on device")
        written_so_far.append(real(handle, bytes(data)[:10]))
        return written_so_far[0]

    with Journal(path) as journal:
        monkeypatch.setattr(os, "write", full)
        with pytest.raises(JournalError, match="No space left"):
            journal.write("done", "b")
        monkeypatch.undo()
        assert path.read_bytes() == before
        journal.write("done", "b")
    assert read_journal(path)[-1].event == "done"
