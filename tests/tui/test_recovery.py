"""A plan that was not saved is there again at the next start, and nobody else's is."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
from msgspec.structs import replace

from preflight.errors import UnreadableInput
from preflight.tui.recovery import Recovery, discard, recovery_folder
from preflight.tui.screens.dialogs import ChoiceDialog
from preflight.tui.screens.plan import PlanScreen
from preflight.tui.screens.target import TargetScreen
from tests.plan.plans import manual, plan
from tests.tui.driving import copied, detail, first_line, press, running, screen_text

MADE = plan(manual("a"))


def crash(folder: Path) -> None:
    """Another process keeps a plan and ends without a word."""
    code = textwrap.dedent(
        """
        import os, sys
        from pathlib import Path
        from preflight.tui.recovery import Recovery
        from tests.tui.test_recovery import MADE
        Recovery(Path(sys.argv[1])).keep(MADE)
        os.kill(os.getpid(), 9)
        """
    )
    root = Path(__file__).parents[2]
    done = subprocess.run([sys.executable, "-c", code, str(folder)], cwd=root, check=False)
    assert done.returncode == -9


def test_a_crashed_session_leaves_its_plan(tmp_path: Path) -> None:
    crash(tmp_path)
    (left,) = Recovery(tmp_path).left_behind()
    assert left.plan == MADE
    discard(left)
    assert not list(tmp_path.iterdir())


def test_a_living_session_keeps_its_plan_to_itself(tmp_path: Path) -> None:
    alive = Recovery(tmp_path)
    alive.keep(MADE)
    assert list(Recovery(tmp_path).left_behind()) == []
    assert list(alive.left_behind()) == []
    alive.clear()
    assert not list(tmp_path.iterdir())


def test_the_latest_plan_is_what_is_left(tmp_path: Path) -> None:
    alive = Recovery(tmp_path)
    alive.keep(MADE)
    alive.keep(plan(manual("b")))
    assert len(list(tmp_path.glob("*.toml"))) == 1
    assert alive._handle is not None
    os.close(alive._handle)  # as when the process ends
    (left,) = Recovery(tmp_path).left_behind()
    assert [step.id for step in left.plan.steps] == ["b"]


def test_files_that_are_no_plans_are_left_alone(tmp_path: Path) -> None:
    (tmp_path / "x.toml").write_text("no = 'plan'")
    assert list(Recovery(tmp_path).left_behind()) == []
    assert (tmp_path / "x.toml").exists()


def test_the_folder_follows_the_xdg_rules(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    assert recovery_folder() == tmp_path / "preflight" / "recovery"
    monkeypatch.setenv("XDG_STATE_HOME", "relative")  # must be absolute, else it does not count
    monkeypatch.setenv("HOME", str(tmp_path))
    assert recovery_folder() == tmp_path / ".local" / "state" / "preflight" / "recovery"


def test_a_folder_that_cannot_be_made_is_an_error_of_ours(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(UnreadableInput, match="cannot be written"):
        Recovery(tmp_path / "file" / "below").keep(MADE)


def test_other_users_cannot_read_the_folder(tmp_path: Path) -> None:
    alive = Recovery(tmp_path / "state")
    alive.keep(MADE)
    assert (tmp_path / "state").stat().st_mode & 0o077 == 0
    alive.clear()


async def test_the_next_start_offers_the_plan_and_goes_on_with_it(tmp_path: Path) -> None:
    models = copied(tmp_path / "m", "soc_910B.om")
    async with running(tmp_path, models) as (app, pilot):
        await press(pilot, "w")
        await press(pilot, "enter", "down", "right_square_bracket")
        edited = app.session.plan
        assert edited is not None
        assert app.recovery._handle is not None
        os.close(app.recovery._handle)  # the process ends here without leaving
        app.recovery._handle = None
    async with running(tmp_path, target="") as (app, pilot):
        assert isinstance(app.screen, ChoiceDialog)
        assert "was not saved when the last session ended" in screen_text(app)
        await press(pilot, "enter")
        assert isinstance(app.screen, PlanScreen)
        assert app.session.plan == edited
        assert app.session.unsaved
        assert "-> + runs; 4 steps" in first_line(app)  # simulated again from the files
        assert "Compare" in detail(app) or "Compile" in detail(app)
        assert app.session.checked == 1
        assert len(list((tmp_path / "state").glob("*.toml"))) == 1


@pytest.mark.parametrize(("keys", "left"), [(("down", "down"), 0), (("down",), 1), ((), 1)])
async def test_the_offer_can_be_declined(keys: tuple[str, ...], left: int, tmp_path: Path) -> None:
    state = tmp_path / "state"
    ended = Recovery(state)
    ended.keep(MADE)
    assert ended._handle is not None
    os.close(ended._handle)  # as when the process ends
    async with running(tmp_path, target="") as (app, pilot):
        await press(pilot, *keys, "enter" if keys else "escape")
        assert isinstance(app.screen, TargetScreen)
        assert len(list(state.glob("*.toml"))) == left


async def test_a_plan_whose_models_are_gone_can_still_be_seen(tmp_path: Path) -> None:
    missing = replace(MADE.models[0], path=str(tmp_path / "gone.om"))
    ended = Recovery(tmp_path / "state")
    ended.keep(replace(MADE, models=(missing,)))
    assert ended._handle is not None
    os.close(ended._handle)  # as when the process ends
    async with running(tmp_path, target="") as (app, pilot):
        await press(pilot, "enter")
        assert isinstance(app.screen, PlanScreen)
        assert "cannot be said" in screen_text(app)
        assert "do a" in detail(app)
