"""Predicates about the SoC (band PF3xx); the two rules of the loader are in om-format §D.3."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from preflight.checks import ordering
from preflight.checks.context import Context
from preflight.checks.predicate import Hit, Outcome, Undecided, predicate
from preflight.findings import Certainty, Evidence
from preflight.model.manifest import ModelManifest
from preflight.target.types import SocFacts

# The loader reads this name as the first SoC of its family (§D.3).
_ALIASES = {"Ascend910": "Ascend910A"}
# Codes of the platform files' Arch_type that the runtime up to 9.0.1 knows: 0 to 14
# (spec/enums.json ArchTypeCode_runtime_le_9_0).
_LAST_ARCH_CODE = 14


class SocMismatch(Struct, frozen=True):
    """Both sides of a SoC architecture comparison. `reason` says how they differ."""

    model_soc: str
    model_arch: str
    target_soc: str
    target_arch: str
    reason: str


def known_soc(context: Context, name: str) -> SocFacts | None:
    """What the target knows of a SoC, by the name the loader would look up."""
    return context.target.socs.get(_ALIASES.get(name, name))


@predicate("device.arch_type_differs", evidence=SocMismatch)
def arch_type_differs(context: Context, _: object) -> Iterator[Outcome]:
    """Up to 9.0.1: the model's arch_type code must name the device's architecture."""
    manifest = context.manifest
    if manifest is None or not manifest.arch_type:
        return  # the loader asks nothing when the model is silent
    code = manifest.arch_type
    assumed = _assumed(context, code)
    if assumed is not None:
        yield from assumed
        return
    if not code.isdigit() or int(code) > _LAST_ARCH_CODE:
        reason = f"architecture code {code} is unknown to this runtime"
        yield _mismatch(context, code, "one of 0 to 14", reason)
        return
    device = _device(context)
    if isinstance(device, Undecided):
        yield device
    elif device.arch_type is None:
        yield Undecided(
            f"the platform file of {device.soc_version} has no Arch_type", ("target.soc_facts",)
        )
    elif int(device.arch_type) != int(code):
        reason = f"architecture {code} is not {device.arch_type}"
        yield _mismatch(context, code, device.arch_type, reason, device.source)


@predicate("device.npu_arch_differs", evidence=SocMismatch)
def npu_arch_differs(context: Context, _: object) -> Iterator[Outcome]:
    """From 9.1 on: NpuArch of the model's SoC must equal that of the device; both must be known."""
    manifest = context.manifest
    if manifest is None or not manifest.soc_version:
        return
    assumed = _assumed(context, "")
    if assumed is not None:
        yield from assumed
        return
    if not context.target.socs:
        yield Undecided("the platform files of the target are not known", ("target.socs",))
        return
    model = known_soc(context, manifest.soc_version)
    device = _device(context)
    if model is None or model.npu_arch is None:
        yield _unknown_architecture(context, model)
    elif isinstance(device, Undecided):
        yield device
    elif device.npu_arch is None:
        reason = f"the platform file of {device.soc_version} has no NpuArch"
        yield _mismatch(context, model.npu_arch, "missing", reason, device.source)
    elif device.npu_arch != model.npu_arch:
        reason = f"NpuArch {model.npu_arch} is not {device.npu_arch}"
        yield _mismatch(context, model.npu_arch, device.npu_arch, reason, device.source)


def _unknown_architecture(context: Context, model: SocFacts | None) -> Hit:
    """The loader cannot find the model's SoC, or its file is from before NpuArch."""
    manifest = context.manifest
    assert manifest is not None
    name = manifest.soc_version
    reason = (
        f"the target has no platform file for {name}"
        if model is None
        else f"the platform file of {name} has no NpuArch"
    )
    device = context.target.soc.value or ""
    facts = known_soc(context, device)
    arch = (facts.npu_arch if facts else None) or "unknown"
    certain = context.target.origin != "catalogue"
    return _mismatch(
        context, "unknown", arch, reason, certainty=None if certain else Certainty.LIKELY
    )


def _assumed(context: Context, code: str) -> list[Outcome] | None:
    """The answer of the runtime's SoC check when the target assumes one."""
    answer = context.target.soc_answer
    if not answer:
        return None
    if answer == "pass":
        return []
    return [_mismatch(context, code or "unknown", "assumed", f"the runtime answers {answer}")]


def _device(context: Context) -> SocFacts | Undecided:
    soc = context.target.soc
    if not soc.known or not soc.value:
        return Undecided(soc.source or "the target names no SoC", ("target.soc",))
    found = known_soc(context, soc.value)
    if found is None:
        return Undecided(f"nothing describes the SoC {soc.value}", ("target.soc_facts",))
    return found


def _mismatch(
    context: Context,
    model_arch: str,
    target_arch: str,
    reason: str,
    source: str = "",
    certainty: Certainty | None = None,
) -> Hit:
    manifest = context.manifest
    assert manifest is not None
    model_soc = manifest.soc_version or "an unnamed SoC"
    target_soc = context.target.soc.value or "an unnamed SoC"
    return Hit(
        SocMismatch(model_soc, model_arch, target_soc, target_arch, reason),
        (
            Evidence(
                "soc_version",
                target_soc,
                model_soc,
                context.target.soc.source,
                "model attribute soc_version, block 0",
            ),
            Evidence(
                "SoC architecture", target_arch, model_arch, source, "platform file or arch_type"
            ),
        ),
        location=context.place("block 0 / MODEL_DEF"),
        position=ordering.content(0, ordering.SOC_STEP),
        certainty=certainty or Certainty.CERTAIN,
    )


class SameArchitecture(Struct, frozen=True):
    """Another SoC of the same architecture: it loads, and need not fit."""

    model_soc: str
    target_soc: str
    model_cores: int | None
    target_cores: int | None


@predicate("device.precise_soc_differs", evidence=SameArchitecture)
def precise_soc_differs(context: Context, _: object) -> Iterator[Outcome]:
    """The architecture fits and the SoC is another: core count and memory may not."""
    manifest, soc = context.manifest, context.target.soc
    if manifest is None or not manifest.soc_version or not soc.value:
        return
    model, device = known_soc(context, manifest.soc_version), known_soc(context, soc.value)
    if model is None or device is None or model.soc_version == device.soc_version:
        return
    if not _same_architecture(model, device):
        return
    yield Hit(
        SameArchitecture(
            model.soc_version, device.soc_version, model.ai_core_count, device.ai_core_count
        ),
        (
            Evidence(
                "soc_version",
                device.soc_version,
                model.soc_version,
                context.target.soc.source,
                "model attribute soc_version",
            ),
            Evidence(
                "AI cores",
                str(device.ai_core_count or "unknown"),
                str(model.ai_core_count or "unknown"),
                device.source,
                model.source,
            ),
        ),
        location=context.place("block 0 / MODEL_DEF"),
        certainty=Certainty.LIKELY,
    )


def _same_architecture(model: SocFacts, device: SocFacts) -> bool:
    if model.npu_arch and device.npu_arch:
        return model.npu_arch == device.npu_arch
    return model.arch_type is not None and model.arch_type == device.arch_type


@predicate("device.architecture_not_compared", evidence=SocMismatch)
def architecture_not_compared(context: Context, _: object) -> Iterator[Outcome]:
    """The model names a SoC of another architecture where this loader does not look."""
    device = _device(context)
    if context.manifest is None or context.target.soc_answer or isinstance(device, Undecided):
        return  # the rule of the loader's own check says what is missing
    rules = {"arch_type": _only_soc_version, "npu_arch": _only_arch_type}
    if context.loader == "om2":  # packages are compared with nothing (§B)
        rules = {"arch_type": _soc_version, "npu_arch": _soc_version}
    found = {name: list(rule(context, context.manifest, device)) for name, rule in rules.items()}
    if context.behaviour is not None:
        yield from found[context.behaviour.soc_rule]
    elif any(found.values()):
        yield Undecided("which SoC check applies depends on the release", ("target.behaviour",))


def _only_soc_version(context: Context, manifest: ModelManifest, device: SocFacts) -> Iterator[Hit]:
    """The loader compares arch_type, which is absent; soc_version is there."""
    if not manifest.arch_type:
        yield from _soc_version(context, manifest, device)


def _soc_version(context: Context, manifest: ModelManifest, device: SocFacts) -> Iterator[Hit]:
    model = known_soc(context, manifest.soc_version) if manifest.soc_version else None
    if model is not None and not _same_architecture(model, device):
        yield _uncompared(context, _code(model), _code(device), device)


def _only_arch_type(context: Context, manifest: ModelManifest, device: SocFacts) -> Iterator[Hit]:
    """The loader compares soc_version, which is absent; arch_type is there."""
    silent = not manifest.soc_version and bool(manifest.arch_type)
    if silent and device.arch_type not in (None, manifest.arch_type):
        yield _uncompared(context, manifest.arch_type, device.arch_type or "", device)


def _code(facts: SocFacts) -> str:
    return facts.arch_type or facts.npu_arch or "unknown"


def _uncompared(context: Context, model_arch: str, arch: str, device: SocFacts) -> Hit:
    reason = "the loader of this release does not look at it"
    return _mismatch(context, model_arch, arch, reason, device.source, Certainty.LIKELY)


class SilentSoc(Struct, frozen=True):
    """A model that names no SoC."""

    missing: str


@predicate("device.soc_not_recorded", evidence=SilentSoc)
def soc_not_recorded(context: Context, _: object) -> Iterator[Outcome]:
    """The loader compares nothing, because the model does not say what it was compiled for."""
    manifest, behaviour = context.manifest, context.behaviour
    if manifest is None or context.target.soc_answer:
        return
    by_arch = behaviour is not None and behaviour.soc_rule == "arch_type"
    value = manifest.arch_type if by_arch else manifest.soc_version
    name = "arch_type" if by_arch else "soc_version"
    if not value:
        yield Hit(
            SilentSoc(name),
            (
                Evidence(
                    name, context.target.soc.value or "", "absent", context.target.soc.source,
                    "model attributes, block 0",
                ),
            ),
            location=context.place("block 0 / MODEL_DEF"),
        )  # fmt: skip


class AmbiguousSoc(Struct, frozen=True):
    """A name that people use for more than one family of devices."""

    name: str
    side: str
    remark: str


class AmbiguousParams(Struct, frozen=True):
    """Name -> remark is data of the rule: `names` and `remark` belong together."""

    names: list[str]
    remark: str


@predicate("device.ambiguous_soc", evidence=AmbiguousSoc, params=AmbiguousParams)
def ambiguous_soc(context: Context, params: AmbiguousParams) -> Iterator[Outcome]:
    """Model or target uses a SoC name that is easily taken for another device's."""
    sides = (
        ("model", context.manifest.soc_version if context.manifest else ""),
        ("target", context.target.soc.value or ""),
    )
    for side, name in sides:
        if name in params.names:
            yield Hit(
                AmbiguousSoc(name, side, params.remark),
                (Evidence("soc_version", "an unambiguous name", name, found_from=side),),
                location=context.place("block 0 / MODEL_DEF"),
            )
