"""T7: the single-operator loader on files of T1 and T5, against `api.check_model`.

The vectors cover DeserializeModel; that a model has no operator to register (sop.attrs and later)
is beyond them.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from preflight import api
from tiers.bare import bare_target
from tiers.releases import behaviour_of

COVERED = ("sop.size", "sop.table")


def differences(row: dict[str, Any], folder: Path) -> list[str]:
    """What the row says and the rules do not."""
    model = api.read_model((folder / row["file"]).read_bytes(), loader=row["loader"])
    result = api.check_model(
        model,
        bare_target(row["ge_version"], row["input"].get("soc", "pass")),
        assumptions=api.Assumptions(loader=row["loader"]),
    )
    expected = row["expected"]["acl_status"]
    refusals = [f for f in result.findings if f.loader and f.loader.step in COVERED]
    answers = [f.loader for f in refusals]
    found = answers[0].status if answers else 0
    problems = []
    checked = _soc_checked(row["ge_version"], model, refusals)
    if checked != row["expected"]["soc_checked"]:
        problems.append(f"soc_checked: expected {not checked}, found {checked}")
    if found != expected:
        problems.append(f"acl_status: expected {expected}, found {found}")
    if answers and answers[0].status_name != row["expected"]["acl_status_name"]:
        problems.append(f"status name: found {answers[0].status_name}")
    if expected and result.verdicts.deploy.status != "blocked":
        problems.append(f"refused by the loader, deploy is {result.verdicts.deploy.status.value}")
    return problems


def _soc_checked(ge_version: str, model: Any, refusals: list[Any]) -> bool:
    """Whether the loader came to the runtime's SoC check; from 9.1 on only with a soc_version."""
    manifest = model.manifest
    about_soc = [any(e.subject == "soc_version" for e in f.evidence) for f in refusals]
    if manifest is None or not all(about_soc):
        return False
    old = behaviour_of(ge_version).soc_rule == "arch_type"
    return old or bool(manifest.soc_version)
