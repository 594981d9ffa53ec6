"""Reads and writes plan files, and says what is wrong with one."""

from __future__ import annotations

import hashlib
import os
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path, PurePath

import msgspec

from preflight.checks.steps import STEP_KINDS
from preflight.errors import UnreadableInput, UsageError
from preflight.plan.model import SCHEMA_VERSION, Plan, Step
from preflight.toml_text import dumps
from preflight.writing import write_text

_MAX_BYTES = 64 << 20
_MAX_STEPS = 50_000  # ten for each of five thousand models
_ARGUMENT = re.compile(r"--[a-z][a-z0-9_]*(=.*)?", re.DOTALL)
_MODEL_SUFFIXES = (".om", ".om2", ".exeom")
_STEP_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")  # becomes part of file names

_VARIABLE = re.compile(r"[A-Z][A-Z0-9_]{0,63}")  # becomes a variable of the shell script


def whole_path(path: str | os.PathLike[str]) -> Path:
    """The full path by which a plan names a file: without '..', the file itself may be a link."""
    full = Path(path).absolute()
    return full.parent.resolve() / full.name if ".." in full.parts else full


def plan_to_toml(plan: Plan) -> str:
    """The plan as TOML text; `plan_from_toml` gives an equal plan."""
    return dumps(msgspec.to_builtins(plan, builtin_types=()))


def plan_from_toml(text: str, name: str = "plan") -> Plan:
    """Read a plan. Raises UsageError naming the key or step that is wrong."""
    try:
        document = tomllib.loads(text)
        version = document.get("schema_version")
        if isinstance(version, int) and version > SCHEMA_VERSION:
            raise UsageError(
                f"{name}: the plan has format {version}, this program reads up to {SCHEMA_VERSION}",
                hint="use a newer preflight",
            )
        plan = msgspec.convert(document, Plan)
    except (tomllib.TOMLDecodeError, msgspec.ValidationError, RecursionError) as error:
        raise UsageError(f"{name}: {error}") from error
    problems = list(plan_problems(plan))
    if problems:
        raise UsageError(f"{name}: {'; '.join(problems[:5])}")
    return plan


def read_plan(path: str | os.PathLike[str]) -> Plan:
    """Read a plan file. Raises UnreadableInput or UsageError."""
    return plan_from_toml(_text_of(Path(path)), str(path))


def plan_digest(path: str | os.PathLike[str]) -> str:
    """SHA-256 of a plan file, by which a journal knows its plan."""
    return hashlib.sha256(_text_of(Path(path)).encode()).hexdigest()


def _text_of(path: Path) -> str:
    try:
        with path.open("rb") as stream:
            data = stream.read(_MAX_BYTES + 1)
        if len(data) > _MAX_BYTES:
            raise UnreadableInput(f"{path}: larger than any plan ({_MAX_BYTES >> 20} MiB)")
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise UnreadableInput(f"{path}: cannot be read: {error}") from error
    except OSError as error:
        raise UnreadableInput(f"{path}: cannot be read: {error.strerror or error}") from error


def write_plan(plan: Plan, path: str | os.PathLike[str]) -> None:
    """Write a plan file in one go: readers see the old file or the whole new one.

    Raises UsageError for a plan that could not be read again, UnreadableInput for a bad place.
    """
    problems = list(plan_problems(plan))
    if problems:
        raise UsageError(f"the plan cannot be written: {problems[0]}")
    write_text(path, plan_to_toml(plan))


def plan_problems(plan: Plan) -> Iterator[str]:
    """What makes a plan unfit to be carried out, in words that name the step."""
    if plan.schema_version != SCHEMA_VERSION:
        yield f"schema_version: {plan.schema_version} is not {SCHEMA_VERSION}"
    if not plan.models:
        yield "models: a plan is for at least one model"
    if len(plan.steps) > _MAX_STEPS:
        yield f"steps: more than {_MAX_STEPS}"
        return
    before: set[str] = set()
    every = {step.id for step in plan.steps}
    for step in plan.steps:
        if not _STEP_ID.fullmatch(step.id):
            yield f"step {step.id!r}: an id has letters, digits, '.', '_' and '-', 64 at most"
        if step.id in before:
            yield f"step {step.id}: the id is used twice"
        for needed in step.requires:
            if needed not in every:
                yield f"step {step.id}: requires {needed}, which is not in the plan"
            elif needed not in before:
                yield f"step {step.id}: requires {needed}, which does not come before it"
        before.add(step.id)
        yield from (f"step {step.id}: {text}" for text in _step_problems(step))


def _command_problems(step: Step) -> Iterator[str]:
    """Where a command could write elsewhere than it says, or something could be lost."""
    place = PurePath(step.produces)
    if not step.produces:
        yield "a command needs the file that it produces"
    elif not place.is_absolute() or ".." in place.parts or place.suffix not in _MODEL_SUFFIXES:
        yield f"produces {step.produces!r}: the full path of a model file, without '..', is needed"
    odd = next((a for a in step.command[1:] if not _ARGUMENT.fullmatch(a)), None)
    if odd is not None:
        yield f"argument {odd[:60]!r} is not of the form --option or --option=value"
    outputs = [a for a in step.command[1:] if a.partition("=")[0] == "--output"]
    if len(outputs) > 1 or outputs == ["--output"]:
        yield "a command has one --output=PATH"


def _step_problems(step: Step) -> Iterator[str]:
    if step.kind not in STEP_KINDS:
        yield f"kind {step.kind!r} is none of {', '.join(sorted(STEP_KINDS))}"
    if step.kind == "waive" and (step.waiver is None or not step.waiver.reason.strip()):
        yield "a waiver needs a reason and the date on which it expires"
    if step.kind == "roll_out" and (
        step.roll_out is None or not (step.roll_out.metric and step.roll_out.switch_back)
    ):
        yield "a roll-out needs a metric to watch and the switch to go back"
    for question in step.open_questions:
        if not _VARIABLE.fullmatch(question.name):
            yield f"open question {question.name!r}: a name has capital letters, digits and '_'"
    odd = [a for a in (*step.command, step.produces) if a and not a.isprintable()]
    odd += [s.name for s in step.side_files if not s.name.isprintable()]
    odd += [s.name for s in step.side_files if not s.content.replace("\n", "").isprintable()]
    if odd:
        yield f"{odd[0]!r} holds control characters"
    if step.command and step.kind != "rebuild":
        yield "only a rebuild runs a command"
    if step.command:
        yield from _command_problems(step)
    names = [s.name for s in step.side_files]
    if any(name in ("", ".", "..") or name != PurePath(name).name for name in names):
        yield "a side file has a plain name; it is written where the command runs"
    if step.kind != "verify" and not step.command and not (step.instruction or step.waiver):
        yield "there is neither a command nor an instruction"
