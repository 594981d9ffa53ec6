"""The shell script of a plan gives atc exactly the arguments of the plan, whatever is in them."""

from __future__ import annotations

import subprocess
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from preflight.plan.model import OpenQuestion, PathChoice, SideFile, Step
from preflight.render.plan_shell import plan_script
from tests.plan.plans import plan

hostile = st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=12
) | st.sampled_from(
    ["$(touch pwned)", "`touch pwned`", "a\nb", "'", '"', "-n", "\\", "!x", "*", "~"]
)


def run(script: str, folder: Path, **variables: str) -> tuple[int, list[str]]:
    """Run a script with a stand-in atc that writes its arguments, NUL between them."""
    tools = folder / "bin"
    tools.mkdir(exist_ok=True)
    for name in ("atc", "preflight"):
        tool = tools / name
        tool.write_text(
            '#!/bin/sh\nfor a in "$0" "$@"; do printf "%s\\0" "${a##*/bin/}"; done >> args\n'
        )
        tool.chmod(0o755)
    (folder / "s.sh").write_text(script, encoding="utf-8")
    (folder / "args").write_bytes(b"")
    env = {"PATH": f"{tools}:/usr/bin:/bin", **variables}
    done = subprocess.run(["sh", "s.sh"], cwd=folder, env=env, capture_output=True, check=False)
    said = (folder / "args").read_bytes().decode("utf-8")
    return done.returncode, said.split("\0")[:-1]


@settings(max_examples=25, deadline=None)
@given(st.lists(hostile, max_size=3), hostile, hostile)
def test_arguments_arrive_as_they_are_and_nothing_else_runs(
    arguments: list[str], reason: str, instruction: str
) -> None:
    import tempfile

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        command = ("atc", *(f"--x={a.replace('/bin/', '')}" for a in arguments))
        steps = (
            Step("a", "rebuild", reason, command=command, produces="x", reasons=(reason,)),
            Step("b", "change_target", reason, instruction=instruction or "x", reasons=(reason,)),
            Step("c", "verify", reason, check=instruction, model="x"),
        )
        title = PathChoice("rebuild", reason, "ok", 1, "low", True, reason)
        code, said = run(plan_script(plan(*steps, path=title)), folder)
        assert code == 0
        assert said == list(command)
        assert {p.name for p in folder.iterdir()} == {"bin", "s.sh", "args"}


def test_an_open_question_stops_the_script_until_it_is_answered(tmp_path: Path) -> None:
    question = OpenQuestion("SOURCE_MODEL", "model", 'the "source" $(touch pwned) } `x`')
    step = Step(
        "a",
        "rebuild",
        "t",
        command=("atc", "--model={SOURCE_MODEL}", "--output=o"),
        produces="o.om",
        open_questions=(question,),
    )
    script = plan_script(plan(step))
    code, said = run(script, tmp_path)
    assert code != 0
    assert said == []
    code, said = run(script, tmp_path, SOURCE_MODEL="a b$(x).onnx")
    assert code == 0
    assert said == ["atc", "--model=a b$(x).onnx", "--output=o"]
    assert not (tmp_path / "pwned").exists()


def test_side_files_are_written_and_checks_are_run(tmp_path: Path) -> None:
    step = Step(
        "a",
        "rebuild",
        "t",
        command=("atc", "--op_precision_mode=p.ini", "--output=o"),
        produces="o.om",
        side_files=(SideFile("op_precision_mode", "../p.ini", "[ByOpType]\nA='x'\n"),),
    )
    check = Step("b", "verify", "t", model="o.om", check="preflight check 'a b.om' --target T")
    code, said = run(plan_script(plan(step, check)), tmp_path)
    assert code == 0
    assert (tmp_path / "p.ini").read_text() == "[ByOpType]\nA='x'\n"
    assert said[3:] == ["preflight", "check", "a b.om", "--target", "T"]
