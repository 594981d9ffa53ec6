"""The explanation of a log as Markdown, masked, to paste into a support ticket."""

from __future__ import annotations

from preflight.explain.types import Cause, EvidenceLine, LogExplanation
from preflight.render.escape import printable
from preflight.render.explain_text import conflict_lines, headline
from preflight.render.mask import mask_ticket


def render_log_markdown(answer: LogExplanation) -> str:
    """Markdown with user names, hosts, addresses, tokens and home folders masked."""
    lines = [f"**{_inline(headline(answer))}**", ""]
    for number, cause in enumerate(answer.causes, start=1):
        lines += [*_cause(number, cause), ""]
    for title, group in (
        ("Also seen", answer.further),
        ("Consequences", answer.consequences),
        ("Harmless", answer.harmless),
    ):
        if group:
            lines += [f"### {title}", ""]
            lines += [f"- {c.fault.id} {_inline(c.statement or c.fault.title)}" for c in group]
            lines.append("")
    if answer.codes:
        lines += ["### Codes, in order", "", "| code | name | meaning |", "|---|---|---|"]
        lines += [f"| {c.code} | {c.name} | {_cell(c.meaning)} |" for c in answer.codes]
        lines.append("")
    if not answer.causes and answer.earliest_errors:
        lines += ["### Earliest errors", "", *_quote(answer.earliest_errors[:6]), ""]
    if answer.parameters:
        lines += ["### Setting", ""]
        lines += [
            f"- {name}: {_inline(value)}" for name, value in sorted(answer.parameters.items())
        ]
        lines.append("")
    if answer.next_command:
        lines += ["Next:", "", "```sh", printable(answer.next_command), "```"]
    return mask_ticket("\n".join(lines).rstrip() + "\n")


def _cause(number: int, cause: Cause) -> list[str]:
    fault = cause.fault
    lines = [f"## {number}. {_inline(cause.statement or fault.title)}", ""]
    lines.append(f"{fault.id} · {cause.certainty.value} · layer {fault.layer} · {fault.category}")
    lines += ["", fault.what, "", *_quote(cause.evidence), ""]
    if cause.check:
        lines += [f"Check of the model: {cause.check}. {_inline(cause.check_reason)}", ""]
    if cause.conflict is not None:
        lines += [*(f"- {_inline(line.strip())}" for line in conflict_lines(cause.conflict)), ""]
    for remedy in fault.remedies:
        command = f": `{printable(remedy.command)}`" if remedy.command else ""
        lines.append(f"- {_inline(remedy.summary)}{command}")
    return lines


def _quote(evidence: tuple[EvidenceLine, ...]) -> list[str]:
    """Log lines in a fence that no line can end: a run of backticks is broken up."""
    body = [f"{e.number}: {printable(e.text.rstrip())}".replace("```", "` ` `") for e in evidence]
    return ["```text", *body, "```"]


def _inline(text: str) -> str:
    """Text that cannot become markup."""
    shown = printable(text)
    for mark in "\\`*_[]<>|":
        shown = shown.replace(mark, "\\" + mark)
    return shown


def _cell(text: str) -> str:
    return _inline(text)
