"""The row of keys: whole words, by mouse too, and only keys that do something."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.binding import Binding
from textual.widgets import Input

from preflight.tui.app import AssistantApp
from preflight.tui.screens.findings import FindingsScreen
from preflight.tui.screens.help import HelpScreen
from preflight.tui.widgets.keys import Keys, KeyWord, key_words, words_of
from preflight.tui.widgets.lines import folded
from preflight.tui.widgets.paths import PathSuggester
from tests.tui.driving import copied, press, running, screen_text


def row(app: AssistantApp) -> str:
    return screen_text(app).splitlines()[-1]


def place(app: AssistantApp, word: str) -> int:
    return row(app).index(word)


async def test_every_key_is_whole_and_can_be_clicked(tmp_path: Path) -> None:
    async with running(tmp_path, copied(tmp_path / "m", "soc_910B.om")) as (app, pilot):
        assert row(app).endswith("q Quit")  # what does not fit is left out, not cut
        await pilot.click(Keys, offset=(place(app, "Findings"), 0))
        await press(pilot)
        assert isinstance(app.screen, FindingsScreen)
        await pilot.click(Keys, offset=(place(app, "Help"), 0))
        await press(pilot)
        assert isinstance(app.screen, HelpScreen)
        await press(pilot, "escape")
        await pilot.click(Keys, offset=(place(app, "Back"), 0))
        await press(pilot)
        assert app.screen is app.models
        await pilot.resize_terminal(160, 24)
        await press(pilot)
        assert row(app).endswith("p Plan")


async def test_in_a_field_only_keys_are_named_that_are_no_letters(tmp_path: Path) -> None:
    async with running(tmp_path, target="") as (app, pilot):
        assert "q Quit" in row(app) and "Enter Use it" in row(app)
        app.screen.query_one("#spec", Input).focus()
        await press(pilot)
        assert "q Quit" not in row(app).replace("Ctrl+Q Quit", "")
        assert row(app).startswith("F1 Help  Ctrl+S Use it")


def test_hidden_bindings_are_not_named() -> None:
    bindings = [Binding("a,ctrl+a", "one", "One"), Binding("b", "two", "Two", show=False)]
    assert list(words_of(bindings, typing=False)) == [KeyWord("a", "One", "one")]
    assert list(words_of(bindings, typing=True)) == [KeyWord("Ctrl+A", "One", "one")]
    assert key_words("shift+up,left_square_bracket") == "Shift+Up or ["


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("go to 8.1.RC1/Ascend910B3/linux", ["go to 8.1.RC1/", "Ascend910B3/linux"]),
        ("is Ascend910B3 (arch_type 3)", ["is Ascend910B3", "(arch_type 3)"]),
        ("  a b c", ["  a b c"]),
        ("", [""]),
    ],
)
def test_long_names_break_at_their_parts(text: str, rows: list[str]) -> None:
    assert folded(text, 17) == rows


async def test_a_path_is_completed_from_what_is_there(tmp_path: Path) -> None:
    (tmp_path / "models").mkdir()
    (tmp_path / "models" / "net.om").write_text("")
    suggest = PathSuggester().get_suggestion
    assert await suggest(f"{tmp_path}/mo") == f"{tmp_path}/models/"
    assert await suggest(f"{tmp_path}/models/n") == f"{tmp_path}/models/net.om"
    for nothing in ("", f"{tmp_path}/", f"{tmp_path}/x", f"{tmp_path}/none/n", "~nobody-here/x"):
        assert await suggest(nothing) is None, nothing
