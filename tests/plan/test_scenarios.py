"""Every scenario, from file to verified plan; and what the comparison of scenarios notices."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from preflight.checks.steps import STEP_KINDS
from tests.plan.scenarios import make

ROOT = Path(__file__).resolve().parents[2]
HERE = Path(__file__).resolve().parent / "scenarios"
sys.path.insert(0, str(ROOT / "bench"))

from tiers import plans  # noqa: E402

SCENARIOS = list(plans.scenarios(HERE))
ALIKE = HERE / "static_910B3.om"


def test_there_is_a_scenario_for_each_way_of_failing() -> None:
    assert len(SCENARIOS) >= 20


@pytest.mark.parametrize(
    ("folder", "scenario"), [s[1:] for s in SCENARIOS], ids=[s[0] for s in SCENARIOS]
)
def test_scenario(folder: Path, scenario: dict[str, object]) -> None:
    assert plans.compare(scenario, folder, HERE)[1] == []


def test_every_kind_of_step_is_planned_somewhere_and_says_all_there_is_to_say() -> None:
    seen: set[str] = set()
    for _, folder, scenario in SCENARIOS:
        if "error" in plans.expectations(scenario)[0]:
            continue
        for candidate in plans.ways_of(scenario, folder, HERE).candidates:
            for step in candidate.plan.steps:
                seen.add(step.kind)
                assert step.expected, step
                assert step.check, step
                assert step.undo, step
                assert step.reasons, step
                assert step.title, step
    assert seen == STEP_KINDS


def test_the_files_are_what_the_writers_make() -> None:
    for name, content in make.files().items():
        assert (HERE / name).read_bytes() == content, name


def outcome(folder: Path, **document: object) -> tuple[str, list[str]]:
    """What comparing one scenario, written as JSON, says."""
    (folder / "some.json").write_text(json.dumps(document))
    found = list(plans.scenarios(folder))
    assert len(found) == 1
    return plans.compare(found[0][2], found[0][1], folder)


BLOCKED = {"model": str(HERE / "plain_910B.om"), "target": "8.1.RC1/Ascend910B3/linux-aarch64"}


@pytest.mark.parametrize(
    ("expect", "said"),
    [
        ({"best": "move_target"}, "best: expected move_target, found rebuild"),
        ({"must": ["change_target"]}, "no step change_target"),
        ({"must": ["rebuild: --soc_version=Ascend310"]}, "no step rebuild: --soc_version"),
        ({"must_not": ["roll-out"]}, "there is a step roll-out"),
        ({"remaining": ["PF301"]}, "expected but gone ['PF301']"),
        ({"way": "as_is", "remaining": []}, "not expected ['PF301']"),
        ({"arguments": ["--host_env_os"]}, "no argument --host_env_os"),
        ({"absent": ["--soc"]}, "there is an argument --soc"),
        ({"predcited": "ok"}, "nobody knows the key 'predcited'"),
        ({"error": "anything"}, "found a plan"),
    ],
)
def test_each_kind_of_difference_is_said(
    tmp_path: Path, expect: dict[str, object], said: str
) -> None:
    (difference,) = outcome(tmp_path, **BLOCKED, expect=expect)[1]
    assert said in difference


@pytest.mark.parametrize(
    "expect",
    [
        {"remaining_findings": [], "steps_must_appear": "Roll-Out"},
        {"way": "as_is", "remaining": "soc-architecture-mismatch"},
        {"way": "move_target", "must": ["change target"], "forbidden_steps": ["rebuild"]},
    ],
)
def test_the_words_of_a_scenario_may_vary(tmp_path: Path, expect: dict[str, object]) -> None:
    assert outcome(tmp_path, **BLOCKED, expected=expect)[1] == []
    assert outcome(tmp_path, **BLOCKED, **expect)[1] == []


def test_a_model_that_is_not_there_is_a_difference_and_not_the_end(tmp_path: Path) -> None:
    group, found = outcome(tmp_path, model="nowhere.om", target=BLOCKED["target"])
    assert group == "refused"
    assert "nowhere.om" in found[0]


def test_plans_and_snapshots_in_the_folder_are_no_scenarios(tmp_path: Path) -> None:
    ways = plans.ways_of(BLOCKED, HERE)
    (tmp_path / "plan.toml").write_text(plans.api.plan_to_toml(ways.best.plan))
    (tmp_path / "target.toml").write_bytes((HERE / "dropped_vendor.toml").read_bytes())
    (tmp_path / "notes.json").write_text('{"some": "data"}')
    (tmp_path / "both.json").write_text(json.dumps({"scenarios": [BLOCKED, BLOCKED]}))
    assert [name for name, _, _ in plans.scenarios(tmp_path)] == ["both.json#1", "both.json#2"]


def test_a_scenario_that_cannot_be_read_is_a_difference(tmp_path: Path) -> None:
    (tmp_path / "scenario_x.toml").write_text("model = ")
    ((_, folder, document),) = plans.scenarios(tmp_path)
    assert plans.compare(document, folder, tmp_path)[0] == "unreadable"
