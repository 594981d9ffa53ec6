"""A stand-in for atc, and a workbench that knows the files it writes.

The program writes `MODEL <text>` where a real one would write a model; modes make it fail, hang,
write nothing, write two files, or leave a child behind. The whole-program tests use real models.
"""

from __future__ import annotations

import hashlib
import sys
from pathlib import Path

from preflight.checks.engine import Result
from preflight.checks.verdicts import Verdicts
from preflight.container.types import Container, ContainerKind
from preflight.errors import UnreadableInput
from preflight.findings import PathVerdict, Status
from preflight.model.manifest import ModelFile
from preflight.plan.workbench import Workbench
from preflight.target.types import Fact, Target
from tests.plan.facts import manifest

_PROGRAM = """#!{python}
import os, pathlib, subprocess, sys, time
mode = {mode!r}
options = dict(a[2:].partition("=")[::2] for a in sys.argv[1:])
print("arguments:", sys.argv[1:], flush=True)
prefix = options["output"]
suffix = "_linux_aarch64.om" if mode == "host" else ".om"
if mode == "fail":
    pathlib.Path(prefix + ".part").write_text("half")
    sys.exit(3)
if mode == "hang":
    subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)", sys.argv[0]])
    time.sleep(60)
if mode == "nothing":
    sys.exit(0)
if mode == "signal":
    os.kill(os.getpid(), 9)
pathlib.Path(prefix + suffix).write_text("junk" if mode == "junk" else "MODEL new")
if mode == "two":
    pathlib.Path(prefix + "2.om").write_text("MODEL second")
if mode == "weights":
    os.mkdir("weight")
    pathlib.Path("weight/weight_1").write_text("w1")
    pathlib.Path("weight/weight_2").write_text("w2")
    pathlib.Path("fusion_result.json").write_text("[]")
"""


def program(folder: Path, mode: str = "ok") -> str:
    """Write the stand-in and return its path."""
    path = folder / f"atc-{mode}"
    path.write_text(_PROGRAM.format(python=sys.executable, mode=mode))
    path.chmod(0o755)
    return str(path)


def read_model(path: str) -> ModelFile:
    """Anything that begins with MODEL is a model."""
    try:
        content = Path(path).read_bytes()
    except OSError as error:
        raise UnreadableInput(f"{path}: {error}") from error
    good = content.startswith(b"MODEL")
    kind = ContainerKind.OM if good else ContainerKind.NOT_A_MODEL
    return ModelFile(
        path=path,
        container=Container(kind, "a model" if good else "no model", len(content)),
        manifest=manifest() if good else None,
        sha256=hashlib.sha256(content).hexdigest(),
    )


def target(spec: str) -> Target:
    nothing: Fact[str] = Fact(None, "", known=False)
    return Target(
        name=spec,
        origin="catalogue",
        release=Fact("9.1.0", "test"),
        internal=Fact("9.1.0", "test"),
        behaviour=Fact(None, "", known=False),
        soc=Fact("Ascend910B3", "test"),
        socs={},
        host_os=nothing,
        host_cpu=nothing,
        abi_range=nothing,
        opp_version=nothing,
        driver=nothing,
        fingerprint=f"fingerprint of {spec}",
    )


def check(model: ModelFile, target: Target) -> Result:
    ok = PathVerdict(Status.OK)
    return Result((), (), (), (), frozenset(), Verdicts(ok, ok))


def compare(old: str, new: str) -> tuple[str, tuple[str, ...]]:
    if Path(new).read_text() == "MODEL other":
        return "different interface", ("an input is gone",)
    return "same interface, different graph", ()


BENCH = Workbench(read_model, target, check, compare, lambda old, new, model: (True, ()))
