"""Reads what ships about releases, loader behaviours and SoCs, each value with its source.

`manifests/releases.toml`, `manifests/behaviour/<id>.toml` and `manifests/socs.json`, parsed once
per process and only when asked for.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from preflight.data import manifests_dir
from preflight.errors import DataError
from preflight.findings import Certainty
from preflight.target.types import Fact, ReleaseBehaviour, SocFacts, unknown
from preflight.versions import CannVersion

_T = TypeVar("_T")
_ENTRY = "[[release]]\n"
_PLAIN = re.compile(r"[A-Za-z0-9.-]+")


class ReleaseEntry(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One `[[release]]` of releases.toml; empty text means nobody knows."""

    public: str
    behaviour_source: str
    soc_table: str
    soc_certainty: Certainty
    layout: str
    certainty: Certainty
    source: str
    internal: str = ""
    date: str = ""
    aliases: tuple[str, ...] = ()
    behaviour: str = ""
    behaviour_certainty: Certainty = Certainty.POSSIBLE
    abi_range: str = ""
    innerversion: str = ""
    chips: tuple[str, ...] = ()


class _Releases(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    release: tuple[ReleaseEntry, ...]


class _Value(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    value: bool | int | str | tuple[str, ...]
    certainty: Certainty
    source: str


class _SocRow(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    short: str
    arch_type: str | None
    npu_arch: str | None
    aic_version: str
    ai_core_count: int | None = None
    memory_bytes: int | None = None


class _SocTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    source: str
    socs: dict[str, _SocRow]


class SocFamily(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """SoCs that people call by one name."""

    name: str
    socs: tuple[str, ...]
    note: str
    source: str


class SocConfusion(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Names that are no soc_version but are used as one, with what to say about it."""

    names: tuple[str, ...]
    candidates: tuple[str, ...]
    text: str
    source: str


class SocCatalogue(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """manifests/socs.json. `remarks`: valid names that mean something else than people think."""

    tables: dict[str, _SocTable]
    families: tuple[SocFamily, ...]
    confusions: tuple[SocConfusion, ...]
    remarks: dict[str, str]


def read_toml(path: Path, kind: type[_T]) -> _T:
    """A manifest decoded strictly; raises DataError naming file and key."""
    return _decode_toml(_read_text(path), path, kind)


def _read_text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise DataError(f"{path.name}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise DataError(f"{path.name}: not UTF-8 text") from error


def _decode_toml(text: str, path: Path, kind: type[_T]) -> _T:
    import tomllib

    try:
        return msgspec.convert(tomllib.loads(text), kind)
    except (tomllib.TOMLDecodeError, msgspec.ValidationError) as error:
        raise DataError(f"{path.name}: {error}") from error


@cache
def releases() -> tuple[ReleaseEntry, ...]:
    """Known public releases, oldest first as the file has them."""
    return read_toml(manifests_dir() / "releases.toml", _Releases).release


@cache
def release_named(name: str) -> ReleaseEntry | None:
    """The release of exactly this public name, without parsing all the others.

    A check asks for one release and pays for one: `public` is the first key of every entry.
    """
    path = manifests_dir() / "releases.toml"
    text = _read_text(path)
    start = text.find(f'{_ENTRY}public = "{name}"\n') if _PLAIN.fullmatch(name) else -1
    if start < 0:
        return None
    end = text.find(_ENTRY, start + 1)
    return _decode_toml(text[start : end if end > 0 else None], path, _Releases).release[0]


@cache
def release_of_internal(internal: str) -> ReleaseEntry | None:
    """The release whose packages have exactly this internal number, the others not parsed."""
    path = manifests_dir() / "releases.toml"
    text = _read_text(path)
    at = text.find(f'\ninternal = "{internal}"\n') if _PLAIN.fullmatch(internal) else -1
    start = text.rfind(_ENTRY, 0, at + 1) if at >= 0 else -1
    if start < 0:
        return None
    end = text.find(_ENTRY, start + 1)
    return _decode_toml(text[start : end if end > 0 else None], path, _Releases).release[0]


@cache
def soc_catalogue() -> SocCatalogue:
    """SoC tables, families and the names people mix up."""
    path = manifests_dir() / "socs.json"
    try:
        return msgspec.json.decode(path.read_bytes(), type=SocCatalogue)
    except (OSError, msgspec.MsgspecError) as error:
        raise DataError(f"{path.name}: {error}") from error


@cache
def behaviour_fact(name: str) -> Fact[ReleaseBehaviour]:
    """A loader generation by id ("ge-9.0.1"), as sure as its least sure value.

    Raises DataError for an id that has no file.
    """
    path = manifests_dir() / "behaviour" / f"{name}.toml"
    if not path.is_file():
        known = ", ".join(behaviour_ids())
        raise DataError(f"there is no loader behaviour {name!r}", hint=f"known: {known}")
    raw = read_toml(path, dict[str, Any])
    ident, label = str(raw.pop("id", "")), str(raw.pop("label", ""))
    try:
        values = msgspec.convert(raw, dict[str, _Value])
        behaviour = ReleaseBehaviour(
            id=ident,
            label=label,
            sources={key: v.source for key, v in values.items()},
            certainties={key: v.certainty for key, v in values.items()},
            **{key: v.value for key, v in values.items()},  # type: ignore[arg-type]  # checked by tests
        )
    except (msgspec.ValidationError, TypeError) as error:
        raise DataError(f"behaviour/{path.name}: {error}") from error
    certainty = max((v.certainty for v in values.values()), key=lambda c: c.rank)
    return Fact(behaviour, f"manifests/behaviour/{path.name}", certainty=certainty)


def behaviour_ids() -> tuple[str, ...]:
    """Every loader generation that has a file."""
    return tuple(sorted(p.stem for p in (manifests_dir() / "behaviour").glob("*.toml")))


def release_behaviour(entry: ReleaseEntry) -> Fact[ReleaseBehaviour]:
    """The behaviour of a release's loader; unknown where no source of that age is open."""
    if not entry.behaviour:
        return unknown(entry.behaviour_source)
    fact = behaviour_fact(entry.behaviour)
    certainty = max(fact.certainty, entry.behaviour_certainty, key=lambda c: c.rank)
    return Fact(fact.value, f"{fact.source}; {entry.behaviour_source}", certainty=certainty)


@cache
def soc_table(name: str) -> Mapping[str, SocFacts]:
    """The SoCs of one table ("8.1.RC1", "9.2"), or of both merged ("both": the later one wins).

    The empty name stands for a release whose SoCs are not known: an empty table.
    """
    tables = soc_catalogue().tables
    if not name:
        return {}
    found: dict[str, SocFacts] = {}
    for key in tables if name == "both" else (name,):
        for soc, row in tables[key].socs.items():
            before = found.get(soc)
            found[soc] = SocFacts(
                soc_version=soc,
                short=row.short,
                arch_type=row.arch_type,
                npu_arch=row.npu_arch,
                aic_version=row.aic_version,
                ai_core_count=row.ai_core_count or (before.ai_core_count if before else None),
                memory_bytes=row.memory_bytes or (before.memory_bytes if before else None),
                source=f"manifests/socs.json, table {key}",
            )
    return found


def loader_behaviour(name: str) -> ReleaseBehaviour:
    """A loader generation by id ("ge-9.0.1"). Raises DataError for an unknown one."""
    behaviour = behaviour_fact(name).value
    assert behaviour is not None  # a behaviour that was read is known
    return behaviour


def behaviour_of_version(text: str) -> Fact[ReleaseBehaviour]:
    """The loader generation of any release number, known or not.

    A release that the manifests do not list behaves like the newest listed one below it: likely
    inside one major.minor, possibly beyond. Unknown below everything that is listed.
    """
    version = CannVersion.parse(text)
    if version is None:
        return unknown(f"{text!r} is not a release number")
    listed = [(CannVersion.parse(entry.public), entry) for entry in releases()]
    below = [(v, e) for v, e in listed if v is not None and v <= version]
    if not below:
        return unknown(f"{text} is older than every release that is known")
    nearest, entry = max(below, key=lambda pair: pair[0])
    fact = release_behaviour(entry)
    if nearest == version or not fact.known:
        return fact
    same_line = nearest.major_minor == version.major_minor
    certainty = Certainty.LIKELY if same_line else Certainty.POSSIBLE
    return Fact(
        fact.value,
        f"{fact.source}; taken from {entry.public}, the nearest known release below {text}",
        certainty=max(fact.certainty, certainty, key=lambda c: c.rank),
    )
