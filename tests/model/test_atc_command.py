"""Recorded atc command lines, however they were written."""

from __future__ import annotations

import shlex

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
        ("atc '--input_shape=a:1;b:2' --o=x", "atc", [("input_shape", "a:1;b:2"), ("o", "x")]),
        ('atc "--model=/a b.onnx" "--check"', "atc", [("model", "/a b.onnx"), ("check", None)]),
        (
            "atc --model=/it's/net.onnx --framework=5 --output=it's",
            "atc",
            [("model", "/it's/net.onnx"), ("framework", "5"), ("output", "it's")],
        ),
        ("atc --log='off --o=x", "atc", [("log", "off"), ("o", "x")]),
        ("atc --shape=\"x y\":1;'z':2", "atc", [("shape", "x y:1;z:2")]),
        ("'/opt/my tools/atc' --a=1", "/opt/my tools/atc", [("a", "1")]),
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


_NAMES = st.text(st.characters(codec="ascii", categories=["L"]), min_size=1, max_size=8)
# No option by its form, and nothing that a quote at its beginning could be closed by.
_QUOTES_INSIDE = st.from_regex(r"[a-z0-9/.][a-z0-9/.'\"\\\\$`~]{0,12}", fullmatch=True)
_SPACED = st.text('ab:;,="\\ $`\n-', max_size=12).filter(lambda v: v == v.strip())


@given(st.lists(st.tuples(_NAMES, _QUOTES_INSIDE), max_size=6))
def test_a_quote_inside_a_value_is_a_character(options: list[tuple[str, str]]) -> None:
    """What the writer records: arguments as they are, joined with blanks."""
    text = " ".join(["atc", *(f"--{name}={value}" for name, value in options)])
    assert list(parse_atc_command(text).options) == options


@given(st.lists(st.tuples(_NAMES, _SPACED), max_size=6))
def test_arguments_quoted_for_a_shell_come_back(options: list[tuple[str, str]]) -> None:
    """What a person would type: every argument quoted as a whole where it needs it."""
    words = ["atc", *(f"--{name}={value}" for name, value in options)]
    assert list(parse_atc_command(shlex.join(words)).options) == options


@given(st.lists(st.tuples(_NAMES, _SPACED), max_size=6))
def test_values_quoted_for_a_shell_come_back(options: list[tuple[str, str]]) -> None:
    """The other habit: `--name='value'`."""
    text = " ".join(["atc", *(f"--{name}={shlex.quote(value)}" for name, value in options)])
    assert list(parse_atc_command(text).options) == options
