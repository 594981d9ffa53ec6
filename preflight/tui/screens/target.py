"""Where should the models run? Installed, a snapshot file, or a name from the catalogue."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.message import Message
from textual.widgets import Input

from preflight import api
from preflight.api import Target
from preflight.errors import PreflightError
from preflight.tui.widgets.base import AssistantScreen, Plain
from preflight.tui.widgets.catalogue import Catalogue
from preflight.tui.widgets.paths import PathSuggester
from preflight.tui.words import Line, target_lines


class TargetScreen(AssistantScreen):
    """Names are looked up in a thread while one types; the answer explains what they mean."""

    TITLE_WORD = "target"
    HELP_TEXT = (
        "Pick release, SoC and host from the lists, or write a name: 8.1.RC1/Ascend910B3/"
        "linux-aarch64, the path of a snapshot file (from 'preflight target capture' on the real"
        " host), a folder with an installed CANN, or 'installed' for this machine; '@SoC' behind"
        " the last two says which device. Names that are easily mistaken are explained below."
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(
            "ctrl+s,enter",
            "use",
            "Use it",
            key_display="Enter",
            tooltip="Use the target that is described below",
        ),
        Binding("ctrl+n", "installed", "This machine", tooltip="What is installed on this machine"),
    ]

    class Looked(Message):
        def __init__(self, spec: str, target: Target | None, lines: Sequence[Line]) -> None:
            super().__init__()
            self.spec, self.target, self.lines = spec, target, lines

    def __init__(self, refused: str = "") -> None:
        super().__init__()
        self._refused = refused
        self._wanted = ""  # what is looked up; answers about something else are late
        self._found: tuple[str, Target] | None = None
        self._use_when_found = False

    def compose_body(self) -> ComposeResult:
        spec = self._refused or self.session.spec
        yield Input(spec, id="spec", suggester=PathSuggester())
        yield Catalogue(spec, self.session.target, id="catalogue")
        with VerticalScroll(id="reading"):
            yield Plain(id="detail")

    def on_mount(self) -> None:
        self.answer("Where should the models run?")
        self.tell("Lists, or the field above (Shift+Tab): a snapshot file, a folder, installed")
        spec = self._refused or self.session.spec
        listed = spec in ("", self.query_one(Catalogue).spec)  # else Enter would take another one
        self.query_one("#release" if listed else "#spec").focus()
        if spec:
            self.look_up(spec)
        else:
            self.call_after_refresh(self._suggest)

    def _suggest(self) -> None:
        """What the lists say at the beginning, so that a single key takes it."""
        if not self._wanted:
            self._set(self.query_one(Catalogue).spec)

    def on_catalogue_picked(self, event: Catalogue.Picked) -> None:
        self._use_when_found = event.final
        self._set(event.spec)

    def _set(self, spec: str) -> None:
        box = self.query_one("#spec", Input)
        with box.prevent(Input.Changed):
            box.value = spec
        self.look_up(spec)

    def on_input_changed(self, event: Input.Changed) -> None:
        self.look_up(event.value.strip())

    def on_input_submitted(self, _event: Input.Submitted) -> None:
        self.action_use()

    def look_up(self, spec: str) -> None:
        """Find a target in a thread; the latest question wins."""
        self._wanted = spec
        if not spec:
            self._found = None
            self.query_one("#detail", Plain).show(())
            return
        self.run_worker(partial(self._look, spec), thread=True, group="target", exclusive=True)

    def _look(self, spec: str) -> None:
        try:
            target = api.load_target(spec)
        except PreflightError as error:
            lines = [Line(f"x {api.printable(error.message)}", "bad")]
            if error.hint:
                lines.append(Line(api.printable(error.hint)))
            self.post_message(self.Looked(spec, None, lines))
            return
        self.post_message(self.Looked(spec, target, list(target_lines(target))))

    def on_target_screen_looked(self, event: Looked) -> None:
        if event.spec != self._wanted:
            return
        self.query_one("#detail", Plain).show(event.lines)
        self._found = (event.spec, event.target) if event.target is not None else None
        if event.target is None:
            self._use_when_found = False
            said = f"{api.printable(event.spec)} is no target; where should the models run?"
            self.answer(said, "bad")
        else:
            name = api.printable(event.target.name)
            self.answer(f"Where should the models run? Enter: on {name}")
        if self._use_when_found:
            self.action_use()

    def action_use(self) -> None:
        if self._found is None or self._found[0] != self._wanted:
            self._use_when_found = bool(self._wanted)
            if self._wanted:
                self.look_up(self._wanted)
            return
        self._use_when_found = False
        self.assistant.use_target(*self._found)

    def action_installed(self) -> None:
        box = self.query_one("#spec", Input)
        box.value = "installed"
        box.focus()
