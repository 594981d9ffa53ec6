"""The screens as text, at the smallest size and at a large one.

`PREFLIGHT_UPDATE_GOLDEN=1 pytest tests/tui/test_golden.py` writes the files anew; look at the
difference before committing it. The last row (the keys) is left out: textual draws it.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.tui import example
from tests.tui.driving import LARGE, SMALL, press, running, screen_text

GOLDEN = Path(__file__).parent / "golden"
SCREENS = {
    "models": (),
    "findings": ("f",),
    "all_findings": ("a", "end"),
    "ways": ("w",),
    "plan": ("w", "enter"),
    "save": ("w", "enter", "s"),
}


_CASES = [(name, SMALL) for name in SCREENS]
_CASES += [(name, LARGE) for name in ("models", "findings", "ways", "plan")]


@pytest.mark.parametrize(("name", "size"), _CASES)
async def test_screen(
    name: str, size: tuple[int, int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    example.stand_ins(monkeypatch)
    async with running(tmp_path, target="", size=size, session=example.session()) as (app, pilot):
        if app.screen is not app.models:
            await press(pilot, "escape")  # the question for a target: the example has one
        for key in SCREENS[name]:
            await press(pilot, key)
        shown = "\n".join(screen_text(app).splitlines()[:-1]).rstrip() + "\n"
    golden = GOLDEN / f"{name}_{size[0]}x{size[1]}.txt"
    if os.environ.get("PREFLIGHT_UPDATE_GOLDEN"):
        golden.write_text(shown)
    assert shown == golden.read_text()
