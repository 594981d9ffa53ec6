"""Every operator type of the bundled record, without opening the record."""

from __future__ import annotations

from functools import cache

from preflight.data import manifests_dir
from preflight.errors import DataError

NAMES = "operators.txt"


@cache
def bundled_operator_types() -> frozenset[str]:
    """The operator types that any bundled release has. Raises DataError."""
    path = manifests_dir() / "history" / NAMES
    try:
        return frozenset(path.read_text(encoding="utf-8").split())
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(f"{path}: {error}", hint="the installation is damaged") from error
