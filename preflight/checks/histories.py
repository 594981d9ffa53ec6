"""The operator history of a target: its own registries over the bundled record."""

from __future__ import annotations

from functools import cache, cached_property
from typing import TYPE_CHECKING

from preflight.registry.names import bundled_operator_types
from preflight.target.types import Target

if TYPE_CHECKING:
    from preflight.registry.history import History


class TargetHistory:
    """A history that is opened when a rule asks for it."""

    def __init__(self, folders: tuple[str, ...] = ()) -> None:
        self._folders = folders

    def __call__(self) -> History:
        """The history itself."""
        return self._history

    def knows(self, op_type: str) -> bool:
        """Whether any release has the operator; the bundled record need not be opened for that."""
        return op_type in bundled_operator_types() or (
            bool(self._folders) and self._history.knows(op_type)
        )

    @cached_property
    def _history(self) -> History:
        from preflight.registry.history import open_history

        return open_history(*self._folders)


@cache
def _history_of(folders: tuple[str, ...]) -> TargetHistory:
    return TargetHistory(folders)


def target_history(target: Target) -> TargetHistory:
    """The history of a target; targets with the same registries share one."""
    return _history_of(tuple(target.history_dirs))
