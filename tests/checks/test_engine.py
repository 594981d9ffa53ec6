"""The engine: verdicts, missing facts, certainty, nested models, what the loader meets first."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from preflight.checks.check import check_model
from preflight.checks.context import Assumptions, Context
from preflight.checks.engine import run_rules
from preflight.checks.facts import FACTS, SUPPLY, resolve, supply
from preflight.checks.loader import load_rules
from preflight.checks.verdicts import DEPLOY, REBUILD, decide
from preflight.findings import (
    Certainty,
    Consequence,
    Finding,
    NotEvaluated,
    Severity,
    Status,
    sort_findings,
)
from preflight.model.file import read_model
from preflight.target.types import Fact, unknown
from tests.checks import fixtures
from tests.checks.fixtures import FIXTURES, Fixture, om, target

RULES = load_rules(use_cache=False)


def check(fixture: Fixture):
    return check_model(fixture.model, fixture.target, rules=RULES, assumptions=fixture.assumptions)


def finding(rule: str = "X101", **changes: object) -> Finding:
    base = Finding(
        rule, "name", "Title", Severity.ERROR, Consequence.LOAD, Certainty.CERTAIN, "message"
    )
    return replace(base, **changes)


@pytest.mark.parametrize(
    ("missing", "fact", "rule"),
    [
        ("soc", "target.soc", "PF301"),
        ("host_cpu", "target.host_cpu", "PF401"),
        ("host_os", "target.host_os", "PF401"),
        ("abi_range", "target.abi_range", "PF402"),
    ],
)
def test_a_missing_fact_makes_the_verdict_unknown_and_is_named(missing, fact, rule):
    model = fixtures.dynamic(
        fixtures.definition(attributes=fixtures.HOST), fixtures.library(), need_check_os_cpu_info=1
    )
    nothing = unknown("nobody said")
    result = check(
        Fixture(model, target(**{missing: nothing}) if missing != "behaviour" else target(nothing))
    )
    assert result.verdicts.deploy.status is Status.UNKNOWN
    item = next(n for n in result.not_evaluated if n.rule == rule)
    assert fact in item.missing
    assert item.blocking
    if fact == "target.soc":
        assert item.reason.endswith("name the SoC behind the target: --target TARGET@Ascend910B3")
    else:
        assert SUPPLY[fact] in item.reason


@pytest.mark.parametrize(
    ("origin", "advice"),
    [
        ("installed", "name the SoC behind the target: --target TARGET@Ascend910B3"),
        ("snapshot", "name the SoC behind the target: --target TARGET@Ascend910B3"),
        ("catalogue", "name the SoC: --target 8.5.0/Ascend910B3"),
    ],
)
def test_a_missing_soc_is_named_the_way_the_target_was(origin, advice):
    where = target(soc=unknown("nobody said"), origin=origin)
    item = next(n for n in check(Fixture(om(), where)).not_evaluated if n.rule == "PF301")
    assert item.reason == f"nobody said; {advice}"


@pytest.mark.parametrize(
    ("origin", "advice"),
    [
        ("installed", "this installation has no operator configs of Ascend910B3"),
        ("snapshot", "capture the target again with its SoC: --soc Ascend910B3"),
        ("catalogue", SUPPLY["target.kernels"]),
    ],
)
def test_missing_kernels_are_explained_by_where_the_target_is_from(origin, advice):
    context = Context(read_model(om()), target(origin=origin, kernels={}, kernels_source=""))
    assert supply("target.kernels", context) == advice


def test_a_fact_that_does_not_matter_may_be_missing():
    nothing = unknown("nobody said")
    where = target(host_os=nothing, host_cpu=nothing, abi_range=nothing, opp_version=nothing)
    assert check(Fixture(om(), where)).verdicts.deploy.status is Status.OK


def test_a_model_that_passes_in_every_release_needs_no_release():
    silent = fixtures.with_attributes(soc_version=None, arch_type=None)
    result = check(Fixture(silent, target(unknown("no such release"))))
    assert result.verdicts.deploy.status is Status.OK_WITH_WARNINGS
    assert result.verdicts.deploy.decided_by == "PF811", "a loader nobody knows is no plain ok"


def test_a_model_that_some_release_refuses_needs_the_release():
    eight = FIXTURES["eight_partitions_on_new"]().model
    result = check(Fixture(eight, target(unknown("no such release"))))
    assert result.verdicts.deploy.status is Status.UNKNOWN
    assert any(n.rule == "PF113" for n in result.not_evaluated)


def test_something_certain_blocks_although_facts_are_missing():
    model = FIXTURES["truncated"]().model
    result = check(Fixture(model, target(soc=unknown("nobody said"))))
    assert result.verdicts.deploy.status is Status.BLOCKED


def test_a_possible_error_is_unknown_and_never_ok():
    result = check(FIXTURES["unsure_behaviour"]())
    assert result.verdicts.deploy.status is Status.UNKNOWN
    assert result.verdicts.deploy.decided_by == "PF301"


def test_a_finding_is_as_sure_as_its_least_sure_fact():
    device = Fact("Ascend310P3", "a guess", certainty=Certainty.LIKELY)
    result = check(Fixture(om(), target(opp_version=device)))
    assert "PF403" not in {f.rule for f in result.findings}
    changed = fixtures.dynamic()
    doubtful = Fact("7.7.0.1.9", "a guess", certainty=Certainty.LIKELY)
    found = check(Fixture(changed, target(opp_version=doubtful)))
    assert {f.certainty for f in found.findings if f.rule == "PF403"} == {Certainty.LIKELY}


def test_the_first_failure_is_the_one_that_the_loader_meets():
    attributes = {"soc_version": "Ascend310P3", "arch_type": "1", **fixtures.HOST}
    model = fixtures.dynamic(fixtures.definition(attributes=attributes), need_check_os_cpu_info=1)
    where = target(host_cpu=Fact("x86_64", "opp/scene.info"))
    result = check(Fixture(model, where))
    assert {"PF301", "PF401"} <= {f.rule for f in result.findings}
    assert result.first_failure is not None
    assert result.first_failure.rule == "PF301"


def test_codes_that_a_release_spells_come_from_its_behaviour():
    codes = {}
    for behaviour in ("ge-9.1.0", "ge-9.2"):
        fixture = Fixture(FIXTURES["other_npu_architecture"]().model, target(behaviour))
        first = check(fixture).first_failure
        assert first is not None and first.loader is not None
        codes[behaviour] = first.loader.message_codes
    assert codes == {"ge-9.1.0": ("E19999",), "ge-9.2": ("E10001:soc_version", "E19999")}


@pytest.mark.parametrize(("behaviour", "code"), [("ge-8.1", "E19015"), ("ge-8.5.0", "E13015")])
def test_file_messages_are_numbered_as_the_release_does(behaviour, code):
    first = check(Fixture(b"", target(behaviour))).first_failure
    assert first is not None and first.loader is not None
    assert first.loader.message_codes == (code,)


def test_models_inside_a_bundle_are_checked_and_named():
    result = check(FIXTURES["bundle_with_mismatch"]())
    refused = [f for f in result.findings if f.rule == "PF302"]
    assert [f.location.path for f in refused] == ["model 1 inside / block 0 / MODEL_DEF"]
    assert refused[0].position[:2] == (204, 1)


def test_a_failing_container_comes_before_the_models_inside():
    inner = fixtures.with_attributes(soc_version="Ascend310P3", arch_type="1")
    from preflight.container.writer import write_bundle

    whole = write_bundle([inner], var_size=1)
    result = check(Fixture(whole, target()))
    assert result.first_failure is not None
    assert result.first_failure.rule == "PF124"


def test_an_assumed_answer_of_the_soc_check_replaces_the_comparison():
    for answer, refused in (("pass", False), ("mismatch", True), ("error", True)):
        result = check(Fixture(FIXTURES["other_architecture"]().model, target(soc_answer=answer)))
        assert any(f.rule == "PF301" for f in result.findings) is refused
    silent = fixtures.with_attributes(arch_type=None)
    assert not any(
        f.rule == "PF301" for f in check(Fixture(silent, target(soc_answer="mismatch"))).findings
    )


def test_rules_about_other_kinds_are_not_applicable_and_cost_no_reason_in_the_verdict():
    result = check(FIXTURES["plain"]())
    why = dict(result.not_applicable)
    assert why["PF141"] == "the file is loaded by the standard reader"
    assert why["PF302"].startswith("the loader of ")
    assert why["PF403"] == "the model is static"
    assert not set(why) & {n.rule for n in result.not_evaluated}


def test_running_rules_changes_nothing_and_repeats():
    model = read_model(om(), path="m.om")
    context = Context(model, target(), Assumptions())
    assert run_rules(RULES.rules, context) == run_rules(RULES.rules, context)


def test_every_fact_resolves_without_a_model_or_a_target():
    empty = Context(read_model(b"", path="e.om"), FIXTURES["catalogue_without_facts"]().target)
    for name in FACTS:
        answer = resolve(name, empty)
        assert answer.known or answer.source


severities = st.sampled_from(list(Severity))
certainties = st.sampled_from(list(Certainty))
consequences = st.sampled_from(list(Consequence))
random_findings = st.lists(
    st.builds(
        finding,
        rule=st.sampled_from(["X101", "X102", "X103"]),
        severity=severities,
        certainty=certainties,
        consequence=consequences,
        position=st.lists(st.integers(0, 99), max_size=3).map(tuple),
    ),
    max_size=6,
).map(lambda found: [replace(f, message=str(n)) for n, f in enumerate(found)])
unsettled = st.lists(
    st.builds(
        NotEvaluated,
        rule=st.just("X201"),
        reason=st.just("a fact is missing"),
        consequence=consequences,
        blocking=st.booleans(),
    ),
    max_size=4,
)


@given(random_findings, unsettled)
def test_verdicts_never_call_an_error_or_a_gap_ok(found, gaps):
    verdicts = decide(sort_findings(found), gaps, frozenset(Consequence))
    for path, verdict in ((DEPLOY, verdicts.deploy), (REBUILD, verdicts.rebuild)):
        errors = [f for f in found if f.consequence in path and f.severity is Severity.ERROR]
        blocking = [g for g in gaps if g.blocking and g.consequence in path]
        if any(f.certainty is not Certainty.POSSIBLE for f in errors):
            assert verdict.status is Status.BLOCKED
        elif errors or blocking:
            assert verdict.status is Status.UNKNOWN
        else:
            assert verdict.status in (Status.OK, Status.OK_WITH_WARNINGS)


@given(random_findings)
def test_a_path_that_nobody_asked_about_is_unknown(found):
    calm = [f for f in found if f.severity is not Severity.ERROR]
    verdicts = decide(sort_findings(calm), (), frozenset())
    assert {verdicts.deploy.status, verdicts.rebuild.status} == {Status.UNKNOWN}


@given(random_findings)
def test_findings_are_sorted_and_unique_whatever_the_order(found):
    assert sort_findings(found) == sort_findings(list(reversed(found))) == sort_findings(found * 2)


def test_what_was_asked_about_one_model_of_a_bundle_is_no_answer_about_the_others():
    from preflight.container.writer import write_bundle

    one_kind = check(Fixture(write_bundle([om(), om()]), target(fixtures.NEW)))
    nano = fixtures.sample("nano.om").model
    mixed = check(Fixture(write_bundle([om(), nano]), target(fixtures.NEW)))
    assert mixed.verdicts.rebuild.status is Status.UNKNOWN
    assert Consequence.REBUILD in one_kind.asked
    assert Consequence.REBUILD not in mixed.asked


def test_models_in_a_bundle_are_loaded_by_the_standard_loader():
    from preflight.container.writer import write_bundle

    inner = fixtures.sample("single_op.om").model
    where = target(fixtures.NEW, soc=Fact("Ascend310P3", "the caller"))
    result = check(Fixture(write_bundle([inner]), where))
    assert not {f.rule for f in result.findings} & {"PF161", "PF162", "PF163", "PF164"}
    nested = check(Fixture(write_bundle([write_bundle([om()])]), where))
    assert nested.verdicts.deploy.decided_by == "PF104"


def test_a_finding_says_which_fact_makes_it_less_than_certain():
    mismatch = FIXTURES["other_architecture"]().model
    sure = check(Fixture(mismatch, target("ge-9.0.1"))).findings[0]
    assert (sure.rule, sure.certainty, sure.doubt) == ("PF301", Certainty.CERTAIN, "")
    inferred = check(Fixture(mismatch, target("ge-8.1"))).findings[0]
    assert (inferred.rule, inferred.certainty) == ("PF301", Certainty.LIKELY)
    assert inferred.doubt.startswith("the loader's soc_rule is inferred (spec/om-format.md")
    device = Fact("Ascend910B3", "a guess", certainty=Certainty.POSSIBLE)
    guessed = check(Fixture(mismatch, target("ge-9.0.1", soc=device))).findings[0]
    assert guessed.certainty is Certainty.POSSIBLE
    assert guessed.doubt == "the target's SoC is inferred (a guess)"
