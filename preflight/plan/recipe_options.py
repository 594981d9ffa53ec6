"""What becomes of each recorded option, and the options that name the target."""

from __future__ import annotations

import re

from preflight.model.manifest import ModelManifest
from preflight.plan.atc_options import AtcOption, at_least, atc_options, atc_rules
from preflight.plan.recipe_rewrite import rewrite
from preflight.plan.recipe_types import Draft, OptionLine

SOC = "soc_version"
_UNEXPANDED = re.compile(r"\$[A-Za-z_{(]|`|^~")


def carry(draft: Draft, name: str, value: str | None) -> None:
    """Decide what becomes of one recorded option."""
    option = atc_options().get(name)
    if option is None:
        draft.put(
            OptionLine(
                name, "dropped", value, None, "atc has no option of that name on record; look at it"
            )
        )
        draft.problems.append(
            f"the recorded command has the option {name!r}, which is not known: decide whether the"
            " new command needs it"
        )
        return
    if value is not None and not value.isprintable():
        draft.gap(name, "the recorded value holds control characters; give it again")
        return
    if option.action == "carry" and value is not None and _UNEXPANDED.search(value):
        draft.gap(name, f"{value} holds a shell variable that nobody expanded", value)
        return
    if option.action == "drop":
        reason = option.removed and f"removed {option.removed}"
        draft.put(
            OptionLine(name, "dropped", value, None, reason or "not needed to build", option.source)
        )
    elif option.action == "carry_optional":
        reason = "for debugging, tuning or caching on the old machine; not part of the result"
        draft.put(OptionLine(name, "dropped", value, None, reason, option.source))
    elif option.action == "rewrite":
        rewrite(draft, option, value)
    elif option.action == "carry":
        _carry_over(draft, option, value)
    else:
        _for_target(draft, option, value)


def _for_target(draft: Draft, option: AtcOption, value: str | None) -> None:
    """An option of the old target: kept where it names a part that the new device has, too."""
    limits = [x for x in atc_rules().value_limits if x.option == option.name and value in x.values]
    if any(draft.family in limit.only_on for limit in limits):
        draft.put(OptionLine(option.name, "carried", value, value, "", option.source))
        return
    reason = "of the old target; give it again with --set where the new one needs it"
    if option.name in (SOC, *atc_rules().host.options):  # `set_for_target` decides
        reason = "set for the target"
    draft.put(OptionLine(option.name, "dropped", value, None, reason, option.source))


def _carry_over(draft: Draft, option: AtcOption, value: str | None) -> None:
    """Carry an option, unless the new atc or the new SoC does not have it."""
    release, changes_result = draft.goal.release, option.topic in ("input", "output", "precision")
    available = option.availability(release)
    why_not = ""
    if available == "no":
        why_not = f"atc of {release} does not have it (first in {option.since})"
    elif draft.family and draft.family in option.not_on:
        why_not = f"not available on {draft.family}"
    if why_not and changes_result and option.topic != "precision":
        draft.gap(option.name, f"{why_not}; the model cannot be built the same way", value)
        return
    if why_not:
        draft.put(OptionLine(option.name, "dropped", value, None, why_not, option.source))
        if changes_result:
            draft.notes.append(f"--{option.name} is left out, which can change results: {why_not}")
        return
    sure = available == "yes"
    reason = "" if sure else f"not on record whether atc of {release or 'that release'} has it"
    draft.put(OptionLine(option.name, "carried", value, value, reason, option.source, sure))


def set_for_target(draft: Draft, manifest: ModelManifest, output: str) -> None:
    """The options that name the target and the result, whatever was recorded."""
    goal, rules = draft.goal, atc_rules()
    source = "facts/rebuild-rules.json must_change"
    _set(draft, "output", output, "a new file beside the old one", source)
    if goal.soc:
        old = recorded_value(draft, "soc_version") or manifest.soc_version or None
        reason = _soc_reason(draft, old)
        _set(draft, "soc_version", goal.soc, reason, source, old)
        if goal.known_socs and goal.soc not in goal.known_socs:
            draft.problems.append(f"{goal.soc} is not a SoC that {goal.release} knows")
    else:
        draft.gap("soc_version", "the target names no SoC", manifest.soc_version or None)
    mode = rules.modes.by_family.get(draft.family, rules.modes.otherwise)
    recorded = draft.value("mode")
    if recorded is None and mode != "0":
        _set(draft, "mode", mode, f"{draft.family} needs it", rules.modes.source)
    elif recorded is not None and recorded != mode and not _mode_stays(draft, recorded, mode):
        _set(draft, "mode", mode, "the mode that builds a model there", rules.modes.source)
    _set_host(draft, manifest)


def _set_host(draft: Draft, manifest: ModelManifest) -> None:
    """Name the host where the model carries, or will carry, libraries for it (§C.6).

    Elsewhere atc would only look for libraries of that host, which the build may not have.
    """
    rules, goal = atc_rules(), draft.goal
    wanted = dict(zip(rules.host.options, (goal.host_os, goal.host_cpu), strict=True))
    carries = manifest.dynamic or manifest.so_store.present
    for name, value in wanted.items():
        line = draft.lines.get(name)
        old = line.old if line is not None else getattr(manifest, name, "") or None
        if not carries:
            if line is not None:
                reason = "a model of fixed shapes holds no host libraries"
                draft.put(OptionLine(name, "dropped", old, None, reason, rules.host.source))
            continue
        if not value:
            draft.notes.append(f"--{name}: the target does not say its host; build on such a host")
            continue
        available = atc_options()[name].availability(goal.release)
        if available == "no":
            draft.notes.append(f"atc of {goal.release} has no --{name}: build on such a host")
            continue
        reason = "the host that loads the model"
        change = "carried" if old == value else "changed" if old else "added"
        draft.put(
            OptionLine(name, change, old, value, reason, rules.host.source, available == "yes")
        )


def _mode_stays(draft: Draft, recorded: str, wanted: str) -> bool:
    """Whether a recorded build mode may stay: it builds, the family does not ask for another."""
    rules = atc_rules()
    builds = recorded in rules.modes.build and recorded not in rules.modes.by_family.values()
    family_decides = wanted != rules.modes.otherwise
    release = draft.goal.release
    refused = atc_options()["mode"].accepts(recorded, release) is not None
    refused = refused or bool(rules.first_with("mode", recorded, release))
    return builds and not family_decides and not refused


def _set(
    draft: Draft, name: str, value: str, reason: str, source: str, old: str | None = None
) -> None:
    old = old if old is not None else recorded_value(draft, name)
    change = "carried" if old == value else "changed" if old is not None else "added"
    draft.put(OptionLine(name, change, old, value, reason, source))


def recorded_value(draft: Draft, name: str) -> str | None:
    line = draft.lines.get(name)
    return line.old if line is not None else None


def _soc_reason(draft: Draft, old: str | None) -> str:
    """Why the SoC text is what it is; names other products and old spellings."""
    rules = atc_rules()
    for product in rules.other_products:
        if old == product.soc:
            draft.problems.append(
                f"the model was built by {product.what}: options may not map one to one"
            )
    spelling = next((s for s in rules.spellings if s.old == old), None)
    if spelling is not None and old != draft.goal.soc:
        return f"{old} is written {' or '.join(spelling.new)} today: {spelling.why}"
    return "the SoC of the target, in that release's spelling"


def note_changes(draft: Draft, old_release: str) -> None:
    """New rules for options in use, between the release of the recorded atc and the target's."""
    for change in atc_rules().changes:
        used = [n for n in change.options if draft.value(n) is not None]
        newer = at_least(draft.goal.release, change.release)
        had_it = at_least(old_release, change.release) if old_release else None
        if used and newer and had_it is not True:
            names = ", ".join(f"--{n}" for n in used)
            draft.notes.append(f"{names}: from {change.release} atc {change.what}")
