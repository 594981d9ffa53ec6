"""The plan: its steps in order, what each does, and what remains at the end."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.message import Message

from preflight import api
from preflight.api import Candidate, Plan
from preflight.errors import PreflightError
from preflight.findings import Finding
from preflight.tui.screens.dialogs import ChoiceDialog, Field, FormDialog
from preflight.tui.screens.sources import open_fields
from preflight.tui.screens.waiving import ask_waiver
from preflight.tui.widgets.base import AssistantScreen, Plain
from preflight.tui.widgets.table import Column, LazyTable
from preflight.tui.words import Line, is_by_hand, is_unready, plan_headline, step_lines

_COLUMNS = (Column("#", 3, right=True), Column("kind", 17), Column("who", 9), Column("step"))
_FIELDS = ("title", "instruction", "expected", "check", "undo")


class PlanScreen(AssistantScreen):
    """Edits the session's plan; every edit is simulated again in a thread."""

    TITLE_WORD = "plan"
    HELP_TEXT = (
        "The steps of the plan in order. Each edit is simulated again: the first line says what"
        " the plan leads to now, and 'remains' lists what would still be there. Steps move only"
        " as far as others need them. A finding that remains can be accepted with a reason and a"
        " date. Nothing is done before you save and apply."
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("s", "save", "Save", tooltip="Save the plan, try it or carry it out"),
        Binding(
            "left_square_bracket,shift+up",
            "move(-1)",
            "Move",
            key_display="[ ]",
            tooltip="Move the step earlier",
        ),
        Binding(
            "right_square_bracket,shift+down",
            "move(1)",
            "Later",
            show=False,
            tooltip="Move the step later",
        ),
        Binding("e", "edit", "Edit", tooltip="Edit the texts of this step"),
        Binding("v", "answer", "Values", tooltip="Answer open questions: files and options"),
        Binding("a", "accept", "Accept", tooltip="Accept (waive) a finding that remains"),
        Binding("d,delete", "remove", "Remove", tooltip="Remove this step"),
        Binding("u", "undo", "Undo", show=False, tooltip="Take the last edit back"),
        Binding("space", "read", "Read on", show=False, tooltip="Scroll the details"),
    ]

    class Predicted(Message):
        def __init__(self, plan: Plan, candidate: Candidate) -> None:
            super().__init__()
            self.plan, self.candidate = plan, candidate

    class NotPredicted(Message):
        def __init__(self, text: str) -> None:
            super().__init__()
            self.text = text

    def __init__(self) -> None:
        super().__init__()
        self._left: tuple[Finding, ...] = ()
        self._known = False

    def compose_body(self) -> ComposeResult:
        yield LazyTable(_COLUMNS, id="steps")
        with VerticalScroll(id="reading"):
            yield Plain(id="detail")

    def on_mount(self) -> None:
        self.query_one(LazyTable).focus()
        self.plan_changed()

    def on_screen_resume(self) -> None:
        if self.session.plan is not None:  # gone when the session moves to another target
            self._say()

    @property
    def plan(self) -> Plan:
        plan = self.session.plan
        assert plan is not None  # the screen is only shown for a plan
        return plan

    # -- after an edit

    def plan_changed(self, step_id: str = "") -> None:
        """Show the plan, cursor on a step, and simulate it again."""
        table = self.query_one(LazyTable)
        steps = self.plan.steps
        place = next((n for n, s in enumerate(steps) if s.id == step_id), max(0, table.cursor))
        table.show(len(steps), self._cells, place)
        self._known = False
        self._say()
        predict = partial(self._predict, self.plan)
        self.run_worker(predict, thread=True, group="predict", exclusive=True)

    def _predict(self, plan: Plan) -> None:
        try:
            candidate = api.judge(self.session.simulation_of(plan), plan)
        except PreflightError as error:
            self.post_message(self.NotPredicted(api.printable(error.message)))
            return
        self.post_message(self.Predicted(plan, candidate))

    def on_plan_screen_predicted(self, event: Predicted) -> None:
        if self.session.predict(event.plan, event.candidate):
            self._left, self._known = event.candidate.outcome.left, True
            self._say()
            self._show_detail()
        if self.session.outdated:
            said = api.printable(self.session.outdated)
            self.tell(f"! {said}: it cannot be applied; w on the first screen plans again", "warn")

    def on_plan_screen_not_predicted(self, event: NotPredicted) -> None:
        self.tell(f"what the plan leads to cannot be said: {event.text}", "bad")

    def _say(self) -> None:
        line = plan_headline(self.plan)
        saved = "not saved" if self.session.unsaved else f"saved as {self.session.plan_path}"
        text = line.text if self._known else line.text.replace(" -> ", " -> ... was ")
        self.answer(f"{text} [{api.printable(saved)}]", line.role)

    # -- what is shown

    def _cells(self, number: int) -> list[Line]:
        step = self.plan.steps[number]
        who = "you" if is_by_hand(step) else "preflight"
        role = "unsure" if is_unready(step) else "plain"
        title = Line(("? " if role == "unsure" else "") + api.printable(step.title), role)
        return [Line(str(number + 1)), Line(step.kind.replace("_", " ")), Line(who), title]

    def on_lazy_table_moved(self, _event: LazyTable.Moved) -> None:
        self._show_detail()
        self.query_one("#reading", VerticalScroll).scroll_home(animate=False)

    def on_lazy_table_chosen(self, _event: LazyTable.Chosen) -> None:
        self.action_edit()

    def _show_detail(self) -> None:
        plan, row = self.plan, self.query_one(LazyTable).row
        lines = list(step_lines(plan.steps[row])) if 0 <= row < len(plan.steps) else []
        if not plan.steps:
            lines.append(Line("the plan has no steps: it stays as it is"))
        if plan.path.remaining:
            lines += [Line(""), Line("remains after the plan", "title")]
            lines += [Line(f"- {api.printable(text)}") for text in plan.path.remaining]
        self.query_one("#detail", Plain).show(lines)

    @property
    def _step(self) -> api.Step | None:
        row = self.query_one(LazyTable).row
        return self.plan.steps[row] if 0 <= row < len(self.plan.steps) else None

    # -- keys

    def action_move(self, by: int) -> None:
        step = self._step
        if step is not None:
            self._try(lambda: api.move_plan_step(self.plan, step.id, by), step.id)

    def action_remove(self) -> None:
        step = self._step
        if step is not None:
            self._try(lambda: api.remove_plan_step(self.plan, step.id), "")
            self.tell(f"step {api.printable(step.id)} is removed; u brings it back")

    def action_undo(self) -> None:
        if self.session.undo():
            self.assistant.keep_plan()
            self.plan_changed()
            self.tell("the last edit is taken back")
        else:
            self.tell("there is nothing to take back")

    def _try(self, edit: partial[Plan] | object, step_id: str) -> None:
        assert callable(edit)
        try:
            changed = edit()
        except PreflightError as error:
            self.tell(f"x {api.printable(error.message)}", "bad")
            return
        self.tell("")
        self.assistant.change_plan(changed, step_id)

    def action_edit(self) -> None:
        step = self._step
        if step is None:
            return

        def accept(values: Mapping[str, str]) -> None:
            changed = api.reword_plan_step(self.plan, step.id, **values)
            self.assistant.change_plan(changed, step.id)

        fields = [Field(name, name, getattr(step, name)) for name in _FIELDS]
        title = Line(f"Edit the texts of step {api.printable(step.id)}", "title")
        self.app.push_screen(FormDialog([title], fields, accept))

    def action_answer(self) -> None:
        step = self._step
        fields = open_fields(step) if step is not None else []
        if step is None or not fields:
            self.tell("this step has no open questions")
            return
        before = {field.key: field.value for field in fields}

        def accept(values: Mapping[str, str]) -> None:
            changed = self.plan
            for option, value in values.items():
                if value.strip() and value != before[option]:
                    changed = api.answer_question(changed, step.id, option, value)
            self.assistant.change_plan(changed, step.id)

        title = Line(f"Values for the command of step {api.printable(step.id)}", "title")
        self.app.push_screen(FormDialog([title], fields, accept))

    def action_accept(self) -> None:
        left = self._left
        if not left:
            waiting = "" if self._known else " (still being simulated)"
            self.tell(f"nothing remains that would have to be accepted{waiting}")
        elif len(left) == 1:
            ask_waiver(self.assistant, left[0])
        else:
            choices = [(str(n), f"{f.rule} {api.printable(f.message)}") for n, f in enumerate(left)]
            question = [Line("Which finding is accepted?", "title")]
            self.app.push_screen(ChoiceDialog(question, choices), self._accept_chosen)

    def _accept_chosen(self, answer: str | None) -> None:
        if answer is not None and int(answer) < len(self._left):
            ask_waiver(self.assistant, self._left[int(answer)])

    def action_read(self) -> None:
        reading = self.query_one("#reading", VerticalScroll)
        if reading.scroll_offset.y >= reading.max_scroll_y:
            reading.scroll_home(animate=False)
        else:
            reading.scroll_page_down(animate=False)

    def action_save(self) -> None:
        self.assistant.show_confirm()
