"""Speed and memory of log explanation, beside plainly reading the same lines.

    python bench/logs.py [--mb 100]

Makes three logs of that size in a temporary file (plog lines at every level, warnings and errors
only, and text in which nearly every word is new), each with one fault in the middle, explains them
and prints megabytes per second of CPU time, the ratio to reading the lines, and the peak of memory.
Exit code 1 when a fault was not found.
"""

from __future__ import annotations

import argparse
import random
import resource
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from preflight import api

_MODULES = ("GE", "RUNTIME", "FE", "HCCL", "ASCENDCL", "TEFUSION", "DRV", "PROFILING")
_TEXTS = (
    "process node Default/network-Model/layers-{a}/MatMul-op{b} shape [1,{a},768] format ND ok",
    "malloc {b} bytes at 0x12c0{b:08x} for stream {a}",
    "Set attr _composite_engine_kernel_lib_name of node {b} to AIcoreEngine",
    "task sink success, stream {a}, task {b}, cost {a} us",
    "GetWorkspace of aclnnMatmul: {b}, tiling key {a}",
)
_FAULT = (
    "[ERROR] GE(4711,python):2024-05-06-10:11:12.123.456 [model_helper.cc:1200]4712 CheckOpp: "
    "The opp version of the model does not match the current opp run package, Model is "
    "[6.4.12.1.241], opp run package is [7.7.0.1.238], try to convert the om again!\n"
)
NOVEL = "novel"
LEVELS = {
    "info": (("INFO", 60), ("DEBUG", 25), ("EVENT", 5), ("WARNING", 8), ("ERROR", 2)),
    "errors": (("WARNING", 50), ("ERROR", 50)),
}


def write_log(path: Path, size: int, levels: tuple[tuple[str, int], ...], seed: int = 3) -> None:
    """A log of `size` bytes with one fault in the middle."""
    rng = random.Random(seed)
    names, weights = [n for n, _ in levels], [w for _, w in levels]
    block = "".join(_line(i, rng, names, weights) for i in range(60_000)).encode()
    with path.open("wb") as out:
        for half in range(2):
            written = 0
            while written < size // 2:
                written += out.write(block.replace(b"op1", f"op{half}{written % 97}".encode()))
            if half == 0:
                out.write(_FAULT.encode())


def write_novel(path: Path, size: int, seed: int = 5) -> None:
    """Text of words that hardly ever come twice, with one fault in the middle."""
    rng = random.Random(seed)
    letters = "abcdefghijklmnopqrstuvwxyz"

    def word() -> str:
        return "".join(rng.choices(letters, k=rng.randint(3, 12)))

    written, half = 0, True
    with path.open("w", encoding="utf-8") as out:
        while written < size:
            if half and written > size // 2:
                out.write(_FAULT)
                half = False
            words = [word() for _ in range(12)]
            written += out.write(f"{words[0]}.{words[1]}: {' '.join(words[2:])} {written % 977}\n")


def _line(i: int, rng: random.Random, names: list[str], weights: list[int]) -> str:
    level = rng.choices(names, weights)[0]
    text = rng.choice(_TEXTS).format(a=rng.randrange(512), b=rng.randrange(1 << 24))
    stamp = f"2024-05-06-10:{i // 60 % 60:02d}:{i % 60:02d}.{i % 1000:03d}.{i % 997:03d}"
    pid = 4000 + i % 3
    head = f"[{level}] {rng.choice(_MODULES)}({pid},python):{stamp} [graph.cc:{i % 2000}]{pid} "
    if level == "ERROR" and i % 50 == 0:
        return f"{head}Run: task failed\n        call stack line {i}\n        next line {i}\n"
    return f"{head}{text}\n"


def _baseline(path: Path) -> float:
    began = time.process_time()
    with path.open(encoding="utf-8") as lines:
        sum(1 for _ in lines)
    return time.process_time() - began


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mb", type=int, default=100)
    args = parser.parse_args()
    api.explain_text("warm up: read signatures and catalogue")
    found = True
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "big.log")
        for name in (*LEVELS, NOVEL):
            if name == NOVEL:
                write_novel(path, args.mb * 1_000_000)
            else:
                write_log(path, args.mb * 1_000_000, LEVELS[name])
            size = path.stat().st_size / 1e6
            plain = _baseline(path)
            began = time.process_time()
            answer = api.explain_log(path)
            seconds = time.process_time() - began
            peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
            top = answer.causes[0].fault.id if answer.causes else "none"
            found = found and top == "EX102"
            print(
                f"{name:<7} {size:.0f} MB  {size / seconds:6.1f} MB/s  {seconds / plain:5.1f}x the time "
                f"of reading lines ({size / plain:.0f} MB/s)  peak {peak:.0f} MB  cause {top}"
            )
    return 0 if found else 1


if __name__ == "__main__":
    raise SystemExit(main())
