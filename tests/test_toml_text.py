"""Whatever the writer accepts, the standard library reads back as the same value."""

from __future__ import annotations

import math
import tomllib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from preflight.errors import UsageError
from preflight.toml_text import dumps

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
scalars = (
    texts
    | st.booleans()
    | st.integers(-(1 << 63), (1 << 63) - 1)
    | st.floats(allow_nan=False, allow_infinity=True)
)
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4),
    max_leaves=12,
)


@settings(max_examples=150, deadline=None)
@given(st.dictionaries(texts, values, max_size=5))
def test_reading_back_gives_the_same_document(document: dict[str, object]) -> None:
    assert tomllib.loads(dumps(document)) == document


def test_scalars_of_a_table_come_before_its_subtables() -> None:
    text = dumps({"a": {"x": 1}, "b": 2, "c": [{"y": 1}, {"z": {"q": [1, 2]}}]})
    assert text.index("b = 2") < text.index("[a]")
    assert tomllib.loads(text) == {"a": {"x": 1}, "b": 2, "c": [{"y": 1}, {"z": {"q": [1, 2]}}]}


def test_nothing_in_a_text_can_end_the_text() -> None:
    hostile = 'x"\n[steps]\nkind = "rebuild"\x1b[31m\x7f\u2028'
    text = dumps({"key": hostile})
    assert len(text.splitlines()) == 1
    assert tomllib.loads(text) == {"key": hostile}


def test_special_floats() -> None:
    back = tomllib.loads(dumps({"a": math.nan, "b": -math.inf, "c": -0.0, "d": 1e16}))
    assert math.isnan(back["a"])
    assert back["b"] == -math.inf
    assert math.copysign(1, back["c"]) == -1
    assert back["d"] == 1e16
    assert isinstance(back["d"], float)


@pytest.mark.parametrize("value", [None, b"x", 1 << 63, "\ud800"])
def test_what_toml_cannot_hold_is_refused_by_name(value: object) -> None:
    with pytest.raises(UsageError, match="inner"):
        dumps({"outer": {"inner": value}})
