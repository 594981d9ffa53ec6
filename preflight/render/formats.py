"""The formats a report can be written in; a new one is a file, a member and a branch here."""

from __future__ import annotations

from enum import StrEnum
from typing import assert_never

from preflight.checks.report import Report
from preflight.render.layout import TextLayout


class ReportFormat(StrEnum):
    TEXT = "text"
    JSON = "json"
    MARKDOWN = "markdown"
    SARIF = "sarif"
    JUNIT = "junit"


def render_report(
    report: Report, form: ReportFormat, *, masked: bool = True, layout: TextLayout | None = None
) -> str:
    """The report in one format; `masked` replaces user names in paths, `layout` is of text."""
    match form:
        case ReportFormat.TEXT:
            from preflight.render.text import render_text

            return render_text(report, masked=masked, layout=layout or TextLayout())
        case ReportFormat.JSON:
            from preflight.render.json import render_json

            return render_json(report, masked=masked)
        case ReportFormat.MARKDOWN:
            from preflight.render.markdown import render_markdown

            return render_markdown(report, masked=masked)
        case ReportFormat.SARIF:
            from preflight.render.sarif import render_sarif

            return render_sarif(report, masked=masked)
        case ReportFormat.JUNIT:
            from preflight.render.junit import render_junit

            return render_junit(report, masked=masked)
        case _:
            assert_never(form)
