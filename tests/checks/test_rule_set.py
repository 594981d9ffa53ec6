"""Tests over the whole rule set: every rule fires somewhere, and nothing fires by surprise."""

from __future__ import annotations

import json
import os
from functools import cache
from pathlib import Path

import pytest

from preflight.checks.check import check_model
from preflight.checks.coverage import load_checks, rules_by_step
from preflight.checks.engine import Result
from preflight.checks.loader import load_rules
from preflight.checks.rulefile import BANDS, Rule
from preflight.data import rules_dir
from tests.checks.fixtures import FIXTURES

RULES = load_rules(use_cache=False)
MATRIX = Path(__file__).parent / "matrix.txt"
# Rules on operators, drift and locks have fixtures of their own, beside the code they are about.
ELSEWHERE = ("PF5", "PF6", "PF91")
OURS = [rule for rule in RULES.rules if not rule.id.startswith(ELSEWHERE)]
# Fired by what a caller passes, not by a fixture.
BY_WAIVERS = "PF901"


@cache
def result(name: str) -> Result:
    fixture = FIXTURES[name]()
    return check_model(fixture.model, fixture.target, rules=RULES, assumptions=fixture.assumptions)


@cache
def fired(name: str) -> frozenset[str]:
    return frozenset(f.rule for f in result(name).findings)


@pytest.mark.parametrize("rule", [r.id for r in OURS if r.id != BY_WAIVERS])
def test_every_rule_fires_somewhere_and_is_silent_somewhere(rule: str) -> None:
    firing = [name for name in FIXTURES if rule in fired(name)]
    assert firing
    assert len(firing) < len(FIXTURES)


def test_every_rule_runs_on_every_fixture_as_recorded() -> None:
    """A rule that fires where it did not before shows as a line of the difference."""
    lines = []
    for name in sorted(FIXTURES):
        rules = sorted(rule for rule in fired(name) if not rule.startswith(ELSEWHERE))
        first = result(name).first_failure
        step = first.loader.step if first is not None and first.loader is not None else "-"
        status = result(name).verdicts.deploy.status.value
        lines.append(f"{name}: {status} {step} {' '.join(rules)}")
    text = "\n".join(lines) + "\n"
    if os.environ.get("PREFLIGHT_WRITE_GOLDEN"):
        MATRIX.write_text(text, encoding="utf-8")
    assert text == MATRIX.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", ["plain", "plain_on_new"])
def test_a_sound_model_on_its_own_target_is_ok(name: str) -> None:
    assert fired(name) == {"PF215"}
    assert result(name).verdicts.deploy.status == "ok"


@pytest.mark.parametrize("name", FIXTURES)
def test_unknown_and_blocked_verdicts_say_why(name: str) -> None:
    verdicts = result(name).verdicts
    for verdict in (verdicts.deploy, verdicts.rebuild):
        if verdict.status != "ok":
            assert verdict.reason


@pytest.mark.parametrize("name", FIXTURES)
def test_a_refused_load_is_never_ok(name: str) -> None:
    if result(name).first_failure is not None:
        assert result(name).verdicts.deploy.status in ("blocked", "unknown")


@pytest.mark.parametrize("name", FIXTURES)
def test_evidence_names_what_was_found(name: str) -> None:
    for finding in result(name).findings:
        assert finding.message
        assert finding.evidence
        assert all(e.subject and e.found for e in finding.evidence)


def test_files_lie_in_the_folder_of_their_band() -> None:
    for path in rules_dir().rglob("*.toml"):
        assert path.parent.name == BANDS[path.name[:3]][0]
        assert path.stem == f"{path.name[:5]}-{RULES.get(path.name[:5]).name}"


def test_load_checks_are_rules_or_have_a_reason() -> None:
    by_step = rules_by_step(RULES.rules)
    checks = {check.id: check for check in load_checks()}
    assert set(by_step) <= set(checks)
    for check in checks.values():
        covered = [bool(by_step.get(check.id)), bool(check.by), bool(check.reason)]
        assert any(covered), check.id
        assert not (covered[0] and covered[2]), check.id


def test_rules_report_the_status_of_their_load_check() -> None:
    checks = {check.id: check for check in load_checks()}
    for rule in RULES.rules:
        if rule.loader is None or rule.severity != "error" or checks[rule.loader.step].by:
            continue
        check = checks[rule.loader.step]
        assert (rule.loader.status, rule.loader.status_name) == (check.status, check.status_name)


def params_of(predicate: str, key: str) -> set[str]:
    found: set[str] = set()
    for rule in RULES.rules:
        if rule.check.predicate == predicate:
            value = rule.check.params[key]
            found |= {str(v) for v in value} if isinstance(value, list) else {str(value)}
    return found


def test_the_catch_all_rules_know_what_others_report() -> None:
    reported = params_of("container.fault", "check") | {
        # reported by predicates of their own
        "tab.tiny_num", "tab.wide_num", "so.store", "sop.size", "sop.table",
        # of kinds that no loader reads: their rules name the kind
        "bare.parse", "text.parse",
    }  # fmt: skip
    assert params_of("container.other_fault", "known") == reported
    assert params_of("container.other_note", "known") == params_of("container.note", "notes")


@pytest.mark.parametrize("rule", RULES.rules, ids=lambda rule: rule.id)
def test_a_rule_explains_itself(rule: Rule) -> None:
    assert len(rule.explain.what.split()) >= 5
    assert len(rule.explain.why.split()) >= 5
    assert rule.title[0].isupper()
    assert not rule.title.endswith(".")
    if rule.severity == "error":
        assert rule.remedies, "an error says what can be done"


def test_the_manifest_agrees_with_the_specification(shared: Path) -> None:
    rows = json.loads((shared / "spec" / "loadchecks.json").read_text())
    ours = {check.id: check for check in load_checks()}
    assert {row["id"]: row["order"] for row in rows} == {c.id: c.order for c in ours.values()}
    corrected = {"file.empty": 145002}  # spec/corrections.md item 1
    for row in rows:
        assert ours[row["id"]].status == corrected.get(row["id"], row["error_code"])
