"""The bundled record of operator prototypes, and what every source of histories offers."""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Mapping
from enum import StrEnum
from functools import cache, cached_property
from pathlib import Path
from typing import Any, Protocol

import msgspec
from msgspec import Struct

from preflight.data import manifests_dir
from preflight.errors import DataError
from preflight.registry.encoding import FORMAT, decode, shard_of
from preflight.registry.entries import ReleaseEntry
from preflight.registry.names import NAMES
from preflight.registry.prototype import Prototype

MAX_SHARD_BYTES = 16 << 20


class Coverage(StrEnum):
    """What the absence of an operator from a release's record means."""

    COMPLETE = "complete"  # it did not exist
    OPEN = "open"  # nothing: only the open repositories are known
    TRIMMED = "trimmed"  # nothing: some headers were left out
    SECOND = "second"  # nothing: documentation strings, edited by hand


class Held(Struct, frozen=True):
    """One prototype as one package records it for one release."""

    package: str
    release: str
    prototype: Prototype
    coverage: Coverage


class Layer(Protocol):
    """One source of histories; `packages` in order of precedence."""

    @property
    def name(self) -> str: ...

    @property
    def packages(self) -> tuple[str, ...]: ...

    @property
    def order(self) -> tuple[str, ...]: ...

    def releases(self, package: str) -> tuple[ReleaseEntry, ...]: ...

    def coverage(self, package: str, release: str) -> tuple[Coverage, str]: ...

    def damaged(self, package: str, release: str) -> bool: ...

    def operator_types(self) -> tuple[str, ...]: ...

    def held(self, op_type: str) -> Iterator[Held]: ...

    def operators(self, package: str, release: str) -> Mapping[str, Prototype]: ...


class BundledLayer:
    """The record that travels with the package; a shard is read when an operator of it is asked."""

    name = "bundled"

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder or manifests_dir() / "history"
        self._shards: dict[int, dict[str, list[Any]]] = {}

    @cached_property
    def _index(self) -> dict[str, Any]:
        path = self._folder / "index.json"
        try:
            index: dict[str, Any] = msgspec.json.decode(path.read_bytes())
        except (OSError, ValueError, msgspec.DecodeError) as error:
            raise DataError(f"{path}: {error}") from error
        if index.get("format") != FORMAT:
            raise DataError(f"{path}: format {index.get('format')}, this program reads {FORMAT}")
        return index

    @property
    def packages(self) -> tuple[str, ...]:
        """Package names, the one that speaks first in front."""
        return tuple(self._index["packages"])

    @property
    def order(self) -> tuple[str, ...]:
        """All releases of all packages, oldest first."""
        return tuple(self._index["order"])

    def releases(self, package: str) -> tuple[ReleaseEntry, ...]:
        """The releases of a package by date, as its index.json lists them."""
        return tuple(ReleaseEntry(*r) for r in self._package(package)["releases"])

    def index_version(self, package: str) -> str:
        """The `version` of the package's own index.json."""
        return str(self._package(package)["version"])

    def coverage(self, package: str, release: str) -> tuple[Coverage, str]:
        """What an absence means, and a remark on that release's record."""
        record = self._package(package)
        for entry, (kind, note) in zip(record["releases"], record["coverage"], strict=True):
            if entry[0] == release:
                return Coverage(kind), note
        return Coverage.OPEN, ""

    def damaged(self, package: str, release: str) -> bool:
        """Whether operators of a release could not be read: none here."""
        return False

    def operator_types(self) -> tuple[str, ...]:
        """Every operator type that any release has, sorted."""
        return self._names

    @cached_property
    def _names(self) -> tuple[str, ...]:
        path = self._folder / NAMES
        try:
            return tuple(path.read_text(encoding="utf-8").split())
        except OSError as error:
            raise DataError(f"{path}: {error}") from error

    def held(self, op_type: str) -> Iterator[Held]:
        """Every record of an operator, prototype by prototype."""
        for record, places in self._shard(shard_of(op_type)).get(op_type, ()):
            prototype = decode(op_type, record)
            for package, spans in places.items():
                facts = self._package(package)
                for first, last in spans:
                    for position in range(first, last + 1):
                        release = facts["releases"][position][0]
                        coverage = Coverage(facts["coverage"][position][0])
                        yield Held(package, release, prototype, coverage)

    def operators(self, package: str, release: str) -> Mapping[str, Prototype]:
        """All operators of one release of one package, sorted by type."""
        names = [entry[0] for entry in self._package(package)["releases"]]
        if release not in names:
            return {}
        position = names.index(release)
        found: dict[str, Prototype] = {}
        for op_type in self.operator_types():
            for record, places in self._shard(shard_of(op_type)).get(op_type, ()):
                if any(a <= position <= b for a, b in places.get(package, ())):
                    found[op_type] = decode(op_type, record)
        return found

    def sources(self) -> Mapping[str, Mapping[str, Mapping[str, str]]]:
        """Where records are from, by package and release: cann, evidence, source."""
        path = self._folder / "provenance.json"
        if not path.exists():
            return {}
        records: dict[str, dict[str, dict[str, str]]] = msgspec.json.decode(path.read_bytes())
        return records

    def _package(self, package: str) -> dict[str, Any]:
        try:
            record: dict[str, Any] = self._index["packages"][package]
        except KeyError:
            raise DataError(f"the bundled history has no package '{package}'") from None
        return record

    def _shard(self, number: int) -> dict[str, list[Any]]:
        if number not in self._shards:
            path = self._folder / f"ops-{number:02d}.z"
            try:
                inflater = zlib.decompressobj()
                data = inflater.decompress(path.read_bytes(), MAX_SHARD_BYTES)
                self._shards[number] = msgspec.json.decode(data)
            except (OSError, ValueError, msgspec.DecodeError, zlib.error) as error:
                raise DataError(f"{path}: {error}", hint="the installation is damaged") from error
        return self._shards[number]


@cache
def bundled_layer() -> BundledLayer:
    """The record that travels with the package, read once per process."""
    return BundledLayer()


def release_sources() -> Mapping[str, Mapping[str, Mapping[str, str]]]:
    """Where the bundled records are from, by package and release."""
    return bundled_layer().sources()
