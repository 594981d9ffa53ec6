"""Writes the pages that are generated from rules: `python -m preflight.checks.docs [DIR]`.

`docs/rules/<ID>.md` for every rule, `docs/rules/README.md` as their index, and `docs/coverage.md`.
A test compares what is there with what this module makes.
"""

from __future__ import annotations

import sys
from pathlib import Path

from preflight.checks.coverage import coverage_lines
from preflight.checks.loader import load_rules
from preflight.checks.pages import rule_lines
from preflight.checks.rulefile import BANDS, Rule


def pages() -> dict[str, str]:
    """Path below docs/ -> content of every generated page."""
    rules = load_rules(use_cache=False).rules
    found = {f"rules/{rule.id}.md": _text(list(rule_lines(rule))) for rule in rules}
    found["rules/README.md"] = _text(_index(rules))
    found["coverage.md"] = _text(coverage_lines(rules))
    return found


def _index(rules: tuple[Rule, ...]) -> list[str]:
    lines = [
        "# Rules",
        "",
        "Generated from the files in `rules/`: `python -m preflight.checks.docs`.",
    ]
    for prefix, (_, title) in BANDS.items():
        members = [rule for rule in rules if rule.band == prefix]
        if not members:
            continue
        lines += ["", f"## {prefix}xx {title}", "", "| rule | title | severity | consequence |"]
        lines.append("|---|---|---|---|")
        lines += [
            f"| [{r.id}]({r.id}.md) | {r.title} | {r.severity.value} | {r.consequence.value} |"
            for r in members
        ]
    return lines


def _text(lines: list[str]) -> str:
    return "\n".join(lines) + "\n"


def write(folder: Path) -> int:
    """Write every page below `folder` and remove pages of rules that are gone; counts pages."""
    made = pages()
    (folder / "rules").mkdir(parents=True, exist_ok=True)
    for old in (folder / "rules").glob("*.md"):
        if f"rules/{old.name}" not in made:
            old.unlink()
    for name, text in made.items():
        (folder / name).write_text(text, encoding="utf-8")
    return len(made)


if __name__ == "__main__":
    count = write(Path(sys.argv[1] if len(sys.argv) > 1 else "docs"))
    sys.stderr.write(f"{count} pages\n")
