"""`target which`: every known release and SoC, with the facts that decide."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from preflight import api
from preflight.cli.target import app
from preflight.data import samples_dir
from preflight.errors import PreflightError, UsageError
from preflight.findings import Status


@pytest.fixture
def static_310p3() -> Path:
    return samples_dir() / "resnet_static_310P3.om"


def test_which_agrees_with_check_on_every_pair(static_310p3: Path) -> None:
    report = api.which(static_310p3, release_names=["8.1.RC1", "9.1.0"])
    assert {row.release for row in report.rows} == {"8.1.RC1", "9.1.0"}
    for row in report.rows:
        for soc in (row.socs[0], row.socs[-1]):
            result = api.check_model(str(static_310p3), f"{row.release}/{soc}")
            assert result.verdicts.deploy.status is row.status, (row.release, soc)


def test_a_static_model_loads_on_its_own_architecture_only(static_310p3: Path) -> None:
    report = api.which(static_310p3, release_names=["8.1.RC1", "9.1.0"])
    assert {row.group for row in report.loads} == {"Ascend310P"}
    refused = [row for row in report.rows if row.status is Status.BLOCKED]
    assert all(row.decided_by and row.reason for row in refused)


def test_old_releases_are_never_called_ok(static_310p3: Path) -> None:
    report = api.which(static_310p3, release_names=["20.1.rc1", "6.3.RC2", "8.0.RC2"])
    assert report.loads == ()


def test_names_narrow_the_table(static_310p3: Path) -> None:
    report = api.which(static_310p3, release_names=["8.5.0"], soc_names=["310P3", "910B3"])
    assert [row.socs for row in report.rows] == [("Ascend310P3",), ("Ascend910B3",)]
    with pytest.raises(UsageError):
        api.which(static_310p3, soc_names=["Ascend310P"])
    with pytest.raises(UsageError, match="none of the named SoCs"):
        api.which(static_310p3, release_names=["9.1.0"], soc_names=["Ascend310"])


def test_the_table_answers_first_and_ends_with_a_command(static_310p3: Path) -> None:
    result = CliRunner().invoke(app, ["which", "--runs", str(static_310p3)], standalone_mode=False)
    lines = result.stdout.splitlines()
    assert lines[0].startswith("resnet_static_310P3.om loads on ")
    assert lines[0].endswith("on Ascend310P")
    assert any("arch_type" in line for line in lines)
    command = f"next: preflight check {static_310p3} --target "
    assert lines[-1].startswith(command)
    assert lines[-1].endswith("/Ascend310P3")
    assert not re.search("alpha|beta|master", lines[-1].removeprefix(command))
    as_json = CliRunner().invoke(
        app, ["which", "--runs", str(static_310p3), "--json"], standalone_mode=False
    )
    assert len(json.loads(as_json.stdout)["rows"]) > 500


def test_a_file_that_is_no_model(tmp_path: Path) -> None:
    path = tmp_path / "gone.om"
    with pytest.raises(PreflightError):
        api.which(path)
