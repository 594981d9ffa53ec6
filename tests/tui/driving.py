"""Drives the assistant as a person would, and reads its screen as plain text."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from textual.pilot import Pilot

from preflight.data import samples_dir
from preflight.tui.app import AssistantApp, Outcome
from preflight.tui.recovery import Recovery
from preflight.tui.screens.dialogs import FormDialog
from preflight.tui.session import Session
from preflight.tui.widgets.base import Plain

TARGET = "8.1.RC1/Ascend910B3/linux-aarch64"
SMALL, LARGE = (80, 24), (160, 50)


def screen_text(app: AssistantApp) -> str:
    """What the screen shows, a line for each row, spaces at the ends left out."""
    strips = app.screen._compositor.render_strips()
    rows = ["".join(segment.text for segment in strip).rstrip() for strip in strips]
    return "\n".join(rows) + "\n"


def first_line(app: AssistantApp) -> str:
    """The answer, which may take more than one row."""
    return _text_of(app, "#answer")


def message(app: AssistantApp) -> str:
    return _text_of(app, "#message")


def detail(app: AssistantApp) -> str:
    return _text_of(app, "#detail")


def _text_of(app: AssistantApp, selector: str) -> str:
    return app.screen.query_one(selector, Plain).shown.plain


def form(app: AssistantApp) -> FormDialog:
    """The form that is open."""
    assert isinstance(app.screen, FormDialog)
    return app.screen


async def settle(pilot: Pilot[Outcome]) -> None:
    """Wait until threads have ended and what they sent is shown."""
    for _ in range(500):
        await pilot.pause(0.01)
        if all(worker.is_finished for worker in pilot.app.workers):
            break
    await pilot.pause()
    await pilot.pause()


def copied(folder: Path, *names: str) -> list[Path]:
    """Sample models in a folder of the test's own: plans write beside their models."""
    folder.mkdir(parents=True, exist_ok=True)
    made = []
    for name in names:
        path = folder / name
        path.write_bytes((samples_dir() / name).read_bytes())
        made.append(path)
    return made


@asynccontextmanager
async def running(
    folder: Path,
    models: Sequence[Path | str] = (),
    target: str = TARGET,
    size: tuple[int, int] = SMALL,
    session: Session | None = None,
) -> AsyncIterator[tuple[AssistantApp, Pilot[Outcome]]]:
    """The assistant with these models, everything checked; its state lies in the test's folder."""
    held = session or Session()
    if models:
        held.add_models(models)
    app = AssistantApp(held, target, Recovery(folder / "state"))
    async with app.run_test(size=size) as pilot:
        await settle(pilot)
        yield app, pilot


async def press(pilot: Pilot[Outcome], *keys: str) -> None:
    """Press keys, and wait for what they start."""
    for key in keys:
        await pilot.press(key)
    await settle(pilot)


async def write(pilot: Pilot[Outcome], text: str) -> None:
    """Type a text into the field that has the focus."""
    names = {"/": "slash", ".": "full_stop", "-": "minus", " ": "space", "_": "underscore"}
    await pilot.press(*(names.get(c, c) for c in text))
    await settle(pilot)
