"""`read_model`: a file taken apart and understood as far as it goes, weights never read."""

from __future__ import annotations

import hashlib
import os
from dataclasses import replace

from preflight.container.partitions import MODEL_DEF
from preflight.container.read import read_container
from preflight.container.source import FileSource, Source, open_source
from preflight.container.types import Block, Container, ContainerKind, Fault
from preflight.model.content import Content
from preflight.model.definition import ModelDefinition, decode_model_definition
from preflight.model.facts import build_manifest
from preflight.model.manifest import ModelFile

_DEFINITION_CAP = (1 << 31) - 1  # the loader's own limit for MODEL_DEF (§A.5)


def read_model(what: str | os.PathLike[str] | bytes | Source, *, path: str = "") -> ModelFile:
    """Container, manifest and everything wrong with them.

    Raises UnreadableInput when the file cannot be read at all; damage inside becomes `faults`, and
    a file that is no model has kind NOT_A_MODEL with words that say what it is.
    """
    source = open_source(what)
    try:
        return _read(source, path or source.name)
    finally:
        if source is not what and isinstance(source, FileSource):
            source.close()


def _read(source: Source, path: str) -> ModelFile:
    container = read_container(source)
    digest = hashlib.sha256()
    if container.header is not None:
        digest.update(source.read(0, 256))
    faults = list(container.faults)
    definitions: list[ModelDefinition] = []
    for block in container.blocks:
        digest.update(source.read(block.offset, min(block.table_size, source.size - block.offset)))
        definition = _definition(source, block, digest)
        definitions.append(definition)
        faults += [_outer(fault) for fault in definition.faults]
    manifest = build_manifest(container, definitions, Content())
    if manifest is not None and manifest.single_op and container.kind is ContainerKind.OM:
        container = replace(container, kind=ContainerKind.SINGLE_OP)
    return ModelFile(
        path=path,
        container=container,
        manifest=manifest,
        faults=tuple(sorted(faults, key=lambda fault: fault.position)),
        notes=container.notes,
        sha256=digest.hexdigest(),
        bytes_read=getattr(source, "bytes_read", 0),
    )


def _definition(source: Source, block: Block, digest: "hashlib._Hash") -> ModelDefinition:
    part = block.first(MODEL_DEF)
    data = source.read(part.offset, part.size) if part is not None else b""
    digest.update(data)
    return decode_model_definition(data, block=block.index)


def _outer(fault: Fault) -> Fault:
    """The code that LoadRootModel adds around every failure of the content (27)."""
    codes = tuple(dict.fromkeys((*fault.message_codes, "E19999")))
    return replace(fault, message_codes=codes)
