"""Many models: the release, or the smallest set of (release, SoC), on which all of them run."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import combinations

from msgspec import Struct

from preflight.findings import Finding, Status
from preflight.model.manifest import ModelFile
from preflight.plan.rebuilt import accepting_its_models
from preflight.plan.simulate import Simulation, deploy_findings
from preflight.target.types import Target

_EXACT_SETS = 3  # sets up to this size are searched exactly, larger ones greedily
_MOST_COVERS = 400  # distinct answers that take part in the exact search


class Coverage(Struct, frozen=True):
    """A target by name and the indices of the models that run there as they are."""

    spec: str
    models: frozenset[int]


class Placement(Struct, frozen=True):
    """Where models run. `groups`: a target and the indices placed there; `nowhere` run nowhere.

    `table` has every target that was looked at, best first.
    """

    groups: tuple[Coverage, ...]
    nowhere: tuple[int, ...]
    table: tuple[Coverage, ...]

    @property
    def single(self) -> str:
        """The one target on which all run, empty when there is none."""
        return self.groups[0].spec if len(self.groups) == 1 and not self.nowhere else ""


class Need(Struct, frozen=True):
    """What one model needs where it does not run as it is: the rules, and what to do in words."""

    model: str
    rules: tuple[str, ...]
    words: tuple[str, ...]


class Fleet(Struct, frozen=True):
    """Many models together: where they run, and what the others need on the plan's target.

    `models` are their paths, in the order of the indices in `placement`.
    """

    models: tuple[str, ...]
    target: str
    placement: Placement
    needs: tuple[Need, ...]


def survey(
    simulation: Simulation, models: Sequence[ModelFile], target: Target, specs: Sequence[str]
) -> Fleet:
    """Where these models run of `specs`, of which the first names `target`, and what they lack."""
    return Fleet(
        tuple(m.path for m in models),
        specs[0],
        place(simulation, models, specs),
        tuple(_needs(simulation, models, target)),
    )


def _needs(simulation: Simulation, models: Sequence[ModelFile], target: Target) -> Iterator[Need]:
    for model in models:
        if runs(simulation, model, target):
            continue
        result = simulation.check(model, target)
        found = deploy_findings(result, target)
        words = [_words(f) for f in found]
        rules = [f.rule for f in found]
        if not found:
            open_ends = [n for n in result.not_evaluated if n.blocking]
            rules, words = [n.rule for n in open_ends], [n.reason for n in open_ends]
        yield Need(model.path, tuple(dict.fromkeys(rules)), tuple(dict.fromkeys(words)))


def _words(finding: Finding) -> str:
    """What to do about a finding on this target: compile again where that helps."""
    kept = [r for r in finding.remedies if r.kind != "change_target"] or finding.remedies
    best = sorted(kept, key=lambda r: r.kind != "rebuild")
    return best[0].summary if best else finding.message


def place(
    simulation: Simulation,
    models: Sequence[ModelFile],
    specs: Sequence[str],
    progress: Callable[[str], None] | None = None,
) -> Placement:
    """The smallest set of these targets on which every model runs that runs anywhere.

    Of equal sets, the one whose targets come first in `specs`. A model whose verdict is unknown
    does not count as running. `table` goes by models that are alike (`_alike`).
    """
    table: list[Coverage] = []
    alike = _alike(models)
    for spec in specs:
        if progress is not None:
            progress(spec)
        target = simulation.target_of(spec)
        good = [same for same in alike if runs(simulation, models[same[0]], target)]
        table.append(Coverage(spec, frozenset(i for same in good for i in same)))
    ordered = tuple(sorted(table, key=lambda c: -len(c.models)))
    reachable = frozenset().union(*(c.models for c in table))
    chosen = _smallest_cover(_maximal(ordered), reachable)
    groups: list[Coverage] = []
    left = set(reachable)
    for cover in sorted(chosen, key=lambda c: -len(c.models)):
        target = simulation.target_of(cover.spec)
        mine = {i for i in cover.models & left if runs(simulation, models[i], target)}
        groups.append(Coverage(cover.spec, frozenset(mine)))
        left -= mine
    nowhere = tuple(i for i in range(len(models)) if i not in reachable or i in left)
    return Placement(tuple(groups), nowhere, ordered)


def _alike(models: Sequence[ModelFile]) -> list[list[int]]:
    """Indices of models that say the same about device, versions and host, together.

    One of each group stands for the others while targets are looked for; where a model is placed in
    the end, it is checked itself.
    """
    groups: dict[object, list[int]] = {}
    for index, model in enumerate(models):
        groups.setdefault(_signature(model), []).append(index)
    return list(groups.values())


def _signature(model: ModelFile) -> object:
    container, manifest = model.container, model.manifest
    blocks = tuple((b.declared_count, tuple(p.id for p in b.partitions)) for b in container.blocks)
    header = container.header
    outside = (
        container.kind,
        blocks,
        tuple(fault.check for fault in model.faults),
        tuple(_signature(inner) for inner in model.nested),
        (header.version, header.need_check_os_cpu_info, header.is_dynamic) if header else None,
    )
    if manifest is None:
        return outside
    return outside, (
        manifest.soc_version,
        manifest.arch_type,
        manifest.opp_version,
        manifest.compiler_version,
        manifest.host_env_os,
        manifest.host_env_cpu,
        manifest.so_store.loaded,
        bool(manifest.external_weights),
    )


def runs(simulation: Simulation, model: ModelFile, target: Target) -> bool:
    """Whether a model is known to run on a target as it is."""
    if target.name != simulation.own_name:  # there the rules say themselves what is not known
        target = accepting_its_models(target, model)
    result = simulation.check(model, target)
    known = result.verdicts.deploy.status in (Status.OK, Status.OK_WITH_WARNINGS)
    return known and not deploy_findings(result, target)


def _maximal(table: Sequence[Coverage]) -> list[Coverage]:
    """Targets whose models are not all covered by an earlier one."""
    kept: list[Coverage] = []
    for cover in table:
        if cover.models and not any(cover.models <= other.models for other in kept):
            kept.append(cover)
    return kept[:_MOST_COVERS]


def _smallest_cover(table: Sequence[Coverage], wanted: frozenset[int]) -> list[Coverage]:
    if not wanted:
        return []
    for size in range(1, _EXACT_SETS + 1):
        for some in combinations(table, size):
            if wanted <= frozenset().union(*(c.models for c in some)):
                return list(some)
    chosen: list[Coverage] = []
    left = set(wanted)
    while left:
        best = max(table, key=lambda c: len(c.models & left))
        chosen.append(best)
        left -= best.models
    return chosen
