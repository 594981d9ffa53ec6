"""Driving an app by keys: waits for its threads and messages, as little as possible for the clock."""

from __future__ import annotations

import pytest
import textual._wait


@pytest.fixture(autouse=True)
def _short_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    """Textual sleeps 20 ms at least four times for each key until a process looks idle.

    That is most of the time of these tests. The same question is asked more often instead; where
    a release of textual has no such number, nothing changes but the time.
    """
    for name in ("SLEEP_GRANULARITY", "SLEEP_IDLE"):
        if (given := getattr(textual._wait, name, None)) is not None:
            monkeypatch.setattr(textual._wait, name, given / 10)
