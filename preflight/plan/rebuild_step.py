"""The rebuild step of a plan, made from a recipe."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Protocol

from preflight.model.manifest import ModelFile
from preflight.plan.model import FileUse, OpenQuestion, SideFile, Step
from preflight.plan.recipe import build_recipe
from preflight.plan.recipe_types import BuildGoal, MovedDefault, Recipe


class _Options(Protocol):
    @property
    def output_dir(self) -> str: ...
    @property
    def source_dir(self) -> Path | None: ...
    @property
    def fills(self) -> Mapping[str, str]: ...
    @property
    def exists(self) -> Callable[[Path], bool]: ...


def rebuild_step(
    model: ModelFile,
    goal: BuildGoal,
    options: _Options,
    defaults: tuple[MovedDefault, ...],
    number: int,
) -> Step:
    """The step that compiles one model for `goal`; without a manifest only the gaps are known."""
    produces = output_path(model, goal, options)
    recipe = recipe_for(model, goal, options, produces, defaults)
    if recipe is None:
        return Step(
            f"rebuild-{number}",
            "rebuild",
            f"Compile {Path(model.path).name} again for {goal.soc or 'the target'}",
            model=model.path,
            produces=produces,
            instruction="the file says nothing about its source: compile the source model with atc"
            f" for {goal.soc} and put the result at {produces}",
        )
    return Step(
        f"rebuild-{number}",
        "rebuild",
        f"Compile {Path(model.path).name} again for {goal.soc or 'the target'}",
        model=model.path,
        produces=produces,
        command=recipe.argv,
        needs=tuple(FileUse(f.option, f.path, f.need, f.place) for f in recipe.files),
        open_questions=tuple(OpenQuestion(g.name, g.option, g.what, g.kind) for g in recipe.gaps),
        problems=recipe.problems,
        side_files=tuple(SideFile(e.option, e.name, e.content) for e in recipe.extra_files),
        reasons=recipe_reasons(recipe),
    )


def recipe_for(
    model: ModelFile,
    goal: BuildGoal,
    options: _Options,
    produces: str,
    defaults: tuple[MovedDefault, ...] = (),
) -> Recipe | None:
    """The recipe behind a rebuild step, None for a file without a readable model definition."""
    if model.manifest is None:
        return None
    return build_recipe(
        model.manifest,
        goal,
        output=str(Path(produces).with_suffix("")),
        source_dir=options.source_dir,
        fills=options.fills,
        moved=defaults,
        exists=options.exists,
    )


def recipe_reasons(recipe: Recipe) -> tuple[str, ...]:
    """What differs from the recorded command, in words."""
    said = [
        f"--{line.name}: {line.old if line.old is not None else '(not given)'} -> "
        f"{line.new if line.in_command else '(left out)'}: {line.reason}"
        for line in recipe.lines
        if line.change not in ("carried", "gap") or not line.sure
    ]
    return (*said, *recipe.notes)


def output_path(model: ModelFile, goal: BuildGoal, options: _Options) -> str:
    """A new name beside the old file (or in `output_dir`), in a folder of its own with weights.

    Weights outside the model lie in a folder `weight` beside it, which must not be mixed with
    those of the old model. Never the name of a file that exists.
    """
    old = Path(model.path).absolute()
    folder = Path(options.output_dir).absolute() if options.output_dir else old.parent
    tag = ".".join(part for part in (goal.soc, goal.release) if part) or "rebuilt"
    stem = old.name.removesuffix(old.suffix) if old.suffix else old.name
    if model.manifest is not None and model.manifest.external_weights:
        folder = folder / f"{stem}.{tag}"
    candidate, count = folder / f"{stem}.{tag}.om", 1
    while options.exists(candidate):
        count += 1
        candidate = folder / f"{stem}.{tag}-{count}.om"
    return str(candidate)
