"""T1: headers, partition tables and bundles, against the reader and the rules.

Structure (dynamic, blocks, nested models) comes from `api.read_container`; check, status and message
codes from a whole check with that loader. These vectors stop behind the tables, so a refusal at a
later step counts as passing here.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from preflight import api
from tiers.bare import bare_target

SUCCESS = "SUCCESS"
MUST = ("check", "acl_status")  # a row without them says nothing
CONTAINER_STEPS = ("file.", "hdr.", "tab.", "part.", "bundle.size", "bundle.type", "bundle.var_")


def differences(row: dict[str, Any], folder: Path) -> list[str]:
    data = (folder / row["file"]).read_bytes()
    expected = row["expected"]
    result = api.check_model(
        data,
        bare_target(row["ge_version"]),
        assumptions=api.Assumptions(loader=row["reader"]),
    )
    # The look for a package (9.1 on) stands before the reader that these vectors ran.
    covered = [f for f in result.findings if f.loader and f.loader.step.startswith(CONTAINER_STEPS)]
    first = api.first_failure(covered)
    answer = None if first is None else first.loader
    container = api.read_container(data, loader=row["reader"])
    deploy = result.verdicts.deploy.status.value
    if expected.get("acl_status", expected.get("status")) and deploy.startswith("ok"):
        return [f"refused by the loader, deploy is {deploy}"]
    if row.get("depends_on_oob"):
        return [] if result.findings else ["no finding, although the loader reads past the end"]
    if row["reader"] == "bundle":
        return _bundle(expected, container, answer)
    return _standard(expected, container, answer)


def _standard(expected: dict[str, Any], container: Any, answer: Any) -> list[str]:
    dynamic = container.header is not None and container.header.is_dynamic
    found = {
        "check": answer.step if answer else "ok",
        "acl_status": answer.status if answer else 0,
        "acl_status_name": answer.status_name if answer else SUCCESS,
        "status": _internal(answer, "status"),
        "status_name": _internal(answer, "name"),
        "message_codes": list(answer.message_codes) if answer else [],
        "dynamic": dynamic,
    }
    if "blocks" in expected:
        found["blocks"] = [
            [[p.id, p.size, p.offset] for p in block.partitions] for block in container.blocks
        ]
    return [
        f"{key}: expected {expected[key]!r}, found {value!r}"
        for key, value in found.items()
        if key in MUST or key in expected
        if value != expected[key]
    ]


def _internal(answer: Any, what: str) -> Any:
    """The graph engine's own status or its name, which is what the caller sees unless stated."""
    if answer is None:
        return 0 if what == "status" else SUCCESS
    if answer.internal_status is not None:
        return answer.internal_status if what == "status" else answer.internal_name
    return answer.status if what == "status" else answer.status_name


def _bundle(expected: dict[str, Any], container: Any, answer: Any) -> list[str]:
    # The reader that was run looks at no nested model: what those fail does not count here.
    status = answer.status if answer and answer.step.startswith("bundle.") else 0
    name = answer.status_name if status else SUCCESS
    if (status, name) != (expected["status"], expected["status_name"]):
        wanted = f"{expected['status']} {expected['status_name']}"
        return [f"status: expected {wanted}, found {status} {name}"]
    if status:
        return []
    found = {
        "sub": [[n.offset, n.size] for n in container.nested],
        "var_size": container.details["var_size"],
    }
    return [
        f"{key}: expected {expected[key]!r}, found {value!r}"
        for key, value in found.items()
        if value != expected[key]
    ]
