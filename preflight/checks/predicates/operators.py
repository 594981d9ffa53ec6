"""Predicates on operators: what the target's release no longer takes (band PF5xx)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from msgspec import Struct

from preflight.checks.context import Context
from preflight.checks.internal import is_unpublished
from preflight.checks.operator_use import Join, OperatorUse, join_operators
from preflight.checks.predicate import Hit, Outcome, Undecided, predicate
from preflight.findings import Certainty, Evidence
from preflight.model.manifest import Operator
from preflight.target.kernels import LazyKernels, dtype_name, socs_with_kernel

if TYPE_CHECKING:
    from preflight.registry.kinds import Change
    from preflight.registry.operator import OperatorHistory

# Sources whose parsers make the operators anew when they are compiled again: the model's own
# operators then only show what they made last time.
_PARSED = frozenset({"Onnx", "TensorFlow", "Caffe"})
_SHOWN = 5
_NOTHING = "(nothing)"
_KERNELS = ("target.kernels",)


class OperatorChange(Struct, frozen=True):
    """One change of an operator's prototype that touches nodes of the model.

    `old`, `new` and `what` (both with the field) are in words; the evidence has the exact text.
    """

    operator: str
    nodes: int
    first: str
    change: str
    field: str
    old: str
    new: str
    code: str
    compiled: str
    release: str
    note: str
    what: str = ""


class ChangeKinds(Struct, frozen=True):
    """The kinds of change that a rule speaks about (preflight.registry.kinds)."""

    kinds: list[str]


@predicate("operators.changed", evidence=OperatorChange, params=ChangeKinds)
def changed(context: Context, params: ChangeKinds) -> Iterator[Outcome]:
    """The prototype of an operator changed in a way that this model's nodes meet."""
    join = join_operators(context)
    for use in join.uses if join else ():
        for change in use.changes:
            if join is not None and use.old is not None and change.kind.name in params.kinds:
                from preflight.checks.relevance import touched

                nodes = touched(change, use.nodes, use.old.prototype)
                if nodes:
                    yield change_hit(context, join, use, change, nodes)


def change_hit(
    context: Context, join: Join, use: OperatorUse, change: Change, nodes: tuple[Operator, ...]
) -> Hit:
    """A hit for one change, with both releases as evidence."""
    from preflight.registry.words import readable_change, readable_sides

    old, new = (side if side is not None else _NOTHING for side in readable_sides(change))
    field = "" if change.field == "*" else change.field
    facts = OperatorChange(
        use.op_type,
        len(nodes),
        nodes[0].name,
        change.kind.title,
        field,
        old,
        new,
        change.kind.code,
        join.compiled.text,
        join.target.text,
        change.note,
        " ".join(part for part in (field, readable_change(change)) if part),
    )
    where = f"{use.op_type}.{field}" if field else use.op_type
    return Hit(
        facts,
        (
            Evidence(
                f"{where}: {change.kind.title}",
                change.new if change.new is not None else _NOTHING,
                change.old if change.old is not None else _NOTHING,
                f"prototype in {join.target.text}",
                f"prototype in {join.compiled.text} ({join.compiled.source})",
            ),
        ),
        location=context.place(f"MODEL_DEF / {nodes[0].graph} / op {nodes[0].name}"),
        certainty=source_certainty(context, change.certainty),
    )


def source_certainty(context: Context, certainty: Certainty) -> Certainty:
    """No surer than possible where a parser will make the operators anew from another source."""
    manifest = context.manifest
    if manifest is not None and not manifest.dynamic and manifest.framework_type in _PARSED:
        return Certainty.POSSIBLE
    return max(certainty, Certainty.LIKELY, key=lambda c: c.rank)


class RemovedOperator(Struct, frozen=True):
    """An operator type that a complete record of the target's release does not have."""

    operator: str
    nodes: int
    last: str
    release: str


@predicate("operators.removed", evidence=RemovedOperator)
def removed(context: Context, _: object) -> Iterator[Outcome]:
    """The target's release has no such operator any more.

    An operator that the record of the release cannot decide is no finding: the rule is undecided.
    """
    join = join_operators(context)
    if join is None or join.same_release:
        return  # the compiler of that release had every operator of the model
    unknown: list[str] = []
    for use in join.uses:
        if use.history is None:  # of no record at all: operators.unknown
            if is_unpublished(use.op_type) and use.op_type not in context.target.kernels:
                unknown.append(use.op_type)
            continue
        absences = [join.history.absence(use.op_type, r) for r in join.target.candidates]
        recorded = [use.history.recorded(r) is not None for r in join.target.candidates]
        if use.new is not None or any(recorded) or _replaced(join, use.op_type):
            continue
        if not absences or not all(a.proven for a in absences):
            unknown.append(use.op_type)
            continue
        last = _last_before(join, use.history)
        yield Hit(
            RemovedOperator(use.op_type, use.count, last, join.target.text),
            (
                Evidence(
                    f"operator {use.op_type}",
                    "not in the record",
                    f"recorded in {last}",
                    f"operators of {join.target.text}: {absences[0].why}",
                    "model",
                ),
            ),
            location=context.place(f"MODEL_DEF / {use.first}"),
            certainty=source_certainty(context, absences[0].certainty),
        )
    if unknown:
        yield _undecided(join, unknown)


def _last_before(join: Join, history: OperatorHistory) -> str:
    """The last release before the target's that has an operator; if none, the first one after."""
    order = [release.version for release in join.history.releases]
    here = order.index(join.target.candidates[0])
    before = [r.release for r in history.records if order.index(r.release) < here]
    return before[-1] if before else history.records[0].release


def _undecided(join: Join, unknown: list[str]) -> Undecided:
    named = ", ".join(unknown[:_SHOWN]) + (" …" if len(unknown) > _SHOWN else "")
    return Undecided(
        f"the public record of {join.target.text} is incomplete and lacks {named} "
        f"({len(unknown)} of {len(join.uses)} operator types)",
        ("target.history",),
    )


def _replaced(join: Join, op_type: str) -> bool:
    """Whether the type is a constant-folded form (suffix D) of one that the target has."""
    if not op_type.endswith("D") or not join.history.knows(op_type[:-1]):
        return False
    base = join.history.operator(op_type[:-1])
    return any(base.recorded(r) is not None for r in join.target.candidates)


class UnknownOperator(Struct, frozen=True):
    """An operator type that no public record has: somebody's own package brings it."""

    operator: str
    nodes: int
    packages: str


@predicate("operators.unknown", evidence=UnknownOperator)
def unknown(context: Context, _: object) -> Iterator[Outcome]:
    """An operator of no public record, and none of the target's packages is known to have it."""
    join = join_operators(context)
    if join is None:
        return
    taken = [vendor for vendor in context.target.vendors if vendor.accepted is not False]
    vendors = {name for vendor in taken for name in vendor.operators}
    for use in join.uses:
        if use.known or use.op_type in vendors or is_unpublished(use.op_type):
            continue
        if use.op_type in context.target.kernels or not use.nodes:
            continue
        packages = ", ".join(v.name for v in context.target.vendors) or "none known"
        yield Hit(
            UnknownOperator(use.op_type, use.count, packages),
            (
                Evidence(
                    f"operator {use.op_type}",
                    "in a custom operator package of the target",
                    "in no public record",
                    f"custom packages: {packages}",
                    "model",
                ),
            ),
            location=context.place(f"MODEL_DEF / {use.first}"),
            certainty=Certainty.LIKELY
            if context.target.origin == "installed"
            else Certainty.POSSIBLE,
        )


class NoKernel(Struct, frozen=True):
    """An operator for which the release has kernels on other SoCs, or for other data types."""

    operator: str
    nodes: int
    dtype: str
    soc: str
    available: tuple[str, ...]


@predicate("operators.no_kernel", evidence=NoKernel)
def no_kernel(context: Context, _: object) -> Iterator[Outcome]:
    """The target's release has no kernel of an operator for this SoC or data type."""
    join, kernels = join_operators(context), context.target.kernels
    if join is None:
        return
    soc = context.target.soc.value or "the target"
    if join.same_release and context.manifest and context.manifest.soc_version == soc:
        return  # compiled there before
    if not context.target.kernels_source:
        yield Undecided("the operators with kernels on the target are not known", _KERNELS)
        return
    for use in join.uses:
        if not use.nodes or not (use.known or is_unpublished(use.op_type)):
            continue
        base = use.op_type.removesuffix("D")
        if use.op_type not in kernels and base not in kernels:
            others = socs_with_kernel(context.target.release.value or "", use.op_type)
            if others:  # operators without a kernel anywhere are carried out by the host
                yield _kernel_hit(context, use, "", soc, others)
            continue
        yield from _dtype_hits(context, use, soc)


def _dtype_hits(context: Context, use: OperatorUse, soc: str) -> Iterator[Hit]:
    """Data types without a kernel: of the first input, and of others where a tree states them.

    The lists of known releases speak of the first input only. A place behind a dynamic one is not
    looked at, because positions are open there.
    """
    known = context.target.kernels.get(use.op_type, ())
    versions = use.history.versions if use.history else ()
    if not known or not versions:
        return
    kernels, prototype = context.target.kernels, versions[-1].prototype
    stated = kernels.ports(use.op_type) if isinstance(kernels, LazyKernels) else {}
    for side, ports in (("input", prototype.inputs), ("output", prototype.outputs)):
        for place, port in enumerate(ports):
            if port.type.startswith("DYNAMIC"):
                break
            first = side == "input" and place == 0
            name, available = stated.get(f"{side}{place}", ("", ()))
            if first or name == port.name:
                where = "" if first else f" at {side} {port.name}"
                taken = known if first else available
                for dtype in sorted(_used(use, side, place) - set(taken)):
                    yield _kernel_hit(context, use, dtype + where, soc, taken)


def _used(use: OperatorUse, side: str, place: int) -> set[str]:
    """The data types that nodes have at a place; what is not connected has none."""
    descs = [n.input_descs if side == "input" else n.output_descs for n in use.nodes]
    return {dtype_name(d[place].dtype) for d in descs if place < len(d)} - {"UNDEFINED"}


def _kernel_hit(
    context: Context, use: OperatorUse, dtype: str, soc: str, available: tuple[str, ...]
) -> Hit:
    subject = f"kernel of {use.op_type}" + (f" for {dtype}" if dtype else "")
    return Hit(
        NoKernel(use.op_type, len(use.nodes), dtype or "any data type", soc, available),
        (
            Evidence(
                subject,
                f"one for {soc}",
                f"only for {', '.join(available)}",
                context.target.name,
                context.target.kernels_source,
            ),
        ),
        location=context.place(f"MODEL_DEF / {use.first}"),
        certainty=Certainty.POSSIBLE if dtype else source_certainty(context, Certainty.LIKELY),
    )
