"""The committed samples are what their script writes, and each is the kind that it stands for."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

from preflight.data import samples_dir
from preflight.model.file import read_model

SAMPLES = samples_dir()
KINDS = {
    "resnet_static_310P3.om": "om",
    "gears_310P3.om": "om",
    "soc_910B.om": "om",
    "soc_910B3.om": "om",
    "old_header_310.om": "om",
    "dynamic_8.0.0.om": "om",
    "hostlib_x86_64.om": "om",
    "hostlib_aarch64.om": "om",
    "compressed_310P3.om": "om",
    "external_weights.om": "om",
    "bad_expression.om": "om",
    "single_op.om": "single_op",
    "bundle.om": "bundle",
    "flow.om": "flow",
    "nano.om": "nano",
    "hiai.om": "hiai",
    "bare.om": "bare",
    "package_om2.om": "om2",
    "truncated.om": "om",
    "lfs_pointer.om": "not_a_model",
    "adder.air": "air",
    "ge_proto_00000000_graph_1_Build.txt": "text_graph",
}
DAMAGED = {"truncated.om", "lfs_pointer.om", "bad_expression.om"}


@pytest.fixture(scope="module")
def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("samples_make", SAMPLES / "make.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    before = list(sys.path)
    try:
        spec.loader.exec_module(module)
    finally:
        sys.path[:] = before
    return module


@pytest.mark.parametrize("name", sorted(KINDS))
def test_script_writes_the_committed_bytes(name: str, script: ModuleType) -> None:
    assert script.SAMPLES[name]() == (SAMPLES / name).read_bytes()


def test_no_file_is_without_its_recipe_and_its_description(script: ModuleType) -> None:
    committed = {p.name for p in SAMPLES.iterdir() if p.suffix in (".om", ".air", ".txt")}
    assert committed >= set(script.SAMPLES) == set(KINDS)
    readme = (SAMPLES / "README.md").read_text(encoding="utf-8")
    assert not [name for name in KINDS if f"`{name}`" not in readme]


@pytest.mark.parametrize("name", sorted(KINDS))
def test_each_sample_is_what_it_stands_for(name: str) -> None:
    model = read_model(Path(SAMPLES / name))
    assert model.container.kind.value == KINDS[name]
    assert bool(model.faults) == (name in DAMAGED)


def test_script_writes_into_a_folder(
    script: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.argv", ["make.py", str(tmp_path / "new")])
    script.main()
    assert {p.name for p in (tmp_path / "new").iterdir()} == set(KINDS)
