"""`check`: model files against targets, the program's main job."""

from __future__ import annotations

import datetime
import os
import time
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, cast

from msgspec.structs import replace

from preflight.checks.context import Assumptions, Context
from preflight.checks.engine import Result, run_rules
from preflight.checks.facts import likely_soc
from preflight.checks.histories import target_history
from preflight.checks.loader import RuleSet, load_rules
from preflight.checks.report import (
    CheckError,
    FactSummary,
    InputSummary,
    ModelReport,
    Report,
    TargetSummary,
    unreadable,
)
from preflight.checks.verdicts import decide, with_waived
from preflight.checks.waivers import Waiver, apply_waivers
from preflight.errors import PreflightError, UnreadableInput, UsageError
from preflight.findings import sort_findings
from preflight.model.manifest import ModelFile
from preflight.target.types import Fact, Target

if TYPE_CHECKING:
    from preflight.container.read import Loader

Progress = Callable[[int, int, str], None]

_TARGET_FACTS = (
    "release", "internal", "behaviour", "soc", "host_os", "host_cpu", "abi_range", "opp_version",
    "driver",
)  # fmt: skip


def check_model(
    model: ModelFile | str | os.PathLike[str] | bytes,
    target: Target | str,
    *,
    rules: RuleSet | None = None,
    assumptions: Assumptions | None = None,
) -> Result:
    """Will this model load and run on that target? `target` may be a name or a snapshot file.

    Raises UnreadableInput when the file cannot be read at all, UsageError for an unknown target.
    """
    assumed = assumptions or Assumptions()
    resolved = _target(target)
    context = Context(_read(model, assumed), resolved, assumed, target_history(resolved))
    return run_rules((rules or _bundled()).rules, context)


def check(
    paths: Sequence[str | os.PathLike[str]],
    targets: Sequence[Target | str],
    *,
    rules: RuleSet | None = None,
    assumptions: Assumptions | None = None,
    waivers: Sequence[Waiver] = (),
    today: datetime.date | None = None,
    progress: Progress | None = None,
) -> Report:
    """Check every file (folders are walked for *.om) against every target.

    A file that cannot be read becomes a result with an error; wrong targets and rules raise.
    """
    started = time.perf_counter()
    if not paths or not targets:
        raise UsageError("a check needs at least one model file and one target")
    job = _Job(rules or _bundled(), assumptions or Assumptions(), waivers, today)
    resolved = [(_spec(target), _target(target)) for target in _once(targets)]
    loaded = time.perf_counter()
    inputs: list[InputSummary] = []
    results: list[ModelReport] = []
    files = [os.fspath(path) for path in expand(paths)]
    for number, path in enumerate(files):
        if progress is not None:
            progress(number, len(files), path)
        summary, outcomes = job.check_file(path, resolved)
        inputs.append(summary)
        results += outcomes
    return Report(
        tuple(inputs),
        tuple(_summarise(spec, target) for spec, target in resolved),
        tuple(results),
        {"load": loaded - started, "check": time.perf_counter() - loaded},
    )


@cache
def _bundled() -> RuleSet:
    """The project's own rules, read once per process."""
    return load_rules()


class _Job:
    """What stays the same from file to file."""

    def __init__(
        self,
        rules: RuleSet,
        assumptions: Assumptions,
        waivers: Sequence[Waiver],
        today: datetime.date | None,
    ) -> None:
        self.rules = rules.rules
        self.assumptions = assumptions
        self.waivers = waivers
        self.today = today or datetime.datetime.now(tz=datetime.UTC).date()

    def check_file(
        self, path: str, targets: Sequence[tuple[str, Target]]
    ) -> tuple[InputSummary, list[ModelReport]]:
        """One file against every target; it is read once."""
        name = PurePath(path).name or path
        try:
            model = _read(path, self.assumptions)
        except PreflightError as error:
            reason = CheckError(error.message, error.hint)
            return InputSummary(path), [
                unreadable(path, name, target.name, spec, reason) for spec, target in targets
            ]
        container = model.container
        summary = InputSummary(
            path,
            container.kind.value,
            container.what,
            container.size,
            model.sha256,
            model.bytes_read,
        )
        return summary, [self._check_model(path, model, spec, t) for spec, t in targets]

    def _check_model(self, path: str, model: ModelFile, spec: str, target: Target) -> ModelReport:
        context = Context(model, target, self.assumptions, target_history(target))
        result = run_rules(self.rules, context)
        if self.waivers:
            return self._waive(path, context, spec, result)
        return _model_report(path, context, spec, result)

    def _waive(self, path: str, context: Context, spec: str, result: Result) -> ModelReport:
        kept, waived, expired = apply_waivers(result.findings, self.waivers, path, self.today)
        policy = [r for r in self.rules if r.check.predicate == "policy.waiver_expired"]
        kept += run_rules(policy, replace(context, expired_waivers=expired)).findings
        ordered = sort_findings(kept)
        decided = decide(ordered, result.not_evaluated, result.asked)
        verdicts = with_waived(decided, tuple(item.finding for item in waived))
        report = _model_report(path, context, spec, replace(result, verdicts=verdicts))
        return replace(report, findings=ordered, waived=waived)


def _model_report(path: str, context: Context, spec: str, result: Result) -> ModelReport:
    return ModelReport(
        model=path,
        name=context.model_name,
        kind=context.model.container.kind.value,
        target=context.target.name,
        target_spec=spec,
        verdicts=result.verdicts,
        findings=result.findings,
        not_evaluated=result.not_evaluated,
        not_applicable=result.not_applicable,
        suggested_target=_suggest(context, spec),
    )


def _suggest(context: Context, spec: str) -> str:
    """The target as given, with the SoC that it lacks and the model is for."""
    soc = "" if context.target.soc.known else likely_soc(context)
    return f"{spec}{'/' if context.target.origin == 'catalogue' else '@'}{soc}" if soc else ""


def expand(paths: Iterable[str | os.PathLike[str]]) -> list[Path]:
    """Files as given, and every *.om below the folders given, sorted; links are not followed.

    Raises UnreadableInput for a folder without any.
    """
    files: list[Path] = []
    for given in map(Path, paths):
        if not given.is_dir():
            files.append(given)
            continue
        found = sorted(
            Path(root) / name
            for root, _, names in os.walk(given)
            for name in names
            if name.endswith(".om")
        )
        if not found:
            raise UnreadableInput(f"{given}: there is no .om file in this folder")
        files += found
    return list(dict.fromkeys(files))


def _once(targets: Sequence[Target | str]) -> list[Target | str]:
    """The targets without those that are named a second time."""
    named: set[str] = set()
    kept: list[Target | str] = []
    for target in targets:
        if not isinstance(target, str) or target not in named:
            kept.append(target)
        if isinstance(target, str):
            named.add(target)
    return kept


def _read(model: ModelFile | str | os.PathLike[str] | bytes, assumptions: Assumptions) -> ModelFile:
    if isinstance(model, ModelFile):
        return model
    from preflight.model.file import read_model

    loader = assumptions.loader or "auto"
    return read_model(model, loader=cast("Loader", loader))  # read_container refuses others


def _target(target: Target | str) -> Target:
    if isinstance(target, Target):
        return target
    from preflight.target.resolve import load_target

    return load_target(target)


def _spec(target: Target | str) -> str:
    return target if isinstance(target, str) else target.name


def _summarise(spec: str, target: Target) -> TargetSummary:
    facts = tuple(_fact_summary(name, getattr(target, name)) for name in _TARGET_FACTS)
    return TargetSummary(target.name, spec, target.origin, target.fingerprint, facts)


def _fact_summary(name: str, fact: Fact[object]) -> FactSummary:
    value = getattr(fact.value, "label", fact.value)
    text = "" if value is None else str(value)
    return FactSummary(name, text, fact.known, fact.source, fact.certainty.value)
