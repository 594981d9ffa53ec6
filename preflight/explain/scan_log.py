"""Runs over blocks of a log and keeps what matters: matches, codes, the earliest errors.

Speed comes from the order of work: whole blocks are searched for the literal anchors of all
signatures with `in`; only a line that holds an anchor meets a regular expression. Memory is
bounded by caps per fault, not by the size of the log.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field

from preflight.explain import catalogue
from preflight.explain.lines import MAX_LINE, Header, header, message_at, owner
from preflight.explain.parameters import collect_context, collect_releases
from preflight.explain.reading import Block
from preflight.explain.signatures import Signature, by_anchor
from preflight.explain.signs import SIGNS
from preflight.explain.types import CodeSeen, EvidenceLine
from preflight.explain.view import View
from preflight.explain.vocabulary import Vocabulary

MAX_EVIDENCE = 4
MAX_HITS = 64  # per fault; more of the same teaches nothing
MAX_EARLIEST = 12
MAX_CODE_LINES = 5_000
NEAR = 1500  # characters around a line in which the rest of its message is expected
MAX_LOOKED = 1_000  # lines per signature around which the rest of a message was looked for
MAX_MESSAGES = 150  # messages of several lines that are put together per signature
MAX_BORING = 200_000  # lines remembered as holding no anchor
MAX_CODES = 64
UNLIKE = 4  # blocks without a line like an earlier one, after which lines are no longer compared
RETRY = 16  # of so many blocks one is compared all the same

_DIGIT = re.compile(r"\d")
_QUIET_LEVELS = {"INFO", "DEBUG", "EVENT", "I", "D", "V", "TRACE"}
_MESSAGE_CODE = re.compile(r"E(?:RR[0-9]{5}|[0-9A-Z][0-9]{4})(?![0-9A-Za-z_])")
_NUMBER = re.compile(
    r"(?:error[ _]?(?:code|no)|errno|err(?:or)?|ret(?:code|val|urn)?|result|status|failure|code"
    r"|failed|fail|错误码|返回码)[\"']?"
    r"(?:\s?(?:is|=|:|,|->|\[|\(|：)){0,3}\s{0,2}(-?0x[0-9a-fA-F]{4,16}|-?[0-9]{6,10}|-1)"
    r"(?![0-9A-Za-z.-])",
    re.IGNORECASE,
)
_BRACKETED = re.compile(r"\[([1235][04][0-9]{4}|507[0-9]{3}|[15]61[0-9]{3})\]")
_NAMED = re.compile(r"ACL_ERROR_[A-Z_]{3,60}|ACLNN_ERR_[A-Z_]{3,60}")


@dataclass(slots=True)
class Hit:
    """One fault in one process: where it was seen first and what was captured."""

    fault: str
    process: str
    order: tuple[str, int, int]
    time: str
    evidence: list[EvidenceLine] = field(default_factory=list)
    parameters: dict[str, str] = field(default_factory=dict)
    count: int = 0
    weak: bool = False  # only a code speaks for it


@dataclass(slots=True)
class Scan:
    """Everything a log said, in bounded space."""

    hits: dict[tuple[str, str], Hit] = field(default_factory=dict)
    codes: dict[str, CodeSeen] = field(default_factory=dict)
    code_orders: dict[str, tuple[tuple[str, int, int], str]] = field(default_factory=dict)
    earliest: list[EvidenceLine] = field(default_factory=list)
    context: dict[str, str] = field(default_factory=dict)
    processes: dict[str, None] = field(default_factory=dict)
    sources: list[str] = field(default_factory=list)
    lines: int = 0
    bytes: int = 0
    platform: bool = False  # something of Ascend's own is in the log
    codes_like: int = 0  # codes such as E10001, which other programs could have too


class Scanner:
    """Feeds on blocks; `result` is what was found so far."""

    def __init__(
        self, signatures: Iterable[Signature] | None = None, *, many: bool = False
    ) -> None:
        self.result = Scan()
        self.many = many  # several files: their times decide which line came first
        anchors = by_anchor(signatures)
        self._worded = {a: s for a, s in anchors.items() if not _DIGIT.search(a)}
        self._numbered = {a: s for a, s in anchors.items() if _DIGIT.search(a)}
        needs = [s.needs for found in anchors.values() for s in found]
        others = {t for n in needs for group in n.also for t in group if not _DIGIT.search(t)}
        inside = {t for n in needs for t in n.inside}
        others.update(s for s in SIGNS if not _DIGIT.search(s))
        self._words = Vocabulary(self._worded, others, inside)
        self._boring: set[int] = set()
        self._unlike = 0  # blocks in a row in which no line was like an earlier one
        self._messages: dict[str, int] = {}
        self._looked: dict[str, int] = {}
        self._spent: dict[str, int] = {}
        self._seen: set[tuple[str, int, str]] = set()
        self._code_lines = 0
        self._tail: list[str] = []
        self._source_time = ""

    def feed(self, blocks: Iterable[Block]) -> None:
        """Search the blocks of one source."""
        for block in blocks:
            if block.source not in self.result.sources:
                self._begin(block)
            self._block(block)

    def _begin(self, block: Block) -> None:
        self.result.sources.append(block.source)
        self._tail = []
        head = block.text[:MAX_LINE].split("\n", 20)
        times = (h.time for h in map(header, head) if h is not None and len(h.time) > 12)
        self._source_time = next(times, "")

    def _block(self, block: Block) -> None:
        lines = block.text.split("\n")
        if lines[-1] == "":
            lines.pop()
        self.result.lines += len(lines)
        self.result.bytes += block.size
        view = View(block.source, block.first_line, lines)
        low = view.narrow
        collect_context(view.text, view.narrow, self.result.context)
        if len(view.kept) < len(lines):
            collect_releases(block.text, self.result.context)
        for anchor in [a for a in self._numbered if a in low]:
            self._try_anchor(view, anchor, self._numbered, list(view.lines_with(anchor)))
        self._try_worded(view)
        self._errors(view)
        self._tail = lines[-8:]

    def _try_worded(self, view: View) -> None:
        """Anchors without digits, on the lines whose text without digits is new.

        Logs repeat themselves with other numbers; a line that held none of these anchors once
        holds none of them again, so most of a large log is not searched at all.
        """
        kept = self._hashes(view)
        fresh = [i for i, h in enumerate(kept) if h not in self._boring] if kept else []
        if kept and 10 * len(fresh) < 9 * len(kept):
            self._unlike = 0
        if kept and not fresh:
            return
        part = view.part(fresh) if kept and len(fresh) < len(kept) else view
        there = self._words.find(part.narrow, part.low)
        self._look_for_signs(part.narrow, there)
        tried: set[int] = set()
        for anchor in [a for a in self._worded if a in there]:
            candidates = self._worded[anchor]
            if part is view:  # all of the block is known: what is not in it need not be tried
                candidates = [s for s in candidates if self._complete(s, there)]
            if not candidates:
                continue
            indexes = part.indexes(there[anchor])
            spans = view.spans(indexes if part is view else [fresh[i] for i in indexes])
            open_ = self._try_anchor(view, anchor, self._worded, spans, candidates)
            tried.update(i for i, was in zip(indexes, open_, strict=True) if was)
        if len(self._boring) > MAX_BORING:
            self._boring.clear()
        self._boring.update(kept[i] for n, i in enumerate(fresh) if n not in tried)

    def _hashes(self, view: View) -> list[int]:
        """A number for each line without its digits; none where lines do not repeat themselves."""
        self._unlike += 1
        if self._unlike > UNLIKE and self._unlike % RETRY:
            return []
        bare = view.low.encode("utf-8", "replace").translate(None, b"0123456789")
        return list(map(hash, bare.split(b"\n")))

    def _look_for_signs(self, low: str, there: Collection[str]) -> None:
        if not self.result.platform:
            numbered = (s for s in SIGNS if _DIGIT.search(s))
            worded = any(s in there for s in SIGNS)
            self.result.platform = worded or any(sign in low for sign in numbered)

    def _complete(self, signature: Signature, there: Collection[str]) -> bool:
        """Whether everything a signature needs may be somewhere in the block."""
        known = self._words.texts
        loose = signature.needs.loose
        return all(
            any(text in there or text not in known or text in loose for text in group)
            for group in signature.needs.also
        )

    def _try_anchor(
        self,
        view: View,
        anchor: str,
        table: dict[str, list[Signature]],
        spans: list[tuple[int, int]],
        candidates: list[Signature] | None = None,
    ) -> list[bool]:
        """Try the patterns of an anchor on lines that hold it.

        Tells for each line whether another line with other numbers could still match.
        """
        live = [s for s in candidates or table[anchor] if self._spent.get(s.fault, 0) < MAX_HITS]
        if not live:  # more of the same teaches nothing
            if all(self._spent.get(s.fault, 0) >= MAX_HITS for s in table[anchor]):
                del table[anchor]
            return [False] * len(spans)
        tried = []
        for start, end in spans:
            low = view.low[start : min(end, start + MAX_LINE)]
            joined, open_ = view.joined(start), False
            for signature in live:
                possible = signature.possible(low)
                if possible or joined:  # most lines that hold an anchor are neither
                    open_ = self._try_line(view, start, low, signature, possible) or open_
            tried.append(open_)
        return tried

    def _try_line(
        self, view: View, start: int, low: str, signature: Signature, possible: bool
    ) -> bool:
        found = signature.pattern.search(view.text[start : start + len(low)]) if possible else None
        if found is None and self._joinable(view, start, len(low), signature):
            message = self._message(view, view.index(start))
            possible = possible or signature.possible(message.lower())
            found = signature.pattern.search(message) if possible else None
        if found is not None:
            self._keep(view, view.index(start), signature, found)
        return possible

    def _joinable(self, view: View, start: int, length: int, signature: Signature) -> bool:
        """Whether it is worth while to look at the whole message that the line is part of."""
        used = self._messages.get(signature.key, 0)
        looked = self._looked.get(signature.key, 0)
        if used >= MAX_MESSAGES or looked >= MAX_LOOKED or not view.joined(start):
            return False
        self._looked[signature.key] = looked + 1
        if not signature.possible(view.low[max(0, start - NEAR) : start + length + NEAR]):
            return False
        self._messages[signature.key] = used + 1
        return True

    def _keep(self, view: View, index: int, signature: Signature, found: re.Match[str]) -> None:
        """Note a match; several patterns of a fault on one line count once."""
        fault = signature.fault
        who = self._owner(view, index)
        hit = self._hit(fault, view, index, who)
        for name, value in found.groupdict().items():
            if value:
                hit.parameters.setdefault(name, value.strip(" .,;:'\"`“”"))
        key = (view.source, view.number(index), fault)
        if key in self._seen:
            return
        self._seen.add(key)
        self._spent[fault] = self._spent.get(fault, 0) + 1
        hit.count += 1
        hit.evidence.append(view.evidence(index))
        hit.evidence.sort(key=lambda e: (self.result.sources.index(e.source), e.number))
        del hit.evidence[MAX_EVIDENCE:]

    def _message(self, view: View, index: int) -> str:
        """The message of several lines that a line belongs to."""
        if index == 0 and self._tail:
            return message_at([*self._tail, view.kept[0]], len(self._tail))
        return message_at(view.kept, index)

    def _owner(self, view: View, index: int) -> Header:
        who = owner(view.kept, index)
        if not who.process and self._tail and index < len(self._tail):
            above = owner(self._tail, len(self._tail) - 1)
            who = Header(above.process, above.thread, who.time or above.time, who.level, who.module)
        if who.process:
            self.result.processes.setdefault(who.process)
        return who

    def _order(self, view: View, index: int, time: str) -> tuple[str, int, int]:
        """Lines of one file keep their order; files are put in the order of their times."""
        source = self.result.sources.index(view.source)
        moment = time if len(time) > 12 and self.many else self._source_time if self.many else ""
        return (moment, source, view.number(index))

    def _hit(self, fault: str, view: View, index: int, who: Header) -> Hit:
        key = (fault, who.process)
        order = self._order(view, index, who.time)
        hit = self.result.hits.get(key)
        if hit is None:
            hit = self.result.hits[key] = Hit(fault, who.process, order, who.time)
        elif order < hit.order:  # anchors are tried one after the other, lines are not
            hit.order, hit.time = order, who.time
        return hit

    def _errors(self, view: View) -> None:
        wanted = len(self.result.earliest) < MAX_EARLIEST
        if not wanted and self._code_lines >= MAX_CODE_LINES:
            return
        for index in view.errorish(MAX_CODE_LINES - self._code_lines + MAX_EARLIEST):
            line = view.kept[index][:MAX_LINE]
            if len(self.result.earliest) < MAX_EARLIEST:
                head = header(line)
                if head is None or head.level not in _QUIET_LEVELS:
                    self.result.earliest.append(view.evidence(index))
            if self._code_lines >= MAX_CODE_LINES:
                break
            self._code_lines += 1
            for text in codes_in(line):
                self._code(text, view, index)

    def _code(self, text: str, view: View, index: int) -> None:
        entry = catalogue.find(text) or catalogue.stranger(text)
        if entry is None or entry.code == "0":
            return
        if entry.number is None and text in catalogue.entries():
            if text[1].isdigit():
                self.result.codes_like += 1
            else:  # nobody else has such codes
                self.result.platform = True
        seen = self.result.codes.get(entry.code)
        if seen is None:
            if len(self.result.codes) >= MAX_CODES:
                return
            name = entry.names[0] if entry.names else ""
            first = view.evidence(index)
            self.result.codes[entry.code] = CodeSeen(entry.code, name, entry.meaning, first, 1)
            who = self._owner(view, index)
            order = self._order(view, index, who.time)
            self.result.code_orders[entry.code] = (order, who.process)
            return
        again = CodeSeen(seen.code, seen.name, seen.meaning, seen.first, seen.count + 1)
        self.result.codes[entry.code] = again


def codes_in(line: str) -> Iterator[str]:
    """The texts in a line that stand where an error code stands."""
    for match in _MESSAGE_CODE.finditer(line):
        before = line[match.start() - 1 : match.start()]
        if not before.isalnum() and before not in ("_", "#"):
            yield match[0]
    for match in _NUMBER.finditer(line):
        if match[1] != "-1" or "ge result" in line or "GRAPH_FAILED" in line:
            yield match[1]
    for match in _BRACKETED.finditer(line):
        yield match[1]
    for match in _NAMED.finditer(line):
        yield match[0]
