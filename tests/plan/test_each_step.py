"""A fault in any step of a full plan: the state before or after, said by the journal, undone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from preflight.checks.engine import Result
from preflight.checks.verdicts import Verdicts
from preflight.errors import MalformedInput
from preflight.findings import (
    Certainty,
    Consequence,
    Finding,
    PathVerdict,
    Severity,
    Status,
)
from preflight.model.manifest import ModelFile
from preflight.plan.apply import apply_plan, rollback_plan
from preflight.plan.execute import ApplyOptions
from preflight.plan.journal import journal_path, read_journal, states_of
from preflight.plan.model import RollOut, Step
from preflight.target.types import Target
from tests.plan import stand_in
from tests.plan.plans import manual
from tests.plan.test_apply import options, rebuild_step, scenario, visible

STEPS = ("edit", "libraries", "build", "check", "compare", "tensors", "roll-out")
BY_A_PERSON = ("edit", "libraries", "tensors", "roll-out")
MACHINE = ("build", "check", "compare", "tensors")


def full_plan(folder: Path) -> Path:
    new, old = str(folder / "build.om"), str(folder / "m.om")
    roll_out = RollOut(("allowlist", "1 %", "all"), "errors", "load the old one")
    return scenario(
        folder,
        manual("edit", kind="edit_source_model", model=old),
        manual("libraries", kind="embed_host_libraries", model=old),
        rebuild_step(folder, requires=("edit", "libraries")),
        Step("check", "verify", "check", ("build",), model=new),
        Step("compare", "verify", "compare", ("build",), model=new, against=old),
        Step(
            "tensors",
            "verify",
            "t",
            ("check",),
            model=new,
            tensors=("a", "b"),
            instruction="run it",
        ),
        manual("roll-out", "tensors", "compare", kind="roll_out", model=new, roll_out=roll_out),
    )


def blocked(model: ModelFile, target: Target) -> Result:
    finding = Finding(
        "PF301", "soc", "SoC", Severity.ERROR, Consequence.LOAD, Certainty.CERTAIN, "no"
    )
    bad = PathVerdict(Status.BLOCKED)
    return Result((finding,), (), (), (), frozenset(), Verdicts(bad, bad))


def broken(*_: Any) -> Any:
    raise MalformedInput("the file is damaged")


FAULTS: dict[str, dict[str, Any]] = {
    "check": {"check": blocked},
    "compare": {"compare_models": lambda a, b: ("different interface", ("x",))},
    "tensors": {"compare_tensors": lambda a, b, m: (False, ("relu",))},
}


def attempt(path: Path, failing: str, faults: dict[str, Any]) -> tuple[str, dict[str, str]]:
    """Apply with that step failing; the status and what the journal says of each step."""
    mode = "fail" if failing == "build" and not faults else "ok"
    result = apply_plan(path, options(path.parent, mode), replace(stand_in.BENCH, **faults))
    states = states_of(read_journal(journal_path(path)))
    return result.status, {s: states[s].status if s in states else "pending" for s in STEPS}


@pytest.mark.parametrize("failing", MACHINE)
def test_a_step_that_fails_takes_everything_back(tmp_path: Path, failing: str) -> None:
    path = full_plan(tmp_path)
    before = visible(tmp_path)
    status, told = attempt(path, failing, FAULTS.get(failing, {}))
    assert status == "failed"
    assert visible(tmp_path) == before
    place = STEPS.index(failing)
    assert told[failing] == "failed"
    for name in STEPS[:place]:
        # A person's work stays theirs to undo; what preflight did is undone.
        assert told[name] == ("done" if name in BY_A_PERSON else "undone"), name
    assert all(told[name] == "pending" for name in STEPS[place + 1 :])
    assert apply_plan(path, options(tmp_path), stand_in.BENCH).status == "done"
    rollback_plan(path, ApplyOptions(confirm=lambda step, question: True))
    assert visible(tmp_path) == before


@pytest.mark.parametrize("declined", BY_A_PERSON)
def test_a_person_who_stops_keeps_what_is_done_and_can_go_back(
    tmp_path: Path, declined: str
) -> None:
    path = full_plan(tmp_path)
    before = visible(tmp_path)
    chosen = options(tmp_path, yes=False, confirm=lambda step, question: step.id != declined)
    assert apply_plan(path, chosen, stand_in.BENCH).status == "stopped"
    states = states_of(read_journal(journal_path(path)))
    place = STEPS.index(declined)
    assert [s for s in STEPS if s in states and states[s].status == "done"] == list(STEPS[:place])
    assert ("build.om" in visible(tmp_path)) == (place > STEPS.index("build"))
    rollback_plan(path, ApplyOptions(confirm=lambda step, question: True))
    assert visible(tmp_path) == before


def test_what_cannot_be_looked_at_stops_before_anything_begins(tmp_path: Path) -> None:
    path = full_plan(tmp_path)
    before = visible(tmp_path)
    with pytest.raises(MalformedInput):
        attempt(path, "check", {"load_target": broken})
    assert visible(tmp_path) == before


@pytest.mark.parametrize("number", range(1, len(STEPS) + 1))
def test_one_step_at_a_time(tmp_path: Path, number: int) -> None:
    """`--step N` does that step and no other, in any order that their conditions allow."""
    path = full_plan(tmp_path)
    for step in range(1, number + 1):
        assert apply_plan(path, options(tmp_path, only=str(step)), stand_in.BENCH).status == "done"
    states = states_of(read_journal(journal_path(path)))
    assert [s for s in STEPS if s in states] == list(STEPS[:number])
    assert apply_plan(path, options(tmp_path), stand_in.BENCH).status == "done"
