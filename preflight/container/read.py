"""`read_container`: the one entry from bytes to parts."""

from __future__ import annotations

import os

from preflight.container.source import FileSource, Source, open_source
from preflight.container.standard import walk_standard
from preflight.container.types import Container


def read_container(
    what: str | os.PathLike[str] | bytes | Source, *, loader: str = "auto"
) -> Container:
    """Take a file apart; `loader` "standard" reads it as aclmdlLoadFromFile does, whatever it is.

    Raises UnreadableInput when the file cannot be read at all. Damage becomes `faults`.
    """
    source = open_source(what)
    try:
        return walk_standard(source)
    finally:
        if source is not what and isinstance(source, FileSource):
            source.close()
