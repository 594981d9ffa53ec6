"""The app: which screen comes when, one session, and nothing lost on the way out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

from textual.app import App, SystemCommand
from textual.binding import Binding, BindingType
from textual.screen import Screen
from textual.theme import Theme

from preflight import api
from preflight.api import Candidate, Plan, Target, WaysOut
from preflight.errors import PreflightError
from preflight.tui.recovery import LeftPlan, Recovery, discard
from preflight.tui.screens.apply import ApplyScreen
from preflight.tui.screens.confirm import ConfirmScreen
from preflight.tui.screens.dialogs import ChoiceDialog
from preflight.tui.screens.findings import FindingsScreen
from preflight.tui.screens.help import HelpScreen
from preflight.tui.screens.models import ModelsScreen
from preflight.tui.screens.plan import PlanScreen
from preflight.tui.screens.target import TargetScreen
from preflight.tui.screens.ways import WaysScreen
from preflight.tui.screens.whatif import WhatIfScreen
from preflight.tui.session import Session
from preflight.tui.widgets.base import AssistantScreen
from preflight.tui.widgets.keys import key_words
from preflight.tui.words import Line, file_name, plural

# The terminal's own colours: legible on dark and on light, with 16 colours and with none.
_THEME = Theme(
    name="textual-ansi",  # the name by which old releases know that colours are not converted
    primary="ansi_default",
    secondary="ansi_default",
    warning="ansi_magenta",
    error="ansi_red",
    success="ansi_green",
    accent="ansi_default",
    foreground="ansi_default",
    background="ansi_default",
    surface="ansi_default",
    panel="ansi_default",
    boost="ansi_default",
    variables={"border": "ansi_default", "border-blurred": "ansi_default"},
)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What is left when the assistant has closed: where the plan is, and what it was about."""

    saved: str
    model: str
    spec: str


class AssistantApp(App[Outcome]):
    """`target` may be empty: then the first question is where the models should run."""

    CSS_PATH = "style.tcss"
    TITLE = "preflight"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("q,ctrl+q", "quit", "Quit", tooltip="Leave"),
        Binding("t", "target", "Target", tooltip="Choose where the models should run"),
        Binding("x", "what_if", "What if", tooltip="Other releases and SoCs, checked at once"),
        Binding("p", "plan", "Plan", tooltip="The plan of this session"),
        Binding("ctrl+p", "command_palette", "Commands", show=False, tooltip="All commands"),
    ]

    def __init__(
        self,
        session: Session,
        target: str = "",
        recovery: Recovery | None = None,
    ) -> None:
        super().__init__(ansi_color=True)
        self.session = session
        self._given_target = target
        self.recovery = recovery or Recovery()
        self.models = ModelsScreen()
        self.register_theme(_THEME)
        self.theme = _THEME.name

    def on_mount(self) -> None:
        self.push_screen(self.models)
        self.call_later(self._begin)

    def _begin(self) -> None:
        if self.session.plan is not None:
            self._go_on()
            return
        left = next(self.recovery.left_behind(), None)
        if self._given_target:
            self.run_worker(self._load_given, thread=True, group="target", exclusive=True)
        elif left is None:
            self.push_screen(TargetScreen())
        if left is not None:
            self._offer(left)

    def _load_given(self) -> None:
        try:
            target = api.load_target(self._given_target)
        except PreflightError as error:
            said = f"x {error.message}"
            self.call_from_thread(self.models.tell, api.printable(said), "bad")
            self.call_from_thread(self.push_screen, TargetScreen(self._given_target))
            return
        self.call_from_thread(self.start_with, self._given_target, target)

    def start_with(self, spec: str, target: Target) -> None:
        """The first target of the session: check everything."""
        self.session.set_target(spec, target)
        self.models.check()

    # -- a plan that an earlier session left behind

    def _offer(self, left: LeftPlan) -> None:
        plan = left.plan
        models = ", ".join(file_name(m.path) for m in plan.models[:3])
        lines = [
            Line("A plan was not saved when the last session ended", "title"),
            Line(f"{api.printable(plan.path.title)}, {plural(len(plan.steps), 'step')}: {models}"),
        ]
        choices = [
            ("resume", "go on with it"),
            ("later", "leave it where it is, ask again next time"),
            ("discard", "throw it away"),
        ]
        self.push_screen(ChoiceDialog(lines, choices), partial(self._answer_offer, left))

    def _answer_offer(self, left: LeftPlan, answer: str | None) -> None:
        if answer == "discard":
            discard(left)
        elif answer == "resume":
            self.resume(left)
            return
        if self.session.target is None and not self._given_target:
            self.push_screen(TargetScreen())

    def resume(self, left: LeftPlan) -> None:
        """Go on with a plan, its models and its target."""
        self.session.resume(left.plan)
        self.keep_plan(left)
        self._go_on()

    def open_plan(self, path: str, plan: Plan) -> None:
        """Go on with a saved plan, after a question when there is one that is not saved."""

        def go_on() -> None:
            self.recovery.clear()
            self._back_to_models()
            self.session.open_plan(path, plan)
            self._go_on()

        self._unless_unsaved(go_on, "open the other plan and lose it")

    def _go_on(self) -> None:
        plan = self.session.plan
        if plan is not None:
            self.models.list_rows()
            self._given_target = plan.target.spec
            self.run_worker(self._load_resumed, thread=True, group="target", exclusive=True)
            self.push_screen(PlanScreen())

    def _load_resumed(self) -> None:
        try:
            target = api.load_target(self._given_target)
        except PreflightError:
            return  # the plan screen says that nothing can be predicted
        self.call_from_thread(self._check_resumed, target)

    def _check_resumed(self, target: Target) -> None:
        self.session.spec, self.session.target = self._given_target, target
        self.models.check()

    # -- moves between screens

    def show_findings(self, paths: tuple[str, ...]) -> None:
        """Findings of some models, of all for none."""
        self.push_screen(FindingsScreen(paths))

    def show_ways(self, paths: tuple[str, ...]) -> None:
        """Look for ways out for these models; a plan that is not saved is asked about first."""
        if not paths:
            return
        if self.session.target is None:
            self.push_screen(TargetScreen())
            return
        self.push_screen(WaysScreen(paths))

    def take_way(self, paths: Sequence[str], ways: WaysOut, candidate: Candidate) -> None:
        """Make a way the plan, after a question when there is one that is not saved."""

        def take() -> None:
            self.session.take(paths, ways, candidate)
            self.keep_plan()
            self.push_screen(PlanScreen())

        self._unless_unsaved(take, "take the new way and lose it")

    def use_target(self, spec: str, target: Target) -> None:
        """Another target for the session, after a question when there is an unsaved plan."""

        def use() -> None:
            self.recovery.clear()
            self._back_to_models()
            self.start_with(spec, target)

        self._unless_unsaved(use, "change the target and lose it")

    def _back_to_models(self) -> None:
        while self.screen is not self.models:
            self.pop_screen()

    def show_confirm(self) -> None:
        """Save or apply."""
        if self.session.plan is not None:
            self._show_once(ConfirmScreen, ConfirmScreen)

    # -- the plan

    def change_plan(self, plan: Plan, step_id: str = "") -> None:
        """An edit: keep it, and show it where the plan is shown."""
        self.session.change(plan)
        self.keep_plan()
        for screen in self.screen_stack:
            if isinstance(screen, PlanScreen):
                screen.plan_changed(step_id)

    def keep_plan(self, replaces: LeftPlan | None = None) -> None:
        """Write the recovery file in a thread; the latest plan is what is written."""
        run = partial(self._keep, replaces)
        self.run_worker(run, thread=True, group="recovery", exit_on_error=False)

    def _keep(self, replaces: LeftPlan | None) -> None:
        plan = self.session.plan
        if plan is None or not self.session.unsaved:
            return
        try:
            self.recovery.keep(plan)
        except PreflightError as error:
            said = f"! no recovery file: {error.message}"
            self.call_from_thread(self._tell, api.printable(said))
            return
        if replaces is not None:
            discard(replaces)

    def _tell(self, text: str) -> None:
        if isinstance(self.screen, AssistantScreen):
            self.screen.tell(text, "warn")

    def save_plan(self, path: str) -> None:
        """Save the plan; nothing is left to recover. Raises UnreadableInput."""
        self.session.save(path)
        self.recovery.clear()

    def _unless_unsaved(self, go_on: partial[None] | object, words: str) -> None:
        assert callable(go_on)
        if not self.session.unsaved:
            go_on()
            return

        def answered(answer: str | None) -> None:
            if answer == "save":
                self.show_confirm()
            elif answer == "lose":
                self.session.give_up()
                self.recovery.clear()
                go_on()

        lines = [Line("The plan is not saved", "title"), Line("What should become of it?")]
        choices = [("save", "save it"), ("lose", words), ("stay", "stay here")]
        self.push_screen(ChoiceDialog(lines, choices), answered)

    # -- actions

    async def action_quit(self) -> None:
        if not self._is_applying():
            self._unless_unsaved(self._leave, "leave and lose it")

    def _is_applying(self) -> bool:
        """Whether a plan is being carried out; says so, because nothing may interrupt it."""
        running = any(isinstance(s, ApplyScreen) and s.running for s in self.screen_stack)
        if running:
            self._tell("c first: the plan is being carried out")
        return running

    def _leave(self) -> None:
        if not self.session.unsaved:
            self.recovery.clear()
        session = self.session
        paths = session.scope or tuple(session.rows)[:1]
        model = paths[0] if paths else ""
        self.exit(Outcome(session.saved_path, model, session.spec))

    def action_target(self) -> None:
        self._show_once(TargetScreen, TargetScreen)

    def action_what_if(self) -> None:
        paths = self.models.scope()
        if paths and self.session.target is not None:
            self._show_once(WhatIfScreen, lambda: WhatIfScreen(paths))
        else:
            self._tell(self.models.what_is_missing())

    def action_plan(self) -> None:
        if self.session.plan is None:
            self._tell("there is no plan yet: take a way out first (w)")
        else:
            self._show_once(PlanScreen, PlanScreen)

    def _show_once(self, kind: type[AssistantScreen], make: object) -> None:
        """Go back to a screen of that kind when there is one, else make it."""
        assert callable(make)
        if isinstance(self.screen, AssistantScreen) and not self._is_applying():
            if any(isinstance(screen, kind) for screen in self.screen_stack):
                while not isinstance(self.screen, kind):
                    self.pop_screen()
            else:
                self.push_screen(make())

    def action_help(self) -> None:
        screen = self.screen
        if isinstance(screen, AssistantScreen):
            own, here = type(screen).BINDINGS, type(screen)
            self.push_screen(HelpScreen(here.TITLE_WORD, here.HELP_TEXT, own, type(self).BINDINGS))

    def get_system_commands(self, screen: Screen[object]) -> Iterable[SystemCommand]:
        """The command palette: what the keys of the screen below and of the app do."""
        for owner in (screen, self):
            for binding in type(owner).BINDINGS:
                if isinstance(binding, Binding):
                    words = binding.tooltip or binding.description
                    run = partial(owner.run_action, binding.action)
                    yield SystemCommand(words, f"key {key_words(binding.key)}", run)
