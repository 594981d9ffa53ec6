"""Plans that were saved are opened again; ways are searched with the sources that one names."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from typer.testing import CliRunner

from preflight import api
from preflight.cli.tui import app as command
from preflight.errors import UnreadableInput, UsageError
from preflight.tui.prompts import Prompts
from preflight.tui.recovery import Recovery
from preflight.tui.screens.dialogs import ChoiceDialog
from preflight.tui.screens.plan import PlanScreen
from preflight.tui.session import Session
from tests.support.models import build
from tests.tui.driving import (
    TARGET,
    copied,
    detail,
    first_line,
    form,
    message,
    press,
    running,
    screen_text,
)


def saved_plan(folder: Path) -> tuple[Path, Path]:
    """A model, and a plan for it in a file."""
    (model,) = copied(folder / "m", "soc_910B.om")
    ways = api.solve([api.read_model(model)], api.load_target(TARGET), api.PlanOptions(spec=TARGET))
    api.write_plan(ways.best.plan, folder / "plan.toml")
    return model, folder / "plan.toml"


async def test_a_saved_plan_is_opened_from_the_first_screen(tmp_path: Path) -> None:
    model, path = saved_plan(tmp_path)
    async with running(tmp_path, [model], target="") as (app, pilot):
        await press(pilot, "escape", "o")
        form(app).field("path").value = str(tmp_path / "none.toml")
        await press(pilot, "enter")
        assert "x " in screen_text(app) and "none.toml" in screen_text(app)
        form(app).field("path").value = str(path)
        await press(pilot, "enter")
        assert isinstance(app.screen, PlanScreen)
        assert f"[saved as {path}]" in first_line(app)
        assert "-> + runs" in first_line(app)
        assert len(app.session.rows) == 1 and app.session.checked == 1
        await press(pilot, "down", "right_square_bracket")
        assert "[not saved]" in first_line(app)
        await press(pilot, "q")
        assert isinstance(app.screen, ChoiceDialog)


async def test_a_plan_for_a_file_that_has_changed_says_so(tmp_path: Path) -> None:
    model, path = saved_plan(tmp_path)
    model.write_bytes(model.read_bytes() + b"\0" * 8)
    session = Session()
    session.open_plan(str(path), api.read_plan(path))
    async with running(tmp_path, target="", session=session) as (app, pilot):
        assert isinstance(app.screen, PlanScreen)
        assert f"{model} has changed since the plan was made" in message(app)
        await press(pilot, "q")  # nothing was edited: nothing is asked
        assert app.return_value is not None
        assert app.return_value.saved == str(path)


def test_the_plain_questions_go_on_with_a_saved_plan(tmp_path: Path) -> None:
    _, path = saved_plan(tmp_path)
    session = Session()
    session.open_plan(str(path), api.read_plan(path))
    out = io.StringIO()
    answers = io.StringIO("\n" * 4)
    Prompts(session, answers, out, Recovery(tmp_path / "state")).run("")
    assert f"+ saved as {path}" in out.getvalue()  # its own file is not asked about


def test_a_plan_has_its_own_models_and_target(tmp_path: Path) -> None:
    done = CliRunner().invoke(command, ["--plan", "p.toml", "--target", TARGET])
    assert isinstance(done.exception, UsageError)
    with pytest.raises(UnreadableInput):
        api.read_plan(tmp_path / "none.toml")


async def test_a_source_folder_makes_a_way_ready(tmp_path: Path) -> None:
    line = "atc --model=net.onnx --framework=5 --output=d --soc_version=Ascend310P3"
    model = tmp_path / "detector.om"
    model.write_bytes(build(attributes={"soc_version": "Ascend310P3", "atc_cmdline": line}))
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "net.onnx").write_text("")
    async with running(tmp_path, [model]) as (app, pilot):
        await press(pilot, "w")
        assert "1 step of this way not ready: v says where" in message(app)
        await press(pilot, "v")
        form(app).field("").value = str(tmp_path / "none")
        await press(pilot, "ctrl+s")
        assert "no such folder" in screen_text(app)
        form(app).field("").value = str(tmp_path / "src")
        await press(pilot, "ctrl+s")
        assert "best: Compile again" in first_line(app)
        assert "not ready" not in message(app)
        await press(pilot, "enter")
        assert f"--model={tmp_path}/src/net.onnx" in detail(app).replace("\n", "")
        assert "not ready" not in first_line(app)
