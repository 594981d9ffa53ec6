"""Log signatures of rules: patterns that match in time proportional to the line.

Signatures run over logs that nobody has vetted, so a pattern that backtracks must not get in: no
repetition inside a repetition, no back reference, no look-around.
"""

from __future__ import annotations

import re
from re import _constants as _sre  # type: ignore[attr-defined]  # the standard parser's own names
from re import _parser  # type: ignore[attr-defined]
from typing import Any

_REPEATS = (_sre.MAX_REPEAT, _sre.MIN_REPEAT)
_REFUSED = {
    _sre.GROUPREF: "a back reference",
    _sre.GROUPREF_EXISTS: "a conditional group",
    _sre.ASSERT: "a look-around",
    _sre.ASSERT_NOT: "a look-around",
}


def signature_problem(pattern: str) -> str:
    """What is wrong with a signature, in words; empty when it may be used."""
    try:
        re.compile(pattern)
        parsed = _parser.parse(pattern)
    except re.error as error:
        return f"does not compile: {error}"
    return _problem(parsed, inside_repeat=False)


def _problem(items: Any, inside_repeat: bool) -> str:
    for operator, argument in items:
        if operator in _REFUSED:
            return f"uses {_REFUSED[operator]}"
        repeats = operator in _REPEATS and argument[1] > 1
        if repeats and inside_repeat:
            return "repeats inside a repetition"
        for branch in _branches(operator, argument):
            found = _problem(branch, inside_repeat or repeats)
            if found:
                return found
    return ""


def _branches(operator: Any, argument: Any) -> list[Any]:
    """The patterns below one item of a parsed pattern."""
    if operator in _REPEATS:
        return [argument[2]]
    if operator is _sre.SUBPATTERN:
        return [argument[3]]
    if operator is _sre.BRANCH:
        return list(argument[1])
    if operator is _sre.ATOMIC_GROUP:
        return [argument]
    return []
