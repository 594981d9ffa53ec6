"""Custom operator packages of a target: what the loader makes of them, and what would help."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec.structs import replace

from preflight.findings import Finding, Remedy, Severity
from preflight.plan.rebuilt import compiled_version
from preflight.target.consistency import target_problems
from preflight.target.types import Target, Vendor
from preflight.versions import is_vendor_version_valid

_NOT_SEARCHED, _NO_FOLDER = "vendor_not_searched", "vendor_missing"


def lacks_package(finding: Finding, target: Target) -> bool:
    """Whether the operator of a warning is in a package that this target has and does not use.

    An entry of the search path without a folder counts where no package is known to have the
    operator: what should lie there is the first thing to look for.
    """
    operator = finding.facts.get("operator")
    left_out = [v for v in target.vendors if v.accepted is False]
    if finding.severity is not Severity.WARNING or not left_out or not operator:
        return False
    if any(operator in vendor.operators for vendor in target.vendors):
        return any(operator in vendor.operators for vendor in left_out)
    return any(_fault(vendor, target) == _NO_FOLDER for vendor in left_out)


def search_path_remedy(finding: Finding, target: Target) -> Remedy | None:
    """What to set when the package of an operator is there and not searched, or its folder gone."""
    operator = finding.facts.get("operator")
    if not operator:
        return None
    name = vendor_of(finding, target)
    for vendor in target.vendors:
        fault = _fault(vendor, target) if vendor.accepted is False else ""
        if fault == _NOT_SEARCHED and vendor.name == name:
            said = (
                f"name {vendor.name} in load_priority of vendors/config.ini, or put {vendor.path}"
            )
            return Remedy("set_environment", f"{said} into ASCEND_CUSTOM_OPP_PATH")
        if fault == _NO_FOLDER and not name:
            said = f"{vendor.path} is searched and does not exist: correct ASCEND_CUSTOM_OPP_PATH"
            return Remedy("set_environment", f"{said} so that the package with {operator} is found")
    return None


def vendor_of(finding: Finding, target: Target) -> str:
    """The custom operator package that a finding asks for, empty when it asks for none.

    A finding asks for a package that the loader does not take when it names the package, or an
    operator that the package has. What a missing folder would hold is not known.
    """
    named = set(_texts(finding.facts.values()))
    for vendor in target.vendors:
        if vendor.accepted or _fault(vendor, target) == _NO_FOLDER:
            continue
        if named & {vendor.name, f"vendor {vendor.name}", *vendor.operators}:
            return vendor.name
    return ""


def _texts(values: Iterable[object]) -> Iterator[str]:
    for value in values:
        if isinstance(value, list | tuple):
            yield from _texts(value)
        else:
            yield str(value)


def _fault(vendor: Vendor, target: Target) -> str:
    """The kind of fault that `target.consistency` finds in a package; empty for none."""
    for problem in target_problems(target):
        if problem.subject == f"vendor {vendor.name}" and problem.source == vendor.path:
            return problem.kind
    return ""


def with_fitting_vendor(target: Target, name: str) -> Target:
    """The target with that custom operator package searched, and built for its release."""
    version = compiled_version(target)
    vendors = tuple(
        replace(v, accepted=True, compiler_version=version, reason="") if v.name == name else v
        for v in target.vendors
    )
    return replace(target, vendors=vendors)


def with_vendors(moved: Target, old: Target) -> Target:
    """A target from the catalogue, with the custom operator packages that the old one has.

    Their loader's filter is asked again (spec/om-format.md §D.4 step 6). Where a package is not
    looked for, it is not looked for there either.
    """
    if moved.vendors or not old.vendors:
        return moved
    kept = tuple(
        v if _fault(v, old) in (_NOT_SEARCHED, _NO_FOLDER) else _filtered(v, moved)
        for v in old.vendors
    )
    return replace(moved, vendors=kept)


def _filtered(vendor: Vendor, target: Target) -> Vendor:
    behaviour, text = target.behaviour.value, target.abi_range
    if behaviour is None or not text.known:
        return replace(vendor, accepted=None, reason="whether its loader takes it is not known")
    padded = behaviour.vendor_abi_padding
    good = is_vendor_version_valid("", vendor.compiler_version or "", text.value, padded)
    reason = "" if good else f"its version is outside {text.value}"
    return replace(vendor, accepted=good, reason=reason)
