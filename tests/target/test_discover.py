"""Finding and reading installations of both layouts, on made trees and on the real one."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from preflight.errors import UnreadableInput, UsageError
from preflight.findings import Certainty
from preflight.target.consistency import target_problems
from preflight.target.discover import discover, soc_of_npu_smi
from preflight.target.install import target_from_install
from preflight.target.resolve import load_target
from preflight.target.snapshot import write_snapshot
from tests.target import trees


def test_the_layout_before_8_5_is_found_from_every_level(tmp_path: Path) -> None:
    root = trees.toolkit(tmp_path)
    for place in (tmp_path, root.parent, root):
        target = discover(place, soc="910B3")
        assert target.name == "8.1.RC1/Ascend910B3/linux-aarch64"
        assert target.internal.value == "7.7.0.1.238"
        assert target.abi_range.value == trees.ABI
        assert target.opp_version.value == "7.7.0.1.238"
        assert target.opp_version.certainty is Certainty.LIKELY
        assert target.behaviour.value is not None
        assert target.behaviour.value.id == "ge-8.1"
        assert target.socs["Ascend910B3"].arch_type == "4"
        assert target.socs["Ascend910B3"].memory_bytes == 64 << 30
        assert target.details["root"] == str(root)


def test_latest_with_links_without_links_and_with_links_out(tmp_path: Path) -> None:
    root = trees.toolkit(tmp_path)
    folder = trees.latest(tmp_path, root)
    linked = discover(folder)
    assert linked.details["root"] == str(root)
    assert linked.details["opp_path"] == str(folder / "opp")
    for link in folder.iterdir():
        if link.is_symlink():
            link.unlink()
    bare = discover(folder)
    assert bare.details["root"] == str(root)
    assert bare.release.value == linked.release.value == "8.1.RC1"


def test_a_moved_tree_with_absolute_links_is_still_read(tmp_path: Path) -> None:
    original = tmp_path / "original"
    root = trees.toolkit(original)
    trees.latest(original, root, absolute=True)
    moved = tmp_path / "moved"
    shutil.copytree(original, moved, symlinks=True)
    shutil.rmtree(original)
    target = discover(moved)
    assert target.release.value == "8.1.RC1"
    assert target.details["root"] == str(moved / "ascend-toolkit/8.1.RC1")


def test_links_out_of_the_named_folder_are_not_followed(tmp_path: Path) -> None:
    root = trees.toolkit(tmp_path / "elsewhere")
    place = tmp_path / "place"
    place.mkdir()
    for package in root.iterdir():
        (place / package.name).symlink_to(package)
    with pytest.raises(UnreadableInput, match="no CANN"):
        discover(place)


def test_the_layout_from_8_5(tmp_path: Path) -> None:
    root = trees.component(tmp_path, "9.1.0")
    for place in (tmp_path, root, tmp_path / "cann"):
        target = discover(place, soc="Ascend910B3")
        assert target.release.value == "9.1.0"
        assert target.behaviour.value is not None
        assert target.behaviour.value.id == "ge-9.1.0"
        assert target.socs["Ascend910B3"].npu_arch == "2201"
        assert {p.name for p in target.packages} == {"runtime", "ge-executor", "metadef", "hcomm"}
        # The loader looks under <root>/opp and <root>/runtime only, not into share/info.
        assert (target.host_os.known, target.host_os.value) == (True, "")
        assert (target.abi_range.known, target.abi_range.value) == (True, None)
        assert (target.opp_version.known, target.opp_version.value) == (True, None)
        assert target_problems(target) == ()


def test_the_environment_decides_before_well_known_places(tmp_path: Path) -> None:
    system = tmp_path / "system"
    trees.toolkit(system / "usr/local/Ascend")
    other = trees.toolkit(tmp_path / "opt", "8.0.0", "7.6.0.1.220")
    found = discover(env={}, system=system, soc="910b3")
    assert found.release.value == "8.1.RC1"
    by_home = discover(env={"ASCEND_HOME_PATH": str(other)}, system=system, soc="910b3")
    assert by_home.release.value == "8.0.0"
    by_toolkit = discover(env={"ASCEND_TOOLKIT_HOME": str(other)}, system=system, soc="910b3")
    assert by_toolkit.release.value == "8.0.0"
    by_opp = discover(env={"ASCEND_OPP_PATH": str(other / "opp")}, system=system, soc="910b3")
    assert by_opp.release.value == "8.0.0"
    assert by_opp.opp_version.certainty is Certainty.CERTAIN
    stale = discover(env={"ASCEND_HOME_PATH": str(tmp_path / "gone")}, system=system, soc="910b3")
    assert stale.release.value == "8.1.RC1"
    assert any(p.path.endswith("gone") and p.result == "absent" for p in stale.places)


def test_nothing_installed_names_the_places(tmp_path: Path) -> None:
    with pytest.raises(UnreadableInput) as error:
        discover(env={}, system=tmp_path)
    assert "usr/local/Ascend/cann" in error.value.hint
    with pytest.raises(UnreadableInput, match="no such folder"):
        discover(tmp_path / "gone")


def test_the_newest_version_wins_where_nothing_else_decides(tmp_path: Path) -> None:
    trees.toolkit(tmp_path, "8.0.0", "7.6.0.1.220")
    trees.toolkit(tmp_path, "8.1.RC1", "7.7.0.1.238")
    assert discover(tmp_path / "ascend-toolkit").release.value == "8.1.RC1"


def test_latest_may_mix_releases_and_that_is_a_problem(tmp_path: Path) -> None:
    root = trees.toolkit(tmp_path)
    folder = trees.latest(tmp_path, root)
    old = trees.toolkit(tmp_path, "8.0.0", "7.6.0.1.220")
    (folder / "opp").unlink()
    (folder / "opp").symlink_to(old / "opp")
    target = discover(folder)
    assert target.opp_version.value == "7.6.0.1.220"
    kinds = {problem.kind for problem in target_problems(target)}
    assert {"mixed_releases", "package_requirement"} <= kinds


def test_partly_unreadable_trees_never_raise_and_say_so(tmp_path: Path) -> None:
    root = trees.toolkit(tmp_path)
    (root / "runtime/version.info").unlink()
    (root / "runtime/version.info").mkdir()
    (root / "opp/scene.info").unlink()
    (root / "opp/scene.info").symlink_to("gone")
    (root / "compiler/version.info").unlink()
    target = discover(root, soc="910B3")
    assert target.release.value == "8.1.RC1"  # from another package
    assert not target.host_os.known
    assert (target.abi_range.known, target.abi_range.value) == (True, None)
    unreadable = {p.path for p in target.places if p.result == "unreadable"}
    assert str(root / "runtime/version.info") in unreadable
    assert str(root / "opp/scene.info") in unreadable


def test_no_permission_leaves_the_loaders_facts_open(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = trees.toolkit(tmp_path)
    real = Path.open

    def refuse(path: Path, *args: object, **kwargs: object) -> object:
        if path.name == "version.info":
            raise PermissionError(13, "Permission denied")
        return real(path, *args, **kwargs)  # type: ignore[call-overload]  # passed on as they came

    monkeypatch.setattr(Path, "open", refuse)
    target = discover(root, soc="910B3")
    assert not target.release.known
    assert not target.behaviour.known
    assert not target.abi_range.known
    assert not target.opp_version.known
    assert target.host_os.value == "linux"


def test_kernels_are_read_when_asked_for(tmp_path: Path) -> None:
    root = trees.toolkit(tmp_path)
    target = discover(root, soc="910B3")
    assert target.kernels["Add"] == ("FLOAT16", "FLOAT", "DOUBLE")
    assert target.kernels["Eye"] == ("INT8",)
    assert target.kernels["Print"] == ()
    assert discover(root, soc="310P3").kernels_source == ""


def test_vendors_in_the_order_of_the_search(tmp_path: Path) -> None:
    root = trees.toolkit(tmp_path)
    opp = root / "opp"
    trees.vendor(opp, "good", "7.7.0.1.238")
    trees.vendor(opp, "new", "8.5.0", "NewOp")
    trees.vendor(opp, "left", "7.6")
    custom = trees.vendor(tmp_path / "own", "mine", "7.7")
    trees.write(opp / "vendors/config.ini", "load_priority=new,good\n")
    target = target_from_install(
        root, soc="910B3", env={"ASCEND_CUSTOM_OPP_PATH": f"{custom}:{tmp_path}/gone"}
    )
    assert [v.name for v in target.vendors] == ["mine", "gone", "new", "good", "left"]
    assert [v.accepted for v in target.vendors] == [True, False, False, True, False]
    assert target.vendors[2].operators == ("NewOp",)
    assert "8.5.0" in target.vendors[2].reason
    problems = {(p.kind, p.subject) for p in target_problems(target)}
    assert problems == {
        ("vendor_missing", "vendor gone"),
        ("vendor_dropped", "vendor new"),
        ("vendor_not_searched", "vendor left"),
    }
    assert "MyAdd" in target.kernels
    assert "NewOp" not in target.kernels


def test_a_vendor_stays_undecided_when_the_comparison_is_not_known(tmp_path: Path) -> None:
    root = tmp_path / "root"
    trees.write(root / "runtime/version.info", f"required_opp_abi_version={trees.ABI}\n")
    trees.vendor(root / "opp", "a", "7.10")
    trees.vendor(root / "opp", "b", "7.7")
    trees.write(root / "opp/vendors/config.ini", "load_priority=a,b\n")
    target = target_from_install(root)
    assert [v.accepted for v in target.vendors] == [None, True]
    newer = target_from_install(root, behaviour="ge-9.0.1")
    assert [v.accepted for v in newer.vendors] == [True, True]
    older = target_from_install(root, behaviour="ge-8.5.0")
    assert [v.accepted for v in older.vendors] == [False, True]


def test_older_operator_information_files(tmp_path: Path) -> None:
    root = trees.toolkit(tmp_path)
    trees.write(root / "opp/vendors/old/op_info_cfg/ai_core/ascend910/x.ini", "[OldOp]\na=b\n")
    trees.write(root / "opp/vendors/config.ini", "load_priority=old\n")
    trees.write(root / "opp/vendors/old/op_impl/cpu/config/cust.json", "not json")
    target = target_from_install(root)
    assert target.vendors[0].operators == ("OldOp",)
    assert any(p.path.endswith("cust.json") and p.result == "unreadable" for p in target.places)


def test_the_driver_is_found_through_etc(tmp_path: Path) -> None:
    trees.toolkit(tmp_path / "usr/local/Ascend")
    trees.driver(tmp_path)
    for target in (discover(tmp_path, soc="910b3"), discover(env={}, system=tmp_path, soc="910b3")):
        assert target.driver.value == "24.1.rc3"
        assert target.details["driver_interfaces"] == ("ascendhal=7.35.23",)
        assert target_problems(target) == ()


def test_history_registries_are_found(tmp_path: Path) -> None:
    root = trees.toolkit(tmp_path)
    trees.write(root / "opp/history_registry/math/index.json", "{}")
    assert target_from_install(root).history_dirs == (str(root / "opp/history_registry/math"),)


def test_an_explicit_operator_package_is_certain(tmp_path: Path) -> None:
    trees.write(tmp_path / "root/opp/scene.info", "os=linux\narch=x86_64\n")
    trees.write(tmp_path / "oppenv/version.info", "Version=8.5.0\n")
    target = target_from_install(
        tmp_path / "root", opp_path=tmp_path / "oppenv", behaviour="ge-9.0.1", soc_answer="mismatch"
    )
    assert target.opp_version.value == "8.5.0"
    assert target.opp_version.certainty is Certainty.CERTAIN
    assert target.host_cpu.value == "x86_64"
    assert target.soc_answer == "mismatch"


def test_a_soc_may_be_named_behind_everything(tmp_path: Path) -> None:
    root = trees.toolkit(tmp_path)
    file = tmp_path / "host.toml"
    write_snapshot(load_target(f"{root}@910b3"), file)
    assert load_target("8.1.RC1@310P3").name == "8.1.RC1/Ascend310P3"
    assert load_target(f"{file}@910B3").kernels_source
    other = load_target(f"{file}@310P3")
    assert other.soc.value == "Ascend310P3"
    assert not other.kernels
    with pytest.raises(UsageError):
        load_target("8.1.RC1/Ascend310P3@910B3")


def test_load_target_takes_a_folder_with_a_soc(tmp_path: Path) -> None:
    root = trees.toolkit(tmp_path)
    assert load_target(f"{root}@910b3").soc.value == "Ascend910B3"
    assert not load_target(str(root)).soc.known
    with pytest.raises(UsageError, match="no SoC"):
        load_target(f"{root}@910X9")
    with pytest.raises(UsageError, match="no such file"):
        load_target(str(tmp_path / "gone.toml"))


@pytest.mark.parametrize(
    ("table", "soc"),
    [
        (
            "| 0     910B3               | OK   | 93.0 |\n| 0          | 0000:C1:00.0  | 0 |",
            "Ascend910B3",
        ),
        ("| 0     310P3 | OK |\n| 1     310P3 | OK |", "Ascend310P3"),
        ("| 0     310P3 | OK |\n| 1     910B3 | OK |", None),
        ("| 0     Ascend910           | OK |", None),
        ("npu-smi: command failed", None),
    ],
)
def test_npu_smi_names(table: str, soc: str | None) -> None:
    found, notes = soc_of_npu_smi(table)
    assert found == soc
    assert (soc is not None) <= bool(notes)


# --- the real tree ---


@pytest.fixture
def real(shared: Path, tmp_path: Path) -> Path:
    base = tmp_path / "Ascend"
    shutil.copytree(shared / "corpus/trees/cann-8.1.RC1", base)
    for path in [base, *base.rglob("*")]:
        path.chmod(0o755 if path.is_dir() else 0o644)
    return base


@pytest.mark.shared
def test_the_real_tree_is_consistent_however_it_is_reached(real: Path) -> None:
    places = [real, real / "ascend-toolkit", real / "ascend-toolkit/8.1.RC1"]
    places.append(real / "ascend-toolkit/latest")
    for linked in (False, True):
        if linked:
            folder = real / "ascend-toolkit/latest"
            for package in (real / "ascend-toolkit/8.1.RC1").iterdir():
                (folder / package.name).symlink_to(Path("../8.1.RC1") / package.name)
        for place in places:
            target = discover(place, soc="Ascend310P3")
            assert target_problems(target) == ()
            assert target.name == "8.1.RC1/Ascend310P3/linux-aarch64"
            assert target.internal.value == target.opp_version.value == "7.7.0.1.238"
            assert target.abi_range.value == '">=6.3, <=7.7"'
            assert len(target.socs) == 45
            assert len(target.packages) == 10


@pytest.mark.shared
def test_the_real_tree_agrees_with_the_catalogue(real: Path) -> None:
    installed = discover(real, soc="Ascend310P3")
    named = load_target("8.1.RC1/Ascend310P3/linux-aarch64")
    assert installed.name == named.name
    for field in ("release", "internal", "soc", "host_os", "host_cpu", "opp_version"):
        assert getattr(installed, field).value == getattr(named, field).value
    assert (installed.abi_range.value or "").strip('"') == named.abi_range.value
    assert installed.behaviour.value == named.behaviour.value
    assert set(installed.kernels) == set(named.kernels)
    assert {k: (v.short, v.arch_type, v.ai_core_count) for k, v in installed.socs.items()} == {
        k: (v.short, v.arch_type, v.ai_core_count) for k, v in named.socs.items()
    }


@pytest.mark.shared
def test_the_real_tree_with_parts_missing(real: Path) -> None:
    root = real / "ascend-toolkit/8.1.RC1"
    shutil.rmtree(root / "compiler")
    assert discover(real).abi_range.value == '">=6.3, <=7.7"'  # the runtime's
    (root / "runtime/version.info").unlink()
    assert discover(real).abi_range.value is None
    shutil.rmtree(root / "aarch64-linux")
    target = discover(real)
    assert target.release.value == "8.1.RC1"
    assert target.socs_certainty is Certainty.POSSIBLE
    assert len(target.socs) == 45  # from the catalogue
