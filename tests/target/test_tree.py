"""Bounded reading: nothing outside the folder, no exception, and honesty about what is not seen."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from preflight.target.tree import Tree
from tests.target.trees import write


def results(tree: Tree) -> dict[str, str]:
    return {Path(place.path).name: place.result for place in tree.places}


def test_links_out_of_the_folder_are_not_followed(tmp_path: Path) -> None:
    secret = write(tmp_path / "outside/version.info", "Version=1.0\n")
    inside = tmp_path / "root"
    inside.mkdir()
    (inside / "link").symlink_to(secret)
    (inside / "folder").symlink_to(secret.parent)
    tree = Tree((inside,))
    assert tree.text(inside / "link", "x") is None
    assert tree.text(inside / "folder/version.info", "x") is None
    assert tree.folder(inside / "folder", "x") == []
    assert not tree.is_dir(inside / "folder")
    assert not tree.conclusive(inside / "link")
    assert set(results(tree).values()) == {"ignored"}
    assert Tree().text(inside / "link", "x") == "Version=1.0\n"


def test_absent_is_conclusive_and_a_dangling_link_is_not(tmp_path: Path) -> None:
    tree = Tree((tmp_path,))
    (tmp_path / "dangling").symlink_to("nowhere")
    assert tree.text(tmp_path / "absent", "x") is None
    assert tree.text(tmp_path / "dangling", "x") is None
    assert tree.text(tmp_path / "dangling/below", "x") is None
    assert tree.conclusive(tmp_path / "absent")
    assert not tree.conclusive(tmp_path / "dangling")
    assert not tree.conclusive(tmp_path / "dangling/below")
    assert results(tree)["absent"] == "absent"
    assert results(tree)["dangling"] == "unreadable"


def test_a_folder_in_place_of_a_file_is_unreadable_for_everybody(tmp_path: Path) -> None:
    (tmp_path / "version.info").mkdir()
    tree = Tree((tmp_path,))
    assert tree.text(tmp_path / "version.info", "x") is None
    assert results(tree) == {"version.info": "unreadable"}
    assert tree.conclusive(tmp_path / "version.info")


def test_no_permission_is_not_conclusive(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(tmp_path / "version.info", "Version=1.0\n")

    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", refuse)
    tree = Tree((tmp_path,))
    assert tree.text(path, "x") is None
    assert not tree.conclusive(path)
    assert "Permission denied" in tree.places[0].why


def test_large_files_are_left_alone(tmp_path: Path) -> None:
    path = write(tmp_path / "big", "x" * 100)
    tree = Tree((tmp_path,))
    assert tree.text(path, "x", limit=99) is None
    assert not tree.conclusive(path)
    assert tree.text(path, "x", limit=100) == "x" * 100


def test_link_loops_end(tmp_path: Path) -> None:
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")
    for tree in (Tree(), Tree((tmp_path,))):
        assert tree.text(tmp_path / "a", "x") is None
        assert tree.folder(tmp_path / "a", "x") == []
        assert not tree.conclusive(tmp_path / "a")


def test_the_fingerprint_follows_what_was_read(tmp_path: Path) -> None:
    path = write(tmp_path / "version.info", "Version=1.0\n")
    prints = []
    for text in ("Version=1.0\n", "Version=1.1\n", "Version=1.0\n"):
        path.write_text(text)
        tree = Tree()
        tree.text(path, "x")
        prints.append(tree.fingerprint)
    assert prints[0] == prints[2] != prints[1]


def test_undecodable_bytes_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "version.info"
    path.write_bytes(b"Version=\xff\xfe\n")
    text = Tree().text(path, "x")
    assert text is not None
    assert text.encode("utf-8", "surrogateescape") == b"Version=\xff\xfe\n"


def test_pipes_and_devices_are_neither_read_nor_taken_for_absent(tmp_path: Path) -> None:
    pipe = tmp_path / "version.info"
    os.mkfifo(pipe)
    tree = Tree((tmp_path,))
    assert tree.text(pipe, "x") is None
    assert results(tree) == {"version.info": "unreadable"}
    assert not tree.conclusive(pipe)
    folder = tmp_path / "scene.info"
    folder.mkdir()
    assert tree.text(folder, "x") is None
    assert tree.conclusive(folder)  # the loader reads no line from a folder either
