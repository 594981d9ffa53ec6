"""The one exception family that leaves the package, and the exit codes scripts rely on."""

from __future__ import annotations

from enum import IntEnum


class ExitCode(IntEnum):
    """Process exit codes; in a batch COULD_NOT_CHECK beats FINDINGS and the report lists both."""

    OK = 0
    FINDINGS = 1
    USAGE = 2
    COULD_NOT_CHECK = 3
    APPLY_FAILED = 4


class PreflightError(Exception):
    """Base of everything the package raises on purpose.

    `message` names the file, the field and what is wrong; `hint` says what to do about it.
    """

    exit_code = ExitCode.COULD_NOT_CHECK

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class UsageError(PreflightError):
    """The command line, a configuration file or an API argument is wrong."""

    exit_code = ExitCode.USAGE


class UnreadableInput(PreflightError):
    """A file cannot be opened or is not what its name promises."""


class MalformedInput(UnreadableInput):
    """A file is of the right kind, but its content breaks the format or a cap."""


class DataError(PreflightError):
    """Rules or manifests that ship with the package, or that a user added, are wrong."""

    exit_code = ExitCode.USAGE


class ApplyError(PreflightError):
    """A plan step failed; everything it had changed was rolled back."""

    exit_code = ExitCode.APPLY_FAILED
