"""C++ text to tokens, as far as operator prototype headers need it; no compiler involved.

Follows the translation phases of the language where they can be seen in a prototype: line
continuations are removed before anything else, comments count as one space, raw string literals
keep what they contain. Directives are not tokens: conditions decide what is read, `#define`s are
collected so that defaults may name them.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from itertools import pairwise

from msgspec import Struct

from preflight.registry.cpp_conditions import Conditions

SPLICE = re.compile(r"\\[ \t]*\r?\n")

_SCAN = re.compile(
    r"""
    (?P<space>[ \t\f\v]+)
  | (?P<newline>\n)
  | (?P<line_comment>//[^\n]*)
  | (?P<comment>/\*.*?\*/)
  | (?P<open_comment>/\*)
  | (?P<raw>(?:u8|[uUL])?R"(?P<fence>[^()\\\s]{0,16})\((?P<inside>.*?)\)(?P=fence)")
  | (?P<string>(?:u8|[uUL])?"(?:\\.|[^"\\\n])*")
  | (?P<char>(?:u8|[uUL])?'(?:\\.|[^'\\\n])+')
  | (?P<number>\.?[0-9](?:[eEpP][+-]|'[0-9A-Za-z_]|[\w.])*)
  | (?P<name>[^\W\d]\w*)
  | (?P<punct>::|->|<<|>>|<=|>=|==|!=|&&|\|\||.)
    """,
    re.VERBOSE | re.DOTALL,
)

# One logical line after '#': comments may span lines, strings may hold comment marks.
_DIRECTIVE = re.compile(r'#((?://[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|[^\n])*)', re.DOTALL)
_DIRECTIVE_WORD = re.compile(r"\s*([A-Za-z_]\w*)(.*)", re.DOTALL)
_DEFINE = re.compile(r"\s*([^\W\d]\w*)(?:\(([^()]*)\))?(.*)", re.DOTALL)


class Token(Struct, frozen=True):
    """One token: `kind` is name, number, string, char or punct; `text` as it is written.

    `value` is the decoded content of a string or character literal, otherwise the text itself.
    `spaced` says whether white space or a comment stands before it.
    """

    kind: str
    text: str
    line: int
    spaced: bool = False
    value: str = ""

    def __str__(self) -> str:
        return self.text


class Define(Struct, frozen=True):
    """A `#define`. `parameters` is None where the macro takes no brackets."""

    name: str
    line: int
    body: tuple[Token, ...]
    parameters: tuple[str, ...] | None = None


class Remark(Struct, frozen=True):
    """Something in a header that could not be read, or that was left out on purpose."""

    line: int
    message: str


class TokenStream(Struct, frozen=True):
    """A header as tokens: what is active, what it defines, what was left out."""

    tokens: tuple[Token, ...]
    defines: tuple[Define, ...]
    left_out: tuple[Token, ...]  # tokens in branches that the conditions exclude
    remarks: tuple[Remark, ...]


def tokenize(text: str, predefined: Mapping[str, str] | None = None) -> TokenStream:
    """Read one header. `predefined` are macros given from outside, name to replacement text.

    Never raises on content: what cannot be read becomes a remark and reading goes on.
    """
    return _Reader(text, predefined or {}).read()


def stringify(tokens: tuple[Token, ...]) -> str:
    """The text a preprocessor makes with `#`: no leading or trailing space, inner runs as one."""
    parts: list[str] = []
    for token in tokens:
        if token.spaced and parts:
            parts.append(" ")
        parts.append(token.text)
    return "".join(parts)


class _Lines:
    """Text without continuations, and the line in the file for every offset in it."""

    def __init__(self, text: str) -> None:
        text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
        pieces = SPLICE.split(text)
        self.text = "".join(pieces)
        self.splices: list[int] = []
        offset = 0
        for piece in pieces[:-1]:
            offset += len(piece)
            self.splices.append(offset)
        self._breaks = [m.start() for m in re.finditer("\n", self.text)]

    def line(self, offset: int) -> int:
        return 1 + bisect_right(self._breaks, offset - 1) + bisect_right(self.splices, offset)

    def respliced(self, start: int, end: int) -> str:
        """The text between two offsets with its continuations put back (raw strings keep them)."""
        cuts = [s for s in self.splices if start < s <= end]
        edges = [start, *cuts, end]
        return "\\\n".join(self.text[a:b] for a, b in pairwise(edges))


class _Reader:
    def __init__(self, text: str, predefined: Mapping[str, str]) -> None:
        self.lines = _Lines(text)
        self.conditions = Conditions(predefined)
        self.tokens: list[Token] = []
        self.left_out: list[Token] = []
        self.defines = [Define(n, 0, scan_line(t, 0)) for n, t in predefined.items()]
        self.remarks: list[Remark] = []

    def read(self) -> TokenStream:
        text, offset, fresh, spaced = self.lines.text, 0, True, False
        while offset < len(text):
            if fresh and text[offset] == "#":
                offset = self._directive(offset)
                spaced = True
                continue
            match = _SCAN.match(text, offset)
            assert match is not None  # the last alternative takes any character
            kind = match.lastgroup or ""
            if kind == "open_comment":
                self._remark(offset, "a comment is not closed; the rest of the file is not read")
                break
            if kind in ("space", "comment", "line_comment", "newline"):
                fresh = kind == "newline" or (fresh and kind != "line_comment")
                spaced = True
            else:
                self._take(match, spaced)
                fresh = spaced = False
            offset = match.end()
        if self.conditions.depth:
            self._remark(len(text), "a condition (#if) is not closed at the end of the file")
        return TokenStream(
            tuple(self.tokens), tuple(self.defines), tuple(self.left_out), tuple(self.remarks)
        )

    def _take(self, match: re.Match[str], spaced: bool) -> None:
        token = make_token(match, self.lines.line(match.start()), spaced)
        if token.kind == "raw":
            inside = self.lines.respliced(*match.span("inside"))
            token = Token("string", token.text, token.line, spaced, inside)
        if token.text in ('"', "'") and self.conditions.active:
            self._remark(match.start(), f"a literal that starts with {token.text} does not end")
        (self.tokens if self.conditions.active else self.left_out).append(token)

    def _directive(self, start: int) -> int:
        match = _DIRECTIVE.match(self.lines.text, start)
        assert match is not None
        word = _DIRECTIVE_WORD.match(match.group(1))
        if word is not None:
            self._apply(word.group(1), word.group(2), start)
        return match.end()

    def _apply(self, word: str, rest: str, offset: int) -> None:
        line = self.lines.line(offset)
        if word == "define" and self.conditions.active:
            self._define(rest, line)
        elif word == "undef" and self.conditions.active:
            self.conditions.undefine(rest.strip())
            self.defines = [d for d in self.defines if d.name != rest.strip() or _has_chain(d)]
        else:
            trouble = self.conditions.step(word, [t.text for t in scan_line(rest, line)])
            if trouble:
                self.remarks.append(Remark(line, trouble))

    def _define(self, rest: str, line: int) -> None:
        match = _DEFINE.match(rest)
        if match is None:
            self.remarks.append(Remark(line, "a #define without a name"))
            return
        name, parameters, body = match.groups()
        tokens = scan_line(body, line)
        names = None if parameters is None else _parameter_names(parameters)
        self.defines.append(Define(name, line, tokens, names))
        self.conditions.define(name, [t.text for t in tokens] if names is None else [])

    def _remark(self, offset: int, message: str) -> None:
        self.remarks.append(Remark(self.lines.line(min(offset, len(self.lines.text))), message))


def _has_chain(define: Define) -> bool:
    """A macro that makes operators stays known after `#undef`: the uses before it count."""
    return any(t.text == "REG_OP" for t in define.body)


def _parameter_names(text: str) -> tuple[str, ...]:
    names = [name.strip() for name in text.split(",") if name.strip()]
    return tuple("__VA_ARGS__" if name == "..." else name for name in names)


def scan_line(text: str, line: int) -> tuple[Token, ...]:
    """The tokens of a directive's text."""
    return tuple(_scan_tokens(text, line))


def _scan_tokens(text: str, line: int) -> Iterator[Token]:
    spaced = False
    for match in _SCAN.finditer(text):
        if match.lastgroup in ("space", "comment", "line_comment", "newline"):
            spaced = True
            continue
        token = make_token(match, line, spaced)
        if token.kind == "raw":
            token = Token("string", token.text, line, spaced, match.group("inside"))
        yield token
        spaced = False


def make_token(match: re.Match[str], line: int, spaced: bool) -> Token:
    """A token from a scanner match; literals get their decoded value."""
    kind, text = match.lastgroup or "punct", match.group()
    if match.group("raw") is not None:
        kind = "raw"
    value = text
    if kind in ("string", "char"):
        quote = '"' if kind == "string" else "'"
        value = decode_escapes(text[text.index(quote) + 1 : -1])
    return Token(kind, text, line, spaced, value)


_ESCAPE = re.compile(r"\\(?:x([0-9A-Fa-f]+)|u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|([0-7]{1,3})|(.))")
_SIMPLE = {"n": "\n", "t": "\t", "r": "\r", "0": "\0", "a": "\a", "b": "\b", "f": "\f", "v": "\v"}


def decode_escapes(text: str) -> str:
    """The content of an ordinary literal: `\\n`, `\\x41`, `\\u00e9`, octal and quoted marks."""
    return _ESCAPE.sub(_decode_one, text) if "\\" in text else text


def _decode_one(match: re.Match[str]) -> str:
    for digits, base in ((1, 16), (2, 16), (3, 16), (4, 8)):
        if match.group(digits):
            code = int(match.group(digits), base)
            return chr(code) if code <= 0x10FFFF else "\ufffd"
    plain = match.group(5)
    return _SIMPLE.get(plain, plain)
