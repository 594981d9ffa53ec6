"""A stand-in for atc that writes real model files with the project's writer.

    python -m tests.plan.atc --soc_version=… --output=… [--host_env_cpu=…]

The release that it plays and the way in which it fails come from the variables STAND_IN_RELEASE and
STAND_IN_MODE: ok | fail | cut | dies | other_interface | old_soc; norm and norm_new_default make a
group norm with the old epsilon and with the new one.
"""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

from preflight.target.resolve import load_target
from tests.plan.scenarios import make


def main() -> int:
    options = dict(a.removeprefix("--").partition("=")[::2] for a in sys.argv[1:])
    release = os.environ.get("STAND_IN_RELEASE", "8.1.RC1")
    mode = os.environ.get("STAND_IN_MODE", "ok")
    soc = "Ascend310" if mode == "old_soc" else options["soc_version"]
    facts = load_target(f"{release}/{soc}").socs[soc]
    values = make.attributes(soc, facts.arch_type or "", release)
    shape = (-1, 32, 8, 8) if "host_env_cpu" in options else make.SHAPE
    if mode == "other_interface":
        shape = (*shape[:-1], 16)
    graph = make.relu(shape)
    if mode.startswith("norm"):
        graph = make.group_norm(1e-5 if mode == "norm_new_default" else 1e-4)
    if "host_env_cpu" in options:
        content = make.with_libraries(graph, values, options["host_env_cpu"], False)
        name = f"{options['output']}_{options['host_env_os']}_{options['host_env_cpu']}.om"
    else:
        content, name = make.static(graph, values), f"{options['output']}.om"
    if mode == "cut":
        content = content[:200]
    Path(name).write_bytes(content)
    print("ATC run success")
    if mode == "dies":
        os.kill(os.getpid(), signal.SIGKILL)
    return 1 if mode == "fail" else 0


if __name__ == "__main__":
    raise SystemExit(main())
