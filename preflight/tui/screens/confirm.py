"""The last look before a plan is saved, tried or carried out."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, VerticalScroll
from textual.widgets import Button, Input

from preflight import api
from preflight.api import Plan
from preflight.errors import PreflightError
from preflight.tui.screens.apply import ApplyScreen
from preflight.tui.widgets.base import AssistantScreen, Plain
from preflight.tui.widgets.paths import PathSuggester
from preflight.tui.words import Line, is_by_hand, is_unready, plan_headline, plural, step_command


class ConfirmScreen(AssistantScreen):
    """Save (TOML), save and try (dry run), or save and apply."""

    TITLE_WORD = "save or apply"
    HELP_TEXT = (
        "The plan becomes a TOML file that can be reviewed, kept and carried out elsewhere."
        " 'Save and try' says for each step what would happen and what is not ready; nothing is"
        " changed. 'Save and apply' carries the steps out one by one, asks before each command,"
        " and writes a journal, so that everything can be rolled back."
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+s", "save", "Save", tooltip="Save the plan"),
        Binding("ctrl+t", "try", "Save and try", tooltip="Save it and say what would happen"),
        Binding("ctrl+y", "apply", "Save and apply", tooltip="Save it and carry it out"),
    ]

    def __init__(self) -> None:
        super().__init__()
        self._replacing = ""

    def compose_body(self) -> ComposeResult:
        yield Plain("the plan file", classes="label")
        path = self.session.plan_path or "plan.toml"
        yield Input(path, id="path", suggester=PathSuggester())
        with Horizontal(classes="buttons"):
            yield Button("Save", id="save")
            yield Button("Save and try", id="try")
            yield Button("Save and apply", id="apply")
        with VerticalScroll(id="reading"):
            yield Plain(id="detail")

    def on_mount(self) -> None:
        self.query_one("#path", Input).focus()
        self._say()
        plan = self.session.plan
        if plan is not None:
            self.query_one("#detail", Plain).show(summary_lines(plan))

    def _say(self) -> None:
        plan = self.session.plan
        if plan is not None:
            state = "not saved yet" if self.session.unsaved else "saved"
            line = plan_headline(plan)
            self.answer(f"{line.text} [{state}]", line.role)

    def on_button_pressed(self, event: Button.Pressed) -> None:
        actions = {"save": self.action_save, "try": self.action_try, "apply": self.action_apply}
        actions[str(event.button.id)]()

    def on_input_submitted(self, _event: Input.Submitted) -> None:
        self.action_save()

    def action_save(self) -> None:
        if self._save():
            path = self.session.plan_path
            command = api.printable(f"preflight apply {shlex.quote(path)} --dry-run")
            self.tell(f"+ saved as {api.printable(path)}; next: {command}", "good")

    def action_try(self) -> None:
        if self._save():
            self.app.push_screen(ApplyScreen(self.session.plan_path, dry_run=True))

    def action_apply(self) -> None:
        if self._save():
            self.app.push_screen(ApplyScreen(self.session.plan_path, dry_run=False))

    def _save(self) -> bool:
        path = self.query_one("#path", Input).value.strip()
        if not path:
            self.tell("x the plan needs a file name", "bad")
            return False
        mine = path in (self.session.plan_path, self._replacing)
        if Path(path).exists() and not mine:
            self._replacing = path
            self.tell("! the file is there already: do it again to replace it", "warn")
            return False
        try:
            self.assistant.save_plan(path)
        except PreflightError as error:
            self.tell(f"x {api.printable(error.message)}", "bad")
            return False
        self._say()
        return True


def summary_lines(plan: Plan) -> Iterator[Line]:
    """Which commands the plan runs, what a person does, and what is not ready."""
    yield Line("the plan runs", "title")
    commands = [step_command(step) for step in plan.steps]
    for command in filter(None, commands):
        yield Line(f"  {command}", "command")
    if not any(commands):
        yield Line("  nothing")
    yield Line("you do", "title")
    by_hand = [step for step in plan.steps if is_by_hand(step)]
    for step in by_hand:
        yield Line(f"  {api.printable(step.title)}")
    if not by_hand:
        yield Line("  nothing")
    waived = [step.waiver for step in plan.steps if step.waiver is not None]
    if waived:
        yield Line("accepted", "title")
    for waiver in waived:
        yield Line(f"  ! {waiver.rule} until {waiver.expires}: {api.printable(waiver.reason)}")
    unready = sum(map(is_unready, plan.steps))
    if unready:
        yield Line(
            f"? {plural(unready, 'step')} cannot run yet: v in the plan asks what is missing",
            "unsure",
        )
    if plan.path.remaining:
        yield Line("remains after the plan", "title")
        for text in plan.path.remaining:
            yield Line(f"  - {api.printable(text)}")
