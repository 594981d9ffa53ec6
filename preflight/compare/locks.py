"""Locks of model files: made, verified, and used as the old side of a comparison."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from preflight.compare.models import fact_reasons
from preflight.compare.operators import compare_counts
from preflight.compare.types import (
    CompareVerdict,
    CountChange,
    Difference,
    ModelComparison,
    OperatorComparison,
    Weights,
)
from preflight.container.source import FileSource
from preflight.errors import PreflightError, UsageError
from preflight.model.file import read_model
from preflight.model.lock import (
    WEIGHTS,
    LockMismatch,
    VersionResolver,
    compare_lock,
    make_lock,
    nested_models,
)
from preflight.model.lockfile import Lock
from preflight.model.manifest import ModelFile
from preflight.target.names import find_release

_CODE = ("TBE_KERNELS", "CUST_AICPU_KERNELS", "SO_BINS", "TILING_DATA", "CUSTOM_OPS")

_DIGEST = re.compile(r"[0-9a-f]{64}")


def lock_file(
    path: str | Path,
    *,
    weights: bool = False,
    files: Sequence[tuple[str, Path]] = (),
    release: str = "",
) -> Lock:
    """The lock of a model file, with the versions of its operators in one release.

    `release` empty means the release that built the model, where its versions name one. `files` are
    (role, path) of other inputs of the build. Raises UsageError for an unknown release.
    """
    with FileSource(path) as source:
        model = read_model(source)
        release = find_release(release)[0].public if release else building_release(model)
        resolve = version_resolver(release) if release else None
        return make_lock(
            model,
            source,
            weights=weights,
            files=files,
            release=release if resolve else "",
            resolve=resolve,
        )


def building_release(model: ModelFile) -> str:
    """The release whose compiler made the model; empty where the file or nobody says."""
    for inner in (model, *(m for _, m in nested_models(model))):
        manifest = inner.manifest
        for text in (manifest.atc_version, manifest.opp_version) if manifest else ():
            try:
                return find_release(text)[0].public if text else ""
            except UsageError:
                continue  # a build that no catalogue lists
    return ""


def version_resolver(release: str) -> VersionResolver | None:
    """Operator versions of a release from the bundled history; None when it is not recorded."""
    from preflight.registry.history import open_history

    history = open_history()
    try:
        history.release(release)
    except PreflightError:
        return None

    def resolve(op_type: str) -> tuple[int, str] | None:
        try:
            version = history.resolve(op_type, release)
        except PreflightError:
            return None  # fused, inserted and vendors' operators have no public history
        return version.number, version.since

    return resolve


def verify_lock(path: str | Path, lock: Lock) -> tuple[LockMismatch, ...]:
    """Where a model file no longer fits its lock; every recorded partition is hashed again."""
    with FileSource(path) as source:
        return compare_lock(read_model(source), lock, source)


def compare_with_lock(lock: Lock, path: str | Path) -> ModelComparison:
    """Compare what a lock remembers of a model that is gone with a model file.

    Attributes are not recorded, so operators are compared by their fingerprint and counts only.
    """
    with FileSource(path) as source:
        model = read_model(source)
        mismatches = compare_lock(model, lock, source)
    by_area = {m.area: [n for n in mismatches if n.area == m.area] for m in mismatches}
    interface = _differences(by_area.get("interface", []))
    reasons = ["callers see other inputs or outputs"] if interface else []
    if "graph" in by_area:
        reasons.append("the graphs compute differently")
    if "scheme" in by_area:
        reasons.append("the lock's fingerprints were made by other rules and cannot be compared")
    facts = by_area.get("device", []) + by_area.get("engine", [])
    dynamic = model.manifest is not None and model.manifest.dynamic
    reasons += fact_reasons({_bare(m.subject) for m in facts}, dynamic)
    partitions = by_area.get("partition", [])
    reasons += [
        f"{m.subject} differs" for m in partitions if m.subject.endswith((*_CODE, *WEIGHTS))
    ]
    reasons += ["other partitions" for m in partitions if m.subject == "partitions"]
    weights = _weights(lock, partitions)
    notes = ["weights were not compared"] if weights is Weights.NOT_COMPARED else []
    if model.faults:
        reasons.append(f"it fails load checks: {model.faults[0].check}")
    verdict = CompareVerdict.INTERCHANGEABLE
    if reasons:
        verdict = CompareVerdict.DIFFERENT_GRAPH
    if interface:
        verdict = CompareVerdict.DIFFERENT_INTERFACE
    return ModelComparison(
        f"{lock.name} (from its lock)",
        str(path),
        verdict,
        tuple(reasons),
        interface,
        _differences(facts),
        _differences(partitions),
        OperatorComparison(counts=_counts(lock, model), compared=False),
        (lock.content.fingerprint if lock.content else "", ""),
        weights,
        inputs=len(model.manifest.inputs) if model.manifest else 0,
        outputs=len(model.manifest.outputs) if model.manifest else 0,
        old_is_lock=True,
        notes=tuple(notes),
    )


def _bare(subject: str) -> str:
    return subject.rpartition(": ")[2]


def _differences(mismatches: Sequence[LockMismatch]) -> tuple[Difference, ...]:
    return tuple(Difference(m.subject, _shown(m.locked), _shown(m.found)) for m in mismatches)


def _shown(text: str) -> str:
    """A digest as two models side by side show it; other text as it is."""
    return f"sha256 {text[:12]}" if _DIGEST.fullmatch(text) else text or "absent"


def _counts(lock: Lock, model: ModelFile) -> tuple[CountChange, ...]:
    old = {n: o.count for n, o in lock.content.operators.items()} if lock.content else {}
    new = {r.type: r.count for r in model.manifest.operators} if model.manifest else {}
    return compare_counts(old, new)


def _weights(lock: Lock, partitions: Sequence[LockMismatch]) -> Weights:
    if any(m.subject.endswith(WEIGHTS) for m in partitions):
        return Weights.DIFFERENT
    recorded = [p for p in lock.partitions if p.type in WEIGHTS and p.size]
    return Weights.EQUAL if all(p.sha256 for p in recorded) else Weights.NOT_COMPARED
