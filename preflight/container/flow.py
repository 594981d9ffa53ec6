"""Flow models: the order of their partitions and the OMs inside FLOW_SUBMODEL (§A.12).

Field numbers of FlowModelDef and SubmodelDef are those of the real files and of the published
flow_model.proto; the messages themselves are decoded by the model layer.
"""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct
from msgspec.structs import replace

from preflight.container.partitions import FLOW_MODEL, FLOW_SUBMODEL, MODEL_DEF
from preflight.container.source import Source, SubSource
from preflight.container.types import Block, Container, Fault, NestedEntry, Partition
from preflight.container.wire import LENGTH, VARINT, scan_fields
from preflight.errors import MalformedInput

MAX_NAME = 4096  # bytes of a submodel name or path that are read
FLOW_SUBMODEL_NAME = 3  # FlowModelDef.submodel_name
SUBMODEL_NAME, SUBMODEL_TYPE, SUBMODEL_OM = 1, 2, 3
SUBMODEL_PATH, SUBMODEL_BUILTIN = 9, 10
UDF = "UDF"  # model_type of user-defined functions: their data is no OM


class Submodel(Struct, frozen=True):
    """What one FLOW_SUBMODEL says: OM bytes inside (`om_size` > 0) or the path of a file."""

    partition: int
    name: str
    model_type: str
    om_offset: int
    om_size: int
    path: str
    builtin: bool


def add_submodels(container: Container, source: Source) -> Container:
    """The container of a flow model with its submodels found and flow.* faults added.

    `details`: `submodels` (tuple of Submodel), `submodel_names` as FlowModelDef lists them.
    """
    if not container.blocks:
        return container
    block = container.blocks[0]
    faults = _order_faults(block)
    names: tuple[str, ...] = ()
    submodels: list[Submodel] = []
    for partition in block.partitions[1:]:
        part = SubSource(source, partition.offset, partition.size, partition.name)
        try:
            if partition.id == FLOW_MODEL and partition.index == 1:
                names = _names(part)
            elif partition.id == FLOW_SUBMODEL:
                submodels.append(_submodel(part, partition))
        except MalformedInput as error:
            faults.append(_fault("flow.proto", 401, error.message, partition))
    if not faults and not container.faults:
        faults += _missing(names, submodels)
    nested = tuple(
        NestedEntry(s.name, s.om_offset, s.om_size)
        for s in submodels
        if s.om_size and s.model_type != UDF and not s.builtin
    )
    details: Mapping[str, object] = {"submodels": tuple(submodels), "submodel_names": names}
    return replace(
        container,
        what=f"flow model with {len(submodels)} submodel{'' if len(submodels) == 1 else 's'}",
        faults=container.faults + tuple(faults),
        nested=nested,
        details=details,
        notes=tuple(n for n in container.notes if n.id != "duplicate_partition"),
    )


def _order_faults(block: Block) -> list[Fault]:
    """MODEL_DEF, FLOW_MODEL, then only FLOW_SUBMODEL; at least the first two."""
    if block.declared_count != len(block.partitions):
        return []  # the table itself is at fault
    if len(block.partitions) < 2:
        text = (
            f"{len(block.partitions)} partitions, a flow model has at least MODEL_DEF, FLOW_MODEL"
        )
        return [Fault("flow.parts", text, (400, 0), block=block.index)]
    for partition in block.partitions:
        wanted = {0: MODEL_DEF, 1: FLOW_MODEL}.get(partition.index, FLOW_SUBMODEL)
        if partition.id != wanted:
            text = f"partition {partition.index} of a flow model is {partition.name}"
            return [_fault("flow.parts", 400, text, partition)]
    return []


def _names(part: Source) -> tuple[str, ...]:
    return tuple(
        _text(part, field.offset, field.size)
        for field in scan_fields(part)
        if field.number == FLOW_SUBMODEL_NAME and field.kind == LENGTH
    )


def _submodel(part: SubSource, partition: Partition) -> Submodel:
    texts = {SUBMODEL_NAME: "", SUBMODEL_TYPE: "", SUBMODEL_PATH: ""}
    om_offset, om_size, builtin = 0, 0, False
    for field in scan_fields(part):
        if field.kind == LENGTH and field.number in texts:
            texts[field.number] = _text(part, field.offset, field.size)
        elif field.kind == LENGTH and field.number == SUBMODEL_OM:
            om_offset, om_size = partition.offset + field.offset, field.size
        elif field.kind == VARINT and field.number == SUBMODEL_BUILTIN:
            builtin = field.value != 0
    return Submodel(
        partition=partition.index,
        name=texts[SUBMODEL_NAME],
        model_type=texts[SUBMODEL_TYPE],
        om_offset=om_offset,
        om_size=om_size,
        path=texts[SUBMODEL_PATH],
        builtin=builtin,
    )


def _missing(names: tuple[str, ...], submodels: list[Submodel]) -> list[Fault]:
    present = {s.name for s in submodels}
    absent = tuple(n for n in names if n not in present)
    if not absent:
        return []
    text = f"submodel {', '.join(absent)} is listed but not there"
    return [Fault("flow.proto", text, (401, 0), block=0, data={"missing": absent})]


def _text(source: Source, offset: int, size: int) -> str:
    if size > MAX_NAME:
        raise MalformedInput(f"{source.name}: a name of {size} bytes is longer than {MAX_NAME}")
    return source.read(offset, size).decode("utf-8", "backslashreplace")


def _fault(check: str, order: int, text: str, partition: Partition) -> Fault:
    position = (order, partition.index)
    return Fault(check, text, position, block=0, partition=partition.index, offset=partition.offset)
