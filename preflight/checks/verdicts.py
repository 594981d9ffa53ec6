"""From findings to the verdict of each path: deploy as it is, or rebuild."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec import Struct

from preflight.findings import (
    Certainty,
    Consequence,
    Finding,
    NotEvaluated,
    PathVerdict,
    Severity,
    Status,
)

DEPLOY = frozenset({Consequence.LOAD, Consequence.RUN})
REBUILD = frozenset({Consequence.REBUILD, Consequence.DRIFT})


class Verdicts(Struct, frozen=True):
    """The answers of both paths; unknown is never shown as ok."""

    deploy: PathVerdict
    rebuild: PathVerdict


def decide(
    findings: Sequence[Finding],
    not_evaluated: Iterable[NotEvaluated],
    asked: frozenset[Consequence],
) -> Verdicts:
    """Verdicts from sorted findings; `asked` are the consequences that some decided rule covers."""
    unsettled = tuple(not_evaluated)
    return Verdicts(
        _path(DEPLOY, findings, unsettled, asked), _path(REBUILD, findings, unsettled, asked)
    )


def _path(
    consequences: frozenset[Consequence],
    findings: Sequence[Finding],
    not_evaluated: tuple[NotEvaluated, ...],
    asked: frozenset[Consequence],
) -> PathVerdict:
    relevant = [f for f in findings if f.consequence in consequences]
    errors = [f for f in relevant if f.severity is Severity.ERROR]
    sure = [f for f in errors if f.certainty is not Certainty.POSSIBLE]
    if sure:
        first = min(sure, key=_decisiveness)
        return PathVerdict(Status.BLOCKED, first.rule, first.message)
    if errors:
        return PathVerdict(
            Status.UNKNOWN, errors[0].rule, f"not sure, but possible: {errors[0].message}"
        )
    for item in not_evaluated:
        if item.blocking and item.consequence in consequences:
            return PathVerdict(Status.UNKNOWN, item.rule, item.reason)
    if not asked & consequences:
        return PathVerdict(Status.UNKNOWN, "", "no rule of this path could be evaluated")
    warnings = [f for f in relevant if f.severity is Severity.WARNING]
    if warnings:
        return PathVerdict(Status.OK_WITH_WARNINGS, warnings[0].rule, warnings[0].message)
    return PathVerdict(Status.OK)


def _decisiveness(finding: Finding) -> tuple[object, ...]:
    """What names the file for what it is comes first, then the loader's own order."""
    if finding.consequence is not Consequence.LOAD:
        return (2, ())
    return (0, ()) if finding.loader is None else (1, finding.position)
