"""Measures how far two tensors are apart, in one pass over chunks of both."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from operator import mul, sub

from msgspec import Struct, field

from preflight.compare.tensors.decode import ElementType, Numbers, decoder
from preflight.container.source import Source

CHUNK_ELEMENTS = 1 << 16


class Stored(Struct, frozen=True):
    """Numbers in a file: `count` elements of `kind` from `offset` on."""

    source: Source
    offset: int
    count: int
    kind: ElementType
    big_endian: bool = False


class Tolerance(Struct, frozen=True):
    """|new - old| may be at most `absolute` + `relative` * |old|."""

    absolute: float = 1e-5
    relative: float = 1e-4


DEFAULT_TOLERANCE = Tolerance()


class Measure(Struct):
    """The result. Differences count finite pairs only; NaN and Inf are counted on their own.

    `cosine` is None where it has no meaning: a side that is all zero, or no finite pair.
    `outside` counts elements beyond the tolerance, pairs of which one side alone is NaN or
    infinite included; `first` is the position of the first of them.
    """

    elements: int = 0
    outside: int = 0
    first: int | None = None
    max_absolute: float = 0.0
    max_relative: float = 0.0
    nan_old: int = 0
    nan_new: int = 0
    inf_old: int = 0
    inf_new: int = 0
    identical: bool = True
    _sum_absolute: float = 0.0
    _finite: int = 0
    _dot: float = 0.0
    _norms: list[float] = field(default_factory=lambda: [0.0, 0.0])

    @property
    def mean_absolute(self) -> float:
        return self._sum_absolute / self._finite if self._finite else 0.0

    @property
    def cosine(self) -> float | None:
        if not self._norms[0] or not self._norms[1]:
            return None
        value = self._dot / (math.sqrt(self._norms[0]) * math.sqrt(self._norms[1]))
        return max(-1.0, min(1.0, value)) if math.isfinite(value) else None

    def add(self, old: Numbers, new: Numbers, tolerance: Tolerance) -> None:
        """Take in the next numbers of both sides."""
        if _finite(old) and _finite(new):
            self._add_finite(old, new, tolerance, range(self.elements, self.elements + len(old)))
        else:
            self._add_mixed(old, new, tolerance)
        self.elements += len(old)

    def _add_finite(
        self, old: Numbers, new: Numbers, tolerance: Tolerance, places: range | list[int]
    ) -> None:
        if not len(old):
            return
        apart = list(map(abs, map(sub, new, old)))
        size = list(map(abs, old))
        worst = max(apart)
        if worst:
            self.max_absolute = max(self.max_absolute, float(worst))
            ratios = [a / s for a, s in zip(apart, size, strict=True) if s]
            self.max_relative = max(self.max_relative, float(max(ratios, default=0.0)))
            self._count_outside(apart, size, tolerance, places)
        self._sum_absolute += float(sum(apart))
        self._finite += len(apart)
        self._dot += float(sum(map(mul, old, new)))
        self._norms[0] += float(sum(map(mul, old, old)))
        self._norms[1] += float(sum(map(mul, new, new)))

    def _count_outside(
        self,
        apart: list[float],
        size: list[float],
        tolerance: Tolerance,
        places: range | list[int],
    ) -> None:
        absolute, relative = tolerance.absolute, tolerance.relative
        beyond = [
            i
            for i, (a, s) in enumerate(zip(apart, size, strict=True))
            if a > absolute + relative * s
        ]
        if beyond:
            self._note_first(places[beyond[0]])
            self.outside += len(beyond)

    def _note_first(self, place: int) -> None:
        self.first = place if self.first is None else min(self.first, place)

    def _add_mixed(self, old: Numbers, new: Numbers, tolerance: Tolerance) -> None:
        finite: tuple[list[float], list[float], list[int]] = ([], [], [])
        for place, (a, b) in enumerate(zip(old, new, strict=True), self.elements):
            if math.isfinite(a) and math.isfinite(b):
                finite[0].append(a)
                finite[1].append(b)
                finite[2].append(place)
                continue
            self.nan_old += math.isnan(a)
            self.nan_new += math.isnan(b)
            self.inf_old += math.isinf(a)
            self.inf_new += math.isinf(b)
            if not (a == b or (math.isnan(a) and math.isnan(b))):
                self.outside += 1
                self._note_first(place)
        self._add_finite(*finite[:2], tolerance, finite[2])


def _finite(numbers: Numbers) -> bool:
    """Whether all numbers are surely finite; a sum that overflows only costs time."""
    return math.isfinite(sum(numbers))


def measure(old: Stored, new: Stored, tolerance: Tolerance) -> Measure:
    """Compare element by element; both sides have the same number of elements."""
    result = Measure()
    for first, second, same_bytes in _chunks(old, new):
        result.identical = result.identical and same_bytes
        result.add(first, second, tolerance)
    return result


def _chunks(old: Stored, new: Stored) -> Iterator[tuple[Numbers, Numbers, bool]]:
    readers: list[Callable[[bytes], Numbers]] = [decoder(s.kind, s.big_endian) for s in (old, new)]
    alike = old.kind == new.kind and old.big_endian == new.big_endian
    done = 0
    while done < old.count:
        step = min(CHUNK_ELEMENTS, old.count - done)
        raw = [
            s.source.read(s.offset + done * s.kind.width, step * s.kind.width) for s in (old, new)
        ]
        yield readers[0](raw[0]), readers[1](raw[1]), alike and raw[0] == raw[1]
        done += step


def equal_bytes(old: Stored, new: Stored) -> bool:
    """Whether two tensors of a type without decoder hold the same bytes."""
    size = old.count * old.kind.width
    done = 0
    while done < size:
        step = min(CHUNK_ELEMENTS, size - done)
        if old.source.read(old.offset + done, step) != new.source.read(new.offset + done, step):
            return False
        done += step
    return True
