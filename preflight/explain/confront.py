"""Sets the causes of a log against a check of the model on the target, or the target alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from preflight.explain.conflict import conflict_of, values_of_finding
from preflight.explain.types import Cause
from preflight.findings import Certainty, Finding

if TYPE_CHECKING:
    from preflight.checks.report import ModelReport, Report
    from preflight.target.types import SocFacts, Target

CONFIRMS = "confirms"
CONTRADICTS = "contradicts"
CANNOT_DECIDE = "cannot decide"


def confront(causes: list[Cause], report: Report) -> list[Cause]:
    """The causes with what the check says about each; confirmed ones first, then as ranked."""
    return _sorted([_answer(cause, report) for cause in causes])


def confront_target(causes: list[Cause], target: Target) -> list[Cause]:
    """The causes with what the target's facts say to the values that the log names."""
    return _sorted([_target_answer(cause, target) for cause in causes])


def _sorted(answered: list[Cause]) -> list[Cause]:
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
    conflict = cause.conflict
    if conflict is None and finding is not None:
        conflict = conflict_of(cause.fault, values_of_finding(finding))
    return replace(cause, check=check, check_reason=reason, certainty=certainty, conflict=conflict)


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


def _target_answer(cause: Cause, target: Target) -> Cause:
    values = cause.parameters
    if "model_soc" in values and cause.fault.category == "om_soc_mismatch":
        check, reason = _soc_answer(values["model_soc"], target)
    elif "model_version" in values and cause.fault.category == "om_opp_version_mismatch":
        check, reason = _opp_answer(values["model_version"], target)
    else:
        check, reason = CANNOT_DECIDE, "the log and the target have no fact in common to compare"
    return _with(cause, check, reason, None)


def _soc_answer(model_soc: str, target: Target) -> tuple[str, str]:
    behaviour = target.behaviour.value
    device = target.soc.value
    ours, theirs = target.socs.get(model_soc), target.socs.get(device or "")
    if behaviour is None or ours is None or theirs is None:
        return CANNOT_DECIDE, f"the target does not say what {model_soc} and {device} are"
    one, other = _architecture(ours, behaviour.soc_rule), _architecture(theirs, behaviour.soc_rule)
    if one is None or other is None:
        return CANNOT_DECIDE, f"the architecture of {model_soc} or {device} is not known"
    names = f"{model_soc} ({behaviour.soc_rule} {one}), {device} ({behaviour.soc_rule} {other})"
    return (CONTRADICTS if one == other else CONFIRMS), names


def _architecture(soc: SocFacts, rule: str) -> str | None:
    return soc.npu_arch if rule == "npu_arch" else soc.arch_type


def _opp_answer(model_version: str, target: Target) -> tuple[str, str]:
    if not target.opp_version.known or target.opp_version.value is None:
        return CANNOT_DECIDE, "the version of the target's operator package is not known"
    installed = target.opp_version.value
    check = CONTRADICTS if installed == model_version else CONFIRMS
    return check, f"the model needs {model_version}, the target has {installed}"
