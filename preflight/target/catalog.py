"""A target from its name alone: release[/SoC[/os-cpu]], as in 8.1.RC1/Ascend910B3/linux-aarch64.

Stands for a correct commercial installation of that release. What nobody knows about it (a SoC or
host that was not named, the driver, an ABI range never seen) stays unknown and is never guessed.
"""

from __future__ import annotations

import hashlib
from functools import cache

from preflight.errors import UsageError
from preflight.findings import Certainty
from preflight.target.kernels import catalogue_kernels
from preflight.target.manifests import (
    ReleaseEntry,
    SocFamily,
    release_behaviour,
    releases,
    soc_catalogue,
    soc_table,
)
from preflight.target.names import family_of, find_host, find_release, find_soc, known_soc_names
from preflight.target.types import Fact, Target, unknown

_HOST_IN_NAME = "the target's name"


def catalogue_target(text: str) -> Target:
    """The target that a catalogue name stands for.

    Raises UsageError for an unknown release, SoC or host, naming the nearest known ones.
    """
    parts = [part.strip() for part in text.split("/")]
    if not 1 <= len(parts) <= 3 or not all(parts):
        raise UsageError(
            f"{text!r} is not a target name",
            hint="expected release[/SoC[/os-cpu]], as in 8.1.RC1/Ascend910B3/linux-aarch64",
        )
    entry, notes = find_release(parts[0])
    soc: Fact[str] = unknown("the target's name has no SoC")
    system: Fact[str] = unknown("the target's name has no host")
    cpu: Fact[str] = unknown("the target's name has no host")
    if len(parts) > 1:
        name, soc_notes = find_soc(parts[1])
        soc, notes = Fact(name, "the target's name"), (*notes, *soc_notes)
    if len(parts) > 2:
        host = find_host(parts[2])
        certainty, where = _scene(entry)
        system = Fact(host[0], where, certainty=certainty)
        cpu = Fact(host[1], where, certainty=certainty)
    return build(entry, soc, system, cpu, notes)


def _scene(entry: ReleaseEntry) -> tuple[Certainty, str]:
    """How sure it is that scene.info says what the host is (spec/om-format.md §D.4, §I)."""
    if entry.layout == "toolkit":
        return Certainty.CERTAIN, "the target's name; scene.info of an installation says the same"
    where = "the target's name; whether packages of 8.5 and later install a scene.info where the"
    return Certainty.LIKELY, f"{where} loader looks is not known"


def build(
    entry: ReleaseEntry,
    soc: Fact[str],
    host_os: Fact[str],
    host_cpu: Fact[str],
    notes: tuple[str, ...] = (),
) -> Target:
    """The target of a catalogue entry; `soc` and the host may be unknown."""
    where = f"manifests/releases.toml ({entry.source})"
    kernels, kernels_source = catalogue_kernels(entry.public, _short(entry, soc))
    host = f"{host_os.value}-{host_cpu.value}" if host_os.known and host_cpu.known else ""
    name = "/".join(part for part in (entry.public, soc.value or "", host) if part)
    return Target(
        name=name,
        origin="catalogue",
        release=Fact(entry.public, where, certainty=Certainty.CERTAIN),
        internal=_internal(entry, where),
        behaviour=release_behaviour(entry),
        soc=soc,
        socs=soc_table(entry.soc_table),
        host_os=host_os,
        host_cpu=host_cpu,
        abi_range=_abi_range(entry, where),
        opp_version=_opp_version(entry, where),
        driver=unknown("a catalogue target says nothing about the driver"),
        kernels=kernels,
        kernels_source=kernels_source,
        details=_details(entry, soc),
        fingerprint=hashlib.sha256(f"catalogue {name} {entry}".encode()).hexdigest(),
        socs_source=f"manifests/socs.json, table {entry.soc_table}" if entry.soc_table else "",
        socs_certainty=entry.soc_certainty,
        notes=notes,
    )


def _short(entry: ReleaseEntry, soc: Fact[str]) -> str:
    facts = soc_table(entry.soc_table or "both").get(soc.value or "")
    return facts.short if facts is not None else ""


def _internal(entry: ReleaseEntry, where: str) -> Fact[str]:
    if not entry.internal:
        return unknown(f"the internal number of {entry.public} is not known")
    return Fact(entry.internal, where, certainty=entry.certainty)


def _abi_range(entry: ReleaseEntry, where: str) -> Fact[str]:
    if not entry.abi_range:
        return unknown(f"no installation of {entry.public} was seen: its ABI range is not known")
    return Fact(entry.abi_range, where)


def _opp_version(entry: ReleaseEntry, where: str) -> Fact[str]:
    if not entry.internal:
        return unknown(f"Version= of the operator package of {entry.public} is not known")
    if entry.layout == "toolkit":
        return Fact(entry.internal, where, certainty=entry.certainty)
    return Fact(
        entry.internal,
        f"{where}; whether packages of 8.5 and later put a version.info where the loader looks "
        "for it is not known",
        certainty=Certainty.POSSIBLE,
    )


def _details(entry: ReleaseEntry, soc: Fact[str]) -> dict[str, object]:
    details: dict[str, object] = {"layout": entry.layout}
    optional = {
        "date": entry.date,
        "innerversion": entry.innerversion,
        "chips": entry.chips,
        "soc_family": family_of(soc.value or ""),
    }
    details.update({key: value for key, value in optional.items() if value})
    return details


def known_releases() -> tuple[ReleaseEntry, ...]:
    """Every release that a target name may start with, oldest first."""
    return releases()


@cache
def known_socs() -> tuple[str, ...]:
    """Every soc_version of every release, sorted."""
    return known_soc_names()


def soc_families() -> tuple[SocFamily, ...]:
    """SoCs that people call by one name."""
    return soc_catalogue().families
