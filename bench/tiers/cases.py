"""`agree.py cases FILE.jsonl`: error reports against log explanation.

A row has `id`, `category` and `lines` (quoted) or `lines_paraphrased`. A case agrees when the first
cause is of its category, by the categories of the fault manifests and the table cases_map.toml
beside this script. Quoted and paraphrased cases are counted apart.
"""

from __future__ import annotations

import argparse
import json
import tomllib
from collections import defaultdict
from pathlib import Path
from typing import Any

from preflight import api
from tiers.tally import Tally

_MAP = Path(__file__).with_name("cases_map.toml")


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", type=Path, help="reports, one JSON object a line")
    parser.add_argument(
        "--perturb", action="store_true", help="change paths, ids, numbers and line order first"
    )
    parser.add_argument("--seed", type=int, default=1)


def load_map() -> dict[str, set[str]]:
    """category of a report -> categories of causes that answer it, besides the same name."""
    table = tomllib.loads(_MAP.read_text(encoding="utf-8"))["accepts"]
    return {name: set(values) for name, values in table.items()}


def run(args: argparse.Namespace) -> Tally:
    """Print misses as they are found, then top-1 and top-3 by category for each kind of case."""
    accepts = load_map()
    tally = Tally()
    scores: dict[str, dict[str, list[int]]] = {}
    for row in _rows(args.file):
        kind = "quoted" if row.get("lines") else "paraphrased"
        lines = row.get("lines") or row.get("lines_paraphrased") or []
        if args.perturb:
            from tiers.perturb import perturb

            lines = perturb(lines, f"{args.seed}/{row.get('id', '')}")
        got = [c.fault.category for c in api.explain_text("\n".join(lines)).causes]
        wanted = {row["category"], *accepts.get(row["category"], set())}
        top1, top3 = got[:1] != [] and got[0] in wanted, bool(wanted & set(got))
        group = scores.setdefault(kind, defaultdict(lambda: [0, 0, 0]))
        group[row["category"]] = [
            a + b for a, b in zip(group[row["category"]], (1, top1, top3), strict=True)
        ]
        if kind == "quoted":
            miss = [] if top1 else [f"{row['category']} wanted, got {got or 'no cause'}"]
            tally.record(kind, str(row.get("id", "?")), miss)
        elif not top1:
            print(f"MISS {kind} {row.get('id', '?')}: {row['category']} wanted, got {got}")
    for kind, group in scores.items():
        _table(kind, group)
    return tally


def _rows(path: Path) -> list[dict[str, Any]]:
    text = path.read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines() if line.strip()]


def _table(kind: str, group: dict[str, list[int]]) -> None:
    width = max(map(len, group))
    print(f"\n{kind:<{width}}  cases  top-1  top-3")
    for category, (cases, top1, top3) in sorted(group.items()):
        print(f"{category:<{width}}  {cases:>5}  {top1:>5}  {top3:>5}")
    cases, top1, top3 = (sum(column) for column in zip(*group.values(), strict=True))
    print(
        f"{'all':<{width}}  {cases:>5}  {top1:>5}  {top3:>5}"
        f"  ({top1 / cases:.0%} top-1, {top3 / cases:.0%} top-3)"
    )
