"""`preflight apply`: carry out a plan, step by step, with a journal."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from preflight import api
from preflight.cli import diagnostics
from preflight.errors import UsageError

if TYPE_CHECKING:
    from preflight.api import Step

app = typer.Typer(rich_markup_mode=None, pretty_exceptions_enable=False)


@app.command()
def apply(
    plan: Annotated[Path, typer.Argument(help="A plan file.", show_default=False)],
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what would happen and what is not ready.")
    ] = False,
    yes: Annotated[
        bool,
        typer.Option("--yes", "-y", help="Do not ask; a person's steps count as done."),
    ] = False,
    step: Annotated[str, typer.Option("--step", help="Only this step, by number or id.")] = "",
    keep: Annotated[
        bool, typer.Option("--keep", help="When a step fails, keep the finished ones.")
    ] = False,
    program: Annotated[
        list[str] | None,
        typer.Option("--program", help="NAME=PATH: the file to run, as in atc=/opt/bin/atc."),
    ] = None,
    timeout: Annotated[
        float, typer.Option("--timeout", help="Seconds that a command may take.")
    ] = 4 * 3600.0,
    as_json: Annotated[bool, typer.Option("--json", help="For programs.")] = False,
) -> int:
    """Carry out a plan. A run that was interrupted goes on where it stopped.

    Exit code: 0 done, 1 stopped before the end, 2 the plan does not fit, 4 a step failed and what
    was done is undone.
    """
    options = api.ApplyOptions(
        dry_run=dry_run,
        yes=yes,
        only=step,
        keep=keep,
        timeout=timeout,
        programs=dict(_program(text) for text in program or ()),
        confirm=ask if sys.stdin.isatty() else None,
        progress=_progress,
    )
    result = api.apply_plan(plan, options)
    sys.stdout.write(api.result_json(result) if as_json else api.result_text(result, str(plan)))
    return int(result.exit_code)


def ask(step: Step, question: str) -> bool:
    """Show a step on stderr and ask about it; only y goes on."""
    diagnostics.note(step.title)
    for line in (" ".join(step.command), step.instruction):
        if line:
            diagnostics.note(f"  {line}")
    sys.stderr.write(f"preflight: {question} [y/N] ")
    sys.stderr.flush()
    return sys.stdin.readline().strip().lower() in ("y", "yes")


def _progress(step: str, status: str, detail: str) -> None:
    diagnostics.note(f"{step}: {status}" + (f": {detail}" if detail else ""))


def _program(text: str) -> tuple[str, str]:
    name, equals, path = text.partition("=")
    if not equals or not name or not path:
        raise UsageError(f"--program {text}: expected NAME=PATH, as in atc=/opt/bin/atc")
    return name, path
