"""Definitions, stores and facts of one container, by its kind; nested models are not looked at."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field

from msgspec.structs import replace

from preflight.container.flow import SUBMODEL_OM
from preflight.container.partitions import FLOW_MODEL, FLOW_SUBMODEL, MODEL_DEF
from preflight.container.source import Source, SubSource
from preflight.container.types import Block, Container, ContainerKind, Fault, Note, Partition
from preflight.container.wire import LENGTH, scan_fields
from preflight.errors import MalformedInput
from preflight.model.attributes import message_flag
from preflight.model.compression import decompress, dictionary_of
from preflight.model.content import Content
from preflight.model.definition import (
    ModelDefinition,
    check_definition,
    decode_model_definition,
)
from preflight.model.facts import build_manifest
from preflight.model.manifest import ModelManifest
from preflight.model.parse import INT32_MAX, parse_message
from preflight.model.stores import read_stores

HEADER_SIZE = 256
_SNIFFED = 4096  # bytes that identify a file without a model
_PARTITIONED = "_dynamic_shape_partitioned"
# Kinds whose partitions beside MODEL_DEF have the standard meaning.
_STANDARD = frozenset({ContainerKind.OM, ContainerKind.SINGLE_OP, ContainerKind.FLOW})


@dataclass
class Contents:
    """What one container holds. `digest` is the hex SHA-256 of what identifies it.

    That is the header, the tables and the model definitions in file order; for text graphs the
    text, for packages the directory, for anything else the first 4096 bytes.
    """

    manifest: ModelManifest | None = None
    faults: tuple[Fault, ...] = ()
    standard_faults: tuple[Fault, ...] = ()
    notes: tuple[Note, ...] = ()
    digest: str = ""


def read_contents(source: Source, container: Container) -> Contents:
    """Read everything but weights and bodies of kernels; never raises for content."""
    read = _BY_KIND.get(container.kind, _nothing)
    return read(source, container)


@dataclass
class _Definitions:
    """Definitions by place, so that two views of the same bytes read them once."""

    source: Source
    known: dict[tuple[int, int, int], ModelDefinition] = field(default_factory=dict)
    notes: list[Note] = field(default_factory=list)
    digest: hashlib._Hash = field(default_factory=hashlib.sha256)

    def of_block(self, block: Block) -> ModelDefinition:
        """An absent MODEL_DEF counts as an empty one: the loader parses no bytes (§A.5)."""
        part = block.first(MODEL_DEF)
        place = (part.offset, part.size, block.index) if part else (0, 0, block.index)
        if place not in self.known:
            self.known[place] = self._read(place[0], place[1], block.index)
        return self.known[place]

    def _read(self, offset: int, size: int, block: int) -> ModelDefinition:
        # Longer than the loader can parse: the verdict is clear without the bytes.
        data = self.source.read(offset, size) if size <= INT32_MAX else b""
        self.digest.update(data)
        definition = decode_model_definition(data, block=block)
        if size > INT32_MAX:
            detail = f"MODEL_DEF of {size} bytes is longer than the loader can parse"
            fault = replace(definition.faults[0], detail=detail, data={"why": "proto_parse"})
            definition.faults = (fault,)
        elif definition.ok and definition.length < len(data):
            rest = len(data) - definition.length
            text = f"the model definition of block {block} ends {rest} bytes before its partition"
            self.notes.append(Note("definition_tail", text, offset + definition.length))
        return definition

    def of_blocks(self, container: Container) -> tuple[list[ModelDefinition], tuple[Fault, ...]]:
        """Definitions of all blocks, compression undone, and their faults."""
        blocks, kind, whole = container.blocks, container.kind, not container.faults
        definitions = [self.of_block(block) for block in blocks if _has_definition(block, kind)]
        if not blocks and whole and kind in _STANDARD:
            # A dynamic model of no blocks at all passes the walk.
            definitions.append(decode_model_definition(b""))
        faults = [fault for d in definitions for fault in d.faults]
        faults += _decompressed(definitions)
        return definitions, tuple(map(_wrapped, faults))


def _has_definition(block: Block, kind: ContainerKind) -> bool:
    """Other loaders need none in every block; a table that leaves the file fails before that."""
    whole = block.declared_count == len(block.partitions)
    return block.first(MODEL_DEF) is not None or (kind in _STANDARD and whole)


def _decompressed(definitions: list[ModelDefinition]) -> list[Fault]:
    """A partitioned root lends its dictionary to the other blocks (corrections 19)."""
    if not definitions:
        return []
    faults = []
    shared = None
    root = definitions[0]
    if root.root is not None and message_flag(root.root.attributes.get(_PARTITIONED)):
        shared = dictionary_of(root.attributes)
    for definition in definitions:
        if definition.dictionary is None:
            own = dictionary_of(definition.attributes)
            fault = decompress(definition, own if own is not None else shared)
            faults += [fault] if fault is not None else []
    return faults


def _wrapped(fault: Fault) -> Fault:
    """With the code that LoadRootModel adds to every failure of the content (corrections 27)."""
    codes = tuple(dict.fromkeys((*fault.message_codes, "E19999")))
    return replace(fault, message_codes=codes)


def _blocks(source: Source, container: Container) -> Contents:
    """Kinds with header and tables."""
    reading = _Definitions(source)
    if container.header is not None:
        reading.digest.update(source.read(0, HEADER_SIZE))
    for block in container.blocks:
        end = min(block.offset + block.table_size, source.size)
        reading.digest.update(source.read(block.offset, end - block.offset))
    definitions, faults = reading.of_blocks(container)
    content, notes = Content(), tuple[Note, ...]()
    if container.kind in _STANDARD:
        content, more, notes = read_stores(source, container.blocks)
        faults += more
    if container.kind is ContainerKind.FLOW:
        faults += _flow_faults(source, container)
    manifest = build_manifest(container, definitions, content)
    return Contents(
        manifest,
        faults,
        _standard(source, container, reading),
        notes + tuple(reading.notes),
        reading.digest.hexdigest(),
    )


def _standard(source: Source, container: Container, reading: _Definitions) -> tuple[Fault, ...]:
    """Content faults as the standard loader meets them, unless its own walk fails before."""
    standard = container.as_standard
    if standard is None or standard.faults:
        return ()
    _, faults = reading.of_blocks(standard)
    return faults + read_stores(source, standard.blocks)[1]


def _flow_faults(source: Source, container: Container) -> tuple[Fault, ...]:
    """FLOW_MODEL must be a FlowModelDef and every FLOW_SUBMODEL a SubmodelDef."""
    if not container.blocks or container.faults:
        return ()
    kinds = {FLOW_MODEL: "FlowModelDef", FLOW_SUBMODEL: "SubmodelDef"}
    faults = []
    for part in container.blocks[0].partitions:
        kind = kinds.get(part.id)
        if kind is None or _parses(source, part, kind):
            continue
        text = f"{part.name} is not a message of its kind (ge.flow_model.proto.{kind})"
        position = (401, part.index)
        faults.append(Fault("flow.proto", text, position, block=0, partition=part.index))
    return tuple(faults)


def _parses(source: Source, part: Partition, kind: str) -> bool:
    """Whether a partition is a message; the model inside a submodel may hold anything."""
    if part.size > INT32_MAX:
        return False
    message = SubSource(source, part.offset, part.size, part.name)
    pieces, start = [], 0
    try:
        for found in scan_fields(message) if kind == "SubmodelDef" else ():
            if found.number == SUBMODEL_OM and found.kind == LENGTH:
                pieces.append((start, found.start - start))
                start = found.offset + found.size
    except MalformedInput:
        return False
    pieces.append((start, part.size - start))
    data = b"".join(message.read(offset, length) for offset, length in pieces)
    return parse_message(kind, data)[0] is not None


def _bare(source: Source, container: Container) -> Contents:
    if container.details.get("schema") != "domi":
        return _blocks(source, container)
    from preflight.model.old_model import convert_old_definition

    part = container.blocks[0].partitions[0]
    head, data = source.read(0, HEADER_SIZE), source.read(part.offset, part.size)
    digest = hashlib.sha256(head + data).hexdigest()
    message = convert_old_definition(data)
    if message is None:
        text = "the payload is not a first-generation model definition"
        return Contents(faults=(Fault("bare.parse", text, (80, 0, 80), block=0),), digest=digest)
    definition = check_definition(message, len(data), 0)
    return Contents(build_manifest(container, [definition], Content()), digest=digest)


def _text(source: Source, container: Container) -> Contents:
    from preflight.model.text_graph import MAX_TEXT, parse_text_graph

    if source.size > MAX_TEXT:
        text = f"a text graph of {source.size} bytes is not read, {MAX_TEXT} at most"
        return Contents(faults=(Fault("cap.text", text, (80, 0, 80)),))
    data = source.read(0, source.size)
    digest = hashlib.sha256(data).hexdigest()
    message, problem = parse_text_graph(data, str(container.details.get("format")))
    if message is None:
        return Contents(faults=(Fault("text.parse", problem, (80, 0, 80)),), digest=digest)
    definition = check_definition(message, len(data), 0)
    return Contents(build_manifest(container, [definition], Content()), digest=digest)


def _package(source: Source, container: Container) -> Contents:
    from preflight.container.om2 import Package
    from preflight.model.om2_facts import om2_manifest

    try:
        package = Package(source)
    except MalformedInput:  # container.faults says so already
        return _nothing(source, container)
    digest = hashlib.sha256()
    for info in package.infos:
        digest.update(
            f"{info.filename}\0{info.CRC:08x}\0{info.file_size}\n".encode("utf-8", "replace")
        )
    manifest, notes = om2_manifest(container, package)
    return Contents(manifest, notes=notes, digest=digest.hexdigest())


def _nothing(source: Source, container: Container) -> Contents:
    head = source.read(0, min(_SNIFFED, source.size))
    return Contents(digest=hashlib.sha256(head).hexdigest())


_BY_KIND: dict[ContainerKind, Callable[[Source, Container], Contents]] = {
    ContainerKind.OM: _blocks,
    ContainerKind.SINGLE_OP: _blocks,
    ContainerKind.FLOW: _blocks,
    ContainerKind.NANO: _blocks,
    ContainerKind.HIAI: _blocks,
    ContainerKind.AIR: _blocks,
    ContainerKind.BARE: _bare,
    ContainerKind.TEXT_GRAPH: _text,
    ContainerKind.OM2: _package,
    ContainerKind.BUNDLE: _nothing,
    ContainerKind.NOT_A_MODEL: _nothing,
}
