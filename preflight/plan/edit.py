"""Changes that a person makes to a plan: each function gives a new plan or says why it cannot.

What an edited plan leads to is unknown until it is judged again, and it says so.
"""

from __future__ import annotations

import datetime
from collections.abc import Callable
from pathlib import Path

import msgspec

from preflight.errors import UsageError
from preflight.findings import Status
from preflight.plan.files import plan_problems
from preflight.plan.model import FileUse, Plan, PlanWaiver, Step
from preflight.plan.solve import plan_without

# What a person may say in other words; everything else of a step is what it does.
TEXT_FIELDS = ("title", "instruction", "expected", "check", "undo")


def move_plan_step(plan: Plan, step_id: str, by: int) -> Plan:
    """The plan with a step `by` places later (earlier when negative), as far as the ends.

    Raises UsageError naming the step that has to come first.
    """
    order = list(plan.steps)
    here = _index(plan, step_id)
    there = max(0, min(len(order) - 1, here + by))
    moving = order.pop(here)
    passed = order[min(here, there) : max(here, there)]
    for other in passed:
        first, second = (moving, other) if there > here else (other, moving)
        if first.id in second.requires:
            raise UsageError(f"step {second.id} needs {first.id} before it")
    order.insert(there, moving)
    if tuple(order) == plan.steps:
        return plan
    return _checked(msgspec.structs.replace(plan, steps=tuple(order)))


def remove_plan_step(plan: Plan, step_id: str) -> Plan:
    """The plan without a step; what required it now requires what it required.

    Raises UsageError for an unknown id.
    """
    gone = plan.steps[_index(plan, step_id)]
    steps = []
    for step in plan.steps:
        if step_id in step.requires:
            bridged = dict.fromkeys((*step.requires, *gone.requires))
            step = msgspec.structs.replace(step, requires=tuple(bridged))
        steps.append(step)
    bridging = msgspec.structs.replace(plan, steps=tuple(steps))
    return unjudged(plan_without(bridging, step_id))


def reword_plan_step(plan: Plan, step_id: str, **texts: str) -> Plan:
    """The plan with some of TEXT_FIELDS of a step replaced.

    Raises UsageError for another field, an empty title, or a step that would say nothing.
    """
    odd = sorted(set(texts) - set(TEXT_FIELDS))
    if odd:
        raise UsageError(f"{', '.join(odd)} of a step cannot be reworded")
    if not texts.get("title", "x").strip():
        raise UsageError(f"step {step_id} needs a title")
    return _with_step(plan, msgspec.structs.replace(_step(plan, step_id), **texts))


def answer_question(
    plan: Plan,
    step_id: str,
    option: str,
    value: str,
    exists: Callable[[Path], bool] = Path.exists,
) -> Plan:
    """The plan with the value of one option of a step's command filled in or replaced.

    A file that the command reads becomes an absolute path. Raises UsageError when the step has no
    such option, or for an empty value.
    """
    step = _step(plan, step_id)
    prefix = f"--{option}="
    if not any(argument.startswith(prefix) for argument in step.command):
        raise UsageError(f"step {step_id} has no command with --{option}")
    if not value.strip() or not value.isprintable():
        raise UsageError(f"--{option}: {value!r} is no value for it")
    is_file = option == "model" or any(need.option == option for need in step.needs)
    given = str(Path(value).expanduser().absolute()) if is_file else value
    changed = msgspec.structs.replace(
        step,
        command=tuple(prefix + given if a.startswith(prefix) else a for a in step.command),
        open_questions=tuple(q for q in step.open_questions if q.option != option),
        needs=tuple(_found(n, given, exists) if n.option == option else n for n in step.needs),
    )
    return _with_step(plan, changed)


def waive_in_plan(
    plan: Plan,
    waiver: PlanWaiver,
    today: datetime.date,
    title: str = "",
) -> Plan:
    """The plan with a first step that accepts a finding.

    Raises UsageError without a reason, or for a date that is not in the future.
    """
    if not waiver.reason.strip():
        raise UsageError("a waiver needs a reason")
    if waiver.expires <= today:
        raise UsageError(f"a waiver has to expire after today, not on {waiver.expires}")
    if any(_same(step.waiver, waiver) for step in plan.steps):
        raise UsageError(f"{waiver.rule} is waived in this plan already")
    taken = {step.id for step in plan.steps}
    number = next(n for n in range(1, len(taken) + 2) if f"waive-{n}" not in taken)
    step = Step(
        f"waive-{number}",
        "waive",
        title or f"Accept {waiver.rule} until {waiver.expires}",
        expected="the finding stays and is accepted",
        undo="remove this step",
        resolves=(waiver.rule,),
        waiver=waiver,
    )
    return _checked(msgspec.structs.replace(plan, steps=(step, *plan.steps)))


def _same(one: PlanWaiver | None, other: PlanWaiver) -> bool:
    return one is not None and (one.rule, one.fingerprint) == (other.rule, other.fingerprint)


def _found(need: FileUse, path: str, exists: Callable[[Path], bool]) -> FileUse:
    place = "found" if exists(Path(path)) else "missing"
    return msgspec.structs.replace(need, path=path, place=place)


def _index(plan: Plan, step_id: str) -> int:
    for number, step in enumerate(plan.steps):
        if step.id == step_id:
            return number
    raise UsageError(f"the plan has no step {step_id!r}")


def _step(plan: Plan, step_id: str) -> Step:
    return plan.steps[_index(plan, step_id)]


def _with_step(plan: Plan, changed: Step) -> Plan:
    steps = tuple(changed if s.id == changed.id else s for s in plan.steps)
    return _checked(msgspec.structs.replace(plan, steps=steps))


def _checked(plan: Plan) -> Plan:
    """The plan, not judged yet. Raises UsageError when it could not be carried out as it stands."""
    for problem in plan_problems(plan):
        raise UsageError(problem)
    return unjudged(plan)


def unjudged(plan: Plan) -> Plan:
    """The plan without a prediction, which spoke of other steps."""
    path = msgspec.structs.replace(
        plan.path, predicted=Status.UNKNOWN.value, why="edited, and not simulated since"
    )
    return msgspec.structs.replace(plan, path=path)
