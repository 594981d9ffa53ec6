"""Predicates about the single-operator loader (aclopLoad), which reads less and maps codes.

spec/om-format.md §D.5, spec/corrections.md item 26.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from preflight.checks.context import Context
from preflight.checks.facts import is_settled, loader_not_known
from preflight.checks.predicate import Hit, Outcome, Undecided, predicate
from preflight.checks.predicates.container import faults_of
from preflight.checks.predicates.device import arch_type_differs, npu_arch_differs
from preflight.checks.predicates.table import count_outcome, is_flow
from preflight.findings import Evidence

_SIZE = (300,)
_TABLE = 301  # position (301, position of the fault in the standard order…)
_ATTRIBUTES = (302,)
_FILE_CHECKS = ("sop.size", "hdr.min_size", "hdr.length_or_magic")
# What the loader reads after the table: definition and SoC only (stores are not looked at).
_READ_PREFIXES = ("tab.", "part.", "sop.t", "def.parse", "def.attr", "def.namedattrs", "def.edges")


class SingleOpFault(Struct, frozen=True):
    """What the single-operator loader stumbles over."""

    detail: str


@predicate("single_op.size", evidence=SingleOpFault)
def size(context: Context, _: object) -> Iterator[Outcome]:
    """The file is no longer than a header, or not as long as the header says; magic is ignored."""
    container, header = context.model.container, context.header
    payload = container.size - 256
    if payload > 0 and header is not None and header.payload_length == payload:
        return
    announced = "nothing" if header is None else str(header.payload_length)
    yield Hit(
        SingleOpFault(f"the header announces {announced} bytes, {max(payload, 0)} follow it"),
        (
            Evidence(
                "payload length", f"{announced} bytes", f"{payload} bytes", "header", "file size"
            ),
        ),
        location=context.place("header"),
        position=_SIZE,
    )


@predicate("single_op.table", evidence=SingleOpFault)
def table(context: Context, _: object) -> Iterator[Outcome]:
    """Table, definition or SoC: the loader has one code for all of them."""
    for found in faults_of(context):
        if found.check in _FILE_CHECKS or not found.check.startswith(_READ_PREFIXES):
            continue
        if found.check.startswith("def.") and found.block:
            continue  # the definition of block 0 is the only one that is read
        yield Hit(
            SingleOpFault(found.detail),
            (Evidence(found.check, "a readable model definition", found.detail),),
            location=context.place(offset=found.offset),
            position=(_TABLE, *found.position),
        )
        return
    for outcome in (*_counts(context), *_devices(context)):
        yield outcome if isinstance(outcome, Undecided) else _wrapped(outcome)
        return


def _counts(context: Context) -> Iterator[Outcome]:
    if is_flow(context):
        return
    for block in context.container.blocks:
        outcome = count_outcome(context, block)
        if outcome is not None:
            yield outcome


def _devices(context: Context) -> Iterator[Outcome]:
    """The SoC check of the target's release; of a release nobody knows, whether it could matter."""
    behaviour = context.behaviour
    if behaviour is not None and is_settled(context, "soc_rule"):
        rule = npu_arch_differs if behaviour.soc_rule == "npu_arch" else arch_type_differs
        yield from rule(context, None)
    elif [*npu_arch_differs(context, None), *arch_type_differs(context, None)]:
        yield Undecided(loader_not_known(context), ("target.behaviour",))


def _wrapped(hit: Hit) -> Hit:
    """A fault of another predicate under the single-operator loader's code."""
    detail = "; ".join(f"{e.subject} is {e.found}, not {e.expected}" for e in hit.evidence)
    return Hit(
        SingleOpFault(detail),
        hit.evidence,
        location=hit.location,
        position=(_TABLE, *hit.position),
        certainty=hit.certainty,
    )


class NoOperator(Struct, frozen=True):
    """A model without what the single-operator loader looks for."""

    missing: str


@predicate("single_op.attributes_missing", evidence=NoOperator)
def attributes_missing(context: Context, _: object) -> Iterator[Outcome]:
    """The model was not compiled as a single operator."""
    manifest = context.manifest
    if manifest is None or manifest.single_op:
        return
    yield Hit(
        NoOperator("the operator's type and tensor descriptions"),
        (Evidence("single-operator attributes", "present", "absent", "aclopLoad", "MODEL_DEF"),),
        location=context.place("block 0 / MODEL_DEF"),
        position=_ATTRIBUTES,
    )
