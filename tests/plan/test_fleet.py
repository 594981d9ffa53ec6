"""Placing many models: the set is as small as can be, and everybody in it really runs there."""

from __future__ import annotations

from itertools import combinations
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from preflight.checks.engine import Result
from preflight.checks.verdicts import Verdicts
from preflight.container.types import Container, ContainerKind
from preflight.findings import PathVerdict, Status
from preflight.model.manifest import ModelFile
from preflight.plan.fleet import Placement, place
from preflight.plan.simulate import Simulation
from preflight.plan.workbench import Workbench
from preflight.target.types import Target
from tests.plan import stand_in
from tests.plan.facts import manifest


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
