"""The report for people at a terminal: the answer first, a command to paste last."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from preflight.checks.report import ModelReport, Report
from preflight.findings import Finding, PathVerdict, Status
from preflight.render.view import View, count_words, headline, loader_line, next_command, sides

_STATUS_WORDS = {
    Status.OK: "will load",
    Status.OK_WITH_WARNINGS: "will load, with warnings",
    Status.BLOCKED: "will not work",
    Status.UNKNOWN: "not known",
}


def render_text(report: Report, *, masked: bool = False) -> str:
    """The whole report as text, ending in a newline."""
    view = View(masked)
    lines: list[str] = []
    if len(report.results) > 1:
        lines += [_overall(report), ""]
    for result in report.results:
        lines += [*_result(result, view), ""]
    lines.append(f"next: {view.text(next_command(report))}")
    return "\n".join(lines) + "\n"


def _overall(report: Report) -> str:
    counts = Counter(r.verdicts.deploy.status for r in report.results)
    models = len(report.inputs)
    words = [f"{counts[s]} {_STATUS_WORDS[s]}" for s in _STATUS_WORDS if counts[s]]
    plural = "" if len(report.targets) == 1 else "s"
    return (
        f"{models} model{'' if models == 1 else 's'} on {len(report.targets)} target{plural}: "
        + ", ".join(words)
    )


def _result(result: ModelReport, view: View) -> Iterator[str]:
    yield view.text(headline(result))
    if result.error is not None:
        if result.error.hint:
            yield f"  {view.text(result.error.hint)}"
        return
    for finding in result.findings:
        yield ""
        yield from _finding(finding, view)
    for waived in result.waived:
        finding = waived.finding
        yield ""
        yield f"  waived until {waived.expires.isoformat()}  {finding.rule}  {finding.title}"
        yield f"    {view.text(waived.reason)}"
    if result.not_evaluated:
        yield ""
        yield "  not decided, because facts are missing:"
        for reason, rules in _by_reason(result).items():
            yield f"    {', '.join(rules)}: {view.text(reason)}"
    yield ""
    yield f"  deploy: {_verdict(result, 'deploy', view)}"
    yield f"  rebuild: {_verdict(result, 'rebuild', view)}"
    yield f"  {count_words(result)}"


def _by_reason(result: ModelReport) -> dict[str, list[str]]:
    """Rules that could not be decided, together where the reason is the same."""
    groups: dict[str, list[str]] = {}
    for item in result.not_evaluated:
        groups.setdefault(item.reason, []).append(item.rule)
    return groups


def _verdict(result: ModelReport, path: str, view: View) -> str:
    verdict: PathVerdict = getattr(result.verdicts, path)
    text = verdict.status.value.replace("_", " ")
    if verdict.status is Status.UNKNOWN and verdict.reason:
        text += f" ({view.text(verdict.reason)})"
    elif verdict.decided_by:
        text += f" ({verdict.decided_by})"
    return text


def _finding(finding: Finding, view: View) -> Iterator[str]:
    yield (
        f"  {finding.severity.value}  {finding.rule}  {finding.title}"
        f"  [{finding.consequence.value}, {finding.certainty.value}]"
    )
    yield f"    {view.text(finding.message)}"
    for subject, expected, found in sides(finding, view.text):
        yield f"    {subject}"
        if expected:
            yield f"      expected  {expected}"
        yield f"      found     {found}"
    if finding.location.path or finding.location.offset is not None:
        yield f"    at {view.text(_place(finding))}"
    if finding.loader is not None:
        yield f"    loader: {view.text(loader_line(finding.loader))}"
    for remedy in finding.remedies:
        risk = "" if remedy.risk == "low" else f" (risk: {remedy.risk})"
        yield f"    - {view.text(remedy.summary)}{risk}"
        if remedy.command:
            yield f"        {view.text(remedy.command)}"


def _place(finding: Finding) -> str:
    parts = [finding.location.path] if finding.location.path else []
    if finding.location.offset is not None:
        parts.append(f"byte {finding.location.offset}")
    return ", ".join(parts)
