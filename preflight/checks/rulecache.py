"""A validated rule set kept in the user's cache folder, so that start-up does not parse TOML.

The cache is data, never executed: a msgpack list decoded into the strict rule types, preceded by
its digest and by a stamp of every rule file (name, size, modification time), of the predicates and
of the package version. A cache that is stale, damaged or unreadable is ignored; one that cannot be
written is not missed.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
from pathlib import Path

import msgspec

from preflight import __version__
from preflight.checks.rulefile import Rule

_PREDICATES = Path(__file__).parent / "predicates"
_DIGEST = 32  # bytes of sha256
_MAX_BYTES = 16 << 20


def cache_dir() -> Path:
    """The folder for caches of this package (XDG_CACHE_HOME, else ~/.cache)."""
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path("~/.cache").expanduser()) / "om-preflight"


def stamp(folder: Path) -> bytes:
    """What a cached rule set was made from, as 32 bytes."""
    entries = [__version__]
    for root in (str(folder), str(_PREDICATES)):
        entries += _entries(root)
    return hashlib.sha256("\0".join(entries).encode()).digest()


def _entries(root: str) -> list[str]:
    """ "path size time" of every rule and predicate file below a folder, sorted."""
    found = []
    pending = [root]
    while pending:
        with os.scandir(pending.pop()) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    pending.append(entry.path)
                elif entry.name.endswith((".toml", ".py")):
                    status = entry.stat()
                    found.append(f"{entry.path} {status.st_size} {status.st_mtime_ns}")
    return sorted(found)


def _path(folder: Path) -> Path:
    name = hashlib.sha256(str(folder.resolve()).encode()).hexdigest()[:16]
    return cache_dir() / f"rules-{name}.msgpack"


def read(folder: Path, stamp: bytes) -> tuple[Rule, ...] | None:
    """The cached rules of a folder, None when there are none that can be trusted."""
    try:
        with _path(folder).open("rb") as file:
            content = file.read(_MAX_BYTES)
    except OSError:
        return None
    digest, made_from, payload = content[:_DIGEST], content[_DIGEST : 2 * _DIGEST], content[64:]
    if made_from != stamp or hashlib.sha256(made_from + payload).digest() != digest:
        return None
    try:
        return msgspec.msgpack.decode(payload, type=tuple[Rule, ...])
    except msgspec.MsgspecError:
        return None


def write(folder: Path, stamp: bytes, rules: tuple[Rule, ...]) -> None:
    """Keep a validated set; other processes see the old or the new file, never a part of one."""
    payload = msgspec.msgpack.encode(rules)
    content = hashlib.sha256(stamp + payload).digest() + stamp + payload
    path = _path(folder)
    temporary = path.with_suffix(f".{os.getpid()}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary.write_bytes(content)
        temporary.replace(path)
    except OSError:
        with contextlib.suppress(OSError):
            temporary.unlink()
