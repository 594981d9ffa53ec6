"""The `preflight` command. Verbs are imported only when they are called: start-up counts."""

from __future__ import annotations

import gc
import importlib
import sys
from typing import Any

import typer
from typer.core import TyperGroup

from preflight.errors import UsageError

# verb -> (module, one line for the overview); a module has `app`, a typer.Typer with that verb.
VERBS: dict[str, tuple[str, str]] = {
    "check": ("preflight.cli.check", "Will this model load and run on that target?"),
    "inspect": ("preflight.cli.inspect", "Show what a model file says about itself."),
    "target": ("preflight.cli.target", "Show, capture and list targets."),
    "explain": ("preflight.cli.explain", "Explain an error code, a rule or a log."),
    "rules": ("preflight.cli.rules", "List the rules."),
    "registry": ("preflight.cli.registry", "Operator histories: list, diff, extract, export."),
    "compare": ("preflight.cli.compare", "Compare two models, tensors or fusion results."),
    "lock": ("preflight.cli.lock", "Record what a model was built from, beside it."),
    "plan": ("preflight.cli.plan", "Plan the way from here to a working pair."),
    "apply": ("preflight.cli.apply", "Carry out a plan, step by step, with a journal."),
    "rollback": ("preflight.cli.rollback", "Undo what applying a plan has changed."),
    "tui": ("preflight.cli.tui", "Walk through findings, ways out and a plan."),
}


_OF_ROOT = ("install_completion", "show_completion")  # completion is of the whole program


class LazyVerbs(TyperGroup):
    """Lists verbs from the table above and imports one when it is called."""

    def list_commands(self, ctx: Any) -> list[str]:
        return list(VERBS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        entry = VERBS.get(cmd_name)
        if entry is None and ctx.resilient_parsing:  # the shell completes a line
            return None
        if entry is None:
            raise UsageError(f"there is no verb {cmd_name!r}", hint=_meant(cmd_name, ctx.args))
        module = importlib.import_module(entry[0])
        command = typer.main.get_command(module.app)
        command.name = cmd_name
        command.params = [p for p in command.params if p.name not in _OF_ROOT]
        return command

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        with formatter.section("Verbs"):
            formatter.write_dl([(name, text) for name, (_, text) in VERBS.items()])


def _meant(word: str, rest: list[str]) -> str:
    """What somebody wanted who wrote this instead of a verb."""
    import difflib
    import shlex
    from pathlib import Path

    if Path(word).exists() or word.endswith((".om", ".air")):
        return f"preflight check {shlex.quote(word)} --target 8.1.RC1/Ascend910B3"
    close = difflib.get_close_matches(word.lower(), VERBS, 1)
    return f"did you mean {close[0]}?" if close else f"verbs: {', '.join(VERBS)}"


app = typer.Typer(
    cls=LazyVerbs,
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(show: bool) -> None:
    if show:
        from preflight import __version__

        typer.echo(f"preflight {__version__}")
        raise typer.Exit


@app.callback()
def root(
    version: bool = typer.Option(
        False, "--version", callback=_version, is_eager=True, help="Print the version and exit."
    ),
) -> None:
    """Will this compiled Ascend model load there, and compute what it computed before?

    Needs no device, no CANN and no network.
    """


def main() -> None:
    """Entry point: runs the command and turns every outcome into an exit code."""
    from preflight.cli import diagnostics

    code = diagnostics.run(app)
    gc.freeze()  # the process ends: searching what it leaves for cycles is a seventh of a check
    sys.exit(code)
