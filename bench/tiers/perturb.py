"""Changes what varies between two reports of one fault: paths, ids, numbers, times, line order."""

from __future__ import annotations

import random
import re

_PID = re.compile(r"(?<=\()\d{2,8}(?=[,)])|(?<=PID: )\d{2,8}|(?<=PID:)\d{2,8}|(?<=pid=)\d{2,8}")
_LINE = re.compile(r"(?<=LINE:)\d{1,5}|(?<=\.cc:)\d{1,5}|(?<=\.cpp:)\d{1,5}|(?<=\.ts:)\d{1,5}")
_TIME = re.compile(r"\d{4}-\d\d-\d\d-\d\d:\d\d:\d\d(?:\.\d{3}\.\d{3})?")
_PATH = re.compile(r"(?<=[\s\"'=(])/(?:usr/local|home|opt|root)/[\w.-]{1,40}(?=/)")
_HEX = re.compile(r"0x[0-9a-f]{8,16}")
_CHATTER = (
    "[INFO] acl init success",
    "[INFO] GE(77,main):2024-01-01-00:00:00.000.000 [ge_api.cc:12]77 GEInitialize: begin",
    "Loading checkpoint shards: 100%",
    "INFO 03-14 17:09:20 [__init__.py:44] Available plugins",
    "warnings.warn(msg)",
)


def perturb(lines: list[str], seed: str) -> list[str]:
    """The same report as another machine would have written it.

    Messages (a line and what is indented below it) keep their inside; the order of messages that
    carry no time changes, and lines that say nothing are mixed in.
    """
    rng = random.Random(seed)
    changed = [_change(line, rng) for line in lines]
    messages: list[list[str]] = []
    for line in changed:
        if messages and line[:1].isspace():
            messages[-1].append(line)
        else:
            messages.append([line])
    if len(messages) > 2:
        at = rng.randrange(len(messages) - 1)
        messages[at], messages[at + 1] = messages[at + 1], messages[at]
    out: list[str] = []
    for message in messages:
        out += rng.sample(_CHATTER, rng.randrange(3))
        out += message
    return out


def _change(line: str, rng: random.Random) -> str:
    def digits(match: re.Match[str]) -> str:
        return str(rng.randrange(10 ** (len(match[0]) - 1), 10 ** len(match[0])))

    line = _PID.sub(digits, line)
    line = _LINE.sub(digits, line)
    line = _HEX.sub(lambda m: f"0x{rng.randrange(16**8):08x}{'0' * (len(m[0]) - 10)}", line)
    line = _TIME.sub(f"2023-{rng.randrange(1, 13):02d}-11-10:11:12.345.678", line)
    return _PATH.sub(lambda m: rng.choice(("/opt/huawei", "/home/someone/env", "/data")), line)
