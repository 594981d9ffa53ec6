"""`preflight registry extract`: archive the prototypes of an operator package from its headers."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from preflight.cli import diagnostics
from preflight.errors import ExitCode, UsageError

if TYPE_CHECKING:
    from preflight import api

app = typer.Typer(rich_markup_mode=None, pretty_exceptions_enable=False)

_SHOWN = 20


@app.command("extract")
def extract(
    headers: Annotated[
        Path, typer.Option("--headers", help="Directory of C++ prototype headers, or one header.")
    ],
    package: Annotated[str, typer.Option("--package", help="Package name: nn, math, my_ops.")],
    release: Annotated[str, typer.Option("--release", help="Release name: 9.1.0.")],
    output: Annotated[
        Path, typer.Option("-o", "--output", help="Registry folder; the package goes below it.")
    ],
    date: Annotated[
        str, typer.Option("--date", help="Release date, YYYY-MM-DD; today if not given.")
    ] = "",
    branch: Annotated[str, typer.Option("--branch", help="Branch name to record.")] = "",
    match: Annotated[
        str, typer.Option("--match", help="Only headers whose path fits, '*/op_graph/*.h'.")
    ] = "",
    define: Annotated[
        list[str] | None, typer.Option("--define", "-D", help="A macro, NAME or NAME=TEXT.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> int:
    """Read REG_OP chains from C++ headers and add them to a history registry, without a compiler.

    Chains that cannot be read are reported with file and line and left out; exit code 1 says that
    there were some. A release that is already there is never overwritten.
    """
    from preflight import api

    _check_name(package)
    extraction = api.extract_registry(headers, match=match, predefined=_macros(define or []))
    operators = {p.op_type: p for p in extraction.prototypes}
    if not operators:
        _report(extraction.problems)
        raise UsageError(
            f"no operator prototype in {extraction.files} headers below {headers}",
            hint="headers with REG_OP(...) chains lie in op_proto/inc or */op_graph",
        )
    written = api.write_release(output / package, release, date, operators, branch)
    lost = [p for p in extraction.problems if p.lost]
    if as_json:
        typer.echo(_as_json(extraction, written))
    else:
        typer.echo(f"{written.operators} operators of {package} {release} in {output / package}")
        typer.echo(
            f"read {extraction.chains} chains in {extraction.files} headers; "
            f"{len(lost)} left out, {len(extraction.problems) - len(lost)} other remarks"
        )
    _report(extraction.problems)
    if not as_json:
        typer.echo(f"next: preflight registry validate {shlex.quote(str(output / package))}")
    return int(ExitCode.FINDINGS if lost else ExitCode.OK)


def _check_name(package: str) -> None:
    if not package or package in (".", "..") or "/" in package or "\\" in package:
        raise UsageError(f"'{package}' cannot be the name of a package folder")


def _macros(defines: list[str]) -> dict[str, str]:
    macros: dict[str, str] = {}
    for text in defines:
        name, equals, value = text.partition("=")
        if not name.isidentifier():
            raise UsageError(f"--define {text}: '{name}' is no macro name")
        macros[name] = value if equals else "1"
    return macros


def _report(problems: tuple[api.ExtractionProblem, ...]) -> None:
    for problem in problems[:_SHOWN]:
        diagnostics.note(str(problem))
    if len(problems) > _SHOWN:
        diagnostics.note(f"and {len(problems) - _SHOWN} more; --json lists all")


def _as_json(extraction: api.Extraction, written: api.Written) -> str:
    return json.dumps(
        {
            "schema_version": 1,
            "release": written.release,
            "operators": written.operators,
            "chains": extraction.chains,
            "headers": extraction.files,
            "problems": [
                {
                    "file": p.file,
                    "line": p.line,
                    "operator": p.op_type,
                    "message": p.message,
                    "left_out": p.lost,
                }
                for p in extraction.problems
            ],
            "dropped_index_entries": [f"{d.where}: {d.reason}" for d in written.dropped],
        },
        indent=2,
    )
