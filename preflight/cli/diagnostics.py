"""The one owner of stderr, progress and exit codes."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any

from preflight.errors import ExitCode, PreflightError

if TYPE_CHECKING:
    import typer

PIPE_CLOSED = 141  # 128 + SIGPIPE, what a shell reports of any program that died of it


def run(app: typer.Typer) -> int:
    """Run the command line; returns the exit code, prints errors as one clear message."""
    try:
        code = _outcome(app)
    except BrokenPipeError:
        # The reader went away (`| head`) before the answer was known: no code of ours says that.
        _drop_stdout()
        return PIPE_CLOSED
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        _drop_stdout()
    return code


def emit(text: str) -> None:
    """Write the result to stdout; a reader that has gone away does not change the exit code."""
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError:
        _drop_stdout()


def _drop_stdout() -> None:
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _outcome(app: typer.Typer) -> int:
    try:
        result: Any = app(standalone_mode=False)
    except PreflightError as error:
        report(error)
        return int(error.exit_code)
    except BrokenPipeError:
        raise
    except KeyboardInterrupt:
        _say("interrupted")
        return 130
    except Exception as error:
        if hasattr(error, "show") and hasattr(error, "exit_code"):  # the command-line parser's own
            error.show(file=sys.stderr)
            _example(error)
            return int(ExitCode.USAGE)
        if type(error).__name__ == "Abort":
            _say("aborted")
            return 130
        raise
    return result if isinstance(result, int) else 0


def _example(error: Any) -> None:
    """What a right command line looks like, where the verb has an example."""
    command = getattr(getattr(error, "ctx", None), "command", None)
    example = getattr(command, "epilog", None)
    if example:
        sys.stderr.write(f"  {example}\n")


def report(error: PreflightError) -> None:
    """Print an error and its hint to stderr, control characters escaped."""
    _say(f"error: {printable(error.message)}")
    if error.hint:
        sys.stderr.write(f"  hint: {printable(error.hint)}\n")


def note(text: str) -> None:
    """Print a remark to stderr."""
    _say(printable(text))


def _say(text: str) -> None:
    sys.stderr.write(f"preflight: {text}\n")


def printable(text: str) -> str:
    """Text from outside made safe for a terminal: control characters become escapes."""
    return "".join(
        c if c.isprintable() or c == "\n" else c.encode("unicode_escape").decode() for c in text
    )
