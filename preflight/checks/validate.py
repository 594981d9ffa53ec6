"""Validation of a rule against the vocabularies: facts, predicates, placeholders, step kinds."""

from __future__ import annotations

import string
from collections.abc import Iterator

import msgspec
from msgspec.structs import fields

from preflight.checks.context import LOADERS
from preflight.checks.facts import FACTS
from preflight.checks.predicate import convert_params, find_predicate
from preflight.checks.rulefile import Rule, RuleStatus, behaviour_code
from preflight.checks.signatures import signature_problem
from preflight.checks.steps import STEP_KINDS
from preflight.container.types import ContainerKind
from preflight.target.types import ReleaseBehaviour

# Placeholders that every message may use beside the fields of the evidence type.
COMMON_PLACEHOLDERS = frozenset({"model", "target"})
_BEHAVIOUR_FIELDS = frozenset(f.name for f in fields(ReleaseBehaviour))
_ORIGINS = ("installed", "snapshot", "catalogue")
_RISKS = ("low", "medium", "high")


def rule_problems(rule: Rule) -> Iterator[str]:
    """Everything wrong with one rule that its types alone cannot say."""
    yield from _applies_problems(rule)
    yield from _check_problems(rule)
    for signature in rule.reported_as.signatures:
        problem = signature_problem(signature)
        if problem:
            yield f"reported_as.signatures: '{signature}' {problem}"
    for remedy in rule.remedies:
        if remedy.kind not in STEP_KINDS:
            known = ", ".join(sorted(STEP_KINDS))
            yield f"remedies: no plan step has the kind '{remedy.kind}' (known: {known})"
        if remedy.risk not in _RISKS:
            yield f"remedies: risk '{remedy.risk}' is none of {', '.join(_RISKS)}"
    if rule.status is RuleStatus.DEPRECATED and not rule.replaced_by:
        yield "a deprecated rule names its replacement in replaced_by"
    if not rule.explain.references:
        yield "explain.references: at least one source is needed"


def _applies_problems(rule: Rule) -> Iterator[str]:
    applies = rule.applies
    kinds = {kind.value for kind in ContainerKind}
    yield from (f"applies.container: unknown '{k}'" for k in applies.container if k not in kinds)
    yield from (f"applies.loader: unknown '{k}'" for k in applies.loader if k not in LOADERS)
    yield from (f"applies.needs: unknown fact '{n}'" for n in applies.needs if n not in FACTS)
    yield from (f"applies.origin: unknown '{k}'" for k in applies.origin if k not in _ORIGINS)
    for field in applies.behaviour:
        if field not in _BEHAVIOUR_FIELDS:
            yield f"applies.behaviour: a release behaviour has no '{field}'"
    if rule.loader is None:
        return
    for code in rule.loader.message_codes:
        field, _ = behaviour_code(code)
        if field and field not in _BEHAVIOUR_FIELDS:
            yield f"loader.message_codes: a release behaviour has no '{field}'"


def _check_problems(rule: Rule) -> Iterator[str]:
    found = find_predicate(rule.check.predicate)
    if found is None:
        yield f"check.predicate: there is no predicate '{rule.check.predicate}'"
        return
    try:
        convert_params(found, rule.check.params)
    except msgspec.ValidationError as error:
        yield f"check.params: {error}"
    allowed = found.placeholders | COMMON_PLACEHOLDERS
    texts = [("message.summary", rule.message.summary)]
    for remedy in rule.remedies:
        texts += [("remedies.summary", remedy.summary), ("remedies.command", remedy.command)]
    for where, text in texts:
        yield from (f"{where}: {problem}" for problem in _text_problems(text, allowed))


def _text_problems(text: str, allowed: frozenset[str]) -> Iterator[str]:
    try:
        parts = list(string.Formatter().parse(text))
    except ValueError as error:
        yield f"not a message text: {error}"
        return
    for _, name, spec, conversion in parts:
        if name is None:
            continue
        if spec or conversion or not name.isidentifier():
            yield f"'{{{name}}}' is not a plain placeholder"
        elif name not in allowed:
            yield f"the evidence has no field '{name}' (it has: {', '.join(sorted(allowed))})"
