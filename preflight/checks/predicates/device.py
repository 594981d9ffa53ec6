"""Predicates about the SoC (band PF3xx); the two rules of the loader are in om-format §D.3."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from preflight.checks import ordering
from preflight.checks.architectures import ARCH_TYPE, NPU_ARCH, architecture_name
from preflight.checks.context import Context
from preflight.checks.facts import is_settled, known_soc, loader_not_known
from preflight.checks.predicate import Hit, Outcome, Undecided, predicate
from preflight.findings import Certainty, Evidence, Severity
from preflight.model.manifest import ModelManifest
from preflight.target.types import SocFacts

# Codes of the platform files' Arch_type that the runtime up to 9.0.1 knows: 0 to 14
# (spec/enums.json ArchTypeCode_runtime_le_9_0).
_LAST_ARCH_CODE = 14


class SocMismatch(Struct, frozen=True):
    """Both sides of a SoC architecture comparison.

    `model_arch` and `target_arch` are the bare values, `model_is` and `target_is` the same with
    what they are and which devices have them. `remark` begins with a semicolon where more is to be
    said than that the two differ.
    """

    model_soc: str
    model_arch: str
    model_is: str
    target_soc: str
    target_arch: str
    target_is: str
    remark: str


@predicate("device.arch_type_differs", evidence=SocMismatch)
def arch_type_differs(context: Context, _: object) -> Iterator[Outcome]:
    """Up to 9.0.1: the model's arch_type code must name the device's architecture."""
    manifest = context.manifest
    if manifest is None or not manifest.arch_type:
        return  # the loader asks nothing when the model is silent
    code = manifest.arch_type
    differ = _Mismatch(context, ARCH_TYPE, code)
    assumed = _assumed(differ)
    if assumed is not None:
        yield from assumed
        return
    if not (code.isascii() and code.isdecimal()) or int(code) > _LAST_ARCH_CODE:
        yield differ.hit("", "the runtime knows only the codes 0 to 14")
        return
    device = _device(context)
    if isinstance(device, Undecided):
        yield device
    elif device.arch_type is None:
        yield Undecided(
            f"the platform file of {device.soc_version} has no Arch_type", ("target.soc_facts",)
        )
    elif int(device.arch_type) != int(code):
        yield differ.hit(device.arch_type, source=device.source)


@predicate("device.npu_arch_differs", evidence=SocMismatch)
def npu_arch_differs(context: Context, _: object) -> Iterator[Outcome]:
    """From 9.1 on: NpuArch of the model's SoC must equal that of the device; both must be known."""
    manifest = context.manifest
    if manifest is None or not manifest.soc_version:
        return
    assumed = _assumed(_Mismatch(context, NPU_ARCH, ""))
    if assumed is not None:
        yield from assumed
        return
    if not context.target.socs:
        yield Undecided("the platform files of the target are not known", ("target.socs",))
        return
    model = known_soc(context, manifest.soc_version)
    device = _device(context)
    told_by = model.source if model else "the target's platform files"
    differ = _Mismatch(context, NPU_ARCH, (model.npu_arch if model else None) or "", told_by)
    if model is None or model.npu_arch is None:
        yield _unknown_architecture(differ, model)
    elif isinstance(device, Undecided):
        yield device
    elif device.npu_arch is None:
        remark = f"the platform file of {device.soc_version} has no NpuArch"
        yield differ.hit("", remark, device.source)
    elif device.npu_arch != model.npu_arch:
        yield differ.hit(device.npu_arch, source=device.source)


def _unknown_architecture(differ: _Mismatch, model: SocFacts | None) -> Hit:
    """The loader cannot find the model's SoC, or its file is from before NpuArch."""
    context = differ.context
    name = differ.model_soc
    remark = (
        f"the target has no platform file for {name}"
        if model is None
        else f"the platform file of {name} has no NpuArch"
    )
    facts = known_soc(context, context.target.soc.value or "")
    arch = (facts.npu_arch if facts else None) or ""
    return differ.hit(arch, remark, certainty=context.target.socs_certainty)


def _assumed(differ: _Mismatch) -> list[Outcome] | None:
    """The answer of the runtime's SoC check when the target assumes one."""
    answer = differ.context.target.soc_answer
    if not answer:
        return None
    return [] if answer == "pass" else [differ.hit("", f"the runtime answers {answer}")]


def _device(context: Context) -> SocFacts | Undecided:
    soc = context.target.soc
    if not soc.known or not soc.value:
        return Undecided(soc.source or "the target names no SoC", ("target.soc",))
    found = known_soc(context, soc.value)
    if found is None:
        return Undecided(f"nothing describes the SoC {soc.value}", ("target.soc_facts",))
    return found


class _Mismatch(Struct, frozen=True):
    """The model's side of a comparison, of which several ends are possible."""

    context: Context
    key: str  # what is compared: ARCH_TYPE or NPU_ARCH
    model_arch: str
    source: str = "model attribute arch_type, block 0"

    @property
    def model_soc(self) -> str:
        manifest = self.context.manifest
        return (manifest.soc_version if manifest else "") or "an unnamed SoC"

    def hit(
        self,
        target_arch: str,
        remark: str = "",
        source: str = "",
        certainty: Certainty = Certainty.CERTAIN,
    ) -> Hit:
        """The fault, with the device's side; an empty architecture is one that nobody tells."""
        context, soc = self.context, self.context.target.soc
        target_soc = soc.value or "an unnamed SoC"
        told = soc.certainty if soc.known else Certainty.CERTAIN
        names = [architecture_name(context, self.key, a) for a in (self.model_arch, target_arch)]
        model_arch, target_arch = self.model_arch or "unknown", target_arch or "unknown"
        return Hit(
            SocMismatch(
                self.model_soc, model_arch, names[0], target_soc, target_arch, names[1],
                remark and f"; {remark}",
            ),
            (
                Evidence(
                    "soc_version", target_soc, self.model_soc, soc.source,
                    "model attribute soc_version, block 0",
                ),
                Evidence(
                    "SoC architecture", names[1], names[0], source, self.source
                ),
            ),
            location=context.place("block 0 / MODEL_DEF"),
            position=ordering.content(0, ordering.SOC_STEP),
            certainty=max(certainty, told, key=lambda c: c.rank),
            doubt=f"the target's SoC is inferred ({soc.source})" if told.rank else "",
        )  # fmt: skip


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


def _same_architecture(model: SocFacts, device: SocFacts) -> bool | None:
    """Whether two SoCs are of one architecture; None when no table names that of both."""
    if model.npu_arch and device.npu_arch:
        return model.npu_arch == device.npu_arch
    if model.arch_type and device.arch_type:
        return model.arch_type == device.arch_type
    known = (model.npu_arch or model.arch_type, device.npu_arch or device.arch_type)
    return None if None in known else False


@predicate("device.architecture_not_compared", evidence=SocMismatch)
def architecture_not_compared(context: Context, _: object) -> Iterator[Outcome]:
    """The model names a SoC of another architecture where this loader does not look."""
    if context.manifest is None or context.target.soc_answer:
        return
    compare = {ARCH_TYPE: _only_soc_version, NPU_ARCH: _only_arch_type}
    if context.loader == "om2":  # packages are compared with nothing (§B)
        compare = {ARCH_TYPE: _soc_version, NPU_ARCH: _soc_version}
    found = {name: list(rule(context, context.manifest)) for name, rule in compare.items()}
    if context.behaviour is not None and is_settled(context, "soc_rule"):
        yield from found[context.behaviour.soc_rule]
    elif any(found.values()):
        yield Undecided(loader_not_known(context), ("target.behaviour",))


def _only_soc_version(context: Context, manifest: ModelManifest) -> Iterator[Outcome]:
    """The loader compares arch_type, which is absent; soc_version is there."""
    if not manifest.arch_type:
        yield from _soc_version(context, manifest)


def _soc_version(context: Context, manifest: ModelManifest) -> Iterator[Outcome]:
    """The SoC for which the model was compiled is of another architecture, or nobody knows it."""
    if not manifest.soc_version or manifest.soc_version == context.target.soc.value:
        return
    model, device = known_soc(context, manifest.soc_version), _device(context)
    if isinstance(device, Undecided):
        yield device
    elif model is None or _same_architecture(model, device) is None:
        yield Undecided(
            f"the loader does not compare SoCs here, and nothing tells whether code for "
            f"{manifest.soc_version} fits {device.soc_version}",
            ("target.socs",),
        )
    elif not _same_architecture(model, device):
        key = ARCH_TYPE if model.arch_type and device.arch_type else NPU_ARCH
        values = (getattr(model, key) or "", getattr(device, key) or "")
        yield _uncompared(context, key, values, device)


def _only_arch_type(context: Context, manifest: ModelManifest) -> Iterator[Outcome]:
    """The loader compares soc_version, which is absent; arch_type is there."""
    if manifest.soc_version or not manifest.arch_type:
        return
    device = _device(context)
    if isinstance(device, Undecided):
        yield device
    elif device.arch_type is None:
        yield Undecided(
            f"the loader does not compare arch_type, and that of {device.soc_version} is not known",
            ("target.soc_facts",),
        )
    elif device.arch_type != manifest.arch_type:
        yield _uncompared(context, ARCH_TYPE, (manifest.arch_type, device.arch_type), device)


def _uncompared(context: Context, key: str, values: tuple[str, str], device: SocFacts) -> Hit:
    remark = "the loader of this release does not look at it"
    return _Mismatch(context, key, values[0]).hit(
        values[1], remark, device.source, Certainty.LIKELY
    )


class SilentSoc(Struct, frozen=True):
    """A model that names no SoC."""

    missing: str


@predicate("device.soc_not_recorded", evidence=SilentSoc)
def soc_not_recorded(context: Context, _: object) -> Iterator[Outcome]:
    """The loader compares nothing, because the model does not say what it was compiled for."""
    manifest, behaviour = context.manifest, context.behaviour
    if manifest is None or context.target.soc_answer:
        return
    by_arch = behaviour is not None and behaviour.soc_rule == ARCH_TYPE
    value = manifest.arch_type if by_arch else manifest.soc_version
    name = "arch_type" if by_arch else "soc_version"
    silent = not manifest.arch_type and not manifest.soc_version
    if context.loader == "om2":  # of a package nothing is ever compared (§B)
        value, name = manifest.soc_version, "soc_version"
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
            severity=Severity.WARNING if silent else None,
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
