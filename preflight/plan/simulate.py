"""What a plan would lead to: its steps change the facts, and the facts go through the same rules.

A plan reaches its goal when every model it names runs where it ends up, nothing is left that has to
go (`must_go`), and it does not change anything silently: a rebuilt model is checked, compared with
the old one and put into use in stages; a moved target is checked.
"""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct, field

from preflight.checks.engine import Result
from preflight.container.types import ContainerKind
from preflight.findings import Consequence, Finding, NotEvaluated, Severity, Status
from preflight.model.manifest import ModelFile
from preflight.plan.model import Plan, PlanWaiver, Step
from preflight.plan.rebuilt import (
    accepting_its_models,
    accepting_own,
    rebuilt,
)
from preflight.plan.recipe_types import MovedDefault
from preflight.plan.vendors import lacks_package, with_fitting_vendor, with_vendors
from preflight.plan.workbench import Workbench
from preflight.target.types import Target

_CHANGES_TARGET = ("install_package", "set_environment")
_INPUTS = (ContainerKind.AIR, ContainerKind.TEXT_GRAPH)  # what a compiler reads; nothing runs them
_DEPLOY = (Consequence.LOAD, Consequence.RUN)
_STATUS_ORDER = (Status.OK, Status.OK_WITH_WARNINGS, Status.UNKNOWN, Status.BLOCKED)


def must_go(finding: Finding) -> bool:
    """Whether a plan has to answer a finding: an error, or results that would change silently."""
    if finding.severity is Severity.ERROR:
        return True
    return finding.consequence is Consequence.DRIFT and finding.severity is Severity.WARNING


def deploy_findings(result: Result, target: Target) -> tuple[Finding, ...]:
    """What stands between a model as it is and a target.

    A warning about an operator counts when the target has a package for it that the loader leaves
    out or does not find: the rules cannot know what else brings the operator, but here it is known
    what is missing.
    """
    return tuple(
        f
        for f in result.findings
        if f.consequence in _DEPLOY and (must_go(f) or lacks_package(f, target))
    )


def obstacles(result: Result) -> tuple[Finding, ...]:
    """What stands between a model and a rebuild of it that means the same."""
    concerned = (Consequence.REBUILD, Consequence.DRIFT)
    return tuple(f for f in result.findings if f.consequence in concerned and must_go(f))


def undecided(result: Result) -> tuple[NotEvaluated, ...]:
    """Load and run rules that lack facts and therefore leave a verdict open."""
    return tuple(n for n in result.not_evaluated if n.blocking and n.consequence in _DEPLOY)


def is_comparable(model: ModelFile) -> bool:
    """Whether a rebuilt file can be compared with this one."""
    return (model.manifest is not None or bool(model.nested)) and was_in_use(model)


def was_in_use(model: ModelFile) -> bool:
    """Whether there may be something that runs with this file, and that the new one replaces."""
    return model.container.kind not in _INPUTS


def other_host(model: ModelFile, target: Target) -> str:
    """The host for which atc needs libraries that it did not need for this model, else ""."""
    manifest = model.manifest
    if manifest is None or not (manifest.so_store.present or manifest.dynamic):
        return ""
    old = f"{manifest.host_env_os} {manifest.host_env_cpu}"
    new = f"{target.host_os.value or ''} {target.host_cpu.value or ''}"
    known = all((*old.split(" "), *new.split(" ")))
    return new if known and new != old else ""


class ModelOutcome(Struct, frozen=True):
    """One model at the end of a plan: the file that runs, where, and what is still to be said.

    `left` are findings that have to go and are still there, obstacles of its rebuild included.
    `by_hand`: a person's work decides what comes out, which no rule can foresee: a finding that the
    rules still see, a source model that is changed or converted, a rebuild without a command.
    `open_before`: rules about compiling again that lacked facts; only compiling decides them.
    """

    model: str
    runs_as: str
    target: str
    result: Result
    left: tuple[Finding, ...]
    by_hand: bool = False
    open_before: tuple[NotEvaluated, ...] = ()

    @property
    def status(self) -> Status:
        """The predicted verdict: blocked while something is left, open when a person decides it."""
        if any(f.severity is Severity.ERROR for f in self.left):
            return Status.BLOCKED
        status = self.result.verdicts.deploy.status
        if self.by_hand:
            return Status.UNKNOWN
        if status is Status.BLOCKED:  # what blocked it is waived
            return Status.OK_WITH_WARNINGS
        return status

    @property
    def undecided(self) -> tuple[NotEvaluated, ...]:
        """Load and run rules that lack facts and therefore leave the verdict open."""
        return undecided(self.result)


class Outcome(Struct, frozen=True):
    """The end of a plan. `problems` are what the plan itself leaves out, in words."""

    models: tuple[ModelOutcome, ...]
    problems: tuple[str, ...] = ()

    @property
    def reached(self) -> bool:
        """Nothing that has to go is left, and nothing changes unchecked."""
        return not self.problems and not any(m.left for m in self.models)

    @property
    def status(self) -> Status:
        """The worst of the models."""
        return max((m.status for m in self.models), key=_STATUS_ORDER.index, default=Status.OK)

    @property
    def left(self) -> tuple[Finding, ...]:
        return tuple(f for m in self.models for f in m.left)


class _Progress(Struct):
    """One model on its way through the steps."""

    original: ModelFile
    current: ModelFile
    target: Target
    obstacles: list[Finding] = field(default_factory=list)
    stated: set[tuple[str, str]] = field(default_factory=set)
    worked_on: set[str] = field(default_factory=set)  # kinds of steps about this model
    unstated: list[str] = field(default_factory=list)
    open_before: tuple[NotEvaluated, ...] = ()
    rebuilt: bool = False
    by_hand: bool = False  # what the rebuild makes depends on what a person does
    moved: bool = False
    fetched: bool = False
    checked: bool = False
    compared: bool = False
    rolled_out: bool = False


class Simulation:
    """Runs plans over the same models and target; answers of the rules are kept."""

    def __init__(
        self, models: Sequence[ModelFile], target: Target, bench: Workbench | None = None
    ) -> None:
        self._models = models
        self._target = target
        self.bench = bench or Workbench()
        self._results: dict[tuple[object, ...], tuple[ModelFile, Result]] = {}
        self._targets: dict[str, Target] = {}
        self._rebuilt: dict[tuple[str, str, str], ModelFile] = {}
        self._defaults: dict[tuple[str, str], tuple[MovedDefault, ...]] = {}

    @property
    def own_name(self) -> str:
        """The name of the target that the plans are for."""
        return self._target.name

    def run(self, plan: Plan) -> Outcome:
        """The outcome of a plan, or of a part of one: steps that lack others are problems."""
        ways = {m.path: _Progress(m, m, self._target) for m in self._models}
        problems: list[str] = []
        settled: set[str] = set()
        waivers: list[PlanWaiver] = []
        done: set[str] = set()
        by_file = dict(ways)  # by the file that runs now, and by the original
        for step in plan.steps:
            missing = [needed for needed in step.requires if needed not in done]
            if missing:
                problems.append(f"step {step.id} needs {', '.join(missing)} before it")
            if step.kind in ("verify", "roll_out") and step.model not in ("", *by_file):
                problems.append(f"no step makes {step.model}, which step {step.id} looks at")
            done.add(step.id)
            if step.effect is not None:
                settled |= set(step.effect.settles)
            if step.waiver is not None:
                waivers.append(step.waiver)
            self._apply(step, ways, by_file)
        outcomes = tuple(self._end(way, settled, waivers) for way in ways.values())
        for way in ways.values():
            problems += _unchecked(way)
        return Outcome(outcomes, tuple(problems))

    def check(self, model: ModelFile, target: Target) -> Result:
        """The rules' answer, asked once for each pair; a model is kept so that its id stays its."""
        facts = (target.fingerprint, target.name, target.vendors, target.abi_range.value)
        key = (id(model), *facts)
        if key not in self._results:
            self._results[key] = (model, self.bench.check(model, target))
        return self._results[key][1]

    def rebuilt(self, model: ModelFile, target: Target, produces: str) -> ModelFile:
        """What compiling a model again for a target would write, worked out once."""
        key = (model.path, target.name, produces)
        if key not in self._rebuilt:
            self._rebuilt[key] = rebuilt(model, target, produces)
        return self._rebuilt[key]

    def moved_defaults(self, model: ModelFile, target: Target) -> tuple[MovedDefault, ...]:
        """Attributes to state before a model is compiled for a target, looked up once."""
        key = (model.path, target.name)
        if key not in self._defaults:
            self._defaults[key] = self.bench.moved_defaults(model, target)
        return self._defaults[key]

    def target_of(self, spec: str) -> Target:
        """A target by name, found once; vendors' packages of the plan's target come along."""
        if spec not in self._targets:
            self._targets[spec] = with_vendors(self.bench.load_target(spec), self._target)
        return self._targets[spec]

    def _apply(
        self, step: Step, ways: Mapping[str, _Progress], by_file: dict[str, _Progress]
    ) -> None:
        effect = step.effect
        if effect is not None and effect.target:
            for path in effect.models or tuple(ways):
                if path in ways:
                    ways[path].target = self.target_of(effect.target)
                    ways[path].moved, ways[path].checked = True, False
        if effect is not None and step.kind in _CHANGES_TARGET and not effect.target:
            for way in ways.values():
                way.target = with_fitting_vendor(way.target, effect.vendor)
                way.moved, way.checked = True, False
        if effect is not None and step.kind == "replace_file" and step.model in ways:
            ways[step.model].fetched, ways[step.model].checked = True, False
        if effect is not None and effect.rebuild_for and step.model in ways:
            self._rebuild(step, ways[step.model], effect.rebuild_for)
            by_file[step.produces] = ways[step.model]
        if step.model in by_file:
            _note_care(step, by_file[step.model])

    def _rebuild(self, step: Step, way: _Progress, goal: str) -> None:
        target = way.target if goal == "=" else self.target_of(goal)
        before = self.check(way.original, target)
        way.obstacles = list(obstacles(before))
        way.unstated = [
            f"{d.operator}.{d.attribute} is {d.old!r} in the old model, and no step states it: its"
            f" default is {d.new!r} now"
            for d in self.moved_defaults(way.original, target)
            if (d.operator, d.attribute) not in way.stated
        ]
        way.unstated += [
            f"no step answers --{q.option}: {q.what}"
            for q in step.open_questions
            if q.kind and q.kind not in way.worked_on
        ]
        host = other_host(way.original, target)
        if host and "embed_host_libraries" not in way.worked_on:
            way.unstated.append(f"no step brings the host libraries of {host} to the compiler")
        way.open_before = tuple(
            n for n in before.not_evaluated if n.blocking and n.consequence is Consequence.REBUILD
        )
        way.by_hand = not step.command or any(q.kind for q in step.open_questions)
        way.current = self.rebuilt(way.original, target, step.produces)
        way.rebuilt, way.checked, way.compared, way.rolled_out = True, False, False, False

    def _end(
        self, way: _Progress, settled: set[str], waivers: Sequence[PlanWaiver]
    ) -> ModelOutcome:
        target = accepting_own(way.target) if way.rebuilt else way.target
        if way.moved:
            target = accepting_its_models(target, way.current)
        result = self.check(way.current, target)
        found = deploy_findings(result, target)
        unique = {(f.fingerprint, f.message): f for f in [*found, *way.obstacles]}
        left = tuple(
            f for f in unique.values() if f.fingerprint not in settled and not is_waived(f, waivers)
        )
        changed = [f for f in way.obstacles if f.consequence is Consequence.REBUILD]
        by_hand = way.by_hand or any(f.fingerprint in settled for f in [*found, *changed])
        return ModelOutcome(
            way.original.path,
            way.current.path,
            way.target.name,
            result,
            left,
            by_hand,
            way.open_before,
        )


def _note_care(step: Step, way: _Progress) -> None:
    """What a step does about a model beyond changing facts."""
    if step.model == way.original.path:
        way.worked_on.add(step.kind)
        way.stated |= {(s.operator, s.attribute) for s in step.statements}
    if step.model != way.current.path:
        return
    if step.kind == "verify" and step.against:
        way.compared = True
    elif step.kind == "verify":
        way.checked = True
    elif step.kind == "roll_out":
        way.rolled_out = True


def _unchecked(way: _Progress) -> list[str]:
    """What the plan leaves out for one model."""
    name = way.current.path
    problems = list(way.unstated)
    if (way.rebuilt or way.moved or way.fetched) and not way.checked:
        problems.append(f"no step checks {name} where it will run")
    if way.rebuilt and not way.compared and is_comparable(way.original):
        problems.append(f"no step compares {name} with the old model")
    if way.rebuilt and not way.rolled_out and was_in_use(way.original):
        problems.append(f"no step puts {name} into use")
    return problems


def is_waived(finding: Finding, waivers: Iterable[PlanWaiver]) -> bool:
    """Whether somebody accepted that finding, and has not yet to look at it again.

    A waiver without a fingerprint is about every finding of its rule.
    """
    now = today()
    return any(
        w.rule == finding.rule and w.fingerprint in ("", finding.fingerprint) and w.expires >= now
        for w in waivers
    )


def today() -> datetime.date:
    """The date by which waivers run out, the same everywhere."""
    return datetime.datetime.now(tz=datetime.UTC).date()
