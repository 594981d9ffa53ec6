"""How anybody measures the reader and the rules: run a folder, print every disagreement.

    python bench/agree.py vectors DIR [--tier T5] [--release master]
    python bench/agree.py corpus DIR
    python bench/agree.py registries DIR [--changes FILE]
    python bench/agree.py headers DIR --registry DIR
    python bench/agree.py cases FILE.jsonl
    python bench/agree.py plans DIR

Each kind lives in a module of its own below `bench/tiers/` and calls the public API only; nothing
here decides anything. The last line has the counts; the exit code is 0 only when all agree.
"""

from __future__ import annotations

import argparse
import importlib
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
sys.path.insert(0, str(Path(__file__).resolve().parent))

KINDS = ("vectors", "corpus", "registries", "headers", "cases", "plans")


def main(argv: list[str] | None = None) -> int:
    """Dispatch to `bench/tiers/<kind>.py`, whose `configure(parser)` and `run(args)` do the work."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    kinds = parser.add_subparsers(dest="kind", required=True)
    wanted = next((a for a in (argv or sys.argv[1:]) if a in KINDS), None)
    modules = {}
    for kind in KINDS:
        sub = kinds.add_parser(kind)
        if kind == wanted:
            modules[kind] = importlib.import_module(f"tiers.{kind}")
            modules[kind].configure(sub)
    args = parser.parse_args(argv)
    tally = modules[args.kind].run(args)
    print(tally.last_line())
    return 0 if tally.disagreed == 0 and tally.agreed > 0 else 1


if __name__ == "__main__":
    raise SystemExit(main())
