from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from preflight.container.source import BytesSource, FileSource, RangeSource, SubSource, open_source
from preflight.errors import MalformedInput, UnreadableInput


@given(st.binary(max_size=64), st.integers(-5, 80), st.integers(-5, 80))
def test_a_read_gives_exactly_those_bytes_or_refuses(data: bytes, offset: int, length: int) -> None:
    source = BytesSource(data)
    if offset >= 0 and length >= 0 and offset + length <= len(data):
        assert source.read(offset, length) == data[offset : offset + length]
    else:
        with pytest.raises(MalformedInput):
            source.read(offset, length)


def test_a_file_counts_what_it_reads(tmp_path: Path) -> None:
    path = tmp_path / "m.om"
    path.write_bytes(bytes(range(100)))
    with FileSource(path) as source:
        assert source.size == 100
        assert source.read(10, 5) == bytes(range(10, 15))
        assert source.bytes_read == 5
        with pytest.raises(MalformedInput, match="90 bytes at offset 20"):
            source.read(20, 90)


def test_a_part_is_numbered_from_zero_and_stays_inside() -> None:
    part = SubSource(BytesSource(b"0123456789"), 2, 5)
    assert (part.size, part.read(0, 5), part.read(4, 1)) == (5, b"23456", b"6")
    with pytest.raises(MalformedInput):
        part.read(3, 3)
    with pytest.raises(MalformedInput):
        SubSource(BytesSource(b"0123"), 2, 5)


def test_a_part_of_a_part_reads_the_right_bytes() -> None:
    inner = SubSource(SubSource(BytesSource(b"0123456789"), 2, 6), 1, 3)
    assert inner.read(0, 3) == b"345"


def test_missing_folder_and_dangling_link_are_said_as_such(tmp_path: Path) -> None:
    with pytest.raises(UnreadableInput, match="cannot be opened: No such file"):
        FileSource(tmp_path / "absent.om")
    with pytest.raises(UnreadableInput, match="is a directory"):
        FileSource(tmp_path)
    link = tmp_path / "link.om"
    link.symlink_to("gone.om")
    with pytest.raises(UnreadableInput, match=r"symbolic link to 'gone\.om', which does not exist"):
        FileSource(link)


def test_a_link_loop_and_a_pipe_are_refused(tmp_path: Path) -> None:
    loop = tmp_path / "loop"
    loop.symlink_to(loop)
    with pytest.raises(UnreadableInput) as caught:
        FileSource(loop)
    assert "leads to itself" in caught.value.hint
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with pytest.raises(UnreadableInput, match="not a regular file"):
        FileSource(pipe)


def test_a_path_with_nul_is_an_input_error() -> None:
    with pytest.raises(UnreadableInput, match="not a usable path"):
        FileSource("a\0b")


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
def test_a_file_without_permission(tmp_path: Path) -> None:
    path = tmp_path / "m.om"
    path.write_bytes(b"x")
    path.chmod(0)
    with pytest.raises(UnreadableInput) as caught:
        FileSource(path)
    assert "read permission" in caught.value.hint


def test_a_file_that_shrinks_meanwhile(tmp_path: Path) -> None:
    path = tmp_path / "m.om"
    path.write_bytes(bytes(100))
    with FileSource(path) as source:
        os.truncate(path, 10)
        with pytest.raises(MalformedInput, match="ended at 10"):
            source.read(0, 50)


def test_a_remote_object_must_send_what_was_asked() -> None:
    good = RangeSource("s3://b/m.om", 10, lambda offset, length: b"0123456789"[offset:][:length])
    assert (good.read(3, 4), good.read(0, 0), good.bytes_read) == (b"3456", b"", 4)
    short = RangeSource("s3://b/m.om", 10, lambda offset, length: b"x")
    with pytest.raises(MalformedInput, match="1 of 4 bytes"):
        short.read(0, 4)

    def broken(offset: int, length: int) -> bytes:
        raise TimeoutError("no answer")

    with pytest.raises(UnreadableInput, match="no answer"):
        RangeSource("s3://b/m.om", 10, broken).read(0, 1)


def test_a_url_without_the_extra_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "fsspec", None)
    with pytest.raises(UnreadableInput) as caught:
        open_source("s3://bucket/m.om")
    assert "om-preflight[remote]" in caught.value.hint


def test_open_source_takes_bytes_paths_and_sources(tmp_path: Path) -> None:
    path = tmp_path / "m.om"
    path.write_bytes(b"abc")
    source = BytesSource(b"abc")
    assert open_source(source) is source
    for what in (b"abc", bytearray(b"abc"), memoryview(b"abc"), path, str(path)):
        assert open_source(what).read(0, 3) == b"abc"
