"""Folders in the protocol's layout as a source of histories."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import Path

from preflight.errors import UnreadableInput
from preflight.registry.encoding import release_order
from preflight.registry.entries import ReleaseEntry, Skipped
from preflight.registry.protocol import ReleaseFile, load_index, load_release
from preflight.registry.prototype import Prototype
from preflight.registry.store import Coverage, Held


class FolderLayer:
    """Registries in protocol files: one package folder, or a folder of package folders.

    What such a folder records of a package it records completely; other packages it knows nothing
    about. Defects are collected in `skipped`.
    """

    def __init__(self, folder: str | Path, name: str = "") -> None:
        self.folder = Path(folder)
        self.name = name or str(folder)
        self.skipped: list[Skipped] = []
        self._files: dict[tuple[str, str], ReleaseFile] = {}

    @cached_property
    def _packages(self) -> dict[str, Path]:
        if (self.folder / "index.json").is_file():
            return {self.folder.resolve().name: self.folder}
        found = {p.parent.name: p.parent for p in sorted(self.folder.glob("*/index.json"))}
        if not found:
            raise UnreadableInput(
                f"{self.folder}: no registry here (no index.json in it or in a folder below)",
                hint="give the folder of a package, or the folder that holds package folders",
            )
        return found

    @property
    def folders(self) -> tuple[Path, ...]:
        """The package folders, in order of precedence."""
        return tuple(self._packages[name] for name in self.packages)

    @property
    def packages(self) -> tuple[str, ...]:
        """Package names; a package `all` speaks first."""
        return tuple(sorted(self._packages, key=lambda name: (name != "all", name)))

    @cached_property
    def order(self) -> tuple[str, ...]:
        """All releases of all packages, oldest first."""
        entries = [(r.version, r.date) for p in self.packages for r in self.releases(p)]
        return tuple(release_order(entries))

    def releases(self, package: str) -> tuple[ReleaseEntry, ...]:
        """The releases of a package by date; entries that cannot be used go to `skipped`."""
        return self._indices.get(package, ())

    @cached_property
    def _indices(self) -> dict[str, tuple[ReleaseEntry, ...]]:
        indices = {}
        for package, path in self._packages.items():
            reading = load_index(path)
            if reading.rejected:
                self.skipped.append(Skipped(str(path), reading.rejected))
            self.skipped.extend(reading.skipped)
            indices[package] = reading.releases
        return indices

    def coverage(self, package: str, release: str) -> tuple[Coverage, str]:
        """A folder is complete for its own packages."""
        return Coverage.COMPLETE, ""

    def damaged(self, package: str, release: str) -> bool:
        """Whether operators of a release could not be read, so that an absence says nothing."""
        self.operators(package, release)
        file = self._files.get((package, release))
        return file is not None and bool(file.skipped)

    def operator_types(self) -> tuple[str, ...]:
        """Every operator type that any release has, sorted."""
        names: set[str] = set()
        for package in self.packages:
            for release in self.releases(package):
                names.update(self.operators(package, release.version))
        return tuple(sorted(names))

    def held(self, op_type: str) -> Iterator[Held]:
        """Every record of an operator."""
        for package in self.packages:
            for release in self.releases(package):
                prototype = self.operators(package, release.version).get(op_type)
                if prototype is not None:
                    yield Held(package, release.version, prototype, Coverage.COMPLETE)

    def operators(self, package: str, release: str) -> Mapping[str, Prototype]:
        """All operators of one release of one package."""
        key = (package, release)
        if key not in self._files:
            if all(r.version != release for r in self.releases(package)):
                return {}
            file = load_release(self._packages[package], release)
            self.skipped.extend(file.skipped)
            self._files[key] = file
        return self._files[key].operators
