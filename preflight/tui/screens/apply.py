"""Carrying a plan out: every step with its state, and the journal as it grows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from threading import Event
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.message import Message
from textual.worker import get_current_worker

from preflight import api
from preflight.api import ApplyOptions, ApplyResult, Step
from preflight.errors import PreflightError
from preflight.tui.screens.dialogs import ChoiceDialog
from preflight.tui.widgets.base import AssistantScreen, Plain
from preflight.tui.widgets.table import Column, LazyTable
from preflight.tui.words import STEP_MARKS, Line, is_unready, plural, step_lines

_COLUMNS = (Column("state", 12), Column("step", 0))
_WORDS = {
    "done": ("+ done: every step of the plan is carried out", "good"),
    "stopped": ("! stopped; what is done stays, and a new run goes on from there", "warn"),
    "failed": ("x a step failed; the journal says what was undone", "bad"),
    "dry_run": ("nothing was done; this is what would happen", "title"),
    "rolled_back": ("< rolled back: what the plan had done is undone", "warn"),
}
_WAIT_SECONDS = 0.1
_RECORDS_SEEN = 8


class StopApplying(Exception):
    """Raised between two steps, before the next has begun."""


class ApplyScreen(AssistantScreen):
    """Runs in a thread that asks here before commands and after a person's work."""

    TITLE_WORD = "carrying out"
    HELP_TEXT = (
        "Each step is done in turn. Before a command runs, and after work that only you can do,"
        " you are asked. The journal below lies beside the plan; after a crash or a stop a new run"
        " goes on where this one ended, and rolling back takes finished steps back."
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("c", "stop", "Stop", tooltip="Stop before the next step; twice: end the command"),
        Binding("g", "go_on", "Go on", tooltip="Carry on with the steps that are left"),
        Binding("b", "roll_back", "Roll back", tooltip="Undo what was done"),
        Binding("escape", "back", "Back", tooltip="Back, when nothing is running"),
    ]

    class Told(Message):
        def __init__(self, step: str, status: str, detail: str) -> None:
            super().__init__()
            self.step, self.status, self.detail = step, status, detail

    class Asked(Message):
        def __init__(self, step: Step, question: str, reply: Callable[[bool], None]) -> None:
            super().__init__()
            self.step, self.question, self.reply = step, question, reply

    class Ended(Message):
        def __init__(self, result: ApplyResult | None, error: str = "") -> None:
            super().__init__()
            self.result, self.error = result, error

    def __init__(self, path: str, *, dry_run: bool) -> None:
        super().__init__()
        self._path, self._dry_run = path, dry_run
        self._states: dict[str, tuple[str, str]] = {}
        self._steps: Sequence[Step] = ()
        self._stop, self._kill = Event(), Event()
        self.running = False

    def compose_body(self) -> ComposeResult:
        yield LazyTable(_COLUMNS, id="steps")
        with VerticalScroll(id="reading"):
            yield Plain(id="detail")

    def on_mount(self) -> None:
        plan = self.session.plan
        self._steps = plan.steps if plan is not None else ()
        table = self.query_one(LazyTable)
        table.show(len(self._steps), self._cells)
        table.focus()
        self._start(self._apply)

    def on_unmount(self) -> None:
        self._stop.set()
        self._kill.set()

    # -- the thread

    def _start(self, work: Callable[[ApplyOptions], ApplyResult]) -> None:
        if self.running:
            return
        self.running = True
        self._stop.clear()
        self._kill.clear()
        self.answer("trying the plan ..." if self._dry_run else "carrying out the plan ...")
        self.tell("c stops before the next step")
        self.run_worker(lambda: self._work(work), thread=True, group="apply", exclusive=True)

    def _work(self, work: Callable[[ApplyOptions], ApplyResult]) -> None:
        options = ApplyOptions(
            dry_run=self._dry_run,
            confirm=self._confirm,
            progress=self._tell,
            cancelled=self._kill.is_set,
        )
        try:
            result = work(options)
        except StopApplying:
            self.post_message(self.Ended(None))
        except (PreflightError, OSError) as error:
            hint = getattr(error, "hint", "")
            said = f"{error}" + (f" ({hint})" if hint else "")
            self.post_message(self.Ended(None, api.printable(said)))
        else:
            self.post_message(self.Ended(result))

    def _apply(self, options: ApplyOptions) -> ApplyResult:
        return api.apply_plan(self._path, options)

    def _roll_back(self, options: ApplyOptions) -> ApplyResult:
        return api.rollback_plan(self._path, options)

    def _tell(self, step: str, status: str, detail: str) -> None:
        if self._stop.is_set() and status == "started":
            raise StopApplying
        self.post_message(self.Told(step, status, detail))

    def _confirm(self, step: Step, question: str) -> bool:
        """Waits for an answer on the screen; a stop or the end of the app answers no."""
        answered, answers = Event(), [False]

        def reply(answer: bool) -> None:
            answers.append(answer)
            answered.set()

        self.post_message(self.Asked(step, question, reply))
        worker = get_current_worker()
        while not answered.wait(_WAIT_SECONDS):
            if self._stop.is_set() or worker.is_cancelled:
                return False
        return answers[-1]

    # -- on the screen

    def on_apply_screen_told(self, event: Told) -> None:
        status = "started" if event.status == "undoing" else event.status
        detail = event.detail if event.status in ("done", "failed") else ""
        self._states[event.step] = (status, detail)
        table = self.query_one(LazyTable)
        place = next((n for n, s in enumerate(self._steps) if s.id == event.step), table.cursor)
        if place != table.cursor:
            table.cursor = place  # the step that runs is the one to look at
        table.refresh()
        done = sum(state in ("done", "would run") for state, _ in self._states.values())
        said = "trying the plan" if self._dry_run else "carrying out the plan"
        if event.status not in ("undoing", "undone"):
            self.answer(f"{said}: {done} of {plural(len(self._steps), 'step')} done ...")
        self._show_journal()

    def on_apply_screen_asked(self, event: Asked) -> None:
        lines = [line for line in step_lines(event.step) if line.role != "dim"]  # not the reasons
        question = Line(f"{event.question[:1].upper()}{event.question[1:]}", "title")
        choices = [("yes", "yes"), ("no", "no, stop here")]
        self.app.push_screen(
            ChoiceDialog([question, *lines], choices, chosen=1),
            lambda answer: event.reply(answer == "yes"),
        )

    def on_apply_screen_ended(self, event: Ended) -> None:
        self.running = False
        self.tell("")
        if event.result is None:
            said = f"x {event.error}" if event.error else _WORDS["stopped"][0]
            self.answer(said, "bad" if event.error else "warn")
        else:
            self._show_result(event.result)
        self._show_journal()

    def _show_result(self, result: ApplyResult) -> None:
        text, role = _WORDS[result.status]
        if result.status == "dry_run" and any(s.status == "not ready" for s in result.steps):
            text, role = "x not ready: a step cannot run yet (see below); nothing was done", "bad"
        self.answer(text, role)
        for outcome in result.steps:
            self._states[outcome.step] = (outcome.status, outcome.detail)
        self.query_one(LazyTable).refresh()
        said = [api.printable(t) for t in (result.error, result.hint, *result.left) if t]
        if any(is_unready(step) for step in self._steps):
            said.append("p goes to the plan, v there fills in what is missing")
        self.tell("; ".join(said), "bad" if result.error else "plain")

    def _cells(self, number: int) -> list[Line]:
        step = self._steps[number]
        status, detail = self._states.get(step.id, ("pending", ""))
        symbol, role = STEP_MARKS.get(status, (" ", "plain"))
        said = f"{step.title}: {detail}" if detail else step.title
        return [Line(f"{symbol} {status}", role), Line(api.printable(said))]

    def on_lazy_table_moved(self, _event: LazyTable.Moved) -> None:
        self._show_journal()

    def on_lazy_table_chosen(self, _event: LazyTable.Chosen) -> None:
        return

    def _show_journal(self) -> None:
        self.query_one("#detail", Plain).show(self._detail())

    def _detail(self) -> Iterator[Line]:
        row = self.query_one(LazyTable).row
        if 0 <= row < len(self._steps):
            step = self._steps[row]
            status, detail = self._states.get(step.id, ("pending", ""))
            if detail:
                yield Line(f"{status}: {api.printable(detail)}", STEP_MARKS[status][1])
        yield from self._journal_lines()
        if 0 <= row < len(self._steps):
            yield Line("")
            yield from step_lines(self._steps[row])

    def _journal_lines(self) -> Iterator[Line]:
        """The last records; all of them are in the file that is named."""
        journal = api.journal_path(Path(self._path))
        yield Line(f"journal {api.printable(str(journal))}", "title")
        try:
            records = api.read_journal(journal)
        except PreflightError as error:
            yield Line(api.printable(error.message), "bad")
            return
        if len(records) > _RECORDS_SEEN:
            yield Line(f"... {plural(len(records) - _RECORDS_SEEN, 'record')} before", "dim")
        for record in records[-_RECORDS_SEEN:]:
            said = " ".join(t for t in (record.at[11:19], record.event, record.step) if t)
            yield Line(api.printable(f"{said}: {record.detail}" if record.detail else said))
        if not records:
            yield Line("nothing was done yet", "dim")

    # -- keys

    def action_stop(self) -> None:
        if self.running and self._stop.is_set():
            self._kill.set()
            self.tell("ending the command; its step and those before it are taken back")
        elif self.running:
            self._stop.set()
            self.tell("stopping before the next step; c again ends a command that runs")

    def action_go_on(self) -> None:
        self._dry_run = False
        self._start(self._apply)

    def action_roll_back(self) -> None:
        if self.running:
            self.tell("c first: something is still running")
            return
        self._dry_run = False
        self._start(self._roll_back)

    def action_back(self) -> None:
        if self.running:
            self.tell("c first: something is still running")
        else:
            super().action_back()
