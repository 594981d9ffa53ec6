"""Every rule of the record about rebuilding is used by the recipe, or it is said why it is not."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from preflight.plan.atc_options import atc_options, atc_rules
from preflight.plan.recipe import build_recipe
from preflight.plan.recipe_types import BuildGoal, Recipe
from tests.plan.facts import manifest

# Entries of facts/rebuild-rules.json that decide nothing in a recipe, and why.
NOT_USED = {
    "_about": "says what the file is",
    "steps": "the order in which recipe.build_recipe works; each step is one of its functions",
    "relative_path_detection": "recipe._find",
    "file_inputs": "AtcOption.need; see test_files_are_asked_for",
    "load_compatibility": "rules PF301, PF403 and the loader's behaviour decide it",
    "npu_arch": "manifests/socs.json has it; the device rules use it",
    "ops_package": "what is installed on the build machine is not known; atc says so itself",
    "external_weight": "a note of the recipe and the folder of its own for the new file",
    "quantised_models": "the model file does not say whether AMCT made its source",
    "so_in_om": "recipe_options._set_host",
    "modes": "AtcRules.modes and AtcOption.not_in_modes; see test_modes",
    "om_attributes": "model.manifest reads them",
    "soc_spelling_from_npu_smi": "target.names finds devices",
    "soc_lists": "manifests/socs.json; see test_families",
    "soc_list_counts": "a count of soc_lists",
    "soc_list_changes": "a difference of soc_lists",
    "soc_list_source": "says where soc_lists comes from",
    "doc_support_extra": "a remark on documents; the table of SoCs decides",
    "example_shape_of_new_command": "an example",
    "sources": "names of sources",
    "drop": "see test_options_have_the_fate_on_record",
    "rename_or_rewrite": "see test_rewrites",
    "must_change": "see test_what_must_change",
    "release_floor": "see test_options_are_not_older_than_on_record",
    "soc_families": "see test_families",
    "old_spellings": "see test_spellings",
}

# Entries of must_change, with a command on which they show: options, release, SoC, expectation.
MUST_CHANGE = {
    "soc_version": ("", "Ascend910B3", "--soc_version=Ascend910B3"),
    "host_env_os/host_env_cpu": ("--host_env_cpu=x86_64", "Ascend910B3", "no host_env_cpu"),
    "aicore_num": ("--aicore_num=8|", "Ascend910B3", "no aicore_num"),
    "core_type": ("--core_type=VectorCore", "Ascend910B3", "no core_type"),
    "virtual_type": ("--virtual_type=1", "Ascend910B3", "no virtual_type"),
    "output": ("", "Ascend910B3", "--output=/new/m"),
    "mode": ("", "Ascend035", "--mode=30"),
    "framework": ("--framework=0", "Ascend910B3", "--framework=5"),
    "input_shape with ranges": ("--input_shape=x:1~4,3", "Ascend310B1", "ask input_shape"),
    "allow_hf32": ("--allow_hf32=true", "Ascend310P3", "no allow_hf32"),
    "sparsity": ("--sparsity=1", "Ascend310P3", "no sparsity"),
    "status_check": ("--status_check=1", "Ascend910B3", "no status_check"),
    "compression_optimize_conf": (
        "--compression_optimize_conf=/c",
        "Ascend035",
        "no compression_optimize_conf",
    ),
    "mdl_bank_path/op_bank_path": ("--mdl_bank_path=/c", "Ascend035", "no mdl_bank_path"),
    "insert_op_conf": ("--insert_op_conf=/c", "Ascend035", "ask insert_op_conf"),
    "ac_parallel_enable": ("--ac_parallel_enable=1", "Ascend310B1", "no ac_parallel_enable"),
    "tiling_schedule_optimize": (
        "--tiling_schedule_optimize=1",
        "Ascend310B1",
        "no tiling_schedule_optimize",
    ),
    "precision_mode(_v2) bf16 values": (
        "--precision_mode_v2=mixed_bfloat16",
        "Ascend310P3",
        "ask precision_mode_v2",
    ),
    "precision_mode_v2 hif8 values": (
        "--precision_mode_v2=cube_hif8",
        "Ascend910B3",
        "ask precision_mode_v2",
    ),
}

# Rewrites that are not made, and why.
KEPT = {
    "h": "an option of no build, left out like every other of its kind",
    "precision_mode": "both spellings are taken and mean the same; the recorded one is kept",
}

# Entries of mutual_rules of facts/atc-options.json: where they are checked, or why they are not. A
# recorded command has built a model, so a rule that holds for every release and SoC holds for it.
_BUILT = "the recorded command built a model, and neither release nor SoC changes the rule"
MUTUAL = {
    "precision_mode xor precision_mode_v2": "at_most_one",
    "at most one of dynamic_batch_size, dynamic_image_size, dynamic_dims, input_shape_range": (
        "at_most_one"
    ),
    "dynamic_dims excludes insert_op_conf": "at_most_one",
    "input_hint_shape excludes all dynamic_*": "at_most_one",
    "enable_compress_weight=true xor compress_weight_conf": "at_most_one",
    "optypelist_for_implmode needs op_select_implmode": _BUILT,
    "op_precision_mode wins over op_select_implmode/optypelist_for_implmode; do not combine"
    " (docs)": "recipe_rewrite leaves the older options out",
    "customize_dtypes wins over keep_dtype, precision_mode and precision_mode_v2 (docs)": _BUILT,
    "input_fp16_nodes and insert_op_conf must not name the same input (docs)": _BUILT,
    "debug_dir only takes effect with op_debug_level != 0 (docs)": "both are left out",
    "modify_mixlist needs a mixed precision mode": _BUILT,
    "deterministic and deterministic_level both zero or both non-zero": "a note of AtcRules.changes",
    "mode 30 only with Ascend035/035A/035B and those only with mode 30": "AtcRules.modes",
    "singleop excludes framework, insert_op_conf, display_model_info=1 and any mode but 0": (
        "at_most_one and only_in_modes"
    ),
    "output_type node form needs out_nodes": _BUILT,
    "gear count 2..100, up to 256 on 950": _BUILT,
}


@pytest.fixture(scope="module")
def rules(shared: Path) -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads((shared / "facts" / "rebuild-rules.json").read_text())
    return loaded


def recipe(options: str, soc: str = "Ascend910B3", release: str = "9.1.0") -> Recipe:
    text = f"atc --model=/m/a.x --output=o --soc_version=Ascend310 {options}"
    goal = BuildGoal(release, soc, "linux", "aarch64")
    return build_recipe(manifest(text), goal, output="/new/m", exists=lambda _: True)


def test_every_section_is_accounted_for(rules: dict[str, Any]) -> None:
    assert set(rules) == set(NOT_USED)


def test_what_must_change(rules: dict[str, Any]) -> None:
    for entry in rules["must_change"]:
        name = next(n for n in (entry["option"], entry["option"].split(",")[0]) if n in MUST_CHANGE)
        options, soc, expected = MUST_CHANGE[name]
        made = recipe(options, soc)
        word, _, option = expected.partition(" ")
        if word == "no":
            assert not any(a.startswith(f"--{option}") for a in made.argv), name
        elif word == "ask":
            assert option in [gap.option for gap in made.gaps], name
        else:
            assert expected in made.argv, name


def test_rewrites(rules: dict[str, Any]) -> None:
    known = {rewrite.option: rewrite for rewrite in atc_rules().rewrites}
    for entry in rules["rename_or_rewrite"]:
        option = entry["from"].partition("=")[0]
        if option in KEPT:
            assert option not in known
            continue
        to = (entry["to"] or "").partition("=")[0].split(" ")[0]
        assert known[option].to == to
        assert atc_options()[option].action == "rewrite"


def test_options_have_the_fate_on_record(rules: dict[str, Any], shared: Path) -> None:
    facts = json.loads((shared / "facts" / "atc-options.json").read_text())
    recorded = {o["name"]: o["rebuild_action"] for o in facts["options"]}
    ours = {name: option.action for name, option in atc_options().items()}
    assert set(recorded) == set(ours)
    different = {n for n in ours if ours[n] != recorded[n]}
    assert different <= {"h", "auto_tune_mode"}, different
    for name in rules["drop"]:
        assert ours.get(name, "drop") in ("drop", "rewrite"), name


def test_options_are_not_older_than_on_record(rules: dict[str, Any]) -> None:
    """A floor that names a release is ours too, or an earlier one that we are not sure of."""
    for name, entry in rules["release_floor"].items():
        named = re.match(r"v?(\d+\.\d+\.\d+(?:-\w+\.\d+)?)$", entry["since"])
        option = atc_options()[name]
        if named is not None:
            assert option.since == named[1], name
            assert not option.maybe_earlier, name


def test_families(rules: dict[str, Any]) -> None:
    ours = atc_rules().families
    for family, entry in rules["soc_families"].items():
        assert set(entry["socs"]) <= set(ours[family]), family


def test_spellings(rules: dict[str, Any]) -> None:
    """Old names with a successor are explained; the others have none, or are another product's."""
    explained = {s.old for s in atc_rules().spellings} | {p.soc for p in atc_rules().other_products}
    for entry in rules["old_spellings"]:
        for name in re.findall(r"(?:Ascend\w+|OPTG)", entry["old"]):
            assert name in explained or entry["new"] is None, name


def test_files_are_asked_for(rules: dict[str, Any]) -> None:
    for entry in rules["file_inputs"]:
        for name in entry["option"].split(" / "):
            option = atc_options()[name]
            assert option.file or option.action in ("drop", "carry_optional", "set_for_target"), (
                name
            )


def test_modes(rules: dict[str, Any], shared: Path) -> None:
    builds = set(atc_rules().modes.build)
    assert builds <= {*rules["modes"], "0"}
    assert not builds & {"1", "3", "5", "6"}, "modes that write no model"
    facts = json.loads((shared / "facts" / "atc-options.json").read_text())
    refused = {name for name, option in atc_options().items() if "7" in option.not_in_modes}
    assert refused == set(facts["mode7_rejects"])


def test_what_excludes_each_other_is_checked_or_explained(shared: Path) -> None:
    facts = json.loads((shared / "facts" / "atc-options.json").read_text())
    assert {entry["rule"] for entry in facts["mutual_rules"]} == set(MUTUAL)


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ("--precision_mode=force_fp16 --precision_mode_v2=fp16", "precision_mode_v2"),
        ("--dynamic_dims=1;2 --insert_op_conf=/a", "insert_op_conf"),
        ("--enable_compress_weight=true --compress_weight_conf=/a", "compress_weight_conf"),
        ("--singleop=/a.json --framework=5", "framework"),
        ("--singleop=/a.json --mode=7", "singleop"),
    ],
)
def test_what_atc_refuses_together_is_a_problem(options: str, problem: str) -> None:
    assert any(problem in text for text in recipe(options).problems)


def test_what_is_switched_off_excludes_nothing() -> None:
    made = recipe("--enable_compress_weight=false --compress_weight_conf=/a")
    assert not made.problems


def test_a_pair_that_excludes_itself_is_noticed_either_way() -> None:
    groups = [set(names) for names in atc_rules().at_most_one]
    for name, option in atc_options().items():
        for other in option.excludes:
            assert any({name, other} <= group for group in groups), (name, other)
