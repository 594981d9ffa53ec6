"""Pairs the tensors of two folders, measures them and names the first operator that drifts."""

from __future__ import annotations

import fnmatch
import math
import tomllib
from collections import Counter
from collections.abc import Callable, Mapping
from enum import StrEnum
from functools import cache
from pathlib import Path

from msgspec import Struct

from preflight.compare.tensors.folder import FoundTensor, read_folder
from preflight.compare.tensors.measure import (
    DEFAULT_TOLERANCE,
    Measure,
    Tolerance,
    equal_bytes,
    measure,
)
from preflight.compare.tensors.names import flat_name
from preflight.compare.tensors.order import graph_order
from preflight.container.source import FileSource
from preflight.data import manifests_dir
from preflight.errors import DataError, PreflightError
from preflight.model.manifest import ModelManifest

_Key = tuple[str, str, int, int]  # operator, side, index, occurrence


class TensorStatus(StrEnum):
    """What was found about one tensor, best first."""

    SAME = "same"
    WITHIN = "within tolerance"
    DRIFT = "drift"
    INCOMPARABLE = "incomparable"
    OLD_ONLY = "only old"
    NEW_ONLY = "only new"


class TensorRow(Struct, frozen=True):
    """One tensor; numbers are None where nothing was measured."""

    op: str
    op_type: str
    side: str
    index: int
    occurrence: int
    status: TensorStatus
    reason: str = ""
    old_file: str = ""
    new_file: str = ""
    old_dtype: str = ""
    new_dtype: str = ""
    shape: tuple[int, ...] | None = None
    tolerance: Tolerance = DEFAULT_TOLERANCE
    sensitive: bool = False
    measure: Measure | None = None

    @property
    def label(self) -> str:
        """The tensor in words, "conv1 output 0"."""
        again = f" (occurrence {self.occurrence})" if self.occurrence else ""
        return f"{self.op} {self.side} {self.index}{again}"


class TensorComparison(Struct, frozen=True):
    """All rows in the order of `ordered_by`: graph, task or name."""

    old: str
    new: str
    rows: tuple[TensorRow, ...]
    ordered_by: str
    problems: tuple[str, ...] = ()

    @property
    def first_drift(self) -> TensorRow | None:
        """The first tensor in order that is out of tolerance or cannot be compared by value."""
        return next((r for r in self.rows if r.status is TensorStatus.DRIFT), None)

    @property
    def counts(self) -> Mapping[TensorStatus, int]:
        """How many tensors have each status."""
        return Counter(r.status for r in self.rows)


class SensitiveTypes(Struct, frozen=True):
    """Operator types that are held to a tighter absolute tolerance."""

    absolute: float
    patterns: tuple[str, ...]

    def covers(self, op_type: str) -> bool:
        """Whether an operator type is in the list."""
        return any(fnmatch.fnmatchcase(op_type, p) for p in self.patterns)


@cache
def sensitive_types() -> SensitiveTypes:
    """The list that ships with the package. Raises DataError when its file is broken."""
    path = manifests_dir() / "compare" / "sensitive.toml"
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
        return SensitiveTypes(float(table["absolute"]), tuple(table["types"]))
    except (OSError, KeyError, ValueError, TypeError) as error:
        raise DataError(f"{path}: {error}") from error


def compare_tensors(
    old: Path,
    new: Path,
    *,
    manifest: ModelManifest | None = None,
    tolerance: Tolerance = DEFAULT_TOLERANCE,
    sensitive_absolute: float | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> TensorComparison:
    """Compare every tensor that both folders hold.

    `manifest` gives the order of the graph, operator types, and the form of raw network outputs.
    `progress` is called with (done, all). Raises UnreadableInput when a folder is not there.
    """
    outputs = manifest.outputs if manifest is not None else ()
    folders = (read_folder(old, outputs), read_folder(new, outputs))
    order = graph_order(manifest) if manifest is not None else {}
    sides = [{t.key: t for t in folder.tensors} for folder in folders]
    _pair_by_origin(*sides)
    keys = sorted(sides[0].keys() | sides[1].keys(), key=_ranking(order, sides))
    limit = sensitive_types().absolute if sensitive_absolute is None else sensitive_absolute
    comparer = _Comparer(order, tolerance, limit)
    rows: list[TensorRow] = []
    for done, key in enumerate(keys):
        rows.append(comparer.row(key, sides[0].get(key), sides[1].get(key)))
        if progress is not None:
            progress(done + 1, len(keys))
    problems = [f"{f.root}: {text}" for f in folders for text in f.problems]
    return TensorComparison(
        str(old), str(new), tuple(rows), _ordered_by(order, sides), tuple(problems)
    )


def _pair_by_origin(old: dict[_Key, FoundTensor], new: dict[_Key, FoundTensor]) -> None:
    """Give outputs without a partner the key of the one that comes from the same source node.

    Fusion renames operators; a dump says of an output whose it was in the source model. Only an
    origin that one tensor on each side has pairs them.
    """
    waiting = [_by_origin(a, b) for a, b in ((old, new), (new, old))]
    for origin, keys in waiting[0].items():
        others = waiting[1].get(origin, [])
        if len(keys) == len(others) == 1:
            old[others[0]] = old.pop(keys[0])


def _by_origin(
    side: Mapping[_Key, FoundTensor], other: Mapping[_Key, FoundTensor]
) -> dict[_Key, list[_Key]]:
    """Outputs that only one side has, by source node; a tensor without one stands for itself."""
    found: dict[_Key, list[_Key]] = {}
    for key, tensor in side.items():
        if key in other or key[1] != "output":
            continue
        name, index = tensor.origin or (tensor.op, tensor.index)
        found.setdefault((flat_name(name), "output", index, key[3]), []).append(key)
    return found


def _ranking(
    order: Mapping[str, tuple[int, str]], sides: list[dict[_Key, FoundTensor]]
) -> Callable[[_Key], tuple[object, ...]]:
    def rank(key: _Key) -> tuple[object, ...]:
        op, side, index, occurrence = key
        found = sides[1].get(key) or sides[0][key]
        place = order[op][0] if op in order else math.inf
        task = found.task if found.task is not None and not order else math.inf
        # An operator's inputs are made before its outputs.
        return (occurrence, place, task, op, side != "input", index)

    return rank


def _ordered_by(order: Mapping[str, tuple[int, str]], sides: list[dict[_Key, FoundTensor]]) -> str:
    if any(key[0] in order for side in sides for key in side):
        return "graph"
    return "task" if any(t.task is not None for t in sides[1].values()) else "name"


class _Comparer:
    def __init__(
        self, order: Mapping[str, tuple[int, str]], tolerance: Tolerance, sensitive: float
    ) -> None:
        self._order = order
        self._tolerance = tolerance
        self._sensitive = Tolerance(min(sensitive, tolerance.absolute), tolerance.relative)

    def row(self, key: _Key, old: FoundTensor | None, new: FoundTensor | None) -> TensorRow:
        some = new or old
        assert some is not None
        op_type = (
            some.op_type or (old.op_type if old else "") or self._order.get(key[0], (0, ""))[1]
        )
        sensitive = sensitive_types().covers(op_type)
        tolerance = self._sensitive if sensitive else self._tolerance
        status, reason, found = self._judge(old, new, tolerance)
        if old and new and flat_name(old.op) != flat_name(new.op):
            reason = f"was {old.op} output {old.index}" + (f"; {reason}" if reason else "")
        return TensorRow(
            some.op,
            op_type,
            key[1],
            key[2],
            key[3],
            status,
            reason,
            old.label if old else "",
            new.label if new else "",
            old.dtype if old else "",
            new.dtype if new else "",
            some.shape,
            tolerance,
            sensitive,
            found,
        )

    def _judge(
        self, old: FoundTensor | None, new: FoundTensor | None, tolerance: Tolerance
    ) -> tuple[TensorStatus, str, Measure | None]:
        if old is None or new is None:
            return (TensorStatus.OLD_ONLY if old else TensorStatus.NEW_ONLY), "no partner", None
        reason = _incomparable(old, new)
        if reason:
            return TensorStatus.INCOMPARABLE, reason, None
        try:
            return _measure_pair(old, new, tolerance)
        except PreflightError as error:
            return TensorStatus.INCOMPARABLE, error.message, None


def _incomparable(old: FoundTensor, new: FoundTensor) -> str:
    """Why two tensors cannot be compared element by element; empty when they can."""
    if old.shape is not None and new.shape is not None:
        shapes = [[d for d in s if d != 1] for s in (old.shape, new.shape)]
        if shapes[0] != shapes[1]:
            return f"shape {list(old.shape)} against {list(new.shape)}"
    if old.fortran_order != new.fortran_order:
        return "stored in different axis orders"
    return ""


def _measure_pair(
    old: FoundTensor, new: FoundTensor, tolerance: Tolerance
) -> tuple[TensorStatus, str, Measure | None]:
    with FileSource(old.path) as first, FileSource(new.path) as second:
        left, right = old.stored(first), new.stored(second)
        if left is None or right is None:
            return TensorStatus.INCOMPARABLE, f"data type {old.dtype} has no known width", None
        if left.count != right.count:
            return TensorStatus.INCOMPARABLE, f"{left.count} elements against {right.count}", None
        if not left.kind.readable or not right.kind.readable:
            if left.kind == right.kind and equal_bytes(left, right):
                return TensorStatus.SAME, "same bytes", None
            return TensorStatus.INCOMPARABLE, f"values of {old.dtype} cannot be read", None
        found = measure(left, right, tolerance)
    note = f"{old.dtype} against {new.dtype}" if old.dtype != new.dtype else ""
    if found.outside:
        return TensorStatus.DRIFT, note, found
    return (TensorStatus.WITHIN if found.max_absolute else TensorStatus.SAME), note, found
