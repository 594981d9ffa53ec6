"""A picture of a tensor comparison: one HTML file without scripts and without outside resources."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from html import escape

from preflight.compare.tensors.compare import TensorComparison, TensorRow, TensorStatus
from preflight.render.escape import printable
from preflight.render.tensors_text import tensor_answer

_WIDTH, _HEIGHT = 1080, 360
_LEFT, _RIGHT, _TOP, _BOTTOM = 70, 20, 34, 46
_MAX_POINTS = 4000
_MAX_ROWS = 5000
_FLOOR = -12  # the smallest power of ten that is drawn; smaller differences lie on it

_CLASSES = {
    TensorStatus.SAME: "same",
    TensorStatus.WITHIN: "within",
    TensorStatus.DRIFT: "drift",
    TensorStatus.INCOMPARABLE: "other",
    TensorStatus.OLD_ONLY: "other",
    TensorStatus.NEW_ONLY: "other",
}

_STYLE = """
:root { color-scheme: light dark; --ink: #1b1f24; --soft: #6a737d; --line: #d0d7de;
        --paper: #ffffff; --same: #8c959f; --within: #1a7f37; --drift: #cf222e; --other: #9a6700; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e6edf3; --soft: #8d96a0; --line: #3d444d; --paper: #0d1117;
          --same: #6e7681; --within: #3fb950; --drift: #ff7b72; --other: #d29922; } }
body { font: 15px/1.45 system-ui, sans-serif; color: var(--ink); background: var(--paper);
       margin: 2rem auto; max-width: 1100px; padding: 0 1rem; }
h1 { font-size: 1.35rem; overflow-wrap: anywhere; }
code { font-size: 0.95em; overflow-wrap: anywhere; }
.soft { color: var(--soft); } svg { width: 100%; min-width: 640px; height: auto; }
svg text { fill: var(--soft); font-size: 12px; } svg text.first { fill: var(--drift); }
.grid { stroke: var(--line); stroke-width: 1; }
.limit { stroke: var(--soft); stroke-dasharray: 5 4; }
.mark { stroke: var(--drift); stroke-dasharray: 2 3; }
circle.same { fill: var(--same); } circle.within { fill: var(--within); }
circle.drift { fill: var(--drift); }
path.other { stroke: var(--other); stroke-width: 2; fill: none; }
.scroll { overflow-x: auto; } table { border-collapse: collapse; font-size: 0.88rem; width: 100%; }
th, td { text-align: left; padding: 0.25rem 0.6rem; border-bottom: 1px solid var(--line);
         vertical-align: top; } td.n { text-align: right; white-space: nowrap;
         font-variant-numeric: tabular-nums; }
td.name { overflow-wrap: anywhere; min-width: 14rem; }
tr.drift td.status { color: var(--drift); font-weight: 600; }
tr.within td.status { color: var(--within); } tr.other td.status { color: var(--other); }
"""


def render_tensors_html(comparison: TensorComparison) -> str:
    """The page: the answer, a plot over the order of the graph, and the table."""
    answer = tensor_answer(comparison)
    return "".join(
        [
            '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">\n',
            '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'; ',
            "style-src 'unsafe-inline'\">\n",
            '<meta name="viewport" content="width=device-width, initial-scale=1">\n',
            f"<title>{_text(answer)}</title>\n<style>{_STYLE}</style></head><body>\n",
            f"<h1>{_text(answer)}</h1>\n",
            f'<p class="soft">old <code>{_text(comparison.old)}</code><br>',
            f"new <code>{_text(comparison.new)}</code><br>",
            f"ordered by {comparison.ordered_by}</p>\n",
            _plot(comparison),
            _table(comparison.rows),
            _problems(comparison.problems),
            "</body></html>\n",
        ]
    )


def _text(value: str) -> str:
    return escape(printable(value), quote=True)


def _plot(comparison: TensorComparison) -> str:
    rows = comparison.rows
    if not rows:
        return ""
    scale = _Scale(rows)
    parts = [
        f'<div class="scroll"><svg viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" ',
        'aria-label="largest absolute difference of each tensor, in order">\n',
        *_axes(scale, comparison),
        *_points(scale, rows),
        *_first(scale, comparison),
        "</svg></div>\n",
    ]
    return "".join(parts)


class _Scale:
    """Positions: tensors from left to right, powers of ten from bottom to top."""

    def __init__(self, rows: Sequence[TensorRow]) -> None:
        found = [m for r in rows if (m := _power(r)) is not None]
        self.low = max(_FLOOR, math.floor(min(found, default=-8)) - 1)
        self.high = max(self.low + 3, math.ceil(max(found, default=0)) + 1)
        self._count = len(rows)

    def x(self, place: int) -> float:
        inner = _WIDTH - _LEFT - _RIGHT
        return _LEFT + inner * (place + 0.5) / self._count

    def y(self, power: float) -> float:
        inner = _HEIGHT - _TOP - _BOTTOM - 24
        share = (min(max(power, self.low), self.high) - self.low) / (self.high - self.low)
        return _TOP + inner * (1 - share)

    @property
    def zero(self) -> float:
        """The lane for tensors without any difference, below the powers of ten."""
        return _HEIGHT - _BOTTOM - 6


def _power(row: TensorRow) -> float | None:
    largest = row.measure.max_absolute if row.measure is not None else 0.0
    return math.log10(largest) if largest > 0 and math.isfinite(largest) else None


def _axes(scale: _Scale, comparison: TensorComparison) -> Iterator[str]:
    right = _WIDTH - _RIGHT
    step = max(1, math.ceil((scale.high - scale.low) / 8))
    for power in range(scale.low, scale.high + 1, step):
        y = scale.y(power)
        yield f'<line class="grid" x1="{_LEFT}" y1="{y:.1f}" x2="{right}" y2="{y:.1f}"/>'
        yield f'<text x="{_LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">1e{power}</text>\n'
    yield f'<text x="{_LEFT - 8}" y="{scale.zero + 4:.1f}" text-anchor="end">none</text>\n'
    limits = {r.tolerance.absolute for r in comparison.rows if r.measure is not None}
    for limit in sorted(x for x in limits if x > 0):
        y = scale.y(math.log10(limit))
        yield f'<line class="limit" x1="{_LEFT}" y1="{y:.1f}" x2="{right}" y2="{y:.1f}">'
        yield f"<title>absolute tolerance {limit:g}</title></line>\n"
    yield f'<text x="{_LEFT}" y="16">largest absolute difference</text>'
    yield f'<text x="{right}" y="{_HEIGHT - 10}" text-anchor="end">'
    yield f"{len(comparison.rows)} tensors, ordered by {comparison.ordered_by}</text>\n"
    yield _legend()


def _legend() -> str:
    y = _HEIGHT - 14
    entries = (("same", "same", 0), ("within", "within tolerance", 70), ("drift", "drift", 200))
    parts = [
        f'<circle class="{name}" cx="{_LEFT + 6 + x}" cy="{y}" r="4"/>'
        f'<text x="{_LEFT + 15 + x}" y="{y + 4}">{label}</text>'
        for name, label, x in entries
    ]
    parts.append(
        _cross(_LEFT + 261, y) + f'<text x="{_LEFT + 270}" y="{y + 4}">not compared</text>'
    )
    return "".join(parts) + "\n"


def _cross(x: float, y: float) -> str:
    return f'<path class="other" d="M{x - 3:.1f} {y - 3:.1f}l6 6m0 -6l-6 6"/>'


def _points(scale: _Scale, rows: Sequence[TensorRow]) -> Iterator[str]:
    for place, row in _chosen(rows):
        x, title = scale.x(place), f"<title>{_text(_tooltip(row))}</title>"
        kind = _CLASSES[row.status]
        if kind == "other":
            yield f"<g>{title}{_cross(x, scale.zero)}</g>\n"
            continue
        power = _power(row)
        y = scale.zero if power is None else scale.y(power)
        if power is None and row.status is TensorStatus.DRIFT:
            y = scale.y(scale.high)  # NaN or infinite on one side only
        size = 4.5 if kind == "drift" else 3
        yield f'<circle class="{kind}" cx="{x:.1f}" cy="{y:.1f}" r="{size}">{title}</circle>\n'


def _chosen(rows: Sequence[TensorRow]) -> Iterator[tuple[int, TensorRow]]:
    """All rows, or so many that the page stays light; what drifts is always drawn."""
    step = math.ceil(len(rows) / _MAX_POINTS)
    for place, row in enumerate(rows):
        if place % step == 0 or row.status is TensorStatus.DRIFT:
            yield place, row


def _tooltip(row: TensorRow) -> str:
    words = [row.label, f"({row.op_type})" if row.op_type else "", row.status.value, row.reason]
    if row.measure is not None:
        words.append(f"max {row.measure.max_absolute:.3g}, {row.measure.outside} outside")
    return " ".join(word for word in words if word)


def _first(scale: _Scale, comparison: TensorComparison) -> Iterator[str]:
    first = comparison.first_drift
    if first is None:
        return
    x = scale.x(comparison.rows.index(first))
    bottom = _HEIGHT - _BOTTOM
    yield f'<line class="mark" x1="{x:.1f}" y1="{_TOP - 8}" x2="{x:.1f}" y2="{bottom}"/>'
    anchor, shift = ("end", -5) if x > _WIDTH / 2 else ("start", 5)
    label = first.label if len(first.label) <= 70 else f"…{first.label[-69:]}"
    yield f'<text class="first" x="{x + shift:.1f}" y="{_TOP - 4}" text-anchor="{anchor}">'
    yield f"first drift: {_text(label)}</text>\n"


_HEADS = (
    "tensor", "type", "dtype", "status", "max abs", "max rel", "cosine", "outside", "NaN", "Inf",
)  # fmt: skip


def _table(rows: Sequence[TensorRow]) -> str:
    parts = ['<div class="scroll"><table><thead><tr>']
    parts += [f"<th>{head}</th>" for head in _HEADS]
    parts.append("</tr></thead><tbody>\n")
    parts += [_table_row(row) for row in rows[:_MAX_ROWS]]
    parts.append("</tbody></table></div>\n")
    if len(rows) > _MAX_ROWS:
        parts.append(f"<p>The table ends after {_MAX_ROWS} of {len(rows)} tensors.</p>\n")
    return "".join(parts)


def _table_row(row: TensorRow) -> str:
    dtype = row.new_dtype or row.old_dtype
    if row.old_dtype and row.new_dtype and row.old_dtype != row.new_dtype:
        dtype = f"{row.old_dtype} / {row.new_dtype}"
    status = row.status.value + (f": {row.reason}" if row.reason else "")
    numbers = [""] * 6
    if row.measure is not None:
        found = row.measure
        numbers = [
            f"{found.max_absolute:.4g}",
            f"{found.max_relative:.4g}",
            "" if found.cosine is None else f"{found.cosine:.6f}",
            f"{found.outside} / {found.elements}",
            f"{found.nan_old} / {found.nan_new}",
            f"{found.inf_old} / {found.inf_new}",
        ]
    cells = f'<td class="name">{_text(row.label)}</td><td>{_text(row.op_type)}</td>'
    cells += f'<td>{_text(dtype)}</td><td class="status">{_text(status)}</td>'
    cells += "".join(f'<td class="n">{number}</td>' for number in numbers)
    return f'<tr class="{_CLASSES[row.status]}">{cells}</tr>\n'


def _problems(problems: Sequence[str]) -> str:
    if not problems:
        return ""
    items = "".join(f"<li><code>{_text(p)}</code></li>" for p in problems)
    return f"<h2>Files that could not be read</h2><ul>{items}</ul>\n"
