"""Ways out, plans and results for programs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from preflight.plan.apply import ApplyResult
from preflight.plan.fleet import Coverage, Fleet
from preflight.plan.judge import Candidate
from preflight.plan.model import SCHEMA_VERSION, Plan


def ways_json(candidates: Sequence[Candidate], chosen: int, fleet: Fleet | None = None) -> str:
    """All ways with their plans; `chosen` is an index, shown counting from 1.

    `fleet` says of several models where each of them runs and what it needs elsewhere.
    """
    ways = [
        {
            "number": number,
            "reached": candidate.reached,
            "plan": full(candidate.plan),
            "models": [
                {
                    "model": model.model,
                    "runs_as": model.runs_as,
                    "target": model.target,
                    "predicted": model.status.value,
                    "left": [
                        {
                            "rule": f.rule,
                            "fingerprint": f.fingerprint,
                            "severity": f.severity.value,
                            "message": f.message,
                        }
                        for f in model.left
                    ],
                    "undecided": [{"rule": n.rule, "reason": n.reason} for n in model.undecided],
                }
                for model in candidate.outcome.models
            ],
        }
        for number, candidate in enumerate(candidates, 1)
    ]
    document: dict[str, object] = {
        "schema_version": SCHEMA_VERSION,
        "chosen": chosen + 1,
        "ways": ways,
    }
    if fleet is not None:
        document["fleet"] = _fleet(fleet)
    return _dump(document)


def _fleet(fleet: Fleet) -> dict[str, object]:
    def covered(cover: Coverage) -> dict[str, object]:
        return {"target": cover.spec, "models": [fleet.models[i] for i in sorted(cover.models)]}

    placed = fleet.placement
    return {
        "target": fleet.target,
        "single": placed.single,
        "smallest_set": [covered(group) for group in placed.groups],
        "nowhere": [fleet.models[i] for i in placed.nowhere],
        "targets": [covered(cover) for cover in placed.table if cover.models],
        "needs": [msgspec.to_builtins(need) for need in fleet.needs],
    }


def plan_json(plan: Plan, states: Mapping[str, str] | None = None) -> str:
    """One plan; `states` says where each step stands, from the journal."""
    document = full(plan)
    if states is not None:
        document["states"] = {step.id: states.get(step.id, "pending") for step in plan.steps}
    return _dump(document)


def result_json(result: ApplyResult) -> str:
    """What applying or rolling back has done."""
    return _dump({"schema_version": SCHEMA_VERSION, **msgspec.to_builtins(result)})


def full(plan: Plan) -> dict[str, object]:
    """The plan with every field, empty ones too: programs need not know the defaults."""
    return {str(k): v for k, v in _full(plan).items()}


def _full(value: msgspec.Struct) -> dict[str, object]:
    result: dict[str, object] = {}
    for name in value.__struct_fields__:
        result[name] = _plain(getattr(value, name))
    return result


def _plain(value: object) -> object:
    if isinstance(value, msgspec.Struct):
        return _full(value)
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    return msgspec.to_builtins(value)


def _dump(document: object) -> str:
    return msgspec.json.format(msgspec.json.encode(document), indent=2).decode() + "\n"
