"""Findings of one model or of all, grouped by rule."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll

from preflight import api
from preflight.findings import Finding, NotEvaluated, Severity
from preflight.tui.screens.waiving import ask_waiver
from preflight.tui.session import FindingGroup, group_findings
from preflight.tui.widgets.base import AssistantScreen, Plain
from preflight.tui.widgets.table import Column, LazyTable
from preflight.tui.words import (
    SEVERITY_MARKS,
    Line,
    file_name,
    finding_lines,
    plural,
    rule_lines,
    undecided_lines,
)

_MOST_ERRORS = 50
_COLUMNS = (
    Column("severity", 11),
    Column("rule", 6),
    Column("count", 6, right=True),
    Column("what is wrong"),
)


class FindingsScreen(AssistantScreen):
    """One row for each rule; below it one finding at a time, with what the rule means."""

    TITLE_WORD = "findings"
    HELP_TEXT = (
        "What was found, by rule, worst first; then what could not be decided and which fact is"
        " missing. Below: one finding with both sides of its evidence, what the loader itself"
        " would say, ways out, and what the rule means with its references."
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("right,n", "step(1)", "Next", tooltip="The next finding of this rule"),
        Binding("left,b", "step(-1)", "Before", tooltip="The finding before it"),
        Binding("enter,space", "read", "Read on", tooltip="Scroll through the explanation"),
        Binding("w", "ways", "Ways out", tooltip="Ways out for this model"),
        Binding("a", "accept", "Accept", tooltip="Accept (waive) this finding in the plan"),
    ]

    def __init__(self, paths: tuple[str, ...]) -> None:
        super().__init__()
        self._paths = paths
        self.groups: list[FindingGroup] = []
        self._place = 0
        self._rule_texts: dict[str, dict[str, Any]] = {}

    def compose_body(self) -> ComposeResult:
        yield LazyTable(_COLUMNS, id="rules")
        with VerticalScroll(id="reading"):
            yield Plain(id="detail")

    def on_mount(self) -> None:
        self.groups = group_findings(self.session.reports(self._paths))
        table = self.query_one(LazyTable)
        table.show(len(self.groups), self._cells)
        table.focus()
        self._say()

    def _say(self) -> None:
        found = sum(len(g.items) for g in self.groups if g.severity is not None)
        errors = sum(len(g.items) for g in self.groups if g.severity is Severity.ERROR)
        undecided = sum(len(g.items) for g in self.groups if g.severity is None)
        who = file_name(self._paths[0]) if len(self._paths) == 1 else "all models"
        said = f"{who}: {plural(found, 'finding')}, {plural(errors, 'error')}"
        unread = [r for r in self.session.reports(self._paths) if r.error is not None]
        if unread and len(self._paths) == 1:
            self.answer(api.printable(api.headline(unread[0])), "bad")
            return
        if unread:
            said += f"; {plural(len(unread), 'model')} could not be read"
        if undecided:
            said += f"; {plural(undecided, 'check')} could not be decided"
        self.answer(said, "bad" if errors else "title")

    def _cells(self, number: int) -> list[Line]:
        group = self.groups[number]
        if group.severity is None:
            first = Line("? undecided", "unsure")
        else:
            symbol, role = SEVERITY_MARKS[group.severity]
            first = Line(f"{symbol} {group.severity.value}", role)
        title = Line(api.printable(group.title))
        return [first, Line(group.rule), Line(f"{len(group.items):,}"), title]

    @property
    def current(self) -> tuple[str, Finding | NotEvaluated] | None:
        """The model and the finding that are shown."""
        row = self.query_one(LazyTable).row
        return self.groups[row].items[self._place] if row >= 0 else None

    def on_lazy_table_moved(self, _event: LazyTable.Moved) -> None:
        self._place = 0
        self._show_detail()

    def on_lazy_table_chosen(self, _event: LazyTable.Chosen) -> None:
        self.action_read()

    def _show_detail(self) -> None:
        self.query_one("#detail", Plain).show(self._detail())
        self.query_one("#reading", VerticalScroll).scroll_home(animate=False)

    def _detail(self) -> Iterator[Line]:
        current = self.current
        if current is None:
            unread = [r.error for r in self.session.reports(self._paths) if r.error is not None]
            for error in unread[:_MOST_ERRORS]:
                yield Line(f"? {api.printable(error.message)}", "unsure")
                if error.hint:
                    yield Line(f"  {api.printable(error.hint)}")
            if not unread:
                yield Line("nothing was found")
            return
        path, item = current
        group = self.groups[self.query_one(LazyTable).row]
        several = len(group.items) > 1
        if several or len(self._paths) != 1:
            place = f"{self._place + 1:,} of {len(group.items):,}: " if several else ""
            yield Line(f"{place}{api.printable(path)}", "dim")
        if isinstance(item, Finding):
            yield from finding_lines(item)
        else:
            yield from undecided_lines(item)
        yield Line("")
        yield from rule_lines(self._rule(item.rule))

    def _rule(self, rule: str) -> dict[str, Any]:
        if rule not in self._rule_texts:
            self._rule_texts[rule] = api.explain_rule(rule, self.session.rules)
        return self._rule_texts[rule]

    def action_step(self, by: int) -> None:
        row = self.query_one(LazyTable).row
        if row >= 0:
            self._place = max(0, min(len(self.groups[row].items) - 1, self._place + by))
            self._show_detail()

    def action_read(self) -> None:
        """A page further; from the end back to the beginning."""
        reading = self.query_one("#reading", VerticalScroll)
        if reading.scroll_offset.y >= reading.max_scroll_y:
            reading.scroll_home(animate=False)
        else:
            reading.scroll_page_down(animate=False)

    def action_ways(self) -> None:
        current = self.current
        paths = self._paths or ((current[0],) if current is not None else ())
        if paths:
            self.assistant.show_ways(paths)

    def action_accept(self) -> None:
        current = self.current
        if current is None or not isinstance(current[1], Finding):
            self.tell("only a finding can be accepted", "unsure")
        elif self.session.plan is None or current[0] not in self.session.scope:
            self.tell("take a way out for this model first (w): its plan holds what is accepted")
        else:
            ask_waiver(self.assistant, current[1])
