"""Files that appear whole or not at all: written beside, on disk before the name changes."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from preflight.errors import UnreadableInput


def replace_file(path: Path, content: bytes) -> None:
    """Put `content` in place of a file in one step. Raises OSError; the old content stays then."""
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name[:100]}.")
    beside = Path(name)
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(content)
            stream.flush()
            os.fsync(stream.fileno())
        beside.chmod(0o644)
        beside.replace(path)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise
    sync_folder(path.parent)


def write_text(path: str | os.PathLike[str], text: str) -> None:
    """Write what a user asked for to the place they named.

    A link is followed, and a pipe or a device is written to as it is. Raises UnreadableInput when
    the place refuses.
    """
    place = Path(path)
    try:
        if place.exists() and not place.is_file():
            place.write_bytes(text.encode())
        else:
            replace_file(place.resolve(), text.encode())
    except OSError as error:
        raise UnreadableInput(f"{path}: cannot be written: {error.strerror or error}") from error


def sync_folder(folder: Path) -> None:
    """Make renames in a folder durable, where the system can."""
    try:
        handle = os.open(folder, os.O_RDONLY)
    except OSError:
        return
    try:
        os.fsync(handle)
    except OSError:
        pass
    finally:
        os.close(handle)
