"""`preflight tui`: walk through verdicts, findings and ways out, and leave with a plan."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from preflight import api
from preflight.cli import diagnostics
from preflight.errors import ExitCode, UsageError
from preflight.findings import Status

if TYPE_CHECKING:
    from preflight.tui.session import Session

app = typer.Typer(rich_markup_mode=None, pretty_exceptions_enable=False, add_completion=False)

_RUNS = (Status.OK, Status.OK_WITH_WARNINGS)


@app.command()
def tui(
    models: Annotated[
        list[str] | None,
        typer.Argument(help="Model files, or folders with .om files.", show_default=False),
    ] = None,
    target: Annotated[
        str,
        typer.Option(
            "--target",
            "-t",
            help="RELEASE/SOC[/HOST], a snapshot file, a folder with an installed CANN, or"
            " 'installed'; without it, the first question.",
        ),
    ] = "",
    plan: Annotated[
        str,
        typer.Option("--plan", help="Go on with a saved plan; it names its models and target."),
    ] = "",
    no_tui: Annotated[
        bool,
        typer.Option("--no-tui", help="Plain questions and answers, for pipes and screen readers."),
    ] = False,
    as_json: Annotated[
        bool,
        typer.Option("--json", help="At the end, the plan for programs; all else on stderr."),
    ] = False,
) -> int:
    """See why a model does not run there, compare the ways out, and leave with a plan.

    Exit code: 0 a plan was saved or nothing has to be done, 1 left without a plan, 2 wrong usage.
    """
    from preflight.tui.session import Session

    session = Session()
    if plan and (models or target):
        raise UsageError(
            "a saved plan names its own models and target",
            hint=f"preflight tui --plan {shlex.quote(plan)}",
        )
    if plan:
        session.open_plan(plan, api.read_plan(plan))
    if models:
        session.add_models(models)
    if no_tui:
        return _ask(session, target, as_json)
    if not (sys.stdin.isatty() and sys.stderr.isatty()):  # screens are drawn on stderr
        raise UsageError(
            "the assistant needs a terminal",
            hint="preflight tui --no-tui asks the same questions in plain text",
        )
    return _show(session, target, as_json)


def _ask(session: Session, target: str, as_json: bool) -> int:
    from preflight.tui.prompts import Prompts
    from preflight.tui.recovery import Recovery

    out = sys.stderr if as_json else sys.stdout
    worst = Prompts(session, sys.stdin, out, Recovery()).run(target)
    if as_json:
        _print_plan(session)
    saved = bool(session.saved_path)
    return int(ExitCode.OK if saved or worst in _RUNS else ExitCode.FINDINGS)


def _show(session: Session, target: str, as_json: bool) -> int:
    from preflight.tui.app import AssistantApp
    from preflight.tui.words import next_command

    assistant = AssistantApp(session, target)
    outcome = assistant.run()
    if outcome is None:
        if session.unsaved:
            diagnostics.note("the plan was not saved; the next start offers to go on with it")
        return assistant.return_code or int(ExitCode.FINDINGS)
    if as_json:
        _print_plan(session)
    elif outcome.saved:
        said = f"the plan is saved as {outcome.saved}"
        command = next_command(outcome.saved, "", "")
        sys.stdout.write(f"{diagnostics.printable(said)}\nnext: {command}\n")
    else:
        command = next_command("", outcome.model, outcome.spec)
        sys.stdout.write(f"no plan was saved\nnext: {command}\n")
    fine = bool(outcome.saved) or not session.tally or set(+session.tally) <= set(_RUNS)
    return int(ExitCode.OK if fine else ExitCode.FINDINGS)


def _print_plan(session: Session) -> None:
    if session.saved_path:
        plan = api.read_plan(session.saved_path)
        sys.stdout.write(api.plan_json(plan, api.plan_states(Path(session.saved_path))))
    else:
        sys.stdout.write("null\n")
