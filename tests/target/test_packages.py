"""Version files: the loader's key search, and what installers read."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from preflight.target.packages import (
    find_key,
    parse_key_values,
    parse_lines,
    parse_package,
    parse_platform,
    parse_scene,
    parse_vendor_priority,
    parse_version_cfg,
    release_line,
)


@pytest.mark.parametrize(
    ("text", "key", "value"),
    [
        ("Version=7.7\n", "Version=", "7.7"),
        ("  Version=7.7\x0b \r\n", "Version=", "7.7"),
        ("xVersion=3.3\nVersion=7.7\n", "Version=", "3.3"),
        ("fooVersion=\nVersion=7.7\n", "Version=", ""),
        ("Version=\nVersion=9.0\n", "Version=", "9.0"),
        ("version=7.7\n", "Version=", None),
        ("custom_opp_compiler_version=7.7\n", "compiler_version=", "7.7"),
        ('required_package_compiler_version="7.7"\n', "compiler_version=", '"7.7"'),
        ("", "Version=", None),
    ],
)
def test_the_loader_searches_a_key_as_text(text: str, key: str, value: str | None) -> None:
    assert find_key(text, key) == value


@given(st.text(max_size=60), st.sampled_from(["Version=", "compiler_version="]))
def test_a_found_value_stands_behind_the_key_in_the_text(text: str, key: str) -> None:
    value = find_key(text, key)
    if value is not None:
        assert key + value in text


def test_scene_files() -> None:
    assert parse_scene("os=linux\nos_version=\narch=aarch64") == ("linux", "aarch64")
    assert parse_scene("os=linux\r\narch=x86_64\r\n") == ("linux", "x86_64")
    assert parse_scene("os=linux=x\narch=aarch64") == ("", "aarch64")
    assert parse_scene("os=a\nos=b\n") == ("b", "")
    assert parse_scene("") == ("", "")


def test_vendor_priority_is_the_first_line_only() -> None:
    assert parse_vendor_priority("load_priority=a, b ,,c\nload_priority=x") == ("a", "b", "c")
    assert parse_vendor_priority("load_priority") is None
    assert parse_vendor_priority("load_priority=a=b") is None
    assert parse_vendor_priority("\nload_priority=a") is None
    assert parse_vendor_priority("load_priority=") == ()


def test_requirements_of_a_package() -> None:
    package = parse_package(
        "opp",
        'Version=7.7.0.1.238\nversion_dir=8.1.RC1\nrequired_package_runtime_version="7.7"\n'
        'required_package_opp_kernel_version=">=7.6, <=7.7"\n'
        'required_package_toolkit_version>="8.3"\nrequired_package_cann-ops-legacy=">=8.5"\n'
        "required_driver_ascendhal_version=4.0.0\n",
        "opp/version.info",
    )
    assert (package.version, package.version_dir) == ("7.7.0.1.238", "8.1.RC1")
    assert package.requires == {
        "runtime": "7.7",
        "opp_kernel": ">=7.6, <=7.7",
        "toolkit": ">=8.3",
        "cann-ops-legacy": ">=8.5",
    }
    assert package.requires_driver == {"ascendhal": "4.0.0"}


def test_running_versions() -> None:
    text = (
        "# version: 1.0\nruntime_running_version=[7.7.0.1.238:8.1.RC1]\nx_upgrade_version=[1:2]\n"
    )
    assert parse_version_cfg(text) == {"runtime": ("7.7.0.1.238", "8.1.RC1")}


def test_release_lines() -> None:
    assert release_line("V100R001C21SPC001B238") == "C21"
    assert release_line("V100R003C10") == "R003C10"
    assert release_line("8.1.RC1") == ""
    assert parse_lines("[V100R001C15],[V100R003C11]") == ("C15", "R003C11")
    assert parse_lines("[V100R001C13,V100R001C15]") == ("C13", "C14", "C15")
    assert parse_lines("[V100R001C30,V100R001C13]") == ("C30", "C13")
    assert parse_lines("C15") == ()


def test_platform_sections() -> None:
    text = "# head\n[version]\nArch_type=4\nArch_type=5\n[SoCInfo]\nai_core_cnt=20\n"
    assert parse_platform(text) == {"version": {"Arch_type": "4"}, "SoCInfo": {"ai_core_cnt": "20"}}


def test_key_values_skip_comments() -> None:
    assert parse_key_values("# a=1\n[x]\nb = 2\nb=3\nrubbish\n") == {"b": "2"}


@given(st.text(max_size=200))
def test_no_text_raises(text: str) -> None:
    parse_scene(text)
    parse_vendor_priority(text)
    parse_package("x", text, "x")
    parse_version_cfg(text)
    parse_platform(text)
    parse_lines(text)


def test_every_real_version_file_is_read(shared: Path) -> None:
    files = sorted((shared / "corpus/versioninfo").iterdir())
    assert len(files) > 60
    for path in files:
        text = path.read_bytes().decode("utf-8", "surrogateescape")
        package = parse_package(path.name, text, str(path))
        assert "\n" not in package.version
        for requirement in package.requires.values():
            assert requirement
