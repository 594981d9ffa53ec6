"""What the loader reads from an install root."""

from __future__ import annotations

from pathlib import Path

from preflight.target.loader_view import LoaderView
from preflight.target.tree import Tree
from tests.target.trees import write


def test_the_compiler_decides_the_range_before_the_runtime(tmp_path: Path) -> None:
    write(tmp_path / "runtime/version.info", "required_opp_abi_version=>=1.0,<=2.0\n")
    assert LoaderView(tmp_path).abi_range().value == ">=1.0,<=2.0"
    (tmp_path / "compiler").mkdir()
    found = LoaderView(tmp_path).abi_range()
    assert found.known
    assert found.value is None
    assert "compiler" in found.source
    write(tmp_path / "compiler/version.info", "required_opp_abi_version=3.0\n")
    assert LoaderView(tmp_path).abi_range().value == "3.0"


def test_no_folder_means_that_everything_is_accepted(tmp_path: Path) -> None:
    found = LoaderView(tmp_path).abi_range()
    assert (found.known, found.value) == (True, None)


def test_a_compiler_that_only_we_cannot_see_leaves_the_range_open(tmp_path: Path) -> None:
    (tmp_path / "compiler").symlink_to("/nowhere/compiler")
    write(tmp_path / "runtime/version.info", "Version=1\n")
    assert not LoaderView(tmp_path, Tree((tmp_path,))).abi_range().known


def test_scene_of_opp_wins_and_an_unreadable_one_is_passed_over(tmp_path: Path) -> None:
    write(tmp_path / "runtime/scene.info", "os=linux\narch=aarch64\n")
    view = LoaderView(tmp_path)
    assert (view.scene().os, view.scene().cpu) == ("linux", "aarch64")
    (tmp_path / "opp/scene.info").mkdir(parents=True)
    assert view.scene().cpu == "aarch64"
    (tmp_path / "opp/scene.info").rmdir()
    write(tmp_path / "opp/scene.info", "os=linux\narch=x86_64\n")
    assert view.scene().cpu == "x86_64"
    write(tmp_path / "opp/scene.info", "")
    assert (view.scene().os, view.scene().cpu, view.scene().known) == ("", "", True)


def test_a_scene_file_behind_a_dangling_link_is_not_known(tmp_path: Path) -> None:
    (tmp_path / "opp").symlink_to("/nowhere/opp")
    assert not LoaderView(tmp_path, Tree((tmp_path,))).scene().known


def test_no_operator_package_means_no_comparison(tmp_path: Path) -> None:
    found = LoaderView(tmp_path).opp_version(tmp_path / "opp")
    assert (found.known, found.value) == (True, None)
    write(tmp_path / "opp/version.info", "ops_Version=\n")
    assert LoaderView(tmp_path).opp_version(tmp_path / "opp").value == ""


def test_vendor_filter(tmp_path: Path) -> None:
    write(tmp_path / "runtime/version.info", 'required_opp_abi_version=">=6.3, <=7.7"\n')
    view = LoaderView(tmp_path)
    path = tmp_path / "opp/vendors/a"
    write(path / "version.info", "custom_opp_compiler_version=7.10\n")
    assert view.vendor(path, padded=True).valid
    refused = view.vendor(path, padded=False)
    assert refused.valid is False
    assert "7.10" in refused.reason
    newest = tmp_path / "opp_latest/a"
    write(newest / "version.info", "compiler_version=9.9\n")
    assert view.vendor(newest, padded=True).valid
    write(tmp_path / "opp/version.info", "Version=9.1.0\n")
    assert view.vendor(tmp_path / "opp/built-in", padded=True).valid is False
