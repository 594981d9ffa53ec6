"""The file MODEL.om.lock.json: what one model was built from, in a form that outlives the model.

Strict on reading: an unknown key, a wrong type or a newer schema is an error that names the place.
Writing the same model twice gives the same bytes.
"""

from __future__ import annotations

import os
from pathlib import Path

import msgspec

from preflight.container.source import FileSource
from preflight.errors import MalformedInput, UnreadableInput
from preflight.writing import replace_file

SCHEMA_VERSION = 1
LOCK_SUFFIX = ".lock.json"
_MAX_BYTES = 64 << 20


class LockedTensor(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """An input or output; `shape` is null where the model does not say."""

    name: str
    dtype: str
    format: str
    shape: tuple[int, ...] | None
    shape_range: tuple[tuple[int, int], ...] = ()


class LockedOperator(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """How often an operator type occurs, and which version of it the recorded release means.

    `since` is the first release with that version: ordinals depend on what histories know.
    """

    count: int
    version: int | None = None
    since: str = ""


class LockedGraph(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The fingerprint of one graph."""

    block: int
    name: str
    fingerprint: str
    operators: int


class LockedContent(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a model definition says about itself."""

    engines: dict[str, str]
    operators: dict[str, LockedOperator]
    fingerprint: str
    interface: str
    graphs: tuple[LockedGraph, ...]
    inputs: tuple[LockedTensor, ...]
    outputs: tuple[LockedTensor, ...]


class LockedPartition(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A partition; `sha256` is empty for weights that were not asked for."""

    block: int
    type: str
    size: int
    sha256: str = ""


class LockedFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A file that took part in the build: fusion switch, fusion result."""

    role: str
    name: str
    size: int
    sha256: str


class Lock(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """The whole file. `release` is the release whose operator versions are recorded."""

    schema_version: int
    name: str
    size: int
    sha256: str  # of header, tables and model definitions
    partitions: tuple[LockedPartition, ...]
    content: LockedContent | None = None
    nested: dict[str, LockedContent] = {}
    release: str = ""
    files: tuple[LockedFile, ...] = ()
    tool: str = ""


def lock_path(model: str | os.PathLike[str]) -> Path:
    """Where the lock of a model lies: beside it, with its full name."""
    path = Path(model)
    return path.with_name(path.name + LOCK_SUFFIX)


def read_lock(path: str | os.PathLike[str]) -> Lock:
    """Read a lock file. Raises UnreadableInput or MalformedInput."""
    with FileSource(path) as source:  # refuses pipes and devices, which have no end
        if source.size > _MAX_BYTES:
            raise MalformedInput(f"{path}: {source.size} bytes is too large for a lock file")
        data = source.read(0, source.size)
    try:
        head = msgspec.json.decode(data, type=_Head)
        if head.schema_version > SCHEMA_VERSION:
            raise MalformedInput(
                f"{path}: schema_version {head.schema_version}, known is {SCHEMA_VERSION}",
                hint="upgrade with: pip install --upgrade om-preflight",
            )
        return msgspec.json.decode(data, type=Lock)
    except (msgspec.DecodeError, RecursionError) as error:
        raise MalformedInput(
            f"{path}: {error}", hint="write it again with: preflight lock MODEL.om"
        ) from error


class _Head(msgspec.Struct):
    schema_version: int


def lock_bytes(lock: Lock) -> bytes:
    """The file's text: two spaces, keys of objects sorted, final newline."""
    return msgspec.json.format(msgspec.json.encode(lock, order="deterministic"), indent=2) + b"\n"


def write_lock(lock: Lock, path: str | os.PathLike[str]) -> None:
    """Put the lock in place in one step. Raises UnreadableInput when the folder refuses."""
    try:
        replace_file(Path(path), lock_bytes(lock))
    except OSError as error:
        raise UnreadableInput(f"{path}: cannot be written: {error.strerror}") from error
