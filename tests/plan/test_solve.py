"""Ways out: what is promised about them holds for any model and target."""

from __future__ import annotations

import datetime
from functools import cache
from pathlib import Path

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from preflight.errors import UsageError
from preflight.findings import Severity, Status
from preflight.model.atc_command import parse_atc_command
from preflight.model.file import read_model
from preflight.model.manifest import Attribute, ModelFile
from preflight.plan.files import plan_from_toml, plan_to_toml
from preflight.plan.judge import judge
from preflight.plan.model import PlanWaiver, Step
from preflight.plan.moves import likely_targets, moves
from preflight.plan.paths import PathBuilder, PlanOptions
from preflight.plan.rebuilt import rebuilt
from preflight.plan.simulate import Simulation, deploy_findings
from preflight.plan.solve import WaysOut, is_superfluous, plan_without, solve
from preflight.plan.workbench import check
from preflight.target.resolve import load_target
from preflight.target.types import Fact, Target

SCENARIOS = Path(__file__).resolve().parent / "scenarios"
SAMPLES = Path(__file__).resolve().parents[2] / "samples"
TARGET = "8.1.RC1/Ascend910B3/linux-aarch64"


@cache
def model(name: str) -> ModelFile:
    return read_model(SCENARIOS / name)


@cache
def target(spec: str) -> Target:
    return load_target(spec)


def ways(name: str, spec: str = TARGET) -> WaysOut:
    return solve([model(name)], target(spec), PlanOptions(spec=spec))


def changed(base: ModelFile, **facts: str) -> ModelFile:
    """A model that says something else about itself."""
    assert base.manifest is not None
    values = {k: Attribute(k, "s", v) for k, v in facts.items()}
    attributes = {**base.manifest.attributes, **values}
    blocks = (attributes, *base.manifest.block_attributes[1:])
    manifest = replace(base.manifest, attributes=attributes, block_attributes=blocks)
    for name, value in facts.items():
        manifest = replace(manifest, **{name: value})
    return replace(base, manifest=manifest)


names = st.sampled_from(
    [
        "plain_910B.om",
        "dynamic_8.0.0.om",
        "host_x86_64.om",
        "eight_partitions.om",
        "static_910B3.om",
    ]
)
socs = st.sampled_from(
    [("Ascend910B", "3"), ("Ascend910B3", "4"), ("Ascend310P3", "1"), ("Ascend310", "5"), ("", "")]
)
versions = st.sampled_from(["7.5.0.1.129", "7.6.0.1.220", "7.7.0.1.238", "9.0.0", "x", ""])
specs = st.builds(
    "{}/{}/linux-{}".format,
    st.sampled_from(["8.0.0", "8.1.RC1", "9.0.0", "9.1.0"]),
    st.sampled_from(["Ascend910B3", "Ascend310P3", "Ascend910B"]),
    st.sampled_from(["aarch64", "x86_64"]),
)


@settings(max_examples=7, deadline=None)
@given(st.lists(st.tuples(names, socs, versions), min_size=1, max_size=2), specs)
def test_every_way_says_what_its_simulation_says_and_has_no_superfluous_step(
    parts: list[tuple[str, tuple[str, str], str]], spec: str
) -> None:
    models = [
        replace(
            changed(model(name), soc_version=soc, arch_type=arch, opp_version=opp),
            path=f"/m/{number}.om",
        )
        for number, (name, (soc, arch), opp) in enumerate(parts)
    ]
    found = solve(models, target(spec), PlanOptions(spec=spec))
    ranks = [c.rank for c in found.candidates]
    assert ranks == sorted(ranks)
    for candidate in found.candidates:
        plan = candidate.plan
        assert plan_from_toml(plan_to_toml(plan)) == plan
        outcome = found.simulation.run(plan)
        assert outcome == candidate.outcome
        assert candidate.path.predicted == outcome.status.value
        for step in plan.steps if candidate.reached else ():
            assert not is_superfluous(found.simulation, plan, step.id), step.id
            worse = found.simulation.run(plan_without(plan, step.id))
            assert not worse.reached or worse.status is not outcome.status, step.id
    as_is = next(c for c in found.candidates if c.path.kind == "as_is")
    for before in models:
        errors = [f for f in check(before, target(spec)).findings if f.severity is Severity.ERROR]
        runs_anyway = not any(f.consequence.value in ("load", "run") for f in errors)
        assert runs_anyway or not as_is.reached


def test_what_a_rebuild_records_is_the_target() -> None:
    made = rebuilt(model("host_x86_64.om"), target(TARGET), "/new.om")
    assert made.manifest is not None
    assert made.manifest.host_env_cpu == "aarch64"
    assert made.manifest.opp_version == "7.7.0.1.238"
    assert made.manifest.so_store.libraries[0].elf_machine == "aarch64"
    assert made.manifest.attributes["host_env_cpu"].value == "aarch64"
    assert made.path == "/new.om"
    assert model("host_x86_64.om").manifest != made.manifest


def test_a_release_does_not_write_more_partitions_than_it_reads() -> None:
    before = model("eight_partitions.om")
    older = rebuilt(before, target("9.0.0/Ascend910B3/linux-aarch64"), "/new.om")
    newer = rebuilt(before, target("9.1.0/Ascend910B3/linux-aarch64"), "/new.om")
    assert before.container.blocks[0].declared_count == 8
    assert older.container.blocks[0].declared_count == 7
    assert newer.container.blocks[0].declared_count == 8


def test_a_waiver_takes_a_finding_off_and_an_unmet_step_is_a_problem() -> None:
    simulation = Simulation([model("plain_910B.om")], target(TARGET))
    builder = PathBuilder(simulation, [model("plain_910B.om")], target(TARGET), PlanOptions())
    blocked = judge(simulation, builder.as_it_is())
    assert blocked.path.predicted == "blocked"
    rule = blocked.outcome.left[0].rule
    waiver = PlanWaiver(rule, "the device is emulated", datetime.date(2030, 1, 1))
    step = Step("w", "waive", "accept it", waiver=waiver)
    waived = judge(simulation, msgspec.structs.replace(blocked.plan, steps=(step,)))
    assert waived.reached
    assert waived.path.predicted == "ok_with_warnings"
    early = msgspec.structs.replace(step, requires=("x",))
    lacking = simulation.run(msgspec.structs.replace(blocked.plan, steps=(early,)))
    assert lacking.problems == ("step w needs x before it",)


def test_a_target_that_says_its_host_is_not_repaired_into_another_one() -> None:
    found = ways("host_x86_64.om")
    assert all(c.path.kind != "mend" for c in found.candidates)
    silent = replace(
        target(TARGET),
        host_os=Fact(None, "no scene.info"),
        host_cpu=Fact(None, "no scene.info"),
        fingerprint="silent",
    )
    found = solve([model("host_x86_64.om")], silent, PlanOptions(spec=TARGET))
    mend = next(c for c in found.candidates if c.path.kind == "mend")
    assert mend.reached
    assert mend.path.predicted == Status.UNKNOWN.value, "work by hand leaves the verdict open"


def cut(length: int) -> ModelFile:
    return replace(
        read_model((SCENARIOS / "plain_910B.om").read_bytes()[:length]), path=f"/m/cut{length}.om"
    )


@pytest.mark.parametrize("length", [100, 300, 1000])
def test_a_damaged_file_is_fetched_again_before_anything_is_compiled(length: int) -> None:
    spec = "8.1.RC1/Ascend910B/linux-aarch64"
    found = solve([cut(length)], target(spec), PlanOptions(spec=spec))
    assert found.best.path.kind == "mend"
    kinds = [s.kind for s in found.best.plan.steps]
    assert kinds == ["replace_file", "verify"], "one step, however many findings it answers"


def test_among_many_only_the_damaged_file_is_fetched() -> None:
    found = solve([cut(100), model("plain_910B.om")], target(TARGET), PlanOptions(spec=TARGET))
    steps = found.best.plan.steps
    assert [s.model for s in steps if s.kind == "replace_file"] == ["/m/cut100.om"]
    assert [Path(s.model).name for s in steps if s.kind == "rebuild"] == ["plain_910B.om"]


def test_a_release_takes_what_its_own_compiler_writes() -> None:
    """The range of versions of a release that nobody installed is not known, but it holds its own."""
    spec = "9.1.0/Ascend910B3/linux-aarch64"
    found = ways("host_x86_64.om", spec)
    rebuild = next(c for c in found.candidates if c.path.kind == "rebuild")
    assert rebuild.path.predicted == "ok_with_warnings"  # PF223: kernels of a release unknown


def test_what_is_not_known_is_not_a_reason_to_go_elsewhere() -> None:
    sample = read_model(SAMPLES / "hostlib_aarch64.om")
    spec = "9.1.0/Ascend910B3/linux-aarch64"
    found = solve([sample], target(spec), PlanOptions(spec=spec))
    assert [c.path.kind for c in found.candidates] == ["as_is", "rebuild", "move_target"]
    move = found.candidates[2]
    assert [s.kind for s in move.plan.steps] == ["change_target", "verify"]


@pytest.mark.parametrize(
    ("name", "spec"),
    [
        ("bundle.om", "8.1.RC1/Ascend310P3/linux-aarch64"),
        ("package_om2.om", "8.1.RC1/Ascend910B3/linux-aarch64"),
        ("hostlib_x86_64.om", "8.5.0/Ascend910B3/linux-aarch64"),
        ("soc_910B.om", "8.5.0/Ascend910B3/linux-aarch64"),
    ],
)
def test_compiling_again_comes_before_changing_the_target(name: str, spec: str) -> None:
    found = solve([read_model(SAMPLES / name)], target(spec), PlanOptions(spec=spec))
    assert found.best.path.kind == "rebuild"
    for candidate in found.candidates:
        assert "beta" not in candidate.path.title, "previews are not proposed beside releases"


def test_a_graph_that_atc_reads_is_its_own_source() -> None:
    found = solve([read_model(SAMPLES / "adder.air")], target(TARGET), PlanOptions(spec=TARGET))
    (build, *rest) = found.best.plan.steps
    path = str((SAMPLES / "adder.air").absolute())
    assert f"--model={path}" in build.command
    assert "--framework=1" in build.command
    assert not any("input_shape" in a for a in build.command)
    assert [s.kind for s in rest] == ["verify"], "nothing ran before that could be compared"


@pytest.mark.parametrize("name", ["bundle.om", "flow.om"])
def test_what_atc_does_not_make_is_left_to_the_program_that_does(name: str) -> None:
    spec = "8.5.0/Ascend910B3/linux-aarch64"
    found = solve([read_model(SAMPLES / name)], target(spec), PlanOptions(spec=spec))
    build = next(s for s in found.best.plan.steps if s.kind == "rebuild")
    assert not build.command
    assert "not atc" in build.instruction
    assert any("inside: compiled for Ascend310P3" in r for r in build.reasons)
    assert found.best.path.risk == "medium"


def test_moves_are_nearest_first_and_never_the_target_itself() -> None:
    found = moves([model("plain_910B.om")], target(TARGET))
    assert [m.effort for m in found] == sorted(m.effort for m in found)
    assert TARGET not in {m.spec for m in found}
    assert "8.1.RC1/Ascend910B/linux-aarch64" in {m.spec for m in found}
    for move in found[:10]:
        assert load_target(move.spec).name == move.spec


def test_moving_back_keeps_the_nearest_release_that_runs() -> None:
    found = ways("dynamic_8.0.0.om")
    moved = next(c for c in found.candidates if c.path.kind == "move_target")
    assert moved.plan.steps[0].effect is not None
    assert moved.plan.steps[0].effect.target == "8.0.0/Ascend910B3/linux-aarch64"
    goal = target(moved.plan.steps[0].effect.target)
    assert deploy_findings(check(model("dynamic_8.0.0.om"), goal), goal) == ()


def test_likely_targets_name_the_socs_of_the_models() -> None:
    found = likely_targets([model("plain_910B.om")])
    assert all("/Ascend910B/" in spec for spec in found)
    assert len(found) > 5


def test_a_plan_needs_a_model() -> None:
    with pytest.raises(UsageError):
        solve([], target(TARGET))


def test_work_on_the_source_model_is_a_step_of_its_own() -> None:
    """Caffe is not taken for 910B3, and ranges are not taken for 310B."""
    base = model("plain_910B.om")
    cases = {
        TARGET: ("--framework=0 --model=/m.prototxt", "edit_source_model"),
        "8.1.RC1/Ascend310B4/linux-aarch64": (
            "--framework=5 --model=/m.onnx --input_shape=x:1~4,32",
            "convert_shapes",
        ),
    }
    for spec, (options, kind) in cases.items():
        assert base.manifest is not None
        command = parse_atc_command(f"atc {options}")
        changed_model = replace(base, manifest=replace(base.manifest, atc_command=command))
        found = solve([changed_model], target(spec), PlanOptions(spec=spec))
        way = next(c for c in found.candidates if c.path.kind == "rebuild")
        step = next(s for s in way.plan.steps if s.kind == kind)
        assert not found.simulation.run(plan_without(way.plan, step.id)).reached
        rebuild = next(s for s in way.plan.steps if s.kind == "rebuild")
        assert step.id in rebuild.requires


def test_a_moved_default_is_said_once_and_with_its_plain_value() -> None:
    found = ways("group_norm.om", "9.1.0/Ascend910B3/linux-aarch64")
    edit = next(s for s in found.best.plan.steps if s.kind == "edit_source_model")
    assert "999" not in edit.instruction
    assert [(s.attribute, s.value) for s in edit.statements] == [("eps", "0.0001")]


def test_a_repaired_target_is_captured_again_where_it_is_known_from_a_file() -> None:
    spec = str(SCENARIOS / "dropped_vendor.toml")
    found = solve([model("custom_operator.om")], target(spec), PlanOptions(spec=spec))
    mend = found.best.plan.steps[0]
    assert mend.instruction.endswith(f"preflight target capture -o {spec}")


def waived(expires: datetime.date, fingerprint: str = "") -> bool:
    """Whether a waiver of the one finding of a model lets its plan reach the goal."""
    found = ways("plain_910B.om")
    as_is = next(c for c in found.candidates if c.path.kind == "as_is")
    (finding,) = as_is.outcome.left
    step = Step(
        "w",
        "waive",
        "w",
        waiver=PlanWaiver(finding.rule, "known", expires, fingerprint or finding.fingerprint),
    )
    return found.simulation.run(msgspec.structs.replace(as_is.plan, steps=(step,))).reached


def test_a_waiver_counts_for_its_finding_until_its_day() -> None:
    today = datetime.datetime.now(tz=datetime.UTC).date()
    assert waived(today)
    assert not waived(today - datetime.timedelta(days=1))
    assert not waived(today, "another finding")


def test_libraries_for_another_host_are_brought_before_the_rebuild() -> None:
    found = ways("host_x86_64.om")
    plan = found.best.plan
    step = next(s for s in plan.steps if s.kind == "embed_host_libraries")
    build = next(s for s in plan.steps if s.kind == "rebuild")
    assert step.id in build.requires
    assert "op_proto/lib/linux/aarch64" in step.instruction
    lacking = found.simulation.run(plan_without(plan, step.id))
    assert not lacking.reached
    same = ways("host_x86_64.om", "8.0.0/Ascend910B3/linux-x86_64")
    kinds = {s.kind for c in same.candidates for s in c.plan.steps}
    assert "embed_host_libraries" not in kinds


def test_a_release_takes_what_it_compiled_and_what_others_compiled_stays_open() -> None:
    """Nobody saw the range of 9.1.0, but a model of 9.1.0 is in it."""
    spec = "9.0.0/Ascend910B3/linux-aarch64"
    moved = next(c for c in ways("eight_partitions.om", spec).candidates if "9.1.0" in c.path.title)
    assert moved.reached
    assert moved.path.predicted == "ok_with_warnings"  # PF223: kernels of a release unknown
    other = changed(model("eight_partitions.om"), opp_version="9.0.9")
    found = solve([other], target(spec), PlanOptions(spec=spec))
    assert all(c.path.kind != "move_target" for c in found.candidates)


def test_what_only_compiling_decides_is_said() -> None:
    found = ways("group_norm.om", "9.1.0/Ascend910B3/linux-aarch64")
    open_ends = [n.rule for m in found.best.outcome.models for n in m.open_before]
    said = [t for t in found.best.path.remaining if "before it is compiled" in t]
    assert len(said) == len(open_ends)
    assert all(text.startswith(tuple(open_ends)) for text in said)
