"""`agree.py vectors DIR`: rows of T<n>.jsonl against the public API, one module per tier."""

from __future__ import annotations

import argparse
import importlib
import json
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

from preflight.errors import PreflightError
from tiers.tally import Tally

TIERS = ("T1", "T2", "T3", "T4", "T5", "T6", "T7")


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("dir", type=Path, help="a folder with T<n>.jsonl and the files they name")
    parser.add_argument(
        "--tier", action="append", choices=TIERS, help="only this tier (repeatable)"
    )
    parser.add_argument(
        "--release", action="append", help="only rows of this ge_version (repeatable)"
    )


def rows(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            if line.strip():
                yield json.loads(line)


def judge(module: ModuleType, row: dict[str, Any], folder: Path) -> tuple[list[str], str]:
    """The differences of one row, and why they are deliberate if they are.

    A row without a key that its tier needs, or whose file is missing, cannot agree: it is a
    difference, not the end of the run.
    """
    try:
        found = module.differences(row, folder)
        explain = getattr(module, "deliberate", None)
        return found, explain(row, folder) if found and explain else ""
    except (LookupError, ValueError, TypeError, AttributeError, OSError) as error:
        return [f"the row cannot be run: {type(error).__name__}: {error}"], ""
    except PreflightError as error:
        return [f"refused by the public API: {error.message}"], ""


def run(args: argparse.Namespace) -> Tally:
    """Each tier module has `differences(row, folder) -> list[str]`, empty when all agrees.

    A tier may also have `deliberate(row, folder) -> str`: why a difference is one on purpose.
    """
    tally = Tally()
    for tier in args.tier or TIERS:
        path = args.dir / f"{tier}.jsonl"
        if not path.exists():
            continue
        module = importlib.import_module(f"tiers.{tier.lower()}")
        for row in rows(path):
            if args.release and row.get("ge_version") not in args.release:
                continue
            group = f"{tier} {row.get('ge_version', '-')}"
            found, reason = judge(module, row, args.dir)
            if reason:
                tally.record_deliberate(group, reason)
            else:
                tally.record(group, f"{row.get('id', '?')} ({row.get('note', '')})", found)
    tally.table()
    return tally
