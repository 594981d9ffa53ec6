"""The values a recipe is made of; `recipe.build_recipe` makes one."""

from __future__ import annotations

from msgspec import Struct, field

from preflight.plan.model import FileUse, OpenQuestion, SideFile
from preflight.target.types import Target

PROGRAM = "atc"
GIVEN = "given by the user"


class BuildGoal(Struct, frozen=True):
    """For what a model is compiled; empty text where nobody knows."""

    release: str
    soc: str
    host_os: str = ""
    host_cpu: str = ""
    known_socs: tuple[str, ...] = ()

    @classmethod
    def of_target(cls, target: Target) -> BuildGoal:
        """The goal of running on that target."""
        return cls(
            release=target.release.value or "",
            soc=target.soc.value or "",
            host_os=target.host_os.value or "",
            host_cpu=target.host_cpu.value or "",
            known_socs=tuple(target.socs),
        )


class OptionLine(Struct, frozen=True):
    """What becomes of one option. `new` None with change "carried" is an option without a value.

    `change`: carried | changed | renamed | dropped | added | gap. `sure` is False where the record
    cannot say whether atc of that release takes it.
    """

    name: str
    change: str
    old: str | None = None
    new: str | None = None
    reason: str = ""
    source: str = ""
    sure: bool = True

    @property
    def in_command(self) -> bool:
        return self.change != "dropped"


class MovedDefault(Struct, frozen=True):
    """An attribute whose default moved between the old release and the new one."""

    operator: str
    attribute: str
    old: object
    new: object = None
    op_type: str = ""


class Recipe(Struct, frozen=True):
    """The command with the fate of every option, the files it needs and what is left to decide."""

    goal: BuildGoal
    recorded: bool  # whether it rests on a recorded command line
    lines: tuple[OptionLine, ...]
    files: tuple[FileUse, ...] = ()
    gaps: tuple[OpenQuestion, ...] = ()
    problems: tuple[str, ...] = ()  # atc would refuse the command as it stands
    statements: tuple[MovedDefault, ...] = ()
    extra_files: tuple[SideFile, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def argv(self) -> tuple[str, ...]:
        """The command as one argument per option; a gap shows as `{NAME}`."""
        return (PROGRAM, *(_argument(line) for line in self.lines if line.in_command))

    @property
    def ready(self) -> bool:
        """Whether a program may run the command without asking a person first."""
        return not (self.gaps or self.problems) and all(
            need.place == "found" for need in self.files
        )

    def line(self, name: str) -> OptionLine | None:
        """The line of an option, None when the recipe does not mention it."""
        return next((line for line in self.lines if line.name == name), None)


def _argument(line: OptionLine) -> str:
    return f"--{line.name}" if line.new is None else f"--{line.name}={line.new}"


class Draft(Struct):
    """The recipe while it is made: lines by option name, in order."""

    goal: BuildGoal
    family: str
    lines: dict[str, OptionLine] = field(default_factory=dict)
    gaps: list[OpenQuestion] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    extra_files: list[SideFile] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def put(self, line: OptionLine) -> None:
        self.lines[line.name] = line

    def value(self, name: str) -> str | None:
        """The value an option has in the command, None when it is not in it."""
        line = self.lines.get(name)
        return line.new if line is not None and line.in_command else None

    def gap(self, option: str, what: str, old: str | None = None, kind: str = "") -> None:
        """Leave a place in the command that a person fills."""
        name = "SOURCE_MODEL" if option == "model" else option.upper()
        self.gaps.append(OpenQuestion(name, option, what, kind))
        self.put(OptionLine(option, "gap", old, f"{{{name}}}", what))
