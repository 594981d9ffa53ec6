"""Where source models lie, and values for options of atc that nobody recorded."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from preflight import api
from preflight.errors import UsageError
from preflight.tui.screens.dialogs import Field, FormDialog
from preflight.tui.words import Line

if TYPE_CHECKING:
    from preflight.tui.app import AssistantApp

_FOLDER = ""  # the key of the field for the folder; no option has this name


def open_fields(step: api.Step) -> list[Field]:
    """A field for each open question and for each file that was not found."""
    fields = {
        need.option: Field(
            need.option,
            api.printable(f"--{need.option}: {need.what} ({need.place})"),
            need.path,
            True,
        )
        for need in step.needs
        if need.place != "found"
    }
    for question in step.open_questions:
        fields[question.option] = Field(
            question.option, api.printable(f"--{question.option}: {question.what}")
        )
    return list(fields.values())


def ask_sources(
    app: AssistantApp,
    who: str,
    asked: Mapping[str, Field],
    known: dict[str, str],
    search: Callable[[], None],
) -> None:
    """A form for the source folder and the options that are `asked` or `known`.

    The folder is kept in the session, values in `known`; then it calls `search`.
    """
    label = "folder in which relative paths of the old command are looked for"
    fields = [Field(_FOLDER, label, app.session.source_dir, is_path=True)]
    for option in {**asked, **known}:
        field = asked.get(option, Field(option, api.printable(f"--{option}")))
        fields.append(replace(field, value=known.get(option, field.value)))
    before = {field.key: field.value for field in fields}

    def accept(values: Mapping[str, str]) -> None:
        folder = values[_FOLDER].strip()
        place = Path(folder).expanduser().absolute()
        if folder and not place.is_dir():
            raise UsageError(f"{folder}: no such folder")
        app.session.source_dir = str(place) if folder else ""
        for option, value in values.items():
            if option == _FOLDER or value.strip() == before[option].strip():
                continue
            known[option] = value.strip()
            if not value.strip():
                del known[option]
        search()

    app.push_screen(FormDialog([Line(f"Sources and values for {who}", "title")], fields, accept))
