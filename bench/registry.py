"""What the registry costs, as ratios that mean the same on every machine.

    python bench/registry.py REGISTRIES

Prints: importing one release file against `json.load` on it, the CPU of a diff of two full
releases, one operator's history from a cold process against a bare one, and the size in the wheel.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from preflight import api
from preflight.data import manifests_dir

ROUNDS = 15
COLD = "import time; t = time.process_time()\n{body}\nprint(time.process_time())"
HISTORY = "from preflight import api\napi.open_history().operator('LayerNorm')"


def best(work: Callable[[], object], rounds: int = ROUNDS) -> float:
    """The smallest CPU time of several rounds, in seconds."""
    times = []
    for _ in range(rounds):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return min(times)


def cold(body: str) -> float:
    """CPU seconds of a fresh interpreter that runs `body`, the best of several."""
    command = [sys.executable, "-c", COLD.format(body=body)]
    runs = [subprocess.run(command, capture_output=True, text=True, check=True) for _ in range(7)]
    return min(float(run.stdout) for run in runs)


def main() -> int:
    """Print every figure with its limit; exit 1 when one is over."""
    package = Path(sys.argv[1]) / "all"
    path = package / "registry" / "8.1.RC1" / "operators.json"
    plain = best(lambda: json.loads(path.read_text(encoding="utf-8")))
    ours = best(lambda: api.load_release(package, "8.1.RC1"))
    history = api.open_history()
    history.diff("8.0.RC3", "8.1.RC1")
    diff = best(lambda: history.diff("8.0.RC3", "8.1.RC1"), 5)
    first = (cold(HISTORY) - cold("pass")) * 1000
    size = sum(p.stat().st_size for p in (manifests_dir() / "history").iterdir()) / 1e6
    rows = (
        ("import of a release file / json.load", ours / plain, 2.0, "x"),
        ("diff of two full releases, warm, CPU", diff, 1.0, "s"),
        ("one operator's history, cold, CPU", first, 50.0, "ms"),
        ("bundled history", size, 2.0, "MB"),
    )
    for name, value, limit, unit in rows:
        print(f"{name:<40} {value:8.3f} {unit:<2} (limit {limit:g})")
    return int(any(value > limit for _, value, limit, _ in rows))


if __name__ == "__main__":
    raise SystemExit(main())
