"""Signatures of rules: what may be used, and that those in the rule set may."""

from __future__ import annotations

import re

import pytest

from preflight.checks.loader import load_rules
from preflight.checks.signatures import signature_problem

GOOD = [
    r"model (?P<soc>\w+)",
    r"a.{0,80}b",
    r"(?:a|b)c?",
    r"(?:ab)?c*",
    r"[0-9]{3,6}\b",
    r"(?:a?b)+",
]
BAD = {
    r"(a+)+": "repeats inside",
    r"(?:a*b)*": "repeats inside",
    r"(?:(?:x{2,9})y){2,}": "repeats inside",
    r"((a|b+)c)+": "repeats inside",
    r"(a)\1": "back reference",
    r"a(?=b)": "look-around",
    r"a(?!b)": "look-around",
    r"(?<=a)b": "look-around",
    r"(?P<x>a)(?(x)b|c)": "conditional",
    r"(a": "does not compile",
    r"(?P<1>a)": "does not compile",
}


@pytest.mark.parametrize("pattern", GOOD)
def test_linear_patterns_are_accepted(pattern):
    assert signature_problem(pattern) == ""


@pytest.mark.parametrize("pattern", BAD)
def test_patterns_that_can_run_away_are_refused(pattern):
    assert BAD[pattern] in signature_problem(pattern)


def test_signatures_of_the_rules_may_be_used():
    signatures = [s for rule in load_rules().rules for s in rule.reported_as.signatures]
    assert signatures
    for signature in signatures:
        assert signature_problem(signature) == ""
        assert re.compile(signature).search("") is None, "it would match every line"


REAL_LINES = {
    # cases/reports.jsonl of the shared facts: log lines that people quoted in public
    "PF301": "EE1001: The argument is invalid.Reason: ModelCheckCompatibility failed, supported "
    "socVersion=Ascend910B2, but the model socVersion=Ascend910B",
    "PF302": "E10001: Value [Ascend310P3] for parameter [soc_version] is invalid. Reason: Model soc "
    "version is not support in this device.",
    "PF403": "E19999 The opp version of the model does not match the current opp run package, Model "
    "is [6.4.T11.0.B300], opp run package is [7.0.T3.0.B107], try to convert the om again!",
}


@pytest.mark.parametrize("rule_id", REAL_LINES)
def test_signatures_match_lines_that_were_really_logged(rule_id):
    rules = {rule.id: rule.reported_as.signatures for rule in load_rules().rules}
    line = REAL_LINES[rule_id]
    found = [m for s in rules[rule_id] if (m := re.search(s, line))]
    assert found
    assert all(found[0].groupdict().values())
    for other in set(REAL_LINES) - {rule_id}:
        assert not any(re.search(s, line) for s in rules[other])
