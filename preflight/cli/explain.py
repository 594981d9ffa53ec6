"""`preflight explain`: a code, a rule or a log to its cause and the way out."""

from __future__ import annotations

import re
import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer

from preflight import api
from preflight.cli import diagnostics
from preflight.errors import DataError, ExitCode, UsageError

if TYPE_CHECKING:
    from preflight.api import CodeExplanation

app = typer.Typer(rich_markup_mode=None, pretty_exceptions_enable=False, add_completion=False)

_FORMATS = ("text", "json", "markdown")
_RULE = re.compile(r"[A-Za-z]{2,4}\d{3}")


@app.command(context_settings={"ignore_unknown_options": True})
def explain(
    codes: Annotated[
        list[str] | None,
        typer.Argument(
            help="Error codes in any notation (500002, 0x7BC80, -1, E19999, a name), ids of rules "
            "(PF301) or of faults (EX101).",
            show_default=False,
        ),
    ] = None,
    log: Annotated[
        list[str] | None,
        typer.Option(
            "--log", help="A log file, a folder of plog files, a .gz, or - for standard input."
        ),
    ] = None,
    model: Annotated[
        str | None, typer.Option("--model", help="The model: is it to blame for what the log says?")
    ] = None,
    target: Annotated[
        str | None,
        typer.Option("--target", "-t", help="Where it was run, as in 8.1.RC1/Ascend910B3."),
    ] = None,
    form: Annotated[str, typer.Option("--format", help=f"One of {', '.join(_FORMATS)}.")] = "text",
    as_json: Annotated[bool, typer.Option("--json", help="The same as --format json.")] = False,
) -> int:
    """Explain error codes, rules or logs.

    Exit code: 0 explained, 2 wrong usage, 3 something could not be explained.
    """
    form = "json" if as_json else form
    if form not in _FORMATS:
        raise UsageError(f"--format must be one of {', '.join(_FORMATS)}, not '{form}'")
    if log:
        # Further files of a shell pattern (--log *.log) arrive as arguments.
        return _log([*log, *(codes or ())], model, target, form)
    if not codes:
        raise UsageError(
            "nothing to explain", hint="preflight explain 500002, or preflight explain --log FILE"
        )
    if model or target:
        raise UsageError("--model and --target need --log")
    if form == "markdown":
        raise UsageError("markdown is for logs; codes are shown as text or json")
    return _codes(codes, form)


def _codes(codes: list[str], form: str) -> int:
    answers: list[CodeExplanation] = []
    rules: list[dict[str, Any]] = []
    for text in codes:
        rule = _rule(text)
        if rule is not None:
            rules.append(rule)
        else:
            answers.append(api.explain_code(text))
    if form == "json":
        sys.stdout.write(api.render_code_json(answers, rules))
    else:
        parts = [api.render_rule_text(rule) for rule in rules]
        sys.stdout.write("\n".join([*parts, *([api.render_code_text(answers)] if answers else [])]))
    known = all(a.known or a.faults for a in answers)
    return int(ExitCode.OK if known else ExitCode.COULD_NOT_CHECK)


def _rule(text: str) -> dict[str, Any] | None:
    """A rule's values, None when the text is no rule id; raises DataError for an unknown PF id."""
    if not _RULE.fullmatch(text) or text.upper().startswith("EX"):
        return None
    try:
        return api.explain_rule(text.upper())
    except DataError:
        if text.upper().startswith("PF"):
            raise
        return None


def _log(files: list[str], model: str | None, target: str | None, form: str) -> int:
    answer = api.explain_log(files, target=None if model else target)
    if model:
        where = target or api.target_in_log(answer)
        if not where:
            raise UsageError(
                "the log does not name release and SoC; --model needs --target",
                hint="--target 8.1.RC1/Ascend910B3, where the model was run",
            )
        if "-" in files:
            raise UsageError("--model needs a log in a file; standard input can be read only once")
        diagnostics.note(f"checking {model} against {where}")
        answer = api.explain_log(files, report=api.check([model], [where]))
    if form == "json":
        text = api.render_log_json(answer)
    elif form == "markdown":
        text = api.render_log_markdown(answer)
    else:
        text = api.render_log_text(answer)
    sys.stdout.write(text)
    unexplained = not answer.causes and answer.earliest_errors
    return int(ExitCode.COULD_NOT_CHECK if unexplained else ExitCode.OK)
