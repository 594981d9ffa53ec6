"""What if it ran there? Another release, SoC or host, and the verdicts at once."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.message import Message
from textual.worker import get_current_worker

from preflight import api
from preflight.api import ModelReport, Target
from preflight.errors import PreflightError
from preflight.findings import Severity
from preflight.tui.session import check_one
from preflight.tui.widgets.base import AssistantScreen, Plain
from preflight.tui.widgets.catalogue import Catalogue
from preflight.tui.words import SEVERITY_MARKS, Line, file_name, plural, status_mark

_MODELS_IN_DETAIL = 50
_TELL_EVERY = 25  # models
_YIELD_SECONDS = 0.0005  # after each model, so that a key need not wait for the interpreter


class WhatIfScreen(AssistantScreen):
    """Each move in the lists checks again in a thread; a newer question ends an older one."""

    TITLE_WORD = "what if"
    HELP_TEXT = (
        "Move in the lists: the models are checked at once on the release, SoC and host under the"
        " three marks, and compared with the target of this session. '+' is gone there, 'x' and"
        " '!' are new there. Enter makes it the target of this session."
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "use", "Use it", show=True, tooltip="Make this the target"),
        Binding("left", "part(-1)", "Left", show=False, tooltip="The list to the left"),
        Binding("right", "part(1)", "Right", show=False, tooltip="The list to the right"),
    ]

    class Answered(Message):
        """`reports` so far; `total` models are asked about."""

        def __init__(
            self, spec: str, target: Target, reports: tuple[ModelReport, ...], total: int
        ) -> None:
            super().__init__()
            self.spec, self.target, self.reports, self.total = spec, target, reports, total

    class Refused(Message):
        """There is no such target."""

        def __init__(self, spec: str, text: str) -> None:
            super().__init__()
            self.spec, self.text = spec, text

    def __init__(self, paths: tuple[str, ...]) -> None:
        super().__init__()
        self._paths = paths
        self._wanted = ""
        self._found: tuple[str, Target] | None = None

    def compose_body(self) -> ComposeResult:
        yield Catalogue(self.session.spec, self.session.target, id="catalogue")
        with VerticalScroll(id="reading"):
            yield Plain(id="detail")

    def on_mount(self) -> None:
        self.query_one("#release").focus()
        self.tell("arrows choose release, SoC and host; the models are checked at once")
        self.call_after_refresh(self._begin)

    def _begin(self) -> None:
        self.ask(self.query_one(Catalogue).spec)

    def on_catalogue_picked(self, event: Catalogue.Picked) -> None:
        if event.final:
            self.action_use()
        else:
            self.ask(event.spec)

    def ask(self, spec: str) -> None:
        """Check on another target; what is still running for an older one is ended."""
        self._wanted, self._found = spec, None
        self.answer(f"{self._who} on {spec}: checking ...")
        self.run_worker(partial(self._check, spec), thread=True, group="what-if", exclusive=True)

    @property
    def _who(self) -> str:
        if len(self._paths) == 1:
            return file_name(self._paths[0])
        return plural(len(self._paths), "model")

    def _check(self, spec: str) -> None:
        try:
            self._check_all(spec, api.load_target(spec))
        except PreflightError as error:
            self.post_message(self.Refused(spec, f"x {api.printable(error.message)}"))

    def _check_all(self, spec: str, target: Target) -> None:
        worker = get_current_worker()
        reports: list[ModelReport] = []
        for path in self._paths:
            if worker.is_cancelled:
                return
            reports.append(check_one(path, target, self.session.rules))
            time.sleep(_YIELD_SECONDS)
            if len(reports) % _TELL_EVERY == 0:
                self._post(spec, target, reports)
        self._post(spec, target, reports)

    def _post(self, spec: str, target: Target, reports: list[ModelReport]) -> None:
        self.post_message(self.Answered(spec, target, tuple(reports), len(self._paths)))

    def on_what_if_screen_answered(self, event: Answered) -> None:
        if event.spec != self._wanted:
            return
        self._found = (event.spec, event.target)
        counts: dict[str, int] = {}
        for report in event.reports:
            word = status_mark(report.verdicts.deploy.status).text
            counts[word] = counts.get(word, 0) + 1
        done = len(event.reports)
        said = ", ".join(
            f"{word}" if event.total == 1 else f"{n} {word}" for word, n in counts.items()
        )
        progress = f" ({done:,} of {event.total:,})" if done < event.total else ""
        self.answer(f"{self._who} on {event.spec}: {said}{progress}")
        self.query_one("#detail", Plain).show(self._lines(event))

    def on_what_if_screen_refused(self, event: Refused) -> None:
        if event.spec == self._wanted:
            self.answer(event.text, "bad")

    def _lines(self, event: Answered) -> Iterator[Line]:
        for note in event.target.notes:
            yield Line(f"! {api.printable(note)}", "warn")
        here = api.printable(self.session.target.name) if self.session.target else ""
        if event.total > 1:
            yield from self._changes(event.reports, here)
        for report in event.reports[:_MODELS_IN_DETAIL]:
            yield from difference_lines(self.session.rows[report.model].report, report, here)
        more = len(event.reports) - _MODELS_IN_DETAIL
        if more > 0:
            yield Line(f"and {plural(more, 'model')} more", "dim")

    def _changes(self, reports: Sequence[ModelReport], here: str) -> Iterator[Line]:
        """How many verdicts change, and from what to what."""
        changes: Counter[str] = Counter()
        for after in reports:
            before = self.session.rows[after.model].report
            old = status_mark(before.verdicts.deploy.status).text if before else "... not checked"
            new = status_mark(after.verdicts.deploy.status).text
            changes[new if old == new else f"{old} -> {new}"] += 1
        yield Line(f"{here} -> there", "title")
        for change, count in changes.most_common():
            same = "" if " -> " in change else "as before: "
            yield Line(f"  {plural(count, 'model')} {same}{change}")

    def action_part(self, by: int) -> None:
        order = ("release", "soc", "host")
        here = next((n for n, name in enumerate(order) if self.query_one(f"#{name}").has_focus), 0)
        self.query_one(f"#{order[max(0, min(2, here + by))]}").focus()

    def action_use(self) -> None:
        if self._found is not None:
            self.assistant.use_target(*self._found)


def difference_lines(before: ModelReport | None, after: ModelReport, here: str) -> Iterator[Line]:
    """One model's verdict there, what is gone and what is new against the session's target."""
    mark = status_mark(after.verdicts.deploy.status)
    yield Line(f"{file_name(after.model)}: {mark.text}", mark.role)
    yield Line(f"  {api.printable(api.headline(after))}")
    if before is None:
        return
    old = {f.rule: f for f in before.findings if f.severity is not Severity.NOTE}
    new = {f.rule: f for f in after.findings if f.severity is not Severity.NOTE}
    for rule in [r for r in old if r not in new]:
        yield Line(f"  + gone: {rule} {api.printable(old[rule].title)}", "good")
    for rule in [r for r in new if r not in old]:
        symbol, role = SEVERITY_MARKS[new[rule].severity]
        yield Line(f"  {symbol} new: {rule} {api.printable(new[rule].message)}", role)
    for rule in [r for r in new if r in old]:
        yield Line(f"  = as on {here}: {rule} {api.printable(new[rule].title)}")
