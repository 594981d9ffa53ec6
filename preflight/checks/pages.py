"""One rule as plain values and as text: `explain PF301`, `rules --json` and the generated pages."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any

import msgspec

from preflight.checks.loader import RuleSet, load_rules
from preflight.checks.rulefile import BANDS, Rule, behaviour_code
from preflight.target.manifests import behaviour_ids, loader_behaviour
from preflight.target.types import ReleaseBehaviour


def explain_rule(rule_id: str, rules: RuleSet | None = None) -> dict[str, Any]:
    """Everything a rule says, as plain values. Raises DataError naming near ids."""
    return rule_value((rules or load_rules()).get(rule_id))


def rule_value(rule: Rule) -> dict[str, Any]:
    """A rule as plain values, every key present."""
    return {
        "id": rule.id,
        "name": rule.name,
        "title": rule.title,
        "band": BANDS[rule.band][1] if rule.band in BANDS else "",
        "severity": rule.severity.value,
        "consequence": rule.consequence.value,
        "status": rule.status.value,
        "since": rule.since,
        "replaced_by": rule.replaced_by,
        "message": rule.message.summary,
        "what": _paragraph(rule.explain.what),
        "why": _paragraph(rule.explain.why),
        "references": list(rule.explain.references),
        "applies": {
            "container": list(rule.applies.container),
            "loader": list(rule.applies.loader),
            "dynamic": rule.applies.dynamic,
            "origin": list(rule.applies.origin),
            "behaviour": dict(rule.applies.behaviour),
            "needs": list(rule.applies.needs),
        },
        "predicate": rule.check.predicate,
        "loader": None
        if rule.loader is None
        else {
            "step": rule.loader.step,
            "status": rule.loader.status,
            "status_name": rule.loader.status_name,
            "message_codes": message_codes(rule),
            "internal_status": rule.loader.internal_status,
            "internal_name": rule.loader.internal_name,
        },
        "reported_as": {
            "codes": list(rule.reported_as.codes),
            "signatures": list(rule.reported_as.signatures),
        },
        "remedies": [
            {"kind": r.kind, "summary": r.summary, "risk": r.risk, "command": r.command}
            for r in rule.remedies
        ],
    }


def rules_json(rules: Iterable[Rule]) -> str:
    """Rules as indented JSON, ending in a newline."""
    encoded = msgspec.json.encode([rule_value(rule) for rule in rules])
    return msgspec.json.format(encoded, indent=2).decode() + "\n"


def message_codes(rule: Rule) -> list[str]:
    """Codes that the log has; those that differ between releases of all where the rule counts."""
    found: dict[str, None] = {}
    for code in rule.loader.message_codes if rule.loader is not None else ():
        field, suffix = behaviour_code(code)
        for behaviour in _loaders(rule) if field else ():
            value = getattr(behaviour, field)
            found.update(dict.fromkeys(value if isinstance(value, tuple) else [f"{value}{suffix}"]))
        if not field:
            found[code] = None
    return list(found)


def _loaders(rule: Rule) -> list[ReleaseBehaviour]:
    """The loader generations that have the rule's check."""
    wanted = rule.applies.behaviour.items()
    return [b for b in _behaviours() if all(getattr(b, field) == value for field, value in wanted)]


@cache
def _behaviours() -> tuple[ReleaseBehaviour, ...]:
    return tuple(loader_behaviour(name) for name in behaviour_ids())


def _paragraph(text: str) -> str:
    """Text that was wrapped in the rule file, as one line per paragraph."""
    paragraphs = text.strip().split("\n\n")
    return "\n\n".join(" ".join(p.split()) for p in paragraphs)


def rule_lines(rule: Rule) -> Sequence[str]:
    """A rule's page as Markdown lines."""
    value = rule_value(rule)
    lines = [f"# {rule.id} {rule.title}", "", f"`{rule.name}` · {_facts_line(rule)}", ""]
    lines += [value["what"], "", value["why"], ""]
    lines += ["## When it is asked", "", *_applies_lines(rule), ""]
    lines += ["## What it says", "", f"> {rule.message.summary}", ""]
    if rule.loader is not None:
        lines += ["## What the loader reports", "", *_loader_lines(rule), ""]
    if rule.remedies:
        lines += ["## Ways out", ""]
        lines += [f"- {r.summary} (`{r.kind}`, risk: {r.risk})" for r in rule.remedies] + [""]
    lines += ["## Sources", "", *(f"- {text}" for text in rule.explain.references)]
    return lines


def _facts_line(rule: Rule) -> str:
    return (
        f"{rule.severity.value} · {rule.consequence.value} · {rule.status.value} · "
        f"since {rule.since}"
    )


def _applies_lines(rule: Rule) -> list[str]:
    applies = rule.applies
    lines = []
    if applies.container:
        lines.append(f"- kinds of file: {', '.join(applies.container)}")
    if applies.loader:
        lines.append(f"- readers: {', '.join(applies.loader)}")
    if applies.dynamic is not None:
        lines.append(f"- {'dynamic' if applies.dynamic else 'static'} models only")
    if applies.origin:
        lines.append(f"- targets: {', '.join(applies.origin)}")
    for field, wanted in applies.behaviour.items():
        labels = [b.label for b in _behaviours() if getattr(b, field) == wanted]
        lines.append(f"- loaders with {field} = {str(wanted).lower()}: {', '.join(labels)}")
    if applies.needs:
        lines.append(f"- facts: {', '.join(applies.needs)}")
    return lines or ["- always"]


def _loader_lines(rule: Rule) -> list[str]:
    loader = rule.loader
    assert loader is not None
    lines = [f"- check `{loader.step}`", f"- the caller sees {loader.status} {loader.status_name}"]
    if loader.message_codes:
        lines.append(f"- message codes: {', '.join(message_codes(rule))}")
    if loader.internal_status is not None:
        lines.append(f"- inside: {loader.internal_status} {loader.internal_name}")
    return lines
