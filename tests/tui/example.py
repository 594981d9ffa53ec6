"""Verdicts, ways and a plan made by hand, so that golden screens change only with the screens."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from preflight import api
from preflight.api import Candidate, ModelReport, WaysOut
from preflight.checks.verdicts import Verdicts
from preflight.findings import (
    Certainty,
    Consequence,
    Evidence,
    Finding,
    LoaderAnswer,
    Location,
    NotEvaluated,
    PathVerdict,
    Remedy,
    Severity,
    Status,
)
from preflight.plan.model import FileUse, ModelFacts, PathChoice, RollOut, Step
from preflight.plan.simulate import Outcome
from preflight.target.types import Fact, Target, unknown
from preflight.tui.session import Session
from tests.plan.plans import plan

NAME = "9.1.0/Ascend910B3/linux-aarch64"

SOC = Finding(
    rule="PF301",
    name="soc-architecture-mismatch",
    title="Compiled for another SoC architecture",
    severity=Severity.ERROR,
    consequence=Consequence.LOAD,
    certainty=Certainty.LIKELY,
    message="compiled for Ascend310P3 (architecture 1); Ascend910B3 is architecture 4",
    evidence=(
        Evidence("soc_version", "Ascend910B3", "Ascend310P3", "the target's name", "attribute"),
        Evidence("SoC architecture", "4", "1", "table 9.1", "arch_type"),
    ),
    location=Location("detector.om", "block 0 / MODEL_DEF"),
    remedies=(Remedy("rebuild", "Compile again with --soc_version=Ascend910B3"),),
    loader=LoaderAnswer("soc.arch", 500002, "ACL_ERROR_GE_FAILURE", ("E19999",)),
    missing=("model.npu_arch",),
)
MEMORY = Finding(
    rule="PF215",
    name="device-memory",
    title="What the model takes on the device",
    severity=Severity.NOTE,
    consequence=Consequence.RUN,
    certainty=Certainty.CERTAIN,
    message="7 MiB of device memory",
    evidence=(Evidence("device memory", "", "7 MiB", "", "WEIGHTS_DATA size"),),
)
KERNELS = NotEvaluated(
    "PF505",
    "nobody knows the kernels of 9.1.0",
    Consequence.RUN,
    ("target.kernels",),
    blocking=True,
)
RULE: dict[str, Any] = {
    "what": "The loader compares the architecture of the model's SoC with that of the device.",
    "why": "Instructions of one architecture cannot run on another.",
    "references": ["spec/om-format.md §D.1"],
}
_WORST = {
    Status.BLOCKED: PathVerdict(Status.BLOCKED, "PF301", SOC.message),
    Status.UNKNOWN: PathVerdict(Status.UNKNOWN, "PF505", KERNELS.reason),
    Status.OK: PathVerdict(Status.OK),
}


def report(path: str, status: Status, *findings: Finding, **more: Any) -> ModelReport:
    verdicts = Verdicts(_WORST[status], PathVerdict(Status.OK))
    return ModelReport(path, path, "om", NAME, NAME, verdicts, findings, **more)


def target() -> Target:
    fact = Fact("", "example")
    return Target(
        name=NAME,
        origin="catalogue",
        release=Fact("9.1.0", "example"),
        internal=Fact("9.1.0", "example"),
        behaviour=unknown("example"),
        soc=Fact("Ascend910B3", "example"),
        socs={},
        host_os=fact,
        host_cpu=fact,
        abi_range=fact,
        opp_version=fact,
        driver=fact,
        fingerprint="ff",
    )


def session() -> Session:
    """Four models: blocked, unknown, fine, and one that is not checked yet."""
    made = Session(spec=NAME, target=target())
    made.add_models([f"{name}.om" for name in ("detector", "embedder", "ranker", "speech")])
    made.record("detector.om", report("detector.om", Status.BLOCKED, SOC, MEMORY))
    made.record("embedder.om", report("embedder.om", Status.UNKNOWN, not_evaluated=(KERNELS,)))
    made.record("ranker.om", report("ranker.om", Status.OK, MEMORY))
    return made


_STEPS = (
    Step(
        "rebuild-1",
        "rebuild",
        "Compile detector.om again for Ascend910B3",
        produces="/models/new.om",
        command=(
            "atc",
            "--model=/src/net.onnx",
            "--output=/models/new",
            "--soc_version=Ascend910B3",
        ),
        needs=(FileUse("model", "/src/net.onnx", "the source model", "missing"),),
        expected="a new model file: /models/new.om",
        undo="delete /models/new.om; the old file was not touched",
        reasons=("PF301: compiled for another device",),
    ),
    Step(
        "check-1",
        "verify",
        "Check new.om on the target",
        ("rebuild-1",),
        model="/models/new.om",
        check=f"preflight check /models/new.om --target {NAME}",
        undo="nothing to undo",
    ),
    Step(
        "roll-out-1",
        "roll_out",
        "Put new.om into use in stages",
        ("check-1",),
        instruction="send it a small share of requests first",
        roll_out=RollOut(("1 %", "all"), "error rate", "load the old file again"),
        undo="load the old file again",
    ),
)


def ways() -> WaysOut:
    rebuilt = PathChoice(
        "rebuild", "Compile again", "ok", 4, "low", True, "only new files are made"
    )
    moved = PathChoice(
        "move_target", "Keep the file and go to 9.1.0/Ascend310P3", "unknown", 11, "medium", True,
        "everything else moves too", ("PF505 cannot be decided",),
    )  # fmt: skip
    as_is = PathChoice(
        "as_is", "Run as it is", "blocked", 0, "low", True, "one finding stays",
        (f"PF301: {SOC.message}",),
    )  # fmt: skip
    facts = (ModelFacts("/models/detector.om", "00" * 32, 12, "om"),)
    moving = Step("move", "change_target", "Go to 9.1.0/Ascend310P3", instruction="do it")
    plans = [
        plan(*_STEPS, path=rebuilt, models=facts),
        plan(moving, path=moved, models=facts),
        plan(path=as_is, models=facts),
    ]
    ends = (Outcome(()), Outcome(()), Outcome((), ("it does not run",)))
    candidates = tuple(Candidate(p, end) for p, end in zip(plans, ends, strict=True))
    return WaysOut(candidates, api.Simulation([], target()))


def headline(made: ModelReport) -> str:
    return f"{made.name} on {made.target}: {made.verdicts.deploy.status.value}"


def stand_ins(monkeypatch: pytest.MonkeyPatch) -> None:
    """The api answers with the example instead of looking at files."""
    monkeypatch.setattr(api, "read_model", lambda path: path, raising=False)
    monkeypatch.setattr(api, "solve", lambda *a, **k: ways(), raising=False)
    monkeypatch.setattr(api, "explain_rule", lambda rule, rules: RULE, raising=False)
    monkeypatch.setattr(api, "headline", headline, raising=False)
    monkeypatch.setattr(api, "loader_line", lambda a: f"{a.status} {a.status_name}", raising=False)
    judged = {c.plan.steps: c for c in ways().candidates}
    monkeypatch.setattr(
        api, "judge", lambda simulation, p: msgspec.structs.replace(judged[p.steps], plan=p),
        raising=False,
    )  # fmt: skip
