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
