"""Run by `.ci/wheel-test` with an installed wheel and nothing else, from an empty folder."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import preflight
from preflight.data import manifests_dir, rules_dir, samples_dir

TARGET = "8.1.RC1/Ascend310P3/linux-aarch64"


def preflight_command(*args: str) -> subprocess.CompletedProcess[str]:
    command = Path(sys.executable).parent / "preflight"
    return subprocess.run(
        [str(command), *args], capture_output=True, text=True, timeout=120, check=False
    )


def expect(
    condition: bool, what: str, done: subprocess.CompletedProcess[str] | None = None
) -> None:
    if not condition:
        detail = f"\n{done.stdout}\n{done.stderr}" if done else ""
        raise SystemExit(f"wheel: {what}{detail}")
    print(f"wheel: {what}: yes")


def main() -> None:
    package = Path(preflight.__file__).parent
    expect("site-packages" in package.parts, "the installed package is the one that runs")
    for folder in (manifests_dir(), rules_dir(), samples_dir()):
        expect(folder.is_relative_to(package), f"{folder.name} travelled in the wheel")
    sample = samples_dir() / "resnet_static_310P3.om"

    done = preflight_command("--version")
    expect(done.returncode == 0 and preflight.__version__ in done.stdout, "--version answers", done)
    done = preflight_command("check", str(sample), "--target", TARGET, "--format", "json")
    expect(done.returncode == 0, "check of the good sample exits 0", done)
    status = json.loads(done.stdout)["results"][0]["verdicts"]["deploy"]["status"]
    expect(status in ("ok", "ok_with_warnings"), f"its verdict is {status}", done)
    done = preflight_command(
        "check", str(samples_dir() / "soc_910B.om"), "--target", "8.1.RC1/Ascend910B3/linux-aarch64"
    )
    expect(done.returncode == 1 and "500002" in done.stdout, "check of the wrong SoC exits 1", done)
    done = preflight_command("inspect", str(sample), "--json")
    expect(json.loads(done.stdout)["container"]["kind"] == "om", "inspect reads it", done)
    done = preflight_command("explain", "500002")
    expect(
        done.returncode == 0 and "ACL_ERROR_GE_FAILURE" in done.stdout, "explain knows 500002", done
    )
    done = preflight_command("registry", "history", "LayerNorm")
    expect(
        done.returncode == 0 and "LayerNorm" in done.stdout, "the operator history is inside", done
    )
    done = preflight_command(
        "plan", str(samples_dir() / "soc_910B.om"), "--target", "8.1.RC1/Ascend910B3/linux-aarch64"
    )
    expect("--soc_version=Ascend910B3" in done.stdout, "plan offers the rebuild", done)
    print("12 passed, 0 failed")


if __name__ == "__main__":
    main()
