"""What makes files run as they are: a package, another environment, the file fetched again."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct, field

from preflight.findings import Finding, Remedy
from preflight.model.manifest import ModelFile
from preflight.plan import phrases
from preflight.plan.model import Effect, Step
from preflight.plan.simulate import Simulation, deploy_findings
from preflight.plan.vendors import search_path_remedy, vendor_of
from preflight.target.types import Target

_MENDING = ("install_package", "set_environment", "replace_file")


class _Mend(Struct):
    """One piece of work and the findings that it answers."""

    kind: str
    model: str
    vendor: str
    pairs: list[tuple[Finding, Remedy]] = field(default_factory=list)


def mends(
    simulation: Simulation,
    models: Sequence[ModelFile],
    goal: Target,
    spec: str,
    number: int = 0,
) -> list[Step]:
    """The steps after which these files run on `goal`; [] when a finding has no such remedy.

    One step for each package and for each file, however many findings it answers. `number` keeps
    the ids of steps apart in a plan with several groups of them.
    """
    found: dict[tuple[str, str], _Mend] = {}
    for model in models:
        for finding in deploy_findings(simulation.check(model, goal), goal):
            remedy = _remedy(finding, goal)
            if remedy is None:
                return []
            vendor = vendor_of(finding, goal)
            about = model.path if remedy.kind == "replace_file" else finding.fingerprint
            key = (remedy.kind, vendor or about)
            mend = found.setdefault(key, _Mend(remedy.kind, model.path, vendor))
            mend.pairs.append((finding, remedy))
    recapture = goal.origin == "snapshot"
    return [
        _step(mend, number * 100 + n, spec, recapture) for n, mend in enumerate(found.values(), 1)
    ]


def _remedy(finding: Finding, goal: Target) -> Remedy | None:
    """The first remedy that leaves the file as it is and can help on this target."""
    remedy = search_path_remedy(finding, goal)
    if remedy is not None:
        return remedy
    remedy = next((r for r in finding.remedies if r.kind in _MENDING), None)
    says_its_host = bool(goal.host_os.value and goal.host_cpu.value)
    if remedy is not None and "target_host" in finding.facts and says_its_host:
        return None  # the target does say which host it is; it is another one
    return remedy


def _step(mend: _Mend, number: int, spec: str, recapture: bool) -> Step:
    fingerprints = tuple(dict.fromkeys(finding.fingerprint for finding, _ in mend.pairs))
    effect = Effect(vendor=mend.vendor) if mend.vendor else Effect(settles=fingerprints)
    step_id = f"{mend.kind.replace('_', '-')}-{number}"
    recapture = recapture and mend.kind != "replace_file"
    return phrases.mend_step(step_id, mend.kind, mend.pairs, mend.model, spec, effect, recapture)
