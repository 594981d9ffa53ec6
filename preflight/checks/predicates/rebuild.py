"""Predicates about compiling the model again (band PF7xx)."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from preflight.checks.context import Context
from preflight.checks.facts import known_soc
from preflight.checks.predicate import Hit, Outcome, predicate
from preflight.findings import Evidence


class NoCommand(Struct, frozen=True):
    """A model without a record of how it was compiled."""

    attribute: str


@predicate("rebuild.command_not_recorded", evidence=NoCommand)
def command_not_recorded(context: Context, _: object) -> Iterator[Outcome]:
    """The model does not carry the atc command that made it."""
    if context.manifest is not None and context.manifest.atc_command is None:
        yield Hit(
            NoCommand("atc_cmdline"),
            (Evidence("atc_cmdline", "the atc command", "absent", "", "model attributes"),),
            location=context.place("block 0 / MODEL_DEF"),
        )


class RebuildSoc(Struct, frozen=True):
    """The SoC to compile for, as the target's toolchain knows it."""

    soc: str
    release: str


@predicate("rebuild.soc_not_in_toolchain", evidence=RebuildSoc)
def soc_not_in_toolchain(context: Context, _: object) -> Iterator[Outcome]:
    """The target's release cannot compile for the target's SoC."""
    soc = context.target.soc
    if not soc.value or known_soc(context, soc.value) is not None:
        return
    yield Hit(
        RebuildSoc(soc.value, context.target.release.value or context.target.name),
        (
            Evidence(
                "--soc_version",
                "a SoC of the release",
                soc.value,
                context.target.socs_source,
                soc.source,
            ),
        ),
        certainty=context.target.socs_certainty,
    )


class VendorBuild(Struct, frozen=True):
    """Custom operator packages that were there when the model was compiled."""

    versions: str
    libraries: tuple[str, ...]


@predicate("rebuild.needs_vendor_packages", evidence=VendorBuild)
def needs_vendor_packages(context: Context, _: object) -> Iterator[Outcome]:
    """Host libraries of vendors are inside: compiling again needs their packages installed."""
    manifest = context.manifest
    if manifest is None:
        return
    libraries = tuple(
        library.name
        for library in manifest.so_store.libraries
        if library.vendor and "built-in" not in library.vendor
    )
    if manifest.compiler_version or libraries:
        yield Hit(
            VendorBuild(manifest.compiler_version or "(not recorded)", libraries),
            (
                Evidence(
                    "custom operator packages",
                    "installed where the model is compiled",
                    ", ".join(libraries) or manifest.compiler_version,
                    found_from="SO_BINS and attribute compiler_version",
                ),
            ),
            location=context.place("block 0 / SO_BINS"),
        )
