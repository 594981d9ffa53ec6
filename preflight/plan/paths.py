"""Puts the steps of one way together: move, mend, rebuild, verify, put into use."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

import msgspec
from msgspec import Struct, field

from preflight import __version__
from preflight.checks.waivers import Waiver, apply_waivers
from preflight.findings import Finding, Remedy, Status
from preflight.model.manifest import ModelFile
from preflight.plan import phrases
from preflight.plan.files import whole_path
from preflight.plan.mends import mends
from preflight.plan.model import (
    SCHEMA_VERSION,
    ModelFacts,
    PathChoice,
    Plan,
    Statement,
    Step,
    TargetFacts,
)
from preflight.plan.rebuild_step import rebuild_step
from preflight.plan.recipe_types import BuildGoal, MovedDefault
from preflight.plan.simulate import (
    Simulation,
    deploy_findings,
    is_comparable,
    obstacles,
    other_host,
    today,
    undecided,
    was_in_use,
)
from preflight.target.types import Target

_MOST_NAMED = 3  # targets in a title
_BEFORE_REBUILD = ("edit_source_model", "convert_shapes", "install_package", "set_environment")


class PlanOptions(Struct, frozen=True):
    """What the user says about a plan.

    `spec` is how the target was named; `output_dir` is where new files go (empty: beside the old
    ones); `source_dir`, `fills` and `exists` are those of `build_recipe`; `tensors` are folders of
    the old model and of the new one, to be compared after a rebuild. `waivers` are findings that
    somebody accepted; they make a way of their own.
    """

    spec: str = ""
    output_dir: str = ""
    source_dir: Path | None = None
    fills: Mapping[str, str] = field(default_factory=dict)
    exists: Callable[[Path], bool] = Path.exists
    tensors: tuple[str, str] | None = None
    waivers: tuple[Waiver, ...] = ()


class PathBuilder(Struct):
    """Makes plans for the same models and target; `goal` below is a catalogue name or "="."""

    simulation: Simulation
    models: Sequence[ModelFile]
    target: Target
    options: PlanOptions

    def plan(self, kind: str, steps: Iterable[Step], title: str) -> Plan:
        """A plan around these steps; its path is judged later."""
        path = PathChoice(kind, title, "unknown", 0, "low", True, "")
        return Plan(
            SCHEMA_VERSION,
            f"om-preflight {__version__}",
            tuple(model_facts(m) for m in self.models),
            target_facts(self.target, self.options.spec),
            path,
            tuple(steps),
        )

    def as_it_is(self) -> Plan:
        """No step at all."""
        return self.plan("as_is", (), f"Run as it is on {self.target.name}")

    def waived(self) -> Plan | None:
        """Run as it is with what the user's waivers accept; None when they accept nothing."""
        steps: dict[str, Step] = {}
        for model in self.models:
            result = self.simulation.check(model, self.target)
            found = deploy_findings(result, self.target)
            for one in apply_waivers(found, self.options.waivers, model.path, today())[1]:
                number = len(steps) + 1
                step = phrases.waive_step(number, one.finding, one.reason, one.expires)
                steps.setdefault(one.finding.fingerprint, step)
        if not steps:
            return None
        count = "1 finding" if len(steps) == 1 else f"{len(steps)} findings"
        title = f"Run as it is on {self.target.name}, with {count} accepted"
        return self.plan("waive", steps.values(), title)

    def mended(self) -> Plan | None:
        """Repair the target or fetch the file again; None when a finding has no such remedy."""
        steps = self._mends(self.models, self.target)
        if not steps:
            return None
        steps += self._checks(self.models, "", tuple(s.id for s in steps))
        return self.plan("mend", steps, f"Repair what is wrong on {self.target.name}")

    def moved(self, spec: str) -> Plan:
        """Keep every file and go to another target."""
        move = self._move(spec)
        steps = [move, *self._checks(self.models, spec, (move.id,))]
        return self.plan("move_target", steps, f"Keep the file and go to {spec}")

    def split(
        self,
        groups: Sequence[tuple[str, Sequence[ModelFile]]],
        nowhere: Sequence[ModelFile] = (),
    ) -> Plan:
        """Every file as it is, each group on a target of its own; the rest is compiled again."""
        steps: list[Step] = []
        count = 0
        for number, (spec, group) in enumerate(groups, 1):
            goal = self.simulation.target_of(spec)
            if goal.name != self.target.name:
                paths = tuple(m.path for m in group)
                step_id = f"move-{number}"
                steps.append(self._move(spec, group, paths, step_id))
                steps += self._checks(group, spec, (step_id,), count)
            count += len(group)
        for number, model in enumerate(nowhere, count + 1):
            steps += self._rebuild_block(model, self.target, number, (), "")
        names = " and ".join(spec for spec, _ in groups[:_MOST_NAMED])
        more = f" and {len(groups) - _MOST_NAMED} more" if len(groups) > _MOST_NAMED else ""
        places = f"{len(groups)} targets: {names}{more}" if len(groups) > 1 else names
        title = f"Keep the files, on {places}"
        if nowhere:
            title = f"Keep {count} files, on {places}; compile {len(nowhere)} again"
        return self.plan("split", steps, title)

    def rebuilt(self, spec: str = "=") -> Plan:
        """Compile again what does not run on the target (or on `spec`), keep what does."""
        goal = self.goal(spec)
        steps: list[Step] = []
        if spec != "=":
            steps.append(self._move(spec))
        before = tuple(s.id for s in steps)
        failing = self._failing(goal)
        told = {m.path for m in failing}
        others = [m for m in self.models if m.path not in told]
        check_on = "" if spec == "=" else spec
        for number, model in enumerate(failing, 1):
            fetched = self._fetched(model, goal, number, before, check_on)
            steps += fetched or self._rebuild_block(model, goal, number, before, check_on)
        if spec != "=":
            steps += self._checks(others, spec, before, len(failing))
        if spec == "=":
            return self.plan("rebuild", steps, f"Compile again for {goal.name}")
        return self.plan("meet", steps, f"Go to {spec} and compile again for it")

    def _failing(self, goal: Target) -> list[ModelFile]:
        """Models that do not run there; when there are none, those of which nobody knows."""
        results = [(m, self.simulation.check(m, goal)) for m in self.models]
        failing = [m for m, result in results if deploy_findings(result, goal)]
        if failing:
            return failing
        return [m for m, r in results if r.verdicts.deploy.status is Status.UNKNOWN]

    def _fetched(
        self,
        model: ModelFile,
        goal: Target,
        number: int,
        before: tuple[str, ...],
        check_on: str,
    ) -> list[Step]:
        """Fetch a file again that says nothing about itself; [] when it needs something else."""
        if model.manifest is not None:
            return []
        steps = self._mends([model], goal, number)
        if not steps or any(step.kind != "replace_file" for step in steps):
            return []
        steps = [msgspec.structs.replace(s, requires=before) for s in steps]
        ready = (*before, *(s.id for s in steps))
        return [*steps, *self._checks([model], check_on, ready, number - 1)]

    def goal(self, spec: str) -> Target:
        """The target behind a name; "=" is the plan's own."""
        return self.target if spec == "=" else self.simulation.target_of(spec)

    def _rebuild_block(
        self, model: ModelFile, goal: Target, number: int, before: tuple[str, ...], check_on: str
    ) -> list[Step]:
        """Obstacles out of the way, compile, check, compare, put into use: for one model."""
        found = deploy_findings(self.simulation.check(model, goal), goal)
        blocking = obstacles(self.simulation.check(model, goal))
        defaults = self.simulation.moved_defaults(model, goal)
        made = rebuild_step(model, BuildGoal.of_target(goal), self.options, defaults, number)
        steps = self._preparations(model, blocking, defaults, number, before)
        steps += _answers(made, {step.kind for step in steps}, before)
        host = other_host(model, goal)
        if host:
            steps.append(phrases.host_libraries_step(number, model.path, host, made, found, before))
        after = self.simulation.rebuilt(model, goal, made.produces)
        mends = self._mends([after], goal, number)
        ready = (*before, *(s.id for s in steps), *(s.id for s in mends))
        steps += mends
        build = phrases.finish_rebuild(made, ready, found, check_on or "=")
        steps.append(build)
        old, new, build_id = model.path, made.produces, build.id
        steps.append(
            phrases.check_step(
                f"check-{number}", new, (build_id,), check_on or self._spec, check_on
            )
        )
        if is_comparable(model):
            steps.append(phrases.compare_step(f"compare-{number}", old, new, (build_id,)))
        checks = tuple(s.id for s in steps if s.kind == "verify")
        if self.options.tensors is not None:
            steps.append(
                phrases.tensors_step(f"tensors-{number}", new, self.options.tensors, checks)
            )
            checks = (*checks, f"tensors-{number}")
        if was_in_use(model):
            steps.append(phrases.roll_out_step(f"roll-out-{number}", old, new, checks))
        return steps

    def _preparations(
        self,
        model: ModelFile,
        blocking: Sequence[Finding],
        defaults: Sequence[MovedDefault],
        number: int,
        before: tuple[str, ...],
    ) -> list[Step]:
        """Steps by a person that take the obstacles of a rebuild away, one per kind."""
        by_kind: dict[str, list[tuple[Finding, Remedy | None]]] = {}
        for finding in blocking:
            remedy = next((r for r in finding.remedies if r.kind in _BEFORE_REBUILD), None)
            kind = remedy.kind if remedy is not None else "edit_source_model"
            by_kind.setdefault(kind, []).append((finding, remedy))
        if defaults:
            by_kind.setdefault("edit_source_model", [])
        steps: list[Step] = []
        for kind, pairs in by_kind.items():
            stated: tuple[Statement, ...] = ()
            if kind == "edit_source_model":
                stated = tuple(phrases.statement(d) for d in defaults)
            step_id = f"{kind.replace('_', '-')}-{number}"
            steps.append(phrases.preparation_step(step_id, kind, model.path, pairs, stated, before))
        return steps

    def _mends(self, models: Sequence[ModelFile], goal: Target, number: int = 0) -> list[Step]:
        return mends(self.simulation, models, goal, self._spec, number)

    def _move(
        self,
        spec: str,
        group: Sequence[ModelFile] = (),
        paths: tuple[str, ...] = (),
        step_id: str = phrases.MOVE,
    ) -> Step:
        """Go to `spec`, with all models or with those at `paths`."""
        goal = self.simulation.target_of(spec)
        why: list[str] = []
        rules: list[str] = []
        for model in group or self.models:
            result = self.simulation.check(model, self.target)
            found = deploy_findings(result, self.target)
            why += [f"{f.rule}: {f.message}" for f in found]
            rules += [f.rule for f in found]
            why += [f"{n.rule} is not known here: {n.reason}" for n in undecided(result)]
        return phrases.move_step(spec, self.target.name, goal, paths, step_id, why, rules)

    def _checks(
        self, models: Sequence[ModelFile], spec: str, requires: tuple[str, ...], first: int = 0
    ) -> list[Step]:
        return [
            phrases.check_step(f"check-{n}", m.path, requires, spec or self._spec, spec)
            for n, m in enumerate(models, first + 1)
        ]

    @property
    def _spec(self) -> str:
        return self.options.spec or self.target.name


def _answers(build: Step, there: set[str], before: tuple[str, ...]) -> list[Step]:
    """A step for each kind of work that an open question of the command asks for."""
    kinds = dict.fromkeys(q.kind for q in build.open_questions if q.kind and q.kind not in there)
    number = build.id.rpartition("-")[2]
    return [phrases.answer_step(f"{k.replace('_', '-')}-{number}", k, build, before) for k in kinds]


def model_facts(model: ModelFile) -> ModelFacts:
    """The facts of a model that a plan records."""
    manifest = model.manifest
    facts = ModelFacts(
        path=str(whole_path(model.path)),
        sha256=model.sha256,
        size=model.container.size,
        kind=model.container.kind.value,
    )
    if manifest is None:
        return facts
    return ModelFacts(
        path=facts.path,
        sha256=facts.sha256,
        size=facts.size,
        kind=facts.kind,
        soc_version=manifest.soc_version,
        arch_type=manifest.arch_type,
        opp_version=manifest.opp_version,
        compiler_version=manifest.compiler_version,
        atc_version=manifest.atc_version,
        host_env_os=manifest.host_env_os,
        host_env_cpu=manifest.host_env_cpu,
        dynamic=manifest.dynamic,
    )


def target_facts(target: Target, spec: str) -> TargetFacts:
    """The facts of a target that a plan records."""
    return TargetFacts(
        spec=spec or target.name,
        name=target.name,
        origin=target.origin,
        fingerprint=target.fingerprint,
        release=target.release.value or "",
        internal=target.internal.value or "",
        soc=target.soc.value or "",
        host_os=target.host_os.value or "",
        host_cpu=target.host_cpu.value or "",
    )
