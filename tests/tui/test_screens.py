"""Each screen, by keys and by mouse, on real sample models."""

from __future__ import annotations

import datetime
from pathlib import Path

import pytest
from textual.widgets import Input

from preflight.findings import Status
from preflight.tui.screens.apply import ApplyScreen
from preflight.tui.screens.confirm import ConfirmScreen
from preflight.tui.screens.dialogs import ChoiceDialog, FormDialog
from preflight.tui.screens.findings import FindingsScreen
from preflight.tui.screens.help import HelpScreen
from preflight.tui.screens.models import ModelsScreen
from preflight.tui.screens.plan import PlanScreen
from preflight.tui.screens.target import TargetScreen
from preflight.tui.screens.ways import WaysScreen
from preflight.tui.screens.whatif import WhatIfScreen
from preflight.tui.widgets.table import LazyTable
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
    settle,
    write,
)

BROKEN, GOOD, UNREADABLE = "soc_910B.om", "soc_910B3.om", "lfs_pointer.om"


async def test_the_first_screen_counts_verdicts_and_shows_each(tmp_path: Path) -> None:
    async with running(tmp_path, copied(tmp_path / "m", BROKEN, GOOD, UNREADABLE)) as (app, pilot):
        assert first_line(app).startswith(f"3 models on {TARGET}: ")
        assert "1 blocked" in first_line(app) or "2 blocked" in first_line(app)
        shown = screen_text(app)
        assert f"{BROKEN}" in shown and "x blocked" in shown and "+ ok" in shown
        assert "deploy: x blocked (PF301)" in detail(app)
        await press(pilot, "down")
        assert "deploy: + ok" in detail(app)


async def test_filter_and_sort(tmp_path: Path) -> None:
    models = copied(tmp_path / "m", GOOD, BROKEN, "old_header_310.om")
    async with running(tmp_path, models) as (app, pilot):
        await press(pilot, "slash")
        await write(pilot, "910b blocked")
        assert [row.name for row in app.models.listed] == [BROKEN]
        assert "1 model listed" in message(app)
        await press(pilot, "escape")
        assert len(app.models.listed) == 3
        await press(pilot, "s")
        assert app.models.listed[-1].name == GOOD
        assert "sorted by verdict" in message(app)


async def test_a_click_on_a_heading_sorts_and_on_a_row_opens(tmp_path: Path) -> None:
    models = copied(tmp_path / "m", GOOD, BROKEN)
    async with running(tmp_path, models) as (app, pilot):
        await pilot.click("#models", offset=(50, 0))
        await settle(pilot)
        assert "sorted by name" in message(app)
        assert app.models.query_one(LazyTable).cursor == 1  # it went with its row
        await pilot.click("#models", offset=(5, 1))
        await settle(pilot)
        assert app.models.query_one(LazyTable).cursor == 0
        await pilot.click("#models", offset=(5, 1))
        await settle(pilot)
        assert isinstance(app.screen, FindingsScreen)


async def test_a_model_can_be_opened_later(tmp_path: Path) -> None:
    async with running(tmp_path, copied(tmp_path / "m", GOOD)) as (app, pilot):
        copied(tmp_path / "n", BROKEN)
        await press(pilot, "o")
        assert isinstance(app.screen, FormDialog)
        app.screen.query_one(Input).value = str(tmp_path / "nothing")
        (tmp_path / "nothing").mkdir()
        await press(pilot, "enter")
        assert "there is no .om file" in screen_text(app)
        app.screen.query_one(Input).value = str(tmp_path / "n")
        await press(pilot, "enter")
        assert isinstance(app.screen, ModelsScreen)
        assert app.session.tally[Status.BLOCKED] == 1


async def test_findings_are_grouped_and_explained(tmp_path: Path) -> None:
    async with running(tmp_path, copied(tmp_path / "m", BROKEN)) as (app, pilot):
        await press(pilot, "f")
        assert isinstance(app.screen, FindingsScreen)
        assert first_line(app).startswith(f"{BROKEN}: ")
        said = detail(app)
        for wanted in ("PF301", "target wants", "model has", "the loader says", "ways out"):
            assert wanted in said
        assert "what it means" in said and "references" in said
        await press(pilot, "down")
        assert "PF301" not in detail(app).splitlines()[0]


async def test_findings_of_all_models_are_walked_one_by_one(tmp_path: Path) -> None:
    models = copied(tmp_path / "m", BROKEN, "resnet_static_310P3.om")
    async with running(tmp_path, models) as (app, pilot):
        await press(pilot, "a")
        assert detail(app).startswith(f"1 of 2: {models[0]}")
        await press(pilot, "right")
        assert detail(app).startswith(f"2 of 2: {models[1]}")
        await press(pilot, "right", "left")
        assert detail(app).startswith(f"1 of 2: {models[0]}")


async def test_what_could_not_be_decided_is_listed_with_its_reason(tmp_path: Path) -> None:
    async with running(tmp_path, copied(tmp_path / "m", "external_weights.om")) as (app, pilot):
        assert app.session.tally[Status.UNKNOWN] == 1
        await press(pilot, "f", "end")
        assert "could not be decided" in first_line(app)
        assert detail(app).startswith("? not decided")


async def test_ways_stand_side_by_side_with_their_predictions(tmp_path: Path) -> None:
    async with running(tmp_path, copied(tmp_path / "m", BROKEN), size=(120, 40)) as (app, pilot):
        await press(pilot, "w")
        assert isinstance(app.screen, WaysScreen)
        shown = screen_text(app)
        row = next(line for line in shown.splitlines() if "> 1." in line)
        assert " 2." in row and " 3." in row
        for wanted in ("+ runs", "x does not run", "cost 4, low risk", "remains", "steps"):
            assert wanted in shown
        await press(pilot, "right")
        assert "> 2." in screen_text(app)
        await press(pilot, "enter")
        assert isinstance(app.screen, PlanScreen)
        assert app.session.plan is not None
        assert app.session.plan.path.kind == "move_target"


async def to_plan(pilot) -> None:  # type: ignore[no-untyped-def]
    await press(pilot, "w")
    await press(pilot, "enter")


async def test_the_plan_shows_its_commands_and_says_what_an_edit_leads_to(tmp_path: Path) -> None:
    async with running(tmp_path, copied(tmp_path / "m", BROKEN), size=(200, 50)) as (app, pilot):
        await to_plan(pilot)
        assert "-> + runs; 4 steps, 1 not ready [not saved]" in first_line(app)
        assert "atc --model=" in detail(app)
        await press(pilot, "d")
        assert "-> x does not run; 3 steps" in first_line(app)
        assert "PF301" in detail(app).split("remains after the plan")[1]
        await press(pilot, "u")
        assert "-> + runs; 4 steps" in first_line(app)


async def test_steps_move_within_their_preconditions_only(tmp_path: Path) -> None:
    async with running(tmp_path, copied(tmp_path / "m", BROKEN)) as (app, pilot):
        await to_plan(pilot)
        await press(pilot, "right_square_bracket")
        assert "needs rebuild-1 before it" in message(app)
        await press(pilot, "down", "right_square_bracket")
        assert app.session.plan is not None
        ids = [step.id for step in app.session.plan.steps]
        assert ids == ["rebuild-1", "compare-1", "check-1", "roll-out-1"]
        assert app.screen.query_one(LazyTable).cursor == 2  # the cursor went with the step


async def test_texts_of_a_step_are_edited(tmp_path: Path) -> None:
    async with running(tmp_path, copied(tmp_path / "m", BROKEN)) as (app, pilot):
        await to_plan(pilot)
        await press(pilot, "e")
        assert isinstance(app.screen, FormDialog)
        form(app).field("title").value = " "
        await press(pilot, "ctrl+s")
        assert "needs a title" in screen_text(app)
        form(app).field("title").value = "Build it on the farm"
        await press(pilot, "ctrl+s")
        assert "Build it on the farm" in screen_text(app)


async def test_open_questions_of_a_command_are_answered(tmp_path: Path) -> None:
    source = tmp_path / "net.onnx"
    source.write_text("")
    async with running(tmp_path, copied(tmp_path / "m", BROKEN)) as (app, pilot):
        await to_plan(pilot)
        await press(pilot, "v")
        form(app).field("model").value = str(source)
        await press(pilot, "enter")
        assert app.session.plan is not None
        step = app.session.plan.steps[0]
        assert f"--model={source}" in step.command
        assert [need.place for need in step.needs] == ["found"]


async def test_a_remaining_finding_is_accepted_with_reason_and_date(tmp_path: Path) -> None:
    async with running(tmp_path, copied(tmp_path / "m", BROKEN)) as (app, pilot):
        await press(pilot, "w", "right", "right")
        await press(pilot, "enter", "a")
        assert isinstance(app.screen, FormDialog)
        await press(pilot, "ctrl+s")
        assert "is no date" in screen_text(app)
        form(app).field("expires").value = "2999-01-31"
        await press(pilot, "ctrl+s")
        assert "needs a reason" in screen_text(app)
        form(app).field("reason").value = "the device is replaced"
        await press(pilot, "ctrl+s")
        assert app.session.plan is not None
        waiver = app.session.plan.steps[0].waiver
        assert waiver is not None
        assert waiver.rule == "PF301"
        assert waiver.expires == datetime.date(2999, 1, 31)
        assert "-> ! runs, with warnings" in first_line(app)


async def test_the_target_is_picked_from_lists_and_mistaken_names_are_explained(
    tmp_path: Path,
) -> None:
    async with running(tmp_path, copied(tmp_path / "m", BROKEN), target="") as (app, pilot):
        assert isinstance(app.screen, TargetScreen)
        box = app.screen.query_one("#spec", Input)
        assert box.value.endswith("/Ascend910B3/linux-aarch64")  # a final release, ready to take
        assert first_line(app).endswith(f"on {box.value}")
        box.value = "8.1.RC1/Ascend910B"
        await settle(pilot)
        assert "first generation" in detail(app)
        box.value = "8.1.RC1/Ascend910C"
        await settle(pilot)
        assert "Ascend910C is no target" in first_line(app)
        assert "names the A3 family" in detail(app)
        box.focus()
        box.value = TARGET
        await press(pilot, "enter")
        assert isinstance(app.screen, ModelsScreen)
        assert app.session.tally[Status.BLOCKED] == 1


async def test_the_lists_of_the_target_screen_make_its_name(tmp_path: Path) -> None:
    async with running(tmp_path, copied(tmp_path / "m", BROKEN)) as (app, pilot):
        await press(pilot, "t")
        assert app.screen.query_one("#spec", Input).value == TARGET
        await press(pilot, "tab", "tab", "down")
        assert app.screen.query_one("#spec", Input).value.endswith("/linux-x86_64")
        await press(pilot, "enter")
        assert isinstance(app.screen, ModelsScreen)
        assert app.session.spec.endswith("/linux-x86_64")


async def test_a_snapshot_file_is_a_target_by_its_full_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from preflight import api

    api.write_snapshot(api.load_target(TARGET), tmp_path / "host.toml")
    monkeypatch.chdir(tmp_path)
    models = copied(tmp_path / "m", BROKEN, GOOD)
    async with running(tmp_path, models, "host.toml") as (app, pilot):
        assert app.session.spec == str(tmp_path / "host.toml")
        assert app.session.tally[Status.BLOCKED] == 1
        await press(pilot, "m", "x")  # the lists begin where the snapshot was made
        assert first_line(app).startswith(f"2 models on {TARGET}: ")
        assert "1 model as before: x blocked" in detail(app)
        await press(pilot, "t")
        assert app.screen.query_one("#spec", Input).has_focus
        await press(pilot, "enter")  # the snapshot stays, not what the lists would say
        assert app.session.spec == str(tmp_path / "host.toml")


async def test_a_target_that_is_none_is_refused_where_another_is_chosen(tmp_path: Path) -> None:
    models = copied(tmp_path / "m", BROKEN)
    async with running(tmp_path, models, "8.1.RC1/Ascend910X") as (app, pilot):
        assert isinstance(app.screen, TargetScreen)
        assert first_line(app).startswith("8.1.RC1/Ascend910X is no target; ")
        assert "no SoC 'Ascend910X' is known" in detail(app)
        box = app.screen.query_one("#spec", Input)
        assert box.has_focus and box.value == "8.1.RC1/Ascend910X"
        box.value = TARGET
        await press(pilot, "enter")
        assert app.session.tally[Status.BLOCKED] == 1


async def test_keys_without_anything_to_show_say_why(tmp_path: Path) -> None:
    async with running(tmp_path, target="") as (app, pilot):
        await press(pilot, "escape")
        assert first_line(app).startswith("No model yet: o opens")
        for key in ("f", "w", "a", "x", "enter"):
            await press(pilot, key)
            assert message(app) == "no model yet: o opens one", key
        app.models.open([str(path) for path in copied(tmp_path / "m", BROKEN)])
        for key in ("f", "a", "x"):
            await press(pilot, key)
            assert "t chooses where the models should run" in message(app), key


async def test_a_file_that_cannot_be_read_is_no_file_without_findings(tmp_path: Path) -> None:
    models = [tmp_path / "gone.om", *copied(tmp_path / "m", BROKEN)]
    async with running(tmp_path, models) as (app, pilot):
        await press(pilot, "f")
        assert first_line(app).startswith("gone.om") and "findings" not in first_line(app)
        assert detail(app).startswith("? ") and "nothing was found" not in detail(app)
        await press(pilot, "escape", "a")
        assert "1 model could not be read" in first_line(app)


async def test_what_if_checks_again_with_each_move(tmp_path: Path) -> None:
    async with running(tmp_path, copied(tmp_path / "m", BROKEN)) as (app, pilot):
        await press(pilot, "x")
        assert isinstance(app.screen, WhatIfScreen)
        assert first_line(app) == f"{BROKEN} on {TARGET}: x blocked"
        await press(pilot, "right")
        for _ in range(30):
            if "Ascend910B/" in first_line(app):
                break
            await press(pilot, "up")
        assert first_line(app) == f"{BROKEN} on 8.1.RC1/Ascend910B/linux-aarch64: + ok"
        assert "+ gone: PF301" in detail(app)
        await press(pilot, "enter")
        assert app.session.spec == "8.1.RC1/Ascend910B/linux-aarch64"
        assert app.session.tally[Status.OK] == 1


async def test_late_answers_of_older_questions_are_passed_over(tmp_path: Path) -> None:
    async with running(tmp_path, copied(tmp_path / "m", BROKEN)) as (app, pilot):
        await press(pilot, "x")
        await pilot.press("down", "down", "down", "up")
        await settle(pilot)
        screen = app.screen
        assert isinstance(screen, WhatIfScreen)
        spec = first_line(app).split(" on ")[1].split(":")[0]
        assert app.screen.query_one("#catalogue").spec == spec  # type: ignore[attr-defined]
        assert "checking" not in first_line(app)


async def test_help_on_every_screen_lists_its_keys(tmp_path: Path) -> None:
    walk = ("", "f", "w", "enter", "s", "escape", "x", "t")
    seen = set()
    async with running(tmp_path, copied(tmp_path / "m", BROKEN), size=(80, 100)) as (app, pilot):
        for key in walk:
            if key:
                await press(pilot, key)
            below = app.screen
            await press(pilot, "f1")
            assert isinstance(app.screen, HelpScreen), key
            shown = screen_text(app)
            assert below.TITLE_WORD in shown, key  # type: ignore[attr-defined]
            assert "keys here" in shown and "keys everywhere" in shown and "marks" in shown
            await press(pilot, "escape")
            assert app.screen is below
            seen.add(type(below))
    assert {ModelsScreen, FindingsScreen, WaysScreen, PlanScreen, ConfirmScreen} <= seen
    assert {WhatIfScreen, TargetScreen} <= seen


async def test_the_command_palette_has_our_commands(tmp_path: Path) -> None:
    async with running(tmp_path, copied(tmp_path / "m", BROKEN)) as (app, pilot):
        commands = {c.title: c for c in app.get_system_commands(app.screen)}
        assert "Ways out for this model, or for marked ones" in commands
        assert "Choose where the models should run" in commands
        await commands["Choose where the models should run"].callback()
        await settle(pilot)
        assert isinstance(app.screen, TargetScreen)
        await press(pilot, "escape", "ctrl+p")
        await write(pilot, "ways")
        assert "Ways out for this model" in screen_text(app)


async def test_marked_models_are_planned_together(tmp_path: Path) -> None:
    models = copied(tmp_path / "m", BROKEN, "old_header_310.om")
    async with running(tmp_path, models) as (app, pilot):
        await press(pilot, "m")
        assert "2 marked" in message(app)
        await press(pilot, "w")
        assert first_line(app).startswith("2 models: ")


async def test_saving_asks_before_it_replaces_a_file(tmp_path: Path) -> None:
    there = tmp_path / "plan.toml"
    there.write_text("something else")
    async with running(tmp_path, copied(tmp_path / "m", BROKEN)) as (app, pilot):
        await to_plan(pilot)
        await press(pilot, "s")
        assert isinstance(app.screen, ConfirmScreen)
        app.screen.query_one("#path", Input).value = str(there)
        await press(pilot, "enter")
        assert "do it again to replace it" in message(app)
        assert there.read_text() == "something else"
        await press(pilot, "enter")
        assert "saved as" in message(app)
        assert not app.session.unsaved
        await press(pilot, "enter")  # its own file needs no question
        assert "saved as" in message(app)


async def test_trying_a_plan_says_what_is_not_ready(tmp_path: Path) -> None:
    async with running(tmp_path, copied(tmp_path / "m", BROKEN)) as (app, pilot):
        await to_plan(pilot)
        await press(pilot, "s")
        app.screen.query_one("#path", Input).value = str(tmp_path / "p.toml")
        await press(pilot, "ctrl+t")
        assert isinstance(app.screen, ApplyScreen)
        assert "not ready" in first_line(app)
        assert "is not there" in screen_text(app)
        await press(pilot, "escape")
        assert isinstance(app.screen, ConfirmScreen)


async def test_nothing_is_lost_without_a_question(tmp_path: Path) -> None:
    async with running(tmp_path, copied(tmp_path / "m", BROKEN)) as (app, pilot):
        await to_plan(pilot)
        for keys in (("q",), ("t", "ctrl+s")):
            await press(pilot, *keys)
            assert isinstance(app.screen, ChoiceDialog)
            assert "The plan is not saved" in screen_text(app)
            await press(pilot, "escape")
        assert app.session.unsaved
        assert app.is_running


async def test_leaving_without_saving_is_a_choice(tmp_path: Path) -> None:
    async with running(tmp_path, copied(tmp_path / "m", BROKEN)) as (app, pilot):
        await to_plan(pilot)
        assert list((tmp_path / "state").glob("*.toml"))
        await press(pilot, "q", "down", "enter")
        assert not app.is_running
        assert not list((tmp_path / "state").iterdir())


async def test_another_target_ends_the_plan_after_a_question(tmp_path: Path) -> None:
    async with running(tmp_path, copied(tmp_path / "m", BROKEN)) as (app, pilot):
        await to_plan(pilot)
        await press(pilot, "t", "tab", "tab", "down", "enter")
        assert "The plan is not saved" in screen_text(app)
        await press(pilot, "down", "enter")
        assert isinstance(app.screen, ModelsScreen)
        assert app.session.plan is None
        assert app.session.spec.endswith("/linux-x86_64")
        assert not list((tmp_path / "state").iterdir())


async def test_a_saved_plan_is_left_without_a_question(tmp_path: Path) -> None:
    async with running(tmp_path, copied(tmp_path / "m", BROKEN)) as (app, pilot):
        await to_plan(pilot)
        await press(pilot, "s")
        app.screen.query_one("#path", Input).value = str(tmp_path / "p.toml")
        await press(pilot, "enter", "escape", "q")
        assert not app.is_running
        assert app.return_value is not None
        assert app.return_value.saved == str(tmp_path / "p.toml")


async def test_resizing_moves_the_explanation_beside_the_list(tmp_path: Path) -> None:
    async with running(tmp_path, copied(tmp_path / "m", BROKEN)) as (app, pilot):
        await press(pilot, "f")
        reading, table = app.screen.query_one("#reading"), app.screen.query_one(LazyTable)
        assert reading.region.y > table.region.y
        await pilot.resize_terminal(160, 50)
        await settle(pilot)
        assert reading.region.y == table.region.y
        assert reading.region.x > table.region.x
        await pilot.resize_terminal(80, 24)
        await settle(pilot)
        assert reading.region.y > table.region.y
        assert "PF301" in screen_text(app)


async def test_rules_that_cannot_be_used_are_said_and_nothing_crashes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from preflight import api
    from preflight.errors import DataError

    async with running(tmp_path, copied(tmp_path / "m", BROKEN)) as (app, pilot):

        def refuse(*_: object, **__: object) -> None:
            raise DataError("rule X [red]is[/] wrong")

        monkeypatch.setattr(api, "check", refuse)
        await press(pilot, "r")
        assert first_line(app) == "nothing can be checked: rule X [red]is[/] wrong"
        await press(pilot, "x")
        assert first_line(app) == "x rule X [red]is[/] wrong"


async def test_a_stopped_check_says_so(tmp_path: Path) -> None:
    async with running(tmp_path, copied(tmp_path / "m", BROKEN)) as (app, pilot):
        await pilot.press("r", "c")
        await settle(pilot)
        assert "checking was stopped" in message(app) or app.session.checked == 1
        await press(pilot, "r")
        assert app.session.checked == 1
