"""The dialect of signatures: anchors are found, slow constructions are refused."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from preflight.explain.patterns import shape_of
from preflight.explain.signatures import faults, signatures


@pytest.mark.parametrize(
    ("pattern", "first"),
    [
        (r"soc version error", ("soc version error",)),
        (r"Model is \[(?P<v>[^\]]{1,80})\] now", ("model is [",)),
        (r"(?:alpha one|beta two)\d{1,3}", ("alpha one", "beta two")),
        (r"maybe(?: absent)?!", ("maybe",)),
        (r"colou?r of\x27 it", ("r of' it",)),
    ],
)
def test_the_anchor_is_text_the_pattern_cannot_match_without(
    pattern: str, first: tuple[str, ...]
) -> None:
    shape = shape_of(pattern)
    assert shape.problems == ()
    assert shape.alternatives[0].first == first


@pytest.mark.parametrize(
    "pattern",
    [
        r"(?:a+)+ literal",
        r"(?:\w{1,3})* literal",
        r"literal.*",
        r"literal.{0,9999}",
        r"literal.{3,}",
        r"\d+\s+\w+",
        r"literal" + r".{0,9}x" * 9,
        r"(?:literal one|\d+) (?:\w)",
    ],
)
def test_patterns_that_can_be_slow_or_have_no_anchor_are_refused(pattern: str) -> None:
    assert shape_of(pattern).problems


def test_no_signature_has_a_problem() -> None:
    problems = [
        f"{fault.id}: {problem}"
        for fault in faults().values()
        for text in fault.signatures
        for problem in shape_of(text).problems
    ]
    assert problems == []


@given(st.data())
def test_a_match_always_holds_what_the_signature_needs(data: st.DataObject) -> None:
    """What the prefilter asks for is a consequence of matching: it never hides a match."""
    text = data.draw(st.sampled_from(sorted({s.pattern.pattern for s in signatures()})))
    line = data.draw(st.from_regex(re.compile(text, re.ASCII)))
    low = line.lower()
    if len(low) != len(line) or re.search(text, line, re.IGNORECASE) is None:
        return
    shape = shape_of(text)
    assert any(
        any(a in low for a in alternative.first)
        and all(any(a in low for a in texts) for texts in alternative.also)
        for alternative in shape.alternatives
    )
