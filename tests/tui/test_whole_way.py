"""From a model that does not run to a saved plan, as a person goes: written, read, edited, saved."""

from __future__ import annotations

import datetime
from pathlib import Path

from textual.widgets import Input

from preflight import api
from preflight.plan.files import read_plan
from tests.support.models import build
from tests.tui.driving import TARGET, first_line, form, press, running, write


async def test_from_broken_model_to_saved_plan(tmp_path: Path) -> None:
    model = tmp_path / "detector.om"
    command = "atc --model=d.onnx --framework=5 --output=d --soc_version=Ascend310P3"
    attributes = {"soc_version": "Ascend310P3", "atc_cmdline": command}
    model.write_bytes(build(attributes=attributes))
    (tmp_path / "d.onnx").write_text("")
    async with running(tmp_path, [model], target="") as (app, pilot):
        app.screen.query_one("#spec", Input).focus()
        await press(pilot, "ctrl+u")
        await write(pilot, TARGET)
        await press(pilot, "enter")
        assert "will not" in first_line(app)
        await press(pilot, "f")
        assert first_line(app).startswith("detector.om: ")
        await press(pilot, "w")
        assert "best: Compile again" in first_line(app)
        await press(pilot, "enter")
        await press(pilot, "v")
        form(app).field("model").value = str(tmp_path / "d.onnx")
        await press(pilot, "enter", "e")
        form(app).field("title").value = "Build on the farm"
        await press(pilot, "ctrl+s", "s")
        app.screen.query_one("#path", Input).value = str(tmp_path / "plan.toml")
        await press(pilot, "enter", "escape", "q")
        assert not app.is_running
    plan = read_plan(tmp_path / "plan.toml")
    assert plan == app.session.plan
    assert plan.path.predicted in ("ok", "ok_with_warnings")
    assert plan.steps[0].title == "Build on the farm"
    assert f"--model={tmp_path / 'd.onnx'}" in plan.steps[0].command
    assert "--soc_version=Ascend910B3" in plan.steps[0].command
    assert plan.models[0].sha256 == api.read_model(model).sha256


async def test_a_waived_plan_needs_nothing_else(tmp_path: Path) -> None:
    model = tmp_path / "detector.om"
    model.write_bytes(build(attributes={"soc_version": "Ascend310P3"}))
    async with running(tmp_path, [model]) as (app, pilot):
        await press(pilot, "w")
        await press(pilot, *["right"] * 5)
        await press(pilot, "enter", "escape", "escape", "f", "a")
        form(app).field("reason").value = "a test device"
        form(app).field("expires").value = "2999-12-31"
        await press(pilot, "ctrl+s", "p", "s")
        app.screen.query_one("#path", Input).value = str(tmp_path / "plan.toml")
        await press(pilot, "enter")
    plan = read_plan(tmp_path / "plan.toml")
    assert [step.kind for step in plan.steps] == ["waive"]
    assert plan.steps[0].waiver is not None
    assert plan.steps[0].waiver.expires == datetime.date(2999, 12, 31)
