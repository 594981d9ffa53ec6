"""The set of faults as a whole: links resolve, every entry says what a person needs."""

from __future__ import annotations

import re

from preflight.checks.loader import load_rules
from preflight.explain import catalogue
from preflight.explain.parameters import fill
from preflight.explain.rank import _LAYERS
from preflight.explain.signatures import faults


def test_links_to_rules_resolve() -> None:
    known = {rule.id for rule in load_rules().rules}
    missing = {r for f in faults().values() for r in f.rules} - known
    assert missing == set()


def test_codes_of_faults_are_in_the_catalogue() -> None:
    missing = {c for f in faults().values() for c in f.codes if catalogue.find(c) is None}
    assert missing == set()


def test_consequences_name_faults_or_categories_that_exist() -> None:
    names = set(faults()) | {f.category for f in faults().values()} | {"*"}
    missing = {c for f in faults().values() for c in (*f.consequence_of, *f.needs)} - names
    assert missing == set()


def test_every_fault_says_what_why_and_what_to_do() -> None:
    for fault in faults().values():
        assert fault.what.endswith("."), fault.id
        assert fault.why.endswith("."), fault.id
        assert fault.layer in _LAYERS, fault.id
        assert 0 <= fault.specificity <= 3, fault.id
        assert fault.source, fault.id
        assert fault.harmless or fault.remedies, fault.id
        assert fault.harmless or fault.next_step or fault.rules or fault.specificity <= 1, fault.id


def test_sentences_use_what_the_signatures_capture() -> None:
    always = {"code", "soc", "cann", "driver"}
    for fault in faults().values():
        captured = set(re.findall(r"\?P<(\w+)>", " ".join(fault.signatures))) | always
        asked = set(re.findall(r"\{(\w+)\}", fault.sentence))
        assert asked <= captured, (fault.id, asked - captured)
        assert fill(fault.sentence, dict.fromkeys(asked, "x")) or not fault.sentence


def test_rule_files_and_manifests_are_joined() -> None:
    by_rule = [f for f in faults().values() if "PF301" in f.rules]
    assert by_rule
    reported = {s for r in load_rules().rules if r.id == "PF301" for s in r.reported_as.signatures}
    assert reported <= {s for f in by_rule for s in f.signatures}
