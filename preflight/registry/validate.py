"""Stricter than reading: everything about a registry folder that somebody should repair or know."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct

from preflight.findings import Severity
from preflight.registry.defaults import DefaultFault, parse_default
from preflight.registry.dtypes import era_at, known_dtypes, names_in
from preflight.registry.folders import FolderLayer
from preflight.registry.protocol import SYMBOLS_FILE, load_index, load_release, load_symbols
from preflight.registry.prototype import ATTRIBUTE_TYPES, Prototype
from preflight.registry.records import RegistryFault
from preflight.registry.window import is_calendar_date


class Problem(Struct, frozen=True):
    """One thing that is wrong. ERROR: a reader leaves something out or a consumer stumbles."""

    severity: Severity
    where: str
    message: str


def validate_package(package: str | Path) -> tuple[Problem, ...]:
    """All problems of a package folder, in order of release. Raises only for a newer index."""
    root = Path(package)
    reading = load_index(root)
    if reading.rejected:
        return (Problem(Severity.ERROR, str(root), reading.rejected),)
    problems = [Problem(Severity.ERROR, s.where, s.reason) for s in reading.skipped]
    listed = {r.version for r in reading.releases}
    for release in reading.releases:
        if not is_calendar_date(release.date):
            text = f"release {release.version}: {release.date} does not exist in the calendar"
            problems.append(Problem(Severity.ERROR, str(root / "index.json"), text))
        problems.extend(validate_release(root, release.version))
    for folder in sorted((root / "registry").glob("*")):
        if folder.is_dir() and folder.name not in listed:
            text = "has files, but index.json does not list it (or its entry was left out)"
            problems.append(Problem(Severity.WARNING, str(folder), text))
    return tuple(problems)


def validate_release(package: str | Path, release: str) -> tuple[Problem, ...]:
    """All problems of one release's operators."""
    folder = Path(package) / "registry" / release
    try:
        file = load_release(package, release)
        symbols = load_symbols(package, release)
    except RegistryFault as error:
        return (Problem(Severity.ERROR, str(folder), error.message),)
    problems = [Problem(Severity.ERROR, s.where, s.reason) for s in file.skipped]
    for name, prototype in file.operators.items():
        where = f"{folder / 'operators.json'} {name}"
        problems += [Problem(s, where, text) for s, text in prototype_problems(prototype)]
    for name in sorted(set(symbols) - set(file.operators)):
        text = f"names operator '{name}', which operators.json does not have"
        problems.append(Problem(Severity.WARNING, str(folder / SYMBOLS_FILE), text))
    return tuple(problems)


def prototype_problems(prototype: Prototype) -> Iterator[tuple[Severity, str]]:
    """What is wrong with one prototype."""
    lists = (("input", prototype.inputs), ("output", prototype.outputs))
    for side, items in (*lists, ("attribute", prototype.attrs), ("subgraph", prototype.subgraphs)):
        for name, count in Counter(item.name for item in items).items():
            if count > 1:
                yield Severity.ERROR, f"{side} '{name}' appears {count} times"
    yield from _attribute_problems(prototype)
    known = known_dtypes() | frozenset(era_at("").groups) | {s for s, _ in prototype.datatypes}
    for side, ports in lists:
        for port in ports:
            odd = [name for name in names_in(port.dtype) if name not in known]
            if odd:
                text = f"{side} '{port.name}' takes unknown data type {', '.join(odd)}"
                yield Severity.WARNING, text
    for symbol, text in prototype.datatypes:
        odd = [name for name in names_in(text) if name not in known]
        if odd:
            yield Severity.WARNING, f"symbol {symbol} has unknown data type {', '.join(odd)}"


def _attribute_problems(prototype: Prototype) -> Iterator[tuple[Severity, str]]:
    for attribute in prototype.attrs:
        where = f"attribute '{attribute.name}'"
        default = attribute.default_value
        if attribute.type not in ATTRIBUTE_TYPES:
            yield Severity.ERROR, f"{where} has type '{attribute.type}', which nobody reads"
        elif attribute.required and default is not None:
            yield Severity.WARNING, f"{where} is required and has a default all the same"
        elif not attribute.required and default is None:
            yield Severity.WARNING, f"{where} is optional and has no default"
        elif default is not None:
            try:
                parse_default(attribute.type, default)
            except DefaultFault as error:
                yield Severity.ERROR, f"{where} ({attribute.type}): {error.message}"


def package_folders(folder: str | Path) -> tuple[Path, ...]:
    """The package folders at or below a folder. Raises UnreadableInput when there is none."""
    return FolderLayer(folder).folders
