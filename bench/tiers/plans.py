"""`agree.py plans DIR`: scenarios of models and a target against the plans that are made for them.

A scenario is a TOML (or JSON) file `scenario*.toml` in DIR or below it:

    title     = "…"
    models    = ["a.om"]                 # or model = "a.om"; paths relative to the scenario
    target    = "8.1.RC1/Ascend910B3"    # or a snapshot file beside the scenario
    [expect]
    as_is     = "blocked"                # verdict without a plan
    best      = "rebuild"                # kind of the best way
    predicted = "ok"                     # its verdict
    remaining = []                       # rule ids that have to go and stay after it
    must      = ["rebuild", "verify"]    # step kinds of the best way
    must_not  = ["change_target"]
    ways      = ["rebuild", "move_target"]   # kinds of ways that reach the goal
    arguments = ["--soc_version=Ascend910B3"]    # of some command of the best way
    absent    = ["--auto_tune_mode"]         # beginnings of arguments that no command has
    states    = ["norm.eps=0.0001"]          # attributes to state in the source model
    targets   = ["8.0.0/Ascend910B3"]        # beginnings of targets that the split way names

Keys that are left out are not compared. Every plan is also simulated again from its file text, and
each of its steps is taken away in turn: something must come back.
"""

from __future__ import annotations

import argparse
import json
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from preflight import api
from tiers.tally import Tally


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("dir", type=Path, help="a folder with scenario files")


def run(args: argparse.Namespace) -> Tally:
    """One row of the tally per scenario, grouped by the kind of the best way."""
    tally = Tally()
    for path in scenario_files(args.dir):
        scenario = load(path)
        ways = ways_of(scenario, path.parent)
        tally.record(ways.best.path.kind, path.stem, list(differences(scenario, ways)))
    tally.table()
    return tally


def scenario_files(folder: Path) -> list[Path]:
    """Every scenario below a folder, sorted."""
    found = [p for p in folder.rglob("scenario*") if p.suffix in (".toml", ".json")]
    return sorted(found)


def load(path: Path) -> dict[str, Any]:
    text = path.read_text(encoding="utf-8")
    loaded: dict[str, Any] = tomllib.loads(text) if path.suffix == ".toml" else json.loads(text)
    return loaded


def ways_of(scenario: dict[str, Any], folder: Path) -> api.WaysOut:
    """Solve a scenario; files that commands need count as present."""
    names = scenario.get("models") or [scenario["model"]]
    target = scenario["target"]
    spec = str(folder / target) if (folder / target).is_file() else target
    models = [api.read_model(folder / name) for name in names]
    options = api.PlanOptions(
        spec=spec,
        source_dir=folder,
        fills=scenario.get("set", {}),
        exists=lambda path: path.suffix != ".om",
    )
    return api.solve(models, api.load_target(spec), options)


def differences(scenario: dict[str, Any], ways: api.WaysOut) -> Iterator[str]:
    """What differs from the expectation, in words."""
    expect, best = scenario.get("expect", {}), ways.best
    kinds = {step.kind for step in best.plan.steps}
    reached = {c.path.kind for c in ways.candidates if c.reached}
    as_is = next(c for c in ways.candidates if c.path.kind == "as_is")
    yield from _differ("as_is", expect.get("as_is"), as_is.path.predicted)
    yield from _differ("best", expect.get("best"), best.path.kind)
    yield from _differ("predicted", expect.get("predicted"), best.path.predicted)
    left = sorted({finding.rule for finding in best.outcome.left})
    yield from _differ("remaining", expect.get("remaining"), left)
    yield from (f"no step {kind}" for kind in expect.get("must", ()) if kind not in kinds)
    yield from (f"there is a step {kind}" for kind in expect.get("must_not", ()) if kind in kinds)
    yield from (f"no way {kind}" for kind in expect.get("ways", ()) if kind not in reached)
    yield from _arguments(expect, best)
    yield from _split(expect, ways)
    yield from _sound(ways)


def _differ(name: str, expected: object, found: object) -> Iterator[str]:
    if expected is not None and expected != found:
        yield f"{name}: expected {expected}, found {found}"


def _arguments(expect: dict[str, Any], best: api.Candidate) -> Iterator[str]:
    given = [a for step in best.plan.steps for a in step.command]
    stated = {
        f"{s.operator}.{s.attribute}={s.value}" for step in best.plan.steps for s in step.statements
    }
    for wanted in expect.get("arguments", ()):
        if wanted not in given:
            yield f"no argument {wanted}"
    for start in expect.get("absent", ()):
        if any(argument.startswith(start) for argument in given):
            yield f"there is an argument {start}"
    for wanted in expect.get("states", ()):
        if wanted not in stated:
            yield f"{wanted} is not stated, only {sorted(stated)}"


def _split(expect: dict[str, Any], ways: api.WaysOut) -> Iterator[str]:
    named = {
        outcome.target
        for candidate in ways.candidates
        if candidate.path.kind == "split"
        for outcome in candidate.outcome.models
    }
    for wanted in expect.get("targets", ()):
        if not any(name.startswith(wanted) for name in named):
            yield f"no split way uses {wanted}, only {sorted(named)}"


def _sound(ways: api.WaysOut) -> Iterator[str]:
    """Plans survive being written and read, and no step of a plan that works is superfluous."""
    for candidate in ways.candidates:
        plan = candidate.plan
        again = api.plan_from_toml(api.plan_to_toml(plan))
        if again != plan or ways.simulation.run(again) != candidate.outcome:
            yield f"{plan.path.kind}: the plan changes when it is written and read"
        if not candidate.reached:
            continue
        for step in plan.steps:
            outcome = ways.simulation.run(api.plan_without(plan, step.id))
            if outcome.reached:
                yield f"{plan.path.kind}: step {step.id} can be left out"
