"""Reads the small regular expression dialect that signatures may use.

A signature must be fast on any line, so its pattern is taken apart here: the literal text it
cannot match without (its anchors, searched first), and the constructions that can cost more than
linear time, which are refused.
"""

from __future__ import annotations

import re

from msgspec import Struct, field

from preflight.explain.boundaries import ends_inside, may_begin_inside

MIN_ANCHOR = 4  # a Chinese character counts twice
COMMON_WEIGHT = 3
MAX_REPEAT = 400
MAX_WIDE = 6  # repeats of `.` or of an excluded class in one alternative
_QUANTIFIER = re.compile(r"[*+?]|\{(\d{1,4})?(?:,(\d{0,4}))?\}")
_CLASS_ESCAPES = "wdsWDSbBAZ"


class _Run(Struct):
    """One alternative while it is read."""

    anchors: list[tuple[str, ...]] = field(default_factory=list)  # each: one of these is there
    current: list[str] = field(default_factory=list)
    wide: int = 0
    inside: set[str] = field(default_factory=set)  # anchors to look for inside words too
    loose: set[str] = field(default_factory=set)  # others that may stand inside a word
    begins_inside: bool = False  # whether `current` does

    def close(self) -> None:
        if self.current:
            text = "".join(self.current).lower()
            self.anchors.append((text,))
            if may_begin_inside(text, self.begins_inside):
                self.inside.add(text)
            elif self.begins_inside:
                self.loose.add(text)
            self.current = []

    def add(self, literal: str, before: str) -> None:
        """Continue the literal text, or begin one; `before` is the pattern in front of it."""
        if not self.current:
            self.begins_inside = ends_inside(before)
        self.current.append(literal)

    def best(self) -> tuple[str, ...]:
        """The anchors whose shortest text is longest: the rarest in ordinary text. Those that
        begin where a word does are found at less cost and go first.
        """
        return max(self.anchors, key=self._rank, default=())

    def _rank(self, texts: tuple[str, ...]) -> tuple[bool, int, int]:
        least = min(map(weight, texts))
        plain = least >= MIN_ANCHOR and not self.inside.intersection(texts)
        return plain, least, -len(texts)


# Words that every other log line has: a search for them narrows nothing down.
_COMMON = frozenset(
    (
        "[error]", "agent", "ascend", "available", "backend", "built", "check", "code",
        "compile", "connect", "const", "contain", "create", "current", "data", "detail",
        "device", "driver", "error", "error:", "event", "execute", "expect", "expected", "fail",
        "failed", "failure", "field", "file", "for", "format", "found", "from", "given",
        "group", "has", "hccl", "import", "input", "install", "installed", "invalid", "is",
        "kernel", "library", "list", "memory", "model", "module", "multi", "must", "name",
        "need", "needs", "node", "not", "not found", "number", "object", "of", "open",
        "operator", "other", "others", "output", "package", "param", "parameter", "parse",
        "path", "platform", "process", "python", "range", "rank", "read", "require", "required",
        "requires", "resource", "result", "results", "runtime", "server", "set", "shape",
        "should", "size", "soc", "socket", "stream", "string", "support", "table", "this",
        "time", "type", "update", "upgrade", "user", "value", "version", "warning", "with",
    )
)  # fmt: skip


def weight(text: str) -> int:
    """How much a text narrows a search down."""
    if text.strip() in _COMMON:
        return COMMON_WEIGHT
    return sum(2 if ord(c) > 0x2E7F else 1 for c in text)


class Alternative(Struct, frozen=True):
    """What one alternative of a pattern cannot match without, in lower case.

    One of `first` is searched for; then one of each set of `also` must be there too.
    """

    first: tuple[str, ...]
    also: tuple[tuple[str, ...], ...]
    inside: frozenset[str] = frozenset()  # those of all these texts to look for inside words too
    loose: frozenset[str] = frozenset()  # those that may be there inside words only


class Shape(Struct, frozen=True):
    """The alternatives of a pattern and what is wrong with it."""

    alternatives: tuple[Alternative, ...]
    problems: tuple[str, ...]


def shape_of(pattern: str) -> Shape:
    """Take a pattern apart. `problems` is empty when it is fit for a signature."""
    problems: list[str] = []
    alternatives: list[Alternative] = []
    for branch in split_alternatives(pattern):
        run = _read(branch, problems, depth=0, before="")
        best = run.best()
        if not best or min(map(weight, best)) < min(MIN_ANCHOR, COMMON_WEIGHT):
            problems.append(f"no literal text of {MIN_ANCHOR} characters in {branch!r}")
        also = tuple(a for a in run.anchors if a != best and min(map(len, a)) > 1)
        alternatives.append(Alternative(best, also, frozenset(run.inside), frozenset(run.loose)))
        if run.wide > MAX_WIDE:
            problems.append(f"more than {MAX_WIDE} wide repeats in {branch!r}")
    return Shape(tuple(alternatives), tuple(problems))


def split_alternatives(pattern: str) -> list[str]:
    """The alternatives of a pattern that stand outside every group."""
    parts, depth, start, i = [], 0, 0, 0
    while i < len(pattern):
        c = pattern[i]
        if c == "\\":
            i += 2
            continue
        if c == "[":
            i = _class_end(pattern, i)
            continue
        if c == "(":
            depth += 1
        elif c == ")":
            depth -= 1
        elif c == "|" and depth == 0:
            parts.append(pattern[start:i])
            start = i + 1
        i += 1
    return [*parts, pattern[start:]]


def _class_end(pattern: str, start: int) -> int:
    i = start + 1
    if pattern[i : i + 1] == "^":
        i += 1
    if pattern[i : i + 1] == "]":
        i += 1
    while i < len(pattern) and pattern[i] != "]":
        i += 2 if pattern[i] == "\\" else 1
    return i + 1


def _group_end(pattern: str, start: int) -> int:
    depth, i = 0, start
    while i < len(pattern):
        c = pattern[i]
        if c == "\\":
            i += 2
            continue
        if c == "[":
            i = _class_end(pattern, i)
            continue
        depth += (c == "(") - (c == ")")
        i += 1
        if depth == 0:
            return i
    return i


def _read(branch: str, problems: list[str], depth: int, before: str) -> _Run:
    run = _Run()
    i = 0
    while i < len(branch):
        i = _read_atom(branch, i, run, problems, depth, before)
    run.close()
    return run


def _read_atom(text: str, i: int, run: _Run, problems: list[str], depth: int, before: str) -> int:
    """Read one atom and its quantifier; returns where the next one begins."""
    c = text[i]
    literal, wide, inner = "", False, ""
    if c == "\\":
        end, literal = _escape(text, i)
        wide = text[i + 1] in "SWD"
    elif c == "[":
        end = _class_end(text, i)
        wide = text[i + 1 : i + 2] == "^"
    elif c == "(":
        end = _group_end(text, i)
        inner = re.sub(r"^\((?:\?(?:P<\w+>|-?[a-z]{0,3}:|[=!]|<[=!]))?", "", text[i:end])[:-1]
    else:
        end = i + 1
        literal = "" if c in ".^$" else c
        wide = c == "."
    quantifier = _QUANTIFIER.match(text, end)
    if inner:
        run.close()
        group = _Quantified(optional=_optional(quantifier), repeated=_repeats(quantifier))
        excluded = text.startswith(("(?!", "(?<!"), i)
        _read_group(inner, run, problems, depth, group, excluded=excluded, before=before + text[:i])
    elif quantifier is None and literal:
        run.add(literal, before + text[:i])
    else:
        run.close()
        _check_repeat(text[i:end], quantifier, wide, run, problems)
    if quantifier is None:
        return end
    run.close()
    end = quantifier.end()
    return end + 1 if text[end : end + 1] == "?" else end


def _escape(text: str, i: int) -> tuple[int, str]:
    """(end, literal) of an escape; a class such as \\d has no literal."""
    kind = text[i + 1 : i + 2]
    if kind == "x":
        return i + 4, chr(int(text[i + 2 : i + 4], 16))
    return i + 2, "" if kind in _CLASS_ESCAPES else kind


def _repeats(quantifier: re.Match[str] | None) -> bool:
    return quantifier is not None and quantifier[0] != "?"


def _optional(quantifier: re.Match[str] | None) -> bool:
    return quantifier is not None and quantifier[0][0] in "?*{"


class _Quantified(Struct, frozen=True):
    optional: bool
    repeated: bool


def _read_group(
    inner: str,
    run: _Run,
    problems: list[str],
    depth: int,
    group: _Quantified,
    *,
    excluded: bool,
    before: str,
) -> None:
    if depth > 4:
        problems.append("groups nested more than five deep")
        return
    widest = 0
    found: list[tuple[str, ...]] = []
    for branch in split_alternatives(inner):
        sub = _read(branch, problems, depth + 1, before)
        widest = max(widest, sub.wide)
        run.inside |= sub.inside
        run.loose |= sub.loose
        found.append(sub.best())
        if group.repeated and re.search(r"(?<!\\)[*+]|(?<!\\)\{", branch):
            problems.append(f"a repeat inside a repeated group: {inner!r}")
    run.wide += widest
    if all(found) and not group.optional and not excluded:
        run.anchors.append(tuple(text for best in found for text in best))


def _check_repeat(
    atom: str, quantifier: re.Match[str] | None, wide: bool, run: _Run, problems: list[str]
) -> None:
    if quantifier is None:
        return
    if wide and quantifier[0] != "?":
        run.wide += 1
    if atom == "." and quantifier[0] in "*+":
        problems.append("an unbounded '.': give it an upper bound")
    limit = quantifier[2] if quantifier[2] else quantifier[1]
    if limit and int(limit) > MAX_REPEAT:
        problems.append(f"a repeat of more than {MAX_REPEAT}")
    if quantifier[0].endswith(",}"):
        problems.append("a repeat without an upper bound: write it with one")
