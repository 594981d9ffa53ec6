"""A plan as data: what was looked at, the way that was chosen, and its steps in order.

The structs are the file format: strict (an unknown key is an error that names it), hand-editable,
with defaults left out. `plan.files` reads and writes them.
"""

from __future__ import annotations

import datetime

import msgspec

SCHEMA_VERSION = 1


class Strict(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Base of everything in a plan file."""


class ModelFacts(Strict, frozen=True):
    """A model file when the plan was made. `sha256` is of the bytes a check reads, no weights."""

    path: str
    sha256: str
    size: int
    kind: str = ""
    soc_version: str = ""
    arch_type: str = ""
    opp_version: str = ""
    compiler_version: str = ""
    atc_version: str = ""
    host_env_os: str = ""
    host_env_cpu: str = ""
    dynamic: bool = False


class TargetFacts(Strict, frozen=True):
    """The target when the plan was made. `spec` is what finds it again: a name or a file."""

    spec: str
    name: str
    origin: str
    fingerprint: str
    release: str = ""
    internal: str = ""
    soc: str = ""
    host_os: str = ""
    host_cpu: str = ""


class PathChoice(Strict, frozen=True):
    """The way that was chosen, with its predicted result.

    `kind`: as_is | waive | mend | rebuild | move_target | meet | split. `predicted` is the verdict
    of the simulated result; `remaining` are the findings that stay, in words.
    """

    kind: str
    title: str
    predicted: str
    cost: int
    risk: str
    reversible: bool
    why: str
    remaining: tuple[str, ...] = ()


class FileUse(Strict, frozen=True):
    """A file that a command reads. `place`: found | missing | relative."""

    option: str
    path: str
    what: str
    place: str


class OpenQuestion(Strict, frozen=True):
    """A gap in a command that only a person can fill; `name` stands in the command as `{name}`.

    `kind` is the kind of step whose work gives the answer, empty when knowing is enough.
    """

    name: str
    option: str
    what: str
    kind: str = ""


class SideFile(Strict, frozen=True):
    """A small file that a command needs and that the step writes beside the result."""

    option: str
    name: str
    content: str


class RollOut(Strict, frozen=True):
    """How a new model goes into use: the stages, what to watch and how to go back."""

    stages: tuple[str, ...]
    metric: str
    switch_back: str


class PlanWaiver(Strict, frozen=True):
    """An accepted finding: why, and until when."""

    rule: str
    reason: str
    expires: datetime.date
    fingerprint: str = ""


class Statement(Strict, frozen=True):
    """An attribute to state in the source model, so that a moved default changes nothing."""

    operator: str
    attribute: str
    value: str
    op_type: str = ""
    new_default: str = ""


class Effect(Strict, frozen=True):
    """What a step changes in the facts, so that a plan can be simulated.

    `rebuild_for` and `target` are catalogue names, or "=" for the plan's own target; `vendor` is
    the name of a custom operator package that fits after the step; `settles` are fingerprints of
    findings that the step answers by a person's work. `models` are the paths that a change of
    target concerns, empty for all.
    """

    rebuild_for: str = ""
    target: str = ""
    vendor: str = ""
    settles: tuple[str, ...] = ()
    models: tuple[str, ...] = ()


class Step(Strict, frozen=True):
    """One step. `command` is an argument list that starts with an allowed program; a step without
    one is done by a person as `instruction` says, or by preflight itself (kind verify).

    `model` and `against` are the files it works on, `produces` the file it makes; `target` is where
    a verify step checks, empty for the plan's own target.
    """

    id: str
    kind: str
    title: str
    requires: tuple[str, ...] = ()
    model: str = ""
    against: str = ""
    target: str = ""
    produces: str = ""
    command: tuple[str, ...] = ()
    instruction: str = ""
    expected: str = ""
    check: str = ""
    undo: str = ""
    reasons: tuple[str, ...] = ()
    resolves: tuple[str, ...] = ()
    needs: tuple[FileUse, ...] = ()
    open_questions: tuple[OpenQuestion, ...] = ()
    problems: tuple[str, ...] = ()
    side_files: tuple[SideFile, ...] = ()
    statements: tuple[Statement, ...] = ()
    tensors: tuple[str, ...] = ()
    roll_out: RollOut | None = None
    waiver: PlanWaiver | None = None
    effect: Effect | None = None
    timeout: int = 0  # seconds; 0 = the default of apply


class Plan(Strict, frozen=True):
    """The whole plan for one target and one or several models."""

    schema_version: int
    tool: str
    models: tuple[ModelFacts, ...]
    target: TargetFacts
    path: PathChoice
    steps: tuple[Step, ...] = ()
    notes: tuple[str, ...] = ()

    def step(self, step_id: str) -> Step | None:
        """The step of that id, None when there is none."""
        return next((s for s in self.steps if s.id == step_id), None)
