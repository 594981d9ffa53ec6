"""`preflight registry extract` as a person calls it."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from preflight import api
from preflight.cli import diagnostics
from preflight.cli.registry_extract import app

GOOD = "REG_OP(Good).INPUT(x, TensorType::ALL()).ATTR(n, Int, 1).OP_END_FACTORY_REG(Good)\n"
BAD = "REG_OP(Bad).ATTR(n, Int).OP_END_FACTORY_REG(Bad)\n"


def call(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> int:
    monkeypatch.setattr(sys, "argv", ["extract", *arguments])
    return diagnostics.run(app)


def arguments(headers: Path, output: Path, *more: str) -> list[str]:
    fixed = ["--package", "my_ops", "--release", "1.0", "--date", "2026-07-30"]
    return ["--headers", str(headers), *fixed, "-o", str(output), *more]


def test_headers_become_a_release(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "ops.h").write_text(GOOD)
    assert call(monkeypatch, *arguments(tmp_path, tmp_path / "out")) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("1 operators of my_ops 1.0 in ")
    assert lines[-1].startswith("next: preflight registry validate ")
    package = tmp_path / "out" / "my_ops"
    assert [r.date for r in api.load_index(package).releases] == ["2026-07-30"]
    assert list(api.load_release(package, "1.0").operators) == ["Good"]
    assert call(monkeypatch, *arguments(tmp_path, tmp_path / "out")) == 2  # never overwritten


def test_what_is_left_out_decides_the_exit_code(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "ops.h").write_text(GOOD + BAD)
    assert call(monkeypatch, *arguments(tmp_path, tmp_path / "out", "--json")) == 1
    captured = capsys.readouterr()
    report = json.loads(captured.out)
    assert report["operators"] == 1
    assert report["problems"] == [
        {
            "file": "ops.h",
            "line": 2,
            "operator": "Bad",
            "message": "ATTR needs 3 arguments, has 2",
            "left_out": True,
        }
    ]
    assert "ops.h:2: Bad: ATTR needs 3 arguments" in captured.err


def test_nothing_is_written_without_an_operator(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "ops.h").write_text(BAD)
    assert call(monkeypatch, *arguments(tmp_path, tmp_path / "out")) == 2
    assert not (tmp_path / "out").exists()
    assert "no operator prototype in 1 headers" in capsys.readouterr().err
    bad_name = [*arguments(tmp_path, tmp_path / "out"), "--package", "../nn"]
    assert call(monkeypatch, *bad_name) == 2
    assert call(monkeypatch, *arguments(tmp_path, tmp_path / "out", "-D", "1X")) == 2
