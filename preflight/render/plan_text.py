"""Ways out and plans for people: the answer first, a command to paste last."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from pathlib import PurePath

from preflight.plan.apply import ApplyResult
from preflight.plan.judge import Candidate
from preflight.plan.model import Plan, Step
from preflight.render.escape import printable

_STATUS_WORDS = {
    "ok": "runs",
    "ok_with_warnings": "runs, with warnings",
    "unknown": "not fully known",
    "blocked": "does not run",
}


def ways_text(candidates: Sequence[Candidate], chosen: int, saved: str = "") -> str:
    """All ways, best first, and the steps of the chosen one (an index). `saved` is its file."""
    best = candidates[chosen]
    lines = [_answer(candidates, best), ""]
    for number, candidate in enumerate(candidates, 1):
        lines += _way(number, candidate, candidate is best)
    if best.plan.steps:
        lines += ["", f"steps of way {chosen + 1}:"]
        for number, step in enumerate(best.plan.steps, 1):
            lines += _step(number, step)
    lines += ["", f"next: {_next_of_ways(best, saved)}"]
    return _joined(lines)


def _joined(lines: Sequence[str]) -> str:
    """The lines as text; whatever is in one stays in one."""
    return "\n".join(printable(line) for line in lines) + "\n"


def _answer(candidates: Sequence[Candidate], best: Candidate) -> str:
    names = _names(best.plan)
    target = printable(best.plan.target.name)
    as_is = next((c for c in candidates if c.path.kind == "as_is"), None)
    if as_is is not None and as_is.reached and as_is.path.predicted != "unknown":
        return f"{names} on {target}: {_STATUS_WORDS[as_is.path.predicted]} as it is"
    blocked = as_is is None or not as_is.reached
    today = "does not run as it is" if blocked else "not known whether it runs as it is"
    if not best.reached:
        return f"{names} on {target}: {today}, and no way was found that leaves nothing behind"
    return (
        f"{names} on {target}: {today}; best way: {printable(best.path.title)}"
        f" ({_STATUS_WORDS[best.path.predicted]}, {best.path.risk} risk)"
    )


def _names(plan: Plan) -> str:
    names = [printable(PurePath(m.path).name) for m in plan.models]
    return names[0] if len(names) == 1 else f"{len(names)} models"


def _way(number: int, candidate: Candidate, is_chosen: bool) -> Iterator[str]:
    path = candidate.path
    mark = "*" if is_chosen else " "
    yield f"{mark} {number}. {printable(path.title)}"
    yield f"     predicted: {_STATUS_WORDS[path.predicted]}; cost {path.cost}, risk {path.risk}"
    yield f"     {printable(path.why)}"
    for text in path.remaining[:8]:
        yield f"     - {printable(text)}"
    if len(path.remaining) > 8:
        yield f"     - and {len(path.remaining) - 8} more"


def _next_of_ways(best: Candidate, saved: str) -> str:
    plan = best.plan
    model, target = shlex.quote(plan.models[0].path), shlex.quote(plan.target.spec)
    if not plan.steps:
        return printable(f"preflight check {model} --target {target}")
    if saved:
        return printable(f"preflight apply {shlex.quote(saved)} --dry-run")
    models = " ".join(shlex.quote(m.path) for m in plan.models[:4])
    return printable(f"preflight plan {models} --target {target} -o plan.toml")


def plan_text(plan: Plan, path: str, states: dict[str, str] | None = None) -> str:
    """One plan with its steps; `states` says where each stands, from the journal."""
    choice = plan.path
    predicted = _STATUS_WORDS.get(choice.predicted, printable(choice.predicted))
    title = f"{_names(plan)} on {printable(plan.target.name)}: {printable(choice.title)}"
    lines = [f"{title} ({predicted}, {printable(choice.risk)} risk)", f"  {printable(choice.why)}"]
    lines += [f"  remains: {printable(text)}" for text in choice.remaining]
    for number, step in enumerate(plan.steps, 1):
        lines += ["", *_step(number, step, (states or {}).get(step.id, ""))]
    lines += [f"note: {printable(note)}" for note in plan.notes]
    lines += ["", f"next: preflight apply {printable(shlex.quote(path))} --dry-run"]
    return _joined(lines)


def _step(number: int, step: Step, state: str = "") -> Iterator[str]:
    done = f"  [{state}]" if state else ""
    yield f"  {number}. {printable(step.title)}  ({step.kind.replace('_', ' ')}, {step.id}){done}"
    if step.requires:
        yield f"       after: {', '.join(step.requires)}"
    if step.command:
        yield f"       run: {printable(shlex.join(step.command))}"
    if step.instruction:
        yield f"       do: {printable(step.instruction)}"
    for item in step.statements:
        default = f" (the default is {item.new_default} now)" if item.new_default else ""
        stated = f"{item.operator}.{item.attribute} = {item.value}{default}"
        yield f"       state {printable(stated)}"
    for need in step.needs:
        yield f"       needs: {printable(need.what)}: {printable(need.path)} ({need.place})"
    for question in step.open_questions:
        yield f"       open: --{printable(question.option)}: {printable(question.what)}"
    for problem in step.problems:
        yield f"       open: {printable(problem)}"
    if step.roll_out is not None:
        yield f"       stages: {printable(', '.join(step.roll_out.stages))}"
        yield f"       watch: {printable(step.roll_out.metric)}"
    if step.waiver is not None:
        yield f"       waived until {step.waiver.expires}: {printable(step.waiver.reason)}"
    for reason in step.reasons:
        yield f"       why: {printable(reason)}"
    if step.check and step.kind != "verify":
        yield f"       then: {printable(step.check)}"
    if step.undo:
        yield f"       back: {printable(step.undo)}"


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
        lines.append(f"  {printable(result.error)}")
    if result.hint:
        lines.append(f"  hint: {printable(result.hint)}")
    for outcome in result.steps:
        detail = f": {printable(outcome.detail)}" if outcome.detail else ""
        lines.append(f"  {outcome.status:<12} {printable(outcome.title)}{detail}")
    lines += [f"  by hand: {printable(text)}" for text in result.left]
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
