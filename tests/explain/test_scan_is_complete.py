"""The fast scan finds what trying every pattern on every line finds."""

from __future__ import annotations

import json
from pathlib import Path

from preflight.explain.reading import Block
from preflight.explain.scan_log import Scanner
from preflight.explain.signatures import by_anchor

DATA = Path(__file__).resolve().parents[2] / "bench" / "data"
# A word that begins inside another one is no word of its own: SetOpWaitTimeout is no HCCL timeout.
DELIBERATE = {("T02", "EX510")}


def test_every_match_of_a_pattern_is_found() -> None:
    signatures = [s for found in by_anchor(None).values() for s in found]
    missed, matched = set(), 0
    for path in sorted(DATA.glob("*.jsonl")):
        for row in map(json.loads, path.read_text(encoding="utf-8").splitlines()):
            lines = row["lines"]
            text = "\n".join(lines) + "\n"
            scanner = Scanner()
            scanner.feed([Block("log", text, 1, len(text.encode()))])
            got = {fault for fault, _ in scanner.result.hits}
            wanted = {s.fault for s in signatures for line in lines if s.pattern.search(line)}
            matched += len(wanted)
            missed |= {(row["id"], fault) for fault in wanted - got}
    assert matched > 300
    assert missed == DELIBERATE
