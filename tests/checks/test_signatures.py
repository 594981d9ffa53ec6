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
