"""The manifest of an OM2 package, from its JSON entries (spec/om-format.md §B).

The loader checks neither SoC nor versions of a package; they stand in the debug JSON, when that is
there at all. Everything is taken only where it has the expected type.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath

from preflight.container.om2 import Om2Entry, Package
from preflight.container.types import Container, Note
from preflight.errors import MalformedInput
from preflight.model.atc_command import parse_atc_command
from preflight.model.dtypes import dtype_name, format_name
from preflight.model.manifest import (
    Attribute,
    Gears,
    Graph,
    HostLibrary,
    Kernel,
    MemoryNeeds,
    ModelManifest,
    Operator,
    OperatorCount,
    SoStore,
    TensorInfo,
)

_VISUAL = "ge_visual_"
_TYPES = {"list_string": "list_s", "list_int": "list_i", "list_float": "list_f",
          "list_bool": "list_b", "data_type": "dt"}  # fmt: skip
_KINDS: Mapping[type, str] = {bool: "b", str: "s", int: "i", float: "f"}


def om2_manifest(container: Container, package: Package) -> tuple[ModelManifest, tuple[Note, ...]]:
    """What the package says; texts are empty and numbers None where it is silent."""
    meta = _mapping(container.details.get("model_meta"))
    visual, notes = _visual_model(package)
    attributes = _attributes(_mapping(visual.get("attr")))
    command = _text(_mapping(container.details.get("manifest")).get("atc_command"))
    command = command or _own(attributes, "atc_cmdline")
    graphs = tuple(_graphs(visual))
    entries = container.details.get("entries")
    entries = entries if isinstance(entries, tuple) else ()
    manifest = ModelManifest(
        model_name=_text(meta.get("name")) or _text(visual.get("name")),
        ir_version=_number(visual.get("version")),
        custom_version=_text(visual.get("custom_version")),
        compressed_attributes=False,
        soc_version=_own(attributes, "soc_version"),
        arch_type=_own(attributes, "arch_type"),
        atc_version=_own(attributes, "atc_version"),
        opp_version=_own(attributes, "opp_version"),
        compiler_version=_own(attributes, "compiler_version"),
        framework_type=_own(attributes, "framework_type"),
        atc_command=parse_atc_command(command) if command else None,
        host_env_os=_own(attributes, "host_env_os"),
        host_env_cpu=_own(attributes, "host_env_cpu"),
        need_check_os_cpu=0,
        so_store=_libraries(entries),
        dynamic=False,
        single_op=False,
        inputs=_tensors(meta.get("inputs")),
        outputs=_tensors(meta.get("outputs")),
        gears=_gears(meta),
        attributes=attributes,
        graphs=graphs,
        operators=_counts(graphs),
        kernels=_kernels(entries),
        memory=MemoryNeeds(
            weights=_number(
                _mapping(container.details.get("constants")).get("internal_weight_size")
            ),
            memory_size=_number(meta.get("work_size")),
            zero_copy=_number(meta.get("zero_copy_size")),
        ),
        external_weights=_external(container.details.get("constants")),
    )
    return manifest, notes


def _visual_model(package: Package) -> tuple[Mapping[str, object], tuple[Note, ...]]:
    name = next(
        (i.filename for i in package.files() if PurePosixPath(i.filename).name.startswith(_VISUAL)),
        None,
    )
    if name is None:
        text = "the package has no debug graph, so SoC, versions and operators are not known"
        return {}, (Note("om2.no_visual", text),)
    try:
        document = _mapping(package.json(name))
    except MalformedInput as error:
        return {}, (Note("om2.visual", error.message),)
    return _mapping(document.get("model")), ()


def _attributes(raw: Mapping[str, object]) -> dict[str, Attribute]:
    return {name: _attribute(name, value) for name, value in raw.items()}


def _attribute(name: str, value: object) -> Attribute:
    """Plain values stand for themselves, others as {"type": …, "value": …}."""
    if isinstance(value, dict) and isinstance(value.get("type"), str) and "value" in value:
        kind = str(value["type"])
        return Attribute(name, _TYPES.get(kind, kind), value["value"])
    if isinstance(value, list) and value:
        inner = _KINDS.get(type(value[0]))
        return Attribute(name, f"list_{inner}" if inner else "json", value)
    return Attribute(name, _KINDS.get(type(value), "json"), value)


def _graphs(visual: Mapping[str, object]) -> Iterator[Graph]:
    for raw in _list(visual.get("graph")):
        graph = _mapping(raw)
        name = _text(graph.get("name"))
        operators = tuple(_operator(_mapping(op), name) for op in _list(graph.get("op")))
        attributes = _attributes(_mapping(graph.get("attr")))
        yield Graph(name, 0, operators, attributes=attributes)


def _operator(raw: Mapping[str, object], graph: str) -> Operator:
    return Operator(
        name=_text(raw.get("name")),
        type=_text(raw.get("type")),
        graph=graph,
        block=0,
        attributes=_attributes(_mapping(raw.get("attr"))),
        inputs=(),
        control_inputs=(),
        input_descs=_visual_tensors(raw.get("input_desc")),
        output_descs=_visual_tensors(raw.get("output_desc")),
    )


def _visual_tensors(raw: object) -> tuple[TensorInfo, ...]:
    return tuple(
        TensorInfo(
            name=_text(desc.get("name")),
            dtype=_text(desc.get("dtype")).removeprefix("DT_") or "UNDEFINED",
            format=_text(desc.get("layout")),
            shape=_numbers(_mapping(desc.get("shape")).get("dim")),
            size=_number(desc.get("size")),
        )
        for desc in map(_mapping, _list(raw))
    )


def _counts(graphs: tuple[Graph, ...]) -> tuple[OperatorCount, ...]:
    firsts: dict[str, str] = {}
    counts: dict[str, int] = {}
    for graph in graphs:
        for operator in graph.operators:
            firsts.setdefault(operator.type, f"{graph.name}/{operator.name}")
            counts[operator.type] = counts.get(operator.type, 0) + 1
    rows = (OperatorCount(kind, count, firsts[kind]) for kind, count in counts.items())
    return tuple(sorted(rows, key=lambda row: (-row.count, row.type)))


def _tensors(raw: object) -> tuple[TensorInfo, ...]:
    """Inputs or outputs of model_meta.json; numbers or names for type and format both occur."""
    return tuple(
        TensorInfo(
            name=_text(tensor.get("name")),
            dtype=_named(tensor.get("data_type"), dtype_name, "DT_"),
            format=_named(tensor.get("format"), format_name, "FORMAT_"),
            shape=_numbers(tensor.get("shape_v2")) or _numbers(tensor.get("shape")),
            origin_shape=_numbers(tensor.get("origin_input_dims")) or None,
            size=_number(tensor.get("size")),
        )
        for tensor in map(_mapping, _list(raw))
    )


def _named(value: object, name_of: object, prefix: str) -> str:
    number = _number(value)
    if number is not None and callable(name_of):
        return str(name_of(number))
    return _text(value).removeprefix(prefix)


def _gears(meta: Mapping[str, object]) -> Gears:
    """dynamic_type 1 is batch, 2 height and width, 3 any dimensions (as in MODEL_INOUT_INFO)."""
    rows = tuple(r for r in map(_numbers, _list(meta.get("dynamic_batch_info"))) if r)
    flat = _numbers(meta.get("dynamic_batch_info")) or ()
    order = tuple(_text(name) for name in _list(meta.get("user_designate_shape_order")))
    kind = _number(meta.get("dynamic_type"))
    return Gears(
        batch=flat or tuple(row[0] for row in rows if len(row) == 1) if kind == 1 else (),
        hw=rows if kind == 2 else (),
        dims=rows if kind == 3 else (),
        name_order=order,
    )


def _libraries(entries: tuple[object, ...]) -> SoStore:
    """Host programs and custom-op libraries; there is no SO_BINS and no ABI check in a package."""
    libraries = tuple(
        HostLibrary(
            name=entry.name,
            type=-1,
            type_name="custom_ops" if "/custom_ops/" in entry.name else "host_program",
            vendor="",
            size=entry.size,
            elf_machine=entry.machine,
        )
        for entry in entries
        if isinstance(entry, Om2Entry) and entry.name.endswith(".so")
    )
    return SoStore(present=False, loaded=False, libraries=libraries)


def _kernels(entries: tuple[object, ...]) -> tuple[Kernel, ...]:
    return tuple(
        Kernel(PurePosixPath(entry.name).name, entry.size, "OM2")
        for entry in entries
        if isinstance(entry, Om2Entry) and entry.name.endswith(".o")
    )


def _external(constants: object) -> tuple[str, ...]:
    """Files of constants that lie outside the package."""
    consts = _mapping(_mapping(constants).get("consts"))
    names = (
        _text(_mapping(item).get("file_name"))
        for item in consts.values()
        if _mapping(item).get("type") in ("COMBINED", "INDIVIDUAL")
    )
    return tuple(dict.fromkeys(name for name in names if name))


def _own(attributes: Mapping[str, Attribute], name: str) -> str:
    value = attributes[name].value if name in attributes else ""
    return value if isinstance(value, str) else ""


def _mapping(value: object) -> Mapping[str, object]:
    return value if isinstance(value, dict) else {}


def _list(value: object) -> list[object]:
    return value if isinstance(value, list) else []


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _number(value: object) -> int | None:
    """A whole number of at most 64 bits."""
    if not isinstance(value, int) or isinstance(value, bool):
        return None
    return value if abs(value) < 1 << 63 else None


def _numbers(value: object) -> tuple[int, ...] | None:
    items = [_number(item) for item in _list(value)]
    return tuple(i for i in items if i is not None) if items and None not in items else None
