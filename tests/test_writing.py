"""Files appear whole or not at all, wherever the user points."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest

from preflight import writing
from preflight.errors import UnreadableInput


def test_old_content_stays_when_writing_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = tmp_path / "report.txt"
    place.write_text("old")

    def full(handle: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(UnreadableInput, match=r"report\.txt: cannot be written: No space left"):
        writing.write_text(place, "new")
    assert place.read_text() == "old"
    assert list(tmp_path.iterdir()) == [place]


def test_link_is_followed(tmp_path: Path) -> None:
    real, link = tmp_path / "real.txt", tmp_path / "link.txt"
    real.write_text("old")
    link.symlink_to(real)
    writing.write_text(link, "new")
    assert link.is_symlink()
    assert real.read_text() == "new"


def test_pipe_is_written_to_and_stays_a_pipe(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    got: list[str] = []
    reader = threading.Thread(target=lambda: got.append(pipe.read_text()))
    reader.start()
    writing.write_text(pipe, "through")
    reader.join(10)
    assert got == ["through"]
    assert pipe.is_fifo()


def test_missing_folder_is_one_clear_error(tmp_path: Path) -> None:
    with pytest.raises(UnreadableInput, match="cannot be written"):
        writing.write_text(tmp_path / "nowhere" / "report.txt", "text")
