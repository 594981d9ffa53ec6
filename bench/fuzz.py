"""Mutate model files and demand that every outcome is a result or one clear error.

    python bench/fuzz.py [--mutations 200000] [--seed 1] [FILE…]

Without FILE the bundled samples are used, and the shared corpus where it lies beside the checkout.
This is the nightly profile; `tests/test_mutations.py` runs 2,000 of the same mutations.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tests.support.mutation import mutants, seeds, survives  # noqa: E402 (after the path is set)


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--mutations", type=int, default=200_000)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    files = args.files or seeds(ROOT)
    failures = 0
    started = time.monotonic()
    for done, (name, data) in enumerate(mutants(files, args.mutations, args.seed), start=1):
        problem = survives(data)
        if problem:
            failures += 1
            print(f"FAIL {name}: {problem}")
        if done % 10_000 == 0:
            print(
                f"{done} mutants, {failures} failures, {done / (time.monotonic() - started):.0f}/s",
                file=sys.stderr,
            )
    print(f"{args.mutations - failures} passed, {failures} failed")
    return 1 if failures else 0


if __name__ == "__main__":
    raise SystemExit(main())
