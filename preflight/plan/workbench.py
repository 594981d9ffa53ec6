"""The parts of the program that carrying out a plan needs, as functions that tests can replace."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from msgspec import Struct

from preflight.checks.engine import Result
from preflight.model.manifest import ModelFile
from preflight.plan.recipe_types import MovedDefault
from preflight.target.types import Target


def read_model(path: str) -> ModelFile:
    """Read a model file; raises UnreadableInput."""
    from preflight.model.file import read_model as read

    return read(path)


def load_target(spec: str) -> Target:
    """Find a target by what the user wrote; raises UsageError or UnreadableInput."""
    from preflight.target.resolve import load_target as load

    return load(spec)


def check(model: ModelFile, target: Target) -> Result:
    """Run all rules on one model and one target."""
    from preflight.checks.check import check_model

    return check_model(model, target)


def compare_models(old: str, new: str) -> tuple[str, tuple[str, ...]]:
    """The verdict on two model files and what stands against interchanging them, in words."""
    from preflight.compare.models import compare_files

    result = compare_files(old, new, weights=False)
    return result.verdict.value, result.reasons


def compare_tensors(old: str, new: str, model: str = "") -> tuple[bool, tuple[str, ...]]:
    """Whether two folders of tensors agree within tolerance, and the differences in words.

    `model` is the file whose graph gives the order. Nothing to compare counts as not agreeing.
    """
    from preflight.compare.tensors.compare import TensorStatus
    from preflight.compare.tensors.compare import compare_tensors as compare

    manifest = read_model(model).manifest if model else None
    result = compare(Path(old), Path(new), manifest=manifest)
    fine = (TensorStatus.SAME, TensorStatus.WITHIN)
    differences = [
        f"{r.label}: {r.reason or r.status.value}" for r in result.rows if r.status not in fine
    ]
    if not result.rows:
        differences.append("the folders hold no tensors")
    return not differences, (*differences, *result.problems)


def moved_defaults(model: ModelFile, target: Target) -> tuple[MovedDefault, ...]:
    """Attributes to state in the source model before it is compiled for a target."""
    from preflight.plan.defaults import moved_defaults as find

    return find(model, target)


class Workbench(Struct, frozen=True):
    """What `solve` and `apply` use; the defaults are the program's own."""

    read_model: Callable[[str], ModelFile] = read_model
    load_target: Callable[[str], Target] = load_target
    check: Callable[[ModelFile, Target], Result] = check
    compare_models: Callable[[str, str], tuple[str, tuple[str, ...]]] = compare_models
    compare_tensors: Callable[[str, str, str], tuple[bool, tuple[str, ...]]] = compare_tensors
    moved_defaults: Callable[[ModelFile, Target], tuple[MovedDefault, ...]] = moved_defaults
