"""`preflight check`: will this model load and run on that target?"""

from __future__ import annotations

import os
import shlex
import shutil
import sys
import time
from typing import TYPE_CHECKING, Annotated

import typer

from preflight import api
from preflight.cli import diagnostics
from preflight.errors import UsageError
from preflight.findings import Severity

if TYPE_CHECKING:
    from collections.abc import Callable

app = typer.Typer(rich_markup_mode=None, pretty_exceptions_enable=False, add_completion=False)

_FORMATS = ("text", "json", "markdown", "sarif", "junit")
_FAIL_ON = ("error", "warning", "note", "never")
_PROGRESS_AFTER = 1.0  # seconds
_WIDEST = 120  # columns; longer lines are hard to read


_TARGET_HELP = (
    "RELEASE/SOC[/HOST] (8.1.RC1/Ascend910B3/linux-aarch64), a snapshot file, a folder with an "
    "installed CANN, or 'installed'; the last three with @SOC behind them where it is not known. "
    "Repeatable."
)
_LOADER_HELP = "The reader that will load the file, if not that of its kind."
_WEIGHTS_HELP = "The weights folder that the program will pass."

Files = Annotated[
    list[str],
    typer.Argument(
        help="Model files; a folder stands for every *.om below it.", show_default=False
    ),
]
Targets = Annotated[list[str] | None, typer.Option("--target", "-t", help=_TARGET_HELP)]
Form = Annotated[str, typer.Option("--format", help=f"One of {', '.join(_FORMATS)}.")]
AsJson = Annotated[bool, typer.Option("--json", help="The same as --format json.")]
Output = Annotated[str | None, typer.Option("--output", "-o", help="Write the report there.")]
FailOn = Annotated[
    str, typer.Option("--fail-on", help=f"Exit with 1 at or above: {', '.join(_FAIL_ON)}.")
]
Rules = Annotated[
    list[str] | None, typer.Option("--rules", help="A folder with rules of your own.")
]
Waivers = Annotated[str | None, typer.Option("--waivers", help="A file of accepted findings.")]
WeightPath = Annotated[str | None, typer.Option("--weight-path", help=_WEIGHTS_HELP)]
Loader = Annotated[str, typer.Option("--loader", help=_LOADER_HELP)]
Verbose = Annotated[
    bool, typer.Option("--verbose", "-v", help="The evidence of notes, and every model in full.")
]
NoMask = Annotated[bool, typer.Option("--no-mask", help="Keep user names in reported paths.")]


@app.command(epilog="Example: preflight check model.om --target 8.1.RC1/Ascend910B3/linux-aarch64")
def check(
    files: Files,
    target: Targets = None,
    form: Form = "text",
    as_json: AsJson = False,
    output: Output = None,
    fail_on: FailOn = "error",
    rules: Rules = None,
    waivers: Waivers = None,
    weight_path: WeightPath = None,
    loader: Loader = "",
    no_mask: NoMask = False,
    verbose: Verbose = False,
) -> int:
    """Check model files against targets, without a device and without CANN.

    Exit code: 0 nothing found, 1 findings, 2 wrong usage, 3 something could not be checked.
    """
    form = "json" if as_json else _one_of("--format", form, _FORMATS)
    level = _one_of("--fail-on", fail_on, _FAIL_ON)
    if loader:
        _one_of("--loader", loader, api.LOADERS)
    if not target:
        raise UsageError(
            "a target is needed: where is the model to run?",
            hint=f"preflight check {shlex.quote(files[0])} --target 8.1.RC1/Ascend910B3 (names: "
            "preflight target list), or --target installed for the CANN of this host",
        )
    report = api.check(
        files,
        target,
        rules=api.load_rules(rules or ()),
        assumptions=api.Assumptions(loader=loader, weight_path=weight_path),
        waivers=api.load_waivers(waivers) if waivers else (),
        progress=_progress(),
    )
    masked = not no_mask and (form != "text" or output is not None)
    layout = _layout(verbose, to_screen=output is None)
    text = api.render_report(report, api.ReportFormat(form), masked=masked, layout=layout)
    _write(text, output)
    for result in report.results:
        if result.error is not None and form != "text":
            diagnostics.note(f"error: {result.error.message}")
    return int(report.exit_code(None if level == "never" else Severity(level)))


def _one_of(option: str, value: str, allowed: tuple[str, ...]) -> str:
    if value not in allowed:
        raise UsageError(f"{option} must be one of {', '.join(allowed)}, not '{value}'")
    return value


def _layout(verbose: bool, *, to_screen: bool) -> api.TextLayout:
    """As wide as the terminal and coloured there; plain and of the default width anywhere else."""
    if not to_screen or not sys.stdout.isatty():
        return api.TextLayout(verbose=verbose)
    width = min(shutil.get_terminal_size().columns, _WIDEST)
    plain = bool(os.environ.get("NO_COLOR")) or os.environ.get("TERM") == "dumb"
    return api.TextLayout(width, colour=not plain, verbose=verbose)


def _write(text: str, output: str | None) -> None:
    if output is None:
        diagnostics.emit(text)
        return
    api.write_text(output, text)


def _progress() -> Callable[[int, int, str], None] | None:
    """A counter on stderr, for people, once the run has taken a second."""
    if not sys.stderr.isatty():
        return None
    started = time.monotonic()

    def show(done: int, total: int, path: str) -> None:
        if time.monotonic() - started > _PROGRESS_AFTER:
            sys.stderr.write(f"\r\x1b[K{done}/{total} {diagnostics.printable(path)[-60:]}")
            sys.stderr.flush()
            if done + 1 >= total:
                sys.stderr.write("\r\x1b[K")

    return show
