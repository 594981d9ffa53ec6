"""The atc command that compiles a model again for another release, SoC or host.

A recorded command line is text from a model file: it is taken apart, never run. The program is
always plain `atc`, each option becomes one argument of the form `--name=value`, the output is set
by us, and what cannot be carried over safely becomes a gap that a person has to fill.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path, PurePosixPath

from msgspec.structs import replace

from preflight.model.manifest import ModelManifest
from preflight.plan import recipe_checks, recipe_options, recipe_recover
from preflight.plan.atc_options import atc_options, atc_rules, canonical_name, normalise
from preflight.plan.model import FileUse
from preflight.plan.recipe_types import (
    GIVEN,
    BuildGoal,
    Draft,
    MovedDefault,
    OptionLine,
    Recipe,
)

_NOT_READ = ("dropped", "gap")


def build_recipe(
    manifest: ModelManifest,
    goal: BuildGoal,
    *,
    output: str,
    source_dir: Path | None = None,
    fills: Mapping[str, str] | None = None,
    moved: tuple[MovedDefault, ...] = (),
    exists: Callable[[Path], bool] = Path.exists,
    source: str = "",
) -> Recipe:
    """The command that builds this model for `goal` and writes it to the prefix `output`.

    `source_dir` is where relative paths of the recorded command are looked for, `fills` gives
    values for gaps by option name. `exists` is asked for absolute paths only. `source` is the
    file itself where that is what atc reads (an .air).
    """
    draft = Draft(goal, atc_rules().family(goal.soc))
    command = manifest.atc_command
    recorded = command is not None and bool(command.options)
    if source:
        recipe_recover.from_itself(draft, source)
    elif recorded and command is not None:
        for name, value in normalise(command.options).items():
            recipe_options.carry(draft, name, value)
        recipe_options.note_changes(draft, atc_rules().release_of_program(command.program))
    else:
        recipe_recover.recover(draft, manifest)
    recipe_options.set_for_target(draft, manifest, output)
    _fill(draft, fills or {})
    recipe_checks.check(draft)
    files = _files(draft, source_dir, exists)
    if manifest.external_weights or draft.value("external_weight") in ("1", "2"):
        draft.notes.append(
            "weights are stored outside the model file: keep the weight folder that atc writes"
            " beside the new file"
        )
    return Recipe(
        goal=goal,
        recorded=recorded,
        lines=tuple(draft.lines.values()),
        files=files,
        gaps=tuple(draft.gaps),
        problems=tuple(draft.problems),
        statements=moved,
        extra_files=tuple(draft.extra_files),
        notes=tuple(draft.notes),
    )


def _fill(draft: Draft, fills: Mapping[str, str]) -> None:
    """Put given values into gaps, and over recorded values."""
    for given, value in fills.items():
        name = canonical_name(given)
        old = recipe_options.recorded_value(draft, name)
        draft.gaps = [gap for gap in draft.gaps if gap.option != name]
        draft.put(OptionLine(name, "changed" if old else "added", old, value, GIVEN, GIVEN))


def _files(
    draft: Draft, source_dir: Path | None, exists: Callable[[Path], bool]
) -> tuple[FileUse, ...]:
    """The files the command reads; relative ones are made absolute where they are found."""
    needs: list[FileUse] = []
    made_here = {extra.option for extra in draft.extra_files}
    for name, line in list(draft.lines.items()):
        option = atc_options().get(name)
        is_path = option is not None and option.file and name not in made_here
        if option is None or not is_path or line.new is None or line.change in _NOT_READ:
            continue
        path, place = _find(line.new, source_dir, exists)
        draft.lines[name] = replace(line, new=path)
        needs.append(FileUse(name, path, option.need or name, place))
    return tuple(needs)


def _find(path: str, source_dir: Path | None, exists: Callable[[Path], bool]) -> tuple[str, str]:
    """The path to use and where it stands: found, missing or (still) relative."""
    if PurePosixPath(path).is_absolute():
        return path, "found" if _is_there(Path(path), exists) else "missing"
    if source_dir is not None:
        absolute = source_dir.absolute() / path
        if _is_there(absolute, exists):
            return str(absolute), "found"
    return path, "relative"


def _is_there(path: Path, exists: Callable[[Path], bool]) -> bool:
    try:
        return exists(path)
    except OSError:  # a name longer than the file system takes
        return False
