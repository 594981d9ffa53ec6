"""Names that a library exports, found through its hash tables as the dynamic linker does."""

from __future__ import annotations

import ctypes
import platform
import struct
from pathlib import Path

import msgspec._core
import pytest
from hypothesis import given
from hypothesis import strategies as st

from preflight.container.dynamic import exported, gnu_hash, sysv_hash, write_library
from preflight.errors import MalformedInput

NAMES = st.lists(st.from_regex(r"[A-Za-z_][A-Za-z0-9_]{0,12}", fullmatch=True), max_size=8)
THIS_MACHINE = {"x86_64": 0x3E, "aarch64": 0xB7}


@given(NAMES, NAMES)
def test_what_was_written_is_exported(names: list[str], others: list[str]) -> None:
    library = write_library(0xB7, dict.fromkeys(names))
    assert exported(library, [*names, *others]) == set(names)


def test_a_real_library() -> None:
    library = Path(msgspec._core.__file__).read_bytes()
    assert exported(library, ["PyInit__core", "PyInit__other", "PyList_New"]) == {"PyInit__core"}


def test_the_dynamic_linker_agrees(tmp_path: Path) -> None:
    """A written library can be opened, and it says the same about each name."""
    machine = THIS_MACHINE.get(platform.machine())
    if machine is None:
        pytest.skip("libraries are written for x86_64 and aarch64 only")
    path = tmp_path / "libwritten.so"
    path.write_bytes(write_library(machine, ["first", "second"]))
    opened = ctypes.CDLL(str(path))
    assert [hasattr(opened, name) for name in ("first", "second", "third")] == [True, True, False]


def test_hashes() -> None:
    """Values that the format's description gives for printf."""
    assert (gnu_hash(b"printf"), sysv_hash(b"printf")) == (0x156B2BB8, 0x077905A6)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda data: data[:40], "no ELF header"),
        (lambda data: b"MZ" + data[2:], "no ELF header"),
        (lambda data: data[:4] + b"\x01" + data[5:], "not a 64-bit"),
        (lambda data: data[:5] + b"\x02" + data[6:], "not a 64-bit"),
        (lambda data: data[:16] + b"\x02" + data[17:], "not a shared object"),
        (lambda data: data[:64], "program headers leave the file"),
        (lambda data: data[:54] + b"\0" + data[55:], "no program headers"),
        (lambda data: data[:56] + b"\1" + data[57:], "no dynamic symbols"),
        (lambda data: data[:180], "no dynamic symbols"),
    ],
)
def test_what_the_linker_cannot_open_is_refused_with_a_reason(change, reason: str) -> None:
    with pytest.raises(MalformedInput, match=reason):
        exported(change(write_library(0x3E, ["a"])), ["a"])


def test_a_chain_that_bites_its_tail_ends() -> None:
    library = bytearray(write_library(0x3E, ["a", "b"]))
    end = library.index(struct.pack("<7I", 1, 3, 1, 0, 2, 0, 0)[:24])
    struct.pack_into("<I", library, end + 20, 1)  # the last of the chain points to its first
    with pytest.raises(MalformedInput, match="without an end"):
        exported(bytes(library), ["c"])


@given(st.lists(st.tuples(st.integers(0, 400), st.integers(0, 255)), max_size=12))
def test_damage_is_malformed_input_or_fewer_names(changes: list[tuple[int, int]]) -> None:
    library = bytearray(write_library(0x3E, ["a", "b"]))
    for place, value in changes:
        library[place % len(library)] = value
    try:
        assert exported(bytes(library), ["a", "b"]) <= {"a", "b"}
    except MalformedInput:
        pass
