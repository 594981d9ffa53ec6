"""The report for programs; the schema is schemas/report.schema.json. Fields are only ever added."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from preflight.checks.report import InputSummary, ModelReport, Report, TargetSummary
from preflight.checks.waivers import Waived
from preflight.findings import Finding, LoaderAnswer, PathVerdict
from preflight.render.escape import mask


def render_json(report: Report, *, masked: bool = True) -> str:
    """The whole report as indented JSON, ending in a newline."""
    return dump(report_value(report), masked=masked)


def dump(value: object, *, masked: bool) -> str:
    """Any plain value as indented JSON; user names in paths are masked on request."""
    encoded = msgspec.json.encode(_safe(value, masked))
    return msgspec.json.format(encoded, indent=2).decode() + "\n"


def report_value(report: Report) -> dict[str, Any]:
    """The report as plain values, in the order in which they are written."""
    return {
        "schema_version": report.schema_version,
        "tool": {"name": "preflight", "version": report.tool_version},
        "inputs": [_input(item) for item in report.inputs],
        "targets": [_target(item) for item in report.targets],
        "results": [_result(item) for item in report.results],
        "timings": {phase: round(seconds, 4) for phase, seconds in report.seconds.items()},
    }


def _input(item: InputSummary) -> dict[str, Any]:
    return {
        "path": item.path,
        "kind": item.kind,
        "what": item.what,
        "size": item.size,
        "sha256": item.sha256,
        "bytes_read": item.bytes_read,
    }


def _target(item: TargetSummary) -> dict[str, Any]:
    facts = {
        fact.name: {
            "value": fact.value if fact.known else None,
            "known": fact.known,
            "source": fact.source,
            "certainty": fact.certainty,
        }
        for fact in item.facts
    }
    return {
        "name": item.name,
        "spec": item.spec,
        "origin": item.origin,
        "fingerprint": item.fingerprint,
        "facts": facts,
    }


def _result(item: ModelReport) -> dict[str, Any]:
    return {
        "model": item.model,
        "name": item.name,
        "kind": item.kind,
        "target": item.target,
        "verdicts": {
            "deploy": _verdict(item.verdicts.deploy),
            "rebuild": _verdict(item.verdicts.rebuild),
        },
        "findings": [finding_value(finding) for finding in item.findings],
        "waived": [_waived(waived) for waived in item.waived],
        "not_evaluated": [
            {
                "rule": n.rule,
                "reason": n.reason,
                "consequence": n.consequence.value,
                "missing": list(n.missing),
                "blocking": n.blocking,
            }
            for n in item.not_evaluated
        ],
        "not_applicable": [{"rule": rule, "reason": why} for rule, why in item.not_applicable],
        "error": None
        if item.error is None
        else {"message": item.error.message, "hint": item.error.hint},
    }


def _verdict(verdict: PathVerdict) -> dict[str, Any]:
    return {
        "status": verdict.status.value,
        "decided_by": verdict.decided_by,
        "reason": verdict.reason,
    }


def finding_value(finding: Finding) -> dict[str, Any]:
    """One finding as plain values."""
    return {
        "rule": finding.rule,
        "name": finding.name,
        "title": finding.title,
        "severity": finding.severity.value,
        "consequence": finding.consequence.value,
        "certainty": finding.certainty.value,
        "message": finding.message,
        "evidence": [
            {
                "subject": e.subject,
                "expected": e.expected,
                "found": e.found,
                "expected_from": e.expected_from,
                "found_from": e.found_from,
            }
            for e in finding.evidence
        ],
        "location": {
            "file": finding.location.file,
            "path": finding.location.path,
            "offset": finding.location.offset,
        },
        "remedies": [
            {"kind": r.kind, "summary": r.summary, "risk": r.risk, "command": r.command}
            for r in finding.remedies
        ],
        "loader": None if finding.loader is None else _loader(finding.loader),
        "facts": dict(finding.facts),
        "rests_on": list(finding.rests_on),
        "missing": list(finding.missing),
        "doubt": finding.doubt,
        "fingerprint": finding.fingerprint,
    }


def _loader(answer: LoaderAnswer) -> dict[str, Any]:
    """`message_codes` keep the parameter they are about ("E10001:om"); `message_code` is bare."""
    return {
        "step": answer.step,
        "status": answer.status,
        "status_name": answer.status_name,
        "message_code": answer.message_code.partition(":")[0],
        "message_codes": list(answer.message_codes),
        "internal_status": answer.internal_status,
        "internal_name": answer.internal_name,
    }


def _waived(waived: Waived) -> dict[str, Any]:
    return {
        "finding": finding_value(waived.finding),
        "reason": waived.reason,
        "expires": waived.expires.isoformat(),
    }


def _safe(value: object, masked: bool) -> Any:
    """Plain values with texts that JSON can carry: undecodable characters become escapes."""
    if isinstance(value, str):
        text = mask(value) if masked else value
        return text.encode("utf-8", "backslashreplace").decode()
    if isinstance(value, Mapping):
        return {_safe(k, masked): _safe(v, masked) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [_safe(item, masked) for item in value]
    if isinstance(value, bytes):
        return value.hex()
    return value
