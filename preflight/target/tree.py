"""Bounded reading below a folder: nothing is followed out of it, every place looked at is kept."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

from preflight.target.types import Place

MAX_TEXT = 1 << 20  # version files have a few hundred bytes
MAX_CONFIG = 64 << 20  # the largest operator config seen has 3 MB
MAX_ENTRIES = 4096  # of one folder


class Tree:
    """Reads files and folders below `bounds`; with no bounds, everywhere.

    Reading never raises: what cannot be read is None or empty, and `places` says why.
    """

    def __init__(self, bounds: tuple[Path, ...] = ()) -> None:
        self._bounds = tuple(path.resolve() for path in bounds)
        self._places: dict[str, Place] = {}
        self._open: set[Path] = set()
        self._digest = hashlib.sha256()

    @property
    def places(self) -> tuple[Place, ...]:
        """Every place asked for, in the order of asking."""
        return tuple(self._places.values())

    @property
    def fingerprint(self) -> str:
        """sha256 over the names and bytes of everything read so far, in the order of reading."""
        return self._digest.hexdigest()

    def note(self, path: Path, result: str, why: str) -> None:
        """Record a place; a later answer about the same path replaces the earlier one."""
        self._places[str(path)] = Place(str(path), result, why)

    def conclusive(self, path: Path) -> bool:
        """Would a program on the target find there what we found?

        False for what only we may not see: no permission, links that lead out or nowhere (they may
        lead somewhere on the machine the tree comes from), files larger than we read.
        """
        if path in self._open:
            return False
        return self.inside(path) and not any(_is_dangling(p) for p in (path, *path.parents))

    def inside(self, path: Path) -> bool:
        """Does a path, with links followed, stay within the bounds?"""
        if not self._bounds:
            return True
        try:
            real = path.resolve()
        except (OSError, RuntimeError):
            return False
        return any(real == bound or bound in real.parents for bound in self._bounds)

    def text(self, path: Path, why: str, *, limit: int = MAX_TEXT) -> str | None:
        """A file's text, undecodable bytes kept as surrogates; None when absent or unreadable."""
        data = self.read(path, why, limit=limit)
        return None if data is None else data.decode("utf-8", "surrogateescape")

    def read(self, path: Path, why: str, *, limit: int = MAX_TEXT) -> bytes | None:
        """A file's bytes; None when absent, unreadable, larger than the limit or out of bounds."""
        if not self.inside(path):
            self.note(path, "ignored", f"{why}; the link leads out of the folder")
            return None
        try:
            if path.exists() and not path.is_file():
                if not path.is_dir():
                    self._open.add(path)  # a pipe or device: nobody knows what comes out of it
                self.note(path, "unreadable", f"{why}; not a file")
                return None
            with path.open("rb") as file:
                data = file.read(limit + 1)
        except (FileNotFoundError, NotADirectoryError):
            dangling = path.is_symlink()
            self.note(path, "unreadable" if dangling else "absent", _dangling(why, dangling))
            return None
        except (OSError, ValueError) as error:
            self._open.add(path)
            self.note(path, "unreadable", f"{why}; {_reason(error)}")
            return None
        if len(data) > limit:
            self._open.add(path)
            self.note(path, "unreadable", f"{why}; larger than {limit} bytes")
            return None
        self.note(path, "found", why)
        self._digest.update(f"{path.name} {len(data)} ".encode("utf-8", "surrogateescape") + data)
        return data

    def is_dir(self, path: Path) -> bool:
        """Is it a folder within the bounds? Not recorded."""
        try:
            return path.is_dir() and self.inside(path)
        except (OSError, ValueError):
            return False

    def folder(self, path: Path, why: str) -> list[Path]:
        """The entries of a folder by name, at most MAX_ENTRIES; empty when it cannot be listed."""
        if not self.inside(path):
            self.note(path, "ignored", f"{why}; the link leads out of the folder")
            return []
        try:
            with os.scandir(path) as entries:
                names = sorted(
                    entry.name for _, entry in zip(range(MAX_ENTRIES), entries, strict=False)
                )
        except (FileNotFoundError, NotADirectoryError):
            dangling = path.is_symlink()
            self.note(path, "unreadable" if dangling else "absent", _dangling(why, dangling))
            return []
        except (OSError, ValueError) as error:
            self.note(path, "unreadable", f"{why}; {_reason(error)}")
            return []
        self.note(path, "found", why)
        return [path / name for name in names]


def _is_dangling(path: Path) -> bool:
    return path.is_symlink() and not path.exists()


def _dangling(why: str, dangling: bool) -> str:
    return f"{why}; the link leads nowhere" if dangling else why


def _reason(error: OSError | ValueError) -> str:
    return (error.strerror if isinstance(error, OSError) else None) or str(error)
