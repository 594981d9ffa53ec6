"""`agree.py plans DIR`: scenarios of models and a target against the plans that are made for them.

The form of a scenario is described in docs/plans.md ("Scenarios"). Files below DIR count that are
TOML or JSON and name a model and a target; a file may also hold several, as a list or under
`scenarios`. What stands in `expect` is compared, everything else is not; a key that nobody knows is
a disagreement, so that a misspelt expectation cannot pass. Every plan is also read again from its
text and simulated, and each step of a plan that works is taken away in turn: something must come
back.
"""

from __future__ import annotations

import argparse
import json
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from preflight import api
from preflight.errors import PreflightError
from tiers.tally import Tally

# The key that is compared, by the words in which it may be written.
EXPECTATIONS = {
    "as_is": "as_is",
    "best": "best",
    "best_way": "best",
    "way": "way",
    "predicted": "predicted",
    "verdict": "predicted",
    "remaining": "remaining",
    "remaining_findings": "remaining",
    "expected_remaining": "remaining",
    "expected_remaining_findings": "remaining",
    "must": "must",
    "must_appear": "must",
    "steps_must_appear": "must",
    "steps": "must",
    "required_steps": "must",
    "must_not": "must_not",
    "must_not_appear": "must_not",
    "steps_must_not_appear": "must_not",
    "forbidden_steps": "must_not",
    "ways": "ways",
    "arguments": "arguments",
    "absent": "absent",
    "states": "states",
    "targets": "targets",
    "error": "error",
}
_MODELS, _EXPECT = ("models", "model"), ("expect", "expected")
_ABOUT = {
    "title", "name", "id", "description", "target", "set", "source_dir", "waivers",
    "schema_version",
}  # fmt: skip


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("dir", type=Path, help="a folder with scenario files, or one such file")


def run(args: argparse.Namespace) -> Tally:
    """One row of the tally per scenario, grouped by the kind of the best way."""
    tally = Tally()
    for name, folder, scenario in scenarios(args.dir):
        group, found = compare(scenario, folder, args.dir)
        tally.record(group, name, found)
    tally.table()
    return tally


def scenarios(place: Path) -> Iterator[tuple[str, Path, dict[str, Any]]]:
    """Name, folder and content of every scenario below a folder, in the order of their paths."""
    files = [place] if place.is_file() else sorted(place.rglob("*"))
    for path in files:
        if path.suffix not in (".toml", ".json") or not path.is_file():
            continue
        base = path.name if path.is_file() and path == place else str(path.relative_to(place))
        documents = _documents(path)
        for number, document in enumerate(documents, 1):
            yield (f"{base}#{number}" if len(documents) > 1 else base), path.parent, document


def _documents(path: Path) -> list[dict[str, Any]]:
    """The scenarios in a file; snapshots, plans and other data are none."""
    text = path.read_text(encoding="utf-8")
    named = path.name.startswith("scenario")
    try:
        loaded = tomllib.loads(text) if path.suffix == ".toml" else json.loads(text)
    except ValueError as error:
        return [{"unreadable": str(error)}] if named else []
    if isinstance(loaded, dict):
        loaded = loaded.get("scenarios") or loaded.get("scenario") or loaded
    found = loaded if isinstance(loaded, list) else [loaded]
    return [d for d in found if isinstance(d, dict) and (named or _is_scenario(d))]


def _is_scenario(document: dict[str, Any]) -> bool:
    has_model = any(key in document for key in _MODELS)
    is_plan = "schema_version" in document and "path" in document
    return has_model and "target" in document and not is_plan


def compare(scenario: dict[str, Any], folder: Path, top: Path) -> tuple[str, list[str]]:
    """The group of a scenario and what differs from what it expects."""
    if "unreadable" in scenario:
        return "unreadable", [scenario["unreadable"]]
    expect, unknown = expectations(scenario)
    wrong = [f"nobody knows the key {key!r}" for key in unknown]
    try:
        ways = ways_of(scenario, folder, top)
    except PreflightError as error:
        if str(expect.get("error") or "\0") in str(error):
            return "refused", wrong
        return "refused", [*wrong, f"no plan: {error}"]
    if "error" in expect:
        wrong.append(f"error: expected {expect['error']!r}, found a plan")
    return ways.best.path.kind, [*wrong, *differences(expect, ways)]


def expectations(scenario: dict[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """What is expected, by the names of `EXPECTATIONS`, and the keys that nobody knows."""
    beside = {k: v for k, v in scenario.items() if k not in {*_MODELS, *_EXPECT, *_ABOUT}}
    given = dict(beside)
    for key in _EXPECT:
        given |= scenario.get(key, {})
    known = {EXPECTATIONS[k]: v for k, v in given.items() if k in EXPECTATIONS}
    return known, [k for k in given if k not in EXPECTATIONS]


def ways_of(scenario: dict[str, Any], folder: Path, top: Path | None = None) -> api.WaysOut:
    """Solve a scenario; files that commands need count as present."""
    given = scenario.get("models") or scenario.get("model") or []
    listed = [given] if isinstance(given, str | dict) else given
    names = [item["path"] if isinstance(item, dict) else item for item in listed]
    spec = _target(scenario.get("target", ""), folder, top)
    waivers = scenario.get("waivers")
    options = api.PlanOptions(
        spec=spec,
        source_dir=folder / scenario.get("source_dir", "."),
        fills=scenario.get("set", {}),
        exists=lambda path: path.suffix != ".om",
        waivers=api.load_waivers(_beside(waivers, folder, top)) if waivers else (),
    )
    models = [api.read_model(_beside(name, folder, top)) for name in names]
    return api.solve(models, api.load_target(spec), options)


def _beside(name: str, folder: Path, top: Path | None) -> Path:
    """A path relative to the scenario, or else to the folder that was given."""
    there = folder / name
    return there if there.exists() or top is None else top / name


def _target(given: str | Mapping[str, str], folder: Path, top: Path | None) -> str:
    """A catalogue name, or the full path of a snapshot or an installation, "@SoC" kept."""
    if isinstance(given, Mapping):
        parts = (given.get("release"), given.get("soc"), given.get("host"))
        return "/".join(part for part in parts if part)
    name, at, soc = given.rpartition("@")
    name = name if at else given
    place = _beside(name, folder, top)
    if name and place.exists():
        return str(place.absolute()) + (f"@{soc}" if at else "")
    return given


def differences(expect: dict[str, Any], ways: api.WaysOut) -> Iterator[str]:
    """What differs from the expectation, in words."""
    looked_at = ways.best
    if "way" in expect:
        kind = _kind(expect["way"])
        same = [c for c in ways.candidates if c.path.kind == kind]
        if not same:
            yield f"no way {kind}"
            return
        looked_at = same[0]
    reached = {c.path.kind for c in ways.candidates if c.reached}
    as_is = next(c for c in ways.candidates if c.path.kind == "as_is")
    yield from _differ("as_is", expect.get("as_is"), as_is.path.predicted)
    yield from _differ("best", _kind(expect.get("best")), ways.best.path.kind)
    yield from _differ("predicted", expect.get("predicted"), looked_at.path.predicted)
    yield from _remaining(expect, looked_at)
    for wanted in _listed(expect, "must"):
        if not any(_is_step(wanted, step) for step in looked_at.plan.steps):
            yield f"no step {wanted}, only {[s.kind for s in looked_at.plan.steps]}"
    for wanted in _listed(expect, "must_not"):
        if any(_is_step(wanted, step) for step in looked_at.plan.steps):
            yield f"there is a step {wanted}"
    for wanted in _listed(expect, "ways"):
        if _kind(wanted) not in reached:
            yield f"no way {wanted} reaches the goal, only {sorted(reached)}"
    yield from _arguments(expect, looked_at)
    yield from _split(expect, ways)
    yield from _sound(ways)


def _differ(name: str, expected: object, found: object) -> Iterator[str]:
    if expected is not None and expected != found:
        yield f"{name}: expected {expected}, found {found}"


def _listed(expect: dict[str, Any], key: str) -> list[str]:
    given = expect.get(key) or []
    return [given] if isinstance(given, str) else list(given)


def _kind(text: str | None) -> str | None:
    return text.strip().lower().replace("-", "_").replace(" ", "_") if text is not None else None


def _is_step(wanted: str, step: api.Step) -> bool:
    """Whether a step is of that kind and, after a colon, has that text."""
    kind, colon, text = wanted.partition(":")
    said = "\n".join((step.title, step.instruction, step.model, *step.command, *step.reasons))
    return _kind(kind) == step.kind and (not colon or text.strip() in said)


def _remaining(expect: dict[str, Any], candidate: api.Candidate) -> Iterator[str]:
    """Exactly these findings have to go and stay; warnings and open checks may be named, too."""
    if "remaining" not in expect:
        return
    wanted = set(_listed(expect, "remaining"))
    left = {(f.rule, f.name) for f in candidate.outcome.left}
    stay = {name for pair in left for name in pair}
    for model in candidate.outcome.models:
        stay |= {name for f in model.result.findings for name in (f.rule, f.name)}
        stay |= {item.rule for item in model.undecided}
    extra = sorted(rule for rule, name in left if not {rule, name} & wanted)
    gone = sorted(wanted - stay)
    if extra or gone:
        yield f"remaining: not expected {extra}, expected but gone {gone}"


def _arguments(expect: dict[str, Any], candidate: api.Candidate) -> Iterator[str]:
    steps = candidate.plan.steps
    given = [a for step in steps for a in step.command]
    stated = {f"{s.operator}.{s.attribute}={s.value}" for step in steps for s in step.statements}
    for wanted in _listed(expect, "arguments"):
        if not any(a == wanted or a.startswith(f"{wanted}=") for a in given):
            yield f"no argument {wanted}"
    for start in _listed(expect, "absent"):
        if any(argument.startswith(start) for argument in given):
            yield f"there is an argument {start}"
    for wanted in _listed(expect, "states"):
        if wanted not in stated:
            yield f"{wanted} is not stated, only {sorted(stated)}"


def _split(expect: dict[str, Any], ways: api.WaysOut) -> Iterator[str]:
    split = [c for c in ways.candidates if c.path.kind == "split"]
    named = {outcome.target for candidate in split for outcome in candidate.outcome.models}
    for wanted in _listed(expect, "targets"):
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
            if api.is_superfluous(ways.simulation, plan, step.id):
                yield f"{plan.path.kind}: step {step.id} can be left out"
