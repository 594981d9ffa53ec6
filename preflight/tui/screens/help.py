"""Help for the screen below it: what it is for, and every key."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.screen import ModalScreen

from preflight.tui.widgets.base import Plain
from preflight.tui.widgets.keys import key_words
from preflight.tui.words import Line

_MARKS = (
    Line("marks", "title"),
    Line("+ ok   ! ok, with warnings   x blocked   ? unknown: a fact is missing"),
    Line("a mouse works, too: click a row to go there, again to open it, a heading to sort"),
)


def key_lines(bindings: Iterable[BindingType]) -> Iterator[Line]:
    """One line for each key."""
    for binding in bindings:
        if isinstance(binding, Binding):
            said = binding.tooltip or binding.description
            yield Line(f"  {key_words(binding.key):<22} {said}")


class HelpScreen(ModalScreen[None]):
    """Escape, ? or F1 closes it."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,question_mark,f1,q", "dismiss(None)", "Close")
    ]

    def __init__(
        self, title: str, text: str, own: Sequence[BindingType], everywhere: Sequence[BindingType]
    ) -> None:
        super().__init__()
        self._title, self._text = title, text
        self._own, self._everywhere = own, everywhere

    def compose(self) -> ComposeResult:
        with VerticalScroll(classes="dialog tall"):
            yield Plain(id="help")

    def on_mount(self) -> None:
        self.query_one("#help", Plain).show(self._lines())
        self.query_one(VerticalScroll).focus()

    def _lines(self) -> Iterator[Line]:
        yield Line(f"Help: {self._title}", "title")
        yield Line(self._text)
        yield Line("")
        yield Line("keys here", "title")
        yield from key_lines(self._own)
        yield Line("")
        yield Line("keys everywhere", "title")
        yield from key_lines(self._everywhere)
        yield Line(f"  {'up, down, Page, Home':<22} Move in a list; Tab goes to the next part")
        yield Line("")
        yield from _MARKS
