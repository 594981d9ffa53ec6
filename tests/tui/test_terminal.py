"""The whole program in a real terminal, and what it does with colours and without a terminal."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from preflight.plan.files import read_plan
from preflight.tui.widgets.lines import ROLE_STYLES
from preflight.tui.words import SEVERITY_MARKS, STATUS_MARKS
from tests.tui.driving import TARGET, copied, press, running

_MAIN = "from preflight.cli.app import main; main()"
_TRIES = 150  # looks at the terminal, 0.2 s apart


class Terminal:
    """A tmux session of our own with one window, in which the program runs."""

    def __init__(self, folder: Path, size: tuple[int, int], *arguments: str, **env: str) -> None:
        self._tmux = ["tmux", "-L", f"preflight-{uuid.uuid4().hex[:8]}", "-f", os.devnull]
        command = shlex.join([sys.executable, "-c", _MAIN, "tui", *arguments])
        settings = shlex.join(f"{k}={v}" for k, v in env.items())
        state = shlex.quote(f"XDG_STATE_HOME={folder / 'state'}")
        line = f"env {state} {settings} {command}; echo ended with $?; exec sleep 600"
        width, height = map(str, size)
        self.run("new-session", "-d", "-x", width, "-y", height, "-c", str(folder), line)

    def run(self, *arguments: str) -> str:
        done = subprocess.run(
            [*self._tmux, *arguments], capture_output=True, text=True, check=True, timeout=60
        )
        return done.stdout

    def keys(self, *keys: str) -> None:
        self.run("send-keys", *keys)

    def shown(self, *, colours: bool = False) -> str:
        return self.run("capture-pane", "-p", *(["-e"] if colours else []))

    def wait_for(self, text: str) -> str:
        """Look until a text is there; a terminal has no other sign that it is ready."""
        for _ in range(_TRIES):
            shown = self.shown()
            if text in " ".join(shown.split()):
                return shown
            subprocess.run(["sleep", "0.2"], check=True)
        raise AssertionError(f"{text!r} never came:\n{self.shown()}")

    def end(self) -> None:
        subprocess.run([*self._tmux, "kill-server"], capture_output=True, check=False)


Open = Callable[..., Terminal]


@pytest.fixture
def terminal() -> Iterator[Open]:
    if shutil.which("tmux") is None:
        pytest.skip("tmux is not installed: no real terminal to test in")
    opened: list[Terminal] = []

    def make(folder: Path, size: tuple[int, int], *arguments: str, **env: str) -> Terminal:
        opened.append(Terminal(folder, size, *arguments, **env))
        return opened[-1]

    yield make
    for each in opened:
        each.end()


@pytest.mark.slow
def test_from_broken_model_to_saved_plan_in_a_real_terminal(terminal: Open, tmp_path: Path) -> None:
    model = copied(tmp_path, "soc_910B.om")[0]
    screen = terminal(tmp_path, (80, 24), str(model), "--target", TARGET)
    screen.wait_for("will not load")
    screen.keys("Enter")
    screen.wait_for("the loader says")
    screen.keys("w")
    screen.wait_for("ways out; best: Compile again")
    screen.keys("Enter")
    screen.wait_for("-> + runs; 4 steps, 1 not ready [not saved]")
    screen.run("resize-window", "-x", "130", "-y", "40")
    screen.wait_for("s Save")
    screen.keys("q")
    screen.wait_for("The plan is not saved")
    screen.keys("Enter")
    screen.wait_for("the plan file")
    screen.keys("Enter")
    screen.wait_for("+ saved as plan.toml")
    screen.keys("Escape")
    screen.wait_for("[saved as plan.toml]")
    screen.keys("q")
    shown = screen.wait_for("ended with 0")
    assert "the plan is saved as plan.toml" in shown
    assert "next: preflight apply plan.toml --dry-run" in shown
    assert read_plan(tmp_path / "plan.toml").path.kind == "rebuild"


@pytest.mark.slow
def test_a_killed_session_is_offered_again_in_a_real_terminal(
    terminal: Open, tmp_path: Path
) -> None:
    model = copied(tmp_path, "soc_910B.om")[0]
    first = terminal(tmp_path, (80, 24), str(model), "--target", TARGET)
    first.wait_for("will not load")
    first.keys("w")
    first.wait_for("ways out; best: Compile again")
    first.keys("Enter")
    first.wait_for("[not saved]")
    state = tmp_path / "state" / "preflight" / "recovery"
    for _ in range(_TRIES):
        if list(state.glob("*.toml")):
            break
        subprocess.run(["sleep", "0.2"], check=True)
    first.end()
    second = terminal(tmp_path, (80, 24), str(model), "--target", TARGET)
    second.wait_for("A plan was not saved when the last session ended")
    second.keys("Enter")
    second.wait_for("-> + runs; 4 steps, 1 not ready [not saved]")


@pytest.mark.slow
def test_no_color_leaves_no_colour_and_every_mark_has_a_word(
    terminal: Open, tmp_path: Path
) -> None:
    model = copied(tmp_path, "soc_910B.om")[0]
    screen = terminal(tmp_path, (80, 24), str(model), "--target", TARGET, NO_COLOR="1")
    screen.wait_for("x blocked")
    shown = screen.shown(colours=True)
    codes = [c for part in shown.split("\x1b[")[1:] for c in part.split("m")[0].split(";")]
    colours = [c for c in codes if c.isdigit() and (30 <= int(c) <= 38 or 40 <= int(c) <= 48)]
    assert colours == []


async def test_only_the_sixteen_colours_of_the_terminal_are_used(tmp_path: Path) -> None:
    """Every screen and dialog in turn; what is neither is the command palette of textual."""
    models = copied(tmp_path / "m", "soc_910B.om")
    walk = "f escape w enter e escape v escape q escape s escape t escape x f1 escape ctrl+p"
    async with running(tmp_path, models) as (app, pilot):
        for key in ("", *walk.split()):
            if key:
                await press(pilot, key)
            for strip in app.screen._compositor.render_strips():
                for segment in strip:
                    style = segment.style
                    for colour in (style.color, style.bgcolor) if style is not None else ():
                        assert colour is None or colour.triplet is None, (key, segment)
                        assert colour is None or (colour.number or 0) < 16, (key, segment)


def test_no_mark_means_something_by_its_colour_alone() -> None:
    marks = [(symbol, word) for symbol, word, _ in STATUS_MARKS.values()]
    assert len(set(marks)) == len({symbol for symbol, _ in marks}) == len(STATUS_MARKS)
    assert len({symbol for symbol, _ in SEVERITY_MARKS.values()}) == len(SEVERITY_MARKS)
    assert all(word for _, word in marks)


def test_no_colour_vanishes_on_white_or_on_black() -> None:
    names = {style.color.name for style in ROLE_STYLES.values() if style.color is not None}
    assert names <= {"red", "green", "magenta"}
    assert all(style.bgcolor is None for style in ROLE_STYLES.values())


def test_without_a_terminal_the_plain_questions_are_named(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", _MAIN, "tui", *map(str, copied(tmp_path, "soc_910B.om"))],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert "--no-tui" in done.stderr
    assert done.stdout == ""
