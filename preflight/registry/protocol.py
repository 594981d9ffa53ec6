"""Reads the History Registry Protocol (spec/om-format.md §F.1 to §F.3).

    <package>/index.json
    <package>/registry/<release>/metadata.json
    <package>/registry/<release>/operators.json
    <package>/registry/<release>/datatype_symbols.json      ours, optional

Reading tolerates what the existing reader tolerates and reports what it leaves out. The verdicts
agree with that reader except for what docs/registry.md lists.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from preflight.errors import MalformedInput, PreflightError
from preflight.registry.entries import ReleaseEntry, Skipped
from preflight.registry.jsontext import first_value, read_bytes
from preflight.registry.prototype import Prototype
from preflight.registry.records import RegistryFault, is_clean, parse_operator
from preflight.registry.window import DEFAULT_DAYS, is_protocol_date, select_window

INDEX_VERSION = "1.0.0"
SUPPORTED_MAJOR = 1

SYMBOLS_FILE = "datatype_symbols.json"


class IndexReading(Struct, frozen=True):
    """index.json as the reader sees it: releases by date. `rejected` says why there are none."""

    version: str = INDEX_VERSION
    releases: tuple[ReleaseEntry, ...] = ()
    skipped: tuple[Skipped, ...] = ()
    rejected: str = ""


class ReleaseFile(Struct, frozen=True):
    """All operators of one release, by type, with what was left out."""

    operators: Mapping[str, Prototype]
    skipped: tuple[Skipped, ...] = ()


class Chain(Struct, frozen=True):
    """One operator through the releases of a window; `skipped` releases lack it."""

    window: tuple[str, ...]
    found: tuple[tuple[str, Prototype], ...]
    skipped: tuple[Skipped, ...] = ()


def load_index(package: str | Path) -> IndexReading:
    """Read index.json. A missing or broken index is an empty reading with `rejected`, no error.

    Raises RegistryFault for an empty path and for an index of a newer major version, which we
    refuse although the existing reader does not look at the value.
    """
    if not str(package):
        raise RegistryFault("package_directory_empty", "the package directory is an empty path")
    path = Path(package) / "index.json"
    try:
        root = first_value(read_bytes(path), str(path))
    except PreflightError as error:
        return IndexReading(rejected=error.message)
    if not isinstance(root, dict):
        return IndexReading(rejected=f"{path}: not a JSON object")
    version, entries = root.get("version"), root.get("releases")
    if isinstance(version, str):
        refuse_newer_index(version, path)  # a newer layout may not have 'releases' at all
    if not isinstance(version, str) or not isinstance(entries, list):
        return IndexReading(rejected=f"{path}: needs 'version' (text) and 'releases' (list)")
    releases: list[ReleaseEntry] = []
    skipped: list[Skipped] = []
    seen: set[str] = set()
    for position, entry in enumerate(entries):
        try:
            releases.append(_index_entry(Path(package), entry, seen))
        except RegistryFault as error:
            skipped.append(Skipped(f"{path} releases[{position}]", error.message))
    releases.sort(key=lambda r: r.date)
    return IndexReading(version, tuple(releases), tuple(skipped))


def refuse_newer_index(version: str, path: Path) -> None:
    """Raise RegistryFault when the leading number of `version` is above what we know."""
    major = re.match(r"[0-9]+", version)
    if major and int(major[0][:9]) > SUPPORTED_MAJOR:
        raise RegistryFault(
            "index_version",
            f"{path}: protocol version {version}, this program reads up to {SUPPORTED_MAJOR}.x",
            hint="upgrade with: pip install --upgrade om-preflight",
        )


def _index_entry(package: Path, entry: object, seen: set[str]) -> ReleaseEntry:
    if not isinstance(entry, dict):
        raise RegistryFault("index", "entry is not an object")
    version, date = entry.get("release_version"), entry.get("release_date")
    if not isinstance(version, str) or not version:
        raise RegistryFault("index", "entry has no release_version text")
    if version in seen:
        raise RegistryFault("index", f"release {version} is listed twice")
    seen.add(version)  # before the date is looked at, as the existing reader does
    if not isinstance(date, str) or not is_protocol_date(date):
        raise RegistryFault("index", f"release {version}: release_date {date!r} is no date")
    return ReleaseEntry(version, date, load_metadata(package, version))


def release_dir(package: str | Path, release: str) -> Path:
    """The folder of a release. Raises RegistryFault when the name would leave the package."""
    if not release or release in (".", "..") or "/" in release or "\\" in release:
        raise RegistryFault("metadata", f"'{release}' cannot be the name of a release folder")
    return Path(package) / "registry" / release


def load_metadata(package: str | Path, release: str) -> str:
    """The branch name of a release ("" when there is none). Raises RegistryFault("metadata")."""
    path = release_dir(package, release) / "metadata.json"
    try:
        root = first_value(read_bytes(path), str(path))
    except PreflightError as error:
        raise RegistryFault("metadata", error.message) from error
    if not isinstance(root, dict) or root.get("release_version") != release:
        raise RegistryFault("metadata", f"{path}: release_version is not '{release}'")
    branch = root.get("branch_name", "")
    if not isinstance(branch, str):
        raise RegistryFault("metadata", f"{path}: branch_name is not text")
    return branch


def load_operator(package: str | Path, release: str, op_type: str) -> Prototype:
    """One operator of a release; defects of others do not matter. Raises RegistryFault."""
    path = release_dir(package, release) / "operators.json"
    matches = [e for e in _entries(path) if isinstance(e, dict) and e.get("op_type") == op_type]
    if not matches:
        raise RegistryFault("operator_not_found", f"{path}: no operator '{op_type}'")
    if len(matches) > 1:
        raise RegistryFault("operator_duplicate", f"{path}: operator '{op_type}' appears twice")
    prototype = parse_operator(matches[0])
    return _with_symbols(prototype, load_symbols(package, release).get(op_type, ()))


def load_release(package: str | Path, release: str) -> ReleaseFile:
    """All operators of a release. Raises RegistryFault when operators.json itself is no use."""
    path = release_dir(package, release) / "operators.json"
    data = read_bytes_or_fault(path)
    file = _decode_clean(data) or _decode_tolerant(data, path)
    symbols = load_symbols(package, release)
    if not symbols:
        return file
    operators = {
        name: _with_symbols(p, symbols.get(name, ())) for name, p in file.operators.items()
    }
    return replace(file, operators=operators)


def read_bytes_or_fault(path: Path) -> bytes:
    """The bytes of operators.json. Raises RegistryFault("operators_file")."""
    try:
        return read_bytes(path)
    except PreflightError as error:
        raise RegistryFault("operators_file", error.message) from error


def load_chain(
    package: str | Path, op_type: str, current: str = "", days: int = DEFAULT_DAYS
) -> Chain:
    """One operator through the window that ends at `current`; a release without it is skipped."""
    releases = [(r.version, r.date) for r in load_index(package).releases]
    window = select_window(releases, current, days)
    found: list[tuple[str, Prototype]] = []
    skipped: list[Skipped] = []
    for release in window:
        try:
            found.append((release, load_operator(package, release, op_type)))
        except RegistryFault as error:
            skipped.append(Skipped(release, error.message))
    return Chain(tuple(window), tuple(found), tuple(skipped))


def load_symbols(package: str | Path, release: str) -> dict[str, tuple[tuple[str, str], ...]]:
    """DATATYPE symbols by operator from datatype_symbols.json; empty when there is no such file.

    Raises RegistryFault("symbols_file") when the file is there and cannot be read.
    """
    path = release_dir(package, release) / SYMBOLS_FILE
    if not path.exists():
        return {}
    try:
        root = first_value(read_bytes(path), str(path))
    except PreflightError as error:
        raise RegistryFault("symbols_file", error.message) from error
    if not isinstance(root, dict):
        raise RegistryFault("symbols_file", f"{path}: not a JSON object")
    symbols: dict[str, tuple[tuple[str, str], ...]] = {}
    for name, record in root.items():
        datatypes = record.get("datatypes") if isinstance(record, dict) else None
        if not isinstance(datatypes, dict) or not all(
            isinstance(text, str) for text in datatypes.values()
        ):
            raise RegistryFault("symbols_file", f"{path}: '{name}' has no datatypes object")
        symbols[name] = tuple(datatypes.items())
    return symbols


def _entries(path: Path) -> list[object]:
    try:
        root = first_value(read_bytes_or_fault(path), str(path))
    except RegistryFault:
        raise
    except MalformedInput as error:
        raise RegistryFault("operators_file", error.message) from error
    entries = root.get("operators") if isinstance(root, dict) else None
    if not isinstance(entries, list):
        raise RegistryFault("operators_file", f"{path}: has no list 'operators'")
    return entries


def _decode_tolerant(data: bytes, path: Path) -> ReleaseFile:
    """Entry by entry, leaving out what the existing reader could not return either."""
    operators: dict[str, Prototype] = {}
    skipped: list[Skipped] = []
    seen: set[str] = set()
    for position, entry in enumerate(_entries(path)):
        where = f"{path} operators[{position}]"
        try:
            prototype = parse_operator(entry)
        except RegistryFault as error:
            skipped.append(Skipped(where, error.message))
            if isinstance(entry, dict):  # a malformed twin makes its good one a duplicate as well
                name = entry.get("op_type")
                if isinstance(name, str):
                    seen.add(name)
                    operators.pop(name, None)
            continue
        if prototype.op_type in seen:
            operators.pop(prototype.op_type, None)
            skipped.append(Skipped(where, f"operator '{prototype.op_type}' appears twice"))
        else:
            operators[prototype.op_type] = prototype
        seen.add(prototype.op_type)
    return ReleaseFile(operators, tuple(skipped))


class _CleanFile(Struct, frozen=True):
    operators: tuple[Prototype, ...]


@cache
def _clean_decoder() -> Any:
    import msgspec.json  # typed decoding, only where whole files are read

    return msgspec.json.Decoder(_CleanFile), msgspec.DecodeError


def _decode_clean(data: bytes) -> ReleaseFile | None:
    """A file without any defect in one typed pass; None when anything needs a closer look."""
    decoder, decode_error = _clean_decoder()
    try:
        file: _CleanFile = decoder.decode(data)
    except (decode_error, UnicodeDecodeError, RecursionError):
        return None
    operators = {p.op_type: p for p in file.operators if is_clean(p)}
    return ReleaseFile(operators) if len(operators) == len(file.operators) else None


def _with_symbols(prototype: Prototype, symbols: tuple[tuple[str, str], ...]) -> Prototype:
    return replace(prototype, datatypes=symbols) if symbols else prototype
