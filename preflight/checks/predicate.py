"""Predicates: typed functions that rule files name, and what they answer.

A predicate gets the context and the rule's parameters and yields `Hit` for every fault it sees, or
`Undecided` when facts are missing. Its evidence type is a frozen dataclass whose fields are the
placeholders that the rule's messages may use: a misspelt one fails when the rules are loaded.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from msgspec import Struct

from preflight.checks.context import Context
from preflight.errors import DataError
from preflight.findings import Certainty, Evidence, Location, Severity

# The part of a predicate's name before the dot -> the module that defines it. A check imports only
# the modules of the rules that apply to it.
BUILT_IN: dict[str, str] = {
    "container": "preflight.checks.predicates.container",
    "content": "preflight.checks.predicates.content",
    "device": "preflight.checks.predicates.device",
    "drift": "preflight.checks.predicates.drift",
    "host": "preflight.checks.predicates.host",
    "kind": "preflight.checks.predicates.kind",
    "loading": "preflight.checks.predicates.loading",
    "locks": "preflight.checks.predicates.locks",
    "operators": "preflight.checks.predicates.operators",
    "policy": "preflight.checks.predicates.policy",
    "rebuild": "preflight.checks.predicates.rebuild",
    "single_op": "preflight.checks.predicates.single_op",
    "table": "preflight.checks.predicates.table",
    "target": "preflight.checks.predicates.target",
}
ENTRY_POINT_GROUP = "preflight.predicates"


_NOWHERE = Location()


class Hit(Struct, frozen=True):
    """One fault. `facts` is an instance of the predicate's evidence type.

    `message_codes`, when not None, replace those of the rule (they depend on what went wrong);
    `severity` likewise, for a fault that one release refuses and another only logs.
    """

    facts: Any
    evidence: tuple[Evidence, ...] = ()
    location: Location = _NOWHERE
    position: tuple[int, ...] = ()
    certainty: Certainty = Certainty.CERTAIN
    severity: Severity | None = None
    message_codes: tuple[str, ...] | None = None
    status: tuple[int, str] | None = None  # replaces the rule's ACL status and its name
    missing: tuple[str, ...] = ()
    doubt: str = ""  # which fact makes `certainty` less than certain, where that is to be said


class Undecided(Struct, frozen=True):
    """The question applies to this model and cannot be answered without these facts."""

    reason: str
    missing: tuple[str, ...] = ()


Outcome = Hit | Undecided
PredicateFunction = Callable[[Context, Any], Iterable[Outcome]]


class NoParams(Struct, frozen=True):
    """For predicates without parameters."""


_NO_PARAMS = NoParams()


class Predicate(Struct, frozen=True):
    """A registered predicate with the types of its evidence and of its parameters."""

    name: str
    function: PredicateFunction
    evidence: type[Struct]
    params: type[Struct]

    @property
    def placeholders(self) -> frozenset[str]:
        """Names that a rule's messages may use."""
        return frozenset(self.evidence.__struct_fields__)


_REGISTERED: dict[str, Predicate] = {}


def predicate(
    name: str, *, evidence: type[Struct], params: type[Struct] = NoParams
) -> Callable[[PredicateFunction], PredicateFunction]:
    """Register a function under the name that rule files use ("<module>.<question>")."""

    def register(function: PredicateFunction) -> PredicateFunction:
        if name in _REGISTERED and _REGISTERED[name].function is not function:
            raise DataError(f"predicate '{name}' is defined twice")
        _REGISTERED[name] = Predicate(name, function, evidence, params)
        return function

    return register


def find_predicate(name: str) -> Predicate | None:
    """The predicate of that name, imported when needed; None when there is none."""
    if name not in _REGISTERED:
        module = BUILT_IN.get(name.partition(".")[0]) or _entry_points().get(name.partition(".")[0])
        if module is None:
            return None
        importlib.import_module(module)
    return _REGISTERED.get(name)


def _entry_points() -> Mapping[str, str]:
    """Prefix -> module of predicates that other distributions bring."""
    from importlib.metadata import entry_points

    return {e.name: e.module for e in entry_points(group=ENTRY_POINT_GROUP)}


def convert_params(found: Predicate, values: Mapping[str, object]) -> Any:
    """The rule's `params` table as the predicate's parameter type.

    Raises msgspec.ValidationError naming an unknown, missing or mistyped parameter.
    """
    import msgspec

    if not values and found.params is NoParams:
        return _NO_PARAMS
    unknown = sorted(set(values) - set(found.params.__struct_fields__))
    if unknown:
        raise msgspec.ValidationError(f"unknown parameter '{unknown[0]}'")
    return msgspec.convert(dict(values), found.params)
