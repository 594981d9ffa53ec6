"""Ways out, side by side, each with the result that the rules predict for it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import HorizontalScroll, VerticalScroll
from textual.message import Message
from textual.worker import get_current_worker

from preflight import api
from preflight.api import ModelFile, Target, WaysOut
from preflight.errors import PreflightError
from preflight.tui.widgets.base import AssistantScreen, Plain
from preflight.tui.words import Line, file_name, plural, predicted_mark, way_lines


class Stopped(Exception):
    """The search for ways out was cancelled."""


class WayCard(VerticalScroll, can_focus=False):
    """One way; a click chooses it, a second one takes it."""

    class Clicked(Message):
        def __init__(self, number: int) -> None:
            super().__init__()
            self.number = number

    def __init__(self, number: int, candidate: api.Candidate) -> None:
        super().__init__(classes="way")
        self._number, self._candidate = number, candidate

    def compose(self) -> ComposeResult:
        yield Plain(classes="way-text")

    def on_mount(self) -> None:
        self.show(False)

    def show(self, chosen: bool) -> None:
        """Draw it as chosen or not."""
        self.set_class(chosen, "chosen")
        lines = list(way_lines(self._number + 1, self._candidate))
        mark = "> " if chosen else "  "
        lines[0] = Line(mark + lines[0].text, "title")
        self.query_one(Plain).show(lines)

    def on_click(self, _event: events.Click) -> None:
        self.post_message(self.Clicked(self._number))


class WaysScreen(AssistantScreen):
    """Searches in a thread; the cards appear when all ways are judged."""

    TITLE_WORD = "ways out"
    HELP_TEXT = (
        "Each column is one way from these models to a working pair, best first. Its steps were"
        " simulated: the changed facts went through the same rules, and 'remains' is what they"
        " still say. Enter takes the marked way into a plan, which you can change before anything"
        " is done."
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left", "choose(-1)", "Left", tooltip="The way to the left"),
        Binding("right", "choose(1)", "Right", tooltip="The way to the right"),
        Binding("enter", "take", "Take", tooltip="Take this way: make it the plan"),
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
        self.ways: WaysOut | None = None
        self.chosen = 0

    def compose_body(self) -> ComposeResult:
        yield HorizontalScroll(id="ways", can_focus=False)

    def on_mount(self) -> None:
        target = self.session.target
        if target is None:
            return
        self.answer(f"looking for ways out for {self._who} ...")
        run = partial(self._solve, target, self.session.spec)
        self.run_worker(run, thread=True, group="solve", exclusive=True)

    @property
    def _who(self) -> str:
        if len(self._paths) == 1:
            return file_name(self._paths[0])
        return plural(len(self._paths), "model")

    def _solve(self, target: Target, spec: str) -> None:
        worker = get_current_worker()

        def tell(what: str) -> None:
            if worker.is_cancelled:
                raise Stopped
            self.post_message(self.Progress(f"looking at: {what} (Escape stops)"))

        try:
            models = list(self._readable(tell))
            found = api.solve(models, target, api.PlanOptions(spec=spec), progress=tell)
        except Stopped:
            return
        except PreflightError as error:
            self.post_message(self.Progress(api.printable(error.message), "bad"))
            return
        self.post_message(self.Found(found))

    def _readable(self, tell: Callable[[str], None]) -> Iterator[ModelFile]:
        """The models; one of several that cannot be read is left out, as its verdict says."""
        for path in self._paths:
            tell(f"reading {file_name(path)}")
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
        await self.query_one("#ways", HorizontalScroll).mount_all(cards)
        self.answer(self._summary(event.ways))
        self.tell("")
        self.action_choose(0)

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
        if cards:
            self.chosen = max(0, min(len(cards) - 1, self.chosen + by))
            for number, card in enumerate(cards):
                card.show(number == self.chosen)
            cards[self.chosen].scroll_visible(animate=False)

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

    def action_back(self) -> None:
        self.workers.cancel_group(self, "solve")
        super().action_back()
