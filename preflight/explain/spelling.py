"""Codes as people write them: inside a phrase, without 0x, with a letter or digit too few."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

_IN_PHRASE = re.compile(
    r"(?<![\w.-])(-?0[xX][0-9a-fA-F]{1,16}|E(?:RR[0-9]{5}|[0-9A-Z][0-9]{4})|ACL\w{3,60}_[A-Z_]{3,60}"
    r"|(?:ge::)?[A-Z]{2,30}_[A-Z_]{3,60}|-?[0-9]{5,10})(?![\w-])",
    re.IGNORECASE,
)
_BARE_HEX = re.compile(r"(?=[0-9]*[a-f])(?=[a-f]*[0-9])[0-9a-f]{5,8}", re.IGNORECASE)
_GROUPED = re.compile(r"[0-9]{1,3}(?:[ ,'][0-9]{3}){1,3}")
_CLOSE = 0.75
_BEGUN = 8  # letters after which a beginning is enough


def readings(text: str) -> Iterator[str]:
    """What a text can mean that is no code as it stands: "ret=507018", "7BC80", "507,018"."""
    bare = text.strip()
    if _GROUPED.fullmatch(bare):
        yield re.sub(r"\D", "", bare)
    if _BARE_HEX.fullmatch(bare):
        yield "0x" + bare
    for found in _IN_PHRASE.finditer(bare):
        if found[0] != bare:
            yield found[0]


def resembling(text: str, known: Mapping[str, str], limit: int) -> list[str]:
    """Codes with a letter or digit more, less or other than the text; `known` maps each way of
    writing (in small letters) to its code.
    """
    from difflib import get_close_matches

    asked = text.strip().casefold()
    begun = [way for way in known if len(asked) >= _BEGUN and way.startswith(asked)]
    close = get_close_matches(asked, list(known), n=limit + 2, cutoff=_CLOSE)
    return list(dict.fromkeys(known[way] for way in (*sorted(begun, key=len), *close)))[:limit]
