"""The causes of a log against a check of the model, or against the target alone."""

from __future__ import annotations

from preflight.checks.report import CheckError, ModelReport, Report
from preflight.checks.verdicts import Verdicts
from preflight.explain.logs import explain_text
from preflight.findings import (
    Certainty,
    Consequence,
    Evidence,
    Finding,
    NotEvaluated,
    PathVerdict,
    Severity,
    Status,
)

LOG = (
    "EE1001: The argument is invalid.Reason: ModelCheckCompatibility failed, supported "
    "socVersion=Ascend910B2, but the model socVersion=Ascend310P3\n"
)
OPP = "E19999: The opp version of the model does not match the current opp run package\n"


def report(
    *findings: Finding,
    not_evaluated: tuple[NotEvaluated, ...] = (),
    not_applicable: tuple[tuple[str, str], ...] = (),
    error: CheckError | None = None,
) -> Report:
    verdict = PathVerdict(Status.UNKNOWN)
    result = ModelReport(
        model="m.om",
        name="m.om",
        kind="om",
        target="t",
        target_spec="t",
        verdicts=Verdicts(verdict, verdict),
        findings=findings,
        not_evaluated=not_evaluated,
        not_applicable=not_applicable,
        error=error,
    )
    return Report((), (), (result,))


def finding(rule: str, *evidence: Evidence) -> Finding:
    return Finding(
        rule=rule,
        name="n",
        title="t",
        severity=Severity.ERROR,
        consequence=Consequence.LOAD,
        certainty=Certainty.CERTAIN,
        message="it differs",
        evidence=evidence,
    )


def test_a_finding_of_the_linked_rule_confirms_the_cause() -> None:
    cause = explain_text(LOG, report=report(finding("PF302"))).causes[0]
    assert cause.check == "confirms"
    assert "it differs" in cause.check_reason
    assert cause.certainty is Certainty.CERTAIN


def test_no_finding_contradicts_the_cause() -> None:
    cause = explain_text(OPP, report=report()).causes[0]
    assert cause.check == "contradicts"
    assert cause.certainty is Certainty.POSSIBLE


def test_a_rule_that_was_not_evaluated_cannot_decide() -> None:
    open_rule = NotEvaluated("PF403", "the operator package is not known", Consequence.LOAD)
    cause = explain_text(OPP, report=report(not_evaluated=(open_rule,))).causes[0]
    assert cause.check == "cannot decide"
    assert "operator package" in cause.check_reason


def test_an_unreadable_model_cannot_decide() -> None:
    cause = explain_text(OPP, report=report(error=CheckError("cannot be read"))).causes[0]
    assert (cause.check, cause.check_reason) == ("cannot decide", "cannot be read")


def test_a_fault_without_a_rule_cannot_be_decided_by_the_check() -> None:
    log = "ImportError: libatb.so: cannot open shared object file: No such file or directory\n"
    cause = explain_text(log, report=report()).causes[0]
    assert cause.check == "cannot decide"


def test_the_finding_supplies_the_versions_the_log_does_not_name() -> None:
    evidence = Evidence("opp_version", "7.7.0.1.238", "6.4.12.1.241")
    cause = explain_text(OPP, report=report(finding("PF403", evidence))).causes[0]
    assert cause.conflict is not None
    assert [s.text for s in cause.conflict.sides] == ["6.4.12.1.241", "7.7.0.1.238"]


def test_the_target_alone_confirms_contradicts_or_cannot_decide() -> None:
    first = explain_text(LOG, target="9.0.0/Ascend910B2").causes[0]
    assert first.check == "confirms"
    second = explain_text(LOG, target="9.0.0/Ascend310P3").causes[0]
    assert second.check == "contradicts"
    third = explain_text(LOG, target="9.0.0").causes[0]
    assert third.check == "cannot decide"
