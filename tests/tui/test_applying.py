"""Carrying a plan out on the screen, with a stand-in atc that a folder on PATH provides."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from textual.pilot import Pilot
from textual.widgets import Input

from preflight import api
from preflight.data import samples_dir
from preflight.tui.app import AssistantApp, Outcome
from preflight.tui.screens.apply import ApplyScreen
from preflight.tui.screens.dialogs import ChoiceDialog
from tests.tui.driving import copied, detail, first_line, form, message, press, running, screen_text

_ATC = """#!{python}
import pathlib, sys, time
options = dict(a[2:].partition("=")[::2] for a in sys.argv[1:])
if {mode!r} == "fail":
    sys.exit(3)
if {mode!r} == "hang":
    pathlib.Path({started!r}).write_text("")
    time.sleep(60)
model = pathlib.Path({model!r}).read_bytes()
pathlib.Path(options["output"] + ".om").write_bytes(model)
"""


def provide_atc(folder: Path, monkeypatch: pytest.MonkeyPatch, mode: str = "ok") -> Path:
    """The first `atc` on PATH; it "compiles" the sample for the right device."""
    (folder / "bin").mkdir(exist_ok=True)
    program, started = folder / "bin" / "atc", folder / "started"
    model = samples_dir() / "soc_910B3.om"
    program.write_text(
        _ATC.format(python=sys.executable, mode=mode, model=str(model), started=str(started))
    )
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}{os.pathsep}{os.environ['PATH']}")
    return started


async def to_apply(folder: Path, app: AssistantApp, pilot: Pilot[Outcome]) -> None:
    """Take the rebuild, say where its source is, save and apply."""
    source = folder / "net.onnx"
    source.write_text("")
    await press(pilot, "w")
    await press(pilot, "enter", "v")
    form(app).field("model").value = str(source)
    await press(pilot, "enter", "s")
    app.screen.query_one("#path", Input).value = str(folder / "p.toml")
    await pilot.press("ctrl+y")
    await question(app, pilot)


async def question(app: AssistantApp, pilot: Pilot[Outcome]) -> None:
    """Wait until something is asked, or nothing runs any more."""
    for _ in range(500):
        await pilot.pause(0.01)
        screen = app.screen
        if isinstance(screen, ChoiceDialog):
            return
        if isinstance(screen, ApplyScreen) and not screen.running:
            return
    raise AssertionError(screen_text(app))


async def test_a_plan_is_carried_out_and_rolled_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    provide_atc(tmp_path, monkeypatch)
    old = copied(tmp_path / "m", "soc_910B.om")[0]
    before = old.read_bytes()
    async with running(tmp_path, [old], size=(120, 50)) as (app, pilot):
        await to_apply(tmp_path, app, pilot)
        for size in ((80, 24), (120, 50)):
            await pilot.resize_terminal(*size)
            await pilot.pause()
            shown = screen_text(app)  # question, command and answers are seen together
            assert "Run this command?" in shown and "> no, stop here" in shown, size
            assert "--model=" in shown, size
        await pilot.press("up", "enter")
        await pilot.pause(0.2)
        await question(app, pilot)
        assert "Is this done?" in screen_text(app)  # the roll-out is a person's work
        await pilot.press("up", "enter")
        await pilot.pause(0.2)
        await question(app, pilot)
        assert first_line(app).startswith("+ done: ")
        assert screen_text(app).count("+ done ") >= 4
        assert "done roll-out-1" in screen_text(app)  # the end of the journal is what is seen
        assert "records before" in detail(app)
        new = next((tmp_path / "m").glob("soc_910B.*.om"))
        assert new.read_bytes() == (samples_dir() / "soc_910B3.om").read_bytes()
        assert set(api.plan_states(tmp_path / "p.toml").values()) == {"done"}
        await pilot.press("b")
        await question(app, pilot)
        await pilot.press("up", "enter")
        await pilot.pause(0.2)
        await question(app, pilot)
        assert first_line(app).startswith("< rolled back")
        assert not new.exists()
        assert old.read_bytes() == before


async def test_saying_no_stops_before_anything_is_done(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    provide_atc(tmp_path, monkeypatch)
    async with running(tmp_path, copied(tmp_path / "m", "soc_910B.om")) as (app, pilot):
        await to_apply(tmp_path, app, pilot)
        await press(pilot, "enter")  # no is what stands first
        assert "stopped" in first_line(app)
        assert not list((tmp_path / "m").glob("soc_910B.*.om"))


async def test_a_failing_command_is_shown_and_taken_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    provide_atc(tmp_path, monkeypatch, "fail")
    async with running(tmp_path, copied(tmp_path / "m", "soc_910B.om")) as (app, pilot):
        await to_apply(tmp_path, app, pilot)
        await press(pilot, "up", "enter")
        assert "a step failed" in first_line(app)
        assert "ended with code 3" in message(app)
        assert "x failed" in screen_text(app)


async def test_a_running_command_is_stopped_and_the_app_stays_until_then(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    started = provide_atc(tmp_path, monkeypatch, "hang")
    async with running(tmp_path, copied(tmp_path / "m", "soc_910B.om")) as (app, pilot):
        await to_apply(tmp_path, app, pilot)
        await pilot.press("up", "enter")
        for _ in range(500):
            await pilot.pause(0.01)
            if started.exists():
                break
        await pilot.press("q", "escape")
        assert app.is_running
        assert isinstance(app.screen, ApplyScreen)
        await pilot.press("c")
        await pilot.pause()
        assert "c again ends a command" in message(app)
        await press(pilot, "c")
        assert "a step failed" in first_line(app)
        assert "stopped while its command ran" in message(app)
        assert set(api.plan_states(tmp_path / "p.toml").values()) == {"failed"}
