"""The same questions as plain text: pipes in, pipes out, no terminal control."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from preflight.plan.files import read_plan
from tests.tui.driving import TARGET, copied
from tests.tui.test_recovery import crash

_MAIN = "from preflight.cli.app import main; main()"


def ask(folder: Path, answers: str, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
    """`preflight tui --no-tui` in a folder of its own, with these answers."""
    return subprocess.run(
        [sys.executable, "-c", _MAIN, "tui", "--no-tui", *arguments],
        input=answers,
        capture_output=True,
        text=True,
        cwd=folder,
        env={**os.environ, "XDG_STATE_HOME": str(folder / "state")},
        check=False,
    )


def test_from_broken_model_to_saved_plan(tmp_path: Path) -> None:
    (tmp_path / "net.onnx").write_text("")
    models = copied(tmp_path, "soc_910B.om")
    answers = f"{TARGET}\n1\n0\n1\n{tmp_path / 'net.onnx'}\nmy.toml\n"
    done = ask(tmp_path, answers, *models)
    assert done.returncode == 0, done.stderr
    made = read_plan(tmp_path / "my.toml")
    assert f"--model={tmp_path / 'net.onnx'}" in made.steps[0].command
    for wanted in (
        "will not load",
        "1. x error PF301",
        "what it means",
        "ways, best first",
        "+ runs",
        "step 1 of 4",
        "+ saved as my.toml",
    ):
        assert wanted in done.stdout
    assert done.stdout.splitlines()[-1] == "next: preflight apply my.toml --dry-run"
    assert "\x1b" not in done.stdout
    assert not list((tmp_path / "state").rglob("*.toml"))


def test_a_model_that_runs_needs_no_answers(tmp_path: Path) -> None:
    done = ask(tmp_path, "\n", *copied(tmp_path, "soc_910B3.om"), "--target", TARGET)
    assert done.returncode == 0, done.stderr
    assert "will load" in done.stdout
    assert "way" not in done.stdout.split("will load")[1].split("next:")[0].replace("always", "")


def test_wrong_answers_are_asked_again(tmp_path: Path) -> None:
    models = copied(tmp_path, "soc_910B.om")
    answers = f"8.1.RC1/Ascend910C\n{TARGET}\nseven\n99\n0\n3\ny\nwhy\nsoon\nwhy\n2999-01-01\n-\n"
    done = ask(tmp_path, answers, *models)
    assert "names the A3 family" in done.stdout
    assert "'seven' is not a number" in done.stdout
    assert "'soon' is no date" in done.stdout
    assert "! runs, with warnings" in done.stdout
    assert done.returncode == 1  # left without saving
    assert not (tmp_path / "plan.toml").exists()


def test_answers_that_end_early_leave_a_plan_to_go_on_with(tmp_path: Path) -> None:
    models = copied(tmp_path, "soc_910B.om")
    done = ask(tmp_path, "0\n1\n", *models, "--target", TARGET)
    assert done.returncode == 2
    assert "the input ended at the question" in done.stderr
    assert len(list((tmp_path / "state").rglob("*.toml"))) == 1
    done = ask(tmp_path, "yes\n\n\n", *models, "--target", TARGET)
    assert done.returncode == 0, done.stderr
    assert len(read_plan(tmp_path / "plan.toml").steps) == 4
    assert not list((tmp_path / "state").rglob("*.toml"))


def test_a_plan_of_a_crashed_session_can_be_thrown_away(tmp_path: Path) -> None:
    state = tmp_path / "state" / "preflight" / "recovery"
    crash(state)
    done = ask(tmp_path, "discard\n\n", *copied(tmp_path, "soc_910B3.om"), "--target", TARGET)
    assert done.returncode == 0, done.stderr
    assert not list(state.iterdir())


def test_for_programs_only_the_plan_is_on_stdout(tmp_path: Path) -> None:
    models = copied(tmp_path, "soc_910B.om")
    done = ask(tmp_path, "0\n1\n\n\n", *models, "--target", TARGET, "--json")
    assert done.returncode == 0, done.stderr
    assert len(json.loads(done.stdout)["steps"]) == 4
    assert "ways, best first" in done.stderr


def test_names_cannot_steer_a_terminal(tmp_path: Path) -> None:
    path = copied(tmp_path, "soc_910B.om")[0]
    odd = path.rename(tmp_path / "a\x1b[2Jb[bold]c.om")
    done = ask(tmp_path, "1\n0\n1\n\n\n-\n", odd, "--target", TARGET)
    assert "\x1b" not in done.stdout + done.stderr
    assert "a\\x1b[2Jb[bold]c.om" in done.stdout
    assert "saved as plan.toml" in done.stdout  # the new file has a name without such characters
    assert done.returncode == 0, done.stderr


def test_without_a_model_or_a_terminal_the_error_says_what_to_do(tmp_path: Path) -> None:
    done = ask(tmp_path, "\n", "--target", TARGET)
    assert done.returncode == 2
    assert "there is no model" in done.stderr


def test_no_screen_library_is_loaded(tmp_path: Path) -> None:
    code = (
        "import sys; import preflight.tui.prompts, preflight.cli.tui;"
        "sys.exit('textual' in sys.modules or 'rich' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
