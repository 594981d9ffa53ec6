"""Makes the lock of a model and tells where a model no longer fits one."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from msgspec import Struct

from preflight import __version__
from preflight.container.source import FileSource, Source
from preflight.container.types import Block
from preflight.errors import MalformedInput
from preflight.model.fingerprint import fingerprint_model
from preflight.model.lockfile import (
    SCHEMA_VERSION,
    Lock,
    LockedContent,
    LockedFile,
    LockedGraph,
    LockedOperator,
    LockedPartition,
    LockedTensor,
    lock_path,
    read_lock,
    write_lock,
)
from preflight.model.manifest import ModelFile, ModelManifest, OperatorCount, TensorInfo

__all__ = [
    "LockMismatch",
    "compare_lock",
    "lock_path",
    "make_lock",
    "read_lock",
    "write_lock",
]

WEIGHTS = ("WEIGHTS_DATA", "WEIGHT_INFO")
_CHUNK = 1 << 20

# operator type -> (ordinal, first release) of its version in the recorded release, None when nobody
# knows; given from above, since histories of operators are no business of a model
VersionResolver = Callable[[str], tuple[int, str] | None]


class LockMismatch(Struct, frozen=True):
    """One fact that a lock and a model disagree about.

    `area`: bytes, engine, device, interface, graph, operators, partition, file, or scheme when the
    two cannot be compared because their fingerprints were made by different rules.
    """

    area: str
    subject: str
    locked: str
    found: str


def make_lock(
    model: ModelFile,
    source: Source,
    *,
    weights: bool = False,
    files: Sequence[tuple[str, Path]] = (),
    release: str = "",
    resolve: VersionResolver | None = None,
) -> Lock:
    """The lock of a model. `source` are its bytes; partitions are hashed in chunks.

    Weights are read only when `weights` is set. `files` are (role, path) of other build inputs.
    `resolve` gives operator versions of `release`. Raises MalformedInput when there is neither a
    model definition nor a nested model to record.
    """
    nested = {
        name: _content(inner.manifest, resolve)
        for name, inner in nested_models(model)
        if inner.manifest is not None
    }
    if model.manifest is None and not nested:
        raise MalformedInput(
            f"{model.path}: no readable model definition, so there is nothing to record",
            hint=f"see what is wrong with it: preflight inspect {Path(model.path).name}",
        )
    return Lock(
        schema_version=SCHEMA_VERSION,
        tool=f"preflight {__version__}",
        name=Path(model.path).name,
        size=source.size,
        sha256=model.sha256,
        partitions=_partitions(model.container.blocks, source, weights=weights),
        content=_content(model.manifest, resolve) if model.manifest is not None else None,
        nested=nested,
        release=release if resolve else "",
        files=tuple(_file(role, path) for role, path in files),
    )


def nested_models(model: ModelFile) -> Iterator[tuple[str, ModelFile]]:
    """Models inside a bundle or flow model, at any depth, by a path of names."""
    stack = [("", model)]
    while stack:
        prefix, outer = stack.pop()
        for index, inner in enumerate(outer.nested):
            name = f"{prefix}{inner.name or index}"
            yield name, inner
            stack.append((f"{name}/", inner))


def engines(manifest: ModelManifest) -> dict[str, str]:
    """What built a model and for which device and host; empty where the file is silent."""
    return {
        "arch_type": manifest.arch_type,
        "atc_version": manifest.atc_version,
        "compiler_version": manifest.compiler_version,
        "custom_version": manifest.custom_version,
        "framework_type": manifest.framework_type,
        "host_env_cpu": manifest.host_env_cpu,
        "host_env_os": manifest.host_env_os,
        "ir_version": "" if manifest.ir_version is None else str(manifest.ir_version),
        "opp_version": manifest.opp_version,
        "soc_version": manifest.soc_version,
    }


_DEVICE = ("arch_type", "host_env_cpu", "host_env_os", "soc_version")


def locked_tensor(tensor: TensorInfo) -> LockedTensor:
    """The part of a boundary tensor that a caller depends on."""
    return LockedTensor(
        tensor.name, tensor.dtype, tensor.format, tensor.shape, tuple(tensor.shape_range)
    )


def _content(manifest: ModelManifest, resolve: VersionResolver | None) -> LockedContent:
    prints = fingerprint_model(manifest)
    return LockedContent(
        engines=engines(manifest),
        operators={row.type: _operator(row, resolve) for row in manifest.operators},
        fingerprint=prints.model,
        interface=prints.interface,
        graphs=tuple(
            LockedGraph(g.block, g.name, g.fingerprint, g.operators) for g in prints.graphs
        ),
        inputs=tuple(map(locked_tensor, manifest.inputs)),
        outputs=tuple(map(locked_tensor, manifest.outputs)),
    )


def _operator(row: OperatorCount, resolve: VersionResolver | None) -> LockedOperator:
    found = resolve(row.type) if resolve else None
    return LockedOperator(row.count, *found) if found else LockedOperator(row.count)


def _partitions(
    blocks: Sequence[Block], source: Source, *, weights: bool
) -> tuple[LockedPartition, ...]:
    found: list[LockedPartition] = []
    for block in blocks:
        for partition in block.partitions:
            skip = partition.name in WEIGHTS and not weights
            size = max(0, min(partition.size, source.size - partition.offset))
            digest = "" if skip else hash_range(source, partition.offset, size)
            found.append(LockedPartition(block.index, partition.name, partition.size, digest))
    return tuple(found)


def hash_range(source: Source, offset: int, size: int) -> str:
    """SHA-256 of a range of bytes, read in chunks."""
    digest = hashlib.sha256()
    while size > 0:
        data = source.read(offset, min(_CHUNK, size))
        digest.update(data)
        offset += len(data)
        size -= len(data)
    return digest.hexdigest()


def _file(role: str, path: Path) -> LockedFile:
    with FileSource(path) as source:
        return LockedFile(role, path.name, source.size, hash_range(source, 0, source.size))


def compare_lock(
    model: ModelFile, lock: Lock, source: Source | None = None
) -> tuple[LockMismatch, ...]:
    """Everything that no longer fits, most telling first.

    Without `source` nothing is hashed that reading the model has not read anyway; with it every
    partition whose hash is recorded is hashed again.
    """
    found: list[LockMismatch] = []
    inner = dict(nested_models(model))
    pairs = {"": (lock.content, model.manifest)}
    for name in [*lock.nested, *(n for n in inner if n not in lock.nested)]:
        now = inner[name].manifest if name in inner else None
        pairs[f"{name}: "] = (lock.nested.get(name), now)
    for prefix, (locked, manifest) in pairs.items():
        found += _compare_content(prefix, locked, manifest)
    found += _compare_partitions(model, lock, source)
    if lock.sha256 and model.sha256 != lock.sha256:
        found.append(LockMismatch("bytes", "sha256 of definitions", lock.sha256, model.sha256))
    return tuple(found)


def _compare_content(
    prefix: str,
    locked: LockedContent | None,
    manifest: ModelManifest | None,
) -> list[LockMismatch]:
    if locked is None or manifest is None:
        if locked is None and manifest is None:
            return []
        states = ["present" if side is not None else "absent" for side in (locked, manifest)]
        return [LockMismatch("graph", f"{prefix}model definition", *states)]
    now = _content(manifest, None)
    found = _compare_tensors(prefix, "input", locked.inputs, now.inputs)
    found += _compare_tensors(prefix, "output", locked.outputs, now.outputs)
    if not found:
        found += _compare_print(f"{prefix}interface", "interface", locked.interface, now.interface)
    found += _compare_print(
        f"{prefix}graph fingerprint", "graph", locked.fingerprint, now.fingerprint
    )
    found += _compare_texts(prefix, locked.engines, now.engines)
    found += _compare_operators(prefix, locked.operators, now.operators)
    return found


def _compare_print(subject: str, area: str, locked: str, found: str) -> list[LockMismatch]:
    if locked == found:
        return []
    scheme = locked.partition(":")[0] == found.partition(":")[0]
    return [LockMismatch(area if scheme else "scheme", subject, locked, found)]


def _compare_tensors(
    prefix: str, side: str, locked: Sequence[LockedTensor], found: Sequence[LockedTensor]
) -> list[LockMismatch]:
    mismatches: list[LockMismatch] = []
    for place in range(max(len(locked), len(found))):
        old = locked[place] if place < len(locked) else None
        new = found[place] if place < len(found) else None
        if old != new:
            subject = f"{prefix}{side} {place}"
            mismatches.append(LockMismatch("interface", subject, _shown(old), _shown(new)))
    return mismatches


def _shown(tensor: LockedTensor | None) -> str:
    if tensor is None:
        return "absent"
    shape = "?" if tensor.shape is None else ",".join(map(str, tensor.shape))
    limits = f" range {list(map(list, tensor.shape_range))}" if tensor.shape_range else ""
    return f"{tensor.name} {tensor.dtype} {tensor.format} [{shape}]{limits}"


def _compare_texts(
    prefix: str, locked: Mapping[str, str], found: Mapping[str, str]
) -> list[LockMismatch]:
    return [
        LockMismatch(
            "device" if key in _DEVICE else "engine",
            prefix + key,
            locked.get(key, ""),
            found.get(key, ""),
        )
        for key in sorted(locked.keys() | found.keys())
        if locked.get(key, "") != found.get(key, "")
    ]


def _compare_operators(
    prefix: str, locked: Mapping[str, LockedOperator], found: Mapping[str, LockedOperator]
) -> list[LockMismatch]:
    mismatches: list[LockMismatch] = []
    for name in sorted(locked.keys() | found.keys()):
        counts = [str(side[name].count) if name in side else "0" for side in (locked, found)]
        if counts[0] != counts[1]:
            mismatches.append(LockMismatch("operators", f"{prefix}{name} count", *counts))
    return mismatches


def _compare_partitions(model: ModelFile, lock: Lock, source: Source | None) -> list[LockMismatch]:
    now = [(b.index, p) for b in model.container.blocks for p in b.partitions]
    kinds = [(block, p.name) for block, p in now]
    if kinds != [(p.block, p.type) for p in lock.partitions]:
        old = ", ".join(f"{p.block}/{p.type}" for p in lock.partitions)
        new = ", ".join(f"{block}/{name}" for block, name in kinds)
        return [LockMismatch("partition", "partitions", old, new)]
    found: list[LockMismatch] = []
    for (block, partition), locked in zip(now, lock.partitions, strict=True):
        subject = f"block {block} / {partition.name}"
        if partition.size != locked.size:
            sizes = (f"{locked.size} bytes", f"{partition.size} bytes")
            found.append(LockMismatch("partition", subject, *sizes))
        elif source is not None and locked.sha256:
            size = max(0, min(partition.size, source.size - partition.offset))
            digest = hash_range(source, partition.offset, size)
            if digest != locked.sha256:
                found.append(LockMismatch("partition", subject, locked.sha256, digest))
    return found
