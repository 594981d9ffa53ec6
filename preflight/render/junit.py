"""The report as JUnit XML, for CI systems that show tests: a suite per target, a case per model."""

from __future__ import annotations

from xml.sax.saxutils import escape, quoteattr

from preflight.checks.report import ModelReport, Report
from preflight.findings import Severity, Status
from preflight.render.view import View, headline, loader_line


def render_junit(report: Report, *, masked: bool = True) -> str:
    """Errors of a model are one failure, files that could not be checked are errors."""
    view = View(masked)
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', "<testsuites>"]
    for target in report.targets:
        results = [r for r in report.results if r.target_spec == target.spec]
        failed = sum(_failed(r) for r in results)
        broken = sum(_broken(r) for r in results)
        lines.append(
            f"  <testsuite name={quoteattr(view.text(target.name))} tests={_number(len(results))} "
            f"failures={_number(failed)} errors={_number(broken)}>"
        )
        for result in results:
            lines += _case(result, view)
        lines.append("  </testsuite>")
    lines.append("</testsuites>")
    return "\n".join(lines) + "\n"


def _number(value: int) -> str:
    return quoteattr(str(value))


def _failed(result: ModelReport) -> bool:
    return not _broken(result) and any(f.severity is Severity.ERROR for f in result.findings)


def _broken(result: ModelReport) -> bool:
    unknown = result.verdicts.deploy.status is Status.UNKNOWN
    return result.error is not None or unknown


def _case(result: ModelReport, view: View) -> list[str]:
    name, suite = quoteattr(view.text(result.model)), quoteattr(view.text(result.target))
    lines = [f"    <testcase name={name} classname={suite}>"]
    summary = quoteattr(view.text(headline(result)))
    if _broken(result):
        lines += [f"      <error message={summary}/>"]
    elif _failed(result):
        lines += [f"      <failure message={summary}>{_body(result, view)}</failure>"]
    remarks = _remarks(result, view)
    if remarks:
        lines.append(f"      <system-out>{remarks}</system-out>")
    lines.append("    </testcase>")
    return lines


def _body(result: ModelReport, view: View) -> str:
    parts = []
    for finding in result.findings:
        if finding.severity is Severity.ERROR:
            text = f"{finding.rule} {finding.title}: {finding.message}"
            if finding.loader is not None:
                text += f"; {loader_line(finding.loader)}"
            parts.append(escape(view.text(text)))
    return "\n".join(parts)


def _remarks(result: ModelReport, view: View) -> str:
    parts = [
        f"{f.severity.value} {f.rule} {f.title}: {f.message}"
        for f in result.findings
        if f.severity is not Severity.ERROR
    ]
    parts += [f"waived {w.finding.rule} {w.finding.title}: {w.reason}" for w in result.waived]
    return "\n".join(escape(view.text(part)) for part in parts)
