"""Named constants of a header set: object-like macros and `const`/`constexpr` values."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec import Struct

from preflight.errors import MalformedInput
from preflight.registry.cpp_tokens import Token, TokenStream, stringify

_Body = tuple[Token, ...]
_MAX_EXPANSIONS = 256
MAX_ITEMS = 65_536
_MAX_DECLARATION = 64  # tokens between `const` and `=`


class Constants(Struct, frozen=True):
    """What names mean in one header: macros and constants, name to replacement tokens.

    `unclear` are names that the header set defines in more than one way; using one is refused.
    """

    known: Mapping[str, tuple[Token, ...]]
    unclear: frozenset[str] = frozenset()

    def lookup(self, name: str) -> tuple[Token, ...] | None:
        """The replacement for a name, None when the header set does not define it."""
        if name in self.unclear:
            raise MalformedInput(f"'{name}' is defined in more than one way")
        return self.known.get(name)


def expand(tokens: Sequence[Token], constants: Constants) -> list[Token]:
    """Replace named constants until none is left; a name is not expanded inside itself."""
    pending = [(t, frozenset[str]()) for t in reversed(tokens)]
    done: list[Token] = []
    expansions = 0
    while pending:
        token, inside = pending.pop()
        body = None
        if token.kind == "name" and token.text not in inside:
            body = constants.lookup(token.text)
        if body is None:
            done.append(token)
            continue
        expansions += 1
        if expansions > _MAX_EXPANSIONS or len(done) + len(pending) > MAX_ITEMS:
            raise MalformedInput("named constants expand without end")
        pending.extend((t, inside | {token.text}) for t in reversed(body))
    return done


class ConstantTable:
    """What every header defines; a header's own definition goes before that of another one."""

    def __init__(self, streams: Mapping[str, TokenStream]) -> None:
        self._own = {name: _gather([stream]) for name, stream in streams.items()}
        self._all = _gather(streams.values())

    def seen_from(self, header: str) -> Constants:
        """The names as the text of one header means them."""
        known: dict[str, _Body] = {}
        unclear: set[str] = set()
        for name, bodies in (self._all | self._own.get(header, {})).items():
            if len(bodies) == 1:
                known[name] = next(iter(bodies.values()))
            else:
                unclear.add(name)
        return Constants(known, frozenset(unclear))


def _gather(streams: Iterable[TokenStream]) -> dict[str, dict[str, _Body]]:
    """name -> its different replacements by their text."""
    found: dict[str, dict[str, _Body]] = {}
    for stream in streams:
        for name, body in _definitions(stream):
            found.setdefault(name, {})[stringify(body)] = body
    return found


def _definitions(stream: TokenStream) -> Iterator[tuple[str, _Body]]:
    for define in stream.defines:
        if define.body:  # include guards and macros with parameters replace nothing
            yield define.name, define.body
    for place, token in enumerate(stream.tokens):
        if token.kind == "name" and token.text in ("const", "constexpr"):
            declared = _declaration(stream.tokens, place)
            if declared is not None:
                yield declared


def _declaration(tokens: Sequence[Token], place: int) -> tuple[str, _Body] | None:
    """`const int64_t NAME = value;` as (NAME, value); None when it is something else."""
    equals = place + 1
    while equals < len(tokens) and equals - place <= _MAX_DECLARATION:
        if tokens[equals].text in (";", "(", ")", "{", "}", ","):
            return None
        if tokens[equals].text == "=":
            break
        equals += 1
    else:
        return None
    name = next((t for t in reversed(tokens[place:equals]) if t.kind == "name"), None)
    end = equals + 1
    while end < len(tokens) and tokens[end].text != ";":
        end += 1
    body = tuple(tokens[equals + 1 : end])
    if name is None or not body or end >= len(tokens):
        return None
    return name.text, body if _stands_alone(body) else _bracketed(body)


def _stands_alone(body: _Body) -> bool:
    return len(body) == 1 or body[0].kind == "string" or body[0].text == "{"


def _bracketed(body: _Body) -> _Body:
    """A constant is a value, not text: brackets keep `a - b` together where it is used."""
    line = body[0].line
    return (Token("punct", "(", line), *body, Token("punct", ")", line))
