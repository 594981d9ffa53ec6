"""Conditional compilation: which lines of a header are read.

Only macros that the header itself defines (or that are given from outside) are known; an unknown
name is undefined, as for a compiler that was given nothing else. Conditions on unknown functions
of the compiler (`__has_include`) cannot be decided and count as false, with a remark.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from preflight.errors import MalformedInput
from preflight.registry.cpp_expressions import evaluate

_BUILTIN = {"__cplusplus": ["201703L"], "__linux__": ["1"], "__GNUC__": ["9"]}
_MAX_DEPTH = 200
_MAX_EXPANSIONS = 1000


@dataclass(slots=True)
class _Level:
    active: bool  # this branch is read
    taken: bool  # an earlier branch, or this one, was read
    outer: bool  # the surrounding text is read


class Conditions:
    """The stack of open conditions, fed with directives in file order."""

    def __init__(self, predefined: Mapping[str, str]) -> None:
        self._macros: dict[str, Sequence[str]] = dict(_BUILTIN)
        for name, text in predefined.items():
            self._macros[name] = text.split()
        self._levels: list[_Level] = []

    @property
    def active(self) -> bool:
        """Whether the text here is read."""
        return not self._levels or self._levels[-1].active

    @property
    def depth(self) -> int:
        """How many conditions are open."""
        return len(self._levels)

    def define(self, name: str, body: Sequence[str]) -> None:
        """Note a macro that later conditions may ask for."""
        self._macros[name] = body

    def undefine(self, name: str) -> None:
        """Forget a macro."""
        self._macros.pop(name, None)

    def step(self, word: str, words: Sequence[str]) -> str:
        """Apply one directive; returns what is wrong with it, empty when nothing is."""
        if word in ("if", "ifdef", "ifndef"):
            return self._open(word, words)
        if word in ("elif", "elifdef", "elifndef", "else", "endif"):
            return self._continue(word, words)
        return ""  # include, pragma, error, line: nothing to decide

    def _open(self, word: str, words: Sequence[str]) -> str:
        if len(self._levels) >= _MAX_DEPTH:
            return f"conditions are nested deeper than {_MAX_DEPTH}"
        outer = self.active
        holds, trouble = self._holds(word, words) if outer else (False, "")
        self._levels.append(_Level(outer and holds, holds, outer))
        return trouble

    def _continue(self, word: str, words: Sequence[str]) -> str:
        if not self._levels:
            return f"#{word} without #if"
        level = self._levels[-1]
        if word == "endif":
            self._levels.pop()
            return ""
        if not level.outer:
            return ""
        holds, trouble = True, ""
        if word != "else" and not level.taken:
            holds, trouble = self._holds(word.removeprefix("el"), words)
        level.active = holds and not level.taken
        level.taken = level.taken or holds
        return trouble

    def _holds(self, word: str, words: Sequence[str]) -> tuple[bool, str]:
        if word in ("ifdef", "ifndef"):
            if len(words) < 1:
                return False, f"#{word} without a name"
            return (words[0] in self._macros) == (word == "ifdef"), ""
        try:
            return bool(evaluate(self._expand(words))), ""
        except MalformedInput as error:
            return False, f"condition not understood, counted as false: {error.message}"

    def _expand(self, words: Sequence[str]) -> list[str]:
        """Replace `defined X` and macros; names that are left count as 0."""
        pending, done, steps = list(reversed(words)), list[str](), 0
        while pending:
            steps += 1
            if steps > _MAX_EXPANSIONS:
                raise MalformedInput("macros expand without end")
            word = pending.pop()
            if word == "defined":
                bracket = bool(pending) and pending[-1] == "("
                if bracket:
                    pending.pop()
                name = pending.pop() if pending else ""
                if bracket and pending:
                    pending.pop()
                done.append("1" if name in self._macros else "0")
            elif word in self._macros:
                pending.extend(reversed(self._macros[word]))
            elif word in ("true", "false"):
                done.append("1" if word == "true" else "0")
            elif word.isidentifier():
                if pending and pending[-1] == "(":
                    raise MalformedInput(f"'{word}' is not known")
                done.append("0")
            else:
                done.append(word)
        return done
