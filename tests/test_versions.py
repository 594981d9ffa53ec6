"""Versions: laws of the order, the loader's arithmetic, the installer's requirements."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from preflight.errors import PreflightError
from preflight.versions import (
    CannVersion,
    InvalidVersion,
    VersionPair,
    VersionRange,
    is_vendor_version_valid,
    loader_number,
    parse_loader_ranges,
)

_numbers = st.integers(0, 300).map(str)
_words = st.sampled_from(
    ["RC1", "RC2", "rc3", "alpha001", "beta1", "T11", "t8", "B070", "B238", "SPC102", "pre"]
)
_tails = st.sampled_from(["", "-beta.1", "-rc.2", "-alpha.3", ".pre", ".B060"])
_texts = st.builds(
    lambda head, rest, tail: ".".join([head, *rest]) + tail,
    _numbers,
    st.lists(st.one_of(_numbers, _words), max_size=4),
    _tails,
)
_versions = _texts.map(CannVersion)


@pytest.mark.parametrize(
    "text",
    [
        "8.1.RC1", "8.0.RC3.alpha002", "9.1.0-beta.1", "9.0.0-rc.1", "8.0.0", "6.3.RC2",
        "8.1.RC1.B070", "9.1.0.B060", "7.7.0.1.238", "7.2.T11.0.B218", "8.3.t14.0.b101",
        "9.1.0-beta.2.pre", "20.1.rc1", "8.2.0.0.201.", "5.0.1.SPC102", "7.0.0.beta1", "43",
    ],
)  # fmt: skip
def test_every_form_that_real_files_have_is_read_and_written_back(text: str) -> None:
    assert str(CannVersion(text)) == text
    assert CannVersion(str(CannVersion(text))) == CannVersion(text)


@pytest.mark.parametrize("text", ["", " ", "cann", "RC1.8", "8..1", "8.1.foo", "v8.1", "8.1.RC1 x"])
def test_what_is_no_version_is_refused(text: str) -> None:
    with pytest.raises(InvalidVersion):
        CannVersion(text)
    assert CannVersion.parse(text) is None
    assert issubclass(InvalidVersion, PreflightError)


def test_releases_are_in_the_order_of_their_dates() -> None:
    names = [
        "7.0.0", "8.0.RC1", "8.0.RC2.alpha001", "8.0.RC2", "8.0.RC3.alpha002", "8.0.RC3", "8.0.0",
        "8.1.RC1", "8.2.RC1.alpha003", "8.2.RC1", "8.5.0.alpha001", "8.5.0-beta.1", "8.5.0",
        "8.5.1", "9.0.0-beta.1", "9.0.0-beta.2", "9.0.0-rc.1", "9.0.0", "9.0.1", "9.1.0-beta.1",
        "9.1.0.pre", "9.1.0", "10.0.0",
    ]  # fmt: skip
    versions = [CannVersion(name) for name in names]
    assert sorted(versions) == versions
    assert len(set(versions)) == len(versions)


def test_a_build_is_not_a_beta() -> None:
    assert CannVersion("9.1.0.B060") > CannVersion("9.1.0")
    assert CannVersion("9.1.0.B060") < CannVersion("9.1.1")
    assert not CannVersion("9.1.0.B060").is_prerelease
    assert CannVersion("9.1.0-beta.60").is_prerelease
    assert CannVersion("7.7.T20.0.B210") < CannVersion("7.7.0.1.238")


def test_spelling_does_not_matter_but_is_kept() -> None:
    assert CannVersion("8.1.rc1") == CannVersion("8.1.RC1")
    assert hash(CannVersion("8.1.rc1")) == hash(CannVersion("8.1.RC1"))
    assert CannVersion("9.1.0-beta.1") == CannVersion("9.1.0.beta1")
    assert str(CannVersion("8.1.rc1")) == "8.1.rc1"


@given(_versions, _versions, _versions)
def test_order_is_transitive(a: CannVersion, b: CannVersion, c: CannVersion) -> None:
    low, middle, high = sorted((a, b, c))
    assert low <= middle <= high
    assert low <= high


@given(_versions, _versions)
def test_order_is_total_and_antisymmetric(a: CannVersion, b: CannVersion) -> None:
    assert (a < b) + (a == b) + (a > b) == 1
    if a <= b and b <= a:
        assert a == b
        assert hash(a) == hash(b)


@given(_texts)
def test_parsing_undoes_writing(text: str) -> None:
    assert str(CannVersion(text)) == text
    assert CannVersion(text.upper()) == CannVersion(text.lower())


@given(st.text(max_size=30))
def test_no_text_leaves_the_error_family(text: str) -> None:
    try:
        assert CannVersion(text) == CannVersion(str(CannVersion(text)))
    except PreflightError:
        assert CannVersion.parse(text) is None


def test_a_pair_shows_both_numbers_only_when_they_differ() -> None:
    assert str(VersionPair(CannVersion("8.1.RC1"), CannVersion("7.7.0.1.238"))) == (
        "8.1.RC1 (internal 7.7.0.1.238)"
    )
    assert str(VersionPair(CannVersion("8.5.0"), CannVersion("8.5.0"))) == "8.5.0"
    assert str(VersionPair(None, CannVersion("7.7"))) == "? (internal 7.7)"


# --- the loader's arithmetic, spec/om-format.md §D.4 ---


@pytest.mark.parametrize(
    ("text", "plain", "padded"),
    [
        ("6.3", 63, 630000),
        ("7.7.0.1.238", 77, 770000),
        ("8.1.RC1", 81, 810000),
        ("10.0", 100, 1000000),
        ("7.10", 710, 710000),
        ("6.10", 610, 610000),
        ("6.123456", 6123456, 6123456),
        (".3", 3, 30000),
        ("+6.3", 63, 630000),
        (" 6.3", 63, 630000),
        ("-6.3", 4294967233, 4294337296),
        ("-0.0", 0, 0),
        ("42949.67295", 4294967295, 4294967295),
        ("42949.67296", None, None),
        ("6", None, None),
        ("", None, None),
        ("..", None, 0),
        ("6.3 ", None, None),
        ("6. 3", None, None),
        ("6,3", None, None),
        ("8.1RC1", None, None),
        ("+-6.3", None, None),
        ("٦.3", None, None),
    ],
)
def test_loader_numbers(text: str, plain: int | None, padded: int | None) -> None:
    assert loader_number(text, False) == plain
    assert loader_number(text, True) == padded


def test_ten_lies_below_three_after_padding() -> None:
    older, newer = loader_number("6.10", True), loader_number("6.3", True)
    assert older is not None
    assert newer is not None
    assert older < newer


@pytest.mark.parametrize(
    ("text", "ranges"),
    [
        ('">=6.3, <=7.7"', ((63, 77),)),
        (">= 6.3, <= 7.7", ((63, 77),)),
        (">=6.3, <=7.7, 8.5", ((63, 77), (85, 85))),
        (">=7.7, <=6.3", ((77, 63),)),
        (">=6.3", None),
        ("<=7.7", None),
        (">6.3", None),
        ("==7.7", None),
        ('""', None),
        (">=6.3, <=7.7,", None),
        (">=6.3,,<=7.7", None),
    ],
)
def test_ranges(text: str, ranges: tuple[tuple[int, int], ...] | None) -> None:
    assert parse_loader_ranges(text, False) == ranges


def test_a_malformed_range_refuses_even_empty_versions() -> None:
    assert not is_vendor_version_valid("", "", ">=6.3", False)
    assert is_vendor_version_valid("", "", ">=6.3, <=7.7", False)
    assert is_vendor_version_valid("9.9", "", None, False)


def test_every_item_of_a_compiler_version_must_fit() -> None:
    accepted = '">=6.3, <=7.7"'
    assert is_vendor_version_valid("", "7.7, 7.6", accepted, True)
    assert not is_vendor_version_valid("", "7.7,8.5", accepted, True)
    assert not is_vendor_version_valid("", "7.7,", accepted, True)
    assert not is_vendor_version_valid("8.5.0", "7.7", accepted, True)
    assert not is_vendor_version_valid("7.10", "", accepted, False)
    assert is_vendor_version_valid("7.10", "", accepted, True)


@given(st.integers(0, 9999), st.text("0123456789", min_size=1, max_size=5))
def test_padding_keeps_what_comes_after_the_minor_out(major: int, minor: str) -> None:
    assert loader_number(f"{major}.{minor}", True) == loader_number(f"{major}.{minor}.9.RC1", True)


# --- the installer's requirements, §E.2 ---


@pytest.mark.parametrize(
    ("requirement", "version", "holds"),
    [
        ("<=7.7", "7.7.0.1.238", True),
        ('">=7.6, <=7.7"', "7.7.0.1.238", True),
        (">=7.6, <=7.7", "7.5.0.1.129", False),
        (">=7.6, <=7.7", "7.8", False),
        ("7.7", "7.7.0.1.238", True),
        ("7.7", "7.70", False),
        ("7.7.0", "7.7", False),
        (">=8.5.0", "8.5", False),
        (">=8.5", "8.10.0", True),
        ("<8.5", "8.5.0", False),
        (">8.5", "8.5.0", True),
        ("8.5.0", "8.5.0-beta.1", True),
        (">=9.0.0", "9.0.0-beta.1", True),
        ("7.6, 7.7", "7.7.0", True),
        (">=9, >=7", "8.0", True),
        (">=7, >=9", "8.0", False),
        ("8.1.RC2", "8.1.RC2", True),
        ("<=8.1.RC2", "8.1.RC3", False),
        ("", "anything", True),
    ],
)
def test_requirements(requirement: str, version: str, holds: bool) -> None:
    assert (version in VersionRange(requirement)) is holds


@given(_texts)
def test_a_version_fits_the_requirement_that_it_is_itself(text: str) -> None:
    for operator in ("", ">=", "<="):
        assert text in VersionRange(operator + text)


@given(st.text(max_size=40), st.text(max_size=20))
def test_no_requirement_raises(requirement: str, version: str) -> None:
    assert (version in VersionRange(requirement)) in (True, False)
