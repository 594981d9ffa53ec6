"""Predicates about the target itself (band PF8xx)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from preflight.checks import ordering
from preflight.checks.context import Context
from preflight.checks.predicate import Hit, Outcome, predicate
from preflight.findings import Certainty, Evidence
from preflight.target.types import Package
from preflight.versions import VersionRange


@dataclass(frozen=True, slots=True)
class DroppedVendor:
    """A custom operator package that the loader leaves out of its search path."""

    vendor: str
    version: str
    reason: str


@predicate("target.vendor_dropped", evidence=DroppedVendor)
def vendor_dropped(context: Context, _: object) -> Iterator[Outcome]:
    """The loader's filter refuses a vendor's package without a word (§D.4 step 6)."""
    for vendor in context.target.vendors:
        if vendor.accepted is False:
            yield Hit(
                DroppedVendor(
                    vendor.name, vendor.compiler_version or "(none)", vendor.reason or "refused"
                ),
                (
                    Evidence(
                        "compiler_version of the vendor package",
                        context.target.abi_range.value or "",
                        vendor.compiler_version or "(none)",
                        context.target.abi_range.source,
                        vendor.path,
                    ),
                ),
            )


@dataclass(frozen=True, slots=True)
class PackageMismatch:
    """A package whose requirement another package does not meet."""

    package: str
    needs: str
    required: str
    installed: str


@predicate("target.packages_do_not_fit", evidence=PackageMismatch)
def packages_do_not_fit(context: Context, _: object) -> Iterator[Outcome]:
    """required_package_*_version against the versions that are installed (§E.2)."""
    installed = {package.name: package for package in context.target.packages}
    for package in context.target.packages:
        for name, required in package.requires.items():
            other = installed.get(name)
            if other is None or other.version in VersionRange(required):
                continue
            yield _package_hit(package, other, required)


def _package_hit(package: Package, other: Package, required: str) -> Hit:
    return Hit(
        PackageMismatch(package.name, other.name, required, other.version),
        (
            Evidence(
                f"version of {other.name}",
                str(VersionRange(required)),
                other.version,
                package.path,
                other.path,
            ),
        ),
    )


@dataclass(frozen=True, slots=True)
class MissingPlatform:
    """A SoC that the target cannot describe."""

    soc: str


@predicate("target.platform_file_missing", evidence=MissingPlatform)
def platform_file_missing(context: Context, _: object) -> Iterator[Outcome]:
    """The loader must read the platform file of the device, and the target has none for it."""
    soc, socs = context.target.soc, context.target.socs
    if not soc.known or not soc.value or not socs or soc.value in socs:
        return
    yield Hit(
        MissingPlatform(soc.value),
        (
            Evidence(
                "platform file", f"{soc.value}.ini", "absent", soc.source,
                context.target.socs_source or "platform_config",
            ),
        ),
        position=ordering.environment(132),
        certainty=max(
            Certainty.LIKELY, soc.certainty, context.target.socs_certainty, key=lambda c: c.rank
        ),
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class TargetRemark:
    """Something a person should know about the names that were used."""

    remark: str


@predicate("target.remark", evidence=TargetRemark)
def remark(context: Context, _: object) -> Iterator[Outcome]:
    """Remarks about the target's own names (confusions that happen often)."""
    for text in context.target.notes:
        yield Hit(TargetRemark(text), (Evidence("target", "", text, found_from="its name"),))
