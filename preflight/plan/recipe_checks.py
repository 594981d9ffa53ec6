"""Whether atc of the target's release takes the drafted command for that SoC."""

from __future__ import annotations

from pathlib import PurePosixPath

from msgspec.structs import replace

from preflight.plan.atc_options import Framework, atc_options, atc_rules
from preflight.plan.recipe_types import GIVEN, Draft, OptionLine

_OFF = (None, "", "false", "0")


def check(draft: Draft) -> None:
    """Add gaps, problems and notes for what atc would refuse."""
    _required(draft)
    _framework(draft)
    _values(draft)
    _value_limits(draft)
    _shape_ranges(draft)
    _modes(draft)
    _combinations(draft)


def _required(draft: Draft) -> None:
    """mode 0 needs a source model and its framework, unless it builds single operators."""
    if draft.value("singleop") is not None:
        return
    if "model" not in draft.lines:
        draft.gap("model", "the source model is not recorded")
    if "framework" not in draft.lines and not _framework_by_suffix(draft):
        draft.gap("framework", "the source framework is not recorded: 0, 1, 3 or 5")


def _framework_by_suffix(draft: Draft) -> bool:
    """Name the framework by the suffix of the source model, where that says it."""
    suffix = PurePosixPath(draft.value("model") or "").suffix
    found = [f for f in atc_rules().frameworks if f.file.split()[0].rstrip(",") == suffix]
    for framework in found:
        reason = f"a source model {suffix} is of {framework.names[0]}"
        line = OptionLine("framework", "added", None, framework.value, reason, "", False)
        draft.put(line)
    return bool(found)


def _framework(draft: Draft) -> None:
    """A framework that the SoC does not take, and options that belong to another framework."""
    value, frameworks = draft.value("framework"), atc_rules().frameworks
    if value not in {framework.value for framework in frameworks}:
        return
    for framework in frameworks:
        refused = draft.family in framework.not_on
        if framework.value == value and refused:
            _convert(draft, framework)
        if framework.value != value or refused:
            for name in framework.own_options:
                _leave_out(draft, name, f"only {framework.names[0]} models use it")


def _convert(draft: Draft, framework: Framework) -> None:
    """The SoC takes no such source model: another one is needed, made by a person."""
    why = f"{framework.names[0]} models are not compiled for {draft.family}: {framework.instead}"
    line = draft.lines["framework"]
    draft.put(replace(line, change="changed", new=framework.becomes, reason=why))
    given = draft.lines["model"]
    if given.source != GIVEN:
        draft.gaps = [gap for gap in draft.gaps if gap.option != "model"]
        draft.gap("model", why, given.old, "edit_source_model")


def _leave_out(draft: Draft, name: str, reason: str) -> None:
    line = draft.lines.get(name)
    if line is not None and line.in_command:
        draft.gaps = [gap for gap in draft.gaps if gap.option != name]
        draft.put(replace(line, change="dropped", new=None, reason=reason))


def _values(draft: Draft) -> None:
    """Values that the release's atc is known to refuse."""
    for name, line in list(draft.lines.items()):
        option = atc_options().get(name)
        if option is None or not line.in_command or line.new is None or line.change == "gap":
            continue
        floor = atc_rules().first_with(name, line.new, draft.goal.release)
        if floor:
            draft.gap(name, f"{line.new!r} is taken from {floor} on; choose another", line.old)
            continue
        accepted = option.accepts(line.new, draft.goal.release)
        if accepted is not None:
            draft.gap(name, f"{line.new!r} is none of {', '.join(accepted)}", line.old)


def _value_limits(draft: Draft) -> None:
    for limit in atc_rules().value_limits:
        value = draft.value(limit.option)
        if value not in limit.values or not draft.family:
            continue
        if draft.family not in limit.only_on:
            draft.gap(
                limit.option,
                f"{value} needs {limit.why}, which {draft.family} does not have; choose another",
                value,
            )
        elif draft.family in limit.unsure_on:
            draft.notes.append(f"--{limit.option}={value}: not sure that {draft.family} takes it")


def _shape_ranges(draft: Draft) -> None:
    instead = atc_rules().shape_ranges.instead.get(draft.family)
    shape = draft.value("input_shape")
    if shape and "~" in shape and instead:
        what = f"no ranges on {draft.family}: use {instead}"
        draft.gap("input_shape", what, shape, "convert_shapes")


def _modes(draft: Draft) -> None:
    """Options that the build mode of the command does not take."""
    mode = draft.value("mode") or "0"
    for name, line in list(draft.lines.items()):
        option = atc_options().get(name)
        if option is None or not line.in_command:
            continue
        refused = mode in option.not_in_modes or mode not in (option.only_in_modes or (mode,))
        if refused and option.topic in ("input", "output"):
            draft.problems.append(f"atc --mode={mode} does not take --{name}")
        elif refused:
            _leave_out(draft, name, f"atc --mode={mode} does not take it")


def _combinations(draft: Draft) -> None:
    for names in atc_rules().at_most_one:
        given = [n for n in names if draft.value(n) not in _OFF]
        if len(given) > 1:
            listed = " and ".join(f"--{n}" for n in given)
            draft.problems.append(f"atc does not take {listed} together")
