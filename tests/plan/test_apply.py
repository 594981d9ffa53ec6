"""Carrying out plans: every failure ends in the state before or the state after."""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from preflight.errors import UsageError
from preflight.plan import apply as apply_module
from preflight.plan import staging
from preflight.plan.apply import ApplyResult, apply_plan, rollback_plan
from preflight.plan.execute import ApplyOptions
from preflight.plan.files import write_plan
from preflight.plan.guards import PlanOutdatedError
from preflight.plan.journal import Journal, journal_path, read_journal, states_of
from preflight.plan.model import FileUse, ModelFacts, OpenQuestion, PlanWaiver, Step
from tests.plan import stand_in
from tests.plan.plans import EXPIRY, TARGET, manual, plan


def rebuild_step(folder: Path, step_id: str = "build", **more: Any) -> Step:
    new = folder / f"{step_id}.om"
    values: dict[str, Any] = {
        "requires": (),
        "produces": str(new),
        "command": ("atc", "--model=/m.onnx", f"--output={folder / step_id}", "--soc_version=S"),
        "undo": f"delete {new}",
    }
    return Step(step_id, "rebuild", f"build {step_id}", **(values | more))


def scenario(folder: Path, *steps: Step) -> Path:
    """A model, a plan for it with these steps, and the plan's path."""
    model = folder / "m.om"
    model.write_text("MODEL old")
    content = model.read_bytes()
    facts = ModelFacts(str(model), hashlib.sha256(content).hexdigest(), len(content), "om")
    target = msgspec.structs.replace(TARGET, fingerprint=stand_in.target(TARGET.spec).fingerprint)
    path = folder / "p.toml"
    write_plan(plan(*steps, models=(facts,), target=target), path)
    return path


def options(folder: Path, mode: str = "ok", **more: Any) -> ApplyOptions:
    return ApplyOptions(
        **({"yes": True, "programs": {"atc": stand_in.program(folder, mode)}} | more)
    )


def visible(folder: Path) -> dict[str, str]:
    """The files that belong to the user, by content: no journal, no logs, no stand-in."""
    ours = ("p.journal.jsonl", "atc-")
    return {
        str(p.relative_to(folder)): p.read_text()
        for p in sorted(folder.rglob("*"))
        if p.is_file() and not p.name.startswith(ours) and p.parent.name != "p.logs"
    }


def statuses(result: ApplyResult) -> dict[str, str]:
    return {outcome.step: outcome.status for outcome in result.steps}


def run(path: Path, mode: str = "ok", **more: Any) -> ApplyResult:
    return apply_plan(path, options(path.parent, mode, **more), stand_in.BENCH)


def whole(folder: Path) -> Path:
    """A rebuild, a person's work, a check and a comparison."""
    new = str(folder / "build.om")
    return scenario(
        folder,
        rebuild_step(folder),
        manual("env", "build", undo="unset it"),
        Step("check", "verify", "check", ("build",), model=new),
        Step("compare", "verify", "compare", ("build",), model=new, against=str(folder / "m.om")),
    )


def test_a_plan_is_carried_out_once(tmp_path: Path) -> None:
    path = whole(tmp_path)
    result = run(path)
    assert result.status == "done"
    assert set(statuses(result).values()) == {"done"}
    assert visible(tmp_path)["build.om"] == "MODEL new"
    assert visible(tmp_path)["m.om"] == "MODEL old"
    before = journal_path(path).read_bytes()
    again = run(path, "fail")
    assert again.status == "done"
    assert len(journal_path(path).read_bytes()) < len(before) * 2
    log = (tmp_path / "p.logs" / "build-1.log").read_text()
    assert "'--model=/m.onnx'" in log


def test_rollback_restores_and_names_what_a_person_must_undo(tmp_path: Path) -> None:
    path = whole(tmp_path)
    before = visible(tmp_path)
    run(path)
    result = rollback_plan(path)
    assert visible(tmp_path) == before
    assert result.left == ("env: unset it",)
    agreed = rollback_plan(path, ApplyOptions(confirm=lambda step, question: True))
    assert agreed.left == ()
    assert run(path).status == "done"


@pytest.mark.parametrize(
    ("mode", "said"),
    [
        ("fail", "code 3"),
        ("signal", "code -9"),
        ("nothing", "it wrote none"),
        ("two", "build.om, build2.om"),
        ("junk", "not a sound model"),
    ],
)
def test_a_failing_build_leaves_the_state_before(tmp_path: Path, mode: str, said: str) -> None:
    path = whole(tmp_path)
    before = visible(tmp_path)
    result = run(path, mode)
    assert result.status == "failed"
    assert said in result.error
    assert result.exit_code == 4
    assert visible(tmp_path) == before
    assert statuses(result)["build"] == "failed"
    assert run(path).status == "done"


def test_a_build_that_hangs_is_ended_with_its_children(tmp_path: Path) -> None:
    path = scenario(tmp_path, rebuild_step(tmp_path))
    before = visible(tmp_path)
    result = run(path, "hang", timeout=1.0)
    assert "longer than 1 seconds" in result.error
    assert visible(tmp_path) == before
    program = stand_in.program(tmp_path, "hang").encode()
    running = [p for p in Path("/proc").glob("[0-9]*/cmdline") if program in _content(p)]
    assert running == []


def test_a_running_build_that_the_user_stops_is_ended_and_taken_back(tmp_path: Path) -> None:
    path = scenario(tmp_path, rebuild_step(tmp_path))
    before = visible(tmp_path)
    result = run(path, "hang", cancelled=lambda: True)
    assert (result.status, statuses(result)) == ("failed", {"build": "failed"})
    assert "stopped while its command ran" in result.error
    assert visible(tmp_path) == before
    assert statuses(run(path, "ok", cancelled=lambda: False)) == {"build": "done"}


def _content(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""


def test_a_failed_verification_takes_the_build_back(tmp_path: Path) -> None:
    path = whole(tmp_path)
    before = visible(tmp_path)
    bench = replace(stand_in.BENCH, compare_models=lambda o, n: ("different interface", ("x",)))
    result = apply_plan(path, options(tmp_path), bench)
    assert result.status == "failed"
    assert visible(tmp_path) == before
    assert statuses(result) == {
        "build": "undone",
        "env": "done",
        "check": "undone",
        "compare": "failed",
    }
    assert result.left == ("env: unset it",)


def test_finished_steps_can_be_kept(tmp_path: Path) -> None:
    path = whole(tmp_path)
    bench = replace(stand_in.BENCH, compare_models=lambda o, n: ("different interface", ("x",)))
    result = apply_plan(path, options(tmp_path, keep=True), bench)
    assert statuses(result)["build"] == "done"
    assert "build.om" in visible(tmp_path)
    assert run(path).status == "done"


def test_weights_come_along_and_go_away_together(tmp_path: Path) -> None:
    path = scenario(tmp_path, rebuild_step(tmp_path))
    before = visible(tmp_path)
    assert run(path, "weights").status == "done"
    names = set(visible(tmp_path)) - set(before)
    assert names == {
        "build.om",
        "build.om.fusion_result.json",
        "weight/weight_1",
        "weight/weight_2",
    }
    rollback_plan(path)
    assert visible(tmp_path) == before
    assert not (tmp_path / "weight").exists()


def test_the_host_in_the_file_name_is_taken_off(tmp_path: Path) -> None:
    path = scenario(tmp_path, rebuild_step(tmp_path))
    assert run(path, "host").status == "done"
    assert visible(tmp_path)["build.om"] == "MODEL new"


def test_nothing_that_exists_is_overwritten(tmp_path: Path) -> None:
    path = scenario(tmp_path, rebuild_step(tmp_path))
    (tmp_path / "build.om").write_text("mine")
    assert "is there already" in run(path).error
    assert visible(tmp_path)["build.om"] == "mine"
    (tmp_path / "build.om").unlink()
    (tmp_path / "weight").mkdir()
    (tmp_path / "weight" / "old").write_text("mine")
    assert "is there already" in run(path, "weights").error
    assert visible(tmp_path)["weight/old"] == "mine"


def test_a_file_changed_since_is_left(tmp_path: Path) -> None:
    path = scenario(tmp_path, rebuild_step(tmp_path))
    run(path)
    (tmp_path / "build.om").write_text("MODEL mine")
    result = rollback_plan(path)
    assert len(result.left) == 1
    assert "was changed" in result.left[0]
    assert result.exit_code == 1
    assert visible(tmp_path)["build.om"] == "MODEL mine"


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"command": ("rm", "--output=x")}, "'rm' is not a program"),
        ({"command": ("atc", "--model=x")}, "no --output="),
        ({"open_questions": (OpenQuestion("M", "model", "which model?"),)}, "which model"),
        ({"problems": ("odd",)}, "odd"),
        ({"needs": (FileUse("model", "a.onnx", "the source", "relative"),)}, "the source"),
        ({"needs": (FileUse("model", "/none/a.onnx", "the source", "found"),)}, "/none/a.onnx"),
    ],
)
def test_a_step_that_is_not_ready_is_refused(
    tmp_path: Path, changes: dict[str, Any], said: str
) -> None:
    path = scenario(tmp_path, rebuild_step(tmp_path, **changes))
    before = visible(tmp_path)
    dry = apply_plan(path, options(tmp_path, dry_run=True), stand_in.BENCH)
    assert said in dry.steps[0].detail
    result = run(path)
    assert result.status == "stopped"
    assert result.exit_code == 1
    assert said in result.error
    assert visible(tmp_path) == before
    assert not (tmp_path / "p.logs").exists()


def test_a_step_that_is_not_ready_takes_nothing_back(tmp_path: Path) -> None:
    missing = FileUse("model", str(tmp_path / "edited.onnx"), "the source", "missing")
    path = scenario(
        tmp_path,
        manual("edit", kind="edit_source_model"),
        rebuild_step(tmp_path, requires=("edit",), needs=(missing,)),
    )
    result = run(path)
    assert statuses(result) == {"edit": "done", "build": "pending"}
    assert "edited.onnx" in result.error
    (tmp_path / "edited.onnx").write_text("onnx")
    assert run(path).status == "done"


def test_a_missing_program_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path / "empty"))
    path = scenario(tmp_path, rebuild_step(tmp_path))
    result = apply_plan(path, ApplyOptions(yes=True), stand_in.BENCH)
    assert "atc was not found" in result.error
    assert "--program" in result.hint


def test_a_changed_model_or_target_is_refused(tmp_path: Path) -> None:
    path = whole(tmp_path)
    (tmp_path / "m.om").write_text("MODEL another")
    with pytest.raises(PlanOutdatedError, match=r"m\.om is not the file"):
        run(path)
    (tmp_path / "m.om").write_text("MODEL old")
    moved = replace(
        stand_in.BENCH, load_target=lambda spec: replace(stand_in.target(spec), fingerprint="x")
    )
    with pytest.raises(PlanOutdatedError, match="not what it was"):
        apply_plan(path, options(tmp_path), moved)
    assert not journal_path(path).exists() or read_journal(journal_path(path)) == []


def test_a_target_that_the_plan_itself_changed_is_accepted(tmp_path: Path) -> None:
    path = scenario(tmp_path, manual("move", kind="change_target"), rebuild_step(tmp_path))
    run(path, only="move")
    moved = replace(
        stand_in.BENCH, load_target=lambda spec: replace(stand_in.target(spec), fingerprint="x")
    )
    assert apply_plan(path, options(tmp_path), moved).status == "done"


def test_a_plan_edited_after_steps_were_done_is_refused(tmp_path: Path) -> None:
    path = whole(tmp_path)
    run(path, only="build")
    path.write_text(path.read_text().replace("do env", "do ENV"))
    with pytest.raises(UsageError, match="was edited"):
        run(path)
    rollback_plan(path)
    assert run(path).status == "done"


def test_single_steps_in_their_order(tmp_path: Path) -> None:
    path = whole(tmp_path)
    with pytest.raises(UsageError, match="needs build first"):
        run(path, only="check")
    with pytest.raises(UsageError, match="no step 'x'"):
        run(path, only="x")
    assert statuses(run(path, only="1")) == {
        "build": "done",
        "env": "pending",
        "check": "pending",
        "compare": "pending",
    }
    assert statuses(run(path, only="check"))["check"] == "done"


def test_a_person_may_say_no(tmp_path: Path) -> None:
    path = whole(tmp_path)
    asked: list[tuple[str, str]] = []

    def confirm(step: Step, question: str) -> bool:
        asked.append((step.id, question))
        return step.id == "build"

    result = run(path, yes=False, confirm=confirm)
    assert result.status == "stopped"
    assert asked == [("build", "run this command?"), ("env", "is this done?")]
    assert statuses(result)["build"] == "done"
    assert statuses(result)["env"] == "pending"


def test_a_waiver_that_ran_out_stops_the_plan(tmp_path: Path) -> None:
    good = Step("w", "waive", "w", waiver=PlanWaiver("PF1", "known", EXPIRY))
    old = PlanWaiver("PF1", "known", EXPIRY.replace(year=2001))
    assert run(scenario(tmp_path, good)).status == "done"
    journal_path(tmp_path / "p.toml").unlink()
    result = run(scenario(tmp_path, msgspec.structs.replace(good, waiver=old)))
    assert "expired on 2001" in result.error


def test_a_dry_run_changes_nothing(tmp_path: Path) -> None:
    path = whole(tmp_path)
    chosen = options(tmp_path, dry_run=True)
    before = sorted(p.name for p in tmp_path.iterdir())
    result = apply_plan(path, chosen, stand_in.BENCH)
    assert sorted(p.name for p in tmp_path.iterdir()) == before
    assert set(statuses(result).values()) == {"would run"}
    assert result.steps[0].detail.startswith(chosen.programs["atc"])


class KilledError(BaseException):
    """The process ends here: nothing but `finally` runs."""


@contextmanager
def killed_at(number: int, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[int]]:
    """Ends the process before and after each journal line, rename, removal and digest in turn."""
    count = [0]

    def point() -> None:
        count[0] += 1
        if count[0] == number:
            raise KilledError

    def around(function: Callable[..., Any]) -> Callable[..., Any]:
        def wrapped(*args: Any, **values: Any) -> Any:
            point()
            result = function(*args, **values)
            point()
            return result

        return wrapped

    with monkeypatch.context() as patch:
        patch.setattr(Journal, "write", around(Journal.write))
        patch.setattr(Path, "rename", around(Path.rename))
        patch.setattr(Path, "unlink", around(Path.unlink))
        patch.setattr(Path, "mkdir", around(Path.mkdir))
        patch.setattr(staging, "remove_folder", around(staging.remove_folder))
        patch.setattr(staging, "digests", around(staging.digests))
        patch.setattr(apply_module, "run_program", around(apply_module.run_program))
        yield count


def build_twice(folder: Path) -> Path:
    return scenario(
        folder,
        rebuild_step(folder, "one"),
        Step("check", "verify", "check", ("one",), model=str(folder / "one.om")),
    )


def write_outputs(argv: list[str], folder: Path, log: Path, timeout: float) -> int:
    """In place of a process: what the stand-in writes in mode weights."""
    (folder / "one.om").write_text("MODEL new")
    (folder / "weight").mkdir()
    (folder / "weight" / "weight_1").write_text("w1")
    return 0


AFTER = {"one.om": "MODEL new", "weight/weight_1": "w1"}


@pytest.mark.parametrize("then", ["apply", "rollback"])
def test_killed_anywhere_it_resumes_or_goes_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, then: str
) -> None:
    monkeypatch.setattr(apply_module, "run_program", write_outputs)
    number, finished = 0, False
    while not finished:
        number += 1
        folder = tmp_path / str(number)
        folder.mkdir()
        path = build_twice(folder)
        before = visible(folder)
        chosen = options(folder)
        with killed_at(number, monkeypatch) as count:
            try:
                apply_plan(path, chosen, stand_in.BENCH)
            except KilledError:
                pass
            finished = count[0] < number
        told = states_of(read_journal(journal_path(path)))
        status = told["one"].status if "one" in told else "pending"
        made = {k: v for k, v in visible(folder).items() if not k.startswith(".preflight")}
        if status in ("pending", "started"):
            assert made == before, number
        elif status == "done":
            assert made == before | AFTER, number
        else:
            assert status == "committing"
        if then == "apply":
            assert apply_plan(path, chosen, stand_in.BENCH).status == "done"
            assert visible(folder) == before | AFTER, number
        elif journal_path(path).exists():
            rollback_plan(path)
            assert visible(folder) == before, number
        assert not list(folder.glob(".preflight-*")), number
    assert number > 20


def test_a_rollback_killed_anywhere_is_finished(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(apply_module, "run_program", write_outputs)
    number, finished = 0, False
    while not finished:
        number += 1
        folder = tmp_path / str(number)
        folder.mkdir()
        path = build_twice(folder)
        before = visible(folder)
        apply_plan(path, options(folder), stand_in.BENCH)
        with killed_at(number, monkeypatch) as count:
            try:
                rollback_plan(path)
            except KilledError:
                pass
            finished = count[0] < number
        rollback_plan(path)
        assert visible(folder) == before, number
        assert not (folder / "weight").exists()
    assert number > 5


def test_a_real_kill_is_picked_up(tmp_path: Path) -> None:
    """SIGKILL to the process while the stand-in hangs."""
    import subprocess
    import sys

    path = scenario(tmp_path, rebuild_step(tmp_path))
    before = visible(tmp_path)
    hanging = stand_in.program(tmp_path, "hang")
    code = (
        "from preflight.plan.apply import apply_plan; from preflight.plan.execute import ApplyOptions\n"
        "from tests.plan import stand_in\n"
        f"apply_plan({str(path)!r}, ApplyOptions(yes=True, programs={{'atc': {hanging!r}}}), stand_in.BENCH)"
    )
    process = subprocess.Popen([sys.executable, "-c", code], cwd=Path(__file__).parents[2])
    log = tmp_path / "p.logs" / "build-1.log"
    deadline = time.monotonic() + 30
    while not (log.exists() and log.read_text()) and time.monotonic() < deadline:
        time.sleep(0.05)
    with pytest.raises(UsageError, match="another preflight"):
        run(path)
    process.kill()
    process.wait()
    for proc in Path("/proc").glob("[0-9]*/cmdline"):
        if hanging.encode() in _content(proc):
            os.kill(int(proc.parent.name), 9)
    assert {k: v for k, v in visible(tmp_path).items() if not k.startswith(".")} == before
    assert run(path).status == "done"
    assert visible(tmp_path) == before | {"build.om": "MODEL new"}
    assert not list(tmp_path.glob(".preflight-*"))
