"""Other targets that a model could go to, nearest first: another release, device or host."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import product

from msgspec import Struct

from preflight.model.manifest import ModelFile
from preflight.plan.atc_options import at_least
from preflight.target.catalog import known_releases
from preflight.target.manifests import ReleaseEntry, soc_table
from preflight.target.names import known_soc_names
from preflight.target.types import Target
from preflight.versions import CannVersion

_PREVIEW = re.compile(r"alpha|beta|-rc\.")  # "RC1" in 8.1.RC1 is a release, "-rc.1" is not


class Move(Struct, frozen=True):
    """A target by its catalogue name, and what changes on the way there.

    `changes` holds of "release", "device" and "host"; `distance` counts releases in between.
    `preview`: the release is one for trying out.
    """

    spec: str
    changes: tuple[str, ...]
    distance: int
    newer: bool
    preview: bool = False

    @property
    def effort(self) -> tuple[int, bool, int, bool]:
        """Smaller is nearer: fewer things change, no preview, fewer releases between, newer."""
        return len(self.changes), self.preview, self.distance, not self.newer


def moves(models: Sequence[ModelFile], target: Target) -> list[Move]:
    """Every known target that differs in release, device or host, nearest first.

    Devices are those the models were compiled for; hosts those they carry libraries for. Releases
    whose loader nobody knows are left out, and development trees that have no number.
    """
    release, soc = target.release.value or "", target.soc.value or ""
    host = _host(target.host_os.value, target.host_cpu.value)
    socs = [soc, *sorted(_socs(models) - {soc})]
    hosts = [host, *sorted(_hosts(models) - {host})]
    entries = _proposable()
    here = next((i for i, e in enumerate(entries) if release in (e.public, *e.aliases)), None)
    found: list[Move] = []
    for (index, entry), new_soc, new_host in product(enumerate(entries), socs, hosts):
        if not new_soc or new_soc not in soc_table(entry.soc_table):
            continue
        changed = (index != here, new_soc != soc, new_host != host)
        names = tuple(n for n, c in zip(("release", "device", "host"), changed, strict=True) if c)
        if names:
            distance = abs(index - here) if here is not None else len(entries) - index
            newer = here is None or index > here
            preview = index != here and _PREVIEW.search(entry.public) is not None
            spec = _spec(entry, new_soc, new_host)
            found.append(Move(spec, names, distance, newer, preview))
    return sorted(found, key=lambda move: move.effort)


def all_targets(socs: Sequence[str], host: str = "", since: str = "") -> Iterator[str]:
    """Catalogue names of every known release with each of these SoCs, newest release first."""
    for entry in reversed(_proposable()):
        if not at_least(entry.public, since):
            continue
        for soc in socs:
            if soc in soc_table(entry.soc_table):
                yield _spec(entry, soc, host)


def likely_targets(models: Sequence[ModelFile]) -> list[str]:
    """Every known release with each SoC that the models were compiled for, newest first.

    Previews come last: of targets that are equally good the first one is taken.
    """
    host = next(iter(sorted(_hosts(models))), "linux-aarch64")
    found = all_targets(sorted(_socs(models)), host)
    return sorted(found, key=lambda spec: _PREVIEW.search(spec) is not None)


def name_known_devices(models: Sequence[ModelFile]) -> bool:
    """Whether every SoC that these models record is one that some release describes."""
    recorded = {m.manifest.soc_version for m in models if m.manifest is not None}
    return recorded <= {"", *known_soc_names()}


def _proposable() -> list[ReleaseEntry]:
    """Releases that somebody can install and whose loader is known, oldest first."""
    return [e for e in known_releases() if e.behaviour and CannVersion.parse(e.public) is not None]


def _spec(entry: ReleaseEntry, soc: str, host: str) -> str:
    return "/".join(part for part in (entry.public, soc, host) if part)


def _host(os_name: str | None, cpu: str | None) -> str:
    return f"{os_name}-{cpu}" if os_name and cpu else ""


def _socs(models: Sequence[ModelFile]) -> set[str]:
    recorded = {m.manifest.soc_version for m in models if m.manifest is not None}
    return recorded & set(known_soc_names())


def _hosts(models: Sequence[ModelFile]) -> set[str]:
    manifests = [m.manifest for m in models if m.manifest is not None]
    named = {_host(m.host_env_os, m.host_env_cpu) for m in manifests if m.need_check_os_cpu == 1}
    return {host for host in named if host in ("linux-aarch64", "linux-x86_64")}
