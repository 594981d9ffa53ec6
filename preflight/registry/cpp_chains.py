"""Finds REG_OP chains in a token stream and takes each into its calls; no meaning yet.

Arguments are split as the preprocessor splits them: only round brackets nest, and the last
parameter takes whatever is left, commas included.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct

from preflight.registry.cpp_tokens import Token

# call -> number of arguments; the last one takes the rest of the text. (graph/operator_reg.h)
ARGUMENTS: dict[str, int] = {
    "INPUT": 2,
    "OPTIONAL_INPUT": 2,
    "DYNAMIC_INPUT": 2,
    "OUTPUT": 2,
    "DYNAMIC_OUTPUT": 2,
    "ATTR": 3,
    "REQUIRED_ATTR": 2,
    "GRAPH": 1,
    "DYNAMIC_GRAPH": 1,
    "DATATYPE": 2,
    "INFER_SHAPE_AND_TYPE": 0,
    "OP_END": 0,
    "OP_END_FACTORY_REG": 1,
}
START = "REG_OP"
_ENDS = ("OP_END_FACTORY_REG", "OP_END")
_MAX_CALLS = 4096


class Call(Struct, frozen=True):
    """One link of a chain, `.ATTR(axis, Int, -1)`."""

    name: str
    arguments: tuple[tuple[Token, ...], ...]
    line: int


class Chain(Struct, frozen=True):
    """One REG_OP chain as it was found. `trouble` says why it could not be followed to its end."""

    op_type: str
    line: int
    calls: tuple[Call, ...]
    trouble: str = ""
    trouble_line: int = 0


def find_chains(tokens: Sequence[Token]) -> Iterator[Chain]:
    """Every REG_OP in file order, broken ones included."""
    place = 0
    while place < len(tokens):
        if tokens[place].text == START and tokens[place].kind == "name":
            chain, place = _Follower(tokens, place).follow()
            yield chain
        else:
            place += 1


class _Broken(Exception):
    """Internal: the chain cannot be followed from this token on."""

    def __init__(self, message: str, line: int) -> None:
        super().__init__(message)
        self.line = line


class _Follower:
    def __init__(self, tokens: Sequence[Token], start: int) -> None:
        self._tokens = tokens
        self._start = start
        self._at = start + 1
        self._op_type = ""
        self._calls: list[Call] = []

    def follow(self) -> tuple[Chain, int]:
        """The chain and where to go on looking."""
        line = self._tokens[self._start].line
        try:
            self._head()
            while not (self._calls and self._calls[-1].name in _ENDS):
                self._link()
        except _Broken as broken:
            chain = Chain(self._op_type, line, tuple(self._calls), str(broken), broken.line)
            return chain, self._next_start()
        return Chain(self._op_type, line, tuple(self._calls)), self._at

    def _head(self) -> None:
        names = self._brackets()
        if len(names) != 1 or names[0].kind != "name":
            raise self._broken("REG_OP needs one operator type")
        self._op_type = names[0].text

    def _link(self) -> None:
        if len(self._calls) >= _MAX_CALLS:
            raise self._broken(f"more than {_MAX_CALLS} calls")
        self._expect(".")
        token = self._current()
        if token is None or token.kind != "name":
            raise self._broken("a call is missing after '.'")
        count = ARGUMENTS.get(token.text)
        if count is None:
            raise self._broken(f"'{token.text}' is not a call of operator prototypes")
        self._at += 1
        self._calls.append(Call(token.text, split_arguments(self._brackets(), count), token.line))

    def _current(self) -> Token | None:
        token = self._tokens[self._at] if self._at < len(self._tokens) else None
        return None if token is not None and token.text == START else token

    def _expect(self, text: str) -> None:
        token = self._current()
        if token is None:
            raise self._broken("the chain does not end with OP_END_FACTORY_REG")
        if token.text != text:
            raise self._broken(f"'{text}' expected, found '{token.text}'")
        self._at += 1

    def _brackets(self) -> tuple[Token, ...]:
        """The tokens between matching round brackets."""
        self._expect("(")
        start, level = self._at, 1
        while level:
            token = self._current()
            if token is None:
                raise self._broken("a round bracket is not closed")
            level += {"(": 1, ")": -1}.get(token.text, 0) if token.kind == "punct" else 0
            self._at += 1
        return tuple(self._tokens[start : self._at - 1])

    def _broken(self, message: str) -> _Broken:
        place = min(self._at, len(self._tokens) - 1)
        return _Broken(message, self._tokens[place].line)

    def _next_start(self) -> int:
        place = self._start + 1
        while place < len(self._tokens) and self._tokens[place].text != START:
            place += 1
        return place


def split_arguments(tokens: tuple[Token, ...], count: int) -> tuple[tuple[Token, ...], ...]:
    """At most `count` arguments; fewer when there are fewer commas outside round brackets."""
    if not tokens:
        return ()
    found: list[tuple[Token, ...]] = []
    start = level = 0
    for place, token in enumerate(tokens):
        if token.kind != "punct":
            continue
        level += {"(": 1, ")": -1}.get(token.text, 0)
        if token.text == "," and not level and len(found) + 1 < count:
            found.append(tokens[start:place])
            start = place + 1
    found.append(tokens[start:])
    return tuple(found)
