"""Predicates about the target itself (band PF8xx)."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from preflight.checks import ordering
from preflight.checks.context import Context
from preflight.checks.facts import behaviour_is_guess, known_soc
from preflight.checks.predicate import Hit, Outcome, Undecided, predicate
from preflight.findings import Certainty, Evidence


class TargetFault(Struct, frozen=True):
    """Something wrong with the target whatever the model."""

    subject: str
    expected: str
    found: str


class TargetParams(Struct, frozen=True):
    """The kind of problem, as target/consistency.py names it."""

    kind: str


@predicate("target.problem", evidence=TargetFault, params=TargetParams)
def problem(context: Context, params: TargetParams) -> Iterator[Outcome]:
    """The target itself has a problem of this kind."""
    from preflight.target.consistency import target_problems  # a catalogue target is never asked

    for found in target_problems(context.target):
        if found.kind == params.kind:
            yield Hit(
                TargetFault(found.subject, found.expected, found.found),
                (
                    Evidence(
                        found.subject,
                        found.expected,
                        found.found,
                        found.expected_from,
                        found.source,
                    ),
                ),
                certainty=found.certainty,
            )


class GuessedLoader(Struct, frozen=True):
    """A target whose release behaviour is not known, or taken from another release."""

    release: str
    what: str
    why: str


@predicate("target.loader_not_known", evidence=GuessedLoader)
def loader_not_known(context: Context, _: object) -> Iterator[Outcome]:
    """No source and no installation of this release's loader was ever looked at."""
    fact = context.target.behaviour
    if context.behaviour is not None and not behaviour_is_guess(context):
        return
    what = "not known" if fact.value is None else f"a guess ({fact.value.label})"
    release = context.target.release.value or context.target.name
    yield Hit(
        GuessedLoader(release, what, fact.source or "the target names no release"),
        (Evidence("loader", "a release whose loader is known", what, "", fact.source),),
    )


class MissingPlatform(Struct, frozen=True):
    """A SoC that the target cannot describe."""

    soc: str


@predicate("target.platform_file_missing", evidence=MissingPlatform)
def platform_file_missing(context: Context, _: object) -> Iterator[Outcome]:
    """The loader must read the platform file of the device, and the target has none for it."""
    soc, socs = context.target.soc, context.target.socs
    if context.target.soc_answer:
        return  # a runtime that answers for itself stands in for the device
    if not soc.known or not soc.value:
        yield Undecided(soc.source or "the target names no SoC", ("target.soc",))
        return
    if not socs:
        yield Undecided("the platform files of the target are not known", ("target.socs",))
        return
    if known_soc(context, soc.value) is not None:
        return
    yield Hit(
        MissingPlatform(soc.value),
        (
            Evidence(
                "platform file", f"{soc.value}.ini", "absent", soc.source,
                context.target.socs_source or "platform_config",
            ),
        ),
        position=ordering.environment(132),
        certainty=max(
            Certainty.LIKELY, soc.certainty, context.target.socs_certainty, key=lambda c: c.rank
        ),
    )  # fmt: skip


class TargetRemark(Struct, frozen=True):
    """Something a person should know about the names that were used."""

    remark: str


@predicate("target.remark", evidence=TargetRemark)
def remark(context: Context, _: object) -> Iterator[Outcome]:
    """Remarks about the target's own names (confusions that happen often)."""
    for text in context.target.notes:
        yield Hit(TargetRemark(text), (Evidence("target", "", text, found_from="its name"),))
