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
# one walk for each size: the keys that lead on from the screen before, and what is there then
WALK: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("models", ()),
    ("findings", ("f",)),
    ("all_findings", ("escape", "a", "end")),
    ("ways", ("escape", "w")),
    ("plan", ("enter",)),
    ("save", ("s",)),
)


def compare(name: str, size: tuple[int, int], shown: str) -> None:
    """Fails with the name of a screen that differs from its file."""
    golden = GOLDEN / f"{name}_{size[0]}x{size[1]}.txt"
    text = "\n".join(shown.splitlines()[:-1]).rstrip() + "\n"
    if os.environ.get("PREFLIGHT_UPDATE_GOLDEN"):
        golden.write_text(text)
    assert text == golden.read_text(), name


@pytest.mark.parametrize("size", [SMALL, LARGE])
async def test_screens(
    size: tuple[int, int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    example.stand_ins(monkeypatch)
    async with running(tmp_path, target="", size=size, session=example.session()) as (app, pilot):
        await press(pilot, "escape")  # the question for a target: the example has one
        for name, keys in WALK:
            await press(pilot, *keys)
            compare(name, size, screen_text(app))
