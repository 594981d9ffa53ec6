"""Operator types that the compiler makes itself, and nodes that it fused or put in."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

import msgspec

from preflight.data import manifests_dir
from preflight.errors import DataError
from preflight.model.manifest import Operator


@cache
def _kinds() -> Mapping[str, str]:
    path = manifests_dir() / "history" / "internal_operators.json"
    try:
        tables: dict[str, Any] = msgspec.json.decode(path.read_bytes())
    except (OSError, ValueError, msgspec.DecodeError) as error:
        raise DataError(f"{path}: {error}") from error
    kinds = {k: t for k, t in tables.items() if k != "about"}
    return {op: kind for kind, table in kinds.items() for op in table["operators"]}


def internal_kind(op_type: str) -> str:
    """Boundary, schedule, inserted, fused, folded or legacy; empty for an ordinary operator."""
    return _kinds().get(op_type, "")


def is_unpublished(op_type: str) -> bool:
    """Whether public releases have built-in kernels of an operator without a public prototype."""
    return op_type in _unpublished()


@cache
def _unpublished() -> frozenset[str]:
    path = manifests_dir() / "history" / "unpublished_operators.json"
    try:
        return frozenset(msgspec.json.decode(path.read_bytes())["operators"])
    except (OSError, ValueError, KeyError, msgspec.DecodeError) as error:
        raise DataError(f"{path}: {error}") from error


def is_inserted(operator: Operator) -> bool:
    """Whether a pass put the node in: casts and transposes named after what they convert."""
    return operator.type in ("Cast", "Transpose", "TransposeD") and operator.name.startswith(
        "trans_"
    )


def is_fused(operator: Operator) -> bool:
    """Whether the node stands for several operators: its attributes and inputs are not its type's.

    Passes that fuse into one kernel name the inputs anew and record themselves in `pass_name`.
    """
    names = operator.input_names
    renamed = bool(names) and all(name.startswith("__input") for name in names)
    return renamed or "pass_name_ub" in operator.attributes
