"""A field for a path, which completes what is typed from the folders that are there."""

from __future__ import annotations

import os
from pathlib import Path

from textual.suggester import Suggester

_MOST_ENTRIES = 5_000  # of one folder: what is looked at while one types


class PathSuggester(Suggester):
    """The first name in its folder that begins as the text does; folders end in a slash."""

    def __init__(self) -> None:
        super().__init__(use_cache=False, case_sensitive=True)

    async def get_suggestion(self, value: str) -> str | None:
        folder, _, begun = value.rpartition("/")
        if not value or not begun:
            return None
        found = _first(Path(f"{folder}/" if folder or value[0] == "/" else "."), begun)
        return None if found is None else value[: len(value) - len(begun)] + found


def _first(folder: Path, begun: str) -> str | None:
    names = []
    try:
        with os.scandir(folder.expanduser()) as entries:
            for number, entry in enumerate(entries):
                if entry.name.startswith(begun) and entry.name.isprintable():
                    names.append(entry.name + ("/" if entry.is_dir() else ""))
                if number >= _MOST_ENTRIES:
                    break
    except (OSError, RuntimeError):  # no such folder, or no such home: nothing to propose
        return None
    return min(names, default=None)
