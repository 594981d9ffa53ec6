"""The numbers of docs/explain-accuracy.md, measured again."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from preflight.explain.logs import explain_text

_DATA = Path(__file__).parents[2] / "bench" / "data"


def score(path: Path) -> tuple[int, int, int]:
    """(cases, first cause right, right one among the first three) of the quoted cases."""
    cases = first = three = 0
    for line in path.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        if not row.get("lines"):
            continue
        found = [c.fault.category for c in explain_text("\n".join(row["lines"])).causes]
        cases += 1
        first += found[:1] == [row["category"]]
        three += row["category"] in found
    return cases, first, three


def test_collected_logs_are_still_answered() -> None:
    scores = [score(path) for path in sorted(_DATA.glob("held-out-logs*.jsonl"))]
    cases, first, three = (sum(column) for column in zip(*scores, strict=True))
    assert cases == 57 + 280
    assert first >= 56 + 238  # by category alone; the equivalents of the map not counted
    assert three >= 56 + 238


@pytest.mark.shared
def test_quoted_reports_are_still_answered(shared: Path) -> None:
    cases, first, three = score(shared / "cases" / "reports.jsonl")
    assert cases > 0
    assert first / cases >= 0.85
    assert three / cases >= 0.95


@pytest.mark.shared
def test_the_codes_of_quoted_reports_are_recognised(shared: Path) -> None:
    """Codes that stand in the quoted lines themselves are found there."""
    path = shared / "cases" / "reports.jsonl"
    for line in path.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        text = "\n".join(row.get("lines") or ())
        wanted = {c.split()[0] for c in row["codes"] if c.split()[0] in text and "/" not in c}
        seen = {c.code for c in explain_text(text).codes}
        seen |= {hex(int(c)) for c in seen if c.isdigit()}
        assert {c.lower() for c in wanted} <= {c.lower() for c in seen}, row["id"]
