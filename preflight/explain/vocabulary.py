"""Which of many texts can be in a block, decided from the block's set of words.

A log uses few different words. Looking hundreds of texts up among the words that are new is much
faster than searching the whole block for each of them.
"""

from __future__ import annotations

from collections.abc import Iterable

MAX_WORDS = 400_000  # remembered before starting afresh
_LETTERS = bytes(
    c if chr(c).isalnum() or c == 0x5F or c > 0x7F else 0x20 for c in range(256)
)  # all other bytes end a word


class Vocabulary:
    """Remembers for every word which of the texts it speaks for."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._pieces: dict[bytes, list[str]] = {}
        for text in texts:
            piece = max(_words(text), key=len, default="")
            self._pieces.setdefault(piece.encode(), []).append(text)
        self._known: set[bytes] = set()
        self._telling: dict[bytes, list[str]] = {}

    def possible(self, block: bytes) -> set[str]:
        """The texts that may be in the block (lower case, UTF-8); all others are not."""
        words = set(block.translate(_LETTERS).split())
        new = words - self._known
        if new:
            self._learn(new)
        found = set(self._pieces.get(b"", ()))
        for word in self._telling.keys() & words:
            found.update(self._telling[word])
        return found

    def _learn(self, new: set[bytes]) -> None:
        if len(self._known) > MAX_WORDS:
            self._known.clear()
            self._telling.clear()
        self._known |= new
        together = b" ".join(new)
        for piece, texts in self._pieces.items():
            at = together.find(piece) if piece else -1
            while at >= 0:
                end = together.find(b" ", at)
                end = len(together) if end < 0 else end
                word = together[together.rfind(b" ", 0, at) + 1 : end]
                self._telling.setdefault(word, []).extend(texts)
                at = together.find(piece, end)


def _words(text: str) -> list[str]:
    """Runs of letters as the translation of a block leaves them."""
    return [w.decode("utf-8") for w in text.encode().translate(_LETTERS).split()]
