"""Sets the causes of a log against a check of the model on the target."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from preflight.explain.types import Cause
from preflight.findings import Certainty, Finding

if TYPE_CHECKING:
    from preflight.checks.report import ModelReport, Report

CONFIRMS = "confirms"
CONTRADICTS = "contradicts"
CANNOT_DECIDE = "cannot decide"


def confront(causes: list[Cause], report: Report) -> list[Cause]:
    """The causes with what the check says about each; confirmed ones first, then as ranked."""
    answered = [_answer(cause, report) for cause in causes]
    order = {CONFIRMS: 0, CANNOT_DECIDE: 1, CONTRADICTS: 2}
    return sorted(answered, key=lambda c: order[c.check])


def _answer(cause: Cause, report: Report) -> Cause:
    if not cause.fault.rules:
        reason = "no check of the model can predict this fault"
        return replace(cause, check=CANNOT_DECIDE, check_reason=reason)
    answers = [_rule_answer(rule, model) for model in report.results for rule in cause.fault.rules]
    for wanted in (CONFIRMS, CANNOT_DECIDE, CONTRADICTS):
        for check, reason, finding in answers:
            if check == wanted:
                return _with(cause, check, reason, finding)
    return replace(cause, check=CANNOT_DECIDE, check_reason="nothing was checked")


def _with(cause: Cause, check: str, reason: str, finding: Finding | None) -> Cause:
    certainty = cause.certainty
    if finding is not None and finding.certainty is Certainty.CERTAIN:
        certainty = Certainty.CERTAIN
    elif check == CONTRADICTS:
        certainty = Certainty.POSSIBLE
    return replace(cause, check=check, check_reason=reason, certainty=certainty)


def _rule_answer(rule: str, model: ModelReport) -> tuple[str, str, Finding | None]:
    for finding in model.findings:
        if finding.rule == rule:
            return CONFIRMS, f"{rule}: {finding.message}", finding
    for open_rule in model.not_evaluated:
        if open_rule.rule == rule:
            return CANNOT_DECIDE, f"{rule} could not be evaluated: {open_rule.reason}", None
    for name, reason in model.not_applicable:
        if name == rule:
            return CANNOT_DECIDE, f"{rule} does not apply: {reason}", None
    if model.error is not None:
        return CANNOT_DECIDE, model.error.message, None
    return CONTRADICTS, f"{rule} finds nothing wrong with this model on this target", None
