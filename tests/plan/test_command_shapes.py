"""Command lines in the forms that people write them, and what is made of them for another target."""

from __future__ import annotations

import pytest

from preflight.model.atc_command import parse_atc_command
from preflight.plan.atc_options import normalise
from preflight.plan.recipe import build_recipe
from preflight.plan.recipe_types import BuildGoal, Recipe
from tests.plan.facts import manifest

GOAL = BuildGoal("8.1.RC1", "Ascend910B3", "linux", "aarch64", ("Ascend910B3",))
SET = ("--output=/new/m", "--soc_version=Ascend910B3")
TOOLKIT = "/usr/local/Ascend/ascend-toolkit/latest/atc/bin/atc"

SHAPES = {
    "as written in a script": (
        (f'{TOOLKIT} --model=./yolo.onnx --framework=5 --output=yolo --input_format=NCHW'
        ' --input_shape="actual_input_1:1,3,416,416" --log=info --soc_version=Ascend310'),
        ["--model=./yolo.onnx", "--framework=5", "--input_format=NCHW",
         "--input_shape=actual_input_1:1,3,416,416"],
    ),
    "several inputs and single quotes": (
        ("atc --model=tdnn.onnx --framework=5 --input_format=ND"
        " --input_shape='feats:4,-1,23;random:4,1500' --dynamic_dims='200;300;400' --output=./t"
        " --soc_version=Ascend310 --log=error"),
        ["--model=tdnn.onnx", "--framework=5", "--input_format=ND",
         "--input_shape=feats:4,-1,23;random:4,1500", "--dynamic_dims=200;300;400"],
    ),
    "blanks instead of equal signs": (
        ("atc --framework 5 --model ./rcnn.onnx --output rcnn --input_format NCHW --soc_version"
        " Ascend310P3 --out_nodes Concat_947:0;Reshape_949:0 --log info"),
        ["--framework=5", "--model=./rcnn.onnx", "--input_format=NCHW",
         "--out_nodes=Concat_947:0;Reshape_949:0"],
    ),
    "one dash, dashes inside, a shortened name": (
        ("atc -model=a.onnx -framework=5 --input-shape=image:1,1,321,481 --soc=Ascend310"
        " --output=a --output-type=FP32"),
        ["--model=a.onnx", "--framework=5", "--input_shape=image:1,1,321,481",
         "--output_type=FP32"],
    ),
    "gears for images, and pre-processing": (
        ("atc --model=m.pb --framework=3 --output=m --soc_version=Ascend310 --input_format=NHWC"
        ' --input_shape="Placeholder:1,-1,-1,3" --dynamic_image_size="224,224;448,448"'
        " --enable_small_channel=1 --insert_op_conf=./aipp.config --out_nodes=\"out:0\""),
        ["--model=m.pb", "--framework=3", "--input_format=NHWC",
         "--input_shape=Placeholder:1,-1,-1,3", "--dynamic_image_size=224,224;448,448",
         "--enable_small_channel=1", "--insert_op_conf=./aipp.config", "--out_nodes=out:0"],
    ),
    "single operators": (
        ("atc --singleop=run/out/test_data/config/gemm.json --soc_version=Ascend310"
        " --output=run/out/op_models"),
        ["--singleop=run/out/test_data/config/gemm.json"],
    ),
    "operators by implementation": (
        ('atc --model=e.onnx --framework=5 --output=e --optypelist_for_implmode="Sigmoid"'
        " --op_select_implmode=high_performance --soc_version=Ascend310"),
        ["--model=e.onnx", "--framework=5", "--optypelist_for_implmode=Sigmoid",
         "--op_select_implmode=high_performance"],
    ),
    "configuration files in JSON": (
        ("atc --model=/m/a.onnx --framework=5 --output=/o/a --soc_version=Ascend910B1"
        " --fusion_switch_file=/cfg/fusion_switch.json --modify_mixlist=mix.json"
        " --precision_mode_v2=mixed_float16 --keep_dtype=keep.cfg"),
        ["--model=/m/a.onnx", "--framework=5", "--fusion_switch_file=/cfg/fusion_switch.json",
         "--modify_mixlist=mix.json", "--precision_mode_v2=mixed_float16",
         "--keep_dtype=keep.cfg"],
    ),
    "a blank inside a value": (
        'atc --model="my models/a b.onnx" --framework=5 --output=a --soc_version=Ascend310',
        ["--model=my models/a b.onnx", "--framework=5"],
    ),
    "a blank inside a value, its quotes lost": (
        "atc --model=my models/a b.onnx --framework=5 --output=a --soc_version=Ascend310",
        ["--model=my models/a b.onnx", "--framework=5"],
    ),
    "given twice": (
        "atc --model=old.onnx --framework=5 --model=new.onnx --output=a --soc_version=Ascend310",
        ["--model=new.onnx", "--framework=5"],
    ),
}  # fmt: skip


def recipe(text: str, goal: BuildGoal = GOAL) -> Recipe:
    return build_recipe(manifest(text), goal, output="/new/m", exists=lambda _: True)


@pytest.mark.parametrize("name", SHAPES)
def test_a_command_keeps_its_meaning(name: str) -> None:
    text, expected = SHAPES[name]
    made = recipe(text)
    assert sorted(made.argv[1:]) == sorted([*expected, *SET])
    assert not made.gaps
    assert not made.problems


@pytest.mark.parametrize("name", SHAPES)
def test_the_new_command_is_a_fixed_point(name: str) -> None:
    """As atc records it: the arguments with blanks between them, quotes lost."""
    made = recipe(SHAPES[name][0])
    again = recipe(" ".join(made.argv))
    assert again.argv == made.argv
    parsed = normalise(parse_atc_command(" ".join(made.argv)).options)
    assert {f"--{k}={v}" for k, v in parsed.items()} == set(made.argv[1:])


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("atc --mode=1 --om=$HOME/m/r.pb --json=/o/r.json --framework=3", ["model"]),
        ("atc --mode=6 --om=/m/a.om", ["model", "framework"]),
        ("atc --mode=5 --om=ge_proto_1_Build.txt --json=a.json", ["model", "framework"]),
        ("python3 export/onnx2om.py --om_model_path=x", ["model", "framework"]),
        ("bash atc.sh resnet 1 Ascend310", ["model", "framework"]),
        ("", ["model", "framework"]),
        ("atc --model=~/m.onnx --framework=5 --output=o", ["model"]),
        ("atc --model=$1 --framework=5 --input_shape=x:${bs},3 --output=o", ["input_shape"]),
    ],
)
def test_what_is_no_build_leaves_questions(text: str, asked: list[str]) -> None:
    made = recipe(text)
    assert [gap.option for gap in made.gaps] == asked
    assert not made.ready
    assert not any(a.startswith(("--om=", "--json=")) for a in made.argv)
    mode = made.line("mode")
    assert mode is None or mode.new == "0"


def test_a_tool_of_another_product_line_is_looked_at_first() -> None:
    made = recipe(
        "atc --model=m.onnx --framework=5 --image_list=a.bin --compile_mode=6 --output=m"
        " --soc_version=SS928V100"
    )
    assert len(made.problems) == 2
    assert not made.ready
