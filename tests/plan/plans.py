"""Plans made by hand and by hypothesis."""

from __future__ import annotations

import datetime
from typing import Any

import msgspec
from hypothesis import strategies as st

from preflight.checks.steps import STEP_KINDS
from preflight.plan.model import (
    SCHEMA_VERSION,
    Effect,
    FileUse,
    ModelFacts,
    OpenQuestion,
    PathChoice,
    Plan,
    PlanWaiver,
    RollOut,
    SideFile,
    Statement,
    Step,
    TargetFacts,
)

MODEL = ModelFacts("m.om", "00" * 32, 12, "om", soc_version="Ascend910B")
TARGET = TargetFacts("9.1.0/Ascend910B3", "9.1.0/Ascend910B3", "catalogue", "ff")
PATH = PathChoice("rebuild", "Compile again", "ok", 3, "low", True, "because")


def plan(*steps: Step, **changes: Any) -> Plan:
    made = Plan(SCHEMA_VERSION, "om-preflight 0", (MODEL,), TARGET, PATH, tuple(steps))
    return msgspec.structs.replace(made, **changes)


def manual(step_id: str, *requires: str, kind: str = "set_environment", **more: Any) -> Step:
    return Step(step_id, kind, step_id, requires, instruction=f"do {step_id}", **more)


text = st.text(st.characters(exclude_categories=["Cs"]), max_size=10)
names = st.from_regex(r"[A-Z][A-Z0-9_]{0,8}", fullmatch=True)
shown = text.map(lambda t: "".join(c for c in t if c.isprintable()))
plain = st.from_regex(r"[A-Za-z0-9_-][A-Za-z0-9._ -]{0,8}", fullmatch=True)
texts = st.lists(text, max_size=3).map(tuple)
waivers = st.builds(
    PlanWaiver, text, text.map(lambda t: t.strip() or "why"), st.dates(), fingerprint=text
)
steps = st.builds(
    Step,
    id=st.just(""),
    kind=st.sampled_from(sorted(STEP_KINDS)),
    title=text,
    model=text,
    instruction=text.map(lambda t: t or "do it"),
    expected=text,
    check=text,
    undo=text,
    reasons=texts,
    resolves=texts,
    needs=st.lists(st.builds(FileUse, text, text, text, text), max_size=2).map(tuple),
    open_questions=st.lists(st.builds(OpenQuestion, names, text, text, text), max_size=2).map(
        tuple
    ),
    side_files=st.lists(st.builds(SideFile, text, plain, shown), max_size=2).map(tuple),
    statements=st.lists(st.builds(Statement, text, text, text), max_size=2).map(tuple),
    roll_out=st.builds(RollOut, texts, st.just("errors"), st.just("the old file")),
    waiver=waivers,
    effect=st.none() | st.builds(Effect, text, text, text, texts),
    timeout=st.integers(0, 1 << 40),
)


@st.composite
def plans(draw: st.DrawFn) -> Plan:
    """Valid plans with steps of every kind and arbitrary text in them."""
    made: list[Step] = []
    for number, step in enumerate(draw(st.lists(steps, max_size=4))):
        earlier = [s.id for s in made]
        wanted = draw(st.lists(st.sampled_from(earlier), unique=True)) if earlier else []
        is_build = step.kind == "rebuild" and draw(st.booleans())
        made.append(
            msgspec.structs.replace(
                step,
                id=f"s{number}",
                requires=tuple(wanted),
                command=("atc", f"--model={draw(shown)}") if is_build else (),
                produces="/m/new.om" if is_build else "",
            )
        )
    return plan(*made, notes=tuple(draw(st.lists(text, max_size=2))))


EXPIRY = datetime.date(2030, 1, 1)
