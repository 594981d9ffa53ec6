"""`read_model`: a file taken apart and understood as far as it goes, weights never read."""

from __future__ import annotations

import os
from dataclasses import dataclass

from msgspec.structs import replace

from preflight.container.read import Loader, read_container
from preflight.container.source import FileSource, Source, SubSource, open_source
from preflight.container.types import Container, ContainerKind, Fault, Note
from preflight.model.contents import Contents, read_contents
from preflight.model.manifest import ModelFile

MAX_DEPTH = 4  # of models inside models; a flow model inside a bundle has 2
MAX_NESTED = 10_000  # models inside one file


def read_model(
    what: str | os.PathLike[str] | bytes | Source, *, path: str = "", loader: Loader = "auto"
) -> ModelFile:
    """Container, manifest and everything wrong with them; `path` is shown instead of the source's.

    `loader` is that of read_container: "auto" reads each kind as its own loader does.
    Raises UnreadableInput when the file cannot be read at all; damage inside becomes `faults`, and
    a file that is no model has kind NOT_A_MODEL with words that say what it is.
    """
    source = open_source(what)
    try:
        model = _read(source, path or source.name, loader, _Budget())
    finally:
        if source is not what and isinstance(source, FileSource):
            source.close()
    return replace(model, bytes_read=getattr(source, "bytes_read", 0))


@dataclass
class _Budget:
    """How many nested models may still be opened, and how deep."""

    left: int = MAX_NESTED
    depth: int = 0


def _read(source: Source, path: str, loader: Loader, budget: _Budget) -> ModelFile:
    container = read_container(source, loader=loader)
    contents = read_contents(source, container)
    manifest = contents.manifest
    if manifest is not None and manifest.single_op and container.kind is ContainerKind.OM:
        container = replace(
            container, kind=ContainerKind.SINGLE_OP, what=f"single-operator {container.what}"
        )
    nested, notes = _nested(source, container, path, budget)
    return ModelFile(
        path=path,
        container=container,
        manifest=manifest,
        faults=_ordered(container.faults + contents.faults),
        standard_faults=_standard_faults(container, contents),
        notes=container.notes + contents.notes + notes,
        nested=nested,
        sha256=contents.digest,
    )


def _standard_faults(container: Container, contents: Contents) -> tuple[Fault, ...]:
    standard = container.as_standard
    if standard is None:
        return _ordered(container.faults + contents.faults)
    return _ordered(standard.faults + contents.standard_faults)


def _ordered(faults: tuple[Fault, ...]) -> tuple[Fault, ...]:
    return tuple(sorted(faults, key=lambda fault: fault.position))


def _nested(
    source: Source, container: Container, path: str, budget: _Budget
) -> tuple[tuple[ModelFile, ...], tuple[Note, ...]]:
    """The models inside, each read by its own kind; named caps end it with a note."""
    models: list[ModelFile] = []
    if container.nested and budget.depth >= MAX_DEPTH:
        text = f"models inside models deeper than {MAX_DEPTH} levels are not opened"
        return (), (Note("cap.depth", text),)
    budget.depth += 1
    for entry in container.nested:
        if not budget.left:
            budget.depth -= 1
            text = f"more than {MAX_NESTED} models in one file; the rest is not opened"
            return tuple(models), (Note("cap.nested", text, entry.offset),)
        budget.left -= 1
        inner = SubSource(source, entry.offset, entry.size, entry.name)
        model = _read(inner, f"{path}!{entry.name}", "auto", budget)
        models.append(replace(model, name=entry.name))
    budget.depth -= 1
    return tuple(models), ()
