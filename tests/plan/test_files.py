"""Plan files: what is written is read back, and what is wrong is named."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings

from preflight.errors import UnreadableInput, UsageError
from preflight.plan.files import plan_digest, plan_from_toml, plan_to_toml, read_plan, write_plan
from preflight.plan.model import Plan, PlanWaiver, RollOut, Step
from tests.plan.plans import EXPIRY, manual, plan, plans


@settings(max_examples=60, deadline=None)
@given(plans())
def test_reading_back_gives_the_same_plan(made: Plan) -> None:
    assert plan_from_toml(plan_to_toml(made)) == made


def test_a_file_is_read_back(tmp_path: Path) -> None:
    made = plan(manual("a"), manual("b", "a"))
    path = tmp_path / "p.toml"
    write_plan(made, path)
    assert read_plan(path) == made
    assert [p.name for p in tmp_path.iterdir()] == ["p.toml"]
    before = plan_digest(path)
    path.write_text(path.read_text().replace("do a", "do A"))
    assert plan_digest(path) != before


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ('kind = "set_environment"', "frobnicate"),
        ('title = "a"', "titel"),
    ],
)
def test_an_unknown_key_is_named(text: str, named: str) -> None:
    written = plan_to_toml(plan(manual("a")))
    with pytest.raises(UsageError, match=named):
        plan_from_toml(written.replace(text, f"{text}\n{named} = 1"))


@pytest.mark.parametrize(
    ("steps", "said"),
    [
        ((manual("a"), manual("a")), "a: the id is used twice"),
        ((manual("../a"),), "an id has letters"),
        ((manual(""),), "an id has letters"),
        ((manual("a", "z"),), "requires z, which is not in the plan"),
        ((manual("a", "b"), manual("b")), "requires b, which does not come before it"),
        ((manual("a", kind="dance"),), "'dance' is none of"),
        ((manual("a", kind="waive"),), "a waiver needs a reason"),
        (
            (Step("a", "waive", "a", waiver=PlanWaiver("PF1", "  ", EXPIRY)),),
            "a waiver needs a reason",
        ),
        ((manual("a", kind="roll_out"),), "a metric to watch"),
        (
            (manual("a", kind="roll_out", roll_out=RollOut((), "errors", "")),),
            "switch to go back",
        ),
        ((Step("a", "verify", "a", command=("atc",), produces="x"),), "only a rebuild"),
        ((Step("a", "rebuild", "a", command=("atc",)),), "the file that it produces"),
        ((Step("a", "rebuild", "a"),), "neither a command nor an instruction"),
        (
            (Step("a", "rebuild", "a", command=("atc", "a\x1bb"), produces="x"),),
            "holds control characters",
        ),
    ],
)
def test_a_plan_that_cannot_be_carried_out_is_refused(steps: tuple[Step, ...], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        plan_from_toml(plan_to_toml(plan(*steps)))


def test_a_newer_format_is_refused_with_the_way_out() -> None:
    text = plan_to_toml(plan()).replace("schema_version = 1", "schema_version = 2\nnovel = 1")
    with pytest.raises(UsageError, match="reads up to 1") as caught:
        plan_from_toml(text)
    assert "newer" in caught.value.hint


def test_what_is_no_plan_is_one_clear_error(tmp_path: Path) -> None:
    with pytest.raises(UnreadableInput):
        read_plan(tmp_path / "none.toml")
    path = tmp_path / "p.toml"
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(UnreadableInput):
        read_plan(path)
    path.write_text("not toml at all")
    with pytest.raises(UsageError):
        read_plan(path)
    path.write_text("x = " + "[" * 3000 + "]" * 3000)
    with pytest.raises(UsageError):
        read_plan(path)
    path.write_bytes(b"#" * (64 << 20) + b"##")
    with pytest.raises(UnreadableInput, match="larger than any plan"):
        read_plan(path)
