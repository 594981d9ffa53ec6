"""File names of dumps: which operator, which side, which index (facts/dump-formats.md §1.4, §3)."""

from __future__ import annotations

import re

from msgspec import Struct

_CONVERTED = re.compile(r"(?P<rest>.+)\.(?P<side>input|output)\.(?P<index>\d{1,6})")
_DUMP = re.compile(
    r"(?P<type>[^.]+)\.(?P<op>[^.]+)\.(?P<task>\d+)(?:\.(?P<stream>\d+))?\.(?P<time>\d{10,20})"
    r"(?:\.[\w-]+)*"
)
_GOLDEN = re.compile(r"(?P<op>[^.]+)\.(?P<index>\d{1,6})\.(?P<time>\d{10,20})")


class DumpName(Struct, frozen=True):
    """What a file name says. `op` is empty when it names no operator; `side` may be empty."""

    op: str
    op_type: str = ""
    side: str = ""
    index: int = 0
    task: int | None = None
    stamp: int = 0


def flat_name(op_name: str) -> str:
    """An operator's name as dump files spell it."""
    return re.sub(r"[./\\ ]", "_", op_name)


def parse_dump_name(name: str) -> DumpName | None:
    """`Conv2D.conv1.3.1.1650000000000000`, as the device writes it."""
    match = _DUMP.fullmatch(name)
    if match is None:
        return None
    return DumpName(match["op"], match["type"], task=int(match["task"]), stamp=int(match["time"]))


def parse_array_name(stem: str) -> DumpName:
    """The name of an array file without its suffix: converted dump, golden tensor, or anything."""
    if match := _CONVERTED.fullmatch(stem):
        inner = parse_dump_name(match["rest"])
        side, index = match["side"], int(match["index"])
        if inner is None:
            return DumpName(match["rest"], side=side, index=index)
        return DumpName(inner.op, inner.op_type, side, index, inner.task, inner.stamp)
    if match := _GOLDEN.fullmatch(stem):
        op, side = match["op"], "output"
        if op.startswith("input_"):
            op, side = op.removeprefix("input_"), "input"
        return DumpName(op, side=side, index=int(match["index"]), stamp=int(match["time"]))
    return DumpName("")
