"""Line shapes: who wrote a line of a log, when, and where a message begins and ends.

Covers plog (`[ERROR] GE(12,python):2024-05-06-10:11:12.123.456 [file.cc:1]12 Func: …`), message
blocks of the error manager (`EE1001: [PID: 12] …`), MindSpore, torch_npu, vLLM and Ray prefixes,
glog, ONNX Runtime, OpenCV, Paddle Lite, Python logging and container prefixes.
"""

from __future__ import annotations

import re

from msgspec import Struct

MAX_LINE = 4096  # characters of a line that are looked at
MAX_MESSAGE_LINES = 24
_LOOK_BACK = 60  # lines up to the header that a continuation belongs to

_ANSI = re.compile(r"\x1b(?:\[[0-?]{0,32}[ -/]{0,8}[@-~]|[@-Z\\-_])")
_STAMP = r"(?P<time>\d{4}[-/]\d{2}[-/]\d{2}[-T ]\d{2}:\d{2}:\d{2}(?:[.,]\d{1,9}(?:\.\d{3})?)?)"

# What a shell, a container runtime or a launcher puts before the program's own line.
_PREFIX = re.compile(
    r"\s{0,8}(?:"
    r"[\w.-]{1,64}\s{1,8}\|\s"
    r"|\d{4}-\d\d-\d\dT[\d:.]{8,18}(?:Z|[+-]\d\d:\d\d)\s(?:std(?:out|err)\s[FP]\s)?"
    r"|\[rank\d{1,5}\]:\s?"
    r"|\[\d{1,5}\]:\s?"
    r"|\(\w{1,40}(?:\s\w{1,20}=\d{1,8}){0,3}\spid=(?P<prefix_pid>\d{1,8})(?:,\sip=[\d.]{7,15})?\)\s?"
    r")"
)

_SHAPES = (
    re.compile(
        r"\[\s?(?P<level>[A-Z]{4,9})\]\s{0,2}(?P<module>[A-Z_]{2,20})\((?P<pid>\d{1,10})"
        r"(?:,(?:(?P<tid>[0-9a-f]{6,16}),)?(?P<name>[^)]{0,64}))?\)(?::\s?" + _STAMP + ")?"
    ),
    re.compile(r"\[(?P<level>[A-Z]{4,9})\]\s" + _STAMP + r"\s\(PID:\s?(?P<pid>\d{1,10}),\sDevice:"),
    re.compile(
        r"(?:\[[A-Z ]{3,12}\]\s)?(?:\w{1,40}\()?(?P<code>ERR\d{5}|[EW][0-9A-Z]\d{4})\)?:\s"
        r"(?:\[PID:\s?(?P<pid>\d{1,10})\]\s)?(?:" + _STAMP + ")?"
    ),
    re.compile(r"\[PID:\s?(?P<pid>\d{1,10})\]\s" + _STAMP),
    re.compile(
        r"(?P<level>[IWEF])(?:\d{4}){1,2}\s(?P<time>\d\d:\d\d:\d\d\.\d{3,9})\s{1,4}(?P<pid>\d{1,10})\s"
    ),
    re.compile(_STAMP + r"\s\[(?P<level>[IWEVF]):onnxruntime:"),
    re.compile(r"\[\s?(?P<level>[A-Z]{4,7}):\d{1,4}@[\d.]{1,16}\]"),
    re.compile(r"\[(?P<level>[IWEF])\s{1,2}\d{1,2}/\s?\d{1,2}\s{1,2}(?P<time>[\d: .]{8,14})\s"),
    re.compile(
        r"(?P<level>INFO|WARNING|ERROR|CRITICAL|DEBUG)\s\d\d-\d\d\s(?P<time>\d\d:\d\d:\d\d)"
    ),
    re.compile(
        r"\[?" + _STAMP + r"\]?\s{0,4}(?:[|-]\s{0,3})?(?:[\w.]{1,60}\s?[|-]\s?)?\[?"
        r"(?P<level>DEBUG|INFO|WARN(?:ING)?|ERROR|FATAL|CRITICAL)?\b"
    ),
    re.compile(r"\[\s?(?P<level>DEBUG|INFO|WARN(?:ING)?|ERROR|FATAL|EVENT|TRACE|CRITICAL)\s?\]"),
    re.compile(r"(?P<level>Traceback) \(most recent call last\)"),
)
_INDENTED = re.compile(r"\s")


class Header(Struct, frozen=True):
    """What the beginning of a line tells. Empty text where it is silent."""

    process: str = ""
    thread: str = ""
    time: str = ""  # "2024-05-06 10:11:12.123456", or only the time of day
    level: str = ""
    module: str = ""


def clean(text: str) -> str:
    """Text without colour codes; carriage returns of progress bars become line ends of their own
    only where a line feed follows, otherwise blanks, so that line numbers stay those of the file.
    """
    if "\x1b" in text:
        text = _ANSI.sub("", text)
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", " ")
    return text


def header(line: str) -> Header | None:
    """The header of a line, None for a line that only continues a message."""
    start = 0
    prefix_pid = ""
    for _ in range(3):
        found = _PREFIX.match(line, start)
        if found is None:
            break
        prefix_pid = found["prefix_pid"] or prefix_pid
        start = found.end()
    for shape in _SHAPES:
        match = shape.match(line, start)
        if match is not None:
            return _header(match, prefix_pid)
    return Header(process=prefix_pid) if prefix_pid else None


def _header(match: re.Match[str], prefix_pid: str) -> Header:
    got = match.groupdict()
    name = (got.get("name") or "").strip()
    pid = got.get("pid") or prefix_pid
    process = f"{pid} {name}".strip() if pid else ""
    return Header(
        process=process,
        thread=got.get("tid") or "",
        time=normal_time(got.get("time") or ""),
        level=(got.get("level") or "").upper(),
        module=got.get("module") or got.get("code") or "",
    )


def normal_time(text: str) -> str:
    """One spelling for all time stamps, so that they sort as text."""
    if not text:
        return ""
    if len(text) > 10 and text[4] in "-/":
        date, clock = text[:10].replace("/", "-"), text[11:]
    else:
        date, clock = "", text.strip().replace(" ", "0")
    head, _, fraction = clock.replace(",", ".").partition(".")
    digits = fraction.replace(".", "")
    stamp = f"{head}.{digits}" if digits else head
    return f"{date} {stamp}".strip()


def is_continuation(line: str) -> bool:
    """Whether a line belongs to the message above it."""
    if not line.strip():
        return False
    return bool(_INDENTED.match(line)) and header(line) is None


def message_at(lines: list[str], index: int) -> str:
    """The whole message that `lines[index]` belongs to, joined by blanks and bounded."""
    first = index
    while first > 0 and index - first < MAX_MESSAGE_LINES and is_continuation(lines[first]):
        first -= 1
    last = index
    while last + 1 < len(lines) and last - first < MAX_MESSAGE_LINES:
        follower = lines[last + 1]
        if not follower.strip() or (header(follower) is not None and not _wraps(lines[last])):
            break
        if not _INDENTED.match(follower) and not _wraps(lines[last]):
            break
        last += 1
    return " ".join(part.strip()[:MAX_LINE] for part in lines[first : last + 1])[:MAX_LINE]


def _wraps(line: str) -> bool:
    """A line that a terminal or a forum cut in the middle ends without punctuation."""
    return len(line) >= 72 and line.rstrip()[-1:] not in ".!?;:)]}"


def owner(lines: list[str], index: int) -> Header:
    """The header that speaks for `lines[index]`: its own, or the nearest one above."""
    merged = Header()
    for back in range(_LOOK_BACK):
        at = index - back
        if at < 0:
            break
        found = header(lines[at][:MAX_LINE])
        if found is None:
            continue
        merged = Header(
            merged.process or found.process,
            merged.thread or found.thread,
            merged.time or found.time,
            merged.level or found.level,
            merged.module or found.module,
        )
        if merged.process or not _INDENTED.match(lines[at]):
            break
    return merged
