"""`preflight inspect`: what a model file says about itself."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from preflight import api
from preflight.cli import diagnostics
from preflight.errors import ExitCode, UnreadableInput

if TYPE_CHECKING:
    from preflight.api import ModelFile

app = typer.Typer(rich_markup_mode=None, pretty_exceptions_enable=False, add_completion=False)


@app.command(epilog="Example: preflight inspect model.om")
def inspect(
    files: Annotated[list[Path], typer.Argument(help="Model files.", show_default=False)],
    as_json: Annotated[
        bool, typer.Option("--json", help="Everything, as one JSON document.")
    ] = False,
    header: Annotated[bool, typer.Option("--header", help="Only the file header.")] = False,
    partitions: Annotated[
        bool, typer.Option("--partitions", help="Only the partition tables.")
    ] = False,
    ops: Annotated[bool, typer.Option("--ops", help="Only the operator inventory.")] = False,
    io: Annotated[bool, typer.Option("--io", help="Only inputs and outputs.")] = False,
    attrs: Annotated[bool, typer.Option("--attrs", help="Only the model attributes.")] = False,
    kernels: Annotated[
        bool, typer.Option("--kernels", help="Only device kernels and host libraries.")
    ] = False,
    no_mask: Annotated[
        bool, typer.Option("--no-mask", help="Keep user names in the paths of the JSON document.")
    ] = False,
) -> int:
    """Show container, inputs and outputs, operators and versions of model files.

    Exit code: 0 all were read, 3 one could not be read, is damaged or is no model.
    """
    chosen = {
        "header": header,
        "partitions": partitions,
        "ops": ops,
        "io": io,
        "attrs": attrs,
        "kernels": kernels,
    }
    models = [model for model in map(_read, files) if model is not None]
    if models and as_json:
        diagnostics.emit(api.render_inspect_json(models, masked=not no_mask))
    elif models:
        parts = [part for part, wanted in chosen.items() if wanted]
        diagnostics.emit(api.render_inspect_text(models, parts))
    problems = [problem for model in models if (problem := _problem(model)) is not None]
    for problem in problems:
        diagnostics.report(problem)
    failed = problems or len(models) < len(files)
    return int(ExitCode.COULD_NOT_CHECK if failed else ExitCode.OK)


def _problem(model: ModelFile) -> UnreadableInput | None:
    """What keeps a file from being a whole model of its kind; its content may still be refused."""
    container = model.container
    if container.kind is api.ContainerKind.NOT_A_MODEL:
        return UnreadableInput(f"{model.path} is no model: {container.what}", hint=container.advice)
    faults = container.faults or (model.faults if model.manifest is None else ())
    if faults and faults[0].check.startswith("cap."):
        return UnreadableInput(
            f"{model.path} is more than is read here: {faults[0].detail} ({faults[0].check})",
            hint="no real model is known to be like that; the loader's answer stays open",
        )
    if faults:
        return UnreadableInput(
            f"{model.path} is damaged: {faults[0].detail} ({faults[0].check})",
            hint="copy it again and compare its size with the original, or build it again",
        )
    return next(filter(None, map(_problem, model.nested)), None)


def _read(path: Path) -> ModelFile | None:
    try:
        return api.read_model(path)
    except UnreadableInput as error:
        diagnostics.report(error)
        return None
