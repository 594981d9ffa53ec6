"""A Target from one install root: what the loader reads there and what rules ask beside it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from preflight.errors import UsageError
from preflight.findings import Certainty
from preflight.target.driver import DriverFacts
from preflight.target.kernels import Kernels, LazyKernels, Ports, merge, merge_ports
from preflight.target.loader_view import OPP_VARIABLE, LoaderView
from preflight.target.manifests import (
    behaviour_fact,
    behaviour_of_version,
    soc_table,
)
from preflight.target.names import family_of, find_release, find_soc
from preflight.target.packages import parse_key_values, parse_package, parse_version_cfg
from preflight.target.platforms import read_platforms
from preflight.target.tree import Tree
from preflight.target.types import (
    Fact,
    Package,
    ReleaseBehaviour,
    SocFacts,
    Target,
    Vendor,
    host_name,
    unknown,
)
from preflight.target.vendors import config_files, read_op_config, read_op_ports, read_vendors
from preflight.versions import CannVersion

# The package whose number is the release's, best first: the loader's own, then its neighbours.
_LEADING = ("ge-executor", "ge_executor", "runtime", "compiler", "ge-compiler", "opp", "toolkit")
OPP_BY_SET_ENV = "ASCEND_OPP_PATH is not set; set_env.sh of the installation sets it to this"
_PACKAGE_FOLDERS = (".", "tools", "share/info")
_HISTORY = "history_registry"


class Opp(Struct, frozen=True):
    """The operator package's folder, who says so, and how sure that is."""

    path: Path
    source: str
    certainty: Certainty


def target_from_install(
    root: Path,
    *,
    opp_path: Path | None = None,
    opp_source: str = "",
    home: Path | None = None,
    behaviour: str | ReleaseBehaviour | None = None,
    soc: str | None = None,
    soc_answer: str = "",
    env: Mapping[str, str] | None = None,
    tree: Tree | None = None,
    driver: DriverFacts | None = None,
) -> Target:
    """The target that an install root is, read the way its loader reads it.

    `root` is the folder that holds `runtime`, `compiler`, `opp` (or `share/info`). `opp_path` is
    what ASCEND_OPP_PATH would be (with `opp_source` where that is only likely); without it `env`
    decides, then `<root>/opp`. `home` is the folder whose packages count when it is not the root
    itself (`latest`). `behaviour` names a loader generation when the version files do not say
    which release it is; `soc` the device.
    Missing and unreadable files never raise, facts become what the loader makes of that. Raises
    UsageError for an unknown `soc`, DataError for an unknown `behaviour`.
    """
    tree, env = tree or Tree(), env or {}
    view = LoaderView(root, tree)
    opp = _opp(root, opp_path, opp_source, env)
    packages = read_packages(home or root, tree)
    release, internal = _release(packages)
    loader = _behaviour(behaviour, release)
    device, notes = _device(soc)
    socs, socs_source, socs_certainty = _socs(root, tree, release)
    vendors = read_vendors(view, opp.path, loader, env)
    kernels, kernels_source = _kernels(opp.path, vendors, _short(device, socs), tree)
    host_os, host_cpu, abi_range, opp_version = _loader_facts(view, opp)
    target = Target(
        name="",
        origin="installed",
        release=release,
        internal=internal,
        behaviour=loader,
        soc=device,
        socs=socs,
        host_os=host_os,
        host_cpu=host_cpu,
        abi_range=abi_range,
        opp_version=opp_version,
        driver=_driver(driver),
        packages=packages,
        vendors=vendors,
        kernels=kernels,
        kernels_source=kernels_source,
        history_dirs=_history(root, opp.path, tree),
        details=_details(root, tree, opp, driver, family_of(device.value or "")),
        soc_answer=soc_answer,
        socs_source=socs_source,
        socs_certainty=socs_certainty,
        notes=notes,
    )
    name = _name(target) or root.name
    return replace(target, name=name, places=tree.places, fingerprint=tree.fingerprint)


def _loader_facts(view: LoaderView, opp: Opp) -> tuple[Fact[str], Fact[str], Fact[str], Fact[str]]:
    """What the loader compares a model with: host OS and CPU, ABI range, operator package."""
    scene = view.scene()
    version = view.opp_version(opp.path)
    certainty = max(version.certainty, opp.certainty, key=lambda c: c.rank)
    source = f"{version.source} ({opp.source})"
    return (
        Fact(scene.os, scene.source, scene.known),
        Fact(scene.cpu, scene.source, scene.known),
        view.abi_range(),
        Fact(version.value, source, version.known, certainty),
    )


def _name(target: Target) -> str:
    """The catalogue-like name: release, SoC and host, as far as they are known."""
    known = (target.release.value, target.soc.value, host_name(target))
    return "/".join(part for part in known if part)


def _short(device: Fact[str], socs: Mapping[str, SocFacts]) -> str:
    """The device's short name as folders of operator configs spell it."""
    facts = socs.get(device.value or "")
    return facts.short.lower() if facts is not None else ""


def _opp(root: Path, given: Path | None, why: str, env: Mapping[str, str]) -> Opp:
    if given is not None:
        return Opp(given, why or "given", Certainty.LIKELY if why else Certainty.CERTAIN)
    if env.get(OPP_VARIABLE):
        return Opp(Path(env[OPP_VARIABLE]), OPP_VARIABLE, Certainty.CERTAIN)
    return Opp(root / "opp", OPP_BY_SET_ENV, Certainty.LIKELY)


def read_packages(root: Path, tree: Tree) -> tuple[Package, ...]:
    """Packages with a version.info below a root, in both layouts, and what version.cfg adds."""
    found: dict[str, Package] = {}
    for base in _PACKAGE_FOLDERS:
        folder = root / base
        if base != "." and not tree.is_dir(folder):
            continue
        for path in tree.folder(folder, "packages"):
            file = path / "version.info"
            if path.name in found or not tree.is_dir(path) or not _exists(file):
                continue
            text = tree.text(file, "package version")
            if text is not None:
                found[path.name] = parse_package(path.name, text, str(file))
    config = root / "version.cfg"
    if _exists(config):
        text = tree.text(config, "running versions")
        for name, (version, version_dir) in parse_version_cfg(text or "").items():
            found.setdefault(name, Package(name, version, version_dir, path=str(config)))
    return tuple(found.values())


def _exists(path: Path) -> bool:
    """Is there anything of this name, be it a broken link or something we may not read?"""
    return os.path.lexists(path)


def _release(packages: tuple[Package, ...]) -> tuple[Fact[str], Fact[str]]:
    """(public, internal) of the package that leads; unknown without a version file."""
    by_name = {package.name: package for package in packages}
    for name in _LEADING:
        package = by_name.get(name)
        if package is None or not package.version:
            continue
        return _public(package), Fact(package.version, f"{package.path}, Version")
    reason = "no version file of the loader's packages could be read"
    return unknown(reason), unknown(reason)


def _public(package: Package) -> Fact[str]:
    """The public number: version_dir, or Version where version_dir is no number ("cann")."""
    if CannVersion.parse(package.version_dir) is not None:
        return Fact(package.version_dir, f"{package.path}, version_dir")
    version = CannVersion.parse(package.version)
    if version is None:
        return unknown(f"{package.path}: {package.version!r} is not a release number")
    try:
        entry, _ = find_release(package.version)
    except UsageError:
        return Fact(package.version, f"{package.path}, Version", certainty=Certainty.LIKELY)
    return Fact(entry.public, f"{package.path}, Version")


def _behaviour(given: str | ReleaseBehaviour | None, release: Fact[str]) -> Fact[ReleaseBehaviour]:
    if isinstance(given, ReleaseBehaviour):
        return Fact(given, "given")
    if given is not None:
        fact = behaviour_fact(given)
        return Fact(fact.value, f"given: {fact.source}", certainty=fact.certainty)
    if release.value is None:
        return unknown(f"the release is not known: {release.source}")
    return behaviour_of_version(release.value)


def _device(soc: str | None) -> tuple[Fact[str], tuple[str, ...]]:
    if soc is None:
        return unknown("an installation serves several SoCs and does not say which one is here"), ()
    name, notes = find_soc(soc)
    return Fact(name, "given"), notes


def _socs(
    root: Path, tree: Tree, release: Fact[str]
) -> tuple[Mapping[str, SocFacts], str, Certainty]:
    """Platform files of the installation, or the catalogue's table when there are none."""
    found = read_platforms(root, tree)
    if found:
        return found, str(Path(next(iter(found.values())).source).parent), Certainty.CERTAIN
    try:
        entry, _ = find_release(release.value or "")
    except UsageError:
        return {}, "", Certainty.POSSIBLE
    if not entry.soc_table:
        return {}, "", Certainty.POSSIBLE
    source = f"manifests/socs.json, table {entry.soc_table}; the installation has no platform files"
    return soc_table(entry.soc_table), source, Certainty.POSSIBLE


def _kernels(opp: Path, vendors: tuple[Vendor, ...], short: str, tree: Tree) -> tuple[Kernels, str]:
    """Kernels for one SoC (or for any when it is not known), found when first asked for."""
    built_in = opp / "built-in/op_impl"
    custom = [Path(v.path) / "op_impl" for v in vendors if v.accepted is not False]
    places = [p for p in (built_in, *custom) if tree.is_dir(p)]
    if not places or not short or not tree.is_dir(built_in / "ai_core/tbe/config" / short):
        return {}, ""

    def files() -> list[Path]:
        return [file for place in places for file in config_files(place, tree, short)]

    def load() -> dict[str, tuple[str, ...]]:
        return merge(*(read_op_config(file, tree) for file in files()))

    def load_ports() -> dict[str, Ports]:
        return merge_ports(*(read_op_ports(file, tree) for file in files()))

    return LazyKernels(load, load_ports), f"operator configs of {short} below {built_in}"


def _history(root: Path, opp: Path, tree: Tree) -> tuple[str, ...]:
    """Operator history registries: folders `history_registry/<package>` with an index.json."""
    found = []
    for base in (opp, opp / "built-in", root, root / "share"):
        folder = base / _HISTORY
        if tree.is_dir(folder):
            for path in (folder, *tree.folder(folder, "operator history registries")):
                if _exists(path / "index.json"):
                    found.append(str(path))
    return tuple(dict.fromkeys(found))


def _driver(driver: DriverFacts | None) -> Fact[str]:
    if driver is None:
        return unknown("no driver version file was found")
    return Fact(driver.version or None, f"{driver.source}, Version")


def _details(
    root: Path, tree: Tree, opp: Opp, driver: DriverFacts | None, family: str
) -> dict[str, object]:
    """Install records and driver interfaces, as plain text values."""
    details: dict[str, object] = {"root": str(root), "opp_path": str(opp.path)}
    if family:
        details["soc_family"] = family
    for folder in (root, *tree.folder(root, "install root")):
        if folder != root and not folder.name.endswith("-linux"):
            continue
        for path in tree.folder(folder, "install records"):
            if path.name.startswith("ascend_") and path.name.endswith("_install.info"):
                text = tree.text(path, "install record")
                values = parse_key_values(text or "")
                for key in ("innerversion", "compatible_version"):
                    if values.get(key):
                        details.setdefault(key, values[key])
    if driver is not None:
        details["driver_innerversion"] = driver.innerversion
        details["driver_compatible_lines"] = driver.compatible_lines
        details["driver_interfaces"] = tuple(f"{k}={v}" for k, v in driver.interfaces)
    return details
