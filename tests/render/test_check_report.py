"""Every format of a check's report against its golden file, and what must hold in all of them."""

from __future__ import annotations

import json
import os
import re
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import jsonschema
import pytest
from msgspec.structs import replace

import preflight.render
from preflight.checks.check import check
from preflight.checks.report import Report
from preflight.data import samples_dir
from preflight.errors import ExitCode
from preflight.findings import Severity
from preflight.render.formats import ReportFormat, render_report
from preflight.render.json import render_json
from preflight.render.layout import TextLayout
from preflight.render.text import render_text
from tests.render.report_data import GAP, HOSTILE, NOTE, PATH, report

GOLDEN = Path(__file__).parent / "golden"
SCHEMA = json.loads(
    (Path(preflight.render.__file__).parent / "schemas" / "report.schema.json").read_text()
)
SUFFIX = {"text": "txt", "json": "json", "markdown": "md", "sarif": "sarif.json", "junit": "xml"}


def validate(text: str) -> None:
    jsonschema.Draft202012Validator(SCHEMA).validate(json.loads(text))


@pytest.mark.parametrize("form", ReportFormat)
def test_the_golden_file_of_every_format(form: ReportFormat) -> None:
    text = render_report(report(), form)
    path = GOLDEN / f"check_report.{SUFFIX[form.value]}"
    if os.environ.get("PREFLIGHT_WRITE_GOLDEN"):
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8")


@pytest.mark.parametrize("form", ReportFormat)
def test_nothing_from_a_model_reaches_a_reader_unescaped(form: ReportFormat) -> None:
    text = render_report(report(), form)
    assert "\x1b" not in text
    assert HOSTILE not in text
    assert "\u202e" not in text or form is ReportFormat.JSON, "texts of JSON are data"


@pytest.mark.parametrize("form", ReportFormat)
def test_user_names_are_masked_unless_asked_for(form: ReportFormat) -> None:
    assert "somebody" not in render_report(report(), form)
    assert "somebody" in render_report(report(), form, masked=False)


def test_the_json_report_fits_its_schema() -> None:
    validate(render_json(report()))
    schema_names = set(SCHEMA["$defs"]["finding"]["properties"])
    assert {"rule", "severity", "consequence", "certainty", "message", "evidence"} <= schema_names


def test_the_schema_itself_is_one() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


@pytest.mark.parametrize("change", [{"extra": 1}, {"schema_version": "2.0"}, {"results": None}])
def test_the_schema_refuses_what_is_no_report(change: dict[str, object]) -> None:
    value = json.loads(render_json(report())) | change
    with pytest.raises(jsonschema.ValidationError):
        validate(json.dumps(value))


@pytest.mark.parametrize("name", sorted(p.name for p in samples_dir().glob("*.om")))
def test_reports_of_the_samples_fit_the_schema(name: str) -> None:
    made = check([samples_dir() / name], ["8.1.RC1/Ascend310P3/linux-aarch64", "9.1.0/Ascend910B3"])
    validate(render_json(made))
    for form in ReportFormat:
        assert render_report(made, form)


def test_the_message_code_is_bare_and_the_list_keeps_its_parameter() -> None:
    value = json.loads(render_json(report()))
    loader = value["results"][0]["findings"][0]["loader"]
    assert loader["message_code"] == "E10001"
    assert loader["message_codes"] == ["E10001:om", "E19999"]
    assert (loader["step"], loader["status"]) == ("soc.arch.old", 500002)


def test_the_first_line_answers_and_the_last_is_a_command() -> None:
    made = report()
    one = Report(made.inputs[:1], made.targets, made.results[:1])
    lines = render_text(one).splitlines()
    assert lines[0] == (
        "resnet.om will not load on 8.1.RC1/Ascend910B3: compiled for another SoC architecture "
        "(the caller sees 500002)"
    )
    assert lines[-1] == f"next: preflight plan {PATH} --target 8.1.RC1/Ascend910B3"
    assert render_text(made).splitlines()[0] == (
        "4 models on 1 target: 1 will load, with warnings, 1 will not work, 2 not known"
    )


def test_junit_is_xml_with_the_right_counts() -> None:
    root = ElementTree.fromstring(render_report(report(), ReportFormat.JUNIT))
    (suite,) = root.findall("testsuite")
    assert (suite.get("tests"), suite.get("failures"), suite.get("errors")) == ("4", "1", "2")
    assert len(suite.findall("testcase")) == 4
    assert len(suite.findall("testcase/failure")) == 1
    assert len(suite.findall("testcase/error")) == 2


def test_sarif_names_rules_places_and_suppressions() -> None:
    (run,) = json.loads(render_report(report(), ReportFormat.SARIF))["runs"]
    assert [r["id"] for r in run["tool"]["driver"]["rules"]] == ["PF171", "PF301", "PF303"]
    assert len(run["results"]) == 4
    assert sum("suppressions" in r for r in run["results"]) == 1
    region = run["results"][0]["locations"][0]["physicalLocation"]["region"]
    assert region == {"byteOffset": 328, "byteLength": 0}
    assert run["invocations"][0]["executionSuccessful"] is False


def test_a_waived_finding_is_listed_and_does_not_count() -> None:
    made = report()
    warned = Report(made.inputs[1:2], made.targets, made.results[1:2])
    assert "waived until 2030-01-31  PF301" in render_text(warned)
    assert warned.exit_code(Severity.ERROR) is ExitCode.OK
    assert warned.exit_code(Severity.WARNING) is ExitCode.FINDINGS


def test_exit_codes_of_a_batch() -> None:
    made = report()
    blocked = Report(made.inputs[:1], made.targets, made.results[:1])
    assert blocked.exit_code(Severity.ERROR) is ExitCode.FINDINGS
    assert blocked.exit_code(None) is ExitCode.OK
    assert made.exit_code(Severity.ERROR) is ExitCode.COULD_NOT_CHECK
    unknown = Report(made.inputs[2:3], made.targets, made.results[2:3])
    assert unknown.exit_code(None) is ExitCode.COULD_NOT_CHECK


def test_the_next_command_gets_the_facts_that_are_missing() -> None:
    made = report()
    unsure = made.results[2]

    def command(*missing: str) -> str:
        gap = replace(GAP, missing=missing)
        result = replace(unsure, not_evaluated=(gap,))
        return render_text(replace(made, results=(result,))).splitlines()[-1]

    assert command("target.opp_version").startswith("next: preflight target capture -o host.toml")
    assert command("target.soc") == "next: preflight target list"
    assert command() == "next: preflight explain PF403"


# --- layout of text ------------------------------------------------------------------------------


def one(index: int) -> Report:
    made = report()
    return Report(made.inputs[index : index + 1], made.targets, made.results[index : index + 1])


@pytest.mark.parametrize("width", [40, 60, 100])
def test_lines_fit_unless_a_word_does_not(width: int) -> None:
    _, *lines, last = render_text(one(0), layout=TextLayout(width)).splitlines()
    assert last.startswith("next: ")
    for line in lines:
        words = line.split()
        longest = max(map(len, words), default=0)
        assert len(line) <= width or longest + 20 > width or "[load, certain]" in line


def test_words_and_paths_are_never_broken() -> None:
    narrow = render_text(one(0), layout=TextLayout(40)).split()
    wide = render_text(one(0), layout=TextLayout(400)).split()
    assert narrow == wide


def test_a_note_is_one_line_and_its_evidence_is_for_those_who_ask() -> None:
    short = render_text(one(0))
    assert f"  note  {NOTE.rule}  12 bytes of" in short
    assert NOTE.title not in short
    full = render_text(one(0), layout=TextLayout(verbose=True))
    assert f"note  {NOTE.rule}  {NOTE.title}" in full
    assert "trailing bytes" in full


def test_colours_are_only_ours_and_only_on_request() -> None:
    plain = render_text(report())
    coloured = render_text(report(), layout=TextLayout(colour=True))
    assert "\x1b" not in plain
    assert "\x1b[31merror\x1b[0m" in coloured
    assert "\x1b[31mblocked\x1b[0m" in coloured
    assert re.sub("\x1b\\[\\d+m", "", coloured) == plain


def test_a_batch_is_a_table_and_the_details_of_what_is_blocked() -> None:
    text = render_text(report())
    head, *rows = text.splitlines()[2:7]
    assert head.split() == ["model", "deploy", "rebuild", "decided", "by", "code"]
    assert [row.split()[-2:] for row in rows] == [
        ["PF301", "500002"], ["PF303", "-"], ["PF403", "-"], ["-", "-"],
    ]  # fmt: skip
    assert "b.om will load" not in text
    assert "b.om will load" in render_text(report(), layout=TextLayout(verbose=True))
    assert "the installed operator package is not known" in text


def test_a_large_batch_shows_some_of_what_is_blocked_and_says_how_many_more() -> None:
    made = report()
    many = replace(made, results=made.results[:1] * 25)
    text = render_text(many)
    assert text.count("will not load on") == 20
    assert "and 5 more that are blocked: --verbose shows all of them" in text
    assert render_text(many, layout=TextLayout(verbose=True)).count("will not load on") == 25
