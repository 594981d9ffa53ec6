"""From findings to ways out: candidate plans, each simulated, pruned and ranked with reasons."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from preflight.errors import UsageError
from preflight.findings import Status
from preflight.model.manifest import ModelFile
from preflight.plan.files import whole_path
from preflight.plan.fleet import Fleet, Placement, place, survey
from preflight.plan.judge import STATUS_RANK, Candidate, judge
from preflight.plan.model import Plan
from preflight.plan.moves import Move, moves, name_known_devices
from preflight.plan.paths import PathBuilder, PlanOptions
from preflight.plan.phrases import MOVE
from preflight.plan.rebuilt import accepting_its_models
from preflight.plan.simulate import Outcome, Simulation
from preflight.plan.workbench import Workbench
from preflight.target.types import Target

_MOST_PRUNED = 120  # steps; every one of them is simulated away in turn
_MANY_MODELS = 20
_MOST_MEETINGS = 12  # nearest targets for which many models are compiled again on trial


class WaysOut(Struct, frozen=True):
    """All candidates, best first, and the simulation that judged them.

    `fleet` says of several models where each of them runs; None for one, or when nothing is open.
    """

    candidates: tuple[Candidate, ...]
    simulation: Simulation
    fleet: Fleet | None = None

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
    placed = [replace(m, path=str(whole_path(m.path))) for m in models]
    chosen = options or PlanOptions()
    simulation = Simulation(placed, target, bench)
    builder = PathBuilder(simulation, placed, target, chosen)
    tell = progress or (lambda _: None)
    tell("as it is")
    found = [judge(simulation, builder.as_it_is())]
    fleet: Fleet | None = None
    if not found[0].reached or found[0].outcome.status is Status.UNKNOWN:
        elsewhere = moves(builder.models, builder.target)
        if len(placed) > 1:
            tell("several targets")
            specs = [chosen.spec or target.name, *(m.spec for m in elsewhere)]
            fleet = survey(simulation, placed, target, specs)
        found += _ways(builder, elsewhere, fleet, tell)
    useful = [c for c in found if c.plan.steps or c.path.kind == "as_is"]
    unique = {c.plan.path.title: c for c in reversed(useful)}
    return WaysOut(tuple(sorted(unique.values(), key=lambda c: c.rank)), simulation, fleet)


def _ways(
    builder: PathBuilder,
    elsewhere: Sequence[Move],
    fleet: Fleet | None,
    tell: Callable[[str], None],
) -> Iterator[Candidate]:
    """Every way other than as it is."""
    simulation = builder.simulation
    waived = builder.waived()
    if waived is not None:
        yield judge(simulation, waived)
    mended = builder.mended()
    if mended is not None:
        yield judge(simulation, mended)
    tell("compile again")
    rebuilt = judge(simulation, prune(simulation, builder.rebuilt()))
    if mended is None or any(step.kind == "rebuild" for step in rebuilt.plan.steps):
        yield rebuilt
    tell("other targets")
    for move in nearest_fitting(builder, elsewhere):
        yield judge(simulation, prune(simulation, builder.moved(move.spec)))
    if fleet is not None:
        yield from _split(builder, fleet.placement)
    if _is_sound(rebuilt):
        return
    tell("other targets, compiled again")
    meeting = _nearest_meeting(builder, elsewhere)
    if meeting is not None and (_is_sound(meeting) or not rebuilt.reached):
        yield meeting


def _split(builder: PathBuilder, placed: Placement) -> Iterator[Candidate]:
    """Many models: the smallest set of targets, when one is not enough.

    What runs nowhere as it is, is compiled again for the plan's own target.
    """
    own = builder.options.spec or builder.target.name
    if not placed.groups or [g.spec for g in placed.groups] == [own] or placed.single:
        return
    groups = [(g.spec, [builder.models[i] for i in sorted(g.models)]) for g in placed.groups]
    nowhere = [builder.models[i] for i in placed.nowhere]
    yield judge(builder.simulation, builder.split(groups, nowhere))


def _is_sound(candidate: Candidate) -> bool:
    """Whether compiling again on the target works out without touching the source model."""
    prepared = any(s.kind in ("edit_source_model", "convert_shapes") for s in candidate.plan.steps)
    return candidate.reached and not prepared


def nearest_fitting(builder: PathBuilder, elsewhere: Sequence[Move]) -> list[Move]:
    """For each kind of change that leads somewhere, the nearest target on which all models run.

    Targets that need more changes are not looked at once fewer are enough. A model for a device
    that no release knows is not sent anywhere, although older loaders would not notice.
    """
    best: dict[tuple[str, ...], tuple[tuple[object, ...], Move]] = {}
    if not name_known_devices(builder.models):
        return []
    for move in elsewhere:
        fewest = min((len(kind) for kind in best), default=3)
        if len(move.changes) > fewest:
            break
        goal = builder.goal(move.spec)
        status = worst_status(builder.simulation, builder.models, goal)
        if status in (Status.BLOCKED, Status.UNKNOWN):
            continue
        key = (*move.effort, STATUS_RANK[status])
        if move.changes not in best or key < best[move.changes][0]:
            best[move.changes] = (key, move)
    return [move for _, move in best.values()]


def best_placed_target(
    models: Sequence[ModelFile],
    specs: Sequence[str],
    bench: Workbench | None = None,
    progress: Callable[[str], None] | None = None,
) -> str:
    """The target on which most of the models run as they are, for plans without a target.

    Raises UsageError when none of them runs on any of these targets.
    """
    if not specs:
        raise UsageError(
            "the models name no known SoC, so there is no target to plan for",
            hint="name one: --target RELEASE/SOC",
        )
    tools = bench or Workbench()
    simulation = Simulation(models, tools.load_target(specs[0]), tools)
    placed = place(simulation, models, specs, progress)
    return placed.table[0].spec


def worst_status(simulation: Simulation, models: Sequence[ModelFile], target: Target) -> Status:
    """The worst deploy verdict of several models on one target."""
    worst = Status.OK
    for model in models:
        there = accepting_its_models(target, model)
        status = simulation.check(model, there).verdicts.deploy.status
        worst = max(worst, status, key=lambda s: STATUS_RANK[s])
        if worst is Status.BLOCKED:
            break
    return worst


def _nearest_meeting(builder: PathBuilder, elsewhere: Sequence[Move]) -> Candidate | None:
    """Move to the nearest other target for which a rebuild works out."""
    best: Candidate | None = None
    few = len(builder.models) <= _MANY_MODELS
    for move in elsewhere if few else elsewhere[:_MOST_MEETINGS]:
        if best is not None and best.reached and len(move.changes) > 1:
            break
        made = judge(builder.simulation, builder.rebuilt(move.spec))
        if made.outcome.status is Status.BLOCKED or not any(
            s.kind == "rebuild" for s in made.plan.steps
        ):
            continue
        if is_superfluous(builder.simulation, made.plan, MOVE, made.outcome):
            continue  # compiled by that release, it runs on this one: nobody has to go there
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
    lack something. Plans of more than `_MOST_PRUNED` steps are left as they were put together: each
    of their steps was put in for a finding of one model.
    """
    outcome = simulation.run(plan)
    if len(plan.steps) > _MOST_PRUNED or not outcome.reached:
        return plan
    for step in reversed(plan.steps):
        if is_superfluous(simulation, plan, step.id, outcome):
            plan = plan_without(plan, step.id)
    return plan


def is_superfluous(
    simulation: Simulation, plan: Plan, step_id: str, outcome: Outcome | None = None
) -> bool:
    """Whether a plan ends as well without that step; `outcome` is that of the whole plan."""
    step = plan.step(step_id)
    if step is not None and step.tensors:  # asked for by the user
        return False
    before = outcome or simulation.run(plan)
    return _badness(simulation.run(plan_without(plan, step_id))) <= _badness(before)


def _badness(outcome: Outcome) -> tuple[int, int, int]:
    return len(outcome.left), len(outcome.problems), STATUS_RANK[outcome.status]


def plan_without(plan: Plan, step_id: str) -> Plan:
    """The plan without one step; other steps no longer require it."""
    kept = [
        msgspec.structs.replace(s, requires=tuple(r for r in s.requires if r != step_id))
        for s in plan.steps
        if s.id != step_id
    ]
    return msgspec.structs.replace(plan, steps=tuple(kept))
