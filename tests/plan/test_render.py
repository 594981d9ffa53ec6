"""What is shown of plans: the answer first, a command last, nothing from a file unescaped."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import msgspec
from hypothesis import given, settings
from msgspec.structs import replace

from preflight.model.file import read_model
from preflight.plan.apply import ApplyResult, StepOutcome
from preflight.plan.model import ModelFacts, Plan
from preflight.plan.paths import PlanOptions
from preflight.plan.solve import solve
from preflight.render.plan_json import plan_json, result_json, ways_json
from preflight.render.plan_shell import plan_script
from preflight.render.plan_text import plan_text, result_text, ways_text
from preflight.target.resolve import load_target
from tests.plan.plans import MODEL, manual, plan, plans

SCENARIOS = Path(__file__).resolve().parent / "scenarios"
TARGET = "8.1.RC1/Ascend910B3/linux-aarch64"


@settings(max_examples=40, deadline=None)
@given(plans())
def test_nothing_in_a_plan_reaches_the_terminal_raw(made: Plan) -> None:
    for text in (plan_text(made, "p.toml"), plan_script(made)):
        assert [c for c in text if not c.isprintable() and c != "\n"] == []
    document = json.loads(plan_json(made, {}))
    assert set(document) == {*Plan.__struct_fields__, "states"}
    assert len(document["steps"]) == len(made.steps)


def test_a_model_name_cannot_colour_or_add_lines() -> None:
    facts = ModelFacts("/m/\x1b[31mred\nnext: rm.om", MODEL.sha256, 1)
    made = plan(manual("a"), models=(facts,))
    lines = plan_text(made, "p.toml").splitlines()
    assert lines[0].startswith("\\x1b[31mred\\nnext: rm.om on ")
    assert lines[-1] == "next: preflight apply p.toml --dry-run"


def test_ways_answer_first_and_end_in_a_command() -> None:
    found = solve(
        [read_model(SCENARIOS / "plain_910B.om")], load_target(TARGET), PlanOptions(spec=TARGET)
    )
    lines = ways_text(found.candidates, 0).splitlines()
    assert lines[0] == (
        f"plain_910B.om on {TARGET}: does not run as it is; best way: compile it again"
    )
    assert max(len(line) for line in lines[:-1] if "/" not in line) <= 100
    again = ways_text(found.candidates, 0, again="preflight plan a.om --set model=b").splitlines()
    assert again[-1] == "next: preflight plan a.om --set model=b -o plan.toml"
    assert lines[-1].startswith("next: preflight plan ")
    assert lines[-1].endswith("-o plan.toml")
    document = json.loads(ways_json(found.candidates, 0))
    assert [way["number"] for way in document["ways"]] == [1, 2, 3]
    assert document["ways"][0]["models"][0]["predicted"] == "ok"


def test_results_say_what_comes_next() -> None:
    done = StepOutcome("a", "A", "done")
    pending = StepOutcome("b", "B", "pending")
    cases = {
        ("done", (done,)): ("done", "preflight rollback p.toml   # to undo"),
        ("done", (done, pending)): ("done so far; 1 step(s) are left", "preflight apply p.toml"),
        ("failed", (pending,)): ("failed, and everything", "preflight apply p.toml"),
        ("failed", (done,)): ("failed; the failed step is undone", "preflight apply p.toml"),
        ("stopped", (pending,)): ("stopped", "preflight apply p.toml"),
        ("rolled_back", ()): ("rolled back", "preflight plan show p.toml"),
    }
    for (status, steps), (first, last) in cases.items():
        result = ApplyResult(status, steps, "j", left=("undo \x07 it",))
        lines = result_text(result, "p.toml").splitlines()
        assert lines[0].startswith(first), status
        assert lines[-1] == f"next: {last}"
        assert "  by hand: undo \\x07 it" in lines
        assert json.loads(result_json(result))["status"] == status


def test_empty_fields_are_there_for_programs() -> None:
    document = json.loads(plan_json(plan(manual("a"))))
    step = document["steps"][0]
    assert step["roll_out"] is None
    assert step["command"] == []
    assert set(step) == set(msgspec.structs.asdict(manual("a")))


def test_a_command_over_several_lines_is_the_same_command() -> None:
    words = ("atc", *(f"--option_{n}=/some/where/with a blank/{n}" for n in range(9)))
    build = msgspec.structs.replace(
        manual("a", kind="rebuild"), command=words, produces="/m/new.om", instruction=""
    )
    text = plan_text(plan(build), "p.toml")
    start = text.index("run: ") + len("run: ")
    shown = text[start:].split("\n\n")[0]
    assert shlex.split(shown.replace("\\\n", " ")) == list(words)
    assert max(len(line) for line in shown.splitlines()) <= 100


def test_a_way_with_thousands_of_steps_is_not_printed_whole() -> None:
    found = solve(
        [read_model(SCENARIOS / "plain_910B.om")], load_target(TARGET), PlanOptions(spec=TARGET)
    )
    best = found.best
    many = tuple(manual(f"s{n}") for n in range(900))
    long = replace(best, plan=msgspec.structs.replace(best.plan, steps=many))
    lines = ways_text([long], 0).splitlines()
    assert len(lines) < 150
    assert "  and 860 more: preflight plan show PLAN shows all" in lines


def test_a_plan_says_how_far_it_is() -> None:
    made = plan(manual("a"), manual("b"))
    first = [
        plan_text(made, "p", s).splitlines()
        for s in ({}, {"a": "done"}, {"a": "done", "b": "done"})
    ]
    assert [lines[0].rpartition(": ")[2] for lines in first] == [
        "a plan of 2 steps, not begun",
        "1 of 2 steps done",
        "a plan of 2 steps, all done",
    ]
    assert first[2][-1] == "next: preflight rollback p   # to undo"
