"""Judges a candidate plan: what remains, what it costs, its risk, whether it can be undone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec
from msgspec import Struct

from preflight.findings import Certainty, Consequence, Severity, Status
from preflight.plan.model import PathChoice, Plan, Step
from preflight.plan.simulate import Outcome, Simulation

_RISKS = ("low", "medium", "high")
STATUS_RANK = {
    Status.OK: 0,
    Status.OK_WITH_WARNINGS: 1,
    Status.UNKNOWN: 2,
    Status.BLOCKED: 3,
}
_STATUS_COST = {  # a warning or an open check costs a look, not another way
    Status.OK: 0,
    Status.OK_WITH_WARNINGS: 1,
    Status.UNKNOWN: 1,
    Status.BLOCKED: 8,
}
# How much work a step is, in comparable units, by kind.
_COST = {
    "replace_file": 1,
    "rebuild": 3,
    "change_target": 10,  # whatever else runs there moves too; a host is rarely free to change
    "install_package": 3,
    "set_environment": 1,
    "edit_source_model": 3,
    "embed_host_libraries": 3,
    "convert_shapes": 6,
    "verify": 0,
    "roll_out": 1,
    "waive": 1,
}
_MOVE_COST = 1  # per model that goes to another release
_DEVICE_COST = 6  # more, per model, when the device or the host is another one
_GAP_COST = 2  # per question that only a person can answer


class Candidate(Struct, frozen=True):
    """One way out: its plan, and what the simulation of it says."""

    plan: Plan
    outcome: Outcome

    @property
    def path(self) -> PathChoice:
        return self.plan.path

    @property
    def reached(self) -> bool:
        """Whether nothing that has to go is left."""
        return self.outcome.reached

    @property
    def rank(self) -> tuple[object, ...]:
        """Smaller is better: what has to go and stays, then cost, risk and reversibility.

        A check that lacks facts weighs little: to find out is cheaper than to change a target.
        """
        path = self.path
        return (
            not self.outcome.reached,
            len(self.outcome.left),
            _STATUS_COST[self.outcome.status]
            + path.cost
            + 2 * _RISKS.index(path.risk)
            + (0 if path.reversible else 2),
            STATUS_RANK[self.outcome.status],
            len(self.plan.steps),
            path.kind,
        )


def judge(simulation: Simulation, plan: Plan) -> Candidate:
    """Simulate a plan and write what it leads to, what it costs and why into its path."""
    outcome = simulation.run(plan)
    cost, risk, reversible = _cost(plan), _risk(plan, outcome), _is_reversible(plan)
    remaining = tuple(_remaining(outcome))
    path = PathChoice(
        kind=plan.path.kind,
        title=plan.path.title,
        predicted=outcome.status.value,
        cost=cost,
        risk=risk,
        reversible=reversible,
        why=_why(plan, outcome, risk, reversible),
        remaining=remaining,
    )
    return Candidate(msgspec.structs.replace(plan, path=path), outcome)


def _cost(plan: Plan) -> int:
    total = 0
    for step in plan.steps:
        total += _COST[step.kind] + _GAP_COST * len(step.open_questions)
        total += _GAP_COST if step.kind == "rebuild" and not step.command else 0
        if step.effect is not None and step.effect.target:
            count = len(step.effect.models or plan.models)
            total += count * _MOVE_COST
            total += count * _DEVICE_COST if _is_other_machine(step.effect.target, plan) else 0
    return total


def _is_other_machine(spec: str, plan: Plan) -> bool:
    """Whether a target by its catalogue name has another device or host than the plan's."""
    device, host = (*spec.split("/"), "", "")[1:3]
    here = f"{plan.target.host_os}-{plan.target.host_cpu}"
    return device not in ("", plan.target.soc) or host not in ("", here)


def _risk(plan: Plan, outcome: Outcome) -> str:
    """low: a new file only; medium: other software changes or questions are open; high: both."""
    reasons = sum(1 for _ in _risks(plan, outcome))
    return _RISKS[min(reasons, 2)]


def _risks(plan: Plan, outcome: Outcome) -> Iterator[str]:
    kinds = {step.kind for step in plan.steps}
    if "change_target" in kinds:
        yield "everything else on the target moves too"
    if "waive" in kinds:
        yield "what stands against it is accepted, not answered"
    if "install_package" in kinds:
        yield "a package on the target is replaced"
    if kinds & {"edit_source_model", "convert_shapes"}:
        yield "the source model has to be changed"
    if any(step.open_questions or step.problems for step in plan.steps):
        yield "the command of a rebuild has open questions"
    if any(step.kind == "rebuild" and not step.command for step in plan.steps):
        yield "no command is known that makes the file again"
    if any(m.undecided for m in outcome.models):
        yield "some checks lack facts"


def _is_reversible(plan: Plan) -> bool:
    return all(step.undo or step.kind == "waive" for step in plan.steps)


def _remaining(outcome: Outcome) -> Iterator[str]:
    """What stays, each text once: what has to go, then warnings, then open checks."""
    counts: dict[str, int] = {}
    for text in _every_remaining(outcome):
        counts[text] = counts.get(text, 0) + 1
    yield from (f"{text} ({n} times)" if n > 1 else text for text, n in counts.items())


def _every_remaining(outcome: Outcome) -> Iterator[str]:
    for finding in outcome.left:
        yield f"{finding.rule}: {finding.message}"
    yield from outcome.problems
    for model in outcome.models:
        for finding in model.result.findings:
            noticed = finding.severity is Severity.WARNING and finding not in model.left
            if noticed and finding.consequence in (Consequence.LOAD, Consequence.RUN):
                yield f"{finding.rule} (warning): {finding.message}"
        open_rules: dict[str, list[str]] = {}
        for item in model.undecided:
            open_rules.setdefault(item.reason, []).append(item.rule)
        for reason, rules in open_rules.items():
            yield f"{', '.join(rules)} cannot be decided: {reason}"
        for item in model.open_before:
            yield f"{item.rule} is not known before it is compiled: {item.reason}"


def _why(plan: Plan, outcome: Outcome, risk: str, reversible: bool) -> str:
    """The reason for the rank, in words."""
    if outcome.left:
        first = outcome.left[0]
        unsure = "" if first.certainty is Certainty.CERTAIN else f" ({first.certainty.value})"
        count = len(outcome.left)
        stay = "1 finding stays" if count == 1 else f"{count} findings stay, first"
        said = f"{stay}: {first.rule}{unsure}" if count == 1 else f"{stay} {first.rule}{unsure}"
    elif outcome.problems:
        said = f"the plan leaves out: {outcome.problems[0]}"
    elif outcome.status is Status.UNKNOWN:
        said = "nothing speaks against it, but not everything could be checked"
    else:
        said = "nothing is left at error level"
    if not plan.steps:
        return said
    work = _work(plan.steps)
    makes_files = any(step.kind == "rebuild" for step in plan.steps)
    harmless = "only new files are made" if makes_files else "no file and no release changes"
    dangers = ", ".join(_risks(plan, outcome)) or harmless
    back = "every step can be undone" if reversible else "not every step can be undone"
    return f"{said}; {work}; {risk} risk: {dangers}; {back}"


def _work(steps: Sequence[Step]) -> str:
    counts: dict[str, int] = {}
    for step in steps:
        counts[step.kind] = counts.get(step.kind, 0) + 1
    return ", ".join(f"{n} x {kind.replace('_', ' ')}" for kind, n in counts.items())
