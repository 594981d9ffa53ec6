"""Loads rule files: the whole set is validated at once and every problem reported together.

Parsing a hundred TOML files costs more than a whole check, so a validated set is kept in the user's
cache folder (checks/rulecache.py) and read from there while no rule file has changed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path

import msgspec
from msgspec import Struct

from preflight.checks import rulecache
from preflight.checks.rulefile import BANDS, Rule
from preflight.data import rules_dir
from preflight.errors import DataError

_ID = re.compile(r"([A-Z]{2,10})(\d{3})")
_OUR_PREFIX = "PF"


class RuleSet(Struct, frozen=True):
    """Validated rules in the order of their ids."""

    rules: tuple[Rule, ...]

    def get(self, rule_id: str) -> Rule:
        """The rule of that id. Raises DataError naming near ids when there is none."""
        for rule in self.rules:
            if rule.id == rule_id.upper():
                return rule
        from difflib import get_close_matches

        near = get_close_matches(rule_id.upper(), [r.id for r in self.rules], n=3, cutoff=0.5)
        hint = f"did you mean {', '.join(near)}?" if near else "preflight rules lists them all"
        raise DataError(f"there is no rule '{rule_id}'", hint=hint)


def load_rules(extra: Sequence[Path | str] = (), *, use_cache: bool = True) -> RuleSet:
    """The project's rules and those of the folders in `extra`.

    Raises DataError whose cause is an ExceptionGroup with one DataError per problem.
    """
    sets = [_load_folder(rules_dir(), ours=True, use_cache=use_cache)]
    for folder in extra:
        if not Path(folder).is_dir():
            raise DataError(f"the rules folder '{folder}' does not exist")
        sets.append(_load_folder(Path(folder), ours=False, use_cache=use_cache))
    rules = sorted((rule for found in sets for rule in found), key=lambda rule: rule.id)
    _raise_problems(_duplicate_problems(rules))
    return RuleSet(tuple(rules))


def _load_folder(folder: Path, *, ours: bool, use_cache: bool) -> tuple[Rule, ...]:
    stamp = rulecache.stamp(folder)
    if use_cache:
        cached = rulecache.read(folder, stamp)
        if cached is not None:
            return cached
    rules = parse_folder(folder, ours=ours)
    if use_cache:
        rulecache.write(folder, stamp, rules)
    return rules


def parse_folder(folder: Path, *, ours: bool) -> tuple[Rule, ...]:
    """Read and validate every rule file below a folder, without the cache."""
    rules: list[Rule] = []
    problems: list[str] = []
    for path in sorted(folder.rglob("*.toml")):
        where = path.relative_to(folder)
        try:
            rule = parse_rule(path.read_bytes())
        except (msgspec.ValidationError, ValueError, OSError) as error:
            problems.append(f"{where}: {error}")
            continue
        rules.append(rule)
        problems += [f"{where}: {text}" for text in _file_problems(rule, path, ours)]
    _raise_problems(problems + _duplicate_problems(rules))
    return tuple(rules)


def parse_rule(content: bytes) -> Rule:
    """One rule file. Raises msgspec.ValidationError or ValueError naming the key."""
    import tomllib

    return msgspec.convert(tomllib.loads(content.decode()), Rule)


def _file_problems(rule: Rule, path: Path, ours: bool) -> list[str]:
    from preflight.checks.validate import rule_problems

    problems = list(rule_problems(rule))
    if path.stem != f"{rule.id}-{rule.name}":
        problems.append(f"the file of rule '{rule.id}' is called {rule.id}-{rule.name}.toml")
    matched = _ID.fullmatch(rule.id)
    if matched is None:
        problems.append(f"id '{rule.id}' is not a prefix of capitals and three digits")
    elif (matched[1] == _OUR_PREFIX) is not ours:
        problems.append(
            f"the prefix {_OUR_PREFIX} belongs to the rules that come with preflight"
            if not ours
            else f"id '{rule.id}' does not begin with {_OUR_PREFIX}"
        )
    elif ours and path.parent.name != BANDS[rule.band][0]:
        problems.append(f"rule '{rule.id}' belongs in the folder {BANDS[rule.band][0]}")
    return problems


def _duplicate_problems(rules: Iterable[Rule]) -> list[str]:
    ids: set[str] = set()
    names: set[str] = set()
    problems = []
    for rule in rules:
        if rule.id in ids:
            problems.append(f"two rules have the id '{rule.id}'")
        if rule.name in names:
            problems.append(f"two rules have the name '{rule.name}'")
        ids.add(rule.id)
        names.add(rule.name)
    return problems


def _raise_problems(problems: Sequence[str]) -> None:
    if not problems:
        return
    listed = "\n  ".join(problems)
    raise DataError(f"{len(problems)} problem(s) in rule files:\n  {listed}") from ExceptionGroup(
        "rule files", [DataError(text) for text in problems]
    )
