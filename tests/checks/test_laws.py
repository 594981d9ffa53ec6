"""Laws of verdicts: less knowledge is never a better answer, more findings neither, order is nothing."""

from __future__ import annotations

import random
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from preflight.checks.check import check_model
from preflight.checks.engine import Result
from preflight.checks.loader import RuleSet, load_rules
from preflight.checks.verdicts import Verdicts, decide
from preflight.findings import (
    Certainty,
    Consequence,
    Finding,
    LoaderAnswer,
    NotEvaluated,
    Severity,
    Status,
    sort_findings,
)
from preflight.target.types import Target, unknown
from tests.checks.fixtures import FIXTURES

RULES = load_rules(use_cache=False)
GOOD = (Status.OK, Status.OK_WITH_WARNINGS)
# From best to worst: a plain ok may become an ok with warnings, an unknown never either of them.
RANK = {Status.OK: 0, Status.OK_WITH_WARNINGS: 1, Status.UNKNOWN: 2, Status.BLOCKED: 3}
FACTS = (
    "release", "internal", "behaviour", "soc", "host_os", "host_cpu", "abi_range", "opp_version",
    "driver",
)  # fmt: skip
TABLES = ("socs", "kernels")


def without(target: Target, names: frozenset[str]) -> Target:
    """The target with facts forgotten."""
    gone: dict[str, object] = {name: unknown("forgotten") for name in names & set(FACTS)}
    if "socs" in names:
        gone["socs"] = {}
    if "kernels" in names:
        gone |= {"kernels": {}, "kernels_source": ""}
    return replace(target, **gone)


@cache
def checked(name: str, forgotten: frozenset[str] = frozenset()) -> Result:
    fixture = FIXTURES[name]()
    target = without(fixture.target, forgotten)
    return check_model(fixture.model, target, rules=RULES, assumptions=fixture.assumptions)


def statuses(verdicts: Verdicts) -> tuple[Status, Status]:
    return verdicts.deploy.status, verdicts.rebuild.status


def assert_no_better(name: str, forgotten: frozenset[str]) -> None:
    before, after = checked(name), checked(name, forgotten)
    pairs = zip(statuses(before.verdicts), statuses(after.verdicts), strict=True)
    for path, (had, has) in zip(("deploy", "rebuild"), pairs, strict=True):
        assert had in GOOD or has not in GOOD, f"{path} was {had} and is {has}"


@pytest.mark.parametrize("fact", (*FACTS, *TABLES))
def test_forgetting_a_fact_never_makes_an_answer_good(fact: str) -> None:
    for name in FIXTURES:
        assert_no_better(name, frozenset({fact}))


@settings(max_examples=60, deadline=None)
@given(
    st.sampled_from(sorted(FIXTURES)),
    st.frozensets(st.sampled_from((*FACTS, *TABLES)), min_size=2),
)
def test_nor_does_forgetting_several(name: str, forgotten: frozenset[str]) -> None:
    assert_no_better(name, forgotten)


@pytest.mark.parametrize("name", FIXTURES)
def test_a_target_of_which_nothing_is_known_gets_no_plain_ok(name: str) -> None:
    result = checked(name, frozenset((*FACTS, *TABLES)))
    assert Status.OK not in statuses(result.verdicts)


@pytest.mark.parametrize("name", FIXTURES)
def test_the_order_of_rules_is_nothing(name: str) -> None:
    mixed = list(RULES.rules)
    random.Random(name).shuffle(mixed)
    fixture = FIXTURES[name]()
    result = check_model(
        fixture.model, fixture.target, rules=RuleSet(tuple(mixed)), assumptions=fixture.assumptions
    )
    assert result == checked(name)


# --- verdicts from any findings ------------------------------------------------------------------

ANSWER = LoaderAnswer("tab.wide_num", 145000, "ACL_ERROR_GE_PARAM_INVALID")
findings = st.builds(
    Finding,
    rule=st.sampled_from(["PF101", "PF301", "PF507", "PF601", "PF901"]),
    name=st.just("a-rule"),
    title=st.just("A title"),
    severity=st.sampled_from(Severity),
    consequence=st.sampled_from(Consequence),
    certainty=st.sampled_from(Certainty),
    message=st.sampled_from(["first", "second", "third"]),
    loader=st.sampled_from([None, ANSWER]),
    position=st.sampled_from([(), (60,), (80, 0, 90), (204, 1, 60)]),
)
gaps = st.builds(
    NotEvaluated,
    rule=st.just("PF403"),
    reason=st.just("not known"),
    consequence=st.sampled_from(Consequence),
    blocking=st.booleans(),
)
consequences = st.frozensets(st.sampled_from(Consequence))


@given(st.lists(findings, max_size=6), findings, st.lists(gaps, max_size=3), consequences)
def test_one_more_finding_never_improves_a_verdict(some, more, undecided, asked) -> None:
    before = decide(sort_findings(some), undecided, asked)
    after = decide(sort_findings([*some, more]), undecided, asked)
    for had, has in zip(statuses(before), statuses(after), strict=True):
        assert RANK[has] >= RANK[had]


@given(st.lists(findings, max_size=6), st.lists(gaps, max_size=3), gaps, consequences)
def test_one_more_gap_never_improves_a_verdict(some, undecided, more, asked) -> None:
    before = decide(sort_findings(some), undecided, asked)
    after = decide(sort_findings(some), [*undecided, more], asked)
    for had, has in zip(statuses(before), statuses(after), strict=True):
        assert RANK[has] >= RANK[had]


@given(st.lists(findings, max_size=8), st.randoms(use_true_random=False), consequences)
def test_the_order_of_findings_is_nothing(some, rng, asked) -> None:
    mixed = list(some)
    rng.shuffle(mixed)
    keys = [f.sort_key for f in sort_findings(some)]
    assert keys == [f.sort_key for f in sort_findings(mixed)]
    first, second = decide(sort_findings(some), [], asked), decide(sort_findings(mixed), [], asked)
    assert statuses(first) == statuses(second)


@given(st.lists(findings, min_size=1, max_size=8), consequences)
def test_the_deciding_finding_is_listed_first(some, asked) -> None:
    ordered = sort_findings(some)
    deploy = decide(ordered, [], asked).deploy
    if deploy.status is Status.BLOCKED:
        paths = (Consequence.LOAD, Consequence.RUN)
        errors = [f for f in ordered if f.severity is Severity.ERROR and f.consequence in paths]
        assert (deploy.decided_by, deploy.reason) == (errors[0].rule, errors[0].message)
        if any(f.consequence is Consequence.LOAD for f in errors if f.certainty != "possible"):
            assert ordered[0] is errors[0]


def test_every_fact_that_rules_need_can_be_supplied() -> None:
    from preflight.checks.facts import FACTS as VOCABULARY
    from preflight.checks.facts import SUPPLY

    of_targets = {name for name in VOCABULARY if name.startswith("target.")}
    assert set(SUPPLY) == of_targets


@pytest.mark.parametrize("name", sorted(FIXTURES))
def test_a_plain_ok_left_nothing_undecided(name: str) -> None:
    fixture = FIXTURES[name]()
    result = check_model(fixture.model, fixture.target, rules=RULES)
    for verdict, asked in (
        (result.verdicts.deploy, (Consequence.LOAD, Consequence.RUN)),
        (result.verdicts.rebuild, (Consequence.REBUILD, Consequence.DRIFT)),
    ):
        if verdict.status is Status.OK:
            assert not [n.rule for n in result.not_evaluated if n.consequence in asked]
