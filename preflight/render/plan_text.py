"""Ways out and plans for people: the answer first, a command to paste last."""

from __future__ import annotations

import shlex
import textwrap
from collections.abc import Iterator, Sequence
from pathlib import PurePath

from preflight.plan.apply import ApplyResult
from preflight.plan.fleet import Fleet
from preflight.plan.judge import Candidate
from preflight.plan.model import Plan, Step
from preflight.render.escape import printable
from preflight.render.plan_fleet import fleet_lines

_WIDTH = 100  # columns; commands and paths may be longer, they are never broken
_MOST_STEPS = 40  # of a way that is only looked at; `plan show` shows all

_STATUS_WORDS = {
    "ok": "runs",
    "ok_with_warnings": "runs, with warnings",
    "unknown": "not fully known",
    "blocked": "does not run",
}


# What a way is called in the first line, by kind; other kinds by their title.
_SHORT = {
    "as_is": "run it as it is",
    "rebuild": "compile it again",
    "mend": "repair what is wrong",
    "waive": "run it with what is accepted",
}


def ways_text(
    candidates: Sequence[Candidate],
    chosen: int,
    saved: str = "",
    again: str = "",
    fleet: Fleet | None = None,
) -> str:
    """All ways, best first, and the steps of the chosen one (an index).

    `saved` is the file that holds it; `again` the command that was given, to be repeated with -o;
    `fleet` says of several models where each of them runs.
    """
    best = candidates[chosen]
    lines = [_answer(candidates, best), ""]
    for number, candidate in enumerate(candidates, 1):
        lines += _way(number, candidate, candidate is best)
    if fleet is not None:
        lines += ["", *fleet_lines(fleet)]
    steps = best.plan.steps
    if steps:
        lines += ["", f"steps of way {chosen + 1}:"]
        for number, step in enumerate(steps[:_MOST_STEPS], 1):
            lines += _step(number, step, short=True)
    if len(steps) > _MOST_STEPS:
        lines.append(f"  and {len(steps) - _MOST_STEPS} more: preflight plan show PLAN shows all")
    lines += ["", f"next: {_next_of_ways(best, saved, again)}"]
    return _joined(lines)


def _joined(lines: Sequence[str]) -> str:
    """The lines as text; whatever is in one stays in one."""
    return "\n".join(printable(line) for line in lines) + "\n"


def _wrapped(lead: str, text: str) -> list[str]:
    """A text in lines of at most `_WIDTH` columns, indented like the text behind `lead`."""
    indent = " " * len(lead)
    return textwrap.wrap(
        printable(text),
        _WIDTH,
        initial_indent=lead,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    ) or [lead.rstrip()]


def _command(lead: str, words: Sequence[str]) -> list[str]:
    """A command over several lines, fit to paste."""
    lines, line = [], lead
    for number, word in enumerate(words):
        quoted = printable(shlex.quote(word))
        if number and len(line) + len(quoted) + 3 > _WIDTH:
            lines.append(f"{line} \\")
            line = " " * (len(lead) + 2) + quoted
        else:
            line += quoted if not number else f" {quoted}"
    return [*lines, line]


def _answer(candidates: Sequence[Candidate], best: Candidate) -> str:
    names = _names(best.plan)
    target = printable(best.plan.target.name)
    as_is = next((c for c in candidates if c.path.kind == "as_is"), None)
    if as_is is not None and as_is.reached and as_is.path.predicted != "unknown":
        return f"{names} on {target}: {_STATUS_WORDS[as_is.path.predicted]} as it is"
    today = _today(as_is)
    if not best.reached:
        return f"{names} on {target}: {today}, and no way was found that leaves nothing behind"
    short = _SHORT.get(best.path.kind) or printable(best.path.title)
    return f"{names} on {target}: {today}; best way: {short}"


def _today(as_is: Candidate | None) -> str:
    """What becomes of the files as they are."""
    if as_is is not None and as_is.reached:
        return "not known whether it runs as it is"
    outcomes = as_is.outcome.models if as_is is not None else ()
    failing = sum(1 for outcome in outcomes if outcome.left)
    if len(outcomes) > 1 and failing < len(outcomes):
        return f"{failing} of them do{'es' if failing == 1 else ''} not run as {_it(failing)}"
    return f"do{'es' if len(outcomes) < 2 else ''} not run as {_it(len(outcomes))}"


def _it(count: int) -> str:
    return "it is" if count < 2 else "they are"


def _names(plan: Plan) -> str:
    names = [printable(PurePath(m.path).name) for m in plan.models]
    return names[0] if len(names) == 1 else f"{len(names)} models"


def _way(number: int, candidate: Candidate, is_chosen: bool) -> Iterator[str]:
    path = candidate.path
    mark = "*" if is_chosen else " "
    yield from _wrapped(f"{mark} {number}. ", path.title)
    yield f"     predicted: {_STATUS_WORDS[path.predicted]}; cost {path.cost}, risk {path.risk}"
    yield from _wrapped("     ", path.why)
    for text in path.remaining[:8]:
        yield from _wrapped("     - ", text)
    if len(path.remaining) > 8:
        yield f"     - and {len(path.remaining) - 8} more"


def _next_of_ways(best: Candidate, saved: str, again: str) -> str:
    plan = best.plan
    model, target = shlex.quote(plan.models[0].path), shlex.quote(plan.target.spec)
    if not plan.steps:
        return printable(f"preflight check {model} --target {target}")
    if saved:
        return printable(f"preflight apply {shlex.quote(saved)} --dry-run")
    models = " ".join(shlex.quote(m.path) for m in plan.models)
    return printable(f"{again or f'preflight plan {models} --target {target}'} -o plan.toml")


def plan_text(plan: Plan, path: str, states: dict[str, str] | None = None) -> str:
    """One plan with its steps; `states` says where each stands, from the journal."""
    choice = plan.path
    predicted = _STATUS_WORDS.get(choice.predicted, printable(choice.predicted))
    lines = [f"{_names(plan)} on {printable(plan.target.name)}: {_progress(plan, states or {})}"]
    lines += _wrapped("  ", f"{choice.title} ({predicted}, {choice.risk} risk)")
    lines += _wrapped("  ", choice.why)
    for text in choice.remaining:
        lines += _wrapped("  remains: ", text)
    for number, step in enumerate(plan.steps, 1):
        lines += ["", *_step(number, step, (states or {}).get(step.id, ""))]
    for note in plan.notes:
        lines += _wrapped("note: ", note)
    done = bool(plan.steps) and all((states or {}).get(s.id) == "done" for s in plan.steps)
    name = printable(shlex.quote(path))
    after = (
        f"preflight rollback {name}   # to undo" if done else f"preflight apply {name} --dry-run"
    )
    lines += ["", f"next: {after}"]
    return _joined(lines)


def _progress(plan: Plan, states: dict[str, str]) -> str:
    """How far a plan is carried out."""
    done = sum(1 for step in plan.steps if states.get(step.id) == "done")
    total = len(plan.steps)
    steps = "1 step" if total == 1 else f"{total} steps"
    if not done:
        return f"a plan of {steps}, not begun"
    return f"a plan of {steps}, all done" if done == total else f"{done} of {steps} done"


def _step(number: int, step: Step, state: str = "", short: bool = False) -> Iterator[str]:
    """One step; `short` leaves out what is the same for every step of its kind."""
    done = f"  [{state}]" if state else ""
    kind = step.kind.replace("_", " ")
    yield from _wrapped(f"  {number}. ", f"{step.title}  ({kind}, {step.id}){done}")
    usual = ("expect", "why") if step.kind in ("verify", "roll_out") else ("expect",)
    for lead, text in _said(step):
        if short and lead in usual:
            continue
        if isinstance(text, str):
            yield from _wrapped(f"       {lead}: ", text)
        else:
            yield from _command(f"       {lead}: ", text)


def _said(step: Step) -> Iterator[tuple[str, str | Sequence[str]]]:
    """What is to be said about a step: a word and a text, or a word and a command."""
    if step.requires:
        yield "after", ", ".join(step.requires)
    if step.command:
        yield "run", step.command
    if step.instruction:
        yield "do", step.instruction
    for item in step.statements:
        default = f" (the default is {item.new_default} now)" if item.new_default else ""
        yield "state", f"{item.operator}.{item.attribute} = {item.value}{default}"
    for need in step.needs:
        yield "needs", f"{need.what}: {need.path} ({need.place})"
    for question in step.open_questions:
        yield "open", f"--{question.option}: {question.what}"
    for problem in step.problems:
        yield "open", problem
    if step.roll_out is not None:
        yield "stages", ", ".join(step.roll_out.stages)
        yield "watch", step.roll_out.metric
    if step.waiver is not None:
        yield "waived", f"until {step.waiver.expires}: {step.waiver.reason}"
    for reason in step.reasons:
        yield "why", reason
    if step.expected:
        yield "expect", step.expected
    if step.check:
        yield "then" if step.kind != "verify" else "run", _as_command(step.check)
    if step.undo and step.kind != "verify":
        yield "back", step.undo


def _as_command(check: str) -> str | Sequence[str]:
    """The words of a check that is one of preflight's own commands; other checks are prose."""
    try:
        words = shlex.split(check)
    except ValueError:
        return check
    return words if words[:1] == ["preflight"] and shlex.join(words) == check else check


_RESULT_WORDS = {
    "done": "done",
    "stopped": "stopped",
    "failed": "failed, and everything preflight had done is undone",
    "dry_run": "nothing was done; this is what would happen",
    "rolled_back": "rolled back",
}


def result_text(result: ApplyResult, plan: str) -> str:
    """What applying or rolling back has done."""
    lines = [_result_line(result)]
    if result.error:
        lines += _wrapped("  ", result.error)
    if result.hint:
        lines += _wrapped("  hint: ", result.hint)
    for outcome in result.steps:
        detail = f": {outcome.detail}" if outcome.detail else ""
        lines += _wrapped(f"  {outcome.status:<12} ", f"{outcome.title}{detail}")
    for text in result.left:
        lines += _wrapped("  by hand: ", text)
    lines.append(f"next: {_next_of_result(result, printable(shlex.quote(plan)))}")
    return _joined(lines)


def _result_line(result: ApplyResult) -> str:
    pending = [s for s in result.steps if s.status == "pending"]
    kept = any(s.status == "done" for s in result.steps)
    if result.status == "done" and pending:
        return f"done so far; {len(pending)} step(s) are left"
    if result.status == "failed" and kept:
        return "failed; the failed step is undone, finished ones stay"
    return _RESULT_WORDS[result.status]


def _next_of_result(result: ApplyResult, plan: str) -> str:
    if result.status == "dry_run":
        ready = all(s.status != "not ready" for s in result.steps)
        return f"preflight apply {plan}" if ready else f"preflight plan show {plan}"
    if result.status in ("failed", "stopped") or any(s.status == "pending" for s in result.steps):
        return f"preflight apply {plan}"
    if result.status == "rolled_back":
        return f"preflight plan show {plan}"
    return f"preflight rollback {plan}   # to undo"
