"""Predicates on silent drift: what compiles or loads as before and may compute something else."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING

import msgspec
from msgspec import Struct

from preflight.checks.context import Context
from preflight.checks.operator_use import Join, OperatorUse, join_operators
from preflight.checks.predicate import Hit, Outcome, predicate
from preflight.checks.predicates.operators import OperatorChange, change_hit
from preflight.data import manifests_dir
from preflight.errors import DataError
from preflight.findings import Certainty, Evidence
from preflight.model.manifest import Operator

if TYPE_CHECKING:
    from preflight.registry.kinds import Change


@predicate("drift.default_recorded", evidence=OperatorChange)
def default_recorded(context: Context, _: object) -> Iterator[Outcome]:
    """A default moved, and nodes record the old default: the source may not have stated it."""
    for join, use, change in _moved_defaults(context):
        from preflight.checks.relevance import same_value

        spec = use.old.prototype.attribute(change.field) if use.old else None
        nodes = tuple(
            node
            for node in use.nodes
            if spec
            and change.field in node.attributes
            and same_value(spec, node.attributes[change.field])
        )
        if nodes:
            yield change_hit(context, join, use, change, nodes)


@predicate("drift.default_absent", evidence=OperatorChange)
def default_absent(context: Context, _: object) -> Iterator[Outcome]:
    """A default moved, and nodes do not record the attribute: whoever reads it takes the new one.

    Nodes that record none of the operator's attributes are left out: some passes drop them all.
    """
    for join, use, change in _moved_defaults(context):
        known = {a.name for a in use.old.prototype.attrs} if use.old else set()
        nodes = tuple(
            node
            for node in use.nodes
            if change.field not in node.attributes and known & set(node.attributes)
        )
        if nodes:
            yield change_hit(context, join, use, change, nodes)


def _moved_defaults(context: Context) -> Iterator[tuple[Join, OperatorUse, Change]]:
    join = join_operators(context)
    for use in join.uses if join else ():
        for change in use.changes:
            if join is not None and change.kind.name == "attr_default_changed":
                yield join, use, change


class TwoDefaults(Struct, frozen=True):
    """An attribute with one default in the prototype and another in the kernel."""

    operator: str
    attribute: str
    nodes: int
    prototype: str
    kernel: str


@predicate("drift.prototype_and_kernel_disagree", evidence=TwoDefaults)
def prototype_and_kernel_disagree(context: Context, _: object) -> Iterator[Outcome]:
    """Nodes leave out an attribute whose default differs between prototype and kernel."""
    join = join_operators(context)
    for use in join.uses if join else ():
        rows = _kernel_defaults().get(use.op_type, ())
        declared = {a.name for a in use.new.prototype.attrs} if rows and use.new else set()
        for attribute, prototype, kernel in rows:
            nodes = tuple(
                node
                for node in use.nodes
                if attribute not in node.attributes and declared & set(node.attributes)
            )
            if nodes:
                yield _two_defaults(context, use, nodes, (attribute, prototype, kernel))


def _two_defaults(
    context: Context,
    use: OperatorUse,
    nodes: tuple[Operator, ...],
    facts: tuple[str, str, str],
) -> Hit:
    from preflight.registry.words import readable_literal

    attribute, prototype, kernel = facts
    return Hit(
        TwoDefaults(use.op_type, attribute, len(nodes), readable_literal(prototype), kernel),
        (
            Evidence(
                f"{use.op_type}.{attribute}",
                kernel,
                prototype,
                "kernel registered in 8.1.RC1 (manifests/history/kernel_defaults.json)",
                "prototype in 8.1.RC1",
            ),
        ),
        location=context.place(f"MODEL_DEF / {nodes[0].graph} / op {nodes[0].name}"),
        certainty=Certainty.LIKELY
        if context.target.release.value == _KERNEL_RELEASE
        else Certainty.POSSIBLE,
    )


_KERNEL_RELEASE = "8.1.RC1"  # the one installation whose kernels were compared


@cache
def _kernel_defaults() -> dict[str, list[tuple[str, str, str]]]:
    path = manifests_dir() / "history" / "kernel_defaults.json"
    try:
        rows = msgspec.json.decode(path.read_bytes())["defaults"]
    except (OSError, ValueError, msgspec.DecodeError, KeyError) as error:
        raise DataError(f"{path}: {error}") from error
    found: dict[str, list[tuple[str, str, str]]] = {}
    for operator, attribute, prototype, kernel in rows:
        found.setdefault(operator, []).append((attribute, prototype, kernel))
    return found


class ChangedMeaning(Struct, frozen=True):
    """A curated note about an operator that came into force between the two releases."""

    operator: str
    note: str
    summary: str
    since: str
    source: str


@predicate("drift.meaning_changed", evidence=ChangedMeaning)
def meaning_changed(context: Context, _: object) -> Iterator[Outcome]:
    """A contract changed between the two releases in a way that one change alone does not tell."""
    join = join_operators(context)
    if join is None or join.same_release:
        return
    if not join.compiled.candidates or not join.target.candidates:
        return
    from preflight.registry.behaviour import notes_for

    order = [r.version for r in join.history.releases]
    last_old = order.index(join.compiled.candidates[-1])
    first_new = order.index(join.target.candidates[0])
    for use in join.uses:
        for note in notes_for(use.op_type) if use.nodes and use.changes else ():
            if note.attribute or not note.since:
                continue  # those are changes of defaults, which other rules join node by node
            if last_old < order.index(note.since) <= first_new:
                yield Hit(
                    ChangedMeaning(use.op_type, note.id, note.summary, note.since, note.source),
                    (
                        Evidence(
                            f"meaning of {use.op_type}",
                            f"that since {note.since}",
                            join.compiled.text,
                            note.source,
                            join.compiled.source,
                        ),
                    ),
                    location=context.place(f"MODEL_DEF / {use.first}"),
                    certainty=max(Certainty.LIKELY, join.compiled.certainty, key=lambda c: c.rank),
                )


class UnknownCompiler(Struct, frozen=True):
    """Nothing in the file names the release that compiled it."""

    range: str
    operators: int
    affected: tuple[str, ...]


@predicate("drift.compiler_unknown", evidence=UnknownCompiler)
def compiler_unknown(context: Context, _: object) -> Iterator[Outcome]:
    """The compiling release is unknown: operators may have changed within the range."""
    join = join_operators(context)
    if join is None or join.same_release or join.compiled.known:
        return
    affected = tuple(
        use.op_type for use in join.uses if use.history and use.nodes and use.old is None
    )
    if not affected:
        return  # whichever release it was, no prototype differs
    yield Hit(
        UnknownCompiler(join.compiled.text, len(join.uses), affected),
        (
            Evidence(
                "release that compiled the model",
                "opp_version, atc_version or a recorded command",
                "not recorded",
                "operator histories",
                join.compiled.source,
            ),
        ),
        location=context.place("MODEL_DEF"),
    )
