"""The facts that a model would have after atc compiled it for a target, without compiling it."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec.structs import replace

from preflight.container import partitions as ids
from preflight.container.header import VERSION_V2, new_header
from preflight.container.types import Block, Container, ContainerKind, Partition
from preflight.model.manifest import Attribute, Kernel, ModelFile, ModelManifest, SoStore
from preflight.target.types import Fact, Target

# What a compiler makes again as it was; everything else becomes a standard OM.
_KEPT_KINDS = (
    ContainerKind.OM,
    ContainerKind.SINGLE_OP,
    ContainerKind.FLOW,
    ContainerKind.BUNDLE,
)
# What every static model has (§A.5), where the old file does not show what the new one will have.
_USUAL_PARTITIONS = (ids.MODEL_DEF, ids.WEIGHTS_DATA, ids.TASK_INFO, ids.TBE_KERNELS)
_OUTSIDE = "FileConstant"  # the operator that stands for weights in another file
_MOST_PARTITIONS = 5  # of the oldest loader; a release accepts `partition_extra` more (§A.4)


def rebuilt(model: ModelFile, target: Target, path: str) -> ModelFile:
    """The model file that atc of the target's release would write for the target's SoC and host.

    What a compiler decides (kernels, memory, fusion) is left as it was; what it records about
    itself, the SoC and the host becomes the target's (§C.6). A release's own writer never exceeds
    the number of partitions that its loader accepts.
    """
    sound = model.container.kind in _KEPT_KINDS and not model.faults
    manifest = _manifest(model.manifest, target, sound) if model.manifest is not None else None
    return replace(
        model,
        path=path,
        name="",
        sha256="",
        container=_container(model.container, manifest, target),
        manifest=manifest,
        faults=(),
        standard_faults=(),
        notes=(),
        nested=tuple(rebuilt(inner, target, inner.path) for inner in model.nested),
    )


def compiled_version(target: Target) -> str:
    """What atc there records as opp_version: Version= of the operator package, or the release's."""
    return target.opp_version.value or target.internal.value or ""


def accepting_own(target: Target) -> Target:
    """The target, of which at least this much is known: it takes what its own atc writes.

    Where nobody saw the range of versions that its loader accepts, its own version is in it.
    """
    version = compiled_version(target)
    if target.abi_range.known or not version:
        return target
    own = Fact(f">={version},<={version}", "the version of the release's own atc")
    return replace(target, abi_range=own)


def accepting_its_models(target: Target, model: ModelFile) -> Target:
    """The target as it is to a model that its own release compiled: it takes that."""
    manifest = model.manifest
    version = compiled_version(target)
    if manifest is None or not version or manifest.opp_version != version:
        return target
    return accepting_own(target)


def _manifest(old: ModelManifest, target: Target, sound: bool) -> ModelManifest:
    soc = target.soc.value or ""
    facts = target.socs.get(soc)
    version = compiled_version(target)
    carries_host = old.dynamic or old.so_store.present
    host_os = (target.host_os.value or "") if carries_host else ""
    host_cpu = (target.host_cpu.value or "") if carries_host else ""
    arch_type = (facts.arch_type if facts is not None else None) or ""
    compiler_version = version if old.so_store.present else ""
    recorded = {
        "soc_version": soc,
        "arch_type": arch_type,
        "opp_version": version,
        "compiler_version": compiler_version,
        "atc_version": version,
        "host_env_os": host_os,
        "host_env_cpu": host_cpu,
    }
    return replace(
        old,
        soc_version=soc,
        arch_type=arch_type,
        opp_version=version,
        compiler_version=compiler_version,
        atc_version=version,
        host_env_os=host_os,
        host_env_cpu=host_cpu,
        need_check_os_cpu=1 if old.so_store.present else 0,
        so_store=_libraries(old.so_store, host_cpu),
        kernels=old.kernels if sound else (*old.kernels, Kernel("", 0, "TBE_KERNELS")),
        external_weights=(),  # atc writes its own beside the new file, where they are found
        operators=tuple(row for row in old.operators if row.type != _OUTSIDE),
        attributes=_attributes(old.attributes, recorded),
        block_attributes=tuple(
            block if index else _attributes(block, recorded)
            for index, block in enumerate(old.block_attributes)
        ),
    )


def _libraries(store: SoStore, cpu: str) -> SoStore:
    """The host libraries, built for the new host."""
    if not store.present:
        return store
    machines = tuple(
        replace(library, elf_machine=cpu if library.elf_machine else "")
        for library in store.libraries
    )
    return SoStore(present=True, loaded=True, libraries=machines)


def _attributes(old: Mapping[str, Attribute], new: Mapping[str, str]) -> Mapping[str, Attribute]:
    kept = {name: value for name, value in old.items() if name not in new}
    return kept | {name: Attribute(name, "s", value) for name, value in new.items() if value}


def _container(old: Container, manifest: ModelManifest | None, target: Target) -> Container:
    header = old.header
    if header is not None and manifest is not None:
        header = replace(header, need_check_os_cpu_info=manifest.need_check_os_cpu)
    blocks = tuple(_block(block, target) for block in old.blocks)
    behaviour = target.behaviour.value
    package = old.kind is ContainerKind.OM2 and behaviour is not None and behaviour.om2
    if old.kind in _KEPT_KINDS or package:
        return replace(old, header=header, blocks=blocks, faults=(), notes=())
    made = header or new_header(model_length=old.size)
    header = replace(made, version=VERSION_V2, modeltype=0, model_num=1, layout="v3")
    return replace(
        old,
        kind=ContainerKind.OM,
        what="static-shape OM",
        header=header,
        blocks=tuple(_usual(block) for block in blocks),
        faults=(),
        notes=(),
        details={},
        as_standard=None,
    )


def _usual(block: Block) -> Block:
    usual = tuple(Partition(n, p, "", 0, 0, 0) for n, p in enumerate(_USUAL_PARTITIONS))
    return replace(block, table="wide", partitions=usual, declared_count=len(usual))


def _block(block: Block, target: Target) -> Block:
    behaviour = target.behaviour.value
    if behaviour is None:
        return block
    written = {
        ids.CUSTOM_OPS: behaviour.custom_ops,
        ids.BUNDLE_MODEL_VAR_INFO: behaviour.bundle_var_info,
    }
    kept = [p for p in block.partitions if written.get(p.id, True)]
    if ids.BUNDLE_MODEL_INFO in {p.id for p in kept}:  # as many as the bundle has models
        return replace(block, partitions=tuple(kept), declared_count=len(kept))
    most = _MOST_PARTITIONS + behaviour.partition_extra
    # A file that was refused for its count has a table that was not walked: only the number counts.
    declared = min(len(kept) or block.declared_count, most)
    return replace(block, partitions=tuple(kept[:declared]), declared_count=declared)
