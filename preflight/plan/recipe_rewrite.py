"""Options that another option replaces: how the old value becomes the new one."""

from __future__ import annotations

import re

from preflight.plan.atc_options import AtcOption, Rewrite, at_least, atc_rules
from preflight.plan.model import SideFile
from preflight.plan.recipe_types import Draft, OptionLine

PRECISION_LIST = "op_precision.ini"
_OP_TYPE = re.compile(r"[A-Za-z][A-Za-z0-9_]*")


def rewrite(draft: Draft, option: AtcOption, value: str | None) -> None:
    """Replace an option by its successor where the target's atc is known to have it."""
    rule = next(r for r in atc_rules().rewrites if r.option == option.name)
    if not at_least(draft.goal.release, rule.since):
        reason = f"its successor --{rule.to} is not on record for {draft.goal.release or 'it'}"
        draft.put(OptionLine(option.name, "carried", value, value, reason, option.source))
        return
    _TRANSFORMS[rule.how](draft, rule, value)


def _drop(draft: Draft, rule: Rewrite, value: str | None) -> None:
    draft.put(OptionLine(rule.option, "dropped", value, None, rule.why, rule.source))


def _ranges(draft: Draft, rule: Rewrite, value: str | None) -> None:
    """`a:[1~4,3];b:[-1]` becomes `a:1~4,3;b:-1`; a recorded input_shape keeps its other inputs."""
    plain = (value or "").replace("[", "").replace("]", "")
    present = draft.value(rule.to)
    if present:
        ranged = {item.rpartition(":")[0] for item in plain.split(";")}
        rest = [i for i in present.split(";") if i.rpartition(":")[0] not in ranged]
        plain = ";".join([*rest, plain])
    _drop(draft, rule, value)
    draft.put(OptionLine(rule.to, "renamed", present or value, plain, rule.why, rule.source))


def _precision_list(draft: Draft, rule: Rewrite, value: str | None) -> None:
    """op_select_implmode stays where it speaks of all operators: no list can say that."""
    types = draft.lines.get("optypelist_for_implmode")
    names = [n.strip() for n in ((types.old if types else None) or "").split(",") if n.strip()]
    if value is None or value.endswith("_for_all") or not names:
        reason = "deprecated but still taken; a list by operator type cannot say the same"
        draft.put(OptionLine(rule.option, "carried", value, value, reason, rule.source, False))
        return
    _write_list(draft, rule, value, names)


def _with_mode(draft: Draft, rule: Rewrite, value: str | None) -> None:
    """The type list: joined with op_select_implmode, whichever of the two comes first."""
    draft.put(OptionLine(rule.option, "dropped", value, None, rule.why, rule.source))
    mode = draft.lines.get("op_select_implmode")
    if mode is not None and mode.in_command and mode.new and not mode.new.endswith("_for_all"):
        first = next(r for r in atc_rules().rewrites if r.option == "op_select_implmode")
        names = [n.strip() for n in (value or "").split(",") if n.strip()]
        _write_list(draft, first, mode.new, names)


def _write_list(draft: Draft, rule: Rewrite, mode: str, names: list[str]) -> None:
    if draft.value(rule.to) is not None:
        draft.notes.append(f"--{rule.to} is given and wins over --{rule.option}, which is left out")
        draft.put(OptionLine(rule.option, "dropped", mode, None, rule.why, rule.source))
        return
    bad = [n for n in names if not _OP_TYPE.fullmatch(n)]
    if bad:
        draft.gap(rule.to, "the recorded list of operator types holds odd names; write it again")
        return
    content = "[ByOpType]\n" + "".join(f"{name}={mode}\n" for name in names)
    draft.put(OptionLine(rule.option, "dropped", mode, None, rule.why, rule.source))
    draft.put(OptionLine(rule.to, "renamed", mode, PRECISION_LIST, rule.why, rule.source))
    draft.extra_files.append(SideFile(rule.to, PRECISION_LIST, content))


_TRANSFORMS = {
    "drop": _drop,
    "ranges_without_brackets": _ranges,
    "precision_list": _precision_list,
    "with_op_select_implmode": _with_mode,
}
