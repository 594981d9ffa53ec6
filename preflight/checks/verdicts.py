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

# Why a path is unknown when no rule of it spoke about the model.
_NOTHING_ASKED = {
    DEPLOY: "nothing in the file could be compared with the target",
    REBUILD: "operators are compared for compiling again in OMs and single-operator models only",
}


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


def with_waived(verdicts: Verdicts, waived: Sequence[Finding]) -> Verdicts:
    """The verdicts once errors were waived: a person accepted them, they have not gone away.

    A path that nothing else speaks against is ok with a warning that names the waived error.
    """
    return Verdicts(
        _accepted(verdicts.deploy, DEPLOY, waived), _accepted(verdicts.rebuild, REBUILD, waived)
    )


def _accepted(
    verdict: PathVerdict, consequences: frozenset[Consequence], waived: Sequence[Finding]
) -> PathVerdict:
    errors = [f for f in waived if f.consequence in consequences and f.severity is Severity.ERROR]
    if not errors or verdict.status not in (Status.OK, Status.OK_WITH_WARNINGS):
        return verdict
    return PathVerdict(Status.OK_WITH_WARNINGS, errors[0].rule, f"waived: {errors[0].message}")


def _path(
    consequences: frozenset[Consequence],
    findings: Sequence[Finding],
    not_evaluated: tuple[NotEvaluated, ...],
    asked: frozenset[Consequence],
) -> PathVerdict:
    relevant = [f for f in findings if f.consequence in consequences]
    errors = [f for f in relevant if f.severity is Severity.ERROR]
    if errors:
        return _of_error(errors[0])
    undecided = [item for item in not_evaluated if item.consequence in consequences]
    for item in undecided:
        if item.blocking:
            return PathVerdict(Status.UNKNOWN, item.rule, item.reason)
    if not asked & consequences:
        reason = undecided[0].reason if undecided else _NOTHING_ASKED[consequences]
        return PathVerdict(Status.UNKNOWN, undecided[0].rule if undecided else "", reason)
    warnings = [f for f in relevant if f.severity is Severity.WARNING]
    if warnings:
        return PathVerdict(Status.OK_WITH_WARNINGS, warnings[0].rule, warnings[0].message)
    if undecided:  # nothing that would refuse the model, but not all was looked at
        return PathVerdict(
            Status.OK_WITH_WARNINGS, undecided[0].rule, f"not decided: {undecided[0].reason}"
        )
    return PathVerdict(Status.OK)


def _of_error(first: Finding) -> PathVerdict:
    """The verdict of the first error: sorted findings put those that are merely possible last."""
    if first.certainty is Certainty.POSSIBLE:
        return PathVerdict(Status.UNKNOWN, first.rule, f"not sure, but possible: {first.message}")
    return PathVerdict(Status.BLOCKED, first.rule, first.message)
