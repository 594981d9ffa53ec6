"""Every scenario, from file to verified plan; and no step of a plan is superfluous."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.plan.scenarios import make

ROOT = Path(__file__).resolve().parents[2]
HERE = Path(__file__).resolve().parent / "scenarios"
sys.path.insert(0, str(ROOT / "bench"))

from tiers import plans  # noqa: E402

SCENARIOS = plans.scenario_files(HERE)


def test_there_is_a_scenario_for_each_way_of_failing() -> None:
    assert len(SCENARIOS) >= 8


@pytest.mark.parametrize("path", SCENARIOS, ids=lambda p: p.stem)
def test_scenario(path: Path) -> None:
    scenario = plans.load(path)
    ways = plans.ways_of(scenario, path.parent)
    assert list(plans.differences(scenario, ways)) == []
    assert ways.best.reached


def test_the_files_are_what_the_writers_make() -> None:
    for name, content in make.files().items():
        assert (HERE / name).read_bytes() == content, name
