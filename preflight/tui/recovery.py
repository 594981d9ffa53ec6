"""The plan of a session that has not been saved, kept where the next session finds it.

One file for each running session in `$XDG_STATE_HOME/preflight/recovery` (`~/.local/state` without
the variable), written in one go on each edit, and locked while its session lives: a file without a
lock belongs to a session that crashed.
"""

from __future__ import annotations

import os
import uuid
from collections.abc import Iterator
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

from msgspec import Struct

from preflight import api
from preflight.errors import PreflightError, UnreadableInput

if TYPE_CHECKING:
    from preflight.api import Plan


def recovery_folder() -> Path:
    """The folder for recovery files, by the XDG rules."""
    base = os.environ.get("XDG_STATE_HOME", "")
    root = Path(base) if base.startswith("/") else Path.home() / ".local" / "state"
    return root / "preflight" / "recovery"


class LeftPlan(Struct, frozen=True):
    """A plan that a crashed session left behind."""

    path: Path
    plan: Plan


class Recovery:
    """The recovery file of this session; `keep` and `clear` may be called from any thread."""

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder or recovery_folder()
        self.path = self._folder / f"{uuid.uuid4().hex}.toml"
        self._writing = Lock()
        self._handle: int | None = None

    def keep(self, plan: Plan) -> None:
        """Write the plan. Raises UnreadableInput when the folder cannot be written."""
        with self._writing:
            try:
                self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
                if self._handle is None:
                    self._handle = _locked(_lock_of(self.path), create=True)
            except OSError as error:
                raise UnreadableInput(f"{self._folder}: cannot be written: {error}") from error
            api.write_plan(plan, self.path)

    def clear(self) -> None:
        """The plan is saved or given up: nothing is left to recover."""
        with self._writing:
            self.path.unlink(missing_ok=True)
            if self._handle is not None:
                os.close(self._handle)
                self._handle = None
                _lock_of(self.path).unlink(missing_ok=True)

    def left_behind(self) -> Iterator[LeftPlan]:
        """Plans of sessions that ended without saving or discarding them, newest first.

        Files that are no plans are passed over and left alone.
        """
        try:
            files = [p for p in self._folder.glob("*.toml") if p != self.path]
            files.sort(key=lambda p: p.stat().st_mtime, reverse=True)
        except OSError:
            return
        for path in files:
            if _is_alive(path):
                continue
            try:
                yield LeftPlan(path, api.read_plan(path))
            except PreflightError:
                continue


def discard(left: LeftPlan) -> None:
    """Delete a plan that was left behind."""
    left.path.unlink(missing_ok=True)
    _lock_of(left.path).unlink(missing_ok=True)


def _lock_of(path: Path) -> Path:
    return path.with_suffix(".lock")


def _is_alive(path: Path) -> bool:
    """Whether another session still holds the lock of a recovery file."""
    try:
        handle = _locked(_lock_of(path), create=False)
    except FileNotFoundError:
        return False
    except OSError:
        return True
    os.close(handle)
    return False


def _locked(path: Path, *, create: bool) -> int:
    """An open handle that holds the lock. Raises OSError when another process has it."""
    handle = os.open(path, os.O_RDWR | (os.O_CREAT if create else 0), 0o600)
    try:
        import fcntl
    except ImportError:  # no such locks here: every file counts as left behind
        return handle
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(handle)
        raise
    return handle
