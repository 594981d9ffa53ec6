"""A 20 GB model whose weights are a hole in the file: what a check of it reads, costs and holds.

    python bench/sparse.py [--gigabytes 20]

Checks the same model twice in children of its own: with small weights and with huge ones. Prints
bytes read, CPU, peak memory and the ratios between the two; the bar is 1 s of CPU and 120 MB.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CHILD = """
import json, sys
from preflight import api
model = api.read_model(sys.argv[1])
result = api.check_model(model, api.load_target(sys.argv[2]))
print(json.dumps({"bytes_read": model.bytes_read, "deploy": result.verdicts.deploy.status}))
"""


def measure(path: Path, target: str) -> dict[str, float | str]:
    """Check one file in a child process; CPU in seconds, memory in MB."""
    process = subprocess.Popen(
        [sys.executable, "-c", CHILD, str(path), target],
        stdout=subprocess.PIPE,
        text=True,
        cwd=ROOT,
    )
    assert process.stdout is not None
    output = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"the check of {path.name} failed")
    return {
        **json.loads(output),
        "cpu": usage.ru_utime + usage.ru_stime,
        "memory": usage.ru_maxrss / 1024,
    }


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--gigabytes", type=float, default=20)
    parser.add_argument("--target", default="8.1.RC1/Ascend310P3/linux-aarch64")
    args = parser.parse_args()
    from tiers.sparse_om import write_sparse_om

    with tempfile.TemporaryDirectory() as folder:
        small, huge = Path(folder) / "small.om", Path(folder) / "huge.om"
        write_sparse_om(small, 1 << 20)
        write_sparse_om(huge, int(args.gigabytes * (1 << 30)))
        rows = {path.name: measure(path, args.target) for path in (small, huge)}
        print(f"{'file':<10} {'size':>14} {'bytes read':>11} {'CPU s':>7} {'MB':>7}  deploy")
        for path in (small, huge):
            r = rows[path.name]
            print(
                f"{path.name:<10} {path.stat().st_size:>14} {r['bytes_read']:>11} {r['cpu']:>7.3f} {r['memory']:>7.1f}  {r['deploy']}"
            )
    a, b = rows["small.om"], rows["huge.om"]
    print(
        f"ratio huge/small: read {b['bytes_read'] / a['bytes_read']:.2f}  CPU {b['cpu'] / a['cpu']:.2f}  memory {b['memory'] / a['memory']:.2f}"
    )
    good = b["cpu"] < 1.0 and b["memory"] < 120 and b["deploy"] in ("ok", "ok_with_warnings")
    return 0 if good else 1


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))
    raise SystemExit(main())
