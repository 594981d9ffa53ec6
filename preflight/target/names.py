"""Names that people type for a release, a SoC or a host, and what to say when one is not known."""

from __future__ import annotations

import re
from collections.abc import Iterable

from preflight.errors import UsageError
from preflight.target.manifests import (
    ReleaseEntry,
    SocConfusion,
    release_named,
    releases,
    soc_catalogue,
)
from preflight.versions import CannVersion

_CPU = {"x86_64": "x86_64", "amd64": "x86_64", "x86": "x86_64", "aarch64": "aarch64"}
_CPU["arm64"] = "aarch64"
_OPERATING_SYSTEMS = ("linux",)
_VIRTUAL = re.compile(r"(?P<base>.+?)(?:vir|-vir|_vir)[0-9]+(?:_.*)?", re.IGNORECASE)


def nearest(text: str, known: Iterable[str], count: int = 3) -> list[str]:
    """The known names that look most like a text, best first, letter case ignored."""
    import difflib  # only errors need it

    lower = {name.lower(): name for name in known}
    begun = [n for n in lower if n.startswith(text.lower())]  # "8.1" for 8.1.RC1
    close = difflib.get_close_matches(text.lower(), lower, count, cutoff=0.4)
    return [lower[n] for n in dict.fromkeys([*begun, *close])][:count]


def _or_nearest(text: str, known: Iterable[str]) -> str:
    close = nearest(text, known)
    return "nearest known: " + ", ".join(close) if close else ""


def find_release(text: str) -> tuple[ReleaseEntry, tuple[str, ...]]:
    """A release by public name, alias or internal number, with remarks on how it was found.

    Raises UsageError that names the nearest known releases.
    """
    wanted = re.sub(r"^cann[-_ ]*", "", text.strip(), flags=re.IGNORECASE)
    exact = release_named(wanted)
    if exact is not None:
        return exact, ()
    version = CannVersion.parse(wanted)
    for entry in releases():
        same = version is not None and version == CannVersion.parse(entry.public)
        if same or wanted.lower() == entry.public.lower():
            return entry, ()
    for entry in releases():
        if any(wanted.lower() == alias.lower() for alias in entry.aliases):
            return entry, (f"{wanted} is taken as {entry.public}",)
    for entry in releases():
        if version is not None and entry.internal and CannVersion(entry.internal) == version:
            return entry, (f"{wanted} is the internal number of {entry.public}",)
    soc = {name.lower(): name for name in known_soc_names()}.get(wanted.lower())
    if soc is not None:
        raise UsageError(
            f"{text!r} is a SoC, and a target begins with a release",
            hint=f"RELEASE/SOC, for example 8.1.RC1/{soc}",
        )
    raise UsageError(
        f"no CANN release {text!r} is known",
        hint=_or_nearest(wanted, [e.public for e in reversed(releases())])
        or "`preflight target list` prints the known releases",
    )


def known_soc_names() -> tuple[str, ...]:
    """Every soc_version of every table, sorted."""
    names: set[str] = set()
    for table in soc_catalogue().tables.values():
        names.update(table.socs)
    return tuple(sorted(names))


def find_soc(text: str) -> tuple[str, tuple[str, ...]]:
    """The soc_version a text means, with remarks about names that are easily mistaken.

    Letter case does not matter and a missing "Ascend" is filled in where that leaves one choice.
    Raises UsageError for names that are none, explaining the well-known mix-ups.
    """
    wanted = text.strip()
    known = {name.lower(): name for name in known_soc_names()}
    for candidate in (wanted, f"Ascend{wanted}", f"Ascend{wanted.removeprefix('_')}"):
        found = known.get(candidate.lower())
        if found is not None:
            remark = soc_catalogue().remarks.get(found)
            return found, (remark,) if remark else ()
    confusion = explain_soc(wanted)
    if confusion is not None:
        choices = "choose one of: " + ", ".join(confusion.candidates)
        raise UsageError(
            f"{text!r} is not a soc_version: {confusion.text}",
            hint=choices if confusion.candidates else "",
        )
    virtual = _VIRTUAL.fullmatch(wanted)
    if virtual is not None:
        base, notes = find_soc(virtual["base"])
        return base, (*notes, f"{wanted} is a virtual device of {base}; it is checked as {base}")
    raise UsageError(
        f"no SoC {text!r} is known",
        hint=_or_nearest(wanted if wanted[:1].isalpha() else f"Ascend{wanted}", known.values())
        or "`preflight target list` prints the known SoCs",
    )


def explain_soc(text: str) -> SocConfusion | None:
    """The known mix-up that a name belongs to, None when there is none."""
    lower = text.lower()
    for confusion in soc_catalogue().confusions:
        names = [name.lower() for name in confusion.names]
        if lower in names or f"ascend{lower}" in names:
            return confusion
    return None


def family_of(soc: str) -> str:
    """The name that people use for a SoC's family, "" when it has none."""
    return next((f.name for f in soc_catalogue().families if soc in f.socs), "")


def find_host(text: str) -> tuple[str, str]:
    """("linux", "aarch64") of "linux-aarch64"; amd64, arm64 and the other order are understood.

    Raises UsageError for anything else.
    """
    parts = text.strip().lower().split("-")
    if len(parts) == 2:
        for system, cpu in (parts, parts[::-1]):
            if system in _OPERATING_SYSTEMS and cpu in _CPU:
                return system, _CPU[cpu]
    meant = [f"linux-{_CPU[part]}" for part in parts if part in _CPU]
    known = "known hosts: linux-aarch64 (arm64), linux-x86_64 (amd64)"
    raise UsageError(
        f"{text!r} is not a host: expected os-cpu",
        hint=f"did you mean {meant[0]}? {known}" if meant else known,
    )
