"""The compatibility window counts calendar days, both ends included."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from preflight.errors import UsageError
from preflight.registry.window import day_number, is_calendar_date, is_protocol_date, select_window

LINE = [("A", "2024-09-30"), ("B", "2025-01-15"), ("C", "2025-09-30"), ("D", "2025-10-01")]
days = st.dates(date(1900, 1, 1), date(9999, 12, 31))


@pytest.mark.parametrize(
    ("current", "window"),
    [("A", "A"), ("B", "AB"), ("C", "ABC"), ("D", "BCD"), ("Z", "")],
)
def test_365_days_are_inside_and_366_are_not(current: str, window: str) -> None:
    assert select_window(LINE, current) == list(window)


@given(days, st.integers(0, 3000), st.integers(0, 3000))
def test_a_release_is_inside_exactly_when_it_is_not_older_than_the_window(
    anchor: date, age: int, width: int
) -> None:
    if anchor.toordinal() - age < date(1900, 1, 1).toordinal():
        return
    older = anchor - timedelta(days=age)
    line = [("old", older.isoformat()), ("new", anchor.isoformat())]
    assert ("old" in select_window(line, "new", width)) == (age <= width)


def test_without_a_current_release_today_counts() -> None:
    line = [("past", "2024-05-01"), ("future", "2024-05-03")]
    assert select_window(line, today="2024-05-02") == ["past"]


def test_impossible_days_count_on_into_the_next_month() -> None:
    assert day_number("2024-02-31") == day_number("2024-03-02")
    assert is_protocol_date("2024-02-31")
    assert not is_calendar_date("2024-02-31")


@pytest.mark.parametrize("text", ["", "2025-1-1", "2025-13-01", "1899-01-01", "２０２５-01-01"])
def test_what_is_no_date(text: str) -> None:
    assert not is_protocol_date(text)
    with pytest.raises(UsageError):
        day_number(text)
