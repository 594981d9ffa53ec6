"""Predicates about the host: OS, CPU, versions of the operator package (band PF4xx, §D.4)."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from preflight.checks import ordering
from preflight.checks.context import Context
from preflight.checks.facts import behaviour_certainty, is_settled
from preflight.checks.predicate import Hit, Outcome, Undecided, predicate
from preflight.findings import Certainty, Evidence
from preflight.model.manifest import ModelManifest
from preflight.target.types import Fact
from preflight.versions import is_vendor_version_valid, parse_loader_ranges

_CHECK = 1  # need_check_os_cpu_info: other values ask for nothing (§D.4)
_ATTRIBUTES = "model attributes, block 0"


def _asks(context: Context) -> bool:
    return context.header is not None and context.header.need_check_os_cpu_info == _CHECK


class HostMismatch(Struct, frozen=True):
    """The model's host and the target's."""

    model_host: str
    target_host: str


@predicate("host.os_cpu_differs", evidence=HostMismatch)
def os_cpu_differs(context: Context, _: object) -> Iterator[Outcome]:
    """The header asks for the check, and OS or CPU differ; the comparison is of plain text."""
    manifest = context.manifest
    if manifest is None or not _asks(context):
        return
    pairs = (
        ("host_env_os", manifest.host_env_os, context.target.host_os),
        ("host_env_cpu", manifest.host_env_cpu, context.target.host_cpu),
    )
    differing = [p for p in pairs if p[2].known and p[1] != (p[2].value or "")]
    unknown = [p for p in pairs if not p[2].known]
    if not differing:
        if unknown:
            facts = tuple(f"target.{p[0].replace('host_env', 'host')}" for p in unknown)
            yield Undecided(unknown[0][2].source or "the target's host is not known", facts)
        return
    yield Hit(
        HostMismatch(_pair([p[1] for p in pairs]), _pair([p[2].value or "" for p in pairs])),
        tuple(
            Evidence(name, fact.value or "(empty)", value or "(absent)", fact.source, _ATTRIBUTES)
            for name, value, fact in differing
        ),
        location=context.place("block 0 / MODEL_DEF"),
        position=ordering.environment(110),
        certainty=max((p[2].certainty for p in differing), key=lambda c: c.rank),
    )


def _pair(values: list[str]) -> str:
    return " ".join(value or "(nothing)" for value in values)


class AbiMismatch(Struct, frozen=True):
    """Versions of embedded host libraries against the range that the target accepts."""

    opp_version: str
    compiler_version: str
    accepted: str
    reason: str


@predicate("host.abi_out_of_range", evidence=AbiMismatch)
def abi_out_of_range(context: Context, _: object) -> Iterator[Outcome]:
    """The range text is parsed first; versions count only when the host libraries were loaded."""
    manifest = context.manifest
    if manifest is None or not _asks(context):
        return
    opp, compiler = _checked_versions(manifest)
    accepted = context.target.abi_range
    if not accepted.known:
        # Also without versions to compare: a range that cannot be read refuses every such model.
        yield Undecided(accepted.source or "the ABI range is not known", ("target.abi_range",))
        return
    if accepted.value is None:
        return
    answers = {
        padded: is_vendor_version_valid(opp, compiler, accepted.value, padded)
        for padded in _paddings(context)
    }
    if all(answers.values()):
        return
    if any(answers.values()):
        yield Undecided(
            "loaders before and from 9.1 read these version numbers differently",
            ("target.behaviour",),
        )
        return
    yield _abi_hit(context, opp, compiler, accepted, next(iter(answers)))


def _checked_versions(manifest: ModelManifest) -> tuple[str, str]:
    """The versions that reach the check: none when the store of host libraries did not load."""
    if not manifest.so_store.loaded:
        return "", ""
    return manifest.opp_version, manifest.compiler_version


def _paddings(context: Context) -> tuple[bool, ...]:
    behaviour = context.behaviour
    if behaviour is None or not is_settled(context, "abi_padding"):
        return (True, False)
    return (behaviour.abi_padding,)


def _abi_hit(context: Context, opp: str, compiler: str, accepted: Fact[str], padded: bool) -> Hit:
    text = accepted.value or ""
    broken = parse_loader_ranges(text, padded) is None
    reason = "the loader cannot read the target's range" if broken else "outside the range"
    certainty = max(
        accepted.certainty, behaviour_certainty(context, "abi_padding"), key=lambda c: c.rank
    )
    return Hit(
        AbiMismatch(opp or "(none)", compiler or "(none)", text or "(empty)", reason),
        (
            Evidence("opp_version", text, opp or "(none)", accepted.source, _ATTRIBUTES),
            Evidence("compiler_version", text, compiler or "(none)", accepted.source, _ATTRIBUTES),
        ),
        location=context.place("block 0 / MODEL_DEF"),
        position=ordering.environment(111),
        certainty=certainty if is_settled(context, "abi_padding") else accepted.certainty,
    )


class OppMismatch(Struct, frozen=True):
    """The operator package the model was compiled with, and the one that is installed."""

    model_opp: str
    target_opp: str


@predicate("host.opp_version_differs", evidence=OppMismatch)
def opp_version_differs(context: Context, _: object) -> Iterator[Outcome]:
    """A dynamic model without the host check: opp_version must equal the installed Version."""
    manifest, header = context.manifest, context.header
    if manifest is None or header is None:
        return
    if header.need_check_os_cpu_info != 0 or not header.is_dynamic:
        return
    installed = context.target.opp_version
    if not installed.known:
        yield Undecided(
            installed.source or "the installed operator package is not known",
            ("target.opp_version",),
        )
        return
    if installed.value is None or installed.value == manifest.opp_version:
        return
    yield Hit(
        OppMismatch(manifest.opp_version or "(none)", installed.value or "(empty)"),
        (
            Evidence(
                "opp_version",
                installed.value or "(empty)",
                manifest.opp_version or "(absent)",
                installed.source,
                _ATTRIBUTES,
            ),
        ),
        location=context.place("block 0 / MODEL_DEF"),
        position=ordering.environment(112),
        certainty=installed.certainty,
    )


class SilentVersions(Struct, frozen=True):
    """A model for which the loader compares no version."""

    built_with: str
    installed: str


@predicate("host.static_without_version_check", evidence=SilentVersions)
def static_without_version_check(context: Context, _: object) -> Iterator[Outcome]:
    """A static model whose header asks for nothing, compiled by another version than the target."""
    manifest, header = context.manifest, context.header
    if manifest is None or header is None or header.is_dynamic or _asks(context):
        return
    built_with = manifest.atc_version or manifest.opp_version
    installed = context.target.internal
    if not built_with or not installed.known or built_with == installed.value:
        return
    yield Hit(
        SilentVersions(built_with, installed.value or "(none)"),
        (
            Evidence(
                "toolchain version", installed.value or "", built_with, installed.source,
                _ATTRIBUTES,
            ),
        ),
        location=context.place("block 0 / MODEL_DEF"),
        certainty=installed.certainty,
    )  # fmt: skip


class UnusedHost(Struct, frozen=True):
    """A recorded host that nobody compares."""

    model_host: str


@predicate("host.recorded_but_not_checked", evidence=UnusedHost)
def recorded_but_not_checked(context: Context, _: object) -> Iterator[Outcome]:
    """The model names its host, and the header does not ask for the comparison."""
    manifest = context.manifest
    if manifest is None or context.header is None or _asks(context):
        return
    if not manifest.host_env_os and not manifest.host_env_cpu:
        return
    host = _pair([manifest.host_env_os, manifest.host_env_cpu])
    flag = str(context.header.need_check_os_cpu_info)
    yield Hit(
        UnusedHost(host),
        (
            Evidence("need_check_os_cpu_info", "1", flag, "a checked host", "header byte 192"),
            Evidence("host", "", host, found_from=_ATTRIBUTES),
        ),
        location=context.place("header", 192),
    )


class LibraryMachine(Struct, frozen=True):
    """Host libraries inside the model that are for another CPU."""

    libraries: tuple[str, ...]
    machine: str
    target_cpu: str


@predicate("host.library_for_other_cpu", evidence=LibraryMachine)
def library_for_other_cpu(context: Context, _: object) -> Iterator[Outcome]:
    """An embedded host library cannot be opened on the target's CPU; ops lose what is in it."""
    manifest, cpu = context.manifest, context.target.host_cpu
    if manifest is None:
        return
    libraries = manifest.so_store.libraries
    if context.loader != "om2":  # of an OM's own a pseudo file is no library (§A.7, kAutofuse)
        libraries = tuple(lib for lib in libraries if lib.elf_machine)
    machines = {lib.elf_machine for lib in libraries}
    if not machines:
        return
    if not cpu.known or not cpu.value:
        yield Undecided(cpu.source or "the target's CPU is not known", ("target.host_cpu",))
        return
    for machine in sorted(machines - {cpu.value}):
        names = tuple(x.name for x in libraries if x.elf_machine == machine)
        machine = machine or "no CPU (it is no ELF file)"
        yield Hit(
            LibraryMachine(names, machine, cpu.value),
            (
                Evidence(
                    "ELF machine", cpu.value, machine, cpu.source, f"SO_BINS: {', '.join(names)}"
                ),
            ),
            location=context.place("block 0 / SO_BINS"),
            certainty=max(cpu.certainty, Certainty.LIKELY, key=lambda c: c.rank),
        )
