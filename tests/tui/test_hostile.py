"""Nothing from a model steers the screen: no markup, no control characters, no escape sequences."""

from __future__ import annotations

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
from preflight.tui.session import Session
from preflight.tui.widgets.lines import text_of_lines
from preflight.tui.widgets.table import _fitted
from preflight.tui.words import finding_lines, step_lines
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


@pytest.mark.parametrize("name", NAMES)
async def test_names_are_shown_as_they_are(name: str, tmp_path: Path) -> None:
    odd, other = tmp_path / "m" / f"{name}.om", tmp_path / "m" / "other.om"
    odd.parent.mkdir(parents=True)  # a slash in the name makes it a folder and a file
    for path in (odd, other):
        path.write_bytes((samples_dir() / "soc_910B.om").read_bytes())
    async with running(tmp_path, [odd, other], size=LARGE) as (app, pilot):
        assert printable(f"{name}.om") in screen_text(app)
        for key in ("f", "w", "enter", "s"):
            await press(pilot, key)
            shown = screen_text(app)
            assert printable(odd.name) in shown, key
            assert all(c.isprintable() or c == "\n" for c in shown), key


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
