"""The report as Markdown, for a comment on a change or a page in a wiki."""

from __future__ import annotations

from collections.abc import Iterator

from preflight.checks.report import ModelReport, Report
from preflight.findings import Finding
from preflight.render.view import View, count_words, headline, loader_line, next_command, sides

_SPECIAL = str.maketrans({c: f"\\{c}" for c in r"\`*_{}[]<>#|~"})


def render_markdown(report: Report, *, masked: bool = True) -> str:
    """The whole report; texts from models are escaped and cannot open tags or links."""
    page = _Page(View(masked))
    lines = ["# Preflight report", "", *page.table(report), ""]
    for result in report.results:
        lines += [*page.result(result), ""]
    command = page.view.text(next_command(report)).replace("`", "'")
    lines += ["Next:", "", f"    {command}"]
    return "\n".join(lines) + "\n"


class _Page:
    """Lines of a page, with every text made safe on the way."""

    def __init__(self, view: View) -> None:
        self.view = view

    def safe(self, text: str) -> str:
        """A text that Markdown shows as it is."""
        return self.view.text(text).translate(_SPECIAL)

    def table(self, report: Report) -> Iterator[str]:
        """One row per model and target."""
        yield "| model | target | deploy | rebuild | findings |"
        yield "|---|---|---|---|---|"
        for result in report.results:
            cells = (
                self.safe(result.model),
                self.safe(result.target),
                result.verdicts.deploy.status.value,
                result.verdicts.rebuild.status.value,
                count_words(result),
            )
            yield f"| {' | '.join(cells)} |"

    def result(self, result: ModelReport) -> Iterator[str]:
        """The answer, findings and what could not be decided."""
        yield f"## {self.safe(headline(result))}"
        if result.error is not None and result.error.hint:
            yield ""
            yield self.safe(result.error.hint)
        for finding in result.findings:
            yield ""
            yield from self.finding(finding)
        for waived in result.waived:
            yield ""
            until = waived.expires.isoformat()
            yield f"Waived until {until}: {waived.finding.rule} {waived.finding.title}"
            yield f"({self.safe(waived.reason)})"
        if result.not_evaluated:
            yield ""
            yield "Not decided, because facts are missing:"
            yield ""
            for item in result.not_evaluated:
                yield f"- {item.rule}: {self.safe(item.reason)}"

    def finding(self, finding: Finding) -> Iterator[str]:
        """A heading, the message, both sides and the ways out."""
        yield f"### {finding.severity.value} {finding.rule}: {finding.title}"
        yield ""
        kind = f"({finding.consequence.value}, {finding.certainty.value})"
        yield f"{self.safe(finding.message)} {kind}"
        yield ""
        yield "| | expected | found |"
        yield "|---|---|---|"
        for subject, expected, found in sides(finding, self.safe):
            yield f"| {subject} | {expected} | {found} |"
        if finding.loader is not None:
            yield ""
            yield f"Loader: {self.safe(loader_line(finding.loader))}"
        if finding.remedies:
            yield ""
            for remedy in finding.remedies:
                yield f"- {self.safe(remedy.summary)} (risk: {remedy.risk})"
