"""`read_container`: the one entry from bytes to parts, whatever kind of file it is."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Literal, get_args

from msgspec.structs import replace

from preflight.container.bundle import MIN_BUNDLE, read_bundle
from preflight.container.embedded import (
    MODEL_DEF_FIELDS,
    bare_block,
    is_bare,
    is_hiai,
    is_nano,
    name_old_inout,
    read_bare,
    read_hiai,
    read_nano,
)
from preflight.container.flow import add_submodels
from preflight.container.header import (
    HEADER_SIZE,
    MAGIC_BYTES,
    MODELTYPE_BUNDLE,
    MODELTYPE_FLOW,
    parse_header,
)
from preflight.container.source import FileSource, Source, open_source
from preflight.container.standard import walk_single_op, walk_standard
from preflight.container.types import Container, ContainerKind, Fault, Header
from preflight.container.wire import looks_like
from preflight.errors import MalformedInput, UsageError

Loader = Literal["auto", "standard", "single_op", "flow", "bundle", "nano", "om2"]
ZIP_MAGIC = b"PK\x03\x04"


def read_container(
    what: str | os.PathLike[str] | bytes | Source, *, loader: Loader = "auto"
) -> Container:
    """Take a file apart: its kind, blocks and partitions, and everything that is wrong with it.

    `auto` reads each kind as its own loader does; every other value reads the bytes as that loader
    would, whatever they are. For kinds that are not the standard loader's,
    `Container.as_standard` says what that one would make of the file.
    Raises UnreadableInput when the file cannot be read at all; damage becomes `faults`.
    """
    if loader not in get_args(Loader):
        raise UsageError(f"unknown loader '{loader}'", hint=f"one of {', '.join(get_args(Loader))}")
    source = open_source(what)
    try:
        return _READERS[loader](source)
    finally:
        if source is not what and isinstance(source, FileSource):
            source.close()


def _auto(source: Source) -> Container:
    head = source.read(0, min(4, source.size))
    standard = walk_standard(source)
    if source.size == 0:
        standard = replace(standard, faults=(_EMPTY,))
    if head == MAGIC_BYTES and standard.header is not None:
        return _with_header(source, standard, standard.header)
    found = _zip(source) if head == ZIP_MAGIC else _without_header(source)
    if found is not None:
        return replace(found, as_standard=standard)
    from preflight.container.sniff import guess  # only odd files pay for its patterns

    result = guess(source)
    return replace(
        standard,
        kind=ContainerKind.NOT_A_MODEL,
        what=result.what,
        advice=result.advice,
        header=None,
        blocks=(),
        notes=(),
    )


# §D.1 step 4 and corrections: a file of 0 bytes fails where its length is asked for
_EMPTY = Fault("file.len", "the file is empty", (31,), message_codes=("E13015",))


def _with_header(source: Source, standard: Container, header: Header) -> Container:
    """One of the kinds that start with the 256-byte header; the first that claims the file."""
    for belongs, read in _HEADER_KINDS:
        if belongs(source, header):
            return replace(_say_cut(read(source, standard, header)), as_standard=standard)
    return _say_cut(name_old_inout(standard, source))


Belongs = Callable[[Source, Header], bool]
Read = Callable[[Source, Container, Header], Container]
_HEADER_KINDS: tuple[tuple[Belongs, Read], ...] = (
    (lambda source, header: header.modeltype == MODELTYPE_BUNDLE, lambda s, c, h: read_bundle(s)),
    (lambda source, header: is_hiai(header), lambda s, c, h: read_hiai(s, h)),
    (
        lambda source, header: header.modeltype == MODELTYPE_FLOW,
        lambda s, c, h: add_submodels(c, s),
    ),
    (is_nano, lambda s, c, h: read_nano(s, h)),
    (is_bare, lambda s, c, h: read_bare(s, h)),
)


def _say_cut(container: Container) -> Container:
    """Add to `what` how far a file is from the length that its header announces."""
    header = container.header
    if header is None or not any(f.check == "hdr.length_or_magic" for f in container.faults):
        return container
    missing = header.payload_length + HEADER_SIZE - container.size
    if missing > 0:
        return replace(container, what=f"{container.what}, cut short: {missing} bytes are missing")
    return replace(container, what=f"{container.what}, with {-missing} bytes too many")


def _zip(source: Source) -> Container:
    from preflight.container.om2 import Package, is_package, read_om2  # zipfile is slow to import

    try:
        package = Package(source)
    except MalformedInput as error:
        fault = Fault("om2.zip", error.message, (501, 0))
        what = "ZIP archive whose directory cannot be read"
        advice = "copy or download the file again"
        if _starts_like_package(source):
            return Container(
                ContainerKind.OM2, f"OM2 package: {what}", source.size, faults=(fault,)
            )
        return Container(
            ContainerKind.NOT_A_MODEL, what, source.size, faults=(fault,), advice=advice
        )
    found = read_om2(package)
    if is_package(package):
        return found
    from preflight.container.sniff import guess

    result = guess(source)  # a loader that knows packages takes it for one all the same
    return replace(
        found, kind=ContainerKind.NOT_A_MODEL, what=result.what, advice=result.advice, details={}
    )


def _starts_like_package(source: Source) -> bool:
    """Whether the first entry of a damaged archive is one that OM2 writers put there."""
    name = source.read(min(30, source.size), min(13, max(source.size - 30, 0)))
    return name.startswith(b"data/") or name == b"manifest.json"


def _without_header(source: Source) -> Container | None:
    """Bundles with another magic, `.air` files and text graphs."""
    if source.size < 8:
        return None
    bundle = _bundle_without_magic(source)
    if bundle is not None:
        return bundle
    from preflight.container.sniff import text_graph_format

    if source.read(0, 1) == b"\x0a" and looks_like(source, MODEL_DEF_FIELDS, {7}):
        return Container(
            ContainerKind.AIR,
            "model definition without a container (.air)",
            source.size,
            blocks=(bare_block(0, source.size),),
            details={"schema": "ge"},
        )
    text = text_graph_format(source)
    if text:
        return Container(
            ContainerKind.TEXT_GRAPH, f"text graph ({text})", source.size, details={"format": text}
        )
    return None


def _bundle_without_magic(source: Source) -> Container | None:
    """The bundle reader never compares the magic; whole OMs inside show that the file is one."""
    if source.size < MIN_BUNDLE:
        return None
    if parse_header(source.read(0, HEADER_SIZE)).modeltype != MODELTYPE_BUNDLE:
        return None
    bundle = read_bundle(source)
    whole = not bundle.faults and all(entry.size >= HEADER_SIZE for entry in bundle.nested)
    if not bundle.nested or not whole:
        return None
    heads = {source.read(entry.offset, len(MAGIC_BYTES)) for entry in bundle.nested}
    return bundle if heads == {MAGIC_BYTES} else None


def _as_flow(source: Source) -> Container:
    return add_submodels(walk_standard(source), source)


def _as_nano(source: Source) -> Container:
    if source.size < HEADER_SIZE:
        fault = Fault("nano.magic", f"{source.size} bytes, the header alone has 256", (600,))
        return Container(ContainerKind.NANO, "no complete header", source.size, faults=(fault,))
    return read_nano(source, parse_header(source.read(0, HEADER_SIZE)))


def _as_om2(source: Source) -> Container:
    from preflight.container.om2 import Package, read_om2

    try:
        return read_om2(Package(source))
    except MalformedInput as error:
        faults = (Fault("om2.zip", error.message, (501, 0)),)
        return Container(ContainerKind.OM2, "no readable archive", source.size, faults=faults)


_READERS: dict[str, Callable[[Source], Container]] = {
    "auto": _auto,
    "standard": walk_standard,
    "single_op": walk_single_op,
    "flow": _as_flow,
    "bundle": read_bundle,
    "nano": _as_nano,
    "om2": _as_om2,
}
