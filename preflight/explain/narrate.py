"""A code to its explanation: the catalogue joined with the rules and the log signatures."""

from __future__ import annotations

import re

from msgspec.structs import replace

from preflight.checks.loader import load_rules
from preflight.checks.rulefile import Rule
from preflight.explain import catalogue
from preflight.explain.signatures import faults
from preflight.explain.types import CodeExplanation, Fault, PredictedBy

_FAULT_ID = re.compile(r"EX\d{3}", re.IGNORECASE)


def explain_code(text: str) -> CodeExplanation:
    """What a code means, what hides behind it, and which rules and log signatures go with it.

    Takes decimal, hexadecimal and signed numbers, names, message codes and the ids of faults
    ("EX101"). A code nobody knows gets its range and the nearest known ones.
    """
    if _FAULT_ID.fullmatch(text.strip()):
        fault = faults().get(text.strip().upper())
        return CodeExplanation(text, None, faults=(fault,) if fault is not None else ())
    answer = catalogue.lookup(text)
    if answer.entry is None:
        return answer
    code = answer.entry.code
    return replace(
        answer,
        rules=tuple(_predicted(rule) for rule in load_rules().rules if code in rule_codes(rule)),
        faults=tuple(f for f in faults().values() if _stands_for(f, code)),
    )


def _predicted(rule: Rule) -> PredictedBy:
    return PredictedBy(rule.id, rule.title)


def rule_codes(rule: Rule) -> set[str]:
    """Every code with which the loader reports what a rule finds."""
    codes = set(rule.reported_as.codes)
    if rule.loader is not None:
        codes |= {str(rule.loader.status), *rule.loader.message_codes}
        if rule.loader.internal_status is not None:
            codes.add(str(rule.loader.internal_status))
    return codes


def _stands_for(fault: Fault, code: str) -> bool:
    return code in fault.codes and fault.specificity > 0
