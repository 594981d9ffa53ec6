"""T5: a whole load with an environment, against `api.check_model`.

`input.files` become an install root, `oppenv/` below it is what ASCEND_OPP_PATH names, and
`input.soc` is the assumed answer of the runtime's SoC check. The vectors stop where the model is
read and its environment compared; what a device would refuse later is not looked at.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from preflight import api
from tiers.releases import behaviour_of

# Step ids of the rules -> `stage` of the vectors.
STAGES = {
    "soc.arch.old": "soc",
    "soc.arch.new": "soc",
    "env.os_cpu": "oscpu",
    "env.abi_range": "abi",
    "env.opp_equal": "opp_equal",
    "weight.dir": "weight_dir",
}
WEIGHTS_DATA = 1
BEFORE_SOC = ("api.", "file.", "hdr.", "tab.", "part.")
LATER = ("v1.", "rt2.")  # steps behind LoadRootModel


def differences(row: dict[str, Any], folder: Path) -> list[str]:
    """What the row says and the rules do not."""
    model = api.read_model((folder / row["file"]).read_bytes(), loader="standard")
    with tempfile.TemporaryDirectory() as name:
        result = _check(row, model, Path(name))
    expected = row["expected"]
    first = result.first_failure
    answer = first.loader if first is not None else None
    if answer is not None and answer.step.startswith(LATER):
        answer = None
    found = {
        "stage": _stage(answer.step) if answer else "ok",
        "acl_status": answer.status if answer else 0,
        "acl_status_name": answer.status_name if answer else "SUCCESS",
        "soc_check_calls": _soc_calls(row, model, expected["stage"]),
        **_loaded(expected, model),
        "message_codes": list(answer.message_codes) if answer else _accepted_codes(result),
    }
    if answer is not None and answer.internal_status is not None:
        # The runtime's own 507008 becomes 1343225857 on the way, which the caller never sees.
        found["status"] = answer.internal_status
    problems = [
        f"{key}: expected {expected[key]!r}, found {value!r}"
        for key, value in found.items()
        if key in expected and value != expected[key] and (key, found["stage"]) != ("status", "soc")
    ]
    status = result.verdicts.deploy.status
    if expected["acl_status"] and status != "blocked":
        problems.append(f"refused by the loader, deploy is {status.value}")
    if not expected["acl_status"] and answer is None and _unknown_before(result):
        problems.append(f"accepted by the loader, deploy is unknown: {_unknown_before(result)}")
    return problems


def _soc_calls(row: dict[str, Any], model: Any, stage: str) -> list[list[str]]:
    """What the loader hands to the runtime's SoC check: of the model that comes first, if any."""
    manifest = model.manifest
    before = stage.startswith(BEFORE_SOC) or (
        stage == "def.parse" and _first_block_is_broken(model)
    )
    if manifest is None or before:
        return []
    if behaviour_of(row["ge_version"]).soc_rule == "arch_type":
        return [[manifest.soc_version, manifest.arch_type]]
    return [[manifest.soc_version]] if manifest.soc_version else []


def _first_block_is_broken(model: Any) -> bool:
    return any(f.check.startswith("def.") and not f.block for f in model.standard_faults)


def _loaded(expected: dict[str, Any], model: Any) -> dict[str, Any]:
    """What a model is after loading, where the row says so."""
    manifest = model.manifest
    if "models" not in expected or manifest is None:
        return {}
    store = manifest.so_store
    weights = model.container.blocks[0].first(WEIGHTS_DATA)
    roots = {graph.block: graph.name for graph in reversed(manifest.graphs)}
    return {
        "dynamic": manifest.dynamic,
        "models": [roots[block] for block in sorted(roots)],
        "so_bins": len(store.libraries),
        "so_info": {
            "opp_version": manifest.opp_version if store.loaded else "",
            "compiler_version": manifest.compiler_version if store.loaded else "",
            "os": manifest.host_env_os if store.loaded else "",
            "cpu": manifest.host_env_cpu if store.loaded else "",
        },
        "weight_size": weights.size if weights is not None else 0,
    }


def _check(row: dict[str, Any], model: Any, root: Path) -> Any:
    given = row["input"]
    for path, text in given.get("files", {}).items():
        place = root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(_raw(text))
    opp = root / ("oppenv" if given.get("opp_env", True) else "x/ops")
    target = api.target_from_install(
        root,
        opp_path=opp,
        behaviour=behaviour_of(row["ge_version"]),
        soc_answer=given.get("soc", "pass"),
    )
    assumptions = api.Assumptions(loader="standard", weight_path=given.get("weight_path"))
    return api.check_model(model, target, assumptions=assumptions)


def _raw(text: str | dict[str, list[int]]) -> bytes:
    """The bytes of a file; those outside printable ASCII are given as numbers."""
    return bytes(text["bytes"]) if isinstance(text, dict) else text.encode()


def _stage(step: str) -> str:
    if step.startswith("def.") and step != "def.decompress":
        return "def.parse"
    return STAGES.get(step, step)


def _accepted_codes(result: Any) -> list[str]:
    """Message codes that the log has although the load succeeds."""
    codes: dict[str, None] = {}
    for finding in result.findings:
        if finding.loader is not None and finding.loader.status == 0:
            codes.update(dict.fromkeys(finding.loader.message_codes))
    return list(codes)


def _unknown_before(result: Any) -> str:
    """Blocking rules of the compared steps that could not be decided."""
    steps = {r.id: r.loader.step for r in api.load_rules().rules if r.loader is not None}
    return ", ".join(
        item.rule
        for item in result.not_evaluated
        if item.blocking and not steps.get(item.rule, LATER[0]).startswith(LATER)
    )
