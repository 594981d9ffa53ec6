"""The measuring program itself: odd rows are disagreements, other releases map to the nearest one."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
VERSION = {"op": "effective", "input": {"v": "7.7"}, "expected": {"ok": True}}


def agree(folder: Path, rows: list[dict[str, Any]], *more: str) -> subprocess.CompletedProcess[str]:
    text = "".join(json.dumps(row) + "\n" for row in rows)
    (folder / "T2.jsonl").write_text(text, encoding="utf-8")
    command = [sys.executable, str(ROOT / "bench" / "agree.py"), "vectors", str(folder), *more]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)


def test_releases_without_vectors_of_their_own(tmp_path: Path) -> None:
    rows = [
        VERSION | {"id": f"r{number}", "ge_version": name}
        for number, name in enumerate(("v8.5.0", "v9.0.1", "v9.1.0", "v9.2.0-beta.1", "master"))
    ]
    done = agree(tmp_path, rows)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.endswith("agree 5 disagree 0 total 5\n")


def test_rows_that_cannot_be_run_are_disagreements(tmp_path: Path) -> None:
    rows = [
        VERSION | {"id": "no-release"},
        VERSION | {"id": "too-old", "ge_version": "v1.0"},
        VERSION | {"id": "no-op", "ge_version": "master", "op": "other"},
        VERSION | {"id": "no-file", "ge_version": "master", "files": {"a": {"file": "gone"}}},
        {"ge_version": "master"},
    ]
    done = agree(tmp_path, rows)
    assert (done.returncode, done.stderr) == (1, "")
    assert done.stdout.count("DISAGREE") == len(rows)
    assert "no-file (): the row cannot be run: FileNotFoundError" in done.stdout
    assert done.stdout.endswith("agree 0 disagree 5 total 5\n")


def test_one_release_of_one_tier(tmp_path: Path) -> None:
    rows = [VERSION | {"id": name, "ge_version": name} for name in ("v9.0.1", "master")]
    done = agree(tmp_path, rows, "--tier", "T2", "--release", "master")
    assert done.stdout.endswith("agree 1 disagree 0 total 1\n")
