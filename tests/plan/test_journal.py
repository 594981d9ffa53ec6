"""The journal: what is written is there after a kill, and states follow from records."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from preflight.errors import UnreadableInput, UsageError
from preflight.plan.journal import Journal, Move, read_journal, states_of


def written(path: Path) -> bytes:
    with Journal(path) as journal:
        journal.write("begin", plan="abc")
        journal.write("started", "a", title="A", staging="s")
        journal.write("committing", "a", moves=(Move("x", "y"),), files={"y": "00"})
        journal.write("done", "a", files={"y": "00"})
        journal.write("started", "b", title="B")
    return path.read_bytes()


def test_states_follow_from_records(tmp_path: Path) -> None:
    path = tmp_path / "j.jsonl"
    written(path)
    with Journal(path) as journal:
        states = journal.states()
        assert journal.plan_digest == "abc"
    assert {name: state.status for name, state in states.items()} == {"a": "done", "b": "started"}
    assert states["a"].files == {"y": "00"}
    assert states["a"].moves == (Move("x", "y"),)
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
        journal.write("started", "a", title="A", staging="t")
        states = states_of(journal.records)
    assert states["a"].attempts == 2
    assert states["a"].files == {}
    assert list(states) == ["b", "a"]
