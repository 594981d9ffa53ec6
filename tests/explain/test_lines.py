"""Line shapes of the programs whose logs are read."""

from __future__ import annotations

import pytest

from preflight.explain.lines import clean, header, message_at, normal_time, owner


@pytest.mark.parametrize(
    ("line", "process", "time"),
    [
        (
            "[ERROR] GE(12345,python):2024-05-06-10:11:12.123.456 [model_helper.cc:1266]12345 Load",
            "12345 python",
            "2024-05-06 10:11:12.123456",
        ),
        (
            "[ERROR] KERNEL(40354,fffdd6e1f1e0,python):2023-10-13-09:30:47.546.313 [a.cc:1] X] y",
            "40354 python",
            "2023-10-13 09:30:47.546313",
        ),
        ("[EVENT] HCCL(60570,):2025-12-04-14:46:07.911.312 [s.cc:1] [6]", "60570", "2025-12-04 14:46:07.911312"),
        (
            "EE1001: [PID: 106] 2025-10-30-08:21:08.817.477 The argument is invalid.",
            "106",
            "2025-10-30 08:21:08.817477",
        ),
        ("[ACL ERROR] EE1001: [PID: 106] 2025-10-30-08:21:08.817.477 T", "106", "2025-10-30 08:21:08.817477"),
        ("[PID: 15] 2025-11-30-05:12:25.730.116 AclNN_Parameter_Error(EZ1001): x", "15", "2025-11-30 05:12:25.730116"),
        (
            "[ERROR] 2025-08-05-08:05:26 (PID:504068, Device:0, RankID:-1) ERR00100 PTA call",
            "504068",
            "2025-08-05 08:05:26",
        ),
        ("(EngineCore pid=118) ERROR 08-26 12:16:15 [core.py:1] boom", "118", "12:16:15"),
        ("(VllmWorker rank=0 pid=1110) ERROR 08-26 12:16:15 [x.py:492] boom", "1110", "12:16:15"),
        ("[rank1]: EI0006: [PID: 77] 2025-04-08-18:07:20.444.436 Getting", "77", "2025-04-08 18:07:20.444436"),
        ("server-1  | EE1001: [PID: 9] 2025-10-30-08:21:08.817.477 T", "9", "2025-10-30 08:21:08.817477"),
        ("E20231116 09:50:41.157967  2326 MxOmModelDesc.cpp:855] [507011] x", "2326", "09:50:41.157967"),
        ("2023-12-13 20:11:34.351330063 [E:onnxruntime:Default, cann_call.cc:139 C] x", "", "2023-12-13 20:11:34.351330063"),
        ("2023-06-16 09:24:29,190 ERROR : load opp data failed", "", "2023-06-16 09:24:29.190"),
        ("[W  6/30 15:21:16.858 .../utility.cc:57 Init] CANN version", "", "15:21:16.858"),
    ],
)  # fmt: skip
def test_process_and_time_of_a_line(line: str, process: str, time: str) -> None:
    found = header(line)
    assert found is not None
    assert (found.process, found.time) == (process, time)


def test_time_stamps_sort_as_text() -> None:
    stamps = ["2024-05-06-10:11:12.123.456", "2024-05-06 10:11:12,200", "2024/05/06 10:11:13"]
    assert sorted(map(normal_time, stamps)) == [normal_time(s) for s in stamps]


def test_a_continuation_belongs_to_the_header_above_it() -> None:
    lines = [
        "[ERROR] GE(5,python):2024-05-06-10:11:12.123.456 [a.cc:1]5 first",
        "E19999: [PID: 77] 2024-05-06-10:11:13.000.000 Inner Error!",
        "        Assert failed[FUNC:A]",
        "        Check failed[FUNC:B]",
        "[INFO] GE(5,python):2024-05-06-10:11:14.123.456 [a.cc:1]5 last",
    ]
    assert owner(lines, 3).process == "77"
    message = message_at(lines, 3)
    assert message.startswith("E19999")
    assert message.endswith("Check failed[FUNC:B]")


def test_cleaning_keeps_the_number_of_lines() -> None:
    text = "a\r\n\x1b[1;31mb\x1b[0m\r\nprogress 1%\rprogress 2%\n"
    assert clean(text) == "a\nb\nprogress 1% progress 2%\n"
