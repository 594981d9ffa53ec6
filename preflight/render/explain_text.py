"""Explanations for people: the answer in the first line, what to do next in the last."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Mapping
from typing import Any

from preflight.explain.types import (
    Cause,
    CodeEntry,
    CodeExplanation,
    EvidenceLine,
    Fault,
    LogExplanation,
    VersionConflict,
)
from preflight.render.escape import printable

_MAX_RULES = 12
_MAX_EVIDENCE = 3
_WIDTH = 100
_LONGEST = 280  # characters of a log line that are shown
_HANGING = re.compile(r" *(?:[\w ]{2,9}(?::| ) +)?")
_PLACEHOLDER = re.compile(r"\{(\w+)\}")  # what a finding fills in and a rule page can only name


def render_code_text(answers: Iterable[CodeExplanation]) -> str:
    """The explanation of codes, one block each."""
    return "\n".join(_fit(_code(a)) for a in answers)


def _code(answer: CodeExplanation) -> list[str]:
    asked = printable(answer.asked)
    if answer.entry is not None:
        return _known(answer, answer.entry)
    if answer.faults:
        return _fault(answer.faults[0])
    lines = [f"{asked} is not a code this catalogue knows; nothing is guessed about it."]
    if answer.range is not None:
        lines.append(f"  range    {answer.range.text} ({answer.range.layer}): {answer.range.what}")
    for entry in answer.nearest:
        lines.append(f"  nearest  {_title(entry)}: {entry.meaning}")
    lines.append("Look at the lines around it:\n  preflight explain --log FILE")
    return lines


def _title(entry: CodeEntry) -> str:
    return f"{entry.code} {entry.names[0]}" if entry.names else entry.code


def _known(answer: CodeExplanation, entry: CodeEntry) -> list[str]:
    lines = [f"{_title(entry)}: {entry.meaning}"]
    if entry.number is not None:
        also = ", ".join((f"0x{entry.number:X}", *entry.names[1:]))
        lines.append(f"  written  {also}")
    lines.append(f"  layer    {entry.layer}")
    if answer.range is not None:
        lines.append(f"  range    {answer.range.text}: {answer.range.what}")
    if entry.arguments:
        lines.append(f"  names    {', '.join(entry.arguments)} (filled into the message)")
    if entry.since or entry.until:
        spans = [
            f"{entry.since}" if entry.since else "",
            f"up to {entry.until}" if entry.until else "",
        ]
        lines.append(f"  exists   {' '.join(s for s in spans if s)}")
    lines += [f"  hides    {text}" for text in entry.hides]
    for other in entry.spellings:
        note = f" ({other.note})" if other.note else ""
        lines.append(f"  also     {other.code}, {other.releases}{note}")
    shown = answer.rules[:_MAX_RULES]
    lines += [f"  rule     {rule.rule} {rule.title}" for rule in shown]
    if len(answer.rules) > len(shown):
        lines.append(f"  rule     and {len(answer.rules) - len(shown)} more: preflight rules")
    lines += [f"  in logs  {fault.id} {fault.title}" for fault in answer.faults]
    lines += [f"  collect  {text}" for text in entry.collect]
    lines.append(f"  source   {entry.source}")
    lines.append("Next:\n  " + _code_command(answer))
    return lines


def _code_command(answer: CodeExplanation) -> str:
    if answer.rules:
        return "preflight check MODEL.om --target RELEASE/SOC"
    return "preflight explain --log ~/ascend/log/debug/plog"


def _fault(fault: Fault) -> list[str]:
    lines = [
        f"{fault.id} {fault.title}",
        f"  what     {fault.what}",
        f"  why      {fault.why}",
        f"  layer    {fault.layer}",
    ]
    lines += [f"  rule     {rule}" for rule in fault.rules]
    lines += [
        f"  remedy   {r.summary}" + (f": {r.command}" if r.command else "") for r in fault.remedies
    ]
    lines.append(f"  source   {fault.source}")
    lines.append(f"Next:\n  {fault.next_step or 'preflight explain --log FILE'}")
    return lines


def render_rule_text(rule: Mapping[str, Any]) -> str:
    """The explanation of one rule from its plain values (`explain_rule`)."""
    lines = [f"{rule['id']} {rule['title']}"]
    for name in ("what", "why"):
        lines.append(f"  {name:<8} {printable(' '.join(str(rule[name]).split()))}")
    lines.append(f"  severity {rule['severity']}, consequence {rule['consequence']}")
    loader = rule.get("loader")
    if loader:
        codes = ", ".join(c for c in loader["message_codes"] if not c.startswith("{"))
        lines.append(f"  loader   {loader['status']} {loader['status_name']} {codes}".rstrip())
    for remedy in rule["remedies"]:
        summary = _PLACEHOLDER.sub(lambda m: f"<{m[1].replace('_', ' ')}>", remedy["summary"])
        lines.append(f"  remedy   {remedy['kind']}: {summary}")
    lines += [f"  source   {text}" for text in rule["references"]]
    lines.append("Next:\n  preflight check MODEL.om --target RELEASE/SOC")
    return _fit(lines)


def render_log_text(answer: LogExplanation) -> str:
    """The explanation of a log."""
    lines = [headline(answer)]
    for number, cause in enumerate(answer.causes, start=1):
        lines += ["", *_cause(number, cause)]
    if answer.further:
        lines += ["", "Also seen: " + "; ".join(_brief(c) for c in answer.further)]
    if answer.consequences:
        lines += ["", "Consequences of the above, no causes of their own:"]
        lines += [f"  {_brief(c)}{_where(c.evidence)}" for c in answer.consequences]
    if answer.harmless:
        lines += ["", "Harmless:"]
        lines += [f"  {_brief(c)}{_where(c.evidence)}" for c in answer.harmless]
    if answer.codes:
        lines += ["", "Codes in the log, in order:"]
        lines += [f"  {c.code} {c.name}".rstrip() + f": {c.meaning}" for c in answer.codes]
    if answer.parameters:
        told = ", ".join(f"{k}={printable(v)}" for k, v in sorted(answer.parameters.items()))
        lines += ["", f"The log names: {told}"]
    if not answer.causes:
        lines += _unexplained(answer)
    lines += [f"Note: {printable(note)}" for note in answer.notes]
    if answer.next_command:
        lines += ["", "Next:", f"  {printable(answer.next_command)}"]
    return _fit(lines)


def _fit(lines: Iterable[str]) -> str:
    """Lines of at most a hundred columns; only the command at the end stays in one piece."""
    *body, last = "\n".join(lines).split("\n")
    fitted = [part for line in body for part in _wrapped(line)]
    return "\n".join((*fitted, last)) + "\n"


def _wrapped(line: str) -> list[str]:
    if len(line) <= _WIDTH:
        return [line]
    hanging = _HANGING.match(line)
    indent = min(len(hanging[0]) if hanging else 0, 11) or 2
    return textwrap.wrap(
        line,
        _WIDTH,
        subsequent_indent=" " * indent,
        break_on_hyphens=False,
        drop_whitespace=True,
        replace_whitespace=False,
    )


def headline(answer: LogExplanation) -> str:
    """The answer in one line."""
    if not answer.causes:
        if answer.earliest_errors:
            return "No known fault in this log, but errors that nothing here explains."
        return "No known fault in this log, and no line that speaks of an error."
    first = answer.causes[0]
    certainty = {"certain": "", "likely": " (likely)", "possible": " (possible)"}
    return f"{_upper(printable(first.statement))}{certainty[first.certainty.value]}."


def _upper(text: str) -> str:
    return text[:1].upper() + text[1:]


def _brief(cause: Cause) -> str:
    times = f" ({cause.occurrences} times)" if cause.occurrences > 1 else ""
    return f"{cause.fault.id} {printable(cause.statement or cause.fault.title)}{times}"


def _cause(number: int, cause: Cause) -> list[str]:
    fault = cause.fault
    lines = [f"{number}. {fault.title} [{fault.id}, {cause.certainty.value}, {fault.layer}]"]
    if cause.statement and cause.statement != fault.title:
        lines.append(f"   {printable(cause.statement)}")
    where = [f"process {cause.process}"] if cause.process else []
    where += [f"first at {cause.time}"] if cause.time else []
    where += [f"{cause.occurrences} times"] if cause.occurrences > 1 else []
    if where:
        lines.append(f"   {printable(', '.join(where))}")
    lines += [f"   {place(e)} {_shown(e)}" for e in cause.evidence[:_MAX_EVIDENCE]]
    lines += [f"   what: {fault.what}", f"   why:  {fault.why}"]
    if cause.check:
        lines.append(f"   the check {_verb(cause.check)} this: {printable(cause.check_reason)}")
    if cause.conflict is not None:
        lines += [f"   {line}" for line in conflict_lines(cause.conflict)]
    for remedy in fault.remedies:
        lines.append(f"   do:   {printable(remedy.summary)}")
        if remedy.command:
            lines.append(f"           {printable(remedy.command)}")
    if fault.rules:
        lines.append(f"   predicted by: {', '.join(fault.rules)}")
    return lines


def _verb(check: str) -> str:
    return {"confirms": "confirms", "contradicts": "contradicts"}.get(check, "cannot decide")


def conflict_lines(conflict: VersionConflict) -> list[str]:
    """Both versions in both numberings, the comparison, and which is cheaper to move."""
    lines = [f"compared by {conflict.comparison}: {conflict.how}"]
    for side in conflict.sides:
        numbers = f"public {side.public}, internal {side.internal}"
        lines.append(f"  {side.role}: {printable(side.text)} ({numbers}), from {side.origin}")
    lines.append(f"  result: {printable(conflict.result)}")
    lines.append(f"  cheaper to move: {conflict.cheaper}; {conflict.why}")
    return lines


def _shown(line: EvidenceLine) -> str:
    text = printable(line.text.strip())
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"


def place(line: EvidenceLine) -> str:
    """`file:12:` as editors understand it; only the number for a single unnamed text."""
    return f"{printable(line.source)}:{line.number}:"


def _where(evidence: tuple[EvidenceLine, ...]) -> str:
    return f", {place(evidence[0]).rstrip(':')}" if evidence else ""


def _unexplained(answer: LogExplanation) -> list[str]:
    lines = []
    if answer.earliest_errors:
        lines += ["", "The earliest lines that speak of an error:"]
        lines += [f"  {place(e)} {_shown(e)}" for e in answer.earliest_errors[:6]]
    lines += ["", "What to look for:"]
    lines += [f"  {text}" for text in answer.look_for]
    return lines
