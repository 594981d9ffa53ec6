"""A table that asks for and draws only the rows that are seen, so that its size does not matter."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import ClassVar

from msgspec import Struct
from rich.cells import cell_len, set_cell_size
from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.binding import Binding, BindingType
from textual.geometry import Size
from textual.message import Message
from textual.reactive import reactive
from textual.scroll_view import ScrollView
from textual.strip import Strip

from preflight.tui.widgets.lines import ROLE_STYLES
from preflight.tui.words import Line


class Column(Struct, frozen=True):
    """`width` in cells; one column of a table may have 0 and takes what is left."""

    title: str
    width: int = 0
    right: bool = False


Cells = Callable[[int], Sequence[Line]]

_MARK = "> "
_NO_MARK = "  "
_REVERSE = Style(reverse=True)
_HEADER = Style(bold=True, underline=True)


class LazyTable(ScrollView, can_focus=True):
    """Rows are numbers from 0; `cells(row)` gives the texts of one when it is drawn.

    `drawn` counts the rows that were drawn since the table was made.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "move(-1)", "Up", show=False),
        Binding("down,j", "move(1)", "Down", show=False),
        Binding("pageup", "page(-1)", "Page up", show=False),
        Binding("pagedown", "page(1)", "Page down", show=False),
        Binding("home", "go(0)", "First", show=False),
        Binding("end", "go(-1)", "Last", show=False),
        Binding("enter", "choose", "Choose", show=False),
    ]

    cursor: reactive[int] = reactive(0)

    class Moved(Message):
        """The cursor is on another row (-1: the table is empty)."""

        def __init__(self, table: LazyTable, row: int) -> None:
            super().__init__()
            self.table, self.row = table, row

        @property
        def control(self) -> LazyTable:
            return self.table

    class Chosen(Moved):
        """Enter or a click on the row under the cursor."""

    class HeaderClicked(Moved):
        """`row` is the number of the column."""

    def __init__(self, columns: Iterable[Column], *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.columns = tuple(columns)
        self.row_count = 0
        self.drawn = 0
        self._cells: Cells = lambda _row: ()

    def show(self, count: int, cells: Cells, cursor: int = 0) -> None:
        """Other rows; the cursor goes to a row, or to the nearest there is."""
        self.row_count, self._cells = count, cells
        self._fit()
        self.set_reactive(LazyTable.cursor, max(0, min(cursor, count - 1)))
        self._scroll_to_cursor()
        self.refresh()
        self.post_message(self.Moved(self, self.row))

    @property
    def row(self) -> int:
        """The row under the cursor, -1 when there is none."""
        return self.cursor if self.row_count else -1

    def render_line(self, y: int) -> Strip:
        width = self.size.width
        if y == 0 and self._has_header:
            cells = [Line(column.title, "title") for column in self.columns]
            return self._strip(cells, _NO_MARK, _HEADER, width)
        row = y - self._header_height + self.scroll_offset.y
        if row >= self.row_count:
            return Strip.blank(width, self.rich_style)
        self.drawn += 1
        here = row == self.cursor
        style = _REVERSE if here and self.has_focus else Style(bold=here or None)
        return self._strip(self._cells(row), _MARK if here else _NO_MARK, style, width)

    def _strip(self, cells: Sequence[Line], mark: str, style: Style, width: int) -> Strip:
        base = self.rich_style
        segments = [Segment(mark, base + style)]
        for column, size, cell in zip(self.columns, self._widths(width), cells, strict=False):
            text = _fitted(cell.text, size, column.right)
            segments.append(Segment(text + " ", base + ROLE_STYLES[cell.role] + style))
        return Strip(segments).adjust_cell_length(width, base + style)

    def _widths(self, width: int) -> list[int]:
        """Widths of the columns; the one without a width takes what is left, 8 at least."""
        fixed = sum(column.width + 1 for column in self.columns)
        rest = max(8, width - len(_MARK) - fixed)
        return [column.width or rest for column in self.columns]

    @property
    def _has_header(self) -> bool:
        return any(column.title for column in self.columns)

    @property
    def _header_height(self) -> int:
        return 1 if self._has_header else 0

    def _fit(self) -> None:
        self.virtual_size = Size(
            self.scrollable_content_region.width, self.row_count + self._header_height
        )

    def _scroll_to_cursor(self) -> None:
        visible = max(1, self.size.height - self._header_height)
        top = self.scroll_offset.y
        if self.cursor < top:
            self.scroll_to(y=self.cursor, animate=False)
        elif self.cursor >= top + visible:
            self.scroll_to(y=self.cursor - visible + 1, animate=False)

    def on_resize(self, _event: events.Resize) -> None:
        self._fit()
        self._scroll_to_cursor()
        self.refresh()

    def watch_cursor(self) -> None:
        self._scroll_to_cursor()
        self.refresh()
        self.post_message(self.Moved(self, self.row))

    def on_focus(self) -> None:
        self.refresh()

    def on_blur(self) -> None:
        self.refresh()

    def action_move(self, by: int) -> None:
        self.cursor = max(0, min(self.row_count - 1, self.cursor + by))

    def action_page(self, pages: int) -> None:
        self.action_move(pages * max(1, self.size.height - self._header_height - 1))

    def action_go(self, row: int) -> None:
        self.cursor = max(0, row if row >= 0 else self.row_count - 1)

    def action_choose(self) -> None:
        if self.row_count:
            self.post_message(self.Chosen(self, self.row))

    def on_click(self, event: events.Click) -> None:
        offset = event.get_content_offset(self)
        if offset is None:
            return
        if offset.y < self._header_height:
            self.post_message(self.HeaderClicked(self, self._column_at(offset.x)))
            return
        row = offset.y - self._header_height + self.scroll_offset.y
        if row >= self.row_count:
            return
        if row == self.cursor:
            self.action_choose()
        else:
            self.cursor = row

    def _column_at(self, x: int) -> int:
        end = len(_MARK)
        for number, size in enumerate(self._widths(self.size.width)):
            end += size + 1
            if x < end:
                return number
        return len(self.columns) - 1


def _fitted(text: str, width: int, right: bool) -> str:
    """Exactly `width` cells: cut with a mark at the end, or filled with spaces."""
    length = cell_len(text)
    if length > width:
        return set_cell_size(text, max(0, width - 1)) + "…" if width else ""
    return " " * (width - length) + text if right else text + " " * (width - length)
