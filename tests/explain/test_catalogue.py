"""Codes in every notation; nothing is invented about a code that is not known."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from preflight.explain import catalogue
from preflight.explain.narrate import explain_code


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("500002", "500002"),
        ("0x7BC80", "507008"),
        ("0x7bc80", "507008"),
        ("-1", "4294967295"),
        ("0xFFFFFFFF", "4294967295"),
        ("0xFFFFFFFFFFFFFFFF", "4294967295"),
        ("ACL_ERROR_GE_EXEC_MODEL_DATA_SIZE_INVALID", "145006"),
        ("acl_error_rt_soc_version", "507008"),
        ("e19999", "E19999"),
        ("[E10001]:", "E10001"),
        ("ge::FAILED", "4294967295"),
        ("0", "0"),
    ],
)
def test_every_notation_of_a_code_leads_to_its_entry(text: str, code: str) -> None:
    entry = catalogue.find(text)
    assert entry is not None
    assert entry.code == code


@given(st.sampled_from(sorted(catalogue.entries())))
def test_decimal_hexadecimal_and_signed_forms_agree(code: str) -> None:
    entry = catalogue.entries()[code]
    if entry.number is None:
        assert catalogue.find(code.lower()) == entry
        return
    assert catalogue.find(hex(entry.number)) == entry
    if entry.number >= 1 << 31:
        assert catalogue.find(str(entry.number - (1 << 32))) == entry


def test_an_unknown_number_gets_its_range_and_the_nearest_codes_only() -> None:
    answer = explain_code("507999")
    assert not answer.known
    assert answer.range is not None
    assert answer.range.layer == "runtime"
    assert [e.code for e in answer.nearest] == ["507916", "507915", "507914"]


@pytest.mark.parametrize("text", ["", "hello", "12", "E1", "0x", "-99999999999", "PFxxx"])
def test_texts_that_are_no_codes_are_not_explained(text: str) -> None:
    answer = explain_code(text)
    assert not answer.known
    assert answer.range is None


def test_a_status_of_the_graph_engine_names_its_module() -> None:
    answer = explain_code("0x5010A0FF")
    assert not answer.known
    assert answer.range is not None
    assert "generator" in answer.range.what


def test_a_misspelt_name_leads_to_the_right_one() -> None:
    assert "145006" in [
        e.code for e in explain_code("ACL_ERROR_GE_EXEC_MODEL_SIZE_INVALID").nearest
    ]


def test_renumbered_codes_point_at_each_other() -> None:
    old, new = catalogue.find("E19015"), catalogue.find("E13015")
    assert old is not None
    assert new is not None
    assert [s.code for s in old.spellings] == ["E13015"]
    assert [s.code for s in new.spellings] == ["E19015"]


def test_codes_say_which_rules_predict_them() -> None:
    assert "PF301" in [r.rule for r in explain_code("507008").rules]


def test_every_entry_is_complete_and_its_spellings_exist() -> None:
    for entry in catalogue.entries().values():
        assert entry.meaning.endswith("."), entry.code
        assert entry.source, entry.code
        assert entry.collect, entry.code
        for spelling in entry.spellings:
            assert catalogue.find(spelling.code) is not None, (entry.code, spelling.code)


@pytest.mark.shared
def test_the_catalogue_is_complete_for_the_collected_codes(shared: Path) -> None:
    table = json.loads((shared / "spec" / "errorcodes.json").read_text(encoding="utf-8"))
    for group in ("acl", "ge", "rt", "ge_inner"):
        for row in table[group]:
            entry = catalogue.find(str(row["number"]))
            assert entry is not None, row
            if group != "ge_inner":
                assert row["name"] in entry.names, row
    for row in table["predefined"]:
        entry = catalogue.find(row["code"])
        assert entry is not None, row
        assert list(entry.arguments) == row["args"], row
    for code in table["removed_since_8_1_rc1"][:-1]:
        entry = catalogue.find(code)
        assert entry is not None
        assert entry.until == "8.1.RC1"
