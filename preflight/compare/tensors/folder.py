"""Finds the tensors in a folder: array files, raw files with a description, dump files."""

from __future__ import annotations

import csv
import io
import math
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path, PurePath
from typing import TypeVar

import msgspec
from msgspec import Struct, field
from msgspec.structs import replace

from preflight.compare.tensors.acl_dump import read_dump
from preflight.compare.tensors.decode import element_type
from preflight.compare.tensors.measure import Stored
from preflight.compare.tensors.names import DumpName, flat_name, parse_array_name, parse_dump_name
from preflight.compare.tensors.npy import is_npy, read_npy_header
from preflight.container.source import FileSource, Source
from preflight.errors import MalformedInput, PreflightError, UnreadableInput
from preflight.model.manifest import TensorInfo

_T = TypeVar("_T")

_MAX_FILES = 1_000_000
_MAX_TEXT = 16 << 20
_INDEXED = re.compile(r".*_(\d{1,6})")
_SIDE_FILES = (".json", ".csv", ".txt", ".log", ".xlsx", ".md", ".html")
_OVERFLOW = "Opdebug.Node_OpDebug."
SHARED_DESCRIPTION = "tensors.json"


class BinDescription(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The JSON beside a .bin file: `x.bin.json`, `x.json`, or an entry of tensors.json."""

    dtype: str
    shape: tuple[int, ...]
    op_name: str = ""
    op_type: str = ""
    side: str = "output"
    index: int = 0
    byte_order: str = "little"


class FoundTensor(Struct, frozen=True):
    """One tensor in a folder; `key` (operator, side, index, occurrence) pairs it with another."""

    path: Path
    label: str  # path below the folder, for people
    op: str
    op_type: str
    side: str
    index: int
    dtype: str
    shape: tuple[int, ...] | None
    offset: int
    size: int
    task: int | None = None
    stamp: int = 0
    big_endian: bool = False
    fortran_order: bool = False
    origin: tuple[str, int] | None = None  # the source node whose output this is
    key: tuple[str, str, int, int] = ("", "", 0, 0)

    def stored(self, source: Source) -> Stored | None:
        """How to read it; None when the data type has no known width."""
        kind = element_type(self.dtype)
        if kind is None:
            return None
        return Stored(source, self.offset, self.size // kind.width, kind, self.big_endian)


class Folder(Struct):
    """All tensors of a folder, what could not be read, and how many other files there are."""

    root: Path
    tensors: list[FoundTensor] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    ignored: int = 0


def read_folder(root: Path, outputs: Sequence[TensorInfo] = ()) -> Folder:
    """Look at every file below `root`; no tensor data is read.

    `outputs` describe raw files of network outputs that have no description of their own. Raises
    UnreadableInput when there is no such folder.
    """
    if not root.is_dir():
        raise UnreadableInput(f"{root} is not a folder")
    folder = Folder(root)
    for directory, names in _walk(root):
        _Directory(folder, directory, names, outputs).read()
    _assign_keys(folder)
    return folder


def _walk(root: Path) -> Iterator[tuple[Path, list[str]]]:
    seen = 0
    for directory, below, names in os.walk(root, followlinks=False):
        below.sort()
        seen += len(names)
        if seen > _MAX_FILES:
            raise MalformedInput(f"{root} holds more than {_MAX_FILES} files")
        yield Path(directory), sorted(names)


def _assign_keys(folder: Folder) -> None:
    """Number tensors of the same operator, side and index in the order they were written."""
    folder.tensors.sort(key=lambda t: (flat_name(t.op), t.side, t.index, t.stamp, t.label))
    previous, occurrence = ("", "", -1), 0
    for place, tensor in enumerate(folder.tensors):
        name = (flat_name(tensor.op), tensor.side, tensor.index)
        occurrence = occurrence + 1 if name == previous else 0
        previous = name
        folder.tensors[place] = replace(tensor, key=(*name, occurrence))


class _Directory:
    def __init__(
        self, folder: Folder, path: Path, names: list[str], outputs: Sequence[TensorInfo]
    ) -> None:
        self._folder, self._path, self._names = folder, path, names
        self._outputs = outputs
        self._full_names = self._mapping() if "mapping.csv" in names else {}
        self._shared = self._descriptions() if SHARED_DESCRIPTION in names else {}

    def read(self) -> None:
        for name in self._names:
            path = self._path / name
            if path.is_symlink() and not path.resolve().is_relative_to(self._folder.root.resolve()):
                self._folder.ignored += 1
                continue
            try:
                self._file(path, name)
            except PreflightError as error:
                self._folder.problems.append(f"{self._label(path)}: {error.message}")

    def _label(self, path: Path) -> str:
        return path.relative_to(self._folder.root).as_posix()

    def _file(self, path: Path, name: str) -> None:
        lower = name.lower()
        if lower.endswith(".npy"):
            with FileSource(path) as source:
                self._array(path, source)
        elif lower.endswith(".bin"):
            self._raw(path)
        elif name.startswith(_OVERFLOW) or lower.endswith(_SIDE_FILES):
            self._folder.ignored += 1
        elif parse_dump_name(self._full_names.get(name, name)) or name in self._full_names:
            with FileSource(path) as source:
                self._dump(path, source)
        else:
            self._folder.ignored += 1

    def _array(self, path: Path, source: Source) -> None:
        if not is_npy(source):
            raise MalformedInput("is no array file although its name says so")
        header = read_npy_header(source)
        size = math.prod(header.shape) * header.kind.width
        if header.offset + size != source.size:
            raise MalformedInput(
                f"needs {header.offset + size} bytes by its header, has {source.size}"
            )
        name = self._array_name(path)
        self._add(
            path,
            name,
            header.kind.name,
            header.shape,
            header.offset,
            size,
            big_endian=header.big_endian,
            fortran_order=header.fortran_order and len(header.shape) > 1,
        )

    def _array_name(self, path: Path) -> DumpName:
        stem = path.name[: -len(path.suffix)]
        found = parse_array_name(self._full_names.get(stem, stem))
        full = self._full_names.get(found.op)
        if full is not None and (inner := parse_dump_name(full)) is not None:
            return replace(inner, side=found.side, index=found.index)
        return found

    def _raw(self, path: Path) -> None:
        description = self._description(path)
        kind = element_type(description.dtype)
        if kind is None:
            raise MalformedInput(f"data type '{description.dtype}' is not known")
        size = kind.size_of(math.prod(description.shape))
        actual = path.stat().st_size
        if size != actual or any(d < 0 for d in description.shape):
            raise MalformedInput(f"needs {size} bytes by its description, has {actual}")
        name = self._array_name(path)
        if description.op_name:
            name = DumpName(
                description.op_name, description.op_type, description.side, description.index
            )
        big = description.byte_order == "big"
        self._add(path, name, kind.name, description.shape, 0, size, big_endian=big)

    def _description(self, path: Path) -> BinDescription:
        if path.name in self._shared:
            return self._shared[path.name]
        for beside in (path.with_name(path.name + ".json"), path.with_suffix(".json")):
            if beside.name in self._names:
                return _decode(beside, BinDescription)
        if (match := _INDEXED.fullmatch(path.stem)) and int(match[1]) < len(self._outputs):
            output = self._outputs[int(match[1])]
            if output.shape is not None and all(d >= 0 for d in output.shape):
                return BinDescription(output.dtype, output.shape)
        raise MalformedInput(
            f'has no description; put {{"dtype": "float16", "shape": [1, 3]}} into {path.name}.json'
        )

    def _dump(self, path: Path, source: Source) -> None:
        dump = read_dump(source)
        name = parse_dump_name(self._full_names.get(path.name, path.name)) or DumpName("")
        op = dump.op_name or name.op
        for tensor in dump.tensors:
            place = replace(name, op=op, side=tensor.side, index=tensor.index)
            where = tensor.offset, tensor.size
            self._add(path, place, tensor.dtype, tensor.shape or None, *where, origin=tensor.origin)

    def _add(
        self,
        path: Path,
        name: DumpName,
        dtype: str,
        shape: tuple[int, ...] | None,
        offset: int,
        size: int,
        *,
        big_endian: bool = False,
        fortran_order: bool = False,
        origin: tuple[str, int] | None = None,
    ) -> None:
        label = self._label(path)
        self._folder.tensors.append(
            FoundTensor(
                path,
                label,
                name.op or PurePath(label).with_suffix("").as_posix(),
                name.op_type,
                name.side or "output",
                name.index,
                dtype,
                shape,
                offset,
                size,
                name.task,
                name.stamp,
                big_endian,
                fortran_order,
                origin,
            )
        )

    def _mapping(self) -> Mapping[str, str]:
        """mapping.csv: hash, full name (or new name, old name)."""
        text = _text(self._path / "mapping.csv")
        rows = csv.reader(io.StringIO(text))
        try:
            return {row[0].strip(): row[1].strip() for row in rows if len(row) >= 2}
        except csv.Error as error:
            self._folder.problems.append(f"{self._label(self._path / 'mapping.csv')}: {error}")
            return {}

    def _descriptions(self) -> Mapping[str, BinDescription]:
        path = self._path / SHARED_DESCRIPTION
        try:
            return _decode(path, dict[str, BinDescription])
        except PreflightError as error:
            self._folder.problems.append(f"{self._label(path)}: {error.message}")
            return {}


def _text(path: Path) -> str:
    with FileSource(path) as source:
        if source.size > _MAX_TEXT:
            raise MalformedInput(f"{path.name} is larger than {_MAX_TEXT} bytes")
        return source.read(0, source.size).decode("utf-8", "replace")


def _decode(path: Path, kind: type[_T]) -> _T:
    try:
        return msgspec.json.decode(_text(path), type=kind)
    except (msgspec.DecodeError, RecursionError) as error:
        raise MalformedInput(f"{path.name}: {error}") from error
