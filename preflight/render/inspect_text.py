"""What a model file says about itself, for people at a terminal."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterable, Iterator, Sequence

from preflight.container.types import ContainerKind
from preflight.model.manifest import Attribute, ModelFile, ModelManifest, TensorInfo
from preflight.render.escape import printable
from preflight.render.inspect_json import plain

PARTS = ("header", "partitions", "io", "ops", "attrs", "kernels")
_SHORT_LIST = 12  # rows of a list in the overview
_WIDTH = 100  # characters of an attribute value
_LONGEST = 4000  # characters of a text, which is shown whole as long as a person may want it
_COLUMNS = 80

_Lines = Iterator[str]


def render_inspect_text(models: Sequence[ModelFile], parts: Sequence[str] = ()) -> str:
    """An overview of each file, or only the named `parts` in full; ends in a newline."""
    blocks = [_one(model, parts) for model in models]
    lines = [line for block in blocks for line in (*block, "")]
    lines.append(f"next: {_next(models[0])}")
    return "\n".join(map(printable, lines)) + "\n"


def headline(model: ModelFile) -> str:
    """In one line: what the file is, for which device and built with what."""
    manifest, container = model.manifest, model.container
    words = [f"{model.path}: {container.what}"]
    if manifest is not None and manifest.soc_version:
        words.append(f"for {manifest.soc_version}")
    if manifest is not None and manifest.opp_version:
        words.append(f"built with operator package {_with_release(manifest.opp_version)}")
    if model.faults and container.kind is not ContainerKind.NOT_A_MODEL:
        words.append(f"with damage ({model.faults[0].check})")
    return ", ".join(words)


def _next(model: ModelFile) -> str:
    if model.container.kind is ContainerKind.NOT_A_MODEL:
        return model.container.advice
    return f"preflight check {shlex.quote(model.path)} --target {_home(model)}"


def _home(model: ModelFile) -> str:
    """Release and SoC that the model was made for, where it says both; else this host."""
    from preflight.target.manifests import release_of_internal
    from preflight.target.names import known_soc_names

    manifest = model.manifest
    entry = release_of_internal(manifest.opp_version) if manifest is not None else None
    if manifest is None or entry is None or manifest.soc_version not in known_soc_names():
        return "installed"
    return f"{entry.public}/{manifest.soc_version}"


def _one(model: ModelFile, parts: Sequence[str]) -> _Lines:
    yield headline(model)
    if parts:
        for part in PARTS:
            if part in parts:
                yield from _full(part, model)
        return
    yield from _summary(model)
    for part in ("io", "partitions", "ops"):
        yield from _SECTIONS[part](model, _SHORT_LIST)
    yield from _remarks(model)
    for inner in model.nested:
        yield f"  inside: {headline(inner)}"


def _full(part: str, model: ModelFile) -> _Lines:
    yield from _SECTIONS[part](model, None)
    for inner in model.nested:
        yield f"  inside {inner.name}:"
        yield from _full(part, inner)


def _summary(model: ModelFile) -> _Lines:
    manifest = model.manifest
    size = _bytes(model.container.size)
    if 0 < model.bytes_read < model.container.size:
        size += f", of which {model.bytes_read} were read"
    rows = [("size", size)]
    if manifest is not None:
        rows += _facts(manifest)
    yield from _rows(rows)


def _facts(manifest: ModelManifest) -> list[tuple[str, str]]:
    command = manifest.atc_command
    memory = manifest.memory
    host = " ".join(filter(None, (manifest.host_env_os, manifest.host_env_cpu)))
    rows = [
        ("name", manifest.model_name),
        ("device", _device(manifest)),
        ("opp_version", _with_release(manifest.opp_version)),
        ("compiler_version", manifest.compiler_version),
        ("atc_version", manifest.atc_version),
        ("framework", manifest.framework_type),
        ("host", f"{host} (checked by the loader)" if manifest.need_check_os_cpu == 1 else host),
        ("weights", _bytes(memory.weights)),
        ("memory", _bytes(memory.memory_size)),
        ("external weights", ", ".join(manifest.external_weights)),
        ("gears", _gears(manifest)),
        ("kernels", str(len(manifest.kernels) or "")),
        ("libraries", ", ".join(lib.name for lib in manifest.so_store.libraries)),
        ("atc", command.text if command else ""),
    ]
    return [(name, value) for name, value in rows if value]


def _device(manifest: ModelManifest) -> str:
    if manifest.soc_version and manifest.arch_type:
        return f"{manifest.soc_version} (arch_type {manifest.arch_type})"
    return manifest.soc_version or (manifest.arch_type and f"arch_type {manifest.arch_type}")


def _bytes(number: int | None) -> str:
    """The number as it is, and readable beside it where that helps."""
    if number is None:
        return ""
    rounded, unit = float(number), "bytes"
    for larger in ("KiB", "MiB", "GiB", "TiB"):
        if rounded >= 1024:
            rounded, unit = rounded / 1024, larger
    plain_text = f"{number} byte{'' if number == 1 else 's'}"
    return plain_text if number < 10_000 else f"{plain_text} ({rounded:.1f} {unit})"


def _with_release(version: str) -> str:
    """An internal number with the release that has it, where one is known."""
    from preflight.target.manifests import release_of_internal  # only people want it

    entry = release_of_internal(version) if version else None
    return f"{version} (CANN {entry.public})" if entry and entry.public != version else version


def _cut(text: str, limit: int | None, used: int) -> str:
    """In the overview a name ends with the line; alone, a part shows all of it."""
    room = _COLUMNS - used
    return text if limit is None or len(text) <= room else f"{text[: room - 1]}…"


def _gears(manifest: ModelManifest) -> str:
    gears = manifest.gears
    if gears.batch:
        return "batch " + ", ".join(map(str, gears.batch))
    rows = gears.hw or gears.dims
    name = "height, width " if gears.hw else "dims "
    return name + "; ".join(",".join(map(str, row)) for row in rows) if rows else ""


def _header(model: ModelFile, limit: int | None) -> _Lines:
    header = model.container.header
    if header is None:
        yield "  no file header"
        return
    yield "  header"
    rows = [
        ("layout", header.layout),
        ("version", f"0x{header.version:08x}"),
        ("length", str(header.length)),
        ("model_length", str(header.model_length)),
        ("is_encrypt", str(header.is_encrypt)),
        ("is_checksum", str(header.is_checksum)),
        ("modeltype", str(header.modeltype)),
        ("genmode", str(header.genmode)),
        ("name", header.name),
        ("om_ir_version", str(header.om_ir_version)),
        ("model_num", str(header.model_num)),
        ("platform_version", header.platform_version),
        ("platform_type", str(header.platform_type)),
        ("need_check_os_cpu_info", str(header.need_check_os_cpu_info)),
        ("is_unknow_model", str(header.is_unknow_model)),
    ]
    yield from _rows(rows, indent=4)


def _partitions(model: ModelFile, limit: int | None) -> _Lines:
    for block in model.container.blocks[:limit]:
        shown = len(block.partitions)
        short = "" if shown == block.declared_count else f", {block.declared_count} declared"
        yield f"  block {block.index}: {block.table} table, {shown} partitions{short}"
        for part in block.partitions[:limit]:
            yield f"    {part.id:>3}  {part.name:<20} offset {part.offset:>12}  {part.size} bytes"
        yield from _more(len(block.partitions), limit, "partitions", indent=4)
    yield from _more(len(model.container.blocks), limit, "blocks")


def _boundary(model: ModelFile, limit: int | None) -> _Lines:
    manifest = model.manifest
    if manifest is None:
        return
    for title, tensors in (("inputs", manifest.inputs), ("outputs", manifest.outputs)):
        yield f"  {title}" + ("" if tensors else ": not recorded")
        for tensor in tensors[:limit]:
            yield f"    {_tensor(tensor)}"
        yield from _more(len(tensors), limit, title, indent=4)


def _tensor(tensor: TensorInfo) -> str:
    shape = "?" if tensor.shape is None else "x".join(map(str, tensor.shape)) or "scalar"
    words = [f"{tensor.name}: {tensor.dtype} {tensor.format} {shape}"]
    if tensor.origin_shape is not None and tensor.origin_shape != tensor.shape:
        words.append(f"from {'x'.join(map(str, tensor.origin_shape)) or 'scalar'}")
    if tensor.shape_range:
        words.append("range " + ",".join(f"{low}~{high}" for low, high in tensor.shape_range))
    return "  ".join(words)


def _operators(model: ModelFile, limit: int | None) -> _Lines:
    manifest = model.manifest
    if manifest is None:
        return
    rows = manifest.operators
    yield f"  operators: {sum(row.count for row in rows)} of {len(rows)} types"
    for row in rows[:limit]:
        start = f"    {row.count:>6}  {row.type:<24} first "
        yield start + _cut(row.first, limit, len(start))
    yield from _more(len(rows), limit, "types", indent=4)


def _attributes(model: ModelFile, limit: int | None) -> _Lines:
    manifest = model.manifest
    if manifest is None:
        return
    yield f"  attributes: {len(manifest.attributes)}"
    for name, attribute in sorted(manifest.attributes.items())[:limit]:
        yield f"    {name} ({attribute.type}) = {_value(attribute)}"
    if manifest.default_attributes:
        yield f"  added by the loader: {', '.join(manifest.default_attributes)}"


def _value(attribute: Attribute) -> str:
    value = attribute.value
    text = value if isinstance(value, str) else str(plain(value))
    width = _LONGEST if attribute.type == "s" else _WIDTH
    return text if len(text) <= width else f"{text[:width]}… ({len(text)} characters)"


def _kernels(model: ModelFile, limit: int | None) -> _Lines:
    manifest = model.manifest
    if manifest is None:
        return
    yield f"  kernels: {len(manifest.kernels)}"
    for kernel in manifest.kernels[:limit]:
        yield f"    {kernel.store} block {kernel.block}  {kernel.name}  {kernel.size} bytes"
    libraries = manifest.so_store.libraries
    yield f"  host libraries: {len(libraries)}"
    for library in libraries[:limit]:
        machine = library.elf_machine or "no ELF file"
        vendor = f" vendor {library.vendor}" if library.vendor else ""
        size = f"{library.size} bytes"
        yield f"    {library.type_name}  {library.name}{vendor}  {machine}  {size}"
    if manifest.custom_ops:
        yield f"  custom operators: {', '.join(manifest.custom_ops)}"


def _remarks(model: ModelFile) -> _Lines:
    for fault in model.faults:
        yield f"  fault {fault.check}: {fault.detail}"
    for note in model.notes:
        yield f"  note {note.id}: {note.detail}"


def _rows(rows: Iterable[tuple[str, str]], indent: int = 2) -> _Lines:
    rows = list(rows)
    width = max((len(name) for name, _ in rows), default=0)
    for name, value in rows:
        yield f"{' ' * indent}{name:<{width}}  {value}"


def _more(count: int, limit: int | None, what: str, indent: int = 2) -> _Lines:
    if limit is not None and count > limit:
        yield f"{' ' * indent}… {count - limit} more {what}"


_SECTIONS: dict[str, Callable[[ModelFile, int | None], _Lines]] = {
    "header": _header,
    "partitions": _partitions,
    "io": _boundary,
    "ops": _operators,
    "attrs": _attributes,
    "kernels": _kernels,
}
