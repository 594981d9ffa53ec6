"""Which checks of the loader are rules, and why the others cannot be decided from files."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec
from msgspec import Struct

from preflight.checks.rulefile import Rule
from preflight.data import manifests_dir
from preflight.errors import DataError


class LoadCheck(Struct, frozen=True, forbid_unknown_fields=True):
    """One check of the loader (manifests/loadchecks.toml, spec/loadchecks.json).

    `status` is what the caller sees, 0 where nothing is refused. A check without a rule of its id
    has `what` and `reason`, or says in `by` how else it is covered.
    """

    id: str
    order: int
    status: int
    status_name: str = ""
    what: str = ""
    reason: str = ""
    by: str = ""


class _File(Struct, frozen=True, forbid_unknown_fields=True):
    check: tuple[LoadCheck, ...]


def load_checks() -> tuple[LoadCheck, ...]:
    """Every check of the loader in its order. Raises DataError when the manifest is wrong."""
    import tomllib

    path = manifests_dir() / "loadchecks.toml"
    try:
        return msgspec.convert(tomllib.loads(path.read_text(encoding="utf-8")), _File).check
    except (OSError, tomllib.TOMLDecodeError, msgspec.ValidationError) as error:
        raise DataError(f"{path.name}: {error}") from error


def rules_by_step(rules: Iterable[Rule]) -> dict[str, list[Rule]]:
    """Rules by the id of the load check that they decide."""
    found: dict[str, list[Rule]] = {}
    for rule in rules:
        if rule.loader is not None:
            found.setdefault(rule.loader.step, []).append(rule)
    return found


def coverage_lines(rules: Iterable[Rule]) -> list[str]:
    """The page docs/coverage.md: one row per check."""
    by_step = rules_by_step(rules)
    checks = load_checks()
    decided = sum(c.id in by_step for c in checks)
    counts = f"The loader has {len(checks)} checks, and rules decide {decided} of them."
    lines = [
        "# Which checks of the loader are decided",
        "",
        counts,
        "The others are listed with the reason why files cannot tell.",
        "This page is generated: `python -m preflight.checks.docs`.",
        "",
        "| check | the caller sees | decided by |",
        "|---|---|---|",
    ]
    return lines + [_row(check, by_step.get(check.id, [])) for check in checks]


def _row(check: LoadCheck, rules: list[Rule]) -> str:
    status = f"{check.status} {check.status_name}".strip() if check.status else "nothing"
    if rules:
        how = ", ".join(f"[{r.id}](rules/{r.id}.md) {r.title}" for r in rules)
    elif check.by:
        how = check.by
    else:
        how = f"not decided: {check.what}; {check.reason}"
    return f"| `{check.id}` | {status} | {how} |"
