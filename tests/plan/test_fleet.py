"""Placing many models: the set is as small as can be, and everybody in it really runs there."""

from __future__ import annotations

import json
import re
from itertools import combinations
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from preflight.checks.engine import Result
from preflight.checks.verdicts import Verdicts
from preflight.container.types import Container, ContainerKind
from preflight.findings import PathVerdict, Status
from preflight.model.file import read_model as real_model
from preflight.model.manifest import ModelFile
from preflight.plan.fleet import Placement, place
from preflight.plan.paths import PlanOptions
from preflight.plan.simulate import Simulation
from preflight.plan.solve import solve
from preflight.plan.workbench import Workbench
from preflight.render.plan_fleet import fleet_lines
from preflight.render.plan_json import ways_json
from preflight.target.resolve import load_target
from preflight.target.types import Target
from tests.plan import stand_in
from tests.plan.facts import manifest

SCENARIOS = Path(__file__).resolve().parent / "scenarios"


def placed(table: list[set[int]], count: int, status: Status = Status.BLOCKED) -> Placement:
    """Place `count` models on targets that run the models in `table`."""

    def check(model: ModelFile, target: Target) -> Result:
        runs = int(model.path) in table[int(target.name)]
        verdict = PathVerdict(Status.OK if runs else status)
        return Result((), (), (), (), frozenset(), Verdicts(verdict, verdict))

    def read(number: int) -> ModelFile:
        said = replace(manifest(), soc_version=str(number))
        return ModelFile(str(number), Container(ContainerKind.OM, "", 0), said)

    bench: Any = replace(stand_in.BENCH, check=check)
    assert isinstance(bench, Workbench)
    models = [read(n) for n in range(count)]
    simulation = Simulation(models, stand_in.target("0"), bench)
    return place(simulation, models, [str(n) for n in range(len(table))])


@settings(max_examples=80, deadline=None)
@given(st.integers(1, 6), st.lists(st.sets(st.integers(0, 5)), min_size=1, max_size=7))
def test_no_smaller_set_will_do(count: int, table: list[set[int]]) -> None:
    found = placed(table, count)
    wanted = {n for runs in table for n in runs if n < count}
    assert set(found.nowhere) == set(range(count)) - wanted
    together = [n for group in found.groups for n in group.models]
    assert sorted(together) == sorted(wanted)
    for group in found.groups:
        assert group.models <= table[int(group.spec)]
    size = len(found.groups)
    if 0 < size <= 3:
        for some in combinations(table, size - 1):
            assert not wanted <= set().union(*some)


def test_one_target_for_all_is_named() -> None:
    assert placed([{0}, {0, 1, 2}, {1}], 3).single == "1"
    assert placed([{0}, {1}], 2).single == ""
    assert placed([{0, 1}], 3).single == ""


def test_unknown_does_not_count_as_running() -> None:
    assert placed([set()], 1, Status.UNKNOWN).nowhere == (0,)


def test_large_sets_are_covered_too() -> None:
    table = [{n} for n in range(6)]
    assert len(placed(table, 6).groups) == 6


def test_models_that_are_alike_are_checked_where_they_are_placed() -> None:
    """Two models say the same about themselves, and one of them does not run all the same."""
    asked: list[tuple[str, str]] = []

    def check(model: ModelFile, target: Target) -> Result:
        asked.append((model.path, target.name))
        status = Status.BLOCKED if model.path == "odd" else Status.OK
        verdict = PathVerdict(status)
        return Result((), (), (), (), frozenset(), Verdicts(verdict, verdict))

    bench: Any = replace(stand_in.BENCH, check=check)
    container = Container(ContainerKind.OM, "", 0)
    models = [ModelFile(name, container, manifest()) for name in ("a", "odd", "b")]
    simulation = Simulation(models, stand_in.target("0"), bench)
    found = place(simulation, models, ["0", "1", "2"])
    assert found.groups[0].models == {0, 2}
    assert found.nowhere == (1,)
    assert len(asked) == 5


def test_what_all_run_on_is_said_as_a_table() -> None:
    spec = "8.0.0/Ascend910B3/linux-aarch64"
    names = ["dynamic_8.0.0.om", "dynamic_8.1.RC1.om", "static_910B3.om"]
    models = [real_model(SCENARIOS / name) for name in names]
    found = solve(models, load_target(spec), PlanOptions(spec=spec))
    fleet = found.fleet
    assert fleet is not None
    assert [g.spec for g in fleet.placement.groups] == [spec, "8.1.RC1/Ascend910B3/linux-aarch64"]
    (need,) = fleet.needs
    assert (Path(need.model).name, need.rules) == ("dynamic_8.1.RC1.om", ("PF403",))
    text = "\n".join(fleet_lines(fleet))
    assert "the smallest set on which all of them run: 2 targets" in text
    assert re.search(
        r"^\*> 8\.0\.0/Ascend910B3/linux-aarch64 +2/3  dynamic_8\.0\.0\.om, ", text, re.M
    )
    assert re.search(
        r"^\*  8\.1\.RC1/Ascend910B3/linux-aarch64 +2/3  dynamic_8\.1\.RC1\.om$", text, re.M
    )
    assert "dynamic_8.1.RC1.om: Compile again with operator package 7.6.0.1.220 (PF403)" in text
    assert max(map(len, text.splitlines())) <= 100
    document = json.loads(ways_json(found.candidates, 0, fleet))["fleet"]
    assert [len(group["models"]) for group in document["smallest_set"]] == [2, 1]
    assert document["nowhere"] == []


def test_a_model_that_runs_nowhere_is_compiled_and_the_others_are_placed() -> None:
    base = real_model(SCENARIOS / "dynamic_8.0.0.om")
    assert base.manifest is not None
    stray = replace(base, path="/m/stray.om", manifest=replace(base.manifest, opp_version="1.2.3"))
    models = [base, real_model(SCENARIOS / "dynamic_8.1.RC1.om"), stray]
    spec = "8.0.0/Ascend910B3/linux-aarch64"
    found = solve(models, load_target(spec), PlanOptions(spec=spec))
    assert found.fleet is not None
    assert found.fleet.placement.nowhere == (2,)
    assert "   nowhere as it is: stray.om" in fleet_lines(found.fleet)
    split = next(c for c in found.candidates if c.path.kind == "split")
    assert split.reached
    assert [s.model for s in split.plan.steps if s.kind == "rebuild"] == ["/m/stray.om"]


def test_one_model_needs_no_table() -> None:
    spec = "8.1.RC1/Ascend910B3/linux-aarch64"
    model = real_model(SCENARIOS / "dynamic_8.0.0.om")
    assert solve([model], load_target(spec), PlanOptions(spec=spec)).fleet is None
