"""Asks why a finding is accepted and until when, and puts that into the plan."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from preflight import api
from preflight.errors import UsageError
from preflight.tui.screens.dialogs import Field, FormDialog
from preflight.tui.session import today, waiver_of
from preflight.tui.words import Line

if TYPE_CHECKING:
    from preflight.findings import Finding
    from preflight.tui.app import AssistantApp


def ask_waiver(app: AssistantApp, finding: Finding) -> None:
    """A form with reason and date; the plan changes when both are good."""

    def accept(values: Mapping[str, str]) -> None:
        plan = app.session.plan
        if plan is None:
            raise UsageError("there is no plan")
        waiver = waiver_of(finding, values["reason"], values["expires"])
        app.change_plan(api.waive_in_plan(plan, waiver, today(), f"Accept: {finding.title}"))

    lines = [
        Line(f"Accept {finding.rule} {api.printable(finding.title)}", "title"),
        Line(api.printable(finding.message)),
        Line("The finding stays; the plan says who looks at it again, and when."),
    ]
    fields = [
        Field("reason", "reason (needed)"),
        Field("expires", "look at it again on (needed; year-month-day)"),
    ]
    app.push_screen(FormDialog(lines, fields, accept))
