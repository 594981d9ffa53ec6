"""The assistant as plain questions and answers, for pipes and screen readers: no screen control.

Asks what the screens ask, in the same order: target, verdict, findings, ways out, which one, what
to accept, where to save. An empty answer takes the one in brackets.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from preflight import api
from preflight.errors import PreflightError, UsageError
from preflight.findings import Finding, Status
from preflight.tui.recovery import LeftPlan, Recovery, discard
from preflight.tui.session import Session, check_one, group_findings, today, waiver_of
from preflight.tui.words import (
    SEVERITY_MARKS,
    Line,
    file_name,
    finding_lines,
    models_answer,
    next_command,
    plan_headline,
    plural,
    report_lines,
    rule_lines,
    step_lines,
    target_lines,
    text_of,
    undecided_lines,
    way_lines,
)

if TYPE_CHECKING:
    from preflight.api import Plan


class InputEnded(UsageError):
    """There were fewer answers than questions."""


@dataclass(slots=True)
class Prompts:
    """One dialogue; `answers` is read line by line, `out` gets everything that is said."""

    session: Session
    answers: TextIO
    out: TextIO
    recovery: Recovery

    def run(self, target: str, plan_path: str = "plan.toml") -> Status:
        """Walk through all questions; returns the worst verdict of the models.

        Raises InputEnded when the answers end too early; a plan made so far stays recoverable.
        """
        if self.session.plan is not None:
            self._plan_questions(self.session.plan_path or plan_path)
            return Status(self._plan.path.predicted)
        left = self._left_behind()
        if left is not None:
            self.session.resume(left.plan)
            if self._keep(left.plan):
                discard(left)
            self._plan_questions(plan_path)
            return Status(left.plan.path.predicted)
        self._target(target)
        worst = self._verdicts()
        self._findings()
        if worst in (Status.OK, Status.OK_WITH_WARNINGS):
            self._say(next_command("", next(iter(self.session.rows)), self.session.spec))
            return worst
        if self._choose_way():
            self._plan_questions(plan_path)
        return worst

    # -- asking

    def _say(self, text: str = "") -> None:
        self.out.write(f"{api.printable(text)}\n")

    def _lines(self, lines: Sequence[Line] | Iterator[Line]) -> None:
        self.out.write(text_of(lines))

    def _ask(self, question: str, default: str = "") -> str:
        shown = f" [{default}]" if default else ""
        self.out.write(f"{api.printable(question)}{api.printable(shown)}: ")
        self.out.flush()
        answer = self.answers.readline()
        if not answer.endswith("\n") and not answer.strip():
            self.out.write("\n")
            raise InputEnded(
                f"the input ended at the question: {question}",
                hint="answer it, or leave out --no-tui at a terminal",
            )
        if not self.answers.isatty():
            self._say(answer.strip() or default)
        return answer.strip() or default

    def _ask_number(self, question: str, most: int, default: str) -> int:
        """0 to `most`; asks again until it is one."""
        while True:
            answer = self._ask(question, default)
            if answer.isascii() and answer.isdigit() and int(answer) <= most:
                return int(answer)
            self._say(f"x {answer!r} is not a number from 0 to {most}")

    def _until_accepted(self, step: Callable[[], None]) -> None:
        """Ask again until the answers are accepted."""
        while True:
            try:
                step()
                return
            except InputEnded:
                raise
            except PreflightError as error:
                self._say(f"x {error.message}" + (f". {error.hint}" if error.hint else ""))

    # -- the questions

    def _left_behind(self) -> LeftPlan | None:
        left = next(self.recovery.left_behind(), None)
        if left is None:
            return None
        models = ", ".join(file_name(m.path) for m in left.plan.models)
        self._say(f"A plan was not saved when the last session ended: {left.plan.path.title}")
        self._say(f"models: {models}")
        answer = self._ask("go on with it? yes, later or discard", "later")
        if answer == "discard":
            discard(left)
        return left if answer in ("y", "yes") else None

    def _target(self, spec: str) -> None:
        def find() -> None:
            wanted = spec or self._ask(
                "target (release/SoC/host, a snapshot file, a folder, or installed)"
            )
            self.session.set_target(wanted, api.load_target(wanted))

        if spec:
            find()
        else:
            self._until_accepted(find)
        target = self.session.target
        if target is not None:
            self._say("target")
            self._lines(target_lines(target))

    def _verdicts(self) -> Status:
        session, target = self.session, self.session.target
        if target is None or not session.rows:
            raise UsageError(
                "there is no model to ask about", hint="preflight tui --no-tui MODEL.om"
            )
        for path in session.rows:
            session.record(path, check_one(path, target, session.rules))
        self._say()
        self._lines([models_answer(session)])
        for row in session.rows.values():
            if row.report is not None and len(session.rows) > 1:
                self._say(f"model {row.name}")
                self._lines(report_lines(row.report))
        order = (Status.OK, Status.OK_WITH_WARNINGS, Status.UNKNOWN, Status.BLOCKED)
        return max((s for s, n in session.tally.items() if n), key=order.index)

    def _findings(self) -> None:
        groups = group_findings(self.session.reports())
        self._say()
        self._say(f"{plural(len(groups), 'rule')} with something to say")
        for number, group in enumerate(groups, 1):
            mark = "? undecided"
            if group.severity is not None:
                mark = f"{SEVERITY_MARKS[group.severity][0]} {group.severity.value}"
            self._say(f"{number}. {mark} {group.rule} {group.title} ({len(group.items)})")
        while groups:
            number = self._ask_number("explain which? 0 goes on", len(groups), "0")
            if not number:
                return
            group = groups[number - 1]
            for path, item in group.items:
                self._say(f"model {path}")
                if isinstance(item, Finding):
                    self._lines(finding_lines(item))
                else:
                    self._lines(undecided_lines(item))
            self._lines(rule_lines(api.explain_rule(group.rule, self.session.rules)))

    def _choose_way(self) -> bool:
        session, target = self.session, self.session.target
        readable = [r.model for r in session.reports() if r.error is None]
        if target is None or not readable:
            self._say("no way out: no model could be read")
            return False
        models = [api.read_model(path) for path in readable]
        ways = api.solve(models, target, api.PlanOptions(spec=session.spec))
        self._say()
        self._say(f"{plural(len(ways.candidates), 'way')}, best first")
        for number, candidate in enumerate(ways.candidates, 1):
            self._lines(way_lines(number, candidate))
        chosen = self._ask_number("take which? 0 leaves", len(ways.candidates), "1")
        if not chosen:
            return False
        taken = ways.candidates[chosen - 1]
        session.take(readable, ways, taken)
        self._keep(taken.plan)
        return True

    def _plan_questions(self, plan_path: str) -> None:
        self._show_plan()
        self._answer_open_questions()
        self._accept_findings()
        self._until_accepted(partial(self._save, plan_path))

    def _save(self, plan_path: str) -> None:
        path = self._ask("save the plan as (- to leave without saving)", plan_path)
        if path == "-":
            self.recovery.clear()
            return
        there = path != self.session.plan_path and Path(path).exists()
        if there and self._ask(f"{path} is there; replace it?", "no") != "yes":
            raise UsageError(f"{path} is left as it is")
        self.session.save(path)
        self.recovery.clear()
        self._say(f"+ saved as {path}")
        self._say(f"next: {next_command(path, '', '')}")

    def _keep(self, plan: Plan) -> bool:
        """Write the recovery file; that it cannot be written is no reason to stop."""
        try:
            self.recovery.keep(plan)
        except PreflightError as error:
            self._say(f"! no recovery file: {error.message}")
            return False
        return True

    def _show_plan(self) -> None:
        plan = self._plan
        self._say()
        self._lines([plan_headline(plan)])
        for number, step in enumerate(plan.steps, 1):
            self._say(f"step {number} of {len(plan.steps)}")
            self._lines(step_lines(step))

    def _answer_open_questions(self) -> None:
        for step in self._plan.steps:
            asked = {q.option: q.what for q in step.open_questions}
            asked |= {n.option: n.what for n in step.needs if n.place != "found"}
            for option, what in asked.items():
                answer = self._ask(f"step {step.id}: --{option}: {what}", "leave open")
                if answer != "leave open":
                    self._change(api.answer_question(self._plan, step.id, option, answer))

    def _accept_findings(self) -> None:
        try:
            simulation = self.session.simulation_of(self._plan)
        except PreflightError as error:
            self._say(f"? what the plan leads to cannot be said: {error.message}")
            return
        left = api.judge(simulation, self._plan).outcome.left
        for finding in left:
            self._lines([Line(f"remains: {finding.rule} {api.printable(finding.message)}")])
            if self._ask("accept it (waive)?", "no") in ("y", "yes"):
                self._until_accepted(partial(self._accept, finding))
        judged = api.judge(simulation, self._plan)
        self._change(judged.plan)
        self._lines([plan_headline(judged.plan)])

    def _accept(self, finding: Finding) -> None:
        reason = self._ask("reason")
        expires = self._ask("look at it again on (year-month-day)")
        waiver = waiver_of(finding, reason, expires)
        title = f"Accept: {finding.title}"
        self._change(api.waive_in_plan(self._plan, waiver, today(), title))

    @property
    def _plan(self) -> Plan:
        plan = self.session.plan
        if plan is None:
            raise UsageError("there is no plan")
        return plan

    def _change(self, plan: Plan) -> None:
        self.session.change(plan)
        self._keep(plan)
