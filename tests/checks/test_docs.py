"""Generated pages are up to date, and say what the rules say."""

from __future__ import annotations

from pathlib import Path

import pytest

from preflight.checks.docs import pages, write
from preflight.checks.loader import load_rules
from preflight.checks.pages import explain_rule, message_codes, rules_json
from preflight.errors import DataError

DOCS = Path(__file__).resolve().parents[2] / "docs"


def test_the_pages_in_docs_are_those_that_the_rules_make():
    made = pages()
    there = {f"rules/{p.name}" for p in (DOCS / "rules").glob("*.md")} | {"coverage.md"}
    assert there == set(made), "run: python -m preflight.checks.docs"
    for name, text in made.items():
        assert (DOCS / name).read_text(encoding="utf-8") == text, (
            f"{name} is out of date; run: python -m preflight.checks.docs"
        )


def test_pages_of_rules_that_are_gone_are_removed(tmp_path):
    (tmp_path / "rules").mkdir()
    (tmp_path / "rules" / "PF000.md").write_text("old")
    assert write(tmp_path) == len(list(tmp_path.rglob("*.md")))
    assert not (tmp_path / "rules" / "PF000.md").exists()


def test_every_load_check_is_a_row_of_the_coverage_page():
    rows = [line for line in pages()["coverage.md"].splitlines() if line.startswith("| `")]
    assert len(rows) == 85
    assert all(row.count("|") == 4 for row in rows)


def test_a_rule_explains_itself_in_plain_values():
    value = explain_rule("pf301")
    assert value["id"] == "PF301"
    assert value["loader"]["status"] == 500002
    assert value["applies"]["behaviour"] == {"soc_rule": "arch_type"}
    assert "\n" not in value["what"]
    assert value["references"]
    with pytest.raises(DataError):
        explain_rule("PF000")


def test_all_rules_as_json():
    import json

    rules = load_rules().rules
    assert [r["id"] for r in json.loads(rules_json(rules))] == [r.id for r in rules]


def test_no_page_shows_a_name_where_a_code_belongs() -> None:
    for rule in load_rules().rules:
        codes = message_codes(rule)
        assert all(code[:1] in "EW" and "{" not in code for code in codes), rule.id
    assert message_codes(load_rules().get("PF301")) == ["E19999"]
    assert "E10001:soc_version" in message_codes(load_rules().get("PF302"))
