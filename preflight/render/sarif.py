"""The report as SARIF 2.1.0, for code scanning services."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

from preflight.checks.report import ModelReport, Report
from preflight.findings import Finding, Severity
from preflight.render.json import dump
from preflight.render.view import View, headline

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTE: "note"}


def render_sarif(report: Report, *, masked: bool = True) -> str:
    """One run; a result per finding and target, suppressed ones included."""
    view = View(masked)
    rules: dict[str, dict[str, Any]] = {}
    results: list[dict[str, Any]] = []
    for item in report.results:
        for finding in item.findings:
            rules.setdefault(finding.rule, _rule(finding))
            results.append(_result(item, finding, view))
        for waived in item.waived:
            rules.setdefault(waived.finding.rule, _rule(waived.finding))
            value = _result(item, waived.finding, view)
            value["suppressions"] = [
                {"kind": "external", "justification": view.text(waived.reason)}
            ]
            results.append(value)
    run = {
        "tool": {
            "driver": {
                "name": "preflight",
                "version": report.tool_version,
                "rules": [rules[key] for key in sorted(rules)],
            }
        },
        "invocations": [_invocation(report, view)],
        "results": results,
    }
    return dump({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}, masked=masked)


def _rule(finding: Finding) -> dict[str, Any]:
    return {
        "id": finding.rule,
        "name": finding.name,
        "shortDescription": {"text": finding.title},
        "defaultConfiguration": {"level": _LEVELS[finding.severity]},
        "properties": {"consequence": finding.consequence.value},
    }


def _result(item: ModelReport, finding: Finding, view: View) -> dict[str, Any]:
    message = f"{finding.message} [{item.target}]"
    if finding.loader is not None:
        message += f" (the caller sees {finding.loader.status} {finding.loader.status_name})"
    physical: dict[str, Any] = {
        "artifactLocation": {"uri": quote(view.text(finding.location.file or item.model))}
    }
    if finding.location.offset is not None:
        physical["region"] = {"byteOffset": finding.location.offset, "byteLength": 0}
    location: dict[str, Any] = {"physicalLocation": physical}
    if finding.location.path:
        location["logicalLocations"] = [{"fullyQualifiedName": view.text(finding.location.path)}]
    return {
        "ruleId": finding.rule,
        "level": _LEVELS[finding.severity],
        "message": {"text": view.text(message)},
        "locations": [location],
        "partialFingerprints": {"preflight/v1": f"{finding.fingerprint}:{item.target}"},
        "properties": {"target": item.target, "certainty": finding.certainty.value},
    }


def _invocation(report: Report, view: View) -> dict[str, Any]:
    """Files that could not be checked are notifications of the tool, not findings."""
    failures = [r for r in report.results if r.error is not None]
    return {
        "executionSuccessful": not failures,
        "toolExecutionNotifications": [
            {"level": "error", "message": {"text": view.text(headline(r))}} for r in failures
        ],
    }
