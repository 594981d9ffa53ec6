"""The atc command for a new target: what carries over, changes, goes, and what a person must say."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from preflight.model.atc_command import parse_atc_command
from preflight.model.manifest import AtcCommand, Gears, SoStore
from preflight.plan.atc_options import atc_options, normalise
from preflight.plan.recipe import build_recipe
from preflight.plan.recipe_types import BuildGoal, MovedDefault, Recipe
from tests.plan.facts import manifest, tensor

GOAL = BuildGoal("9.1.0", "Ascend910B3", "linux", "aarch64", ("Ascend910B3",))
OLD = "/usr/local/Ascend/ascend-toolkit/8.0.0/aarch64-linux/bin/atc.bin"


def recipe(options: str, goal: BuildGoal = GOAL, **changes: object) -> Recipe:
    return build_recipe(
        manifest(f"{OLD} {options}", **changes), goal, output="/out/m", exists=lambda _: True
    )


def change(options: str, name: str, goal: BuildGoal = GOAL) -> tuple[str, str | None]:
    line = recipe(options, goal).line(name)
    assert line is not None
    return line.change, line.new


BASE = "--model=/m/a.onnx --framework=5 --output=a --soc_version=Ascend910B"


def test_the_command_of_a_plain_model() -> None:
    made = recipe(BASE + " --input_shape=x:1,3,8,8 --check=1 --log=debug")
    assert made.argv == (
        "atc",
        "--model=/m/a.onnx",
        "--framework=5",
        "--output=/out/m",
        "--soc_version=Ascend910B3",
        "--input_shape=x:1,3,8,8",
    )
    assert made.ready
    dropped = {line.name for line in made.lines if line.change == "dropped"}
    assert dropped == {"check_report", "log"}


def test_the_recorded_program_is_never_used() -> None:
    assert recipe(BASE).argv[0] == "atc"


@pytest.mark.parametrize(
    ("option", "release", "soc", "expected"),
    [
        ("deterministic_level=1", "8.1.RC1", "Ascend910B3", "dropped"),
        ("deterministic_level=1", "9.0.0", "Ascend910B3", "carried"),
        ("deterministic_level=3", "9.0.0", "Ascend910B3", "gap"),
        ("deterministic_level=3", "9.2.0-beta.2", "Ascend910B3", "carried"),
        ("external_weight=2", "8.5.0", "Ascend910B3", "gap"),
        ("external_weight=2", "9.0.0", "Ascend910B3", "carried"),
        ("allow_hf32=true", "9.1.0", "Ascend310P3", "dropped"),
        ("insert_op_conf=/a.cfg", "9.1.0", "Ascend035", "gap"),
        ("precision_mode=allow_mix_precision_bf16", "9.1.0", "Ascend310P3", "gap"),
        ("precision_mode=allow_mix_precision_bf16", "9.1.0", "Ascend910B3", "carried"),
        ("core_type=VectorCore", "9.1.0", "Ascend910B3", "dropped"),
        ("auto_tune_mode=RL", "9.1.0", "Ascend910B3", "dropped"),
        ("precision-mode=force_fp16", "9.1.0", "Ascend910B3", "carried"),
    ],
)
def test_one_option_on_one_target(option: str, release: str, soc: str, expected: str) -> None:
    name = option.partition("=")[0].replace("-", "_")
    goal = BuildGoal(release, soc)
    assert change(f"{BASE} --{option}", name, goal)[0] == expected


def test_ranges_move_into_input_shape() -> None:
    options = f"{BASE} --input_shape=b:1,2 --input_shape_range=a:[1~4,3]"
    assert change(options, "input_shape") == ("renamed", "b:1,2;a:1~4,3")
    assert change(options, "input_shape_range")[0] == "dropped"
    old = BuildGoal("8.1.RC1", "Ascend910B3")
    assert change(options, "input_shape_range", old) == ("carried", "a:[1~4,3]")


def test_ranges_are_refused_where_the_soc_has_none() -> None:
    made = recipe(f"{BASE} --input_shape=a:1~4,3", BuildGoal("9.1.0", "Ascend310B4"))
    assert [gap.option for gap in made.gaps] == ["input_shape"]
    assert not made.ready


@pytest.mark.parametrize("turned", [False, True])
def test_implementation_modes_become_a_list(turned: bool) -> None:
    pair = ["--op_select_implmode=high_precision", "--optypelist_for_implmode=Gelu,Exp"]
    made = recipe(" ".join([BASE, *(reversed(pair) if turned else pair)]))
    assert "--op_precision_mode=op_precision.ini" in made.argv
    assert [extra.content for extra in made.extra_files] == [
        "[ByOpType]\nGelu=high_precision\nExp=high_precision\n"
    ]


def test_a_mode_for_all_operators_stays() -> None:
    options = f"{BASE} --op_select_implmode=high_precision_for_all"
    assert change(options, "op_select_implmode") == ("carried", "high_precision_for_all")


def test_caffe_cannot_be_compiled_for_910b() -> None:
    made = recipe("--model=/a.prototxt --weight=/a.caffemodel --framework=0 --output=a")
    assert [(gap.option, gap.kind) for gap in made.gaps] == [("model", "edit_source_model")]
    assert "ONNX" in made.gaps[0].what
    assert "--framework=5" in made.argv
    assert not any(a.startswith("--weight") for a in made.argv)


@pytest.mark.parametrize(
    ("option", "release", "expected"),
    [
        ("mode=7", "8.1.RC1", ("changed", "0")),
        ("mode=7", "9.1.0", ("carried", "7")),
        ("mode=1", "9.1.0", ("changed", "0")),
        ("output_type=HIF4", "8.1.RC1", ("gap", "{OUTPUT_TYPE}")),
        ("output_type=FP16", "8.1.RC1", ("carried", "FP16")),
        ("host_env_cpu=x86_64", "9.1.0", ("dropped", None)),
        ("input_shape=x:${bs},3", "9.1.0", ("gap", "{INPUT_SHAPE}")),
    ],
)
def test_one_option_on_one_release(
    option: str, release: str, expected: tuple[str, str | None]
) -> None:
    goal = BuildGoal(release, "Ascend910B3", "linux", "aarch64")
    assert change(f"{BASE} --{option}", option.partition("=")[0], goal) == expected


def test_a_part_of_the_device_is_named_again_where_it_exists() -> None:
    option = "core_type=VectorCore"
    assert change(f"{BASE} --{option}", "core_type", BuildGoal("9.1.0", "Ascend310P3")) == (
        "carried",
        "VectorCore",
    )


def test_options_that_the_build_mode_refuses_do_not_come_along() -> None:
    made = recipe(f"{BASE} --mode=7 --tiling_schedule_optimize=1 --input_shape_range=x:[1~4,3]")
    assert "--mode=7" in made.argv
    assert not any("tiling_schedule" in a for a in made.argv)


def test_the_suffix_of_the_source_names_its_framework() -> None:
    assert "--framework=5" in recipe("--model=/m/a.onnx --output=a").argv
    assert [g.option for g in recipe("--model=/m/a.bin --output=a").gaps] == ["framework"]


def test_options_that_exclude_each_other_are_named() -> None:
    made = recipe(f"{BASE} --precision_mode=force_fp16 --precision_mode_v2=fp16")
    assert any("precision_mode_v2" in problem for problem in made.problems)


def test_an_unknown_option_is_left_out_and_said() -> None:
    made = recipe(f"{BASE} --frobnicate=1")
    assert not any("frobnicate" in argument for argument in made.argv)
    assert any("frobnicate" in problem for problem in made.problems)
    assert not made.ready


def test_a_soc_that_the_release_lacks_is_a_problem() -> None:
    made = recipe(BASE, BuildGoal("9.1.0", "Ascend310", known_socs=("Ascend910B3",)))
    assert any("Ascend310" in problem for problem in made.problems)


def test_the_host_is_named_when_libraries_are_embedded() -> None:
    line = recipe(BASE, dynamic=True, host_env_cpu="x86_64").line("host_env_cpu")
    assert line is not None
    assert (line.change, line.old, line.new) == ("changed", "x86_64", "aarch64")
    assert recipe(BASE, so_store=SoStore(present=True)).line("host_env_os") is not None
    assert recipe(BASE).line("host_env_cpu") is None


def test_mode_30_belongs_to_one_family() -> None:
    assert change(BASE, "mode", BuildGoal("9.1.0", "Ascend035")) == ("added", "30")
    assert change(BASE + " --mode=30", "mode") == ("changed", "0")
    assert change(BASE + " --mode=6", "mode") == ("changed", "0")
    assert change(BASE + " --mode=7", "mode") == ("carried", "7")
    assert change(BASE + " --mode=7", "mode", BuildGoal("9.0.0", "Ascend910B3"))[1] == "0"


def test_new_rules_are_told_for_options_in_use() -> None:
    goal = BuildGoal("9.2.0-beta.2", "Ascend910B3")
    assert any("both be zero" in note for note in recipe(f"{BASE} --deterministic=1", goal).notes)
    assert not any("both be zero" in note for note in recipe(BASE, goal).notes)
    assert not any("both be zero" in n for n in recipe(f"{BASE} --deterministic=1").notes)


def test_files_relative_missing_and_found(tmp_path: Path) -> None:
    (tmp_path / "a.onnx").write_bytes(b"")
    text = f"{OLD} --model=a.onnx --framework=5 --insert_op_conf=b.cfg --modify_mixlist=/none.json"
    made = build_recipe(manifest(text), GOAL, output="/o", source_dir=tmp_path)
    assert {(f.option, f.place) for f in made.files} == {
        ("model", "found"),
        ("insert_op_conf", "relative"),
        ("modify_mixlist", "missing"),
    }
    assert f"--model={tmp_path / 'a.onnx'}" in made.argv
    assert not made.ready


def test_a_name_too_long_for_the_file_system_is_missing() -> None:
    text = f"{OLD} --model=/{'x' * 5000} --framework=5"
    made = build_recipe(manifest(text), GOAL, output="/o")
    assert [f.place for f in made.files] == ["missing"]


def test_without_a_command_line_the_model_speaks() -> None:
    model = manifest(
        framework_type="Onnx",
        inputs=(tensor("x", -1, 3, 8, 8), tensor("y", 4, format="NCHW")),
        gears=Gears(batch=(1, 2)),
    )
    made = build_recipe(model, GOAL, output="/o")
    assert made.argv == (
        "atc",
        "--model={SOURCE_MODEL}",
        "--framework=5",
        "--input_format=NCHW",
        "--input_shape=x:-1,3,8,8;y:4",
        "--dynamic_batch_size=1,2",
        "--output=/o",
        "--soc_version=Ascend910B3",
    )
    assert [gap.name for gap in made.gaps] == ["SOURCE_MODEL"]
    assert not made.ready
    filled = build_recipe(
        model, GOAL, output="/o", fills={"model": "/m/a.onnx"}, exists=lambda _: True
    )
    assert filled.ready
    assert "--model=/m/a.onnx" in filled.argv


def test_ranges_and_gears_that_cannot_be_placed() -> None:
    ranged = manifest(inputs=(tensor("x", -1, 3, shape_range=((1, 8), (3, 3))),))
    assert "--input_shape=x:1~8,3" in build_recipe(ranged, GOAL, output="/o").argv
    fixed = manifest(inputs=(tensor("x", 8, 3),), gears=Gears(batch=(1, 8)))
    gaps = build_recipe(fixed, GOAL, output="/o").gaps
    assert "input_shape" in {gap.option for gap in gaps}
    odd = manifest(inputs=(tensor("a:b;c", 8, 3),))
    assert "input_shape" in {g.option for g in build_recipe(odd, GOAL, output="/o").gaps}


def test_moved_defaults_travel_with_the_recipe() -> None:
    moved = (MovedDefault("conv/gn", "epsilon", 1e-4, 1e-5, "GroupNorm"),)
    assert build_recipe(manifest(), GOAL, output="/o", moved=moved).statements == moved


def comparable(options: dict[str, str | None]) -> dict[str, str | None]:
    """What decides the result: no output prefix, nothing that a rebuild leaves out on purpose."""
    kept = ("carry", "rewrite", "set_for_target")
    known = atc_options()
    return {
        k: v for k, v in options.items() if k != "output" and k in known and known[k].action in kept
    }


def recorded_commands(shared: Path) -> list[str]:
    found: list[str] = []

    def walk(value: object) -> None:
        if isinstance(value, dict):
            text = value.get("atc_cmdline")
            if isinstance(text, str) and text:
                found.append(text)
            for inner in value.values():
                walk(inner)
        elif isinstance(value, list):
            for inner in value:
                walk(inner)

    for line in (shared / "corpus" / "index.jsonl").read_text().splitlines():
        walk(json.loads(line))
    return found


def test_real_command_lines_rebuild_to_the_same_command(shared: Path) -> None:
    texts = recorded_commands(shared)
    assert len(texts) >= 6
    for text in texts:
        command = parse_atc_command(text)
        old = normalise(command.options)
        goal = BuildGoal("8.0.0", old.get("soc_version") or "")
        made = build_recipe(manifest(text), goal, output="/o", exists=lambda _: True)
        new = normalise(parse_atc_command(" ".join(made.argv)).options)
        assert comparable(new) == comparable(old), text
        again = build_recipe(manifest(" ".join(made.argv)), goal, output="/o")
        assert again.argv == made.argv


names = st.sampled_from(sorted(atc_options())) | st.text(max_size=8)
hostile = st.text(max_size=10) | st.sampled_from(
    ["$(id)", "`id`", "a\nb", "'; id; '", '"', "--output=/etc/x", "-", "", "a\0b", "\\", "{X}"]
)


@settings(max_examples=200, deadline=None)
@given(st.lists(st.tuples(names, st.none() | hostile), max_size=6), hostile)
def test_nothing_recorded_becomes_a_program_or_an_output(
    options: list[tuple[str, str | None]], program: str
) -> None:
    command = AtcCommand(program, program, tuple(options))
    model = replace(manifest(), atc_command=command)
    made = build_recipe(model, GOAL, output="/out/m", exists=lambda _: False)
    assert made.argv[0] == "atc"
    known = atc_options()
    for argument in made.argv[1:]:
        assert argument.startswith("--")
        assert argument[2:].partition("=")[0] in known
        assert argument.isprintable()
    outputs = [a for a in made.argv if a.startswith("--output=")]
    assert outputs == ["--output=/out/m"]


def test_a_weight_file_stays_while_the_framework_is_open() -> None:
    options = "--model=/a.prototxt --weight=/a.caffemodel --output=a"
    assert change(options, "weight", BuildGoal("8.1.RC1", "Ascend310P3"))[0] == "carried"
