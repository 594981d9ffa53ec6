"""Where the literal texts of a pattern may begin: with a word of the log, or in the middle of one.

Texts that begin with a word are found by one pass over the log, others each by a search of its own.
"""

from __future__ import annotations

import re

_TIMES = re.compile(r"(?:[*+?]|\{[\d,]{1,9}\})\??$")
# Beginnings that words of a log have in their middle: cannot, unsupported, ConcatInferShape.
_STEMS = (
    *("not ", "support", "infershape", "alloc", "compatib", "device failed", "getdevicecount"),
    *("tiling", "operation setup"),
)
_OTHER_WORD = re.compile(r"[^a-z][a-z]{3}")  # a word beside the first, by which a text is found


def may_begin_inside(text: str, follows_letters: bool) -> bool:
    """Whether a text is to be looked for in the middle of words too. `follows_letters` says that
    the pattern allows letters in front of it; a single word is looked for at the beginning of
    words even then.
    """
    return text.startswith(_STEMS) or (follows_letters and _OTHER_WORD.search(text) is not None)


def ends_inside(pattern: str) -> bool:
    """Whether what a pattern matches may end in the middle of a word that then goes on.

    Only what stands directly in front counts: a group or `.` is taken to end where a word begins.
    """
    times = _TIMES.search(pattern)
    atom = pattern[: times.start()] if times else pattern
    if atom.endswith("]") and not atom.endswith("\\]"):
        inner = re.sub(r"\\x[0-9a-f]{2}", "", atom[atom.rfind("[") + 1 : -1])
        return not inner.startswith("^") and " " not in inner and "\\w" in inner
    if atom[-2:] in ("\\w", "\\S", "\\D"):
        return True
    if atom.endswith(")") and not atom.endswith("\\)"):
        branches = atom[atom.rfind("(") + 1 : -1].split("|")
        return any(b[-1:].isalpha() or b.endswith(("\\w", "}")) for b in branches)
    return times is not None and times[0][0] in "?*" and (atom[-1:].isalnum() or atom[-1:] in " _-")
