"""How models are found and put in order on the first screen."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from preflight.findings import Severity
from preflight.tui.session import ModelRow
from preflight.tui.words import status_mark


def haystack(row: ModelRow) -> str:
    """The text in which the words of a filter are looked for."""
    parts = [row.name]
    if row.report is not None:
        verdict = row.report.verdicts.deploy
        parts += [status_mark(verdict.status).text, verdict.decided_by]
    return " ".join(parts).casefold()


_WORST_FIRST = {"blocked": 0, "unknown": 1, "ok_with_warnings": 2, "ok": 3}


def _by_verdict(row: ModelRow) -> tuple[int, ...]:
    worst = _WORST_FIRST[row.status] if row.status is not None else 9
    return (worst, *_by_findings(row))


def _by_findings(row: ModelRow) -> tuple[int, ...]:
    return tuple(-row.counts.get(severity, 0) for severity in Severity)


def _as_given(_row: ModelRow) -> int:
    return 0


def _by_name(row: ModelRow) -> str:
    return row.name.casefold()


# what the order is called, and its key
SORTS: tuple[tuple[str, Callable[[ModelRow], Any]], ...] = (
    ("as given", _as_given),
    ("verdict", _by_verdict),
    ("findings", _by_findings),
    ("name", _by_name),
)
