"""The compatibility window: which releases count as neighbours of one (spec/om-format.md §F.4).

Dates are calendar days: an impossible day such as 31 February counts on into the next month, as
the existing reader's calendar arithmetic does. Daylight saving changes nothing
(spec/corrections.md item 9).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date

from preflight.errors import UsageError

DEFAULT_DAYS = 365  # inclusive

_DATE = re.compile(r"([0-9]{4})-([0-9]{2})-([0-9]{2})")


def is_protocol_date(text: str) -> bool:
    """Whether the existing reader takes the text for a date: digits and ranges, no calendar."""
    match = _DATE.fullmatch(text)
    if match is None:
        return False
    year, month, day = (int(part) for part in match.groups())
    return year >= 1900 and 1 <= month <= 12 and 1 <= day <= 31


def is_calendar_date(text: str) -> bool:
    """Whether the text is a protocol date that exists in the calendar."""
    if not is_protocol_date(text):
        return False
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True


def day_number(text: str) -> int:
    """Days since the first year, for differences. `text` must be a protocol date."""
    if not is_protocol_date(text):
        raise UsageError(f"'{text}' is no date of the form YYYY-MM-DD")
    year, month, day = (int(part) for part in text.split("-"))
    return date(year, month, 1).toordinal() + day - 1


def select_window(
    releases: Sequence[tuple[str, str]],
    current: str = "",
    days: int = DEFAULT_DAYS,
    today: str = "",
) -> list[str]:
    """The releases at most `days` days before `current`, oldest first, `current` included.

    `releases` are (version, date) in ascending order of date; walking back stops at the first one
    outside. Without `current` the window ends at `today` (YYYY-MM-DD, the real day when empty);
    a `current` that is not in the list has no window.
    """
    anchor_date = today or date.today().isoformat()
    if current:
        found = next((d for version, d in releases if version == current), None)
        if found is None:
            return []
        anchor_date = found
    anchor = day_number(anchor_date)
    chosen: list[str] = []
    for version, released in reversed(releases):
        delta = anchor - day_number(released)
        if released > anchor_date or delta < 0:
            continue
        if delta > days:
            break
        chosen.append(version)
    return chosen[::-1]
