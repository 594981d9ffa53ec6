"""The lines of a block that may state something, and quick ways to find some of them."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator

from preflight.explain.types import EvidenceLine

SHOWN = 400  # characters of an evidence line that are kept

# Modules whose INFO and DEBUG lines make up the bulk of a plog and state no fault.
_MODULES = (
    "GE", "RUNTIME", "FE", "TEFUSION", "HCCL", "HCCP", "DRV", "ASCENDCL", "PROFILING", "TUNE",
    "AICPU", "CCECPU", "IDEDD", "ATRACE", "TDT", "TSD", "FFTS", "PARSER", "OP", "NN", "ADUMP",
    "GE_ADPT", "ME", "LITE", "KERNEL", "DEVICE", "SESSION", "CORE", "MD",
)  # fmt: skip
_QUIET = tuple(
    f"[{level}] {module}(" for level in ("INFO", "DEBUG", "EVENT") for module in _MODULES
)
_QUIET_LEVELS = ("[INFO] ", "[DEBUG] ", "[EVENT] ")
_OPENERS = ("[", "(", "")  # what the next line of a plog begins with, or nothing at all
_ERROR_WORDS = (
    "error", "fail", "fatal", "exception", "traceback", "undefined symbol", "cannot ", "can't ",
    "killed", "错误", "失败", "异常",
)  # fmt: skip
_FOUR_DIGITS = re.compile(r"[0-9]{4}[:)\], ]")


def _lower(line: str) -> str:
    """Lower case of the same length."""
    low = line.lower()
    if len(low) == len(line):
        return low
    return "".join(c.lower() if len(c.lower()) == 1 else c for c in line)


class View:
    """The lines of a block that may state something, with their numbers in the file."""

    def __init__(self, source: str, first_line: int, lines: list[str]) -> None:
        self.source = source
        self.kept = lines
        self._numbers: list[int] | None = None
        self._first = first_line
        self._starts: list[int] = []
        self.text = "\n".join(lines)
        if any(level in self.text for level in _QUIET_LEVELS):
            loud = [i for i, line in enumerate(lines) if not line.startswith(_QUIET)]
            if len(loud) < len(lines):
                self.kept, self._numbers = [lines[i] for i in loud], loud
                self.text = "\n".join(self.kept)
        self.low = self.text.lower()
        if len(self.low) != len(self.text):  # a few letters change their length: keep offsets true
            self.low = "\n".join(map(_lower, self.kept))
        # One byte a character: a search in wide text takes several times as long.
        wide = not self.low.isascii()
        self.narrow = self.low.encode("latin-1", "replace").decode("latin-1") if wide else self.low

    def number(self, index: int) -> int:
        """The line's number in its file, counted from 1."""
        at = self._numbers[index] if self._numbers is not None else index
        return self._first + at

    def evidence(self, index: int) -> EvidenceLine:
        text = self.kept[index]
        short = text if len(text) <= SHOWN else text[:SHOWN] + "…"
        return EvidenceLine(self.source, self.number(index), short.rstrip())

    def part(self, indexes: list[int]) -> View:
        """Some of the lines as a view of their own."""
        return View(self.source, 1, [self.kept[i] for i in indexes])

    def spans(self, indexes: list[int]) -> list[tuple[int, int]]:
        """(start, end) of lines in the text."""
        starts, kept = self._line_starts(), self.kept
        return [(starts[i], starts[i] + len(kept[i])) for i in indexes]

    def lines_with(self, anchor: str) -> Iterator[tuple[int, int]]:
        """(start, end) of the lines that hold the text, each once."""
        low = self.narrow if anchor.isascii() else self.low
        at = low.find(anchor)
        while at >= 0:
            start = low.rfind("\n", 0, at) + 1
            end = low.find("\n", at)
            if end < 0:
                yield start, len(low)
                return
            yield start, end
            at = low.find(anchor, end)

    def joined(self, start: int) -> bool:
        """Whether the line at an offset may be part of a message of several lines."""
        end = self.text.find("\n", start)
        return self.text[start : start + 1].isspace() or (
            end >= 0 and self.text[end + 1 : end + 2] not in _OPENERS
        )

    def errorish(self, limit: int) -> list[int]:
        """Indexes of the first lines that speak of something going wrong, or hold a message code;
        of each kind at most `limit`.
        """
        found: set[int] = set()
        for word in _ERROR_WORDS:
            low = self.narrow if word.isascii() else self.low
            at, number = low.find(word), 0
            while at >= 0 and number < limit:
                found.add(self.index(at))
                number += 1
                end = low.find("\n", at)
                at = low.find(word, end) if end >= 0 else -1
        for digits in _FOUR_DIGITS.finditer(self.narrow):  # rarer than the letter of a code
            start = digits.start()
            if self.narrow[max(0, start - 2) : start - 1] == "e":
                found.add(self.index(start))
        return sorted(found)

    def index(self, offset: int) -> int:
        """The index of the line that holds an offset."""
        return bisect_right(self._line_starts(), offset) - 1

    def indexes(self, offsets: list[int]) -> list[int]:
        """The lines that hold these offsets, each once."""
        starts = self._line_starts()
        return list(dict.fromkeys([bisect_right(starts, offset) - 1 for offset in offsets]))

    def _line_starts(self) -> list[int]:
        if not self._starts:
            position, starts = 0, []
            for line in self.kept:
                starts.append(position)
                position += len(line) + 1
            self._starts = starts
        return self._starts
