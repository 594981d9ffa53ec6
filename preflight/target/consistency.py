"""What is wrong with a target itself, whatever the model."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from preflight.findings import Certainty
from preflight.target.packages import parse_lines, release_line
from preflight.target.types import Package, Target
from preflight.versions import CannVersion, VersionBound, VersionRange, parse_loader_ranges

# Packages whose numbers belong to one release; others (mindstudio, pyACL, …) count for themselves.
_CORE = (
    "runtime",
    "compiler",
    "opp",
    "opp_kernel",
    "hccl",
    "toolkit",
    "ge-executor",
    "ge-compiler",
    "metadef",
    "opbase",
)


class TargetProblem(Struct, frozen=True):
    """One fault of a target. `kind` is one of:

    package_requirement  a package does not fit what another one requires
    mixed_releases       packages of one installation belong to different releases
    driver_interface     the driver's interface number is below what a package requires
    driver_window        toolkit and driver do not list each other's release line
    vendor_dropped       the loader silently leaves a custom package out of its search path
    vendor_not_searched  a folder under vendors that config.ini does not name
    vendor_missing       a search path entry that does not exist
    abi_range_malformed  the loader rejects every model that embeds host libraries
    version_shadowed     the loader reads another version from a file than its Version= line says
    soc_not_described    no platform file describes the device
    """

    kind: str
    subject: str
    expected: str
    found: str
    source: str
    certainty: Certainty = Certainty.CERTAIN
    expected_from: str = ""


def target_problems(target: Target) -> tuple[TargetProblem, ...]:
    """Every fault of a target, in the order of the kinds above; empty for a consistent one."""
    return (
        *_requirements(target),
        *_mixed(target),
        *_driver_interfaces(target),
        *_driver_window(target),
        *_vendors(target),
        *_abi_range(target),
        *_shadowed(target),
        *_soc(target),
    )


def _by_name(target: Target) -> dict[str, Package]:
    return {package.name.replace("-", "_"): package for package in target.packages}


def _requirements(target: Target) -> Iterator[TargetProblem]:
    """`required_package_*` of every package against the versions that are installed (§E.2)."""
    installed = _by_name(target)
    for package in target.packages:
        for name, requirement in package.requires.items():
            other = installed.get(name.replace("-", "_"))
            if other is None or not other.version or other.version in VersionRange(requirement):
                continue
            yield TargetProblem(
                kind="package_requirement",
                subject=f"{package.name} {package.version} requires {name}",
                expected=requirement,
                found=other.version,
                source=other.path,
                expected_from=package.path,
            )


def _mixed(target: Target) -> Iterator[TargetProblem]:
    """Core packages of another release than the leading one, unless both sides allow it."""
    core = [p for p in target.packages if p.name in _CORE and p.version]
    if not target.release.known or target.internal.value is None:
        return
    for package in core:
        if _same_release(package.version, target.internal.value):
            continue
        if _allowed(package, core):
            continue
        yield TargetProblem(
            kind="mixed_releases",
            subject=package.name,
            expected=f"{target.release.value} ({target.internal.value})",
            found=f"{package.version_dir or package.version} ({package.version})",
            source=package.path,
            certainty=Certainty.LIKELY,
            expected_from=target.release.source,
        )
    yield from _opp_elsewhere(target, {p.name: p for p in core})


def _opp_elsewhere(target: Target, core: dict[str, Package]) -> Iterator[TargetProblem]:
    """The operator package that the environment names, when it is not the installation's own."""
    found, own = target.opp_version.value, core.get("opp")
    if found is None or target.internal.value is None or (own and own.version == found):
        return
    if CannVersion.parse(found) is None or _same_release(found, target.internal.value):
        return
    yield TargetProblem(
        kind="mixed_releases",
        subject="opp (ASCEND_OPP_PATH)",
        expected=f"{target.release.value} ({target.internal.value})",
        found=found,
        source=target.opp_version.source,
        certainty=Certainty.LIKELY,
        expected_from=target.release.source,
    )


def _same_release(version: str, other: str) -> bool:
    """Equal in major and minor, as package requirements of one release are."""
    left, right = CannVersion.parse(version), CannVersion.parse(other)
    if left is None or right is None:
        return version == other
    return left.major_minor == right.major_minor


def _allowed(package: Package, core: list[Package]) -> bool:
    """Do the other packages that speak about this one accept it?"""
    spoken = [o.requires[package.name] for o in core if package.name in o.requires]
    return bool(spoken) and all(package.version in VersionRange(text) for text in spoken)


def _driver_interfaces(target: Target) -> Iterator[TargetProblem]:
    """`required_driver_<name>_version` is a minimum for the driver's interface number (§E.3)."""
    stated = target.details.get("driver_interfaces")
    interfaces = dict(
        text.partition("=")[::2] for text in (stated if isinstance(stated, tuple) else ())
    )
    for package in target.packages:
        for name, minimum in package.requires_driver.items():
            found = interfaces.get(name)
            if found is None or VersionBound(">=", tuple(minimum.split("."))).holds(found):
                continue
            yield TargetProblem(
                kind="driver_interface",
                subject=f"{package.name} requires driver interface {name}",
                expected=f">={minimum}",
                found=found,
                source=target.driver.source,
                expected_from=package.path,
            )


def _driver_window(target: Target) -> Iterator[TargetProblem]:
    """Toolkit and driver list the release lines they work with; see manifests/drivers.toml."""
    from preflight.target.fit import lines_fit  # the driver tables are needed here only

    details = target.details
    accepts = parse_lines(str(details.get("compatible_version", "")))
    toolkit_line = release_line(str(details.get("innerversion", "")))
    driver_line = release_line(str(details.get("driver_innerversion", "")))
    listed = details.get("driver_compatible_lines")
    driver_accepts = tuple(str(x) for x in listed) if isinstance(listed, tuple) else ()
    if (
        not driver_line
        or lines_fit(toolkit_line, accepts, driver_line, driver_accepts) is not False
    ):
        return
    yield TargetProblem(
        kind="driver_window",
        subject="driver",
        expected=f"a driver of line {', '.join(accepts) or 'unknown'}",
        found=f"{target.driver.value} of line {driver_line}",
        source=target.driver.source,
        certainty=Certainty.POSSIBLE,
        expected_from="compatible_version of the toolkit's install record",
    )


def _vendors(target: Target) -> Iterator[TargetProblem]:
    for vendor in target.vendors:
        if vendor.accepted is not False:
            continue
        kind = "vendor_dropped"
        if vendor.reason.startswith("there is no folder"):
            kind = "vendor_missing"
        elif vendor.reason.endswith("does not search it"):
            kind = "vendor_not_searched"
        yield TargetProblem(
            kind=kind,
            subject=f"vendor {vendor.name}",
            expected=target.abi_range.value or ""
            if kind == "vendor_dropped"
            else "a searched folder",
            found=vendor.compiler_version or vendor.reason,
            source=vendor.path,
            certainty=target.behaviour.certainty if kind == "vendor_dropped" else Certainty.CERTAIN,
            expected_from=vendor.reason,
        )


def _abi_range(target: Target) -> Iterator[TargetProblem]:
    text = target.abi_range.value
    if text is None or any(
        parse_loader_ranges(text, padded) is not None for padded in (True, False)
    ):
        return
    yield TargetProblem(
        kind="abi_range_malformed",
        subject="required_opp_abi_version",
        expected='pairs like ">=6.3, <=7.7" or single versions',
        found=text,
        source=target.abi_range.source,
    )


def _shadowed(target: Target) -> Iterator[TargetProblem]:
    """The loader's key search finds "Version=" inside other keys too (§E.1)."""
    package = _by_name(target).get("opp")
    read = target.opp_version.value
    if package is None or read is None or not target.opp_version.source.startswith(package.path):
        return
    if package.version and package.version != read:
        yield TargetProblem(
            kind="version_shadowed",
            subject="Version of the operator package",
            expected=package.version,
            found=read,
            source=package.path,
        )


def _soc(target: Target) -> Iterator[TargetProblem]:
    name = target.soc.value
    if name is None or not target.socs or name in target.socs:
        return
    yield TargetProblem(
        kind="soc_not_described",
        subject=name,
        expected=f"a platform file of {name}",
        found="none",
        source=target.socs_source,
        certainty=target.socs_certainty,
    )
