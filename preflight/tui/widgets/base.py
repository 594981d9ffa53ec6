"""What every screen shares: the answer on the first line, a line for messages, keys, help."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, cast

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import Screen
from textual.widgets import Static

from preflight.tui.widgets.keys import Keys
from preflight.tui.widgets.lines import ROLE_STYLES, text_of_lines
from preflight.tui.words import Line

if TYPE_CHECKING:
    from collections.abc import Iterable

    from preflight.tui.app import AssistantApp
    from preflight.tui.session import Session

WIDE = 120  # columns from which details stand beside a list instead of below it


class Plain(Static):
    """Text that is shown as it is: no markup, and roles instead of styles.

    `shown` is the text on the screen.
    """

    def __init__(
        self, text: str = "", *, id: str | None = None, classes: str | None = None
    ) -> None:
        self.shown = Text(text)
        super().__init__(self.shown, id=id, classes=classes, markup=False)

    def show(self, lines: Iterable[Line]) -> None:
        """Other lines."""
        self.put(text_of_lines(lines))

    def put(self, text: Text) -> None:
        """Another text."""
        self.shown = text
        self.update(text)


class AssistantScreen(Screen[None]):
    """`TITLE_WORD` names the screen, `HELP_TEXT` is what ? shows above the keys.

    Subclasses give the middle in `compose_body` and call `answer` when it changes.
    """

    TITLE_WORD: ClassVar[str] = ""
    HELP_TEXT: ClassVar[str] = ""
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("question_mark,f1", "app.help", "Help", key_display="?", tooltip="This help"),
        Binding("escape", "back", "Back"),
    ]

    def compose(self) -> ComposeResult:
        yield Plain(id="answer")
        with Vertical(id="body"):
            yield from self.compose_body()
        yield Plain(id="message")
        yield Keys(AssistantScreen.BINDINGS)

    def compose_body(self) -> ComposeResult:
        """The widgets between the answer and the messages."""
        return iter(())

    @property
    def assistant(self) -> AssistantApp:
        """The app, by its own type."""
        return cast("AssistantApp", self.app)

    @property
    def session(self) -> Session:
        return self.assistant.session

    def answer(self, text: str, role: str = "title") -> None:
        """The first line: what this screen says in one sentence."""
        style = ROLE_STYLES[role] + ROLE_STYLES["title"]
        self.query_one("#answer", Plain).put(Text(text, style))

    def tell(self, text: str, role: str = "plain") -> None:
        """A message above the keys, until the next one."""
        self.query_one("#message", Plain).put(Text(text, ROLE_STYLES[role]))

    def on_descendant_focus(self) -> None:
        self.query_one(Keys).refresh()  # other keys work in a text field

    def on_resize(self) -> None:
        self.set_class(self.size.width >= WIDE, "wide")

    def action_back(self) -> None:
        if len(self.app.screen_stack) > 2:
            self.app.pop_screen()
