"""Questions in a box: one of several choices, or a form of text fields."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Button, Input

from preflight import api
from preflight.errors import PreflightError
from preflight.tui.widgets.base import Plain
from preflight.tui.widgets.paths import PathSuggester
from preflight.tui.widgets.table import Column, LazyTable
from preflight.tui.words import Line

_MOST_CHOICES_SEEN = 10
_FRAME_ROWS = 6  # border, space around the choices, and the row of keys


class ChoiceDialog(ModalScreen[str | None]):
    """Answers the key of a choice, None for Escape. `choices` are (key, words)."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "dismiss(None)", "Back")]

    def __init__(
        self, lines: Sequence[Line], choices: Sequence[tuple[str, str]], chosen: int = 0
    ) -> None:
        super().__init__()
        self._lines, self._choices, self._chosen = lines, choices, chosen

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog"):
            with VerticalScroll(id="asked"):
                yield Plain(id="question")
            yield LazyTable([Column("")], id="choices")
            keys = "arrows choose, Enter answers, Escape goes back; Tab to read on above"
            yield Plain(keys, classes="keys")

    def on_mount(self) -> None:
        self.query_one("#question", Plain).show(self._lines)
        table = self.query_one(LazyTable)
        rows = min(len(self._choices), _MOST_CHOICES_SEEN)
        table.styles.height = rows
        table.show(len(self._choices), lambda row: (Line(self._choices[row][1]),), self._chosen)
        table.focus()

    def on_resize(self) -> None:
        rows = min(len(self._choices), _MOST_CHOICES_SEEN)
        asked = self.query_one("#asked", VerticalScroll)
        asked.styles.max_height = max(3, self.app.size.height - rows - _FRAME_ROWS)

    def on_lazy_table_chosen(self, event: LazyTable.Chosen) -> None:
        self.dismiss(self._choices[event.row][0])


@dataclass(frozen=True, slots=True)
class Field:
    """One text field of a form; one for a path completes it."""

    key: str
    label: str
    value: str = ""
    is_path: bool = False


class FormDialog(ModalScreen[bool]):
    """Asks for texts and hands them to `accept`; what that refuses is shown and asked again.

    Answers True when the values were accepted.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "dismiss(False)", "Back"),
        Binding("ctrl+s", "accept", "Accept"),
    ]

    def __init__(
        self,
        lines: Sequence[Line],
        fields: Sequence[Field],
        accept: Callable[[Mapping[str, str]], None],
    ) -> None:
        super().__init__()
        self._lines, self._fields, self._accept = lines, fields, accept

    def compose(self) -> ComposeResult:
        with VerticalScroll(classes="dialog"):
            yield Plain(id="question")
            yield Plain(id="refused")
            for number, field in enumerate(self._fields):
                yield Plain(field.label, classes="label")
                suggester = PathSuggester() if field.is_path else None
                yield Input(field.value, id=f"field-{number}", suggester=suggester)
            with Horizontal(classes="buttons"):
                yield Button("Accept", id="accept")
                yield Button("Cancel", id="cancel")
            completes = "Right completes a path, " if any(f.is_path for f in self._fields) else ""
            keys = f"{completes}Tab goes to the next, Ctrl+S accepts, Escape goes back"
            yield Plain(keys, classes="keys")

    def on_mount(self) -> None:
        self.query_one("#question", Plain).show(self._lines)
        self.query_one("#refused").display = False
        self.query(Input).first().focus()

    def field(self, key: str) -> Input:
        """The box of a field. Ids are numbers: a key may be an option name out of a model."""
        number = next(n for n, field in enumerate(self._fields) if field.key == key)
        return self.query_one(f"#field-{number}", Input)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        if event.input is self.query(Input).last():
            self.action_accept()
        else:
            self.focus_next()

    def on_button_pressed(self, event: Button.Pressed) -> None:
        if event.button.id == "accept":
            self.action_accept()
        else:
            self.dismiss(False)

    def action_accept(self) -> None:
        values = {f.key: self.field(f.key).value for f in self._fields}
        try:
            self._accept(values)
        except PreflightError as error:
            said = f"{error.message}. {error.hint}" if error.hint else error.message
            refused = self.query_one("#refused", Plain)
            refused.display = True
            refused.show([Line(f"x {api.printable(said)}", "bad")])
            self.query_one(VerticalScroll).scroll_home(animate=False)
            return
        self.dismiss(True)
