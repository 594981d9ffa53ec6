"""Recorded atc command lines, however they were written."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from preflight.model.atc_command import parse_atc_command


@pytest.mark.parametrize(
    ("text", "program", "options"),
    [
        ("atc --model=a.onnx --framework=5", "atc", [("model", "a.onnx"), ("framework", "5")]),
        ("/x/atc.bin --model a.onnx -o out", "/x/atc.bin", [("model", "a.onnx"), ("o", "out")]),
        (
            'atc --input_shape="x:1,3;y:2" --check',
            "atc",
            [("input_shape", "x:1,3;y:2"), ("check", None)],
        ),
        ("atc --input_shape=x:1,3; y:2 --a=b", "atc", [("input_shape", "x:1,3; y:2"), ("a", "b")]),
        ("atc '--out nodes'", "atc", []),
        ('atc --o=\'it is\' --p="a \\"b\\""', "atc", [("o", "it is"), ("p", 'a "b"')]),
        ('atc --model="never closed', "atc", [("model", "never closed")]),
        ("atc --dynamic_batch_size=-1 --x -5", "atc", [("dynamic_batch_size", "-1"), ("x", "-5")]),
        ("--soc_version=Ascend310P3", "", [("soc_version", "Ascend310P3")]),
        ("", "", []),
        ("atc --a=", "atc", [("a", "")]),
    ],
)
def test_lines_are_taken_apart(
    text: str, program: str, options: list[tuple[str, str | None]]
) -> None:
    command = parse_atc_command(text)
    assert command.program == program
    assert list(command.options) == options
    assert command.text == text


def test_last_value_of_an_option_wins() -> None:
    command = parse_atc_command("atc --a=1 --a=2 --b")
    assert command.get("a") == "2"
    assert command.get("b") is None
    assert command.get("c") is None


@given(st.text(max_size=200))
def test_any_text_gives_a_command(text: str) -> None:
    command = parse_atc_command(text)
    assert command.text == text
    for name, _ in command.options:
        assert name


_WORD = st.text(st.characters(codec="ascii", categories=["L", "N"]), min_size=1, max_size=8)


@given(st.lists(st.tuples(_WORD.filter(str.isalpha), _WORD), max_size=6))
def test_options_come_back_in_order(options: list[tuple[str, str]]) -> None:
    text = " ".join(["atc", *(f"--{name}={value}" for name, value in options)])
    assert list(parse_atc_command(text).options) == options
