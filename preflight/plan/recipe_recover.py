"""What a model without a recorded command line still says about how it was built."""

from __future__ import annotations

from preflight.model.manifest import ModelManifest, TensorInfo
from preflight.plan.atc_options import atc_rules
from preflight.plan.recipe_types import Draft, OptionLine

_SOURCE_FORMATS = ("NCHW", "NHWC", "ND", "NCDHW", "NDHWC")
_NAME_SEPARATORS = frozenset(":;,|")


def from_itself(draft: Draft, path: str) -> None:
    """The command for a graph that atc reads as it is; it brings its shapes and formats along."""
    why = "this file is what atc reads"
    draft.put(OptionLine("model", "added", None, path, why, "facts/rebuild-rules.json file_inputs"))
    framework = atc_rules().framework_value("MindSpore")
    _add(draft, "framework", framework, "atc reads .air files under that number", "the file", True)


def recover(draft: Draft, manifest: ModelManifest) -> None:
    """Fill the draft from the attributes and the description of inputs; the rest becomes gaps."""
    framework = atc_rules().framework_value(manifest.framework_type)
    draft.gap("model", "the model file does not name its source model")
    if framework:
        names = next(f.names for f in atc_rules().frameworks if f.value == framework)
        _add(draft, "framework", framework, f"the model says {names[0]}", "framework_type")
    else:
        draft.gap("framework", "the model does not name its framework: 0, 1, 3 or 5")
    _inputs(draft, manifest)
    _gears(draft, manifest)
    if _uses_aipp(manifest):
        draft.gap("insert_op_conf", "the model pre-processes images: the AIPP file is needed")
    draft.notes.append(
        "no command line is recorded: precision options, selected output nodes and fusion switches"
        " of the old build are not known"
    )


def _add(draft: Draft, name: str, value: str, reason: str, where: str, sure: bool = True) -> None:
    source = f"model attribute {where}" if "_" in where else where
    draft.put(OptionLine(name, "added", None, value, reason, source, sure))


def _inputs(draft: Draft, manifest: ModelManifest) -> None:
    """input_shape and input_format from the inputs that the model describes."""
    if not manifest.inputs:
        return
    formats = {t.origin_format or t.format for t in manifest.inputs} & set(_SOURCE_FORMATS)
    if len(formats) == 1:
        _add(draft, "input_format", formats.pop(), "the format of the inputs", "inputs", False)
    items: list[str] = []
    for tensor in manifest.inputs:
        item = _shape_item(tensor)
        if item is None:
            draft.gap("input_shape", "a name or shape of an input cannot be written in the option")
            return
        items.append(item)
    _add(draft, "input_shape", ";".join(items), "the inputs of the model", "inputs")


def _shape_item(tensor: TensorInfo) -> str | None:
    """`name:1,3,224,224`; ranges as `1~8`; None when the shape or the name does not allow it."""
    shape = tensor.origin_shape if tensor.origin_shape is not None else tensor.shape
    name = tensor.name
    if shape is None or not name or not name.isprintable() or _NAME_SEPARATORS & set(name):
        return None
    dims: list[str] = []
    for place, size in enumerate(shape):
        if size < -1:  # unknown rank
            return None
        low, high = tensor.shape_range[place] if place < len(tensor.shape_range) else (0, -1)
        ranged = size == -1 and 0 <= low < high
        dims.append(f"{low}~{high}" if ranged else str(size))
    return f"{name}:{','.join(dims)}"


def _gears(draft: Draft, manifest: ModelManifest) -> None:
    """The one option for gears; the dimensions they stand for are -1 in input_shape."""
    gears = manifest.gears
    option, value = "", ""
    if gears.batch:
        option, value = "dynamic_batch_size", ",".join(str(b) for b in gears.batch)
    elif gears.hw:
        option = "dynamic_image_size"
        value = ";".join(",".join(str(n) for n in hw) for hw in gears.hw)
    elif gears.dims:
        option = "dynamic_dims"
        value = ";".join(",".join(str(n) for n in dims) for dims in gears.dims)
    if not option:
        return
    _add(draft, option, value, "the gears of the model", "gears")
    shape = draft.value("input_shape")
    if shape is not None and "-1" not in shape:
        draft.gap("input_shape", f"write -1 for the dimensions that --{option} varies in {shape}")


def _uses_aipp(manifest: ModelManifest) -> bool:
    return any(op.type.lower() == "aipp" for op in manifest.operators) or any(
        "aipp" in name.lower() for tensor in manifest.inputs for name in tensor.attributes
    )
