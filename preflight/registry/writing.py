"""Writes protocol files: each file replaced in one step, the index last, no release ever lost.

The existing writer overwrites the files of a release before it notices that the release is
already listed, and replaces an index it cannot read by an empty one (spec/om-format.md §F.5).
This one refuses in both cases before it touches anything.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import date
from pathlib import Path
from typing import Any

from msgspec import Struct

from preflight.errors import MalformedInput, PreflightError, UsageError
from preflight.registry.entries import Skipped
from preflight.registry.jsontext import first_value, read_bytes
from preflight.registry.protocol import (
    INDEX_VERSION,
    SYMBOLS_FILE,
    refuse_newer_index,
    release_dir,
)
from preflight.registry.prototype import (
    ATTRIBUTE_TYPES,
    Prototype,
    symbols_to_protocol,
    to_protocol,
)
from preflight.registry.window import is_calendar_date, is_protocol_date
from preflight.writing import replace_file


class Written(Struct, frozen=True):
    """What a write has done. `dropped` are index entries that no reader could use."""

    release: str
    operators: int
    skipped: tuple[Skipped, ...] = ()
    dropped: tuple[Skipped, ...] = ()


def render_json(value: object) -> str:
    """The protocol's text form: two spaces, keys sorted, no final newline."""
    return json.dumps(value, indent=2, sort_keys=True, ensure_ascii=False)


def write_release(
    package: str | Path,
    release: str,
    released: str,
    operators: Mapping[str, Prototype],
    branch: str = "",
) -> Written:
    """Add a release to a package folder, which is made when it is not there.

    `released` is YYYY-MM-DD, empty for today. Operators with an attribute type that no consumer
    understands are left out and reported, as the existing writer does. Raises UsageError when the
    release is already listed or an argument is no use, MalformedInput when the index that is there
    cannot be read without losing what it lists.
    """
    released = released or date.today().isoformat()
    if not is_calendar_date(released):
        raise UsageError(f"'{released}' is no day of the calendar, written YYYY-MM-DD")
    if not release:
        raise UsageError("the release has no name")
    root = Path(package)
    folder = release_dir(root, release)
    with _writing(root):
        index, dropped = _readable_index(root)
        entries: list[dict[str, Any]] = index["releases"]
        if any(e["release_version"] == release for e in entries):
            raise UsageError(
                f"{root / 'index.json'}: release {release} is already there",
                hint="releases are never overwritten; write to another folder and compare",
            )
        kept, skipped = _writable(operators)
        folder.mkdir(parents=True, exist_ok=True)
        replace_file(folder / "metadata.json", render_json(_metadata(release, branch)).encode())
        replace_file(
            folder / "operators.json",
            render_json({"operators": [to_protocol(p) for p in kept.values()]}).encode(),
        )
        symbols = symbols_to_protocol(kept)
        if symbols:
            text = json.dumps(symbols, indent=1, ensure_ascii=False)
            replace_file(folder / SYMBOLS_FILE, text.encode())
        entries.append({"release_date": released, "release_version": release})
        entries.sort(key=lambda e: str(e["release_date"]))
        replace_file(root / "index.json", render_json(index).encode())
    return Written(release, len(kept), skipped, dropped)


@contextmanager
def _writing(root: Path) -> Iterator[None]:
    """The folder made and locked; whatever the file system refuses becomes one clear error."""
    try:
        root.mkdir(parents=True, exist_ok=True)
        with _locked(root):
            yield
    except OSError as error:
        raise UsageError(
            f"{root}: cannot be written ({error.strerror})",
            hint="name a folder that can be made or written to",
        ) from error


@contextmanager
def _locked(root: Path) -> Iterator[None]:
    """One writer at a time: two that read the same index would lose one release."""
    lock = root / ".index.lock"
    try:
        lock.touch(exist_ok=False)
    except FileExistsError:
        raise UsageError(
            f"{lock}: another program is writing this registry",
            hint=f"if none is, remove it: rm {lock}",
        ) from None
    try:
        yield
    finally:
        lock.unlink(missing_ok=True)


def _readable_index(root: Path) -> tuple[dict[str, Any], tuple[Skipped, ...]]:
    """The index to extend, and the entries that are dropped because nobody can read them."""
    path = root / "index.json"
    if not path.exists():
        return {"releases": [], "version": INDEX_VERSION}, ()
    try:
        value = first_value(read_bytes(path), str(path))
    except PreflightError as error:
        raise MalformedInput(
            f"{path}: cannot be read, so the releases it lists would be lost ({error.message})",
            hint="repair or move the file, then write again",
        ) from error
    version = value.get("version") if isinstance(value, dict) else None
    if isinstance(version, str):
        refuse_newer_index(version, path)
    entries = value.get("releases") if isinstance(value, dict) else None
    if not isinstance(version, str) or not isinstance(entries, list):
        _refuse_to_lose(root, path)
        return {"releases": [], "version": INDEX_VERSION}, ()
    kept: list[dict[str, Any]] = []
    dropped: list[Skipped] = []
    for position, entry in enumerate(entries):
        fault = _entry_fault(root, entry)
        if fault:
            dropped.append(Skipped(f"{path} releases[{position}]", fault))
        else:
            kept.append(entry)
    return {"releases": kept, "version": version}, tuple(dropped)


def _entry_fault(root: Path, entry: object) -> str:
    """Why an index entry is dropped; empty when it stays. A release with files always stays."""
    version = entry.get("release_version") if isinstance(entry, dict) else None
    if not isinstance(version, str) or not version:
        return "entry names no release"
    day = entry.get("release_date") if isinstance(entry, dict) else None
    if isinstance(day, str) and is_protocol_date(day):
        return ""
    if (root / "registry" / version / "operators.json").exists():
        raise MalformedInput(
            f"{root / 'index.json'}: release {version} has files but no valid release_date",
            hint="give it a date of the form YYYY-MM-DD, then write again",
        )
    return f"release {version} has no valid date and no files"


def _refuse_to_lose(root: Path, path: Path) -> None:
    releases = sorted(p.parent.name for p in (root / "registry").glob("*/operators.json"))
    if releases:
        raise MalformedInput(
            f"{path}: lists nothing, but there are files of {', '.join(releases)}",
            hint="repair or move the file, then write again",
        )


def _metadata(release: str, branch: str) -> dict[str, str]:
    return {"release_version": release} | ({"branch_name": branch} if branch else {})


def _writable(
    operators: Mapping[str, Prototype],
) -> tuple[dict[str, Prototype], tuple[Skipped, ...]]:
    kept: dict[str, Prototype] = {}
    skipped: list[Skipped] = []
    for name, prototype in operators.items():
        unknown = [a for a in prototype.attrs if a.type not in ATTRIBUTE_TYPES]
        if unknown:
            text = f"attribute {unknown[0].name} has type '{unknown[0].type}'"
            skipped.append(Skipped(f"operator '{name}'", text))
        else:
            kept[name] = prototype
    return kept, tuple(skipped)
