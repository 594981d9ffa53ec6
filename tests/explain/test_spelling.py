"""Codes as people write them, and what to type next."""

from __future__ import annotations

import pytest

from preflight.explain.logs import explain_text
from preflight.explain.narrate import explain_code
from preflight.explain.rank import SHORT_LINES
from preflight.render.explain_text import render_code_text, render_log_text
from preflight.target.resolve import load_target
from tests.explain.unrelated import lines as unrelated_lines

WIDTH = 100


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("ret=507018", "507018"),
        ("error code is 500002", "500002"),
        ("errorCode = 0x7BC80", "507008"),
        ("7BC80", "507008"),
        ("507,018", "507018"),
        ("ACL_ERROR_GE_FAILURE(500002)", "500002"),
        ("E19999: Inner Error!", "E19999"),
        ("[EZ3003]", "EZ3003"),
        ("ge::GRAPH_FAILED", "4294967295"),
    ],
)
def test_a_code_is_found_inside_a_phrase(text: str, code: str) -> None:
    entry = explain_code(text).entry
    assert entry is not None
    assert entry.code == code


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("E1999", "E19999"),
        ("5000002", "500002"),
        ("ACL_ERROR_RT_TASK_TYP", "507009"),
        ("acl_eror_ge_failure", "500002"),
    ],
)
def test_a_misspelt_code_has_neighbours_and_no_answer(text: str, meant: str) -> None:
    answer = explain_code(text)
    assert answer.entry is None
    assert meant in [entry.code for entry in answer.nearest]


@pytest.mark.parametrize("text", ["500002", "E19999", "507018", "EX330", "5000002"])
def test_explanations_of_codes_fit_a_hundred_columns(text: str) -> None:
    shown = render_code_text([explain_code(text)])
    assert max(map(len, shown.splitlines())) <= WIDTH


SOC_LOG = """\
[INFO] GE(4321,app):2024-05-10-10:00:00.000.000 [a.cc:1]4321 X: /opt/ascend-toolkit/8.1.RC1/lib64
EE1001: [PID: 4321] ModelCheckCompatibility failed, supported socVersion=Ascend910B2, but the model \
socVersion=Ascend310P3
"""


def test_the_next_command_names_release_and_soc_of_the_log() -> None:
    shown = render_log_text(explain_text(SOC_LOG)).splitlines()
    assert shown[-1] == "  preflight check MODEL.om --target 8.1.RC1/Ascend910B2"
    assert "Ascend310P3" in shown[0]
    assert max(map(len, shown)) <= WIDTH


def test_long_evidence_is_folded_and_cut() -> None:
    long = "RuntimeError: NPU out of memory. Tried to allocate 2.00 GiB " + "x" * 2000
    shown = render_log_text(explain_text(long)).splitlines()
    assert max(map(len, shown[:-1])) <= WIDTH
    assert len(shown) < 40


def test_a_target_says_whose_log_it_is() -> None:
    noise = unrelated_lines(SHORT_LINES + 5)[: SHORT_LINES + 5]
    text = "\n".join(
        [
            *(line for line in noise if "scipy" not in line),
            "ModuleNotFoundError: No module named 'decorator'",
        ]
    )
    alone = {c.fault.id for c in explain_text(text).causes}
    named = explain_text(text, target=load_target("8.1.RC1/Ascend910B2"))
    assert len({c.fault.id for c in (*named.causes, *named.further)}) >= len(alone)


def test_words_of_other_programs_count_in_a_short_paste_only() -> None:
    line = "ModuleNotFoundError: No module named 'scipy'"
    assert explain_text(line).causes[0].fault.category == "python_env_dependency"
    assert explain_text("\n".join([*unrelated_lines(100), line])).causes == ()


def test_the_earliest_lowest_layer_leads_interleaved_ranks() -> None:
    text = """\
[rank3]: EI0006: [PID: 79] 2024-05-06-10:11:14.444.436 Getting socket times out.
[rank0]: RuntimeError: NPU out of memory. Tried to allocate 2.00 GiB (NPU 0; 60.97 GiB total)
[rank3]: RuntimeError: HCCL function error: HcclAllReduce, error code is 9
[rank2]: [ERROR] 2024-05-06-10:11:15 (PID:78, Device:2, RankID:2) ERR02200 DIST call hccl api failed.
[rank1]: EI0006: [PID: 77] 2024-05-06-10:11:16.444.436 Getting socket times out.
"""
    answer = explain_text(text)
    assert answer.causes[0].fault.category == "device_oom"
    assert "hccl_timeout" not in [c.fault.category for c in answer.causes]


def test_a_word_with_letters_in_front_is_not_taken_for_absent() -> None:
    line = (
        "the socversion Ascend910B1 of bin package does not match the current device socverison "
        "Ascend310P3"
    )
    assert explain_text(line).causes[0].fault.category == "kernel_bin_soc_mismatch"
