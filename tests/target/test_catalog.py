"""Targets by name: what is known, what stays unknown, and what to say about wrong names."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from preflight.errors import DataError, PreflightError, UsageError
from preflight.findings import Certainty
from preflight.target.catalog import catalogue_target, known_releases, known_socs, soc_families
from preflight.target.manifests import (
    behaviour_fact,
    behaviour_ids,
    behaviour_of_version,
    loader_behaviour,
    release_named,
    soc_catalogue,
    soc_table,
)
from preflight.target.names import explain_soc, family_of, find_host, find_release, find_soc
from preflight.target.resolve import load_target
from preflight.versions import CannVersion, parse_loader_ranges


def test_the_full_name_gives_a_correct_installation() -> None:
    target = load_target("8.1.RC1/Ascend910B3/linux-aarch64")
    assert target.origin == "catalogue"
    assert (target.release.value, target.internal.value) == ("8.1.RC1", "7.7.0.1.238")
    assert target.opp_version.value == "7.7.0.1.238"
    assert target.abi_range.value == ">=6.3, <=7.7"
    assert (target.host_os.value, target.host_cpu.value) == ("linux", "aarch64")
    assert target.socs["Ascend910B3"].arch_type == "4"
    assert target.socs["Ascend910B3"].npu_arch is None
    assert not target.driver.known
    assert "FLOAT16" in target.kernels["Abs"]
    assert target.details["soc_family"] == "910B (A2)"


def test_what_a_name_leaves_out_is_unknown() -> None:
    target = load_target("8.1.RC1")
    for fact in (target.soc, target.host_os, target.host_cpu, target.driver):
        assert not fact.known
        assert fact.source
    assert not load_target("8.2.RC1").internal.known
    assert not load_target("8.2.RC1").opp_version.known
    assert not load_target("9.0.1").abi_range.known
    assert not load_target("6.3.RC2").behaviour.known
    assert not load_target("8.0.RC2").behaviour.known
    assert load_target("6.0.RC1/Ascend310").socs == {}
    assert load_target("9.1.0").opp_version.certainty is Certainty.POSSIBLE
    assert load_target("9.1.0/Ascend910B3/linux-x86_64").host_os.certainty is Certainty.LIKELY


def test_letter_case_prefix_and_aliases() -> None:
    assert load_target("8.1.rc1/910b3/LINUX-ARM64").name == "8.1.RC1/Ascend910B3/linux-aarch64"
    assert find_soc("910_9391")[0] == "Ascend910_9391"
    assert find_soc("310")[0] == "Ascend310"
    assert find_soc("bs9sx1aa")[0] == "BS9SX1AA"
    assert find_host("aarch64-linux") == ("linux", "aarch64")
    assert find_host("linux-amd64") == ("linux", "x86_64")
    assert find_release("cann-8.5.0")[0].public == "8.5.0"
    entry, notes = find_release("7.7.0.1.238")
    assert entry.public == "8.1.RC1"
    assert notes
    assert find_release("8.0.RC3.beta1")[0].public == "8.0.RC3"
    assert find_release("master")[0].public == "master"


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("8.1.RC2", "8.1.RC1"),
        ("8.1.RC1/Ascend910B6", "Ascend910B"),
        ("8.1.RC1/Ascend310P3/windows-x86_64", "linux-x86_64"),
        ("8.1.RC1/Ascend310P3/linux-riscv", "linux-aarch64"),
        ("8.1.RC1//linux-aarch64", "release"),
        ("a/b/c/d", "release"),
        ("", "release"),
    ],
)
def test_unknown_names_are_errors_with_the_nearest_known(name: str, hint: str) -> None:
    with pytest.raises(UsageError) as error:
        catalogue_target(name)
    assert hint in error.value.hint


@pytest.mark.parametrize(
    ("name", "word", "choice"),
    [
        ("Ascend310P", "digit", "Ascend310P3"),
        ("310b", "digit", "Ascend310B4"),
        ("Ascend910", "A3", ""),
        ("910_93", "family", "Ascend910_9391"),
        ("Ascend910C", "family", "Ascend910_9391"),
        ("A2", "family", "Ascend910B3"),
        ("Ascend950", "family", "Ascend950"),
        ("Ascend710", "20.1", "Ascend310P3"),
    ],
)
def test_well_known_confusions_are_explained(name: str, word: str, choice: str) -> None:
    with pytest.raises(UsageError) as error:
        catalogue_target(f"8.1.RC1/{name}")
    assert word in error.value.message
    assert choice in error.value.hint


def test_plain_910b_is_accepted_with_a_warning() -> None:
    target = load_target("8.1.RC1/Ascend910B")
    assert target.socs["Ascend910B"].arch_type == target.socs["Ascend910A"].arch_type == "3"
    assert any("first generation" in note for note in target.notes)
    assert load_target("8.1.RC1/Ascend910B3").notes == ()


def test_virtual_devices_are_their_base() -> None:
    soc, notes = find_soc("Ascend310P3vir02")
    assert soc == "Ascend310P3"
    assert "virtual" in notes[0]


def test_confusions_and_families_name_known_socs() -> None:
    known = set(known_socs())
    catalogue = soc_catalogue()
    for family in soc_families():
        assert set(family.socs) <= known, family.name
        assert family_of(family.socs[0]) == family.name
    for confusion in catalogue.confusions:
        assert set(confusion.candidates) <= known
        for name in confusion.names:
            assert name not in known
            assert explain_soc(name) is confusion
    assert set(catalogue.remarks) <= known


def test_every_release_makes_a_target() -> None:
    names = [entry.public for entry in known_releases()]
    assert len(names) == len(set(names)) >= 40
    for entry in known_releases():
        target = catalogue_target(entry.public)
        assert target.release.value == entry.public
        assert bool(target.socs) == bool(entry.soc_table)
        assert entry.source
        assert entry.behaviour_source
        if entry.behaviour:
            assert entry.behaviour in behaviour_ids()
        if entry.internal:
            CannVersion(entry.internal)
        if entry.abi_range:
            assert parse_loader_ranges(entry.abi_range, False)


def test_one_release_alone_reads_the_same_as_all_of_them() -> None:
    for entry in known_releases():
        assert release_named(entry.public) == entry
    for wrong in ("8.1", "8.1.rc1", "8.1.RC1.beta1", "", '"', "public"):
        assert release_named(wrong) is None


def test_releases_stand_in_their_order() -> None:
    versions = [CannVersion.parse(entry.public) for entry in known_releases()]
    # 20.1 belongs to an older way of counting, master to none.
    counted = [v for v in versions if v is not None and v < CannVersion("20")]
    assert counted == sorted(counted)


def test_every_behaviour_is_complete_and_sourced() -> None:
    for name in behaviour_ids():
        fact = behaviour_fact(name)
        behaviour = fact.value
        assert behaviour is not None
        assert behaviour.id == name
        assert behaviour.soc_rule in ("arch_type", "npu_arch")
        assert behaviour.file_message_family in ("E13", "E19")
        assert all(behaviour.sources.values())
        assert set(behaviour.sources) == set(behaviour.certainties)
        worst = max(behaviour.certainties.values(), key=lambda c: c.rank)
        assert fact.certainty is worst
    with pytest.raises(DataError, match="no loader behaviour"):
        behaviour_fact("ge-0")


@pytest.mark.parametrize(
    ("name", "extra", "rule", "padded", "vendors_padded", "fatal", "bundle"),
    [
        ("oge-1.9", 0, "arch_type", False, False, False, False),
        ("ge-8.1", 2, "arch_type", False, False, False, False),
        ("ge-8.5.0", 2, "arch_type", False, False, False, False),
        ("ge-9.0.1", 2, "arch_type", False, True, False, True),
        ("ge-9.1.0", 3, "npu_arch", True, True, True, True),
        ("ge-9.2", 3, "npu_arch", True, True, True, True),
    ],
)
def test_where_generations_differ(
    name: str, extra: int, rule: str, padded: bool, vendors_padded: bool, fatal: bool, bundle: bool
) -> None:
    b = loader_behaviour(name)
    assert (b.partition_extra, b.soc_rule, b.abi_padding) == (extra, rule, padded)
    assert (b.vendor_abi_padding, b.so_store_fatal) == (vendors_padded, fatal)
    assert b.bundle_var_info == bundle
    assert b.om2 == b.custom_ops == (name in ("ge-9.1.0", "ge-9.2"))
    assert b.file_message_family == ("E19" if name in ("oge-1.9", "ge-8.1") else "E13")


@pytest.mark.parametrize(
    ("version", "behaviour", "certainty"),
    [
        ("9.0.1", "ge-9.0.1", Certainty.CERTAIN),
        ("9.0.2", "ge-9.0.1", Certainty.LIKELY),
        ("9.1.0.B060", "ge-9.1.0", Certainty.LIKELY),
        ("8.5.0.2.220", "ge-8.5.0", Certainty.LIKELY),
        ("8.4.0", "ge-8.1", Certainty.POSSIBLE),
        ("12.0", "ge-9.2", Certainty.POSSIBLE),
    ],
)
def test_unlisted_releases_take_after_the_nearest_below(
    version: str, behaviour: str, certainty: Certainty
) -> None:
    fact = behaviour_of_version(version)
    assert fact.value is not None
    assert fact.value.id == behaviour
    assert fact.certainty is certainty


@pytest.mark.parametrize("version", ["7.0.3", "1.0", "cann", ""])
def test_some_releases_stay_unknown(version: str) -> None:
    assert not behaviour_of_version(version).known


def test_soc_tables_of_the_generations() -> None:
    old, new, both = soc_table("8.1.RC1"), soc_table("9.2"), soc_table("both")
    assert "Ascend310" in old
    assert "Ascend310" not in new
    assert set(both) == set(old) | set(new)
    assert all(facts.npu_arch for facts in new.values())
    assert not any(facts.npu_arch for facts in old.values())
    assert both["Ascend910B3"].ai_core_count == old["Ascend910B3"].ai_core_count == 20
    assert new["Ascend910B1"].npu_arch == new["Ascend910_9392"].npu_arch == "2201"


def test_kernel_support_is_known_only_where_it_was_seen() -> None:
    assert load_target("8.1.RC1/Ascend310P3").kernels_source
    assert load_target("8.5.0/Ascend310P3").kernels_source == ""
    assert load_target("8.1.RC1").kernels_source == ""
    assert load_target("20.1.rc1/Ascend310").kernels_source


@given(st.text(max_size=40))
def test_no_name_leaves_the_error_family(text: str) -> None:
    try:
        catalogue_target(text)
    except PreflightError as error:
        assert error.message


@pytest.mark.shared
def test_soc_tables_equal_the_specification(shared: Path) -> None:
    enums = json.loads((shared / "spec/enums.json").read_text())
    for key, table in (("SocTable_CANN_8_1_RC1", "8.1.RC1"), ("SocTable_runtime_master", "9.2")):
        ours = {k: (v.short, v.arch_type, v.npu_arch) for k, v in soc_table(table).items()}
        assert ours == {
            row["soc"]: (row["Short_SoC_version"], row["Arch_type"], row["NpuArch"])
            for row in enums[key]
        }


@pytest.mark.shared
def test_internal_numbers_equal_the_collected_facts(shared: Path) -> None:
    facts = json.loads((shared / "facts/compatibility-tables.json").read_text())
    ours = {entry.public: entry.internal for entry in known_releases()}
    for row in facts["cann_internal_version"]["rows"]:
        internal, public = row.get("internal", "").split(" ")[0], row["cann"]
        if public in ours and internal:
            assert ours[public] == internal, public
