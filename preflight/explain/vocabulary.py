"""Which of many texts can be in a block, found in one pass over the block.

Every text is represented by one of its words. Words that stand at the beginning of a word of the
log are looked for all at once, by one pattern that branches letter by letter and gives up at the
first or second letter of most words; the few texts that may begin inside a word are searched one
by one.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator

MIN_PIECE = 3  # letters; shorter words are too frequent to narrow anything down
PATIENCE = 300  # places of a word in a block, after which its absent texts are sorted out
MIN_OTHER = 5  # the same for texts whose places nobody asks for
_WORD = re.compile(r"[a-z]+")
_Trie = dict[str, "_Trie"]
_END = ""


class Vocabulary:
    """Texts in lower case, and the words that speak for them."""

    def __init__(
        self, texts: Iterable[str], others: Iterable[str] = (), inside: Collection[str] = ()
    ) -> None:
        """Where one of `texts` stands is told, of `others` only whether they are there, and that
        only where it costs nothing. `inside` names those that may begin in the middle of a word.
        """
        self._placed = frozenset(texts)
        self._searched: list[str] = []
        pieces: dict[str, list[tuple[str, int]]] = {}
        for text in sorted(self._placed.union(others)):
            piece, at = _piece(text, inside=text in inside)
            if piece and (text in self._placed or len(piece) >= MIN_OTHER):
                pieces.setdefault(piece, []).append((text, at))
            elif text in self._placed:
                self._searched.append(text)
        self.texts = frozenset([*(t for ts in pieces.values() for t, _ in ts), *self._searched])
        # A longer word of the pattern may hide a shorter one at the same place.
        self._pieces = {
            piece: [pair for p in pieces if piece.startswith(p) for pair in pieces[p]]
            for piece in pieces
        }
        self._pattern = re.compile("[^a-z](" + _branches(_trie(pieces)) + ")")

    def find(self, narrow: str, low: str) -> dict[str, list[int]]:
        """Which texts are in a block of lower case text, and where they begin (all places of
        `texts`, one of `others`). `narrow` is the block with other characters in place of those
        beyond Latin 1.
        """
        found: dict[str, list[int]] = {}
        asked = dict(self._pieces)
        patience = dict.fromkeys(asked, PATIENCE)
        shifted = "\n" + narrow
        for match in self._pattern.finditer(shifted):
            piece = match[1]
            pairs = asked[piece]
            if not pairs:
                continue
            if len(pairs) > 2:
                patience[piece] -= 1
                if not patience[piece]:
                    pairs = asked[piece] = [p for p in pairs if p[0] in found or p[0] in shifted]
            start, answered = match.start(1), False
            for text, at in pairs:
                if start > at and shifted.startswith(text, start - at):
                    found.setdefault(text, []).append(start - at - 1)
                    answered = answered or text not in self._placed
            if answered:  # one place is enough for these
                asked[piece] = [p for p in pairs if p[0] in self._placed or p[0] not in found]
        for text in self._searched:
            places = _places(narrow if text.isascii() else low, text)
            if places:
                found[text] = places
        return found


def _places(low: str, text: str) -> list[int]:
    places, at = [], low.find(text)
    while at >= 0:
        places.append(at)
        at = low.find(text, at + 1)
    return places


def _piece(text: str, *, inside: bool) -> tuple[str, int]:
    """The longest word of a text that begins where a word of the log begins, and where in the
    text it does; empty if there is none.
    """
    if not text.isascii():
        return "", 0
    words = [m for m in _WORD.finditer(text) if m.start() > 0 or not inside]
    best = max(words, key=lambda m: m.end() - m.start(), default=None)
    if best is None or len(best[0]) < MIN_PIECE:
        return "", 0
    return best[0], best.start()


def _trie(words: Iterable[str]) -> _Trie:
    root: _Trie = {}
    for word in words:
        node = root
        for letter in word:
            node = node.setdefault(letter, {})
        node[_END] = {}
    return root


def _branches(node: _Trie) -> str:
    """A pattern for what can follow in the trie; the longest word wins."""
    options = list(_options(node))
    if not options:
        return ""
    body = options[0] if len(options) == 1 else "(?:" + "|".join(options) + ")"
    return f"(?:{body})?" if _END in node else body


def _options(node: _Trie) -> Iterator[str]:
    for letter, following in sorted(node.items()):
        if letter != _END:
            yield letter + _branches(following)
