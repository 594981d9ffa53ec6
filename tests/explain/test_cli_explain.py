"""`preflight explain` as a user calls it."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from pathlib import Path

import pytest

from preflight.cli import diagnostics
from preflight.cli.app import app
from tests.explain.test_logs import SOC, UMBRELLA


def run(monkeypatch: pytest.MonkeyPatch, *args: str) -> int:
    monkeypatch.setattr(sys, "argv", ["preflight", *args])
    return diagnostics.run(app)


def test_codes_names_rules_and_faults(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(monkeypatch, "explain", "500002", "-1", "PF301", "EX101", "EE1001") == 0
    out = capsys.readouterr().out
    for part in ("ACL_ERROR_GE_FAILURE", "4294967295", "PF301", "EX101", "EE1001"):
        assert part in out


def test_an_unknown_code_exits_with_three(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(monkeypatch, "explain", "507999") == 3
    assert "not a code this catalogue knows" in capsys.readouterr().out


def test_an_unknown_rule_is_an_error(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(monkeypatch, "explain", "PF999") == 2
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize(
    "args",
    [
        (),
        ("500002", "--format", "yaml"),
        ("500002", "--format", "markdown"),
        ("500002", "--target", "8.1.RC1"),
    ],
)
def test_wrong_usage_exits_with_two(monkeypatch: pytest.MonkeyPatch, args: tuple[str, ...]) -> None:
    assert run(monkeypatch, "explain", *args) == 2


def test_a_log_as_json(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    log = tmp_path / "a.log"
    log.write_text(SOC.format(pid=1, s="01"), encoding="utf-8")
    assert run(monkeypatch, "explain", "--log", str(log), "--json") == 0
    assert json.loads(capsys.readouterr().out)["causes"][0]["fault"]["id"] == "EX101"


def test_standard_input_and_further_files(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    log = tmp_path / "a.log"
    log.write_text(UMBRELLA.format(pid=1, s="09"), encoding="utf-8")
    stdin = io.TextIOWrapper(io.BytesIO(SOC.format(pid=1, s="01").encode()))
    monkeypatch.setattr(sys, "stdin", stdin)
    assert run(monkeypatch, "explain", "--log", "-", str(log)) == 0
    assert "Ascend910B2" in capsys.readouterr().out


def test_an_unexplained_error_exits_with_three(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    log = tmp_path / "a.log"
    log.write_text("[ERROR] frobnicator: quux failed\n", encoding="utf-8")
    assert run(monkeypatch, "explain", "--log", str(log)) == 3
    log.write_text("all is well\n", encoding="utf-8")
    assert run(monkeypatch, "explain", "--log", str(log)) == 0


def test_a_model_is_checked_against_what_the_log_says(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    log, model = tmp_path / "a.log", tmp_path / "m.om"
    log.write_text(
        "ACL_ERROR_GE_EXEC_MODEL_DATA_SIZE_INVALID: error code is 145006\n", encoding="utf-8"
    )
    model.write_bytes(b"IMOD" + bytes(100))
    args = ("--log", str(log), "--model", str(model), "--target", "9.0.0/Ascend910B2", "--json")
    assert run(monkeypatch, "explain", *args) == 0
    cause = json.loads(capsys.readouterr().out)["causes"][0]
    assert cause["fault"]["id"] == "EX105"
    assert cause["check"] == "confirms"


def test_explaining_a_code_does_not_load_protobuf() -> None:
    code = (
        "import sys; from preflight import api; api.explain_code('500002'); "
        "sys.exit('google.protobuf' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
