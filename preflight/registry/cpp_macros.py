"""Macro expansion: named constants in defaults, and macros that stand for pieces of a chain."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import pairwise

from msgspec import Struct

from preflight.errors import MalformedInput
from preflight.registry.cpp_chains import ARGUMENTS, START
from preflight.registry.cpp_tokens import Remark, Token, scan_line, stringify

MAX_ITEMS = 65_536
_MAX_EXPANSIONS = 4096
REST = "__VA_ARGS__"


class Macro(Struct, frozen=True):
    """What a name stands for; `parameters` None where it takes no brackets."""

    body: tuple[Token, ...]
    parameters: tuple[str, ...] | None = None


Lookup = Callable[[str], Macro | None]


def expand(tokens: Sequence[Token], lookup: Lookup) -> list[Token]:
    """Replace names until none is left; a name is not expanded inside itself.

    Raises MalformedInput when that has no end, or when the arguments of a macro do not fit.
    """
    pending = [(t, frozenset[str]()) for t in reversed(tokens)]
    done: list[Token] = []
    expansions = 0
    while pending:
        token, inside = pending.pop()
        macro = None
        if token.kind == "name" and token.text not in inside:
            macro = lookup(token.text)
        if macro is None or (macro.parameters is not None and not _opens(pending)):
            done.append(token)
            continue
        expansions += 1
        if expansions > _MAX_EXPANSIONS or len(done) + len(pending) > MAX_ITEMS:
            raise MalformedInput("named constants expand without end")
        body: Sequence[Token] = macro.body
        if macro.parameters is not None:
            body = _substitute(token, macro, _arguments(token, pending))
        pending.extend((t, inside | {token.text}) for t in reversed(body))
    return done


def _opens(pending: Sequence[tuple[Token, frozenset[str]]]) -> bool:
    return bool(pending) and pending[-1][0].text == "("


def _arguments(name: Token, pending: list[tuple[Token, frozenset[str]]]) -> list[tuple[Token, ...]]:
    """Takes `( … )` off the pending tokens: the arguments, split at commas outside brackets."""
    pending.pop()
    found: list[tuple[Token, ...]] = []
    current: list[Token] = []
    level = 1
    while pending:
        token, _ = pending.pop()
        level += {"(": 1, ")": -1}.get(token.text, 0) if token.kind == "punct" else 0
        if not level:
            return [*found, tuple(current)]
        if token.text == "," and token.kind == "punct" and level == 1:
            found.append(tuple(current))
            current = []
        else:
            current.append(token)
    raise MalformedInput(f"the brackets of the macro '{name.text}' are not closed")


def _substitute(name: Token, macro: Macro, given: list[tuple[Token, ...]]) -> list[Token]:
    """The body with parameters replaced, `#` and `##` carried out."""
    values = _values(name, macro.parameters or (), given)
    result: list[Token] = []
    body, place = macro.body, 0
    while place < len(body):
        token = body[place]
        following = body[place + 1] if place + 1 < len(body) else None
        if token.text == "#" and following is not None and following.text == "#":
            place += 2
            right = _replaced(body[place], values) if place < len(body) else ()
            result[-1:] = _paste(result[-1:], right)
        elif token.text == "#" and following is not None and following.text in values:
            text = stringify(values[following.text])
            result.append(Token("string", f'"{text}"', name.line, token.spaced, text))
            place += 1
        else:
            result.extend(_replaced(token, values))
        place += 1
    return result


def _values(
    name: Token, parameters: tuple[str, ...], given: list[tuple[Token, ...]]
) -> dict[str, tuple[Token, ...]]:
    if parameters and parameters[-1] == REST:
        fixed = len(parameters) - 1
        rest: list[Token] = []
        for number, argument in enumerate(given[fixed:]):
            rest += ([Token("punct", ",", name.line)] if number else []) + list(argument)
        given = [*given[:fixed], tuple(rest)]
    if not parameters and given == [()]:
        given = []
    if len(given) != len(parameters):
        raise MalformedInput(
            f"the macro '{name.text}' takes {len(parameters)} arguments, not {len(given)}"
        )
    return dict(zip(parameters, given, strict=True))


def _replaced(token: Token, values: Mapping[str, tuple[Token, ...]]) -> tuple[Token, ...]:
    return values.get(token.text, (token,)) if token.kind == "name" else (token,)


def _paste(left: Sequence[Token], right: Sequence[Token]) -> list[Token]:
    if not left or not right:
        return [*left, *right]
    joined = scan_line(left[-1].text + right[0].text, left[-1].line)
    return [*joined, *right[1:]]


def chain_macros(macros: Mapping[str, Macro]) -> dict[str, Macro]:
    """The macros that stand for a chain or a piece of one, directly or through another macro."""
    found = {name: m for name, m in macros.items() if _has_chain_piece(m.body)}
    for word in (START, *ARGUMENTS):
        found.pop(word, None)  # the header that defines the chain's own words
    while True:
        more = {
            name: macro
            for name, macro in macros.items()
            if name not in found and any(t.text in found for t in macro.body)
        }
        if not more:
            return found
        found |= more


def _has_chain_piece(body: tuple[Token, ...]) -> bool:
    if any(t.text == START for t in body):
        return True
    if len(body) > 1 and body[0].text in ARGUMENTS and body[1].text == "(":
        return True  # another name for a call: `.CUST_OP_END_FACTORY_REG(X)`
    return any(a.text == "." and b.text in ARGUMENTS for a, b in pairwise(body))


def expand_chains(
    tokens: Sequence[Token], macros: Mapping[str, Macro]
) -> tuple[list[Token], list[Remark]]:
    """Tokens with chain macros replaced; each piece has the line where the macro is used."""
    result: list[Token] = []
    remarks: list[Remark] = []
    place = 0
    while place < len(tokens):
        token = tokens[place]
        macro = macros.get(token.text) if token.kind == "name" else None
        end = place + 1 if macro is None else _use_end(tokens, place, macro)
        if macro is None or (macro.parameters is not None and end == place + 1):
            result.append(token)
        else:
            try:
                pieces = expand(tokens[place:end], macros.get)
                result.extend(_at_line(pieces, token.line))
            except MalformedInput as error:
                remarks.append(Remark(token.line, error.message))
        place = end
    return result, remarks


def _use_end(tokens: Sequence[Token], place: int, macro: Macro) -> int:
    """Where the use of a macro ends: behind its brackets if it takes any."""
    end = place + 1
    if macro.parameters is None or end >= len(tokens) or tokens[end].text != "(":
        return end
    level = 0
    while end < len(tokens):
        level += {"(": 1, ")": -1}.get(tokens[end].text, 0)
        end += 1
        if not level:
            break
    return end


def _at_line(tokens: Iterable[Token], line: int) -> list[Token]:
    return [Token(t.kind, t.text, line, t.spaced, t.value) for t in tokens]
