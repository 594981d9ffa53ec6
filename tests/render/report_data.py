"""A report with everything that a renderer must show, hostile texts included."""

from __future__ import annotations

import datetime

from preflight.checks.report import (
    CheckError,
    FactSummary,
    InputSummary,
    ModelReport,
    Report,
    TargetSummary,
    unreadable,
)
from preflight.checks.verdicts import Verdicts
from preflight.checks.waivers import Waived
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

# What a model file may call its parts: control characters, markup of every format, a newline.
HOSTILE = "\x1b[31mred</failure>|`<b>*x*\n&'\"\u202e"
PATH = "/home/somebody/models/resnet.om"
TARGET = "8.1.RC1/Ascend910B3"

MISMATCH = Finding(
    "PF301",
    "soc-architecture-mismatch",
    "Compiled for another SoC architecture",
    Severity.ERROR,
    Consequence.LOAD,
    Certainty.CERTAIN,
    "compiled for Ascend310P3 (architecture 1); Ascend910B3 is architecture 4",
    evidence=(
        Evidence(
            "soc_version", "Ascend910B3", "Ascend310P3", "the target's name", "block 0, MODEL_DEF"
        ),
        Evidence("atc_cmdline", "", f"atc --output={PATH} --log={HOSTILE}"),
    ),
    location=Location(PATH, "block 0 / MODEL_DEF", 328),
    remedies=(
        Remedy("rebuild", "Compile again with --soc_version=Ascend910B3", "low", "atc --help"),
        Remedy("change_target", "Run it on another device", "medium"),
    ),
    loader=LoaderAnswer(
        "soc.arch.old", 500002, "ACL_ERROR_GE_FAILURE", ("E10001:om", "E19999"), 507008, "RT_SOC"
    ),
    facts={"model_soc": "Ascend310P3", "cores": 8, "gone": None, "names": ("a", "b")},
    rests_on=("model.arch_type",),
    position=(80, 0, 90),
)
NOTE = Finding(
    "PF171",
    "trailing-bytes",
    "Bytes behind the last partition",
    Severity.NOTE,
    Consequence.LOAD,
    Certainty.CERTAIN,
    f"12 bytes of {HOSTILE}",
    evidence=(Evidence("trailing bytes", "", "12"),),
    location=Location(PATH, f"block {HOSTILE}"),
)
WARNING = Finding(
    "PF303",
    "precise-soc-differs",
    "Compiled for another SoC of the same architecture",
    Severity.WARNING,
    Consequence.RUN,
    Certainty.LIKELY,
    "compiled for Ascend910B4",
    evidence=(Evidence("soc_version", "Ascend910B3", "Ascend910B4"),),
    location=Location("models/b.om"),
)
GAP = NotEvaluated(
    "PF403",
    "the installed operator package is not known",
    Consequence.LOAD,
    ("target.opp_version",),
    blocking=True,
)
UNSURE = PathVerdict(Status.UNKNOWN, "", "no rule of this path could be evaluated")


def report() -> Report:
    """One blocked, one warned, one waived, one undecided and one unreadable model."""
    targets = (
        TargetSummary(
            TARGET,
            TARGET,
            "catalogue",
            "f" * 64,
            (
                FactSummary("soc", "Ascend910B3", True, "the target's name", "certain"),
                FactSummary("driver", "", False, "nobody said", "possible"),
            ),
        ),
    )
    inputs = (
        InputSummary(PATH, "om", "static-shape OM", 4096, "a" * 64, 1024),
        InputSummary("models/b.om", "om", "static-shape OM", 10, "b" * 64, 10),
        InputSummary("models/c.om", "om", "dynamic-shape OM", 10, "c" * 64, 10),
        InputSummary("models/d.om"),
    )
    return Report(inputs, targets, _results(), {"load": 0.01, "check": 0.25}, "0.1.0")


def _results() -> tuple[ModelReport, ...]:
    blocked = PathVerdict(Status.BLOCKED, "PF301", MISMATCH.message)
    warned = PathVerdict(Status.OK_WITH_WARNINGS, "PF303", WARNING.message)
    unknown = PathVerdict(Status.UNKNOWN, "PF403", GAP.reason)
    waived = Waived(MISMATCH, f"tested by hand, {HOSTILE}", datetime.date(2030, 1, 31))
    return (
        ModelReport(
            PATH, "resnet.om", "om", TARGET, TARGET, Verdicts(blocked, UNSURE),
            (MISMATCH, NOTE), not_applicable=(("PF141", "the file is of kind om"),),
        ),
        ModelReport(
            "models/b.om", "b.om", "om", TARGET, TARGET,
            Verdicts(warned, PathVerdict(Status.OK)), (WARNING,), (waived,),
        ),
        ModelReport(
            "models/c.om", "c.om", "om", TARGET, TARGET, Verdicts(unknown, UNSURE),
            not_evaluated=(GAP,),
        ),
        unreadable(
            "models/d.om", "d.om", TARGET, TARGET,
            CheckError(f"models/d.om: cannot be opened: {HOSTILE}", "check the path"),
        ),
    )  # fmt: skip
