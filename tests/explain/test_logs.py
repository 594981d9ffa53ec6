"""Logs to causes: root and consequences, processes, times, encodings, nothing invented."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from preflight.errors import UnreadableInput
from preflight.explain.logs import explain_log, explain_text, target_in_log
from preflight.explain.reading import BLOCK
from preflight.explain.types import LogExplanation
from tests.explain.unrelated import lines as unrelated_lines

SOC = (
    "EE1001: [PID: {pid}] 2024-05-06-10:11:{s}.817.477 The argument is invalid.Reason: "
    "ModelCheckCompatibility failed, supported socVersion=Ascend910B2, but the model "
    "socVersion=Ascend910B\n"
    "        rtModelCheckCompatibility execute failed, reason=[soc version error][LINE:53]\n"
)
NUMPY = (
    "[ERROR] TEFUSION({pid},python):2024-05-06-10:11:{s}.000.001 [fusion_manager.cc:497]{pid} "
    "TbeInit Failed to import Python module [AttributeError: `np.float_` was removed in the "
    "NumPy 2.0 release.]\n"
)
UMBRELLA = (
    "[ERROR] ASCENDCL({pid},python):2024-05-06-10:11:{s}.000.009 [model.cpp:12]{pid} "
    "aclmdlLoadFromFile: load failed, error code is 500002\n"
)
INFO = "[INFO] GE({pid},python):2024-05-06-10:11:{s}.000.000 [graph.cc:1]{pid} Run: step {s} done\n"


def categories(answer: LogExplanation) -> list[str]:
    return [c.fault.category for c in answer.causes]


def test_the_soc_of_model_and_device_are_named() -> None:
    answer = explain_text(SOC.format(pid=106, s="08"))
    cause = answer.causes[0]
    assert cause.fault.id == "EX101"
    assert cause.parameters["model_soc"] == "Ascend910B"
    assert cause.parameters["device_soc"] == "Ascend910B2"
    assert cause.statement == "the model was compiled for Ascend910B; this device is Ascend910B2"
    assert "--soc_version=Ascend910B2" in cause.fault.remedies[0].summary
    assert cause.process == "106"
    assert cause.time == "2024-05-06 10:11:08.817477"
    assert [e.number for e in cause.evidence] == [1, 2]


def test_the_last_error_is_a_consequence_and_the_first_one_the_cause() -> None:
    answer = explain_text(
        SOC.format(pid=7, s="01") + INFO.format(pid=7, s="02") + UMBRELLA.format(pid=7, s="03")
    )
    assert categories(answer) == ["om_soc_mismatch"]
    assert {c.fault.id for c in answer.consequences} >= {"EX112"}
    assert "500002" in [c.code for c in answer.codes]


def test_the_cause_is_found_behind_the_umbrella_that_stands_before_it() -> None:
    answer = explain_text(UMBRELLA.format(pid=7, s="01") + NUMPY.format(pid=7, s="02"))
    assert categories(answer)[0] == "python_env_dependency"


def test_of_three_interleaved_processes_the_right_one_is_named() -> None:
    text = ""
    for second in range(10, 40):
        for pid in (31, 32, 33):
            text += INFO.format(pid=pid, s=second)
        if second == 20:
            text += NUMPY.format(pid=32, s=second)
        if second == 30:
            text += UMBRELLA.format(pid=32, s=second)
    answer = explain_text(text)
    assert categories(answer) == ["python_env_dependency"]
    assert answer.causes[0].process == "32 python"


def test_an_umbrella_of_another_process_is_not_explained_away() -> None:
    answer = explain_text(NUMPY.format(pid=1, s="01") + UMBRELLA.format(pid=2, s="02"))
    assert [c.process.split()[0] for c in answer.causes] == ["1", "2"]


def test_a_communication_timeout_follows_from_the_rank_that_failed_first() -> None:
    answer = explain_text(
        "[rank0]: RuntimeError: NPU out of memory. Tried to allocate 2.00 GiB (NPU 0; 60 GiB)\n"
        "[rank1]: EI0006: [PID: 77] 2024-05-06-10:11:12.444.436 Getting socket times out.\n"
    )
    assert categories(answer) == ["device_oom"]
    assert [c.fault.category for c in answer.consequences] == ["hccl_timeout"]


def test_two_thousand_lines_of_other_programs_give_no_cause() -> None:
    answer = explain_text("\n".join(unrelated_lines(2000)))
    assert answer.lines == 2000
    assert answer.causes == ()
    assert answer.further == ()
    assert answer.consequences == ()


def test_a_fault_among_unrelated_lines_is_still_found() -> None:
    noise = unrelated_lines(400)
    noise.insert(200, SOC.format(pid=5, s="05").rstrip("\n"))
    assert categories(explain_text("\n".join(noise)))[0] == "om_soc_mismatch"


def test_nothing_is_invented_for_an_unknown_error() -> None:
    answer = explain_text("all well\n[ERROR] frobnicator: quux 17 failed\n")
    assert answer.causes == ()
    assert [e.number for e in answer.earliest_errors] == [2]
    assert answer.look_for
    assert answer.next_command


def test_a_harmless_line_is_called_harmless() -> None:
    answer = explain_text(
        "UserWarning: Warning: The /usr/local/Ascend/cann-8.5.0 owner does not match the current "
        "owner.\n"
    )
    assert answer.causes == ()
    assert [c.fault.id for c in answer.harmless] == ["EX951"]


def test_an_unreadable_vendor_list_matters_only_with_missing_kernels() -> None:
    line = "[WARNING] Can not open file: /usr/local/Ascend/opp/vendors/config.ini.\n"
    missing = "Get path and read binary_info_config.json failed, please check the package\n"
    assert explain_text(line).causes == ()
    assert categories(explain_text(missing + line)) == ["permission"]


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "gb18030", "utf-16"])
def test_encodings_and_line_ends_change_nothing(tmp_path: Path, encoding: str, ending: str) -> None:
    text = "中文日志：开始\n" + SOC.format(pid=3, s="01") + "结束\n"
    log = tmp_path / "a.log"
    log.write_bytes(text.replace("\n", ending).encode(encoding))
    answer = explain_log(log)
    assert categories(answer) == ["om_soc_mismatch"]
    assert answer.causes[0].evidence[0].number == 2
    assert answer.lines == 4


def test_lines_of_different_encodings_in_one_file(tmp_path: Path) -> None:
    log = tmp_path / "mixed.log"
    log.write_bytes(
        "错误\n".encode("gb18030") + "错误\n".encode() + SOC.format(pid=3, s=1).encode()
    )
    answer = explain_log(log)
    assert [e.text for e in answer.earliest_errors[:2]] == ["错误", "错误"]
    assert categories(answer) == ["om_soc_mismatch"]


def test_colour_codes_do_not_hide_a_fault() -> None:
    coloured = SOC.format(pid=3, s="01").replace("failed", "\x1b[31mfailed\x1b[0m")
    assert categories(explain_text(coloured)) == ["om_soc_mismatch"]


def test_a_message_cut_over_two_lines_is_joined() -> None:
    text = (
        "E19999: Inner Error!\n        The opp version of the model does not match the current "
        "opp run package, Model is [6.4.T11.0.B300],\n        opp run package is [7.0.T3.0.B107]\n"
    )
    parameters = explain_text(text).causes[0].parameters
    assert parameters["model_version"] == "6.4.T11.0.B300"


def test_a_version_conflict_says_how_it_is_compared_and_what_to_move() -> None:
    text = (
        "E19999: The opp version of the model does not match the current opp run package, Model "
        "is [6.4.12.1.241], opp run package is [7.7.0.1.238]\n"
    )
    conflict = explain_text(text).causes[0].conflict
    assert conflict is not None
    assert conflict.comparison == "string equality"
    assert [(s.public.upper(), s.internal) for s in conflict.sides] == [
        ("6.3.RC2", "6.4.12.1.241"),
        ("8.1.RC1", "7.7.0.1.238"),
    ]
    assert conflict.rules == ("PF403",)
    assert conflict.cheaper.startswith("the model")


def test_a_folder_of_plog_files_is_put_in_the_order_of_time(tmp_path: Path) -> None:
    (tmp_path / "plog-2_b.log").write_text(UMBRELLA.format(pid=2, s="59"), encoding="utf-8")
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "plog-9_a.log").write_text(NUMPY.format(pid=9, s="01"), encoding="utf-8")
    (tmp_path / "picture.png").write_bytes(b"\x89PNG")
    answer = explain_log(tmp_path)
    assert len(answer.sources) == 2
    assert answer.causes[0].fault.category == "python_env_dependency"


def test_gzip_is_read_and_a_broken_one_reported(tmp_path: Path) -> None:
    log = tmp_path / "plog.log.gz"
    log.write_bytes(gzip.compress(SOC.format(pid=4, s="01").encode()))
    assert categories(explain_log(log)) == ["om_soc_mismatch"]
    log.write_bytes(log.read_bytes()[:-9])
    with pytest.raises(UnreadableInput):
        explain_log(log)


def test_a_packed_file_that_unpacks_without_end_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("preflight.explain.reading.MAX_UNPACKED", 2 * BLOCK)
    log = tmp_path / "bomb.log.gz"
    log.write_bytes(gzip.compress(b"\n" * (4 * BLOCK)))
    with pytest.raises(UnreadableInput, match="unpacks to more"):
        explain_log(log)


def test_missing_files_and_empty_folders_are_errors(tmp_path: Path) -> None:
    with pytest.raises(UnreadableInput, match="No such file"):
        explain_log(tmp_path / "none.log")
    with pytest.raises(UnreadableInput, match="no log files"):
        explain_log(tmp_path)


def test_line_numbers_hold_across_blocks(tmp_path: Path) -> None:
    filler = INFO.format(pid=1, s="01")
    count = 2 * BLOCK // len(filler)
    log = tmp_path / "big.log"
    log.write_text(filler * count + SOC.format(pid=4, s="01"), encoding="utf-8")
    assert explain_log(log).causes[0].evidence[0].number == count + 1


def test_a_line_longer_than_a_block_does_not_stop_the_reading(tmp_path: Path) -> None:
    log = tmp_path / "long.log"
    log.write_text("x" * (3 * BLOCK) + "\n" + SOC.format(pid=4, s="01"), encoding="utf-8")
    answer = explain_log(log)
    assert categories(answer) == ["om_soc_mismatch"]


def test_many_repeats_are_counted_up_to_a_bound() -> None:
    answer = explain_text(SOC.format(pid=4, s="01") * 500)
    assert categories(answer) == ["om_soc_mismatch"]
    assert 1 < answer.causes[0].occurrences <= 500
    assert len(answer.causes[0].evidence) <= 4


def test_a_repeated_line_that_differs_in_its_numbers_can_still_match() -> None:
    """Lines whose text without digits was searched before are skipped only if that is sound."""
    plain = "run model of torch_npu: execute model x error 123456\n"
    answer = explain_text(plain * 3 + plain.replace("123456", "507011"))
    assert categories(answer) == ["runtime_only"]
    assert answer.causes[0].evidence[0].number == 4


def test_the_target_named_by_a_log() -> None:
    text = "/usr/local/Ascend/ascend-toolkit/8.1.RC1/lib64\n" + SOC.format(pid=1, s="01")
    assert target_in_log(explain_text(text)) == "8.1.RC1/Ascend910B2"
    assert target_in_log(explain_text("nothing\n")) == ""


def test_the_same_log_gives_the_same_answer() -> None:
    text = SOC.format(pid=1, s="01") + NUMPY.format(pid=1, s="02") + UMBRELLA.format(pid=1, s="03")
    assert explain_text(text) == explain_text(text)
