"""The report for people at a terminal: the answer first, a command to paste last."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from preflight.checks.report import ModelReport, Report
from preflight.findings import Finding, PathVerdict, Severity, Status
from preflight.render.layout import TextLayout, columns
from preflight.render.view import (
    View,
    count_words,
    decided_by,
    headline,
    loader_line,
    next_command,
    seen_code,
    sides,
)

_STATUS_WORDS = {
    Status.OK: "will load",
    Status.OK_WITH_WARNINGS: "will load, with warnings",
    Status.BLOCKED: "will not work",
    Status.UNKNOWN: "not known",
}
_STATUS_COLOURS = {
    Status.OK: "green",
    Status.OK_WITH_WARNINGS: "yellow",
    Status.BLOCKED: "red",
    Status.UNKNOWN: "yellow",
}
_SEVERITY_COLOURS = {Severity.ERROR: "red", Severity.WARNING: "yellow", Severity.NOTE: "cyan"}
_MOST_DETAILS = 20  # models of a batch that are shown in full
_PLAIN = TextLayout()


def render_text(report: Report, *, masked: bool = False, layout: TextLayout = _PLAIN) -> str:
    """The whole report as text, ending in a newline."""
    page = _Page(View(masked), layout)
    lines = list(page.batch(report) if len(report.results) > 1 else page.single(report.results[0]))
    lines.append(f"next: {page.view.text(next_command(report))}")
    return "\n".join(lines) + "\n"


class _Page:
    """Lines of a report; every text from a model is made safe on the way."""

    def __init__(self, view: View, layout: TextLayout) -> None:
        self.view = view
        self.layout = layout

    def single(self, result: ModelReport) -> Iterator[str]:
        """One model on one target, in full."""
        yield self.view.text(headline(result))
        yield from self.details(result)
        yield ""

    def batch(self, report: Report) -> Iterator[str]:
        """Counts, a table of all results, then those that are blocked (all when verbose)."""
        yield _overall(report)
        yield ""
        yield from self.table(report)
        chosen = [r for r in report.results if self.layout.verbose or _is_blocked(r)]
        shown = chosen if self.layout.verbose else chosen[:_MOST_DETAILS]
        for result in shown:
            yield ""
            yield from self.layout.wrap(self.view.text(headline(result)), "", "  ")
            yield from self.details(result)
        yield from self.undecided_models(report)
        left = len(chosen) - len(shown)
        if left:
            yield ""
            yield f"and {left} more that are blocked: --verbose shows all of them"
        yield ""

    def table(self, report: Report) -> Iterator[str]:
        """Model, target when there are several, both verdicts, what decided, the caller's code."""
        several = len(report.targets) > 1
        head = [
            "model",
            *(["target"] if several else []),
            "deploy",
            "rebuild",
            "decided by",
            "code",
        ]
        rows = [head]
        for result in report.results:
            row = [self.view.text(result.model)]
            row += [self.view.text(result.target)] if several else []
            row += [_words(result.verdicts.deploy.status), _words(result.verdicts.rebuild.status)]
            rows.append([*row, decided_by(result) or "-", seen_code(result) or "-"])
        yield from columns(rows)

    def undecided_models(self, report: Report) -> Iterator[str]:
        """Why answers are not known, one reason once, with the number of models it concerns."""
        if self.layout.verbose:
            return
        reasons = Counter(
            result.error.message if result.error is not None else result.verdicts.deploy.reason
            for result in report.results
            if result.verdicts.deploy.status is Status.UNKNOWN
        )
        if reasons:
            yield ""
            yield "not known:"
        for reason, count in reasons.most_common():
            times = f" ({count} times)" if count > 1 else ""
            yield from self.layout.wrap(self.view.text(reason) + times, "  ")

    def details(self, result: ModelReport) -> Iterator[str]:
        """Findings, what was not decided, verdicts and counts."""
        if result.error is not None:
            if result.error.hint:
                yield from self.layout.wrap(self.view.text(result.error.hint), "  ")
            return
        notes = [f for f in result.findings if self.is_short(f)]
        for finding in result.findings:
            if not self.is_short(finding):
                yield ""
                yield from self.finding(finding)
        if notes:
            yield ""
        for finding in notes:
            label = self.layout.paint("note", _SEVERITY_COLOURS[Severity.NOTE])
            lines = self.layout.wrap(self.message(finding), f"  note  {finding.rule}  ")
            yield from (line.replace("note", label, 1) if i == 0 else line
                        for i, line in enumerate(lines))  # fmt: skip
        yield from self.waived(result)
        yield from self.not_decided(result)
        yield ""
        yield from self.verdict("deploy", result.verdicts.deploy)
        yield from self.verdict("rebuild", result.verdicts.rebuild)
        yield f"  {count_words(result)}"

    def is_short(self, finding: Finding) -> bool:
        """Whether one line says enough: a note whose evidence nobody asked for."""
        return finding.severity is Severity.NOTE and not self.layout.verbose

    def message(self, finding: Finding) -> str:
        """What a finding says, with the model inside that it is about."""
        text = self.view.text(finding.message)
        inside = finding.location.path.partition(" / ")[0]
        if inside.startswith("model ") and inside.endswith(" inside"):
            return f"{self.view.text(inside)}: {text}"
        return text

    def finding(self, finding: Finding) -> Iterator[str]:
        """A finding in full: both sides, who says so, the loader's answer, the ways out."""
        severity = finding.severity
        label = self.layout.paint(severity.value, _SEVERITY_COLOURS[severity])
        kind = f"[{finding.consequence.value}, {finding.certainty.value}]"
        yield f"  {label}  {finding.rule}  {finding.title}  {kind}"
        yield from self.layout.wrap(self.view.text(finding.message), "    ", "    ")
        if finding.doubt:
            doubt = f"{finding.certainty.value}, since {self.view.text(finding.doubt)}"
            yield from self.layout.wrap(doubt, "    ")
        for subject, expected, found in sides(finding, self.view.text):
            if found.partition("  [")[0] == self.view.text(finding.message):
                yield from self.layout.wrap(expected, f"    {subject}: expected ")
                continue
            yield from self.layout.wrap(subject, "    ")
            if expected:
                yield from self.layout.wrap(expected, "      expected  ")
            yield from self.layout.wrap(found, "      found     ")
        if finding.location.path or finding.location.offset is not None:
            yield from self.layout.wrap(self.view.text(_place(finding)), "    at ")
        if finding.loader is not None:
            yield from self.layout.wrap(self.view.text(loader_line(finding.loader)), "    loader: ")
        for remedy in finding.remedies:
            risk = "" if remedy.risk == "low" else f" (risk: {remedy.risk})"
            yield from self.layout.wrap(
                f"{self.view.text(remedy.summary)}{risk}", "    - ", "      "
            )
            if remedy.command:
                yield f"        {self.view.text(remedy.command)}"  # to be pasted: never wrapped

    def waived(self, result: ModelReport) -> Iterator[str]:
        """Findings that somebody accepted, with the reason and the date."""
        for item in result.waived:
            yield ""
            until = item.expires.isoformat()
            yield f"  waived until {until}  {item.finding.rule}  {item.finding.title}"
            yield from self.layout.wrap(self.view.text(item.reason), "    ", "    ")

    def not_decided(self, result: ModelReport) -> Iterator[str]:
        """What was not decided and how to supply the facts; one reason once."""
        groups: dict[str, list[str]] = {}
        for item in result.not_evaluated:
            groups.setdefault(item.reason, []).append(item.rule)
        if groups:
            yield ""
            yield "  not decided, because facts are missing:"
        for reason, rules in groups.items():
            named = ", ".join(dict.fromkeys(rules))
            yield from self.layout.wrap(f"{named}: {self.view.text(reason)}", "    ")

    def verdict(self, path: str, verdict: PathVerdict) -> Iterator[str]:
        """One path: its status, and what decided it."""
        words = _words(verdict.status)
        text = f"{path}: {words}"
        if verdict.decided_by:
            text += f" ({verdict.decided_by})"
        if verdict.status is Status.UNKNOWN and verdict.reason:
            text += f": {self.view.text(verdict.reason)}"
        first, *rest = self.layout.wrap(text, "  ")
        painted = self.layout.paint(words, _STATUS_COLOURS[verdict.status])
        yield first.replace(words, painted, 1)
        yield from rest


def _overall(report: Report) -> str:
    counts = Counter(r.verdicts.deploy.status for r in report.results)
    models = len(report.inputs)
    words = [f"{counts[s]} {_STATUS_WORDS[s]}" for s in _STATUS_WORDS if counts[s]]
    plural = "" if len(report.targets) == 1 else "s"
    return (
        f"{models} model{'' if models == 1 else 's'} on {len(report.targets)} target{plural}: "
        + ", ".join(words)
    )


def _is_blocked(result: ModelReport) -> bool:
    return result.verdicts.deploy.status is Status.BLOCKED


def _words(status: Status) -> str:
    return status.value.replace("_", " ")


def _place(finding: Finding) -> str:
    parts = [finding.location.path] if finding.location.path else []
    if finding.location.offset is not None:
        parts.append(f"byte {finding.location.offset}")
    return ", ".join(parts)
