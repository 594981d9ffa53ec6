"""What is wrong with a target itself."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from preflight.findings import Certainty
from preflight.target.consistency import TargetProblem, target_problems
from preflight.target.discover import discover
from preflight.target.resolve import load_target
from preflight.target.types import Fact, Package, Target
from tests.target import trees


@pytest.fixture
def target() -> Target:
    return load_target("8.1.RC1/Ascend910B3/linux-aarch64")


def kinds(target: Target) -> list[str]:
    return [problem.kind for problem in target_problems(target)]


def test_catalogue_targets_are_consistent(target: Target) -> None:
    assert target_problems(target) == ()


def test_a_package_outside_a_requirement(target: Target) -> None:
    packages = (
        Package("opp", "7.7.0.1.238", "8.1.RC1", {"runtime": "7.7", "absent": "1.0"}, path="opp/v"),
        Package("runtime", "7.6.0.1.220", "8.0.0", path="runtime/v"),
    )
    problems = target_problems(replace(target, packages=packages))
    assert problems[0] == TargetProblem(
        kind="package_requirement",
        subject="opp 7.7.0.1.238 requires runtime",
        expected="7.7",
        found="7.6.0.1.220",
        source="runtime/v",
        expected_from="opp/v",
    )
    assert [p.kind for p in problems] == ["package_requirement", "mixed_releases"]
    assert problems[1].subject == "runtime"
    assert problems[1].certainty is Certainty.LIKELY


def test_an_older_package_that_everybody_allows_is_no_mix(target: Target) -> None:
    packages = (
        Package("runtime", "7.7.0.1.238", "8.1.RC1", {"opp_kernel": ">=7.6, <=7.7"}),
        Package("opp_kernel", "7.6.0.1.220", "8.0.0", {"runtime": ">=7.6, <=7.7"}),
    )
    assert target_problems(replace(target, packages=packages)) == ()


def test_names_with_dashes_and_underscores_are_one(target: Target) -> None:
    packages = (
        Package("ge-executor", "7.7", "cann"),
        Package("metadef", "7.7", "cann", {"ge_executor": ">=7.8"}),
    )
    assert kinds(replace(target, packages=packages)) == ["package_requirement"]


def test_an_operator_package_of_another_release(tmp_path: Path) -> None:
    root = trees.toolkit(tmp_path)
    trees.write(tmp_path / "other/opp/version.info", "Version=7.6.0.1.220\n")
    target = discover(
        env={"ASCEND_HOME_PATH": str(root), "ASCEND_OPP_PATH": str(tmp_path / "other/opp")},
        system=tmp_path,
        soc="910B3",
    )
    assert [(p.kind, p.found) for p in target_problems(target)] == [
        ("mixed_releases", "7.6.0.1.220")
    ]


def test_driver_interfaces_have_a_minimum(target: Target) -> None:
    package = Package(
        "runtime", "7.7.0.1.238", "8.1.RC1", {}, {"ascendhal": "4.0.0", "tsfw": "1.0"}
    )
    base = replace(target, packages=(package,), driver=Fact("24.1.rc3", "driver/version.info"))
    good = replace(base, details={"driver_interfaces": ("ascendhal=7.35.23", "tsfw=1.0")})
    assert target_problems(good) == ()
    bad = replace(base, details={"driver_interfaces": ("ascendhal=3.9.9", "tsfw=1.0")})
    assert kinds(bad) == ["driver_interface"]


@pytest.mark.parametrize(
    ("inner", "accepts", "driver_inner", "driver_lines", "problem"),
    [
        ("V100R001C21", "[V100R001C19]", "V100R001C19", (), False),
        ("V100R001C21", "[V100R001C20]", "V100R001C23", ("C21",), False),
        ("V100R001C10", "[V100R001C21]", "V100R001C19", ("C18", "C19"), True),
        ("V100R001C10", "[V100R001C21]", "V100R001C19", (), True),  # C19 is older than C10
        ("V100R001C15", "[V100R001C13]", "V100R001C20", (), False),  # newer, its list is unknown
        ("V100R001C21", "", "V100R001C19", ("C18",), False),
        ("", "", "", (), False),
    ],
)
def test_driver_windows_are_possible_problems(
    target: Target,
    inner: str,
    accepts: str,
    driver_inner: str,
    driver_lines: tuple[str, ...],
    problem: bool,
) -> None:
    details: dict[str, object] = {
        "innerversion": inner,
        "compatible_version": accepts,
        "driver_innerversion": driver_inner,
        "driver_compatible_lines": driver_lines,
    }
    found = target_problems(replace(target, details=details))
    assert [p.kind for p in found] == (["driver_window"] if problem else [])
    assert all(p.certainty is Certainty.POSSIBLE for p in found)


def test_a_malformed_range(target: Target) -> None:
    broken = replace(target, abi_range=Fact(">=6.3", "compiler/version.info"))
    assert kinds(broken) == ["abi_range_malformed"]
    assert kinds(replace(target, abi_range=Fact(None, "no key"))) == []


def test_a_version_that_the_loader_reads_from_another_line(tmp_path: Path) -> None:
    root = trees.toolkit(tmp_path)
    text = (root / "opp/version.info").read_text()
    (root / "opp/version.info").write_text("ops_Version=1.2.3\n" + text)
    (problem,) = target_problems(discover(root, soc="910B3"))[-1:]
    assert (problem.kind, problem.expected, problem.found) == (
        "version_shadowed",
        "7.7.0.1.238",
        "1.2.3",
    )


def test_a_device_without_a_platform_file() -> None:
    found = target_problems(load_target("9.1.0/Ascend310/linux-aarch64"))
    assert [p.kind for p in found] == ["soc_not_described"]
    assert found[0].certainty is Certainty.LIKELY
