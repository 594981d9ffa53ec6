"""The rebuild step of a plan, made from a recipe."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Protocol

from msgspec.structs import replace

from preflight.container.types import ContainerKind
from preflight.model.manifest import ModelFile
from preflight.plan.files import whole_path
from preflight.plan.model import Step
from preflight.plan.recipe import build_recipe
from preflight.plan.recipe_types import BuildGoal, MovedDefault, OptionLine, Recipe

# What writes the kinds of file that atc does not (spec/om-format.md §A.6, §A.12).
_PROGRAMS = {
    ContainerKind.BUNDLE: "a program that calls aclgrphBundleBuildModel and aclgrphBundleSaveModel",
    ContainerKind.FLOW: "a program that builds the data flow graph",
}


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
    again = "" if model.container.kind is ContainerKind.AIR else "again "
    step = Step(
        f"rebuild-{number}",
        "rebuild",
        f"Compile {Path(model.path).name} {again}for {goal.soc or 'the target'}",
        model=model.path,
        produces=produces,
    )
    if recipe is None:
        return replace(
            step,
            instruction=f"{_by_hand(model, goal)}, and put the result at {produces}",
            reasons=tuple(_parts(model)),
        )
    return replace(
        step,
        command=recipe.argv,
        needs=recipe.files,
        open_questions=recipe.gaps,
        problems=recipe.problems,
        side_files=recipe.extra_files,
        reasons=recipe_reasons(recipe),
    )


def _by_hand(model: ModelFile, goal: BuildGoal) -> str:
    """What to do where atc alone cannot make such a file."""
    soc = goal.soc or "the target"
    program = _PROGRAMS.get(model.container.kind)
    if program is None:
        return (
            f"the file says nothing about its source: compile the source model with atc for {soc}"
        )
    count = len(model.nested)
    parts = f"its {count} models" if count > 1 else "its model"
    return f"{program} makes such a file, not atc: let it compile {parts} for {soc}"


def _parts(model: ModelFile) -> Iterator[str]:
    """What the models inside say about how they were compiled."""
    for number, inner in enumerate(model.nested):
        manifest = inner.manifest
        if manifest is None:
            yield f"model {number} inside says nothing about its source"
            continue
        command = manifest.atc_command
        said = f", recorded command: {command.text}" if command is not None and command.text else ""
        name = inner.name or manifest.model_name or str(number)
        yield f"model {name} inside: compiled for {manifest.soc_version or 'no named SoC'}{said}"


def recipe_for(
    model: ModelFile,
    goal: BuildGoal,
    options: _Options,
    produces: str,
    defaults: tuple[MovedDefault, ...] = (),
) -> Recipe | None:
    """The recipe behind a rebuild step; None where atc cannot make such a file again.

    That is a file without a readable model definition, or one that another program puts together.
    """
    if model.manifest is None or model.container.kind in _PROGRAMS:
        return None
    return build_recipe(
        model.manifest,
        goal,
        output=str(Path(produces).with_suffix("")),
        source_dir=options.source_dir,
        fills=options.fills,
        moved=defaults,
        exists=options.exists,
        source=model.path if model.container.kind is ContainerKind.AIR else "",
    )


def recipe_reasons(recipe: Recipe) -> tuple[str, ...]:
    """What differs from the recorded command, in words."""
    said = [
        f"--{line.name}: {_fate(line)}{line.reason}"
        for line in recipe.lines
        if line.change not in ("carried", "gap") or not line.sure
    ]
    return (*said, *recipe.notes)


def _fate(line: OptionLine) -> str:
    if line.change == "carried":
        return "kept: "
    old = line.old if line.old is not None else "(not given)"
    return f"{old} -> {line.new if line.in_command else '(left out)'}: "


def output_path(model: ModelFile, goal: BuildGoal, options: _Options) -> str:
    """A new name beside the old file (or in `output_dir`), in a folder of its own with weights.

    Weights outside the model lie in a folder `weight` beside it, which must not be mixed with
    those of the old model. Never the name of a file that exists.
    """
    old = whole_path(model.path)
    folder = whole_path(Path(options.output_dir) / "_").parent if options.output_dir else old.parent
    tag = ".".join(part for part in (goal.soc, goal.release) if part) or "rebuilt"
    stem = old.name.removesuffix(old.suffix) if old.suffix else old.name
    stem = "".join(c if c.isprintable() else "_" for c in stem)  # a plan holds no such characters
    if model.manifest is not None and model.manifest.external_weights:
        folder = folder / f"{stem}.{tag}"
    candidate, count = folder / f"{stem}.{tag}.om", 1
    while options.exists(candidate):
        count += 1
        candidate = folder / f"{stem}.{tag}-{count}.om"
    return str(candidate)
