"""Nothing from a model steers the screen: no markup, no control characters, no escape sequences."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from preflight.data import samples_dir
from preflight.findings import Evidence, Status
from preflight.plan.model import Step
from preflight.render.escape import printable
from preflight.tui.screens.dialogs import Field, FormDialog
from preflight.tui.session import Session
from preflight.tui.widgets.lines import folded, text_of_lines
from preflight.tui.widgets.table import _fitted
from preflight.tui.words import Line, finding_lines, step_lines
from tests.tui import example
from tests.tui.driving import LARGE, copied, detail, press, running, screen_text

NAMES = (
    "[bold red]x[/]",
    "[/]",
    "[link=x]y",
    "a\x1b[2Jb",
    "a\rb\x07",
    "\u202eflipped",
    "wide-模型",
)


async def test_names_are_shown_as_they_are(tmp_path: Path) -> None:
    odd = [tmp_path / "m" / f"{name}.om" for name in NAMES]
    for path in odd:
        path.parent.mkdir(parents=True, exist_ok=True)  # a slash in a name makes a folder
        path.write_bytes((samples_dir() / "soc_910B.om").read_bytes())
    async with running(tmp_path, odd, size=LARGE) as (app, pilot):
        for name in NAMES:
            assert printable(f"{name}.om") in screen_text(app)
        for path in odd:
            await press(pilot, "f")
            assert_shown(screen_text(app), path)
            await press(pilot, "escape", "down")
        await press(pilot, "m", "w", "enter")
        for path in odd:
            assert_shown(screen_text(app), path)
        await press(pilot, "s")
        assert all(c.isprintable() or c == "\n" for c in screen_text(app))


def assert_shown(shown: str, path: Path) -> None:
    assert printable(path.name) in shown
    assert all(c.isprintable() or c == "\n" for c in shown)


async def test_options_of_a_command_may_have_any_name(tmp_path: Path) -> None:
    taken: list[Mapping[str, str]] = []
    fields = [Field("a b[", "[red]x[/]"), Field("1", "y", "2")]
    async with running(tmp_path, target="") as (app, pilot):
        app.push_screen(FormDialog([Line("values")], fields, taken.append))
        await press(pilot)
        await press(pilot, "z", "ctrl+s")
    assert taken == [{"a b[": "z", "1": "2"}]


async def test_texts_of_findings_are_shown_as_they_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    example.stand_ins(monkeypatch)
    nasty = "[red]x[/red]\x1b]0;owned\x07[@click=app.quit]go[/]"
    finding = msgspec.structs.replace(
        example.SOC, message=nasty, title=nasty, evidence=(Evidence(nasty, nasty, nasty, nasty),)
    )
    session = Session(spec=example.NAME, target=example.target())
    session.add_models(["m.om"])
    session.record("m.om", example.report("m.om", Status.BLOCKED, finding))
    async with running(tmp_path, target="", size=LARGE, session=session) as (app, pilot):
        await press(pilot, "escape", "f")
        assert "[red]x[/red]" in screen_text(app)
        assert "[@click=app.quit]go[/]" in detail(app)
        assert "\x1b" not in detail(app) and "\x07" not in screen_text(app)


async def test_a_target_name_is_shown_as_it_is(tmp_path: Path) -> None:
    async with running(tmp_path, copied(tmp_path / "m", "soc_910B.om"), "[red]8[/]") as (app, _):
        assert "[red]8[/]" in screen_text(app) or app.session.target is None


@given(st.text(), st.text())
def test_lines_never_hold_control_characters(one: str, other: str) -> None:
    finding = msgspec.structs.replace(
        example.SOC, message=one, title=other, evidence=(Evidence(one, other, one, other),)
    )
    step = Step(one, "rebuild", other, command=("atc", one), reasons=(other,), instruction=one)
    for lines in (list(finding_lines(finding)), list(step_lines(step))):
        assert all(line.text.isprintable() for line in lines)
        text = text_of_lines(lines)
        assert text.plain == "\n".join(line.text for line in lines)


@given(st.text(), st.integers(0, 30), st.booleans())
def test_a_cell_has_exactly_its_width(text: str, width: int, right: bool) -> None:
    assert cell_len(_fitted(printable(text), width, right)) == width


@given(st.text(), st.integers(1, 40))
def test_folding_breaks_rows_and_loses_no_word(text: str, width: int) -> None:
    rows = folded(printable(text), width)
    assert "".join("".join(rows).split()) == "".join(printable(text).split())
    assert all(row == row.rstrip() for row in rows)
