"""`preflight compare` and `preflight lock` as a person calls them."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import pytest

from preflight.cli import diagnostics
from preflight.cli.app import app
from tests.support.models import build, small_graph

SCENARIOS = Path(__file__).resolve().parents[1] / "plan" / "scenarios"


def call(monkeypatch: pytest.MonkeyPatch, *arguments: object) -> int:
    monkeypatch.setattr(sys, "argv", ["preflight", *map(str, arguments)])
    return diagnostics.run(app)


@pytest.fixture
def pair(tmp_path: Path) -> tuple[Path, Path]:
    old, new = tmp_path / "old.om", tmp_path / "new.om"
    old.write_bytes(build())
    new.write_bytes(build([small_graph(1e-6)]))
    return old, new


def test_the_answer_comes_first_and_a_command_last(
    pair: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    old, new = pair
    assert call(monkeypatch, "compare", old, new) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "same interface, different graph: the graphs compute differently"
    assert lines[-1] == f"next: preflight compare --tensors OLD_DUMP NEW_DUMP --model {new}"
    assert any("attribute epsilon" in line for line in lines)
    assert call(monkeypatch, "compare", old, old) == 0
    assert capsys.readouterr().out.splitlines()[0] == "interchangeable"


def test_json_says_the_same(
    pair: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert call(monkeypatch, "compare", *pair, "--json") == 1
    report = json.loads(capsys.readouterr().out)
    assert report["verdict"] == "same interface, different graph"
    assert report["schema_version"] == 1
    (changed,) = report["operators"]["changed"]
    assert changed["differences"][0]["subject"] == "attribute epsilon"


def test_nothing_from_a_file_reaches_the_terminal_raw(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    evil = "Ascend\x1b[2J\u202e310"
    (tmp_path / "a.om").write_bytes(build())
    (tmp_path / "b.om").write_bytes(build(attributes={"soc_version": evil}))
    assert call(monkeypatch, "compare", tmp_path / "a.om", tmp_path / "b.om") == 1
    out = capsys.readouterr().out
    assert "\x1b" not in out
    assert "\u202e" not in out
    assert "\\x1b[2J" in out


def test_options_that_do_not_go_together(
    pair: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert call(monkeypatch, "compare", "--tensors", "--fusion", *pair) == 2
    assert call(monkeypatch, "compare", "--html", "x.html", *pair) == 2
    assert call(monkeypatch, "compare", pair[0], pair[1].with_name("absent.om")) == 3
    assert "absent.om" in capsys.readouterr().err


def test_a_lock_stands_in_for_a_model_that_is_gone(
    pair: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    old, new = pair
    assert call(monkeypatch, "lock", old, "--weights") == 0
    assert capsys.readouterr().out.startswith(f"locked {old} in {old}.lock.json: graph 1:")
    twin = old.with_name("twin.om")
    old.rename(twin)
    assert call(monkeypatch, "compare", old, new) == 1
    captured = capsys.readouterr()
    assert captured.out.startswith(
        "same interface, different graph: the graphs compute differently"
    )
    assert "is gone" in captured.err
    assert re.search(
        r"block 0 / MODEL_DEF  sha256 [0-9a-f]{12} -> sha256 [0-9a-f]{12}$", captured.out, re.M
    )
    assert call(monkeypatch, "compare", old, twin) == 0
    assert capsys.readouterr().out.splitlines()[0] == "interchangeable"
    assert call(monkeypatch, "compare", f"{old}.lock.json", twin) == 0


def test_lock_and_verify(
    pair: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    old, new = pair
    assert call(monkeypatch, "lock", old) == 0
    assert call(monkeypatch, "lock", "--verify", old) == 0
    assert "fits" in capsys.readouterr().out
    old.write_bytes(new.read_bytes())
    assert call(monkeypatch, "lock", "--verify", old) == 1
    lines = capsys.readouterr().out.splitlines()
    assert "no longer fits" in lines[0]
    assert lines[-1] == f"next: preflight compare {old}.lock.json {old}"
    assert call(monkeypatch, "lock", "--verify", "--json", old) == 1
    areas = {m["area"] for m in json.loads(capsys.readouterr().out)["mismatches"]}
    assert areas == {"graph", "partition", "bytes"}


def test_another_graph_is_fine_where_only_the_interface_counts(
    pair: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert call(monkeypatch, "compare", *pair, "--fail-on", "interface") == 0
    other = tmp_path / "other.om"
    other.write_bytes((SCENARIOS / "old_310.om").read_bytes())
    assert call(monkeypatch, "compare", pair[0], other, "--fail-on", "interface") == 1
    assert call(monkeypatch, "compare", *pair, "--fail-on", "weights") == 2
