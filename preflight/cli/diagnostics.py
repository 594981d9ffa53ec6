"""The one owner of stderr, progress and exit codes."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any

from preflight.errors import ExitCode, PreflightError

if TYPE_CHECKING:
    import typer


def run(app: typer.Typer) -> int:
    """Run the command line; returns the exit code, prints errors as one clear message."""
    try:
        result: Any = app(standalone_mode=False)
    except PreflightError as error:
        report(error)
        return int(error.exit_code)
    except BrokenPipeError:
        # The reader of our output went away (`| head`): not an error of ours.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return int(ExitCode.OK)
    except KeyboardInterrupt:
        _say("interrupted")
        return 130
    except Exception as error:
        if hasattr(error, "show") and hasattr(error, "exit_code"):  # the command-line parser's own
            error.show(file=sys.stderr)
            return int(ExitCode.USAGE)
        if type(error).__name__ == "Abort":
            _say("aborted")
            return 130
        raise
    return result if isinstance(result, int) else 0


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
