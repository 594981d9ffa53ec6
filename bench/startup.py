"""CPU of `preflight check` on a small model against importing its two libraries.

    python bench/startup.py [--runs 15]

Prints both medians and their ratio, from the same run on the same machine; the project's bar is a
ratio of at most 2.5 (exit 1 above it). The first call, which may fill the rule cache, is not counted.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BAR = 2.5
# Both sides run from compiled files, as after an installation: without this, an environment that
# forbids writing them would measure Python's compiler on our side only.
ENVIRONMENT = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}


def cpu_seconds(argv: list[str]) -> float:
    """User and system time of one finished child."""
    process = subprocess.Popen(
        argv, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=ENVIRONMENT
    )
    _, _, usage = os.wait4(process.pid, 0)
    process.returncode = 0
    return usage.ru_utime + usage.ru_stime


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--runs", type=int, default=15)
    parser.add_argument("--model", default=str(ROOT / "samples" / "resnet_static_310P3.om"))
    parser.add_argument("--target", default="8.1.RC1/Ascend310P3/linux-aarch64")
    args = parser.parse_args()
    command = str(Path(sys.executable).parent / "preflight")
    check = [command, "check", args.model, "--target", args.target]
    base = [sys.executable, "-c", "import typer, google.protobuf"]
    cpu_seconds(check), cpu_seconds(base)
    pairs = [(cpu_seconds(check), cpu_seconds(base)) for _ in range(args.runs)]
    ours, theirs = (statistics.median(side) for side in zip(*pairs, strict=True))
    print(f"preflight check   {ours * 1000:7.1f} ms CPU (median of {args.runs})")
    print(f"import libraries  {theirs * 1000:7.1f} ms CPU")
    print(f"ratio {ours / theirs:.2f} (bar {BAR})")
    return 0 if ours / theirs <= BAR else 1


if __name__ == "__main__":
    raise SystemExit(main())
