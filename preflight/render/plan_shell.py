"""The commands of a plan as a shell script; nothing in it was text of a model unquoted."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from pathlib import PurePosixPath

from preflight.plan.model import Plan, Step
from preflight.render.escape import printable


def plan_script(plan: Plan) -> str:
    """A POSIX shell script that runs the commands and prints what a person must do.

    Every argument is quoted; comments hold no line breaks; an open question becomes a variable that
    the script refuses to run without.
    """
    lines = [
        "#!/bin/sh",
        _comment(_title(plan)),
        "set -eu",
    ]
    for number, step in enumerate(plan.steps, 1):
        lines += ["", _comment(f"step {number}: {step.title}"), *_step(step)]
    return "\n".join(lines) + "\n"


def _title(plan: Plan) -> str:
    title, target = plan.path.title, plan.target.name
    return title if target in title else f"{title}, for {target}"


def _comment(text: str) -> str:
    return f"# {printable(text)}"


def _step(step: Step) -> Iterator[str]:
    yield from (_comment(f"why: {reason}") for reason in step.reasons)
    if step.command:
        yield from _command(step)
    elif step.kind == "verify":
        yield f"{step.check}" if _is_own(step.check) else _comment(step.check)
    elif step.instruction:
        yield f"printf '%s\\n' {shlex.quote(printable(step.instruction))}"


def _is_own(command: str) -> bool:
    """Whether a check line is one of preflight's own commands, as one line of plain words."""
    try:
        words = shlex.split(command)
    except ValueError:
        return False
    return words[:1] == ["preflight"] and command == shlex.join(words) and command.isprintable()


def _command(step: Step) -> Iterator[str]:
    open_by_option = {question.option: question for question in step.open_questions}
    for question in step.open_questions:
        what = printable(question.what).replace("}", ")")
        yield f': "${{{question.name}:?{_in_double_quotes(what)}}}"'
    for problem in step.problems:
        yield _comment(f"look at this first: {problem}")
    for extra in step.side_files:
        name = PurePosixPath(extra.name).name
        yield f"printf '%s' {shlex.quote(extra.content)} > {shlex.quote(name)}"
    arguments: list[str] = [shlex.quote(step.command[0])]
    for argument in step.command[1:]:
        option = argument.removeprefix("--").partition("=")[0]
        left_open = open_by_option.get(option)
        if left_open is not None and argument.startswith("--"):
            arguments.append(f'--{shlex.quote(option)}="${left_open.name}"')
        else:
            arguments.append(shlex.quote(argument))
    yield " \\\n  ".join(arguments)


def _in_double_quotes(text: str) -> str:
    return "".join(f"\\{c}" if c in '\\"`$' else c for c in text)
