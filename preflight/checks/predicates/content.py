"""Predicates about stores and attributes of the model (band PF2xx, §A.7-A.11, §D.1)."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from preflight.checks import ordering
from preflight.checks.context import Context
from preflight.checks.facts import behaviour_certainty, known_soc
from preflight.checks.predicate import Hit, Outcome, predicate
from preflight.checks.predicates.container import faults_of
from preflight.container.types import Fault
from preflight.findings import Certainty, Evidence
from preflight.model.manifest import Attribute, ModelManifest

_SPACE_REGISTRY = 0  # so_bin_type kSpaceRegistry (§A.7)
_GIB = 1 << 30
_MIB = 1 << 20
# Operators that need no kernel: boundary, constants, control flow and memory bookkeeping.
_WITHOUT_KERNEL = frozenset(
    {
        "Data", "RefData", "AippData", "Const", "Constant", "Variable", "FileConstant", "NetOutput",
        "NoOp", "PartitionedCall", "If", "Case", "While", "StreamActive", "StreamSwitch",
        "StreamMerge", "Send", "Recv", "MemcpyAsync", "MemcpyAddrAsync", "Reshape", "Squeeze",
        "Unsqueeze", "Identity",
    }
)  # fmt: skip


class StoreFacts(Struct, frozen=True):
    """The store of host libraries in block 0."""

    detail: str


def _store_fault(context: Context) -> Fault | None:
    """The reader's word on why SO_BINS does not load, when it gave one."""
    return next((f for f in faults_of(context) if f.check == "so.store"), None)


@predicate("content.so_store_broken", evidence=StoreFacts)
def so_store_broken(context: Context, _: object) -> Iterator[Outcome]:
    """SO_BINS is there and its items do not add up (§A.7; lenient cases in corrections 17)."""
    manifest = context.manifest
    found = _store_fault(context)
    broken = manifest is not None and manifest.so_store.present and not manifest.so_store.loaded
    if found is None and not broken:
        return
    detail = found.detail if found else "its items do not add up to the number it announces"
    yield Hit(
        StoreFacts(detail),
        (Evidence("SO_BINS", "items that fill the store", detail, "om-format §A.7", "block 0"),),
        location=context.place("block 0 / SO_BINS", found.offset if found else None),
        position=ordering.content(0, ordering.SO_STORE_STEP),
        certainty=behaviour_certainty(context, "so_store_fatal"),
    )


class LibrarySize(Struct, frozen=True):
    """A host library above the size that the loader writes out."""

    library: str
    size: int


@predicate("content.library_too_large", evidence=LibrarySize)
def library_too_large(context: Context, _: object) -> Iterator[Outcome]:
    """The loader writes embedded host libraries to a folder of its own, up to 1 GiB each."""
    if context.manifest is None:
        return
    for library in context.manifest.so_store.libraries:
        if library.type == _SPACE_REGISTRY and library.size > _GIB:
            yield Hit(
                LibrarySize(library.name, library.size),
                (Evidence("library size", f"at most {_GIB} bytes", str(library.size)),),
                location=context.place(f"block 0 / SO_BINS / {library.name}"),
                position=ordering.environment(121),
            )


class KernelFacts(Struct, frozen=True):
    """A model without device code."""

    operators: int
    example: str


@predicate("content.kernels_absent", evidence=KernelFacts)
def kernels_absent(context: Context, _: object) -> Iterator[Outcome]:
    """A static model with operators that run on the device, and no kernel inside."""
    manifest = context.manifest
    if manifest is None or manifest.dynamic or manifest.kernels:
        return
    needing = [row for row in manifest.operators if row.type not in _WITHOUT_KERNEL]
    if not needing:
        return
    count = sum(row.count for row in needing)
    yield Hit(
        KernelFacts(count, needing[0].type),
        (
            Evidence(
                "kernels", "device code of the operators", "none", "static model",
                "TBE_KERNELS and CUST_AICPU_KERNELS",
            ),
        ),
        location=context.place("block 0"),
        certainty=Certainty.POSSIBLE,
    )  # fmt: skip


class Needs(Struct, frozen=True):
    """What the model takes on the device; amounts in MiB, rounded up."""

    weights: int
    work: int
    total: int
    streams: int
    events: int
    notifies: int


def _needs(manifest: ModelManifest) -> Needs:
    memory = manifest.memory
    weights = memory.weights or 0
    work = (memory.memory_size or 0) + (memory.p2p or 0)
    return Needs(
        _mib(weights),
        _mib(work),
        _mib(weights + work),
        memory.streams or 0,
        memory.events or 0,
        memory.notifies or 0,
    )


def _mib(size: int) -> int:
    return -(-size // _MIB)


@predicate("content.device_needs", evidence=Needs)
def device_needs(context: Context, _: object) -> Iterator[Outcome]:
    """What the model takes on the device, for whoever plans its memory and streams."""
    manifest = context.manifest
    if manifest is None:
        return
    needs = _needs(manifest)
    if needs.total or needs.streams:
        yield Hit(
            needs,
            (
                Evidence(
                    "device memory",
                    "",
                    f"{needs.total} MiB",
                    found_from="WEIGHTS_DATA size, attributes memory_size and p2p_memory_size",
                ),
                Evidence("streams", "", str(needs.streams), found_from="attribute stream_num"),
            ),
            location=context.place("block 0"),
        )


class MemoryShortage(Struct, frozen=True):
    """More memory than the device has; amounts in MiB."""

    need: int
    available: int
    soc: str


@predicate("content.memory_exceeds_device", evidence=MemoryShortage)
def memory_exceeds_device(context: Context, _: object) -> Iterator[Outcome]:
    """The model alone needs more memory than the SoC has."""
    manifest, soc = context.manifest, context.target.soc.value
    facts = known_soc(context, soc or "")
    if manifest is None or facts is None or not facts.memory_bytes:
        return
    need, available = _needs(manifest).total, facts.memory_bytes // _MIB
    if need > available:
        yield Hit(
            MemoryShortage(need, available, facts.soc_version),
            (Evidence("device memory", f"{available} MiB", f"{need} MiB", facts.source),),
            location=context.place("block 0"),
            position=ordering.environment(135),
            certainty=Certainty.LIKELY,
        )


class AttributeFacts(Struct, frozen=True):
    """Attributes that contradict each other."""

    detail: str


@predicate("content.memory_attributes_differ", evidence=AttributeFacts)
def memory_attributes_differ(context: Context, _: object) -> Iterator[Outcome]:
    """zero_copy_memory_size above memory_size, or a memory description with too few numbers."""
    manifest = context.manifest
    if manifest is None:
        return
    total, zero_copy = manifest.memory.memory_size, manifest.memory.zero_copy
    if zero_copy is not None and zero_copy > (total or 0):
        detail = f"zero_copy_memory_size {zero_copy} is larger than memory_size {total or 0}"
        yield _attribute_hit(context, detail, "zero_copy_memory_size", 131)
    parts = _list(manifest.attributes.get("sub_memory_info"))
    if any(isinstance(part, (list, tuple)) and len(part) < 3 for part in parts):
        detail = "an entry of sub_memory_info has fewer than three numbers"
        yield _attribute_hit(context, detail, "sub_memory_info", 131)


@predicate("content.notify_types_differ", evidence=AttributeFacts)
def notify_types_differ(context: Context, _: object) -> Iterator[Outcome]:
    """notify_num and the number of notify_types differ."""
    manifest = context.manifest
    if manifest is None or "notify_types" not in manifest.attributes:
        return
    types = len(_list(manifest.attributes.get("notify_types")))
    wanted = manifest.memory.notifies or 0
    if types != wanted:
        detail = f"notify_num is {wanted}, notify_types has {types} entries"
        yield _attribute_hit(context, detail, "notify_types", 140)


def _list(attribute: Attribute | None) -> tuple[object, ...]:
    value = attribute.value if attribute is not None else None
    return tuple(value) if isinstance(value, (list, tuple)) else ()


def _attribute_hit(context: Context, detail: str, subject: str, order: int) -> Hit:
    return Hit(
        AttributeFacts(detail),
        (Evidence(subject, "consistent attributes", detail, found_from="model attributes"),),
        location=context.place("block 0 / MODEL_DEF"),
        position=ordering.environment(order),
        certainty=Certainty.LIKELY,
    )


class AicpuOperators(Struct, frozen=True):
    """Operators that the device's own operator library must have."""

    operators: tuple[str, ...]


@predicate("content.device_operator_list", evidence=AicpuOperators)
def device_operator_list(context: Context, _: object) -> Iterator[Outcome]:
    """The loader asks the device for these operators; files cannot answer."""
    manifest = context.manifest
    if manifest is None:
        return
    names: dict[str, None] = {}
    for key in ("needCheckCpu", "needCheckTf"):
        names.update((str(item), None) for item in _list(manifest.attributes.get(key)))
    if names:
        yield Hit(
            AicpuOperators(tuple(names)),
            (
                Evidence(
                    "operators of the device's library",
                    "all of these",
                    ", ".join(names),
                    "the driver package on the device",
                    "attributes needCheckCpu, needCheckTf",
                ),
            ),
            location=context.place("block 0 / MODEL_DEF"),
            certainty=Certainty.POSSIBLE,
        )


class Determinism(Struct, frozen=True):
    """Settings about deterministic computing inside the model."""

    settings: tuple[str, ...]


@predicate("content.determinism_recorded", evidence=Determinism)
def determinism_recorded(context: Context, _: object) -> Iterator[Outcome]:
    """A dynamic model records determinism; a process with another setting cannot load it."""
    manifest = context.manifest
    if manifest is None:
        return
    settings = tuple(
        f"{key}={manifest.attributes[key].value}"
        for key in ("deterministic", "deterministic_level")
        if key in manifest.attributes
    )
    if settings:
        yield Hit(
            Determinism(settings),
            (Evidence("process options", "unset, or the same", ", ".join(settings)),),
            location=context.place("block 0 / MODEL_DEF"),
            certainty=Certainty.POSSIBLE,
        )


class MissingKernels(Struct, frozen=True):
    """Operators of a dynamic model for which the target lists no kernel."""

    operators: tuple[str, ...]
    soc: str


@predicate("content.kernels_not_on_target", evidence=MissingKernels)
def kernels_not_on_target(context: Context, _: object) -> Iterator[Outcome]:
    """A dynamic model relies on installed kernels, and the target lists none for these types."""
    manifest, kernels = context.manifest, context.target.kernels
    if manifest is None or not manifest.dynamic or manifest.kernels:
        return
    missing = tuple(
        row.type
        for row in manifest.operators
        if row.type not in _WITHOUT_KERNEL and row.type not in kernels
    )
    if not missing:
        return
    soc = context.target.soc.value or "the target"
    yield Hit(
        MissingKernels(missing, soc),
        (
            Evidence(
                "operators with kernels",
                ", ".join(missing),
                "not listed",
                "model",
                context.target.kernels_source,
            ),
        ),
        location=context.place("MODEL_DEF"),
        certainty=Certainty.POSSIBLE,
    )
