"""The last row: keys that work now, as many as there is room for, each of them whole."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import ClassVar, NamedTuple

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.binding import Binding, BindingType
from textual.strip import Strip
from textual.widget import Widget
from textual.widgets import Input

_KEY_WORDS = {
    "question_mark": "?",
    "slash": "/",
    "left_square_bracket": "[",
    "right_square_bracket": "]",
    "enter": "Enter",
    "escape": "Esc",
    "space": "Space",
    "delete": "Delete",
    "left": "Left",
    "right": "Right",
    "down": "Down",
    "up": "Up",
    "f1": "F1",
    "ctrl": "Ctrl",
    "shift": "Shift",
}
_KEY = Style(bold=True, reverse=True)
_GAP = 2


class KeyWord(NamedTuple):
    """One key with what it does; `action` runs on the screen, or on the app for "app." ones."""

    key: str
    word: str
    action: str

    @property
    def width(self) -> int:
        return len(self.key) + 1 + len(self.word)


def key_word(key: str) -> str:
    """One key as people call it: Ctrl+S, Esc, ?."""
    *held, last = key.split("+")
    shown = _KEY_WORDS.get(last, last.upper() if held else last)
    return "+".join([*(_KEY_WORDS.get(part, part) for part in held), shown])


def key_words(keys: str) -> str:
    """All keys of a binding: "Enter or Space"."""
    return " or ".join(key_word(key) for key in keys.split(","))


def _works(key: str, typing: bool) -> bool:
    """Whether a key does what its binding says: in a text field a letter is only a letter."""
    return not typing or key.startswith(("ctrl+", "f1")) or key == "escape"


def words_of(bindings: Iterable[BindingType], typing: bool, owner: str = "") -> Iterator[KeyWord]:
    """The bindings that are to be shown, by the first key of each that works."""
    for binding in bindings:
        if not isinstance(binding, Binding) or not binding.show:
            continue
        key = next((k for k in binding.key.split(",") if _works(k, typing)), None)
        if key is not None:
            shown = binding.key_display if binding.key_display and not typing else key_word(key)
            action = binding.action
            yield KeyWord(shown, binding.description, action if "." in action else owner + action)


class Keys(Widget):
    """A click on a key does what the key does; all keys are on the help screen.

    `shared` are the bindings of every screen, help first; a screen may have taken their keys.
    """

    DEFAULT_CSS: ClassVar[str] = "Keys { height: 1; width: 100%; }"

    def __init__(self, shared: Sequence[BindingType]) -> None:
        super().__init__()
        self._shared = shared

    def words(self) -> list[KeyWord]:
        """What is shown: help, the keys of the screen, then those of the app, while they fit."""
        screen, app = self.screen, self.app
        typing = isinstance(screen.focused, Input)
        bindings = type(screen).BINDINGS
        taken = {b.key for b in bindings if isinstance(b, Binding)}
        free = [b for b in self._shared if not (isinstance(b, Binding) and b.key in taken)]
        own, shared = list(words_of(bindings, typing)), list(words_of(free, typing))
        everywhere = list(words_of(type(app).BINDINGS, typing, "app."))
        fitting, left = [], self.size.width
        for word in [*shared[:1], *own, *shared[1:], *everywhere]:
            if word.width <= left:
                fitting.append(word)
                left -= word.width + _GAP
        return fitting

    def render_line(self, y: int) -> Strip:
        base, segments = self.rich_style, []
        for word in self.words() if y == 0 else ():
            segments.append(Segment(word.key, base + _KEY))
            segments.append(Segment(f" {word.word}{' ' * _GAP}", base))
        return Strip(segments).adjust_cell_length(self.size.width, base)

    async def on_click(self, event: events.Click) -> None:
        start = 0
        for word in self.words():
            if start <= event.x < start + word.width:
                await self.screen.run_action(word.action)
                return
            start += word.width + _GAP
