"""Deterministic mutants of model files, and the demand that all of them survive."""

from __future__ import annotations

import random
import struct
import traceback
from collections.abc import Iterator
from pathlib import Path

from preflight import api
from preflight.errors import PreflightError

MAX_SEED = 300_000  # bytes: larger seeds only slow the run down
INTERESTING = (
    0,
    1,
    2,
    0x7F,
    0x80,
    0xFF,
    0x7FFFFFFF,
    0x80000000,
    0xFFFFFFFF,
    1 << 40,
    (1 << 64) - 1,
)
TARGETS = ("8.1.RC1/Ascend310P3/linux-aarch64", "9.1.0/Ascend910B3/linux-x86_64")


def seeds(root: Path) -> list[Path]:
    """Small model files: the project's samples, and the shared corpus where it is present."""
    folders = [root / "samples", root.parent / "shared" / "corpus"]
    found = [
        p for f in folders if f.is_dir() for p in sorted(f.rglob("*.om")) + sorted(f.rglob("*.txt"))
    ]
    return [p for p in found if p.is_file() and p.stat().st_size <= MAX_SEED]


def mutants(files: list[Path], count: int, seed: int) -> Iterator[tuple[str, bytes]]:
    """`count` named mutants, the same for the same seed and files."""
    dice = random.Random(seed)
    originals = [(p.name, p.read_bytes()) for p in files]
    for number in range(count):
        name, data = originals[number % len(originals)]
        yield f"{name}#{seed}.{number}", mutate(data, dice)


def mutate(data: bytes, dice: random.Random) -> bytes:
    """One to four changes: bits, integers at any width, cuts, repeats, insertions."""
    out = bytearray(data)
    for _ in range(dice.randint(1, 4)):
        if not out:
            return bytes(dice.randbytes(dice.randint(0, 64)))
        # Headers and tables decide most, so half of the changes go there.
        at = dice.randrange(min(len(out), 512)) if dice.random() < 0.5 else dice.randrange(len(out))
        match dice.randrange(6):
            case 0:
                out[at] ^= 1 << dice.randrange(8)
            case 1:
                width = dice.choice((1, 2, 4, 8))
                value = dice.choice(INTERESTING) & ((1 << (8 * width)) - 1)
                out[at : at + width] = value.to_bytes(width, "little")
            case 2:
                del out[at:]
            case 3:
                del out[at : at + dice.randint(1, 16)]
            case 4:
                out[at:at] = dice.randbytes(dice.randint(1, 16))
            case _:
                out[at:at] = out[at : at + dice.randint(1, 64)]
    if len(out) > 256 and dice.random() < 0.5:  # keep the length honest so that more is reached
        struct.pack_into("<Q", out, 184, len(out) - 256)
    return bytes(out)


def survives(data: bytes) -> str:
    """Empty when reading and checking end in a result or a PreflightError; else the traceback."""
    try:
        model = api.read_model(data)
        for target in TARGETS:
            result = api.check_model(model, api.load_target(target))
            refused = bool(model.faults) and all(
                f.check.startswith(("hdr.", "tab.", "part.")) for f in model.faults
            )
            if refused and result.verdicts.deploy.status.startswith("ok"):
                return f"refused by the container walk, yet called {result.verdicts.deploy.status}"
    except PreflightError:
        return ""
    except Exception:
        return traceback.format_exc(limit=-4)
    return ""
