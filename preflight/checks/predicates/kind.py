"""Predicates about what kind of file it is (band PF1xx)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from msgspec import Struct
from msgspec.structs import replace

from preflight.checks import ordering
from preflight.checks.context import Context
from preflight.checks.predicate import Hit, Outcome, Undecided, predicate
from preflight.checks.predicates.table import LARGEST_EXTRA, accepted_counts
from preflight.container.types import ContainerKind
from preflight.findings import Certainty, Evidence, Severity


class NotAModelFacts(Struct, frozen=True):
    """What a file is that is no model, and what to do."""

    what: str
    advice: str
    size: int


@predicate("kind.not_a_model", evidence=NotAModelFacts)
def not_a_model(context: Context, _: object) -> Iterator[Outcome]:
    """The file only has the name of a model."""
    container = context.model.container
    if container.kind is not ContainerKind.NOT_A_MODEL:
        return
    yield Hit(
        NotAModelFacts(container.what, container.advice or "get the model again", container.size),
        (
            Evidence(
                subject="kind of file",
                expected="a model file that begins with IMOD or PK",
                found=f"{container.what}, {container.size} bytes",
                found_from="first bytes of the file",
            ),
        ),
        location=context.place(offset=0),
    )


class KindFacts(Struct, frozen=True):
    """A kind of file that the target's loader is not made for."""

    kind: str
    what: str


@predicate("kind.is", evidence=KindFacts)
def kind(context: Context, _: object) -> Iterator[Outcome]:
    """The file is of a kind that the rule's `applies.container` names."""
    container = context.model.container
    yield Hit(
        KindFacts(container.kind.value, container.what),
        (Evidence("kind of file", "a compiled model", container.what, found_from="the file"),),
        location=context.place(),
    )


@predicate("kind.maybe", evidence=KindFacts)
def maybe(context: Context, _: object) -> Iterator[Outcome]:
    """As kind.is, where what becomes of such a file is not known."""
    for hit in kind(context, None):
        assert isinstance(hit, Hit)
        yield replace(hit, certainty=Certainty.POSSIBLE)


@predicate("kind.foreign", evidence=KindFacts)
def foreign(context: Context, _: object) -> Iterator[Outcome]:
    """A file that another program loads, or none: what the standard loader makes of it decides.

    Asked with the file's own loader it is a remark: the caller says that this one will load it.
    """
    container = context.model.container
    own = context.loader != "standard"
    if own:
        where, certainty, severity = f"the {context.loader} loader", Certainty.CERTAIN, _WARNING
    else:
        where = "the standard loader (aclmdlLoadFromFile)"
        certainty = Certainty.CERTAIN if _refused(context) else Certainty.LIKELY
        severity = None
    yield Hit(
        KindFacts(container.kind.value, container.what),
        (Evidence("kind of file", "a compiled model", container.what, where, "the file"),),
        location=context.place(),
        certainty=certainty,
        severity=severity,
    )


_WARNING = Severity.WARNING


def _refused(context: Context) -> bool:
    """Whether the standard loader fails on the bytes, whichever release it is of."""
    if context.model.standard_faults:
        return True
    counts = {block.declared_count for block in context.container.blocks}
    return not counts <= accepted_counts(LARGEST_EXTRA)


class SizeFacts(Struct, frozen=True):
    """A file and its size."""

    size: int


class SizeParams(Struct, frozen=True):
    """The least number of bytes."""

    at_least: int


@predicate("kind.shorter_than", evidence=SizeFacts, params=SizeParams)
def shorter_than(context: Context, params: SizeParams) -> Iterator[Outcome]:
    """The file has fewer bytes than a step of the loader reads."""
    size = context.model.container.size
    if size < params.at_least:
        yield Hit(
            SizeFacts(size),
            (Evidence("file size", f"at least {params.at_least} bytes", str(size)),),
            location=context.place(),
            position=ordering.SNIFF,
        )


class PackageFacts(Struct, frozen=True):
    """An OM2 package for a loader that does not know them."""

    what: str
    release: str


@predicate("kind.package_on_old_loader", evidence=PackageFacts)
def package_on_old_loader(context: Context, _: object) -> Iterator[Outcome]:
    """The loader takes the package for an OM and misses the magic."""
    release = context.behaviour.label if context.behaviour else "the target"
    what = context.model.container.what
    yield Hit(
        PackageFacts(what, release),
        (Evidence("kind of file", "an OM that begins with IMOD", what, release, "first bytes"),),
        location=context.place(offset=0),
        position=ordering.HEADER,
    )


class SubmodelFacts(Struct, frozen=True):
    """A submodel that is a file of its own."""

    name: str
    path: str
    reason: str


@predicate("kind.submodel_path", evidence=SubmodelFacts)
def submodel_path(context: Context, _: object) -> Iterator[Outcome]:
    """A flow model names submodel files that leave its folder or are not there."""
    for submodel in _submodels(context):
        name, path = submodel
        parts = PurePosixPath(path)
        if parts.is_absolute() or ".." in parts.parts:
            yield _submodel_hit(context, name, path, "it leaves the model's folder")
        elif not Path(context.base_dir, path).exists():
            yield Undecided(
                f"the submodel file {path} is not beside the model here; it must be on the target"
            )


def _submodels(context: Context) -> Iterator[tuple[str, str]]:
    found = context.model.container.details.get("submodels", ())
    assert isinstance(found, tuple)
    for submodel in found:
        if submodel.path and not submodel.builtin:
            yield submodel.name, submodel.path


def _submodel_hit(context: Context, name: str, path: str, reason: str) -> Hit:
    return Hit(
        SubmodelFacts(name, path, reason),
        (Evidence("submodel path", "a file below the model's folder", path, found_from=name),),
        location=context.place(name),
        position=(402,),
    )
