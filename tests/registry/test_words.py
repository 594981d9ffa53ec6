"""Changes in words for people; the record keeps its exact text."""

from __future__ import annotations

import json
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from preflight.registry.diff import diff_prototypes
from preflight.registry.history import open_history
from preflight.registry.kinds import KINDS, make_change
from preflight.registry.words import readable_literal, readable_sides, shortest_float
from preflight.render.history_json import history_json
from tests.conftest import ROOT
from tests.registry.builders import attr, op


@pytest.mark.parametrize(
    ("exact", "said"),
    [
        ("1.0000000116860974e-07", "1e-07"),
        ("9.999999747378752e-05", "0.0001"),
        ("[0.10000000149011612,-1.0]", "[0.1,-1.0]"),
        ("0.1", "0.1"),  # no float32 value: it stays
        ("2147483647", "2147483647"),
        ("16777217", "16777217"),
        ('"9.999999747378752e-05"', '"9.999999747378752e-05"'),  # a string is no number
        ("true", "true"),
    ],
)
def test_literals(exact: str, said: str) -> None:
    assert readable_literal(exact) == said


@given(st.floats(width=32, allow_nan=False, allow_infinity=False))
def test_a_short_float_is_the_same_float32(value: float) -> None:
    short = shortest_float(value)
    assert struct.pack("<f", short) == struct.pack("<f", value)
    assert len(repr(short)) <= len(repr(value))


@pytest.mark.parametrize(
    ("kind", "old", "new", "said"),
    [
        (
            "attr_added_default",
            None,
            "Float=1.0000000116860974e-07@2",
            (None, "Float 1e-07, as attribute 2"),
        ),
        ("attr_added_default", None, 'String="a@b=c"@0', (None, 'String "a@b=c", as attribute 0')),
        ("attr_added_required", None, "Int@4", (None, "Int, as attribute 4")),
        (
            "input_added_optional_middle",
            None,
            "OPTIONAL_INPUT@17",
            (None, "OPTIONAL_INPUT, as input 17"),
        ),
        ("output_added_single_end", None, "OUTPUT@5", (None, "OUTPUT, as output 5")),
        ("subgraph_added", None, "STATIC@1", (None, "STATIC, as subgraph 1")),
        ("attr_removed", "Bool required", None, ("Bool, required", None)),
        ("attr_removed", "Float =9.999999747378752e-05", None, ("Float, default 0.0001", None)),
        ("attr_default_changed", "9.999999747378752e-05", "0.5", ("0.0001", "0.5")),
        ("input_reordered", "x,dim", "dim,x", ("x,dim", "dim,x")),
        ("op_added", None, None, (None, None)),
    ],
)
def test_sides(
    kind: str, old: str | None, new: str | None, said: tuple[str | None, str | None]
) -> None:
    assert readable_sides(make_change("Foo", kind, "f", old, new)) == said


def test_every_change_of_the_diff_can_be_said() -> None:
    old = op("Foo", attrs=(attr("gone", "Float", "0.5"), attr("a", "Float", "1.0")))
    new = op("Foo", attrs=(attr("a", "Float", "0.0010000000474974513"), attr("b", "Int", None)))
    texts = [readable_sides(c) for c in diff_prototypes(old, new)]
    assert ("1.0", "0.001") in texts
    assert all("@" not in (side or "") for sides in texts for side in sides)


def test_json_keeps_the_exact_value() -> None:
    history = open_history()
    text = history_json(history.operator("LayerNorm"), history.steps("LayerNorm"), ())
    changes = [c for v in json.loads(text)["versions"] for c in v["changes"]]
    assert "Float=1.0000000116860974e-07@2" in [c["new"] for c in changes]


def test_every_code_stands_in_the_documentation() -> None:
    text = (ROOT / "docs" / "registry.md").read_text(encoding="utf-8")
    rows = [line for line in text.splitlines() if line.startswith("| OH")]
    told = [tuple(cell.strip(" `") for cell in row.strip("|").split("|")) for row in rows]
    assert told == sorted(
        (kind.code, kind.name, kind.category.value, kind.title) for kind in KINDS.values()
    )
