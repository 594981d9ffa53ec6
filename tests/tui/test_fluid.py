"""Thousands of models or findings: a key does the work of what is seen, not of what there is."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.pilot import Pilot

from preflight.findings import Status
from preflight.tui.app import AssistantApp, Outcome
from preflight.tui.screens.findings import FindingsScreen
from preflight.tui.screens.models import ModelsScreen
from preflight.tui.session import Session
from preflight.tui.widgets.table import Column, LazyTable
from preflight.tui.words import Line
from tests.tui import example
from tests.tui.driving import SMALL, first_line, press, running

MANY = 5_000
KEYS = ("down", "pagedown", "end", "up", "home", "space")
STATUSES = (Status.BLOCKED, Status.UNKNOWN, Status.OK)


def many() -> Session:
    made = Session(spec=example.NAME, target=example.target())
    paths = [f"m{number:05}.om" for number in range(MANY)]
    made.add_models(paths)
    for number, path in enumerate(paths):
        status = STATUSES[number % 3]
        found = (example.SOC,) if status is Status.BLOCKED else (example.MEMORY,)
        made.record(path, example.report(path, status, *found))
    return made


class Work:
    """Counts what one key does."""

    def __init__(self, app: AssistantApp) -> None:
        self.app = app
        self.table = app.screen.query_one(LazyTable)
        self.drawn = self.table.drawn
        self.widgets = len(app.screen.query("*"))

    def rows_drawn(self) -> int:
        return self.table.drawn - self.drawn


async def begin(app: AssistantApp, pilot: Pilot[Outcome]) -> None:
    if app.screen is not app.models:
        await press(pilot, "escape")


async def test_a_cursor_key_draws_only_the_rows_that_are_seen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with running(tmp_path, target="", session=many()) as (app, pilot):
        await begin(app, pilot)
        monkeypatch.setattr(ModelsScreen, "list_rows", lambda _self: pytest.fail("all rows listed"))
        for key in KEYS:
            work = Work(app)
            await press(pilot, key)
            assert work.rows_drawn() <= 4 * SMALL[1], key
            assert len(app.screen.query("*")) == work.widgets, key


async def test_filtering_and_sorting_draw_only_the_rows_that_are_seen(tmp_path: Path) -> None:
    async with running(tmp_path, target="", session=many()) as (app, pilot):
        await begin(app, pilot)
        for key in ("s", "s", "slash", "9"):
            work = Work(app)
            await press(pilot, key)
            assert work.rows_drawn() <= 4 * SMALL[1], key
        assert 0 < len(app.models.listed) < MANY


async def test_verdicts_that_arrive_do_not_list_everything_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with running(tmp_path, target="", session=many()) as (app, pilot):
        await begin(app, pilot)
        monkeypatch.setattr(ModelsScreen, "list_rows", lambda _self: pytest.fail("all rows listed"))
        work = Work(app)
        batch = [(p, example.report(p, Status.OK)) for p in ("m00000.om", "m00001.om")]
        app.models.post_message(ModelsScreen.Checked(0, batch))
        await press(pilot)
        assert work.rows_drawn() <= 2 * SMALL[1]
        assert app.session.tally[Status.OK] == MANY // 3 + 2


async def test_thousands_of_findings_are_one_row_and_one_text(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    example.stand_ins(monkeypatch)
    async with running(tmp_path, target="", session=many()) as (app, pilot):
        await begin(app, pilot)
        await press(pilot, "a")
        assert isinstance(app.screen, FindingsScreen)
        assert first_line(app) == "all models: 5,000 findings, 1,667 errors"
        for key in ("right", "left", "down", "up"):
            work = Work(app)
            await press(pilot, key)
            assert work.rows_drawn() <= 2 * SMALL[1], key
            assert len(app.screen.query("*")) == work.widgets, key


def test_counting_verdicts_does_not_walk_the_rows() -> None:
    session = many()
    session.rows = {}  # the counts are kept as verdicts come in
    assert session.checked == MANY


def test_a_table_asks_for_the_rows_that_it_draws_only() -> None:
    table = LazyTable([Column("n")])
    asked: list[int] = []

    def cells(row: int) -> list[Line]:
        asked.append(row)
        return [Line(str(row))]

    table.show(10**9, cells)
    assert asked == []
    assert table.row_count == 10**9
