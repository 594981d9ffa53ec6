"""The operator history of a target: its own registries over the bundled record."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from typing import TYPE_CHECKING

from preflight.target.types import Target

if TYPE_CHECKING:
    from preflight.registry.history import History


def target_history(target: Target) -> Callable[[], History | None]:
    """A function that opens the history when a rule asks for it."""
    return partial(_open, tuple(target.history_dirs))


@cache
def _open(folders: tuple[str, ...]) -> History | None:
    from preflight.registry.history import open_history

    return open_history(*folders)
