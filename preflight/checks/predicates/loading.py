"""Predicates about what the program that loads the model passes, and files beside it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from msgspec import Struct

from preflight.checks import ordering
from preflight.checks.context import Context
from preflight.checks.predicate import Hit, Outcome, Undecided, predicate
from preflight.findings import Certainty, Evidence

_FILE_CONSTANT = "FileConstant"
_WEIGHT_FOLDER = "weight"  # below the model's folder, when no path is passed (§D.1 step 7)


class WeightPath(Struct, frozen=True):
    """The weights folder that the program passes."""

    path: str


@predicate("loading.weight_path_unused", evidence=WeightPath)
def weight_path_unused(context: Context, _: object) -> Iterator[Outcome]:
    """A weights folder is passed and the graph has no FileConstant."""
    path, manifest = context.assumptions.weight_path, context.manifest
    if path is None or manifest is None:
        return
    if not any(row.type == _FILE_CONSTANT for row in manifest.operators):
        yield Hit(
            WeightPath(path),
            (Evidence("FileConstant operators", "at least one", "none", "weight path option"),),
            location=context.place(),
            position=ordering.environment(100),
        )


@predicate("loading.weight_path_missing", evidence=WeightPath)
def weight_path_missing(context: Context, _: object) -> Iterator[Outcome]:
    """The weights folder that is passed does not exist; elsewhere it may."""
    path = context.assumptions.weight_path
    if path is None or Path(path).exists():
        return
    if context.target.origin != "installed":
        yield Undecided(f"{path} does not exist here; whether the target has it is not known")
        return
    yield Hit(
        WeightPath(path),
        (Evidence("weights folder", "an existing folder", f"{path} (absent)", "weight path"),),
        location=context.place(),
        position=ordering.environment(101),
    )


class WeightFile(Struct, frozen=True):
    """A weight file that the model refers to."""

    file: str
    folder: str


@predicate("loading.weight_file_missing", evidence=WeightFile)
def weight_file_missing(context: Context, _: object) -> Iterator[Outcome]:
    """The folder of external weights is here, and a file that the model needs is not in it."""
    manifest = context.manifest
    if manifest is None:
        return
    if not manifest.external_weights:
        if any(row.type == _FILE_CONSTANT for row in manifest.operators):
            yield Undecided("FileConstant operators of the model do not say in which file they are")
        return
    given = context.assumptions.weight_path
    folder = Path(given) if given else Path(context.base_dir, _WEIGHT_FOLDER)
    names = dict.fromkeys(PurePosixPath(text).name for text in manifest.external_weights)
    if not folder.is_dir():
        listed = ", ".join(names)
        yield Undecided(f"the model needs {listed} in {folder}, which is not here to look into")
        return
    for name in names:
        if not (folder / name).is_file():
            yield Hit(
                WeightFile(name, str(folder)),
                (Evidence("weight file", f"{name} in {folder}", "absent", "FileConstant"),),
                location=context.place("MODEL_DEF"),
                position=ordering.environment(138),
                certainty=Certainty.LIKELY,
            )


class BundleCall(Struct, frozen=True):
    """A bundle and how it is loaded."""

    models: int


@predicate("loading.bundle_needs_its_own_call", evidence=BundleCall)
def bundle_needs_its_own_call(context: Context, _: object) -> Iterator[Outcome]:
    """A reminder: the plain load call refuses bundles."""
    count = len(context.model.container.nested)
    yield Hit(
        BundleCall(count),
        (Evidence("load call", "aclmdlBundleLoadFromFile", "a bundle", found_from="modeltype 5"),),
        location=context.place(),
    )
