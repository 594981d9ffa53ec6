"""New files are made in a folder of their own and renamed into place; nothing is overwritten.

A step works in a staging folder beside the result (same file system, so a rename is atomic). What
it made is written to the journal with digests before the first rename, so that an interrupted
commit can be finished or taken back.
"""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

from preflight.errors import ApplyError
from preflight.plan.journal import STAGING, Move
from preflight.writing import sync_folder

_MODEL_SUFFIXES = (".om", ".om2", ".exeom")
_CHUNK = 1 << 20


def staging_folder(produces: Path, digest: str, step: str, attempt: int) -> Path:
    """Where an attempt of a step works; the name is new for each attempt.

    A process that an earlier, killed attempt left behind therefore never writes into it.
    """
    return produces.parent / f"{STAGING}{digest[:12]}-{step}-{attempt}"


def missing_folders(folder: Path) -> tuple[str, ...]:
    """The folders above a staging folder that are not there yet, innermost first."""
    missing: list[str] = []
    for above in folder.parents:
        if os.path.lexists(above):
            break
        missing.append(str(above))
    return tuple(missing)


def make_folder(folder: Path) -> None:
    """Make the staging folder; raises ApplyError when it is there already or cannot be made."""
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        folder.mkdir()
    except OSError as error:
        raise ApplyError(f"{folder}: the working folder cannot be made: {error}") from error


def collect(folder: Path, produces: Path, prefix: str, old_name: str = "") -> tuple[Move, ...]:
    """The renames that bring a result into place: the model last, what belongs to it before.

    atc may put `_<os>_<cpu>` behind the prefix (spec/om-format.md §A.5). Single operators become
    files in a folder of that name, one for each; the one named like the old file counts then.
    Raises ApplyError when there is not exactly one model, or when something of that name is in
    place already.
    """
    models = _models(folder)
    if not models and (folder / prefix).is_dir():
        models = _models(folder / prefix)
        models = [p for p in models if p.name == old_name] or models
    if len(models) != 1:
        found = ", ".join(p.name for p in models) or "none"
        raise ApplyError(f"the command should have written one model file; it wrote {found}")
    moves: list[Move] = []
    for beside in sorted(folder.iterdir()):
        if beside.name == "weight" or beside.name.startswith(f"{prefix}_weight"):
            moves.append(Move(str(beside), str(produces.parent / beside.name)))
        elif beside.name == "fusion_result.json":
            name = f"{produces.name}.fusion_result.json"
            moves.append(Move(str(beside), str(produces.parent / name)))
    moves.append(Move(str(models[0]), str(produces)))
    for move in moves:
        if os.path.lexists(move.destination):
            raise ApplyError(f"{move.destination} is there already; it is not overwritten")
    return tuple(moves)


def _models(folder: Path) -> list[Path]:
    """Model files in a folder; links are none, what they point to is not ours to move."""
    found = (p for p in folder.iterdir() if p.suffix in _MODEL_SUFFIXES)
    return sorted(p for p in found if p.is_file() and not p.is_symlink())


def digests(moves: tuple[Move, ...]) -> dict[str, str]:
    """SHA-256 of every file to be moved, by the path it will have."""
    result: dict[str, str] = {}
    for move in moves:
        source = Path(move.source)
        for path in _files(source):
            place = Path(move.destination) / path.relative_to(source)
            result[str(place)] = digest_of(path)
    return result


def _files(path: Path) -> Iterator[Path]:
    """The path itself when it is a file, otherwise every regular file below it."""
    if path.is_file():
        yield path
        return
    for root, _, names in os.walk(path):
        for name in sorted(names):
            file = Path(root) / name
            if file.is_file() and not file.is_symlink():
                yield file


def digest_of(path: Path) -> str:
    """SHA-256 of a whole file, read in pieces."""
    digest = hashlib.sha256()
    with path.open("rb") as stream:
        while chunk := stream.read(_CHUNK):
            digest.update(chunk)
    return digest.hexdigest()


def sync_file(path: Path) -> None:
    """Put a file's content on disk before its name changes."""
    for file in _files(path):
        with file.open("rb") as stream:
            os.fsync(stream.fileno())


def finish_moves(moves: tuple[Move, ...]) -> None:
    """Do the renames that are not done yet; safe to repeat after an interruption."""
    for move in moves:
        if not os.path.lexists(move.source):
            continue
        _rename(Path(move.source), Path(move.destination))
        sync_folder(Path(move.destination).parent)


def _rename(source: Path, destination: Path) -> None:
    """Rename without ever replacing a file, even one that appears at this very moment."""
    there = ApplyError(f"{destination} appeared meanwhile; it is not overwritten")
    if os.path.lexists(destination):
        if source.is_dir() or not source.samefile(destination):
            raise there
        source.unlink()  # an earlier run got as far as the second name
        return
    if source.is_dir():
        source.rename(destination)  # fails when a folder with files in it has appeared
        return
    try:
        destination.hardlink_to(source)
    except FileExistsError as error:
        raise there from error
    except OSError:  # a file system without second names
        source.rename(destination)
        return
    source.unlink()


def remove_made(files: dict[str, str]) -> list[str]:
    """Delete files that a step made; returns those left because somebody changed them since."""
    left: list[str] = []
    folders: set[Path] = set()
    for name, digest in files.items():
        path = Path(name)
        if not os.path.lexists(path):
            continue
        if path.is_symlink() or not path.is_file() or digest_of(path) != digest:
            left.append(name)
            continue
        path.unlink()
        folders.add(path.parent)
    for folder in folders:
        sync_folder(folder)
    return left


def remove_empty(moves: tuple[Move, ...], made: tuple[str, ...] = ()) -> None:
    """Remove folders that a step moved into place, or made, and that are empty now."""
    for move in moves:
        top = Path(move.destination)
        if top.is_symlink() or not top.is_dir():
            continue
        for root, _, _ in os.walk(top, topdown=False):
            try:
                Path(root).rmdir()
            except OSError:  # not empty: somebody else's files are in it
                pass
    for folder in made:
        try:
            Path(folder).rmdir()
        except OSError:
            break


def remove_folder(folder: str) -> None:
    """Remove a staging folder and all in it; links inside are not followed."""
    if folder and Path(folder).name.startswith(STAGING):
        shutil.rmtree(folder, ignore_errors=True)
