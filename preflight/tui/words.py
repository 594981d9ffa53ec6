"""What the assistant says, as plain lines with a role: screens colour them, prompts print them.

Every mark is a symbol and a word, so that nothing is said by colour alone; every text from a file
goes through `printable`, so that nothing in it can steer a terminal.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, NamedTuple

from preflight import api
from preflight.findings import Certainty, Evidence, Finding, NotEvaluated, Severity, Status

if TYPE_CHECKING:
    from preflight.api import Candidate, ModelReport, Plan, Step, Target
    from preflight.tui.session import Session


class Line(NamedTuple):
    """`role`: plain | title | dim | good | warn | bad | unsure | command."""

    text: str
    role: str = "plain"


# symbol, word, role
STATUS_MARKS: dict[Status, tuple[str, str, str]] = {
    Status.OK: ("+", "ok", "good"),
    Status.OK_WITH_WARNINGS: ("!", "ok, warnings", "warn"),
    Status.BLOCKED: ("x", "blocked", "bad"),
    Status.UNKNOWN: ("?", "unknown", "unsure"),
}
SEVERITY_MARKS: dict[Severity, tuple[str, str]] = {
    Severity.ERROR: ("x", "bad"),
    Severity.WARNING: ("!", "warn"),
    Severity.NOTE: ("-", "plain"),
}
STEP_MARKS: dict[str, tuple[str, str]] = {
    "pending": (" ", "plain"),
    "started": (">", "unsure"),
    "committing": (">", "unsure"),
    "done": ("+", "good"),
    "failed": ("x", "bad"),
    "undoing": ("<", "unsure"),
    "undone": ("<", "warn"),
    "would run": ("+", "good"),
    "not ready": ("x", "bad"),
}
_PREDICTED = {
    "ok": "runs",
    "ok_with_warnings": "runs, with warnings",
    "unknown": "not fully known",
    "blocked": "does not run",
}


def status_mark(status: Status) -> Line:
    """ "x blocked" with its role."""
    symbol, word, role = STATUS_MARKS[status]
    return Line(f"{symbol} {word}", role)


def predicted_mark(predicted: str) -> Line:
    """The predicted verdict of a way or plan, as symbol and words."""
    symbol, _, role = STATUS_MARKS[Status(predicted)]
    return Line(f"{symbol} {_PREDICTED[predicted]}", role)


def plural(count: int, word: str) -> str:
    """ "1 model", "2 models"."""
    return f"{count:,} {word}{'' if count == 1 else 's'}"


def file_name(path: str) -> str:
    """The last part of a path, safe to show."""
    return api.printable(PurePath(path).name or path)


def models_answer(session: Session) -> Line:
    """The answer of the first screen: the verdict on one model, or the counts of many."""
    total, done = len(session.rows), session.checked
    target = session.target
    if not total:
        return Line("No model yet: o opens a model file, a folder of them, or a saved plan")
    if target is None:
        return Line(f"{plural(total, 'model')}; choose a target with t to check them")
    name = api.printable(target.name)
    if total == 1 and done == 1:
        report = next(session.reports())
        role = STATUS_MARKS[report.verdicts.deploy.status][2]
        return Line(api.printable(api.headline(report)), role)
    counts = [
        f"{session.tally[status]:,} {STATUS_MARKS[status][1]}"
        for status in (Status.BLOCKED, Status.UNKNOWN, Status.OK_WITH_WARNINGS, Status.OK)
        if session.tally[status]
    ]
    said = "; ".join(counts) or "nothing checked yet"
    if done < total:
        return Line(f"checking on {name}: {done:,} of {plural(total, 'model')}: {said}")
    return Line(f"{plural(total, 'model')} on {name}: {said}")


def report_lines(report: ModelReport) -> Iterator[Line]:
    """The verdict on one model: headline, both paths, counts."""
    yield Line(api.printable(api.headline(report)), "title")
    if report.error is not None:
        if report.error.hint:
            yield Line(f"hint: {api.printable(report.error.hint)}")
        return
    for name in ("deploy", "rebuild"):
        verdict = getattr(report.verdicts, name)
        mark = status_mark(verdict.status)
        reason = verdict.reason if verdict.status is Status.UNKNOWN else ""
        why = api.printable(": ".join(t for t in (verdict.decided_by, reason) if t))
        yield Line(f"{name}: {mark.text}" + (f" ({why})" if why else ""), mark.role)
    yield Line(api.count_words(report))


def finding_lines(finding: Finding) -> Iterator[Line]:
    """One finding: what, evidence of both sides, place, the loader's answer, ways out."""
    symbol, role = SEVERITY_MARKS[finding.severity]
    safe = api.printable
    yield Line(
        f"{symbol} {finding.severity.value}  {finding.rule}  {safe(finding.title)}"
        f"  [{finding.consequence.value}, {finding.certainty.value}]",
        role,
    )
    yield Line(safe(finding.message))
    if finding.loader is not None:
        yield Line(f"the loader says: {safe(api.loader_line(finding.loader))}")
    for item in finding.evidence:
        yield from _evidence_lines(item)
    place = [finding.location.path] if finding.location.path else []
    if finding.location.offset is not None:
        place.append(f"byte {finding.location.offset}")
    if place:
        yield Line(f"at {safe(', '.join(place))}", "dim")
    for number, remedy in enumerate(finding.remedies):
        if not number:
            yield Line("ways out", "title")
        yield Line(f"  - {safe(remedy.summary)} (risk: {safe(remedy.risk)})")
        if remedy.command:
            yield Line(f"    {safe(remedy.command)}", "command")
    if finding.missing and finding.certainty is not Certainty.CERTAIN:
        yield Line(f"would be surer with: {safe(', '.join(finding.missing))}", "dim")


def _evidence_lines(item: Evidence) -> Iterator[Line]:
    safe = api.printable
    yield Line(f"  {safe(item.subject)}", "title")
    for word, value, source in (
        ("target wants", item.expected, item.expected_from),
        ("model has   ", item.found, item.found_from),
    ):
        if value or word.startswith("model"):
            said = f"  [{safe(source)}]" if source else ""
            yield Line(f"    {word}  {safe(value) or '(nothing)'}{said}")


def rule_lines(rule: dict[str, Any]) -> Iterator[Line]:
    """What a rule means and where it comes from."""
    yield Line("what it means", "title")
    for key in ("what", "why"):
        for paragraph in str(rule[key]).split("\n\n"):
            yield Line(api.printable(paragraph))
    yield Line("references", "title")
    for reference in rule["references"]:
        yield Line(f"  - {api.printable(reference)}")


def undecided_lines(item: NotEvaluated) -> Iterator[Line]:
    """A rule that could not be decided, and what would decide it."""
    weight = "this keeps the verdict unknown" if item.blocking else "the verdict does not wait"
    yield Line(f"? not decided  {item.rule}  [{item.consequence.value}]", "unsure")
    yield Line(api.printable(item.reason))
    if item.missing:
        yield Line(f"missing: {api.printable(', '.join(item.missing))}")
    yield Line(weight, "dim")


def way_lines(number: int, candidate: Candidate) -> Iterator[Line]:
    """One way out: prediction, cost, risk, what remains and its steps."""
    path, safe = candidate.path, api.printable
    yield Line(f"{number}. {safe(path.title)}", "title")
    mark = predicted_mark(path.predicted)
    yield Line(mark.text, mark.role)
    yield Line(f"cost {path.cost}, {path.risk} risk")
    yield Line("can be undone" if path.reversible else "! cannot be undone fully")
    waiting = sum(map(is_unready, candidate.plan.steps))
    if waiting:
        yield Line(f"? {plural(waiting, 'step')} not ready: a file or value is missing", "unsure")
    yield Line("remains", "title")
    for text in path.remaining[:12]:
        yield Line(f"- {safe(text)}")
    if len(path.remaining) > 12:
        yield Line(f"- and {len(path.remaining) - 12} more")
    if not path.remaining:
        yield Line("nothing")
    yield Line("steps", "title")
    for place, step in enumerate(candidate.plan.steps, 1):
        unready = is_unready(step)
        said = f"{place} {'? ' if unready else ''}{safe(step.title)}"
        yield Line(said, "unsure" if unready else "plain")
    if not candidate.plan.steps:
        yield Line("none")
    yield Line("why", "title")
    yield Line(safe(path.why))


def plan_headline(plan: Plan) -> Line:
    """The answer of the plan screen: what is planned, its prediction and size."""
    mark = predicted_mark(plan.path.predicted)
    names = file_name(plan.models[0].path) if len(plan.models) == 1 else ""
    who = names or plural(len(plan.models), "model")
    title = api.printable(plan.path.title)
    waiting = sum(map(is_unready, plan.steps))
    steps = plural(len(plan.steps), "step") + (f", {waiting} not ready" if waiting else "")
    return Line(f"{who}: {title} -> {mark.text}; {steps}", mark.role)


def is_unready(step: Step) -> bool:
    """Whether a step cannot run yet: a file, a value or a decision is missing."""
    missing = any(need.place != "found" for need in step.needs)
    return bool(step.open_questions or step.problems) or missing


def is_by_hand(step: Step) -> bool:
    """Whether a person does the step (as plan.execute decides it)."""
    if step.command:
        return False
    return step.kind not in ("verify", "waive") or bool(step.instruction)


def step_command(step: Step) -> str:
    """What the step would run, as one line to paste; empty when a person does it."""
    if step.command:
        return api.printable(shlex.join(step.command))
    if step.kind == "verify" and step.check.startswith("preflight "):
        return api.printable(step.check)
    return ""


def step_lines(step: Step) -> Iterator[Line]:
    """One step with everything that it says."""
    safe = api.printable
    yield Line(f"{safe(step.title)}  ({step.kind.replace('_', ' ')}, {safe(step.id)})", "title")
    command = step_command(step)
    if command:
        yield Line("runs")
        yield Line(f"  {command}", "command")
    for label, text in (("do", step.instruction), ("expect", step.expected)):
        if text:
            yield Line(f"{label}: {safe(text)}")
    yield from _step_needs(step)
    for label, text in (("check", step.check), ("undo", step.undo)):
        if text and text != command:
            yield Line(f"{label}: {safe(text)}")
    if step.requires:
        yield Line(f"after: {safe(', '.join(step.requires))}", "dim")
    for reason in step.reasons:
        yield Line(f"because {safe(reason)}", "dim")


def _step_needs(step: Step) -> Iterator[Line]:
    safe = api.printable
    for need in step.needs:
        good = need.place == "found"
        yield Line(
            f"{'+' if good else 'x'} needs {safe(need.what)}: {safe(need.path)} ({need.place})",
            "good" if good else "bad",
        )
    for question in step.open_questions:
        yield Line(f"? open: --{safe(question.option)}: {safe(question.what)}", "unsure")
    for problem in step.problems:
        yield Line(f"? look at: {safe(problem)}", "unsure")
    for stated in step.statements:
        yield Line(f"state {safe(f'{stated.operator}.{stated.attribute} = {stated.value}')}")
    if step.roll_out is not None:
        yield Line(f"stages: {safe(', '.join(step.roll_out.stages))}")
        yield Line(f"watch: {safe(step.roll_out.metric)}")
        yield Line(f"to go back: {safe(step.roll_out.switch_back)}")
    if step.waiver is not None:
        yield Line(f"! accepted until {step.waiver.expires}: {safe(step.waiver.reason)}", "warn")


def target_lines(target: Target) -> Iterator[Line]:
    """A target's facts that decide checks, with remarks about its name first."""
    safe = api.printable
    yield Line(f"{safe(target.name)}  ({target.origin})", "title")
    for note in target.notes:
        yield Line(f"! {safe(note)}", "warn")
    behaviour = target.behaviour.value
    facts = (
        ("release", target.release.value, target.release),
        ("internal number", target.internal.value, target.internal),
        ("loader", behaviour.label if behaviour is not None else None, target.behaviour),
        ("SoC", target.soc.value, target.soc),
        ("host OS", target.host_os.value, target.host_os),
        ("host CPU", target.host_cpu.value, target.host_cpu),
        ("driver", target.driver.value, target.driver),
    )
    for name, value, fact in facts:
        if fact.known:
            yield Line(f"{name}: {safe(value or '(none)')}")
        else:
            yield Line(f"? {name}: not known: {safe(fact.source)}", "unsure")
    yield Line("how this is known", "title")
    for name, _, fact in facts:
        if fact.known:
            yield Line(f"{name}: {safe(fact.source)}", "dim")


def next_command(saved: str, model: str, spec: str) -> str:
    """The command to paste after leaving."""
    if saved:
        return api.printable(f"preflight apply {shlex.quote(saved)} --dry-run")
    words = ["preflight", "tui", *([model] if model else []), *(["--target", spec] if spec else [])]
    return api.printable(shlex.join(words))


def text_of(lines: Sequence[Line] | Iterator[Line]) -> str:
    """Plain text of some lines, ending in a newline."""
    return "".join(f"{line.text}\n" for line in lines)
