"""The report: everything that renderers, plans and exit codes are made from."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct, field

from preflight import __version__
from preflight.checks.engine import first_failure
from preflight.checks.verdicts import Verdicts
from preflight.checks.waivers import Waived
from preflight.errors import ExitCode
from preflight.findings import Finding, NotEvaluated, PathVerdict, Severity, Status

SCHEMA_VERSION = "1.0"


class InputSummary(Struct, frozen=True):
    """A model file as it was read. `sha256` is of the bytes read, weights left out."""

    path: str
    kind: str = ""
    what: str = ""
    size: int | None = None
    sha256: str = ""
    bytes_read: int = 0


class FactSummary(Struct, frozen=True):
    """One fact of a target: its value as text, who says so, and how surely."""

    name: str
    value: str
    known: bool
    source: str
    certainty: str


class TargetSummary(Struct, frozen=True):
    """A target by the name it goes by, with the facts that checks ask for."""

    name: str
    spec: str
    origin: str
    fingerprint: str
    facts: tuple[FactSummary, ...]


class CheckError(Struct, frozen=True):
    """Why a file could not be checked."""

    message: str
    hint: str = ""


class ModelReport(Struct, frozen=True):
    """The answer for one model on one target."""

    model: str
    name: str
    kind: str
    target: str
    target_spec: str
    verdicts: Verdicts
    findings: tuple[Finding, ...] = ()
    waived: tuple[Waived, ...] = ()
    not_evaluated: tuple[NotEvaluated, ...] = ()
    not_applicable: tuple[tuple[str, str], ...] = ()
    error: CheckError | None = None
    suggested_target: str = ""  # the target with the SoC that it lacks and the model is for

    @property
    def first_failure(self) -> Finding | None:
        """The load check that the loader would fail first."""
        return first_failure(self.findings)


class Report(Struct, frozen=True):
    """One run of `preflight check`. `seconds` are wall-clock times by phase."""

    inputs: tuple[InputSummary, ...]
    targets: tuple[TargetSummary, ...]
    results: tuple[ModelReport, ...]
    seconds: dict[str, float] = field(default_factory=dict)
    tool_version: str = __version__
    schema_version: str = SCHEMA_VERSION

    def exit_code(self, fail_on: Severity | None) -> ExitCode:
        """COULD_NOT_CHECK beats FINDINGS; `fail_on` None means that findings never fail."""
        if any(r.error or r.verdicts.deploy.status is Status.UNKNOWN for r in self.results):
            return ExitCode.COULD_NOT_CHECK
        if fail_on is not None and any(self._failing(fail_on)):
            return ExitCode.FINDINGS
        return ExitCode.OK

    def _failing(self, fail_on: Severity) -> Iterator[bool]:
        for result in self.results:
            for finding in result.findings:
                yield finding.severity.rank <= fail_on.rank


def unreadable(path: str, name: str, target: str, spec: str, error: CheckError) -> ModelReport:
    """The result for a file that could not be checked: unknown on both paths."""
    verdict = PathVerdict(Status.UNKNOWN, "", error.message)
    return ModelReport(path, name, "", target, spec, Verdicts(verdict, verdict), error=error)
