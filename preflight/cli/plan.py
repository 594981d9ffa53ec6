"""`preflight plan`: the ways from here to a working pair, and one of them as a plan."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from preflight import api
from preflight.cli import diagnostics
from preflight.errors import ExitCode, UsageError


class _PlanGroup(TyperGroup):
    """`plan FILES` plans, `plan show PLAN` shows one: the first word decides."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        first = args[0] if args else "--help"
        if first not in self.commands:
            args = ["make", *(args or ["--help"])]
        return super().parse_args(ctx, args)

    def resolve_command(self, ctx: Any, args: list[str]) -> tuple[str | None, Any, list[str]]:
        name, command, rest = super().resolve_command(ctx, args)
        return ("" if name == "make" else name), command, rest


app = typer.Typer(
    cls=_PlanGroup,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


Models = Annotated[
    list[Path], typer.Argument(help="Model files, or folders of them.", show_default=False)
]
Target = Annotated[
    str,
    typer.Option(
        "--target",
        "-t",
        help="RELEASE/SOC[/HOST], a snapshot file or a folder; without it, the known target"
        " on which most of the models run.",
    ),
]
Output = Annotated[
    Path | None, typer.Option("--output", "-o", help="Write the chosen plan there (TOML).")
]
Way = Annotated[int, typer.Option("--path", help="The way to take; 1 is the best.")]
SourceDir = Annotated[
    Path | None,
    typer.Option("--source-dir", help="Where relative paths of the old build are looked for."),
]
Fills = Annotated[
    list[str] | None,
    typer.Option("--set", help="OPTION=VALUE of atc, for what is not recorded. Repeatable."),
]
OutputDir = Annotated[Path | None, typer.Option("--output-dir", help="Where new model files go.")]
Script = Annotated[
    Path | None, typer.Option("--script", help="Write the commands as a shell script, too.")
]
Tensors = Annotated[
    tuple[Path, Path] | None,
    typer.Option("--tensors", help="Folders of old and new tensors to compare at the end."),
]
Waivers = Annotated[
    Path | None,
    typer.Option("--waivers", help="A file of accepted findings; they make a way of their own."),
]
AsJson = Annotated[bool, typer.Option("--json", help="For programs.")]


@app.command(epilog="`preflight plan show PLAN` shows a saved plan and how far it is carried out.")
def make(
    models: Models,
    target: Target = "",
    output: Output = None,
    path: Way = 1,
    source_dir: SourceDir = None,
    fills: Fills = None,
    output_dir: OutputDir = None,
    script: Script = None,
    tensors: Tensors = None,
    waivers: Waivers = None,
    as_json: AsJson = False,
) -> int:
    """Plan the way from these models to a working pair, with predicted results.

    Exit code: 0 the way leaves nothing behind, 1 it does, 2 wrong usage, 3 not everything about it
    could be checked, or a file cannot be read.
    """
    files = [api.read_model(model) for model in api.expand(models)]
    spec = _placed(target) or _proposed(files)
    options = api.PlanOptions(
        spec=spec,
        output_dir=str(output_dir or ""),
        source_dir=source_dir,
        fills=dict(_assignment(text) for text in fills or ()),
        tensors=(str(tensors[0].absolute()), str(tensors[1].absolute())) if tensors else None,
        waivers=api.load_waivers(waivers) if waivers is not None else (),
    )
    if tensors is not None and len(files) > 1:
        raise UsageError("--tensors compares the tensors of one model: plan for one model")
    ways = api.solve(files, api.load_target(spec), options)
    if not 1 <= path <= len(ways.candidates):
        raise UsageError(f"--path {path}: there are {len(ways.candidates)} ways")
    chosen = ways.candidates[path - 1]
    if output is not None:
        api.write_plan(chosen.plan, output)
        diagnostics.note(f"way {path} is written to {output}")
    if script is not None:
        api.write_text(script, api.plan_script(chosen.plan))
    saved = str(output) if output is not None else ""
    text = (
        api.ways_json(ways.candidates, path - 1, ways.fleet)
        if as_json
        else api.ways_text(ways.candidates, path - 1, saved, _again(), ways.fleet)
    )
    sys.stdout.write(text)
    if not chosen.reached:
        return int(ExitCode.FINDINGS)
    return int(ExitCode.COULD_NOT_CHECK if chosen.path.predicted == "unknown" else ExitCode.OK)


@app.command()
def show(
    plan: Annotated[Path, typer.Argument(help="A plan file.", show_default=False)],
    script: Annotated[bool, typer.Option("--script", help="As a shell script.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="For programs.")] = False,
) -> int:
    """Show a saved plan and how far it is carried out."""
    made = api.read_plan(plan)
    if script:
        sys.stdout.write(api.plan_script(made))
        return int(ExitCode.OK)
    states = api.plan_states(plan)
    sys.stdout.write(
        api.plan_json(made, states) if as_json else api.plan_text(made, str(plan), states)
    )
    return int(ExitCode.OK)


def _proposed(files: list[Any]) -> str:
    """The known target on which most of the models run, for a plan without one."""
    spec = api.best_placed_target(files, api.likely_targets(files))
    diagnostics.note(f"no --target: planning for {spec}, on which most of the models run")
    return spec


def _again() -> str:
    """The command as it was given, fit to paste and to be added to."""
    return shlex.join(["preflight", *sys.argv[1:]])


def _placed(spec: str) -> str:
    """A target that is a file or folder, by its full path: the plan is carried out elsewhere."""
    place, at, soc = spec.rpartition("@")
    name = place if at and not Path(spec).exists() else spec
    if not name or not Path(name).exists():
        return spec
    return str(Path(name).absolute()) + (f"@{soc}" if name != spec else "")


def _assignment(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals or not name:
        raise UsageError(f"--set {text}: expected OPTION=VALUE, as in --set model=net.onnx")
    return name.lstrip("-"), value
