"""The rules against the loader's own verdicts and against real files; skips without the folder."""

from __future__ import annotations

import importlib
from pathlib import Path

import pytest

from preflight.checks.check import check, check_model
from preflight.findings import Status
from preflight.target.install import target_from_install
from tests.checks.fixtures import om

pytestmark = pytest.mark.shared
BENCH = Path(__file__).resolve().parents[2] / "bench"


@pytest.mark.parametrize(("tier", "rows"), [("t1", 1060), ("t5", 759), ("t7", 592)])
def test_every_vector_gives_the_loaders_verdict(shared: Path, monkeypatch, tier: str, rows: int):
    monkeypatch.syspath_prepend(str(BENCH))
    module = importlib.import_module(f"tiers.{tier}")
    vectors = importlib.import_module("tiers.vectors")
    folder = shared / "vectors"
    seen = 0
    for row in vectors.rows(folder / f"{tier.upper()}.jsonl"):
        seen += 1
        assert module.differences(row, folder) == [], f"{row['id']} {row['ge_version']}"
    assert seen == rows


def test_real_files_are_checked_without_an_error(shared: Path):
    folders = [shared / "corpus" / name for name in ("om", "hiai-om", "not-om")]
    report = check(folders, ["8.1.RC1/Ascend310P3/linux-aarch64", "9.1.0/Ascend910B3"])
    assert all(result.error is None for result in report.results)
    for result in report.results:
        if result.kind in ("hiai", "not_a_model", "bare"):
            assert result.verdicts.deploy.status is Status.BLOCKED


def test_the_real_installation_is_judged_sound(shared: Path):
    root = shared / "corpus" / "trees" / "cann-8.1.RC1" / "ascend-toolkit" / "8.1.RC1"
    if not root.is_dir():
        pytest.skip("the installed tree is not where this test looks for it")
    installed = target_from_install(root, soc="Ascend910B3")
    result = check_model(om(), installed)
    assert result.verdicts.deploy.status is Status.OK
    assert not any(f.rule.startswith("PF8") for f in result.findings)


# Real models whose release is known, with a SoC they were compiled for (or a device of its time).
BUILT_FOR = {
    "my_122_anenet.om": "8.0.0/Ascend310B4/linux-aarch64",
    "Nanotrack_X.om": "6.0.RC1/Ascend310",
    "Nanotrack_T.om": "6.0.RC1/Ascend310",
    "Nanotrack_head.om": "6.0.RC1/Ascend310",
    "out.om": "20.1.rc1/Ascend310",
    "a3c_pong_model.om": "20.1.rc1/Ascend310",
}


@pytest.mark.parametrize("name", BUILT_FOR)
def test_a_real_model_is_not_refused_where_it_was_made_for(shared: Path, name: str):
    found = [p for p in (shared / "corpus" / "om").glob("*.om") if p.name.endswith(f"-{name}")]
    if not found:
        pytest.skip(f"no {name} in the corpus")
    deploy = check_model(found[0], BUILT_FOR[name]).verdicts.deploy
    assert deploy.status is not Status.BLOCKED, deploy


def test_no_file_that_needs_another_program_is_called_ok(shared: Path):
    folders = [shared / "corpus" / name for name in ("hiai-om", "not-om")]
    graphs = sorted((shared / "corpus" / "pbtxt").iterdir())
    report = check([*folders, *graphs], ["8.1.RC1/Ascend310P3", "9.1.0/Ascend910B3", "6.0.RC1"])
    assert {r.verdicts.deploy.status for r in report.results} == {Status.BLOCKED}
