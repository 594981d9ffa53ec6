"""One way out as a column: its prediction stands in the same row as that of its neighbours."""

from __future__ import annotations

from textual import events
from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.message import Message

from preflight.api import Candidate
from preflight.tui.widgets.base import Plain
from preflight.tui.widgets.lines import folded
from preflight.tui.words import Line, way_lines


class WayCard(VerticalScroll, can_focus=False):
    """One way; a click chooses it, a second one takes it."""

    class Clicked(Message):
        def __init__(self, number: int) -> None:
            super().__init__()
            self.number = number

    def __init__(self, number: int, candidate: Candidate) -> None:
        super().__init__(classes="way")
        self._lines = list(way_lines(number + 1, candidate))
        self._number = number

    def compose(self) -> ComposeResult:
        yield Plain(classes="way-text")

    @property
    def text_width(self) -> int:
        """Cells in a row of text; 0 before there is a layout."""
        return self.scrollable_content_region.width

    def title_rows(self, width: int) -> int:
        return len(folded(f"> {self._lines[0].text}", width))

    def show(self, chosen: bool, width: int, title_rows: int) -> None:
        """Draw it as chosen or not, the prediction below a title of so many rows."""
        self.set_class(chosen, "chosen")
        title, *rest = self._lines
        head = folded(f"{'> ' if chosen else '  '}{title.text}", width)
        head += [""] * (title_rows - len(head))
        lines = [Line(row, title.role) for row in head]
        lines += [Line(row, line.role) for line in rest for row in folded(line.text, width)]
        self.query_one(Plain).show(lines)

    def on_click(self, _event: events.Click) -> None:
        self.post_message(self.Clicked(self._number))
