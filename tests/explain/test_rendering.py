"""Text, JSON and Markdown of an explanation; what a ticket must not carry is masked."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest

import preflight
from preflight.explain.logs import explain_text
from preflight.explain.narrate import explain_code
from preflight.render.explain_json import render_code_json, render_log_json
from preflight.render.explain_markdown import render_log_markdown
from preflight.render.explain_text import render_code_text, render_log_text
from preflight.render.mask import mask_ticket
from tests.explain.test_logs import NUMPY, SOC, UMBRELLA

LOG = SOC.format(pid=1, s="01") + NUMPY.format(pid=1, s="02") + UMBRELLA.format(pid=1, s="03")


def schema() -> dict[str, object]:
    path = Path(preflight.__file__).parent / "render" / "schemas" / "explain.schema.json"
    loaded: dict[str, object] = json.loads(path.read_text(encoding="utf-8"))
    return loaded


def test_the_first_line_answers_and_the_last_one_is_a_command() -> None:
    lines = render_log_text(explain_text(LOG)).splitlines()
    assert lines[0] == "The model was compiled for Ascend910B; this device is Ascend910B2."
    assert lines[-1].strip().startswith("preflight check")


def test_a_log_without_a_cause_says_so_first() -> None:
    text = render_log_text(explain_text("[ERROR] frobnicator: quux failed\n"))
    assert text.startswith("No known fault in this log")
    assert "text:1: [ERROR] frobnicator: quux failed" in text
    assert "What to look for" in text


def test_control_characters_of_a_log_do_not_reach_the_terminal() -> None:
    log = SOC.format(pid=1, s="01").replace("[PID: 1]", "\x07[PID: 1]\u202e")
    for shown in (render_log_text(explain_text(log)), render_log_markdown(explain_text(log))):
        assert "\x07" not in shown
        assert "\u202e" not in shown


@pytest.mark.parametrize("log", [LOG, "nothing\n", "[ERROR] unknown failed\n"])
def test_json_of_a_log_follows_the_schema(log: str) -> None:
    jsonschema.validate(json.loads(render_log_json(explain_text(log))), schema())


def test_json_of_codes_follows_the_schema() -> None:
    answers = [explain_code(t) for t in ("500002", "507999", "E19015", "EX101", "what")]
    value = json.loads(render_code_json(answers))
    jsonschema.validate(value, schema())
    assert [c["known"] for c in value["codes"]] == [True, False, True, True, False]


def test_the_text_of_a_code_has_all_parts() -> None:
    text = render_code_text([explain_code("0x7BC80")])
    for part in ("507008", "layer", "hides", "PF301", "collect", "EX101", "source"):
        assert part in text
    assert text.splitlines()[-1].strip().startswith("preflight check")


def test_markdown_masks_people_hosts_addresses_and_secrets() -> None:
    log = (
        "E19999: The opp version of the model does not match, Model is [1.2.3.4] "
        "/home/jane.doe/model.om jane.doe@build7 10.20.30.40 token=abcdef123456 "
        "https://jane:secret@example.com/x Authorization: Bearer abc.def.ghi 00:1a:2b:3c:4d:5e "
        "hf_abcdefghijklmnop hostname=build7\n"
    )
    shown = render_log_markdown(explain_text(log))
    for private in ("jane", "build7", "10.20.30.40", "abcdef123456", "secret", "abc.def", "1a:2b"):
        assert private not in shown, private
    assert "hf_abc" not in shown


def test_hosts_that_stand_alone_are_masked() -> None:
    text = (
        "Nov 30 05:12:01 build7 kernel: fault\n"
        "run on host build-7 failed, see build7.cluster.local and npu_01.corp for more\n"
    )
    masked = mask_ticket(text)
    assert masked == (
        "Nov 30 05:12:01 host kernel: fault\nrun on host host failed, see host and host for more\n"
    )
    plain = "on node Conv_12 of op.local_size, connected to server and on host memory"
    assert mask_ticket(plain) == plain


def test_version_numbers_and_local_addresses_are_not_masked() -> None:
    text = "driver version 7.3.0.1.231, Model is [7.7.0.1], http://127.0.0.1:8000"
    assert mask_ticket(text) == text


def test_a_log_line_cannot_leave_its_fence() -> None:
    log = SOC.format(pid=1, s="01").rstrip("\n") + " ``` </script> ```\n"
    shown = render_log_markdown(explain_text(log))
    assert shown.count("```") % 2 == 0
    assert " ``` " not in shown
