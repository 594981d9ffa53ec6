"""Two versions that do not fit: both numberings, the comparison that refuses them, the way out."""

from __future__ import annotations

from collections.abc import Mapping

from preflight.explain.types import Fault, VersionConflict, VersionSide
from preflight.findings import Finding
from preflight.versions import CannVersion, VersionRange, loader_number

_UNKNOWN = "not known"


def conflict_of(fault: Fault, parameters: Mapping[str, str]) -> VersionConflict | None:
    """The version conflict that a fault's captured values describe, or None."""
    maker = _MAKERS.get(fault.category)
    return maker(fault, parameters) if maker is not None else None


# Evidence of a finding -> the values that the log would have named.
_EVIDENCE = {
    "PF403": {"opp_version": ("model_version", "target_version")},
    "PF402": {
        "opp_version": ("model_version", "accepted"),
        "compiler_version": ("model_version", "accepted"),
    },
}


def values_of_finding(finding: Finding) -> dict[str, str]:
    """The two sides of a version conflict that a check found; empty for other findings."""
    names = _EVIDENCE.get(finding.rule, {})
    values: dict[str, str] = {}
    for evidence in finding.evidence:
        if evidence.subject in names and evidence.found != "(none)":
            model, target = names[evidence.subject]
            values.setdefault(model, evidence.found)
            values.setdefault(target, evidence.expected)
    return values


def side(role: str, text: str, origin: str) -> VersionSide:
    """A version in both numberings, as far as the release table knows it."""
    public, internal = both_numbers(text)
    return VersionSide(role, text, public, internal, origin)


def both_numbers(text: str) -> tuple[str, str]:
    """(public, internal) numbers of a version text; "not known" where the table has none."""
    from preflight.target.catalog import known_releases

    wanted = CannVersion.parse(text)
    if wanted is None:
        return _UNKNOWN, _UNKNOWN
    for release in known_releases():
        spellings = (release.public, release.internal, *release.aliases)
        if wanted in (CannVersion.parse(s) for s in spellings if s):
            return release.public, release.internal or _UNKNOWN
    return _UNKNOWN, text if _looks_internal(wanted) else _UNKNOWN


def _looks_internal(version: CannVersion) -> bool:
    """Component numbers of the separate series: 6.4.T11.0.B300, 7.7.0.1.238, 1.84.15.1.310."""
    return str(version).count(".") >= 3 and version.numbers[:1] < (8,)


def _opp_equality(fault: Fault, p: Mapping[str, str]) -> VersionConflict | None:
    model, target = p.get("model_version"), p.get("target_version")
    if not model or not target:
        return None
    return VersionConflict(
        comparison="string equality",
        how="the attribute opp_version of the model must be the same text as Version= in "
        "opp/version.info; newer or older makes no difference",
        sides=(
            side("model", model, "attribute opp_version, written when the model was compiled"),
            side("operator package", target, "Version= of the installed opp/version.info"),
        ),
        result=f"{model!r} is not {target!r}",
        cheaper="the model: compile it again on the target's release",
        why="the operator package cannot be exchanged alone: its version must fit the rest of the "
        "toolkit, which would have to move as a whole",
        rules=fault.rules,
    )


def _abi_range(fault: Fault, p: Mapping[str, str]) -> VersionConflict | None:
    model, accepted = p.get("model_version"), p.get("accepted")
    if not model or not accepted:
        return None
    return VersionConflict(
        comparison="range",
        how="the loader joins major and minor to one number, which must lie in the range; "
        f"{model} counts as {_counts_as(model)}",
        sides=(
            side("model", model, "attributes opp_version and compiler_version of the model"),
            VersionSide("toolkit", accepted, _UNKNOWN, accepted, "required_opp_abi_version"),
        ),
        result=f"{model} is not in {accepted}",
        cheaper="the model: compile it again on the target's release",
        why="the range belongs to the toolkit and cannot be widened without replacing it",
        rules=fault.rules,
    )


def _counts_as(text: str) -> str:
    old, new = loader_number(text, padded=False), loader_number(text, padded=True)
    return f"{old} up to 9.0.1 and {new} from 9.1 on"


def _driver(fault: Fault, p: Mapping[str, str]) -> VersionConflict | None:
    driver, cann = p.get("driver"), p.get("cann")
    if not driver or not cann:
        return None
    return VersionConflict(
        comparison="pair table",
        how="driver and toolkit list each other's release lines as compatible (compatible_version)",
        sides=(
            VersionSide("driver", driver, driver, _UNKNOWN, "npu-smi in the log"),
            side("toolkit", cann, "a path of the toolkit in the log"),
        ),
        result="whether this pair is allowed is decided by the lists of both packages",
        cheaper="the driver, where the host may be changed: an OM and a toolkit stay as they are",
        why="a newer driver serves older toolkits of its list; a newer toolkit on an old driver "
        "is what fails",
        rules=fault.rules,
    )


def _package_requirement(fault: Fault, p: Mapping[str, str]) -> VersionConflict | None:
    required, installed = p.get("required", "").strip(" ,"), p.get("installed")
    if not required or not installed:
        return None
    wanted = VersionRange(required)
    package = p.get("package", "")
    prefix = all(bound.operator == "" for bound in wanted.bounds)
    fits = installed in wanted
    return VersionConflict(
        comparison="prefix" if prefix else "range by components",
        how="the installer compares component by component, as many as the requirement has; "
        "without an operator the version must begin with it"
        if prefix
        else "the installer compares component by component, as many as the requirement has; "
        "a lower and an upper bound belong together, other items are alternatives",
        sides=(
            VersionSide("requirement", required, _public(wanted), required, _asking(package, p)),
            side("installed package", installed, f"Version= of the installed {package}".strip()),
        ),
        result=f"{installed} {'fits' if fits else 'does not fit'} {required}",
        cheaper="the package that was installed last: take it from the release of the others",
        why="the other packages fit each other already; replacing them means the whole toolkit",
        rules=fault.rules,
    )


def _public(wanted: VersionRange) -> str:
    """The releases of the table whose internal number a requirement allows."""
    from preflight.target.catalog import known_releases

    named = [r.public for r in known_releases() if r.internal and r.internal in wanted]
    return ", ".join(named[:3]) + (" and later" if len(named) > 3 else "") or _UNKNOWN


def _asking(package: str, p: Mapping[str, str]) -> str:
    key = f"required_package_{package}_version" if package else "required_package_*"
    return f"{key} of {p['owner']}" if p.get("owner") else f"{key} in version.info"


_MAKERS = {
    "mixed_toolkit_paths": _package_requirement,
    "om_opp_version_mismatch": _opp_equality,
    "om_abi_range": _abi_range,
    "driver_cann_mismatch": _driver,
}
