"""Changing a plan by hand: what is allowed happens, what is not says why."""

from __future__ import annotations

import datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from preflight.errors import UsageError
from preflight.plan.edit import (
    answer_question,
    move_plan_step,
    remove_plan_step,
    reword_plan_step,
    waive_in_plan,
)
from preflight.plan.files import plan_from_toml, plan_problems, plan_to_toml
from preflight.plan.model import FileUse, OpenQuestion, Plan, PlanWaiver, Step
from tests.plan.plans import manual, plan

TODAY = datetime.date(2026, 1, 1)
WAIVER = PlanWaiver("PF301", "the device is replaced next week", datetime.date(2026, 2, 1), "ff")


def ids(made: Plan) -> list[str]:
    return [step.id for step in made.steps]


def build(**more: object) -> Step:
    values = {
        "command": ("atc", "--model={SOURCE_MODEL}", "--framework={FRAMEWORK}", "--output=new"),
        "produces": "/m/new.om",
        "open_questions": (
            OpenQuestion("SOURCE_MODEL", "model", "where is it?"),
            OpenQuestion("FRAMEWORK", "framework", "which?"),
        ),
        **more,
    }
    return Step("build", "rebuild", "Build", **values)  # type: ignore[arg-type]


def test_a_step_moves_within_its_preconditions() -> None:
    made = plan(manual("a"), manual("b"), manual("c", "a"))
    assert ids(move_plan_step(made, "b", -1)) == ["b", "a", "c"]
    assert ids(move_plan_step(made, "c", -1)) == ["a", "c", "b"]
    with pytest.raises(UsageError, match="step c needs a before it"):
        move_plan_step(made, "c", -2)
    with pytest.raises(UsageError, match="step c needs a before it"):
        move_plan_step(made, "a", 2)


def test_a_step_at_the_end_stays_there() -> None:
    made = plan(manual("a"), manual("b"))
    assert move_plan_step(made, "b", 1) == made
    assert move_plan_step(made, "a", -5) == made


def test_removing_a_step_keeps_the_order_it_stood_for() -> None:
    made = remove_plan_step(plan(manual("a"), manual("b", "a"), manual("c", "b")), "b")
    assert ids(made) == ["a", "c"]
    assert made.steps[1].requires == ("a",)


def test_an_edited_plan_no_longer_says_what_the_old_one_led_to() -> None:
    made = plan(manual("a"), manual("b"), build())
    assert made.path.predicted == "ok"
    for edited in (
        move_plan_step(made, "a", 1),
        remove_plan_step(made, "a"),
        reword_plan_step(made, "a", title="other"),
        answer_question(made, "build", "framework", "5"),
        waive_in_plan(made, WAIVER, TODAY),
    ):
        assert edited.path.predicted == "unknown"
        assert edited.path.title == made.path.title


def test_an_unknown_step_is_named() -> None:
    with pytest.raises(UsageError, match="no step 'z'"):
        remove_plan_step(plan(manual("a")), "z")


def test_texts_change_and_nothing_else() -> None:
    made = reword_plan_step(plan(manual("a")), "a", title="Other", undo="back")
    assert (made.steps[0].title, made.steps[0].undo) == ("Other", "back")
    with pytest.raises(UsageError, match="command"):
        reword_plan_step(made, "a", command="rm")
    with pytest.raises(UsageError, match="title"):
        reword_plan_step(made, "a", title=" ")
    with pytest.raises(UsageError, match="neither a command nor an instruction"):
        reword_plan_step(made, "a", instruction="")


def test_an_answer_fills_the_command_and_closes_the_question() -> None:
    made = answer_question(plan(build()), "build", "framework", "5")
    assert made.steps[0].command[2] == "--framework=5"
    assert [q.option for q in made.steps[0].open_questions] == ["model"]


def test_a_file_becomes_an_absolute_path_and_is_looked_for(tmp_path: Path) -> None:
    source = tmp_path / "net.onnx"
    need = FileUse("model", "old.onnx", "the source model", "missing")
    made = answer_question(plan(build(needs=(need,))), "build", "model", str(source))
    assert made.steps[0].needs[0].place == "missing"
    source.write_text("")
    made = answer_question(made, "build", "model", str(source))
    assert made.steps[0].needs[0] == FileUse("model", str(source), "the source model", "found")
    assert made.steps[0].command[1] == f"--model={source}"
    relative = answer_question(plan(build()), "build", "model", "net.onnx")
    assert Path(relative.steps[0].command[1].removeprefix("--model=")).is_absolute()


@pytest.mark.parametrize("value", ["", "  ", "a\nb", "a\0"])
def test_an_answer_that_is_none_is_refused(value: str) -> None:
    with pytest.raises(UsageError, match="no value"):
        answer_question(plan(build()), "build", "framework", value)


def test_an_option_that_the_command_does_not_have_is_refused() -> None:
    with pytest.raises(UsageError, match="--frame"):
        answer_question(plan(build()), "build", "frame", "5")


def test_a_waiver_comes_first_and_needs_a_reason_and_a_future_date() -> None:
    made = waive_in_plan(plan(manual("a")), WAIVER, TODAY)
    assert ids(made) == ["waive-1", "a"]
    assert made.steps[0].waiver == WAIVER
    assert plan_from_toml(plan_to_toml(made)) == made
    with pytest.raises(UsageError, match="reason"):
        waive_in_plan(made, PlanWaiver("PF302", " ", WAIVER.expires), TODAY)
    with pytest.raises(UsageError, match="after today"):
        waive_in_plan(made, PlanWaiver("PF302", "why", TODAY), TODAY)
    with pytest.raises(UsageError, match="already"):
        waive_in_plan(made, WAIVER, TODAY)


@given(
    st.lists(st.tuples(st.integers(0, 5), st.integers(-3, 3)), max_size=12),
    st.lists(st.integers(0, 4), max_size=6),
)
def test_no_order_of_moves_and_removals_breaks_a_precondition(
    shifts: list[tuple[int, int]], needed: list[int]
) -> None:
    steps = [
        manual(f"s{n}", *({f"s{needed[n] % n}"} if 0 < n < len(needed) else ())) for n in range(6)
    ]
    made = plan(*steps)
    for number, (which, by) in enumerate(shifts):
        chosen = made.steps[which % len(made.steps)].id
        try:
            made = move_plan_step(made, chosen, by)
        except UsageError:
            pass
        if number % 4 == 3 and len(made.steps) > 1:
            made = remove_plan_step(made, chosen)
        assert not list(plan_problems(made))
