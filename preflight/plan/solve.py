"""From findings to ways out: candidate plans, each simulated, pruned and ranked with reasons."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import msgspec

from preflight.errors import UsageError
from preflight.findings import Certainty, Consequence, Severity, Status
from preflight.model.manifest import ModelFile
from preflight.plan.model import PathChoice, Plan, Step
from preflight.plan.moves import Move, moves
from preflight.plan.paths import PathBuilder, PlanOptions
from preflight.plan.simulate import Outcome, Simulation
from preflight.plan.workbench import Workbench
from preflight.target.types import Target

_RISKS = ("low", "medium", "high")
_STATUS_RANK = {
    Status.OK: 0,
    Status.OK_WITH_WARNINGS: 1,
    Status.UNKNOWN: 2,
    Status.BLOCKED: 3,
}
# How much work a step is, in comparable units, by kind.
_COST = {
    "replace_file": 1,
    "rebuild": 3,
    "change_target": 5,
    "install_package": 3,
    "set_environment": 1,
    "edit_source_model": 3,
    "embed_host_libraries": 3,
    "convert_shapes": 6,
    "verify": 0,
    "roll_out": 1,
    "waive": 1,
}
_DEVICE_COST = 6  # another device on top of another release
_GAP_COST = 2  # per question that only a person can answer


@dataclass(frozen=True, slots=True)
class Candidate:
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
        """Smaller is better: what remains, then cost, risk and reversibility."""
        path = self.path
        return (
            not self.outcome.reached,
            len(self.outcome.left),
            _STATUS_RANK[self.outcome.status],
            path.cost + 2 * _RISKS.index(path.risk) + (0 if path.reversible else 2),
            len(self.plan.steps),
            path.kind,
        )


@dataclass(frozen=True, slots=True)
class WaysOut:
    """All candidates, best first, and the simulation that judged them."""

    candidates: tuple[Candidate, ...]
    simulation: Simulation

    @property
    def best(self) -> Candidate:
        return self.candidates[0]


def solve(
    models: Sequence[ModelFile],
    target: Target,
    options: PlanOptions | None = None,
    bench: Workbench | None = None,
    progress: Callable[[str], None] | None = None,
) -> WaysOut:
    """The ways from these models to a working pair with this target, best first.

    Raises UsageError without models.
    """
    if not models:
        raise UsageError("a plan needs at least one model file")
    placed = [replace(m, path=str(Path(m.path).absolute())) for m in models]
    chosen = options or PlanOptions()
    simulation = Simulation(placed, target, bench)
    builder = PathBuilder(simulation, placed, target, chosen)
    tell = progress or (lambda _: None)
    tell("as it is")
    found = [judge(simulation, builder.as_it_is())]
    if not found[0].reached:
        found += _ways(builder, tell)
    unique = {c.plan.path.title: c for c in reversed(found)}
    return WaysOut(tuple(sorted(unique.values(), key=lambda c: c.rank)), simulation)


def _ways(builder: PathBuilder, tell: Callable[[str], None]) -> Iterator[Candidate]:
    """Every way other than as it is."""
    simulation = builder.simulation
    mended = builder.mended()
    if mended is not None:
        yield judge(simulation, mended)
    tell("compile again")
    rebuilt = judge(simulation, prune(simulation, builder.rebuilt()))
    yield rebuilt
    tell("other targets")
    elsewhere = moves(builder.models, builder.target)
    for move in nearest_fitting(builder, elsewhere):
        yield judge(simulation, prune(simulation, builder.moved(move.spec)))
    if _is_sound(rebuilt):
        return
    tell("other targets, compiled again")
    meeting = _nearest_meeting(builder, elsewhere)
    if meeting is not None:
        yield meeting


def _is_sound(candidate: Candidate) -> bool:
    """Whether compiling again on the target works out without touching the source model."""
    prepared = any(s.kind in ("edit_source_model", "convert_shapes") for s in candidate.plan.steps)
    return candidate.reached and not prepared


def nearest_fitting(builder: PathBuilder, elsewhere: Sequence[Move]) -> list[Move]:
    """For each kind of change that leads somewhere, the nearest target on which all models run.

    Targets that need more changes are not looked at once fewer are enough.
    """
    best: dict[tuple[str, ...], tuple[tuple[object, ...], Move]] = {}
    for move in elsewhere:
        fewest = min((len(kind) for kind in best), default=3)
        if len(move.changes) > fewest:
            break
        goal = builder.goal(move.spec)
        status = worst_status(builder.simulation, builder.models, goal)
        if status in (Status.BLOCKED, Status.UNKNOWN):
            continue
        key = (*move.effort, _STATUS_RANK[status])
        if move.changes not in best or key < best[move.changes][0]:
            best[move.changes] = (key, move)
    return [move for _, move in best.values()]


def worst_status(simulation: Simulation, models: Sequence[ModelFile], target: Target) -> Status:
    """The worst deploy verdict of several models on one target."""
    statuses = [simulation.check(m, target).verdicts.deploy.status for m in models]
    return max(statuses, key=lambda s: _STATUS_RANK[s])


def _nearest_meeting(builder: PathBuilder, elsewhere: Sequence[Move]) -> Candidate | None:
    """Move to the nearest other target for which a rebuild works out."""
    best: Candidate | None = None
    for move in elsewhere:
        if best is not None and best.reached and len(move.changes) > 1:
            break
        made = judge(builder.simulation, builder.rebuilt(move.spec))
        if made.outcome.status is Status.BLOCKED or not any(
            s.kind == "rebuild" for s in made.plan.steps
        ):
            continue
        if best is None or made.rank < best.rank:
            best = made
        if _is_sound(made):
            break
    if best is None:
        return None
    return judge(builder.simulation, prune(builder.simulation, best.plan))


def prune(simulation: Simulation, plan: Plan) -> Plan:
    """The plan without steps that change nothing about the outcome.

    A step stays when leaving it out (and what requires it) brings a finding back or makes the plan
    lack something.
    """
    before = _badness(simulation.run(plan))
    for step in reversed(plan.steps):
        shorter = without(plan, step.id)
        if _badness(simulation.run(shorter)) <= before:
            plan = shorter
    return plan


def _badness(outcome: Outcome) -> tuple[int, int]:
    return len(outcome.left), len(outcome.problems)


def without(plan: Plan, step_id: str) -> Plan:
    """The plan without one step; other steps no longer require it."""
    kept = [
        msgspec.structs.replace(s, requires=tuple(r for r in s.requires if r != step_id))
        for s in plan.steps
        if s.id != step_id
    ]
    return msgspec.structs.replace(plan, steps=tuple(kept))


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
        if step.effect is not None and step.effect.target:
            soc = step.effect.target.split("/")[1:2]
            total += _DEVICE_COST if soc and soc[0] != plan.target.soc else 0
    return total


def _risk(plan: Plan, outcome: Outcome) -> str:
    """low: a new file only; medium: other software changes or questions are open; high: both."""
    reasons = sum(1 for _ in _risks(plan, outcome))
    return _RISKS[min(reasons, 2)]


def _risks(plan: Plan, outcome: Outcome) -> Iterator[str]:
    kinds = {step.kind for step in plan.steps}
    if "change_target" in kinds:
        yield "everything else on the target moves too"
    if "install_package" in kinds:
        yield "a package on the target is replaced"
    if kinds & {"edit_source_model", "convert_shapes"}:
        yield "the source model has to be changed"
    if any(step.open_questions or step.problems for step in plan.steps):
        yield "the old command line leaves questions open"
    if any(m.undecided for m in outcome.models):
        yield "some checks lack facts"


def _is_reversible(plan: Plan) -> bool:
    return all(step.undo or step.kind == "waive" for step in plan.steps)


def _remaining(outcome: Outcome) -> Iterator[str]:
    """What stays after the plan: findings that have to go, then warnings, then open checks."""
    for finding in outcome.left:
        yield f"{finding.rule}: {finding.message}"
    yield from outcome.problems
    for model in outcome.models:
        for finding in model.result.findings:
            noticed = finding.severity is Severity.WARNING and finding not in model.left
            if noticed and finding.consequence in (Consequence.LOAD, Consequence.RUN):
                yield f"{finding.rule} (warning): {finding.message}"
        for item in model.undecided:
            yield f"{item.rule} cannot be decided: {item.reason}"


def _why(plan: Plan, outcome: Outcome, risk: str, reversible: bool) -> str:
    """The reason for the rank, in words."""
    if outcome.left:
        first = outcome.left[0]
        unsure = "" if first.certainty is Certainty.CERTAIN else f" ({first.certainty.value})"
        said = f"{len(outcome.left)} finding(s) stay, first {first.rule}{unsure}"
    elif outcome.problems:
        said = f"the plan leaves out: {outcome.problems[0]}"
    elif outcome.status is Status.UNKNOWN:
        said = "nothing speaks against it, but not everything could be checked"
    else:
        said = "nothing is left at error level"
    work = _work(plan.steps)
    dangers = ", ".join(_risks(plan, outcome)) or "only new files are made"
    back = "every step can be undone" if reversible else "not every step can be undone"
    return f"{said}; {work}; {risk} risk: {dangers}; {back}"


def _work(steps: Sequence[Step]) -> str:
    counts: dict[str, int] = {}
    for step in steps:
        counts[step.kind] = counts.get(step.kind, 0) + 1
    if not counts:
        return "nothing to do"
    return ", ".join(f"{n} x {kind.replace('_', ' ')}" for kind, n in counts.items())
