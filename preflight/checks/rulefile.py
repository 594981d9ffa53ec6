"""The shape of a rule file (design: one TOML file per rule, unknown keys are errors)."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

import msgspec

from preflight.findings import Consequence, Severity


class RuleStatus(StrEnum):
    PREVIEW = "preview"
    STABLE = "stable"
    DEPRECATED = "deprecated"


class _Table(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A table of a rule file; a key that is not a field is an error."""


class Applies(_Table, frozen=True):
    """When the rule is asked at all; everything given must hold.

    `container` and `loader` list the kinds of file and the readers the rule speaks about,
    `dynamic` the loader's own flag, `origin` where the target comes from, `behaviour` values of the
    target's release behaviour, `needs` names of facts (checks/facts.py) without which the rule
    cannot be decided.
    """

    container: tuple[str, ...] = ()
    loader: tuple[str, ...] = ()
    dynamic: bool | None = None
    origin: tuple[str, ...] = ()
    behaviour: dict[str, bool | int | str] = {}
    needs: tuple[str, ...] = ()


class Check(_Table, frozen=True):
    """The predicate that decides, and its parameters."""

    predicate: str
    params: dict[str, bool | int | str | list[str | int]] = {}


class Message(_Table, frozen=True):
    """`summary` may use the fields of the predicate's evidence type as {placeholders}."""

    summary: str


class Explain(_Table, frozen=True):
    """What the rule means and why it exists, for the rule's page."""

    what: str
    why: str
    references: tuple[str, ...]


class ReportedAs(_Table, frozen=True):
    """How the loader itself reports the fault: codes, and patterns of log lines."""

    codes: tuple[str, ...] = ()
    signatures: tuple[str, ...] = ()


class Loader(_Table, frozen=True):
    """What the caller sees when this check refuses the model.

    `step` is the id of the load check. An item of `message_codes` that begins with
    "{behaviour.<field>}" stands for the codes that the release behaviour lists in that field, or
    for that field's text followed by what comes behind: "{behaviour.file_message_family}015".
    """

    step: str
    status: int
    status_name: str
    message_codes: tuple[str, ...] = ()
    internal_status: int | None = None
    internal_name: str = ""


class RemedyText(_Table, frozen=True):
    """A way out; `kind` is a plan step kind (checks/steps.py)."""

    kind: str
    summary: str
    risk: str = "low"
    command: str = ""


class Rule(_Table, frozen=True):
    """One rule file."""

    id: str
    name: str
    title: str
    severity: Severity
    consequence: Consequence
    status: RuleStatus
    since: str
    check: Check
    message: Message
    explain: Explain
    applies: Applies = Applies()
    loader: Loader | None = None
    reported_as: ReportedAs = ReportedAs()
    remedies: tuple[RemedyText, ...] = ()
    replaced_by: str = ""

    @property
    def band(self) -> str:
        """The first digit of the number with its prefix: "PF3" for PF301."""
        return self.id[:-2]


BANDS: Mapping[str, tuple[str, str]] = {
    "PF1": ("pf1-container", "Container: the bytes around the graph"),
    "PF2": ("pf2-definition", "Model definition, attributes and stores"),
    "PF3": ("pf3-device", "Device"),
    "PF4": ("pf4-host", "Host and packages"),
    "PF5": ("pf5-operators", "Operators"),
    "PF6": ("pf6-drift", "Drift"),
    "PF7": ("pf7-rebuild", "Toolchain and rebuild"),
    "PF8": ("pf8-target", "Quality of registries and targets"),
    "PF9": ("pf9-policy", "Locks, policy and waivers"),
}


def behaviour_code(code: str) -> tuple[str, str]:
    """("file_message_family", "015") for "{behaviour.file_message_family}015", else ("", code)."""
    prefix = "{behaviour."
    if not code.startswith(prefix):
        return "", code
    field, _, suffix = code[len(prefix) :].partition("}")
    return field, suffix
