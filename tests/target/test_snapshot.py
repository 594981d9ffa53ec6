"""Snapshots: what was written comes back, strictly."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from preflight.errors import MalformedInput, PreflightError, UnreadableInput, UsageError
from preflight.findings import Certainty
from preflight.target.discover import discover
from preflight.target.manifests import behaviour_fact, behaviour_ids
from preflight.target.resolve import load_target
from preflight.target.snapshot import (
    as_snapshot,
    parse_snapshot,
    read_snapshot,
    snapshot_text,
    write_snapshot,
)
from preflight.target.types import Fact, Package, SocFacts, Target, Vendor
from tests.target import trees

_text = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
_certainty = st.sampled_from(list(Certainty))
_fact = st.builds(Fact, st.none() | _text, _text, known=st.booleans(), certainty=_certainty)
_mapping = st.dictionaries(_text, _text, max_size=3)
_behaviour = st.one_of(
    st.builds(lambda s, c: Fact(None, s, False, c), _text, _certainty),
    st.builds(
        lambda name, s, c: Fact(behaviour_fact(name).value, s, True, c),
        st.sampled_from(behaviour_ids()),
        _text,
        _certainty,
    ),
)
_soc = st.builds(
    SocFacts,
    soc_version=_text,
    short=_text,
    arch_type=st.none() | _text,
    npu_arch=st.none() | _text,
    aic_version=_text,
    ai_core_count=st.none() | st.integers(0, 1 << 40),
    memory_bytes=st.none() | st.integers(0, 1 << 60),
    source=_text,
)
_package = st.builds(Package, _text, _text, _text, _mapping, _mapping, _text)
_vendor = st.builds(
    Vendor,
    _text,
    _text,
    st.none() | _text,
    st.none() | st.booleans(),
    _text,
    st.lists(_text, max_size=3).map(tuple),
)
_dtypes = st.lists(st.sampled_from(["FLOAT16", "FLOAT", "INT8"]), unique=True).map(tuple)
_texts = st.lists(_text, max_size=3).map(tuple)
_targets = st.builds(
    Target,
    name=_text,
    origin=st.just("installed"),
    release=_fact,
    internal=_fact,
    behaviour=_behaviour,
    soc=_fact,
    socs=st.dictionaries(_text, _soc, max_size=2),
    host_os=_fact,
    host_cpu=_fact,
    abi_range=_fact,
    opp_version=_fact,
    driver=_fact,
    packages=st.lists(_package, max_size=2).map(tuple),
    vendors=st.lists(_vendor, max_size=2).map(tuple),
    kernels=st.dictionaries(
        st.from_regex(r"[A-Za-z0-9_.]{1,8}", fullmatch=True), _dtypes, max_size=3
    ),
    kernels_source=_text,
    history_dirs=_texts,
    python_packages=_mapping,
    details=st.dictionaries(_text, _text | st.integers(0, 9) | st.booleans() | _texts, max_size=3),
    soc_answer=st.sampled_from(["", "pass", "mismatch", "error"]),
    fingerprint=_text,
    socs_source=_text,
    socs_certainty=_certainty,
    notes=_texts,
)


@given(_targets)
def test_reading_undoes_writing(target: Target) -> None:
    assert parse_snapshot(snapshot_text(target).encode(), "x") == as_snapshot(target)


def test_an_installation_comes_back_from_its_file(tmp_path: Path) -> None:
    trees.driver(tmp_path)
    root = trees.toolkit(tmp_path / "usr/local/Ascend")
    trees.vendor(root / "opp", "mine", "8.5.0")
    target = discover(tmp_path, soc="910B3")
    path = tmp_path / "host.toml"
    write_snapshot(target, path)
    again = load_target(str(path))
    assert again == as_snapshot(target)
    assert again.origin == "snapshot"
    assert again.fingerprint == target.fingerprint
    assert again.kernels["Add"] == target.kernels["Add"]
    assert snapshot_text(again) == path.read_text()


def test_a_catalogue_target_can_be_captured_too() -> None:
    target = load_target("8.1.RC1/Ascend310P3/linux-aarch64")
    assert parse_snapshot(snapshot_text(target).encode(), "x") == as_snapshot(target)


@pytest.mark.parametrize(
    ("old", "new", "names"),
    [
        ("\nname =", "\nnmae =", "nmae"),
        ("[release]\n", "[release]\nvalues = 1\n", "values"),
        ('certainty = "certain"', 'certainty = "sure"', "certainty"),
        ("schema = 1", "schema = 2", "schema"),
        ('value = "ge-8.1"', 'value = "ge-8.9"', "ge-8.9"),
        ('value = "8.1.RC1"', "value = 8.1", "release"),
        ("schema = 1", "schema = = 1", "TOML"),
        ('arch_type = "4"', 'arch = "4"', "arch"),
    ],
)
def test_wrong_keys_and_values_are_named(old: str, new: str, names: str) -> None:
    text = snapshot_text(load_target("8.1.RC1/Ascend910B3"))
    assert old in text
    with pytest.raises(MalformedInput) as error:
        parse_snapshot(text.replace(old, new, 1).encode(), "host.toml")
    assert names in error.value.message
    assert "host.toml" in error.value.message


def test_files_that_are_no_snapshots(tmp_path: Path) -> None:
    with pytest.raises(UnreadableInput):
        read_snapshot(tmp_path / "gone.toml")
    (tmp_path / "binary.toml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(MalformedInput, match="UTF-8"):
        read_snapshot(tmp_path / "binary.toml")
    with pytest.raises(MalformedInput):
        parse_snapshot(b"a = " + b"[" * 5000, "deep.toml")


def test_a_host_with_undecodable_text_cannot_be_captured_silently(tmp_path: Path) -> None:
    root = trees.toolkit(tmp_path)
    (root / "opp/version.info").write_bytes(b"Version=\xff\n")
    with pytest.raises(UsageError, match="surrogate"):
        snapshot_text(discover(root))


@given(st.binary(max_size=200))
def test_no_bytes_leave_the_error_family(data: bytes) -> None:
    with pytest.raises(PreflightError):
        parse_snapshot(data, "x")
