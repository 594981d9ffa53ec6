"""From a model that does not run to one that does, through the command line, and back."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from preflight.cli import diagnostics
from preflight.cli.app import app
from preflight.errors import ExitCode

ROOT = Path(__file__).resolve().parents[2]
SCENARIOS = Path(__file__).resolve().parent / "scenarios"
TARGET = "8.1.RC1/Ascend910B3/linux-aarch64"


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the models, a source model and an atc on the search path."""
    for path in SCENARIOS.glob("*.om"):
        shutil.copy(path, tmp_path)
    (tmp_path / "net.onnx").write_bytes(b"onnx")
    tools = tmp_path / "tools"
    tools.mkdir()
    tool = tools / "atc"
    tool.write_text(f'#!/bin/sh\nPYTHONPATH={ROOT} exec {sys.executable} -m tests.plan.atc "$@"\n')
    tool.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tools}:/usr/bin:/bin")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(monkeypatch: pytest.MonkeyPatch, *words: str) -> int:
    monkeypatch.setattr(sys, "argv", ["preflight", *words])
    return diagnostics.run(app)


def files(folder: Path) -> set[str]:
    return {p.name for p in folder.iterdir() if p.suffix == ".om" or p.name.startswith(".pre")}


def planned(
    monkeypatch: pytest.MonkeyPatch, model: str = "plain_910B.om", more: Sequence[str] = ()
) -> None:
    words = ["plan", model, "--target", TARGET, "--set", "model=net.onnx", "--source-dir", "."]
    assert run(monkeypatch, *words, "-o", "p.toml", *more) == ExitCode.OK


NEW = "plain_910B.Ascend910B3.8.1.RC1.om"


def test_plan_apply_check_and_roll_back(
    desk: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    before = files(desk)
    assert run(monkeypatch, "check", "plain_910B.om", "--target", TARGET) == ExitCode.FINDINGS
    capsys.readouterr()
    planned(monkeypatch)
    said = capsys.readouterr().out.splitlines()
    assert said[0].startswith(f"plain_910B.om on {TARGET}: does not run as it is; best way")
    assert said[-1] == "next: preflight apply p.toml --dry-run"
    assert run(monkeypatch, "apply", "p.toml", "--dry-run") == ExitCode.OK
    assert "not ready" not in capsys.readouterr().out
    assert files(desk) == before
    assert run(monkeypatch, "apply", "p.toml", "--yes") == ExitCode.OK
    assert capsys.readouterr().out.splitlines()[0] == "done"
    assert files(desk) == before | {NEW}
    assert run(monkeypatch, "check", NEW, "--target", TARGET) == ExitCode.OK
    capsys.readouterr()
    assert run(monkeypatch, "plan", "show", "p.toml", "--json") == ExitCode.OK
    states = json.loads(capsys.readouterr().out)["states"]
    assert set(states.values()) == {"done"}
    assert run(monkeypatch, "rollback", "p.toml", "--yes") == ExitCode.OK
    assert files(desk) == before


def test_a_host_library_model_gets_its_host(desk: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    planned(monkeypatch, "host_x86_64.om")
    assert run(monkeypatch, "apply", "p.toml", "--yes") == ExitCode.OK
    new = "host_x86_64.Ascend910B3.8.1.RC1.om"
    assert new in files(desk)
    assert run(monkeypatch, "check", new, "--target", TARGET) == ExitCode.OK


@pytest.mark.parametrize(
    ("mode", "said"),
    [
        ("fail", "ended with code 1"),
        ("dies", "ended with code"),
        ("cut", "not a sound model"),
        ("other_interface", "another interface"),
        ("old_soc", "still finds"),
    ],
)
def test_whatever_atc_does_wrong_leaves_everything_as_it_was(
    desk: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    mode: str,
    said: str,
) -> None:
    planned(monkeypatch)
    before = files(desk)
    monkeypatch.setenv("STAND_IN_MODE", mode)
    assert run(monkeypatch, "apply", "p.toml", "--yes") == ExitCode.APPLY_FAILED
    out = capsys.readouterr().out
    assert said in out
    assert files(desk) == before
    monkeypatch.setenv("STAND_IN_MODE", "ok")
    assert run(monkeypatch, "apply", "p.toml", "--yes", "--json") == ExitCode.OK
    assert files(desk) == before | {NEW}


def test_a_plan_for_another_file_is_refused(
    desk: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    planned(monkeypatch)
    shutil.copy(desk / "old_310.om", desk / "plain_910B.om")
    assert run(monkeypatch, "apply", "p.toml", "--yes") == ExitCode.USAGE
    assert "is not the file that the plan was made for" in capsys.readouterr().err


def test_ways_as_json_and_other_ways(
    desk: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["plan", "plain_910B.om", "--target", TARGET, "--json", "--path", "2"]
    assert run(monkeypatch, *words) == ExitCode.OK
    document = json.loads(capsys.readouterr().out)
    assert document["chosen"] == 2
    kinds = [way["plan"]["path"]["kind"] for way in document["ways"]]
    assert kinds == ["rebuild", "move_target", "as_is"]
    assert document["ways"][2]["models"][0]["left"][0]["rule"].startswith("PF3")
    words = ["plan", "plain_910B.om", "--target", TARGET, "--path", "9"]
    assert run(monkeypatch, *words) == ExitCode.USAGE


def test_without_a_target_the_models_say_where_they_run(
    desk: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(monkeypatch, "plan", "dynamic_8.0.0.om") == ExitCode.OK
    assert capsys.readouterr().out.startswith("dynamic_8.0.0.om on 8.0.0/Ascend910B3")


def test_a_script_is_written_beside(desk: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    planned(monkeypatch, more=["--script", "build.sh"])
    text = (desk / "build.sh").read_text()
    assert text.startswith("#!/bin/sh\n")
    assert f"--model={desk / 'net.onnx'}" in text


def test_wrong_words_are_explained(
    desk: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for words in (
        ("plan", "plain_910B.om", "--target", TARGET, "--set", "x"),
        ("apply", "p.toml", "--program", "atc"),
        ("plan", "plain_910B.om", "--target", "8.1.RC9/Ascend910B3"),
        ("rollback", "p.toml"),
    ):
        assert run(monkeypatch, *words) == ExitCode.USAGE, words
    assert run(monkeypatch, "plan", "none.om", "--target", TARGET) == ExitCode.COULD_NOT_CHECK
    assert run(monkeypatch, "plan", "show", "none.toml") == ExitCode.COULD_NOT_CHECK
    assert "Traceback" not in capsys.readouterr().err


def test_help_names_the_verb(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for words in (("plan",), ("plan", "--help"), ("plan", "show", "-h")):
        assert run(monkeypatch, *words) == ExitCode.OK
        assert "Usage: preflight plan" in capsys.readouterr().out


def test_tensors_are_compared_where_they_are_given(
    desk: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    import numpy

    for name in ("old", "new"):
        (desk / name).mkdir()
        numpy.save(desk / name / "relu.npy", numpy.array([1.0, 2.0], numpy.float32))
    planned(monkeypatch, more=["--tensors", "old", "new"])
    assert run(monkeypatch, "apply", "p.toml", "--yes") == ExitCode.OK
    assert run(monkeypatch, "rollback", "p.toml", "--yes") == ExitCode.OK
    numpy.save(desk / "new" / "relu.npy", numpy.array([1.0, 3.0], numpy.float32))
    capsys.readouterr()
    assert run(monkeypatch, "apply", "p.toml", "--yes") == ExitCode.APPLY_FAILED
    assert "the tensors differ: relu" in capsys.readouterr().out
    assert NEW not in files(desk)


def test_a_damaged_file_is_fetched_checked_and_kept(
    desk: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The person may fetch the file before or between two runs."""
    good = (desk / "static_910B3.om").read_bytes()
    (desk / "static_910B3.om").write_bytes(good[:700])
    words = ["plan", "static_910B3.om", "--target", TARGET, "-o", "p.toml"]
    assert run(monkeypatch, *words) == ExitCode.COULD_NOT_CHECK, "what comes back is not known"
    assert "best way: repair what is wrong" in capsys.readouterr().out.splitlines()[0]
    assert run(monkeypatch, "apply", "p.toml", "--yes") == ExitCode.APPLY_FAILED
    (desk / "static_910B3.om").write_bytes(good)
    run(monkeypatch, "rollback", "p.toml", "--yes")
    assert run(monkeypatch, "apply", "p.toml", "--yes") == ExitCode.OK
    assert run(monkeypatch, "rollback", "p.toml", "--yes") == ExitCode.OK
    assert (desk / "static_910B3.om").read_bytes() == good


def test_a_graph_is_compiled_for_the_first_time(
    desk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copy(ROOT / "samples" / "adder.air", desk)
    assert run(monkeypatch, "plan", "adder.air", "--target", TARGET, "-o", "p.toml") == ExitCode.OK
    assert run(monkeypatch, "apply", "p.toml", "--yes") == ExitCode.OK
    new = "adder.Ascend910B3.8.1.RC1.om"
    assert run(monkeypatch, "check", new, "--target", TARGET) == ExitCode.OK


def test_a_plan_whose_source_is_missing_is_refused_and_says_what_to_do(
    desk: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    before = files(desk)
    words = ["plan", "plain_910B.om", "--target", TARGET, "-o", "p.toml"]
    assert run(monkeypatch, *words) == ExitCode.OK
    capsys.readouterr()
    for more in (["--dry-run"], ["--yes"]):
        assert run(monkeypatch, "apply", "p.toml", *more) == ExitCode.FINDINGS
        out = capsys.readouterr().out
        assert "/models/net.onnx" in out
        assert "--set" in out
    assert files(desk) == before


def test_a_default_that_came_back_through_the_rebuild_is_noticed(
    desk: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The person was to state eps in the source model; the new file says whether they did."""
    target = "9.1.0/Ascend910B3/linux-aarch64"
    words = ["plan", "group_norm.om", "--target", target, "--set", "model=net.onnx"]
    words += ["--source-dir", ".", "-o", "p.toml"]
    assert run(monkeypatch, *words) == ExitCode.OK
    said = capsys.readouterr().out
    assert "state: norm.eps = 0.0001 (the default is 1e-05 now)" in said
    assert "99999" not in said
    monkeypatch.setenv("STAND_IN_RELEASE", "9.1.0")
    monkeypatch.setenv("STAND_IN_MODE", "norm_new_default")
    before = files(desk)
    assert run(monkeypatch, "apply", "p.toml", "--yes") == ExitCode.APPLY_FAILED
    said = " ".join(capsys.readouterr().out.split())
    assert "norm.eps is 1e-05 in the new model, not 0.0001" in said
    assert files(desk) == before
    run(monkeypatch, "rollback", "p.toml", "--yes")
    monkeypatch.setenv("STAND_IN_MODE", "norm")
    capsys.readouterr()
    assert run(monkeypatch, "apply", "p.toml", "--yes") == ExitCode.OK
    assert "what the plan states is there" in capsys.readouterr().out


def test_accepted_findings_make_a_way_of_their_own(
    desk: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.copy(SCENARIOS / "accepted.toml", desk)
    words = ["plan", "plain_910B.om", "--target", TARGET, "--waivers", "accepted.toml"]
    assert run(monkeypatch, *words, "--path", "2", "-o", "p.toml") == ExitCode.OK
    said = capsys.readouterr().out
    assert "with 1 finding accepted" in said
    assert "what stands against it is accepted, not answered" in " ".join(said.split())
    assert run(monkeypatch, "apply", "p.toml") == ExitCode.OK
    assert run(monkeypatch, "plan", "show", "p.toml") == ExitCode.OK
    shown = capsys.readouterr().out
    assert "until 2099-12-31: the device is emulated" in shown
    assert "expect: the finding stays and is accepted" in shown


def test_the_plan_verb_shows_many_models_as_a_table(
    desk: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["plan", "dynamic_8.0.0.om", "dynamic_8.1.RC1.om", "--target", TARGET]
    assert run(monkeypatch, *words) == ExitCode.OK
    said = capsys.readouterr().out
    assert "the smallest set on which all of them run: 2 targets" in said
    assert run(monkeypatch, *words, "--json") == ExitCode.OK
    fleet = json.loads(capsys.readouterr().out)["fleet"]
    assert len(fleet["smallest_set"]) == 2
    assert [need["rules"] for need in fleet["needs"]] == [["PF403"]]
