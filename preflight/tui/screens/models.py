"""Models and verdicts: the first screen."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.message import Message
from textual.widgets import Input
from textual.worker import Worker, get_current_worker

from preflight import api
from preflight.api import ModelReport, RuleSet, Target
from preflight.errors import PreflightError, UsageError
from preflight.findings import Severity
from preflight.tui.listing import SORTS, haystack
from preflight.tui.screens.dialogs import Field, FormDialog
from preflight.tui.session import ModelRow, check_one
from preflight.tui.widgets.base import AssistantScreen, Plain
from preflight.tui.widgets.table import Column, LazyTable
from preflight.tui.words import Line, models_answer, plural, report_lines, status_mark

_BATCH_SECONDS = 0.1
_YIELD_SECONDS = 0.0005  # after each model, so that a key need not wait for the interpreter
_COLUMNS = (
    Column("deploy", 14),
    Column("rebuild", 14),
    Column("err", 4, right=True),
    Column("warn", 4, right=True),
    Column("note", 4, right=True),
    Column("model"),
)
_COLUMN_SORTS = (1, 1, 2, 2, 2, 3)


class ModelsScreen(AssistantScreen):
    """A row for each model file; checks run in a thread and arrive in batches."""

    TITLE_WORD = "models and verdicts"
    HELP_TEXT = (
        "Every model file with its verdict on the target: will it load and run as it is (deploy),"
        " and what does compiling it again for the target meet (rebuild). Mark several models to"
        " plan for all of them at once."
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("f,enter", "findings", "Findings", tooltip="The findings of this model"),
        Binding("w", "ways", "Ways out", tooltip="Ways out for this model, or for marked ones"),
        Binding("space", "mark", "Mark", tooltip="Mark this model"),
        Binding("m", "mark_all", "Mark all", show=False, tooltip="Mark all that are listed"),
        Binding("a", "all_findings", "All findings", show=False, tooltip="Findings of all models"),
        Binding("slash", "filter", "Filter", tooltip="List only models with these words"),
        Binding("s", "sort", "Sort", tooltip="Sort by verdict, findings or name"),
        Binding("o", "open", "Open", tooltip="Open a model file, a folder, or a saved plan"),
        Binding("r", "recheck", "Check again", show=False, tooltip="Read and check all again"),
        Binding("c", "cancel", "Cancel", show=False, tooltip="Stop checking"),
        Binding("escape", "leave_filter", "Back", show=False, tooltip="Leave or clear the filter"),
    ]

    class Checked(Message):
        """Verdicts from the thread; `generation` says of which run."""

        def __init__(self, generation: int, batch: list[tuple[str, ModelReport]]) -> None:
            super().__init__()
            self.generation, self.batch = generation, batch

    class Refused(Message):
        """Nothing can be checked, and why."""

        def __init__(self, generation: int, text: str) -> None:
            super().__init__()
            self.generation, self.text = generation, text

    def __init__(self) -> None:
        super().__init__()
        self.listed: list[ModelRow] = []
        self._sort = 0
        self._generation = 0
        self._worker: Worker[None] | None = None

    def compose_body(self) -> ComposeResult:
        yield Input(placeholder="words in the name, the verdict or the rule", id="filter")
        yield LazyTable(_COLUMNS, id="models")
        with VerticalScroll(id="verdict"):
            yield Plain(id="detail")

    def on_mount(self) -> None:
        self.query_one("#filter").display = False
        self.query_one(LazyTable).focus()
        self.list_rows()

    def on_screen_resume(self) -> None:
        self._say()

    # -- checking

    def check(self, paths: Sequence[str] | None = None) -> None:
        """Check these models (or all) on the session's target, in a thread."""
        session = self.session
        if session.target is None:
            return
        if paths is None:
            session.forget_verdicts()
            paths = list(session.rows)
        self._generation += 1
        run = partial(
            self._check, self._generation, paths, session.target, lambda: session.rules, check_one
        )
        self._worker = self.run_worker(run, thread=True, group="check", exclusive=True)
        self.list_rows()

    def _check(
        self,
        generation: int,
        paths: Sequence[str],
        target: Target,
        rules: Callable[[], RuleSet],
        check: Callable[[str, Target, RuleSet], ModelReport],
    ) -> None:
        worker = get_current_worker()
        batch: list[tuple[str, ModelReport]] = []
        told = time.monotonic()
        for path in paths:
            if worker.is_cancelled:
                break
            try:
                batch.append((path, check(path, target, rules())))
            except PreflightError as error:  # the rules themselves: no file can be checked
                self.post_message(self.Refused(generation, api.printable(error.message)))
                return
            time.sleep(_YIELD_SECONDS)
            if time.monotonic() - told > _BATCH_SECONDS:
                self.post_message(self.Checked(generation, batch))
                batch, told = [], time.monotonic()
        self.post_message(self.Checked(generation, batch))

    def on_models_screen_checked(self, event: Checked) -> None:
        if event.generation != self._generation:
            return
        for path, report in event.batch:
            self.session.record(path, report)
        if self._sort or self._words():
            self.list_rows()
        else:
            self.query_one(LazyTable).refresh()
            self._say()
            self._show_detail()

    def on_models_screen_refused(self, event: Refused) -> None:
        if event.generation == self._generation:
            self.answer(f"nothing can be checked: {event.text}", "bad")

    # -- what is listed

    def list_rows(self) -> None:
        """Filter and sort; called when rows or the question change, never for a cursor key."""
        table = self.query_one(LazyTable)
        current = self._current()
        words = self._words()
        rows = list(self.session.rows.values())
        if words:
            rows = [row for row in rows if all(word in haystack(row) for word in words)]
        if self._sort:
            rows.sort(key=SORTS[self._sort][1])
        self.listed = rows
        place = next((n for n, row in enumerate(rows) if row is current), 0)
        table.show(len(rows), self._cells, place)
        self._say()

    def _words(self) -> list[str]:
        return self.query_one("#filter", Input).value.casefold().split()

    def _cells(self, number: int) -> list[Line]:
        row = self.listed[number]
        marked = "* " if row.path in self.session.marked else ""
        name = Line(marked + row.name)
        report = row.report
        if report is None:
            return [Line("..."), Line(""), Line(""), Line(""), Line(""), name]
        if report.error is not None:
            return [Line("? unreadable", "unsure"), Line(""), Line(""), Line(""), Line(""), name]
        counts = [Line(str(row.counts.get(severity) or "")) for severity in Severity]
        verdicts = report.verdicts
        return [
            status_mark(verdicts.deploy.status),
            status_mark(verdicts.rebuild.status),
            *counts,
            name,
        ]

    def _current(self) -> ModelRow | None:
        row = self.query_one(LazyTable).row
        return self.listed[row] if 0 <= row < len(self.listed) else None

    def _say(self) -> None:
        self.answer(*models_answer(self.session))
        notes = []
        if self._words():
            notes.append(f"{plural(len(self.listed), 'model')} listed")
        if self._sort:
            notes.append(f"sorted by {SORTS[self._sort][0]}")
        if self.session.marked:
            notes.append(f"{len(self.session.marked)} marked (*)")
        if self._worker is not None and self.session.checked < len(self.session.rows):
            notes.append("c stops checking")
        target = self.session.target
        if target is not None and not target.soc.known:
            notes.append("the target does not say its SoC: t, and write @SoC behind its name")
        self.tell("; ".join(notes))

    def on_lazy_table_moved(self, _event: LazyTable.Moved) -> None:
        self._show_detail()

    def _show_detail(self) -> None:
        row = self._current()
        lines = list(report_lines(row.report)) if row is not None and row.report else []
        if len(self.session.rows) == 1:
            lines = lines[1:]  # the first line of the screen says it
        self.query_one("#detail", Plain).show(lines)

    def on_lazy_table_chosen(self, _event: LazyTable.Chosen) -> None:
        self.action_findings()

    def on_lazy_table_header_clicked(self, event: LazyTable.HeaderClicked) -> None:
        self._sort = _COLUMN_SORTS[event.row]
        self.list_rows()

    def on_input_changed(self, _event: Input.Changed) -> None:
        self.list_rows()

    def on_input_submitted(self, _event: Input.Submitted) -> None:
        self.query_one(LazyTable).focus()

    # -- keys

    def action_filter(self) -> None:
        box = self.query_one("#filter", Input)
        box.display = True
        box.focus()

    def action_leave_filter(self) -> None:
        box = self.query_one("#filter", Input)
        box.value = ""
        box.display = False
        self.query_one(LazyTable).focus()

    def action_sort(self) -> None:
        self._sort = (self._sort + 1) % len(SORTS)
        self.list_rows()

    def action_mark(self) -> None:
        row = self._current()
        if row is not None:
            self.session.marked ^= {row.path}
            table = self.query_one(LazyTable)
            table.refresh()
            table.action_move(1)
            self._say()

    def action_mark_all(self) -> None:
        paths = {row.path for row in self.listed}
        marked = self.session.marked
        self.session.marked = marked - paths if paths <= marked else marked | paths
        self.query_one(LazyTable).refresh()
        self._say()

    def action_findings(self) -> None:
        row = self._current()
        if row is not None and row.report is not None:
            self.assistant.show_findings((row.path,))
        else:
            self.tell(self.what_is_missing(), "unsure")

    def action_all_findings(self) -> None:
        if self.session.checked:
            self.assistant.show_findings(())
        else:
            self.tell(self.what_is_missing(), "unsure")

    def action_ways(self) -> None:
        if self.scope():
            self.assistant.show_ways(self.scope())
        else:
            self.tell(self.what_is_missing(), "unsure")

    def what_is_missing(self) -> str:
        """Why a key has nothing to show."""
        if not self.session.rows:
            return "no model yet: o opens one"
        if self.session.target is None:
            return "nothing is checked yet: t chooses where the models should run"
        if not self.listed:
            return "no model is listed: Escape clears the filter"
        return "this model is not checked yet; r checks all again"

    def scope(self) -> tuple[str, ...]:
        """Marked models in the order they were given, else the one under the cursor."""
        marked = self.session.marked
        if marked:
            return tuple(path for path in self.session.rows if path in marked)
        row = self._current()
        return (row.path,) if row is not None else ()

    def action_recheck(self) -> None:
        self.check()

    def action_cancel(self) -> None:
        if self._worker is not None and self._worker.is_running:
            self._worker.cancel()
            self._generation += 1
            self.tell("checking was stopped; r checks again", "unsure")

    def action_open(self) -> None:
        label = "a model file, a folder with .om files, or a saved plan (.toml)"
        fields = [Field("path", label, is_path=True)]
        self.app.push_screen(FormDialog([Line("Open", "title")], fields, self._accept_path))

    def _accept_path(self, values: Mapping[str, str]) -> None:
        path = values["path"].strip()
        if not path:
            raise UsageError("which one?")
        path = str(Path(path).expanduser())
        if path.endswith(".toml"):
            plan = api.read_plan(path)  # refused in the dialog when it is none
            self.app.call_later(self.assistant.open_plan, path, plan)
        else:
            self.open([path])

    def open(self, given: Sequence[str]) -> None:
        """Add models and check them. Raises UnreadableInput for a folder without models."""
        new = self.session.add_models(given)
        self.list_rows()
        if self._worker is not None and self._worker.is_running:
            new = [row.path for row in self.session.rows.values() if row.report is None]
        if new:
            self.check(new)
