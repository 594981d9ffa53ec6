"""The words of plan steps: what to do, what to expect, how to check it and how to go back."""

from __future__ import annotations

import datetime
import shlex
from collections.abc import Sequence
from pathlib import Path

import msgspec

from preflight.checks.steps import STEP_MEANINGS
from preflight.findings import Finding, Remedy
from preflight.plan.model import Effect, PlanWaiver, RollOut, Statement, Step
from preflight.plan.recipe_types import MovedDefault
from preflight.target.types import Target

_MOST_REASONS = 20  # of one step; thousands of models may move together
MOVE = "move"  # id of the step with which everything goes to another target


def _name(path: str) -> str:
    return Path(path).name or path


def check_command(path: str, spec: str) -> str:
    """The command that checks a file on a target, fit to paste."""
    return f"preflight check {shlex.quote(path)} --target {shlex.quote(spec)}"


def check_step(
    step_id: str, path: str, requires: tuple[str, ...], spec: str, target: str = ""
) -> Step:
    """Check a file where it will run; `target` is recorded when it is not the plan's own."""
    return Step(
        step_id,
        "verify",
        f"Check {_name(path)} on {spec}",
        requires,
        model=path,
        target=target,
        expected="no finding at error level",
        check=check_command(path, spec),
        undo="nothing to undo",
        reasons=("the plan foresees this result and cannot know it",),
    )


def compare_step(step_id: str, old: str, new: str, requires: tuple[str, ...]) -> Step:
    """Compare the new file with the old one."""
    return Step(
        step_id,
        "verify",
        f"Compare {_name(new)} with {_name(old)}",
        requires,
        model=new,
        against=old,
        expected="the same inputs and outputs, and the attributes that the plan states",
        check=f"preflight compare {shlex.quote(old)} {shlex.quote(new)} --fail-on interface",
        undo="nothing to undo",
        reasons=("another compiler may fuse, order or type operators differently",),
    )


def tensors_step(
    step_id: str, new: str, folders: tuple[str, str], requires: tuple[str, ...]
) -> Step:
    """Compare the numbers of both files on the same inputs."""
    return Step(
        step_id,
        "verify",
        f"Compare the tensors of {_name(new)} with the old ones",
        requires,
        model=new,
        tensors=folders,
        instruction=f"run {new} on the inputs that gave {folders[0]}, and put its tensors into"
        f" {folders[1]}",
        expected="every tensor within tolerance",
        check=f"preflight compare --tensors {shlex.quote(folders[0])} {shlex.quote(folders[1])}",
        undo="nothing to undo",
        reasons=("only numbers show whether results drift",),
    )


def roll_out_step(step_id: str, old: str, new: str, requires: tuple[str, ...]) -> Step:
    """Put a new file into use, a little at a time."""
    return Step(
        step_id,
        "roll_out",
        f"Put {_name(new)} into use in stages",
        requires,
        model=new,
        against=old,
        instruction="send it the callers of an allowlist, then a small share of all requests, then"
        " all; stay at each stage until the metric has been quiet for as long as a day's load",
        expected="errors and results stay as they were with the old file",
        check="compare outputs of both files on the same requests",
        undo=f"load {old} again",
        reasons=("what only real load shows comes up with few requests first",),
        roll_out=RollOut(
            stages=("allowlist", "1 % of requests", "10 % of requests", "all requests"),
            metric="error rate and latency of requests, and the share of results that differ from"
            " the old model beyond 1e-4 relative",
            switch_back=f"load {old} again; it is still in place",
        ),
    )


def move_step(
    spec: str,
    old: str,
    goal: Target,
    models: tuple[str, ...] = (),
    step_id: str = MOVE,
    why: Sequence[str] = (),
    rules: Sequence[str] = (),
) -> Step:
    """Go to another release, device or host, with all models or with some.

    `why` says what stands against staying, `rules` which findings the move answers.
    """
    release, soc = goal.release.value or "", goal.soc.value or ""
    host = goal.host_cpu.value or ""
    who = ", ".join(_name(path) for path in models)
    return Step(
        step_id,
        "change_target",
        f"Go from {old} to {spec}" + (f" with {who}" if who else ""),
        instruction=f"run in a container or on a machine with CANN {release}, {soc}"
        + (f", with a host CPU {host}" if host else "")
        + "; keep the old one until the plan is done",
        expected=f"preflight target show reports {release} there",
        check="preflight target show",
        undo=f"go back to {old}",
        reasons=tuple(dict.fromkeys(why))[:_MOST_REASONS],
        resolves=tuple(dict.fromkeys(rules)),
        effect=Effect(target=spec, models=models),
    )


def finish_rebuild(
    made: Step, requires: tuple[str, ...], found: Sequence[Finding], goal: str
) -> Step:
    """The rebuild step with what it requires and answers; `goal` is a catalogue name or "="."""
    return msgspec.structs.replace(
        made,
        requires=requires,
        expected=f"a new model file: {made.produces}",
        check=f"preflight inspect {shlex.quote(made.produces)}",
        undo=f"delete {made.produces}; the old file was not touched",
        resolves=tuple(dict.fromkeys(f.rule for f in found)),
        reasons=(*(f"{f.rule}: {f.message}" for f in found), *made.reasons),
        effect=Effect(rebuild_for=goal),
    )


def preparation_step(
    step_id: str,
    kind: str,
    path: str,
    pairs: Sequence[tuple[Finding, Remedy | None]],
    statements: tuple[Statement, ...],
    requires: tuple[str, ...],
) -> Step:
    """What a person does before the model is compiled again."""
    stated = {(s.op_type, s.attribute) for s in statements}
    said = [
        r.summary if r is not None else f.message
        for f, r in pairs
        if (f.facts.get("operator"), f.facts.get("field")) not in stated
    ]
    if statements:
        said.append("state these attributes in the source model, so that results stay the same")
    return Step(
        step_id,
        kind,
        f"{STEP_MEANINGS[kind].capitalize()} ({_name(path)})",
        requires,
        model=path,
        instruction="; ".join(dict.fromkeys(said)),
        expected="the source model compiles and means what it meant",
        check="the step that compares the files looks for these values in the new one"
        if statements
        else "compare the new file with the old one attribute by attribute",
        undo="use the unchanged source model",
        reasons=tuple(f"{f.rule}: {f.message}" for f, _ in pairs),
        resolves=tuple(dict.fromkeys(f.rule for f, _ in pairs)),
        statements=statements,
        effect=Effect(settles=tuple(dict.fromkeys(f.fingerprint for f, _ in pairs))),
    )


def host_libraries_step(
    number: int,
    path: str,
    host: str,
    build: Step,
    found: Sequence[Finding],
    requires: tuple[str, ...],
) -> Step:
    """Bring what atc embeds for another host (facts/rebuild-rules.json so_in_om cross_compile)."""
    place = host.replace(" ", "/")
    about = [f for f in found if "host" in f.name]
    return Step(
        f"embed-host-libraries-{number}",
        "embed_host_libraries",
        f"Have the host libraries of {host} where {_name(path)} is compiled",
        requires,
        model=path,
        instruction=f"atc takes them from opp/built-in/op_proto/lib/{place} of its own toolkit, and"
        f" from op_graph/lib/{place} of each custom operator package: install the operator package"
        " for that host there, or compile on such a host",
        expected=f"both folders hold libraries; the new file carries them and records {host}",
        check=f"preflight inspect {shlex.quote(build.produces)}",
        undo="remove what was added to the toolkit; the old file was not touched",
        reasons=tuple(f"{f.rule}: {f.message}" for f in about)
        or (f"the libraries inside are for another host than {host}",),
        resolves=tuple(dict.fromkeys(f.rule for f in about)),
    )


def answer_step(step_id: str, kind: str, build: Step, requires: tuple[str, ...]) -> Step:
    """Work on the source model that the command of a rebuild waits for."""
    questions = [q for q in build.open_questions if q.kind == kind]
    return Step(
        step_id,
        kind,
        f"{STEP_MEANINGS[kind].capitalize()} ({_name(build.model)})",
        requires,
        model=build.model,
        instruction="; ".join(q.what for q in questions),
        expected="the open questions of the command have answers",
        check="plan again with " + " ".join(f"--set {q.option}=VALUE" for q in questions),
        undo="use the unchanged source model",
        reasons=tuple(f"--{q.option}: {q.what}" for q in questions),
    )


def mend_step(
    step_id: str,
    kind: str,
    pairs: Sequence[tuple[Finding, Remedy]],
    path: str,
    spec: str,
    effect: Effect,
    recapture: bool = False,
) -> Step:
    """What a person changes on the target, or about the file, so that the file runs there.

    `recapture`: the target is known from a file, which is old once the target has changed.
    """
    said = dict.fromkeys(r.summary + (f": {r.command}" if r.command else "") for _, r in pairs)
    rules = tuple(dict.fromkeys(f.rule for f, _ in pairs))
    of_the_file = kind == "replace_file"
    if recapture:
        said[f"then capture the target again: preflight target capture -o {shlex.quote(spec)}"] = (
            None
        )
    return Step(
        step_id,
        kind,
        STEP_MEANINGS[kind].capitalize() + (f" ({_name(path)})" if of_the_file else ""),
        model=path if of_the_file else "",
        instruction="; ".join(said),
        expected=f"{', '.join(rules)} {'is' if len(rules) == 1 else 'are'} gone",
        check=check_command(path, spec),
        undo="keep the old file aside and put it back" if of_the_file else "take the change back",
        reasons=tuple(dict.fromkeys(f"{f.rule}: {f.message}" for f, _ in pairs)),
        resolves=rules,
        effect=effect,
    )


def waive_step(number: int, finding: Finding, reason: str, expires: datetime.date) -> Step:
    """Accept one finding, as a file of waivers says."""
    return Step(
        f"waive-{number}",
        "waive",
        f"Accept {finding.rule} until {expires}",
        expected="the finding stays and is accepted; after that day the plan stops at this step",
        check=f"look at it again before {expires}",
        undo="remove this step",
        reasons=(f"{finding.rule}: {finding.message}",),
        resolves=(finding.rule,),
        waiver=PlanWaiver(finding.rule, reason, expires, finding.fingerprint),
    )


def statement(default: MovedDefault) -> Statement:
    """An attribute to state, with values as they would be written."""
    return Statement(
        operator=default.operator,
        attribute=default.attribute,
        value=_literal(default.old),
        op_type=default.op_type,
        new_default="" if default.new is None else _literal(default.new),
    )


def _literal(value: object) -> str:
    return value if isinstance(value, str) else repr(value)
