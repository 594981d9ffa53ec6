"""What every report format says in the same words: headline, next command, texts made safe."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from pathlib import PurePath

from msgspec import Struct

from preflight.checks.report import ModelReport, Report
from preflight.findings import Consequence, Finding, LoaderAnswer, Severity, Status
from preflight.render.escape import mask, printable

_STREAMS = ("-", "stdin")
_GENERIC_STATUS = 500002  # the code that hides most causes (om-format §D.0)


class View(Struct, frozen=True):
    """How texts of a report are shown: always escaped, and masked unless the reader wants paths."""

    masked: bool = True

    def text(self, value: str) -> str:
        """One text from a report, safe to show."""
        return printable(mask(value) if self.masked else value)


def headline(result: ModelReport) -> str:
    """The answer in one line."""
    name, target = result.name, result.target
    if result.error is not None:
        return f"{name} could not be checked: {result.error.message}"
    deploy = result.verdicts.deploy
    if deploy.status is Status.BLOCKED:
        return _blocked(result)
    if deploy.status is Status.UNKNOWN:
        return f"{name}: not known whether it loads on {target}: {deploy.reason}"
    accepted = next((w for w in result.waived if w.finding.rule == deploy.decided_by), None)
    if deploy.status is Status.OK_WITH_WARNINGS and accepted is not None:
        return (
            f"{name} counts as fit for {target} because {accepted.finding.rule} is waived: "
            f"{_lower(accepted.finding.title)}"
        )
    warnings = [f for f in result.findings if f.severity is Severity.WARNING]
    if deploy.decided_by in {f.rule for f in warnings}:
        more = f" (and {len(warnings) - 1} more)" if len(warnings) > 1 else ""
        return f"{name} will load on {target}, with a warning: {_lower(warnings[0].title)}{more}"
    if deploy.status is Status.OK_WITH_WARNINGS:
        return f"{name} will load on {target}, but {deploy.decided_by} is {deploy.reason}"
    return f"{name} will load on {target}: no check of the loader speaks against it"


def _blocked(result: ModelReport) -> str:
    name, target = result.name, result.target
    verdict = result.verdicts.deploy
    deciding = next((f for f in result.findings if f.rule == verdict.decided_by), None)
    code = seen_code(result)
    seen = f" (the caller sees {code})" if code else ""
    if deciding is None:
        return f"{name} will not load on {target}{seen}"
    if deciding.consequence is Consequence.RUN:
        return f"{name} loads on {target} but will not run there: {_lower(deciding.title)}"
    # A rule without a loader's answer names the file for what it is; its message says it.
    reason = deciding.message if deciding.loader is None else _lower(deciding.title)
    return f"{name} will not load on {target}: {reason}{seen}"


def decided_by(result: ModelReport) -> str:
    """The rule that decided the deploy verdict, empty when none did."""
    return result.verdicts.deploy.decided_by


def seen_code(result: ModelReport) -> str:
    """The ACL code that the caller of the load sees, empty when no check is known to fail."""
    first = result.first_failure
    return "" if first is None or first.loader is None else str(first.loader.status)


def _lower(title: str) -> str:
    """A title in the middle of a sentence; words in capitals keep them."""
    first = title.split(" ", 1)[0]
    capitals = len(first) > 1 and first[1:] != first[1:].lower()
    return title if capitals else title[0].lower() + title[1:]


def loader_line(answer: LoaderAnswer) -> str:
    """What the loader itself reports, and what it hides."""
    text = f"check {answer.step} fails: the caller sees {answer.status} {answer.status_name}"
    if answer.message_codes:
        text += f", the log {', '.join(answer.message_codes)}"
    if answer.internal_status is not None:
        text += f"; inside it is {answer.internal_status} {answer.internal_name}"
    if answer.status == _GENERIC_STATUS:
        text += " (the caller's code is the same for nearly every failure)"
    return text


def next_command(report: Report) -> str:
    """A command to paste: what to do about the first result that needs something."""
    order = (Status.BLOCKED, Status.UNKNOWN, Status.OK_WITH_WARNINGS, Status.OK)
    result = min(report.results, key=lambda r: order.index(r.verdicts.deploy.status))
    model, target = shlex.quote(result.model), shlex.quote(result.target_spec)
    if result.error is not None:
        if PurePath(result.model).name in _STREAMS:
            return f"cat > model.om; preflight check model.om --target {target}"
        return f"ls -l {model}"
    deploy = result.verdicts.deploy
    if deploy.status is Status.BLOCKED:
        return f"preflight plan {model} --target {target}"
    if deploy.status is Status.UNKNOWN:
        return _supply(result)
    if deploy.status is Status.OK_WITH_WARNINGS:
        return f"preflight explain {deploy.decided_by}"
    return f"preflight inspect {model}"


# Facts that another --target would give; the others are on the host that the model is for.
_NAMED_BY_TARGET = frozenset(
    {"target.release", "target.behaviour", "target.soc", "target.soc_facts"}
)


def _supply(result: ModelReport) -> str:
    """How to get the facts without which the verdict is unknown."""
    decided_by = result.verdicts.deploy.decided_by
    missing = {
        name for item in result.not_evaluated if item.rule == decided_by for name in item.missing
    }
    if missing & _NAMED_BY_TARGET and result.suggested_target:
        target = shlex.quote(result.suggested_target)
        return f"preflight check {shlex.quote(result.model)} --target {target}"
    if missing & _NAMED_BY_TARGET:
        return "preflight target list"
    if missing or not decided_by:
        return "preflight target capture -o host.toml    # on the host the model is for"
    return f"preflight explain {decided_by}"


def count_words(result: ModelReport) -> str:
    """ "1 error, 2 warnings, 1 note"; "nothing found" when there is nothing."""
    counts = []
    for severity in Severity:
        number = sum(f.severity is severity for f in result.findings)
        if number:
            counts.append(f"{number} {severity.value}{'' if number == 1 else 's'}")
    return ", ".join(counts) or "nothing found"


def sides(finding: Finding, safe: Callable[[str], str]) -> list[tuple[str, str, str]]:
    """(subject, expected with its source, found with its source) of each piece of evidence."""
    rows = []
    for item in finding.evidence:
        expected = _with_source(item.expected, item.expected_from) if item.expected else ""
        found = _with_source(item.found, item.found_from)
        rows.append((safe(item.subject), safe(expected), safe(found)))
    return rows


def _with_source(value: str, source: str) -> str:
    shown = value or "(nothing)"
    return f"{shown}  [{source}]" if source else shown
