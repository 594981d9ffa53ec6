"""Ways out, side by side, each with the result that the rules predict for it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import HorizontalScroll
from textual.message import Message
from textual.worker import get_current_worker

from preflight import api
from preflight.api import ModelFile, PlanOptions, Target, WaysOut
from preflight.errors import PreflightError
from preflight.tui.screens.dialogs import Field
from preflight.tui.screens.sources import ask_sources, open_fields
from preflight.tui.widgets.base import AssistantScreen
from preflight.tui.widgets.way_card import WayCard
from preflight.tui.words import (
    file_name,
    is_unready,
    plural,
    predicted_mark,
)


class Stopped(Exception):
    """The search for ways out was cancelled."""


class WaysScreen(AssistantScreen):
    """Searches in a thread; the cards appear when all ways are judged."""

    TITLE_WORD = "ways out"
    HELP_TEXT = (
        "Each column is one way from these models to a working pair, best first. Its steps were"
        " simulated: the changed facts went through the same rules, and 'remains' is what they"
        " still say. Cost is a weight to compare ways by: a rebuild weighs less than another"
        " release, another device most. Enter takes the marked way into a plan, which you can"
        " change before anything is done. '?' marks a step that lacks a file or a value: v says"
        " where source models lie, and gives values for options that nobody recorded."
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(
            "left", "choose(-1)", "Choose", key_display="Left Right", tooltip="The way to the left"
        ),
        Binding("right", "choose(1)", "Right", show=False, tooltip="The way to the right"),
        Binding("enter", "take", "Take", tooltip="Take this way: make it the plan"),
        Binding("v", "values", "Sources", tooltip="Source folder, and values for open questions"),
        Binding("down", "scroll(1)", "Read on", tooltip="Scroll this way"),
        Binding("up", "scroll(-1)", "Scroll up", show=False, tooltip="Scroll back"),
        Binding("escape", "back", "Back", tooltip="Back; stops a search that is running"),
    ]

    class Found(Message):
        def __init__(self, ways: WaysOut) -> None:
            super().__init__()
            self.ways = ways

    class Progress(Message):
        def __init__(self, text: str, role: str = "plain") -> None:
            super().__init__()
            self.text, self.role = text, role

    def __init__(self, paths: tuple[str, ...]) -> None:
        super().__init__()
        self._paths = paths
        self._values: dict[str, str] = {}  # by option of atc
        self.ways: WaysOut | None = None
        self.chosen = 0

    def compose_body(self) -> ComposeResult:
        yield HorizontalScroll(id="ways", can_focus=False)

    def on_mount(self) -> None:
        self.search()

    def search(self) -> None:
        """Look for ways, with what is known of sources and values."""
        target, folder = self.session.target, self.session.source_dir
        if target is None:
            return
        self.answer(f"looking for ways out for {self._who} ...")
        options = api.PlanOptions(
            spec=self.session.spec,
            source_dir=Path(folder) if folder else None,
            fills=dict(self._values),
        )
        run = partial(self._solve, target, options)
        self.run_worker(run, thread=True, group="solve", exclusive=True)

    @property
    def _who(self) -> str:
        if len(self._paths) == 1:
            return file_name(self._paths[0])
        return plural(len(self._paths), "model")

    def _solve(self, target: Target, options: PlanOptions) -> None:
        worker = get_current_worker()

        def tell(what: str) -> None:
            if worker.is_cancelled:
                raise Stopped
            self.post_message(self.Progress(f"looking at: {what} (Escape stops)"))

        try:
            models = list(self._readable(tell))
            found = api.solve(models, target, options, progress=tell)
        except Stopped:
            return
        except PreflightError as error:
            self.post_message(self.Progress(api.printable(error.message), "bad"))
            return
        self.post_message(self.Found(found))

    def _readable(self, tell: Callable[[str], None]) -> Iterator[ModelFile]:
        """The models; one of several that cannot be read is left out, as its verdict says."""
        for number, path in enumerate(self._paths, 1):
            tell(f"reading {file_name(path)}, {number:,} of {len(self._paths):,}")
            try:
                yield api.read_model(path)
            except PreflightError:
                if len(self._paths) == 1:
                    raise

    def on_ways_screen_progress(self, event: Progress) -> None:
        if event.role == "bad":
            self.answer(f"no ways out for {self._who}: {event.text}", "bad")
            self.tell("")
        else:
            self.tell(event.text, event.role)

    async def on_ways_screen_found(self, event: Found) -> None:
        self.ways = event.ways
        cards = [WayCard(n, c) for n, c in enumerate(event.ways.candidates)]
        place = self.query_one("#ways", HorizontalScroll)
        await place.remove_children()
        await place.mount_all(cards)
        self.answer(self._summary(event.ways))
        self.call_after_refresh(self.action_choose, 0)

    def on_resize(self) -> None:
        self.call_after_refresh(self.action_choose, 0)

    def _summary(self, ways: WaysOut) -> str:
        best = ways.best
        if best.reached and best.path.kind == "as_is":
            mark = predicted_mark(best.path.predicted)
            return f"{self._who} as it is: {mark.text}"
        good = sum(candidate.reached for candidate in ways.candidates)
        if not good:
            return f"{self._who}: no way leaves nothing behind; the nearest is first"
        title = api.printable(best.path.title)
        return f"{self._who}: {plural(good, 'way')} out; best: {title}"

    def action_choose(self, by: int) -> None:
        cards = list(self.query(WayCard))
        width = min((card.text_width for card in cards), default=0)
        if self.ways is not None and width > 0:
            self.chosen = max(0, min(len(cards) - 1, self.chosen + by))
            rows = max(card.title_rows(width) for card in cards)
            for number, card in enumerate(cards):
                card.show(number == self.chosen, width, rows)
            cards[self.chosen].scroll_visible(animate=False)
            waiting = sum(map(is_unready, self.ways.candidates[self.chosen].plan.steps))
            said = "v says where source models lie and gives values"
            self.tell(f"{plural(waiting, 'step')} of this way not ready: {said}" if waiting else "")

    def action_scroll(self, by: int) -> None:
        for card in list(self.query(WayCard))[self.chosen : self.chosen + 1]:
            card.scroll_relative(y=by, animate=False)

    def on_way_card_clicked(self, event: WayCard.Clicked) -> None:
        if event.number == self.chosen:
            self.action_take()
        else:
            self.action_choose(event.number - self.chosen)

    def action_take(self) -> None:
        if self.ways is None:
            return
        candidate = self.ways.candidates[self.chosen]
        self.assistant.take_way(self._paths, self.ways, candidate)

    def action_values(self) -> None:
        if self.ways is not None:
            ask_sources(self.assistant, self._who, self._asked(), self._values, self.search)

    def _asked(self) -> dict[str, Field]:
        """What is open in any of the ways; of several models no files, which each has its own."""
        candidates = self.ways.candidates if self.ways is not None else ()
        steps = [step for candidate in candidates for step in candidate.plan.steps]
        files = {need.option for step in steps for need in step.needs}
        own = files if len(self._paths) > 1 else set()
        fields = [field for step in steps for field in open_fields(step)]
        return {field.key: field for field in fields if field.key not in own}

    def action_back(self) -> None:
        self.workers.cancel_group(self, "solve")
        super().action_back()
