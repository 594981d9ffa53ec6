"""`preflight rollback`: undo what applying a plan has changed."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from preflight import api
from preflight.cli.apply import ask

app = typer.Typer(rich_markup_mode=None, pretty_exceptions_enable=False)


@app.command()
def rollback(
    plan: Annotated[Path, typer.Argument(help="A plan file.", show_default=False)],
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would be undone.")] = False,
    yes: Annotated[
        bool, typer.Option("--yes", "-y", help="Take what a person must undo as undone.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="For programs.")] = False,
) -> int:
    """Undo what applying a plan has done, newest step first.

    Exit code: 0 everything is as before, 1 something is left to a person, 2 nothing to undo.
    """
    confirm = (lambda step, question: True) if yes else (ask if sys.stdin.isatty() else None)
    result = api.rollback_plan(plan, api.ApplyOptions(dry_run=dry_run, confirm=confirm))
    sys.stdout.write(api.result_json(result) if as_json else api.result_text(result, str(plan)))
    return int(result.exit_code)
