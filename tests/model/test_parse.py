"""Where a message ends and what does not parse, by the loader's rules."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from preflight.model import parse
from preflight.model.parse import parse_message
from preflight.model.writer import GraphSpec, OperatorSpec, build_model_definition

GOOD = build_model_definition([GraphSpec("g", (OperatorSpec("d", "Data"),))], {"soc_version": "X"})


def test_whole_message_counts_every_byte() -> None:
    message, length = parse_message("ModelDef", GOOD)
    assert message is not None
    assert message.graph[0].op[0].type == "Data"
    assert length == len(GOOD)


@pytest.mark.parametrize("tail", [b"\0", b"\0" * 7, b"\0garbage\xff", b"\x0c", b"\x0c\xff\xff"])
def test_zero_tag_and_unmatched_end_group_end_the_message(tail: bytes) -> None:
    message, length = parse_message("ModelDef", GOOD + tail)
    assert message is not None
    assert length == len(GOOD)


@pytest.mark.parametrize(
    "tail",
    [
        b"\xff",
        b"\x0e",  # wire type 6
        b"\x0b",  # a group that never ends
        b"\x0a\x7f",  # a text longer than the bytes
        b"\x0b\x0c\xff",  # a whole group, then a cut varint
        b"\x80" * 11,
        b"\x09\0\0\0",  # 4 of 8 bytes
        b"\x0d\0\0",  # 2 of 4 bytes
        b"\x0b\x14",  # a group that another one ends
    ],
)
def test_other_trailing_garbage_fails(tail: bytes) -> None:
    assert parse_message("ModelDef", GOOD + tail) == (None, 0)


def test_groups_are_skipped_before_an_early_end() -> None:
    group = b"\xa3\x06\x08\x01\xa4\x06"  # field 100
    message, length = parse_message("ModelDef", GOOD + group + b"\0\xff")
    assert message is not None
    assert length == len(GOOD) + len(group)


def test_zero_byte_inside_a_nested_message_fails() -> None:
    assert parse_message("ModelDef", b"\x3a\x01\0") == (None, 0)


def test_text_must_be_utf8_and_bytes_need_not() -> None:
    assert parse_message("ModelDef", b"\x0a\x01\xff")[0] is None
    assert parse_message("AttrDef", b"\x12\x01\xff")[0].s == b"\xff"


@pytest.mark.parametrize(("depth", "parses"), [(32, True), (33, False)])
def test_named_attributes_nest_to_the_parsers_limit(depth: int, parses: bool) -> None:
    """Three messages per level (AttrDef, NamedAttrs, map entry) and 100 in all."""
    value: object = 1
    for _ in range(depth):
        value = {"name": "n", "attr": {"k": value}}
    data = _nested(value)
    assert (parse_message("ModelDef", data)[0] is not None) is parses


def _nested(value: object) -> bytes:
    """The wire form by hand: the writer itself cannot serialize what is too deep."""

    def field(number: int, body: bytes) -> bytes:
        size, out = len(body), b""
        while size >= 0x80:
            out += bytes([size & 0x7F | 0x80])
            size >>= 7
        return bytes([number << 3 | 2]) + out + bytes([size]) + body

    def attribute(inner: object) -> bytes:
        if isinstance(inner, dict):
            entry = field(1, b"k") + field(2, attribute(inner["attr"]["k"]))
            return field(10, field(1, b"n") + field(2, entry))
        return b"\x18\x01"

    return field(11, field(1, b"x") + field(2, attribute(value))) + field(7, b"")


def test_more_than_int32_max_is_refused_without_parsing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parse, "INT32_MAX", len(GOOD) - 1)
    assert parse_message("ModelDef", GOOD) == (None, 0)


@given(st.binary(max_size=300))
def test_any_bytes_give_an_answer(data: bytes) -> None:
    message, length = parse_message("ModelDef", data)
    assert 0 <= length <= len(data)
    if message is None:
        assert length == 0
    else:
        assert parse_message("ModelDef", data[:length])[1] == length


@given(st.integers(0, len(GOOD)), st.binary(max_size=8))
def test_what_follows_an_early_end_never_matters(cut: int, tail: bytes) -> None:
    first = parse_message("ModelDef", GOOD[:cut] + b"\0")
    second = parse_message("ModelDef", GOOD[:cut] + b"\0" + tail)
    if first[0] is not None and first[1] == cut:
        assert second[1] == cut
