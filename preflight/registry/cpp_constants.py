"""Named constants of a header set: macros, `const`/`constexpr` values and enumerators."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from preflight.errors import MalformedInput
from preflight.registry.cpp_macros import Macro
from preflight.registry.cpp_tokens import SPLICE, Token, TokenStream, stringify

_Body = tuple[Token, ...]
_Meanings = dict[str, Macro]  # by the text of the replacement: more than one is unclear
_MAX_DECLARATION = 64  # tokens between `const` and `=`


class HeaderSet:
    """The texts of all headers; each becomes tokens when somebody needs them."""

    def __init__(self, texts: Mapping[str, str], reader: Callable[[str], TokenStream]) -> None:
        self.texts = texts
        self._joined = {name: SPLICE.sub("", text) for name, text in texts.items()}
        self._reader = reader
        self._streams: dict[str, TokenStream] = {}
        self._constants: dict[str, dict[str, _Meanings]] = {}

    def mention(self, words: Iterable[str]) -> list[str]:
        """The headers whose text has any of the words somewhere: only these need be read."""
        pattern = re.compile("|".join(map(re.escape, words)) or "(?!)")
        return [name for name, text in self._joined.items() if pattern.search(text)]

    def stream(self, header: str) -> TokenStream:
        """The tokens of one header."""
        if header not in self._streams:
            self._streams[header] = self._reader(self.texts[header])
        return self._streams[header]

    def constants(self, header: str) -> dict[str, _Meanings]:
        """What one header defines, by name."""
        if header not in self._constants:
            found: dict[str, _Meanings] = {}
            for name, macro in _definitions(self.stream(header)):
                key = f"{macro.parameters}{stringify(macro.body)}"
                found.setdefault(name, {})[key] = macro
            self._constants[header] = found
        return self._constants[header]


class Constants:
    """What names mean in one header: its own definitions go before those of the other headers."""

    def __init__(self, headers: HeaderSet, header: str) -> None:
        self._headers = headers
        self._header = header
        self._known: dict[str, Macro | None] = {}

    def lookup(self, name: str) -> Macro | None:
        """What a name stands for, None when the header set does not define it.

        Raises MalformedInput for a name that other headers define in more than one way: which of
        them is included cannot be told.
        """
        if name not in self._known:
            own = self._headers.constants(self._header).get(name)
            meanings = own or self._elsewhere(name)
            if len(meanings) > 1:
                raise MalformedInput(f"'{name}' is defined in more than one way")
            self._known[name] = next(iter(meanings.values()), None)
        return self._known[name]

    def _elsewhere(self, name: str) -> _Meanings:
        found: _Meanings = {}
        for header in self._headers.mention([name]):
            found |= self._headers.constants(header).get(name, {})
        return found


def _definitions(stream: TokenStream) -> Iterator[tuple[str, Macro]]:
    for define in stream.defines:
        if define.body:  # include guards replace nothing
            yield define.name, Macro(define.body, define.parameters)
    for place, token in enumerate(stream.tokens):
        if token.kind != "name":
            continue
        if token.text in ("const", "constexpr"):
            declared = _declaration(stream.tokens, place)
            if declared is not None:
                yield declared
        elif token.text == "enum":
            yield from _enumerators(stream.tokens, place)


def _declaration(tokens: Sequence[Token], place: int) -> tuple[str, Macro] | None:
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
    return name.text, Macro(body if _stands_alone(body) else _bracketed(body))


def _enumerators(tokens: Sequence[Token], place: int) -> Iterator[tuple[str, Macro]]:
    """`enum E { A = 1, B };` as (A, 1), (B, 1 + 1)."""
    at = place + 1
    while at < len(tokens) and tokens[at].text not in ("{", ";", "}", ")", "="):
        at += 1
    if at >= len(tokens) or tokens[at].text != "{":
        return
    base: _Body = (Token("number", "0", tokens[at].line),)
    beyond = 0  # how far behind the last stated value
    at += 1
    while at + 1 < len(tokens) and tokens[at].kind == "name":
        name, at = tokens[at].text, at + 1
        if tokens[at].text == "=":
            end = _end_of_value(tokens, at + 1)
            base, beyond, at = tuple(tokens[at + 1 : end]), 0, end
        if not base or at >= len(tokens):
            return
        line = tokens[at].line
        step = (Token("punct", "+", line), Token("number", str(beyond), line)) if beyond else ()
        yield name, Macro(_bracketed((*_bracketed(base), *step)))
        beyond += 1
        if tokens[at].text != ",":
            return
        at += 1


def _end_of_value(tokens: Sequence[Token], start: int) -> int:
    level, at = 0, start
    while at < len(tokens):
        text = tokens[at].text
        if not level and text in (",", "}"):
            break
        level += {"(": 1, ")": -1}.get(text, 0)
        at += 1
    return at


def _stands_alone(body: _Body) -> bool:
    return len(body) == 1 or body[0].kind == "string" or body[0].text == "{"


def _bracketed(body: _Body) -> _Body:
    """A constant is a value, not text: brackets keep `a - b` together where it is used."""
    line = body[0].line
    return (Token("punct", "(", line), *body, Token("punct", ")", line))
