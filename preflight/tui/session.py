"""What the assistant is about: models with their verdicts, a target, ways out and one plan.

No screen in here: the screens and the plain prompts both hold one Session and call the api.
"""

from __future__ import annotations

import datetime
import os
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct, field

from preflight import api
from preflight.errors import PreflightError, UsageError
from preflight.findings import Finding, NotEvaluated, Severity, Status

if TYPE_CHECKING:
    from preflight.api import (
        Candidate,
        ModelFile,
        ModelReport,
        Plan,
        PlanWaiver,
        RuleSet,
        Simulation,
        Target,
        WaysOut,
    )


class ModelRow(Struct):
    """One model file; `report` is None until it is checked."""

    path: str
    name: str
    report: ModelReport | None = None
    counts: dict[Severity, int] = field(default_factory=dict)

    @property
    def status(self) -> Status | None:
        return self.report.verdicts.deploy.status if self.report is not None else None


class Session(Struct):
    """See the module docstring.

    `scope` are the paths that ways and plan are about; `plan_path` is the file of the plan as long
    as it is open, `saved_path` the last file that was saved; `outdated` says which file or target
    is no longer what a plan of another session was made for; `source_dir` is where relative paths
    of recorded commands are looked for.
    """

    spec: str = ""
    target: Target | None = None
    rows: dict[str, ModelRow] = field(default_factory=dict)
    marked: set[str] = field(default_factory=set)
    tally: Counter[Status] = field(default_factory=Counter)
    scope: tuple[str, ...] = ()
    simulation: Simulation | None = None
    plan: Plan | None = None
    plan_path: str = ""
    saved_path: str = ""
    outdated: str = ""
    source_dir: str = ""
    _saved: Plan | None = None
    _judged: Plan | None = None
    _history: list[Plan] = field(default_factory=list)
    _rules: RuleSet | None = None

    @property
    def rules(self) -> RuleSet:
        """The rule set, read once."""
        if self._rules is None:
            self._rules = api.load_rules()
        return self._rules

    @property
    def checked(self) -> int:
        """How many models have a verdict."""
        return sum(self.tally.values())

    @property
    def unsaved(self) -> bool:
        """Whether leaving now would lose a plan."""
        return self.plan is not None and self.plan != self._saved

    def add_models(self, given: Iterable[str | os.PathLike[str]]) -> list[str]:
        """Add files, and every *.om below folders; returns the new ones.

        Raises UnreadableInput for a folder without models.
        """
        new = [os.fspath(path) for path in api.expand(list(given))]
        new = [path for path in new if path not in self.rows]
        for path in new:
            self.rows[path] = ModelRow(path, path)
        self._name_rows()
        return new

    def set_target(self, spec: str, target: Target) -> None:
        """Another target: verdicts, ways and plan of the old one are gone."""
        self.spec, self.target = placed(spec), target
        self.forget_verdicts()
        self.drop_plan()

    def forget_verdicts(self) -> None:
        """Back to models without verdicts."""
        self.tally.clear()
        for row in self.rows.values():
            row.report, row.counts = None, {}

    def record(self, path: str, report: ModelReport) -> None:
        """Keep the verdict of one model."""
        row = self.rows[path]
        if row.status is not None:
            self.tally[row.status] -= 1
        row.report = report
        counts = Counter(finding.severity for finding in report.findings)
        row.counts = {severity: counts[severity] for severity in Severity}
        self.tally[report.verdicts.deploy.status] += 1

    def reports(self, paths: Sequence[str] = ()) -> Iterator[ModelReport]:
        """Verdicts that are there, of some models or of all."""
        for path in paths or self.rows:
            report = self.rows[path].report
            if report is not None:
                yield report

    def take(self, paths: Sequence[str], ways: WaysOut, candidate: Candidate) -> None:
        """Begin a plan for these models with one of the ways."""
        self.scope, self.simulation, self.outdated = tuple(paths), ways.simulation, ""
        self.plan = self._judged = candidate.plan
        self._history.clear()
        self._saved = None
        self.plan_path = ""

    def resume(self, plan: Plan) -> None:
        """Go on with a plan that a session before this one left behind, and with its models."""
        self.plan, self.simulation, self._saved = plan, None, None
        self._history.clear()
        here = {str(Path(path).absolute()): path for path in self.rows}
        self.scope = tuple(here.get(m.path, m.path) for m in plan.models)
        self.add_models(path for path in self.scope if path not in self.rows)
        self.plan_path = self.outdated = ""

    def open_plan(self, path: str, plan: Plan) -> None:
        """Go on with a plan that was read from a file."""
        self.resume(plan)
        self._saved = plan
        self.plan_path = self.saved_path = path

    def change(self, plan: Plan) -> None:
        """Replace the plan by an edited one; `undo` brings the old one back."""
        if self.plan is not None and plan != self.plan:
            self._history.append(self.plan)
        self.plan = plan

    def simulation_of(self, plan: Plan) -> Simulation:
        """What judges edits of a plan; reads the models again for a plan of another session.

        Raises PreflightError when a model or the target is not there any more.
        """
        found = self.simulation
        if found is None:
            models = [api.read_model(model.path) for model in plan.models]
            target = api.load_target(plan.target.spec)
            self.outdated = what_changed(plan, models, target)
            found = api.Simulation(models, target)
            self.simulation = found
        return found

    def predict(self, plan: Plan, candidate: Candidate) -> bool:
        """Write a prediction into the plan, unless the plan has changed since it was asked for."""
        if self.plan is not plan:
            return False
        self.plan = self._judged = candidate.plan
        return True

    def undo(self) -> bool:
        """Take the last edit back; False when there is none."""
        if not self._history:
            return False
        self.plan = self._history.pop()
        return True

    def save(self, path: str) -> None:
        """Write the plan with what it leads to. Raises UnreadableInput or UsageError."""
        plan = self.plan
        if plan is None:
            raise UsageError("there is no plan to save")
        if plan is not self._judged:
            with suppress(PreflightError):  # it stays "unknown" then
                plan = api.judge(self.simulation_of(plan), plan).plan
        api.write_plan(plan, path)
        self.plan = self._judged = self._saved = plan
        self.plan_path = self.saved_path = path

    def give_up(self) -> None:
        """The plan need not be saved: its owner said so."""
        self._saved = self.plan

    def drop_plan(self) -> None:
        """Let the plan go."""
        self.simulation = self.plan = self._saved = None
        self.plan_path = ""
        self._history.clear()

    def _name_rows(self) -> None:
        """Short names that still tell files apart: paths below the folder that all share."""
        paths = [os.path.abspath(path) for path in self.rows]  # noqa: PTH100 - no links followed
        shared = os.path.commonpath([str(Path(p).parent) for p in paths]) if paths else ""
        for row, path in zip(self.rows.values(), paths, strict=True):
            row.name = api.printable(os.path.relpath(path, shared))


def what_changed(plan: Plan, models: Sequence[ModelFile], target: Target) -> str:
    """Which model or target is no longer what the plan was made for; `apply` would refuse it."""
    for facts, model in zip(plan.models, models, strict=True):
        if (facts.sha256, facts.size) != (model.sha256, model.container.size):
            return f"{facts.path} has changed since the plan was made"
    if plan.target.fingerprint != target.fingerprint:
        return f"the target {plan.target.spec} has changed since the plan was made"
    return ""


def placed(spec: str) -> str:
    """A target that is a file or folder, by its full path: plans are carried out elsewhere."""
    place, at, soc = spec.rpartition("@")
    name = place if at and not Path(spec).exists() else spec
    if not name or not Path(name).exists():
        return spec
    return str(Path(name).absolute()) + (f"@{soc}" if name != spec else "")


def check_one(path: str, target: Target, rules: RuleSet) -> ModelReport:
    """The verdict on one file; one that cannot be read has a verdict with an error."""
    return api.check([path], [target], rules=rules).results[0]


class FindingGroup(Struct, frozen=True):
    """Everything that one rule says about some models; `items` are (path, what is said)."""

    rule: str
    title: str
    severity: Severity | None  # None: not decided
    items: tuple[tuple[str, Finding | NotEvaluated], ...]


def group_findings(reports: Iterable[ModelReport]) -> list[FindingGroup]:
    """Findings by rule, worst first, then what could not be decided."""
    found: dict[tuple[str, str, Severity], list[tuple[str, Finding | NotEvaluated]]] = {}
    undecided: dict[str, list[tuple[str, Finding | NotEvaluated]]] = {}
    for report in reports:
        for finding in report.findings:
            key = (finding.rule, finding.title, finding.severity)
            found.setdefault(key, []).append((report.model, finding))
        for item in report.not_evaluated:
            undecided.setdefault(item.rule, []).append((report.model, item))
    groups = [FindingGroup(*key, tuple(items)) for key, items in found.items()]
    groups.sort(key=lambda g: (g.severity.rank if g.severity else 9, -len(g.items), g.rule))
    groups += [
        FindingGroup(rule, "could not be decided", None, tuple(items))
        for rule, items in sorted(undecided.items())
    ]
    return groups


def today() -> datetime.date:
    """The day by which waivers expire."""
    return datetime.datetime.now(tz=datetime.UTC).date()


def waiver_of(finding: Finding, reason: str, expires: str) -> PlanWaiver:
    """The waiver of one finding. Raises UsageError for a text that is no date."""
    try:
        date = datetime.date.fromisoformat(expires.strip())
    except ValueError:
        raise UsageError(
            f"{expires!r} is no date", hint="write it as year-month-day, as in 2027-01-31"
        ) from None
    return api.PlanWaiver(finding.rule, reason, date, finding.fingerprint)
