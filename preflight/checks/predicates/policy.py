"""Predicates about what a project decided for itself (band PF9xx)."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from preflight.checks.context import Context
from preflight.checks.predicate import Hit, Outcome, predicate
from preflight.findings import Evidence


class ExpiredFacts(Struct, frozen=True):
    """A waiver that covers nothing any more."""

    waived_rule: str
    expires: str
    reason: str


@predicate("policy.waiver_expired", evidence=ExpiredFacts)
def waiver_expired(context: Context, _: object) -> Iterator[Outcome]:
    """A waiver of a finding that is still there has run out."""
    for waiver in context.expired_waivers:
        yield Hit(
            ExpiredFacts(waiver.rule, waiver.expires, waiver.reason),
            (
                Evidence(
                    "waiver", "a date that has not passed", waiver.expires, "today", "waiver file"
                ),
            ),
        )
