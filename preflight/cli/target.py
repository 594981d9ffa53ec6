"""`preflight target`: show, capture and list targets, and find one that fits."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from preflight import api
from preflight.cli import diagnostics
from preflight.errors import ExitCode, UsageError

app = typer.Typer(
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    no_args_is_help=True,
    add_completion=False,
    help="Show, capture and list targets, and find one that fits.",
)

Root = Annotated[
    str,
    typer.Argument(
        help="A folder with an installed CANN, a snapshot file or a catalogue name; "
        "without it, what this host has installed.",
    ),
]
Soc = Annotated[str, typer.Option("--soc", help="The device, for example Ascend910B3.")]
AsJson = Annotated[bool, typer.Option("--json", help="For programs.")]


def _load(root: str, soc: str) -> tuple[api.Target, str]:
    spec = f"{root}@{soc}" if soc else root
    return api.load_target(spec), spec


@app.command()
def show(root: Root = "installed", soc: Soc = "", as_json: AsJson = False) -> int:
    """Show a target: versions, host, vendors, places looked at.

    Exit code: 0 consistent, 1 problems with the target itself, 3 nothing found.
    """
    target, spec = _load(root, soc)
    problems = api.target_problems(target)
    if as_json:
        diagnostics.emit(api.target_json(target, problems))
    else:
        diagnostics.emit(api.target_text(target, problems, spec))
    return int(ExitCode.FINDINGS if problems else ExitCode.OK)


@app.command()
def capture(
    root: Root = "installed",
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="The snapshot file; - or none: stdout.")
    ] = None,
    soc: Soc = "",
    as_json: AsJson = False,
) -> int:
    """Write a target to a file, to check for it elsewhere.

    Use it elsewhere with `--target FILE`.
    """
    target, _ = _load(root, soc)
    if not target.soc.known:
        diagnostics.note(
            f"the SoC is not in it ({target.soc.source}), nor are the kernels of one; add --soc"
        )
    if output is None or str(output) == "-":
        diagnostics.emit(api.snapshot_text(target))
        return int(ExitCode.OK)
    api.write_snapshot(target, output)
    device = "" if target.soc.known else "@Ascend910B3"
    if as_json:
        diagnostics.emit(api.capture_json(target, str(output)))
    else:
        diagnostics.emit(
            diagnostics.printable(
                f"{target.name} is written to {output}\n"
                f"next: preflight check MODEL.om --target {output}{device}\n"
            )
        )
    return int(ExitCode.OK)


@app.command(name="list")
def list_targets(as_json: AsJson = False) -> int:
    """List the releases and SoCs that names are made of."""
    parts = (api.known_releases(), api.soc_families(), api.known_socs())
    diagnostics.emit(api.list_json(*parts) if as_json else api.list_text(*parts))
    return int(ExitCode.OK)


@app.command()
def fit(
    driver: Annotated[str, typer.Option("--driver", help="A driver version: 24.1.rc2.")] = "",
    cann: Annotated[str, typer.Option("--cann", help="A CANN release: 8.1.RC1.")] = "",
    as_json: AsJson = False,
) -> int:
    """Which CANN fits a driver, or which drivers fit a CANN.

    Says so where the facts are not known.
    """
    if bool(driver) == bool(cann):
        raise UsageError(
            "name either --driver or --cann", hint="preflight target fit --cann 8.1.RC1"
        )
    report = api.fit_driver(driver) if driver else api.fit_cann(cann)
    diagnostics.emit(api.fit_json(report) if as_json else api.fit_text(report))
    return int(ExitCode.OK if report.fits else ExitCode.COULD_NOT_CHECK)


@app.command()
def which(
    runs: Annotated[Path, typer.Option("--runs", help="The model file.", show_default=False)],
    release: Annotated[
        list[str] | None, typer.Option("--release", help="Only this release. Repeatable.")
    ] = None,
    soc: Annotated[
        list[str] | None, typer.Option("--soc", help="Only this SoC. Repeatable.")
    ] = None,
    host: Annotated[str, typer.Option("--host", help="The host: linux-aarch64.")] = "",
    as_json: AsJson = False,
) -> int:
    """On which releases and SoCs a model would load.

    Says which facts decide.
    """
    report = api.which(runs, release_names=release or (), soc_names=soc or (), host=host)
    diagnostics.emit(api.which_json(report) if as_json else api.which_text(report))
    return int(ExitCode.OK if report.loads else ExitCode.FINDINGS)
