"""`preflight lock`: write or verify the record of what a model was built from."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from preflight import api
from preflight.cli import diagnostics
from preflight.errors import ExitCode

if TYPE_CHECKING:
    from collections.abc import Sequence

app = typer.Typer(rich_markup_mode=None, pretty_exceptions_enable=False)


@app.command()
def lock(
    model: Annotated[Path, typer.Argument(help="The model file.")],
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="Instead of MODEL.om.lock.json.")
    ] = None,
    weights: Annotated[
        bool, typer.Option("--weights", help="Hash the weights as well; reads the whole file.")
    ] = False,
    fusion_switch: Annotated[
        Path | None, typer.Option("--fusion-switch", help="The fusion switch file of the build.")
    ] = None,
    fusion_result: Annotated[
        list[Path] | None,
        typer.Option("--fusion-result", help="A fusion_result.json of the build (repeatable)."),
    ] = None,
    release: Annotated[
        str,
        typer.Option(
            "--release", help="Record operator versions of this release, not the model's."
        ),
    ] = "",
    verify: Annotated[
        bool, typer.Option("--verify", help="Compare the model with its lock; write nothing.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> int:
    """Record engine versions, operators, fingerprints and partition hashes beside a model.

    With --verify, exit code 1 says that the model no longer fits its lock.
    """
    place = output or api.lock_path(model)
    if verify:
        return _verify(model, place, as_json)
    files = [("fusion_switch", fusion_switch)] if fusion_switch else []
    files += [("fusion_result", path) for path in fusion_result or ()]
    record = api.lock_file(model, weights=weights, files=files, release=release)
    api.write_lock(record, place)
    if as_json:
        typer.echo(api.lock_bytes(record).decode(), nl=False)
        return int(ExitCode.OK)
    content = record.content
    graph = content.fingerprint if content else f"{len(record.nested)} models inside"
    typer.echo(diagnostics.printable(f"locked {model} in {place}: graph {graph}"))
    if not weights:
        typer.echo("  weights are not covered; --weights hashes them too")
    typer.echo(f"next: preflight lock --verify {shlex.quote(str(model))}")
    return int(ExitCode.OK)


def _verify(model: Path, place: Path, as_json: bool) -> int:
    record = api.read_lock(place)
    mismatches = api.verify_lock(model, record)
    if as_json:
        typer.echo(_as_json(model, place, mismatches))
    elif mismatches:
        areas = ", ".join(dict.fromkeys(m.area for m in mismatches))
        typer.echo(diagnostics.printable(f"{model} no longer fits {place}: {areas}"))
        for m in mismatches:
            row = f"  {m.area}  {m.subject}: {m.locked or 'absent'} -> {m.found or 'absent'}"
            typer.echo(diagnostics.printable(row))
        typer.echo(f"next: preflight compare {shlex.quote(str(place))} {shlex.quote(str(model))}")
    else:
        typer.echo(diagnostics.printable(f"{model} fits {place}"))
        typer.echo(f"next: preflight check {shlex.quote(str(model))} --target RELEASE/SOC")
    return int(ExitCode.FINDINGS if mismatches else ExitCode.OK)


def _as_json(model: Path, place: Path, mismatches: Sequence[api.LockMismatch]) -> str:
    return json.dumps(
        {
            "schema_version": 1,
            "model": str(model),
            "lock": str(place),
            "fits": not mismatches,
            "mismatches": [
                {"area": m.area, "subject": m.subject, "locked": m.locked, "found": m.found}
                for m in mismatches
            ],
        },
        indent=2,
    )
