"""Bounded byte sources: a file, bytes in memory, a part of another source, a remote object.

Every source has `size` and `read(offset, length)`; a read that does not fit raises MalformedInput
before anything is allocated, so a length taken from a file can never cost memory.
"""

from __future__ import annotations

import errno
import importlib
import os
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from preflight.errors import MalformedInput, UnreadableInput

CHUNK = 1 << 20  # bytes; how much `search` style loops take at a time


class Source(Protocol):
    """Random access to a fixed number of bytes."""

    name: str

    @property
    def size(self) -> int:
        """Bytes."""

    def read(self, offset: int, length: int) -> bytes:
        """Exactly `length` bytes from `offset`; MalformedInput when they are not there."""


def check_range(name: str, size: int, offset: int, length: int) -> None:
    """Raise MalformedInput unless [offset, offset + length) lies in a source of `size` bytes."""
    if offset < 0 or length < 0 or offset + length > size:
        raise MalformedInput(
            f"{name}: {length} bytes at offset {offset} do not fit into {size} bytes",
            hint="the file is cut short or its tables are damaged; copy it again or rebuild it",
        )


class BytesSource:
    """Bytes that are already in memory."""

    def __init__(self, data: bytes | bytearray | memoryview, name: str = "<bytes>") -> None:
        self.name = name
        self._data = memoryview(data).cast("B")

    @property
    def size(self) -> int:
        return len(self._data)

    def read(self, offset: int, length: int) -> bytes:
        check_range(self.name, self.size, offset, length)
        return bytes(self._data[offset : offset + length])


class FileSource:
    """A regular file, read by position; `bytes_read` counts what was really fetched.

    The file is opened once and its size taken from the open descriptor, so that a file which is
    replaced meanwhile cannot disagree with itself. A file that shrinks gives MalformedInput.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._descriptor = -1  # first of all: the destructor looks at it
        self.path = Path(path)
        self.name = str(path)
        self.bytes_read = 0
        self._descriptor = _open(self.path)
        try:
            self._size = _regular_size(self._descriptor, self.name)
        except UnreadableInput:
            self.close()
            raise

    @property
    def size(self) -> int:
        return self._size

    def read(self, offset: int, length: int) -> bytes:
        check_range(self.name, self._size, offset, length)
        data = _pread(self._descriptor, offset, length, self.name)
        self.bytes_read += len(data)
        return data

    def close(self) -> None:
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1

    def __enter__(self) -> FileSource:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def __del__(self) -> None:
        self.close()


class SubSource:
    """A part of another source, numbered from 0 (a nested OM, one partition)."""

    def __init__(self, parent: Source, offset: int, size: int, name: str = "") -> None:
        check_range(parent.name, parent.size, offset, size)
        self.name = name or f"{parent.name}[{offset}:{offset + size}]"
        self.parent = parent
        self.offset = offset
        self._size = size

    @property
    def size(self) -> int:
        return self._size

    def read(self, offset: int, length: int) -> bytes:
        check_range(self.name, self._size, offset, length)
        return self.parent.read(self.offset + offset, length)


class RangeSource:
    """An object that can be fetched by range: `fetch(offset, length)` returns those bytes."""

    def __init__(self, name: str, size: int, fetch: Callable[[int, int], bytes]) -> None:
        self.name = name
        self.bytes_read = 0
        self._size = size
        self._fetch = fetch

    @property
    def size(self) -> int:
        return self._size

    def read(self, offset: int, length: int) -> bytes:
        check_range(self.name, self._size, offset, length)
        if length == 0:
            return b""
        try:
            data = self._fetch(offset, length)
        except OSError as error:
            raise UnreadableInput(f"{self.name}: cannot be read: {error}") from error
        self.bytes_read += len(data)
        if len(data) != length:
            raise MalformedInput(f"{self.name}: {len(data)} of {length} bytes at {offset} arrived")
        return data


def open_source(what: str | os.PathLike[str] | bytes | bytearray | memoryview | Source) -> Source:
    """A source over a path, a URL (needs the `remote` extra), bytes, or a source itself."""
    if isinstance(what, bytes | bytearray | memoryview):
        return BytesSource(what)
    if isinstance(what, str) and "://" in what:
        return _open_remote(what)
    if isinstance(what, str | os.PathLike):
        return FileSource(what)
    return what


def _open_remote(url: str) -> Source:
    try:
        fsspec = importlib.import_module("fsspec")  # optional extra, only paid for by a URL
    except ImportError as error:
        raise UnreadableInput(
            f"{url}: reading from a remote store needs fsspec",
            hint="pip install 'om-preflight[remote]'",
        ) from error
    try:
        filesystem, path = fsspec.core.url_to_fs(url)
        size = int(filesystem.size(path))
    except (OSError, ValueError, ImportError, TypeError) as error:
        raise UnreadableInput(f"{url}: cannot be opened: {error}") from error

    def fetch(offset: int, length: int) -> bytes:
        return bytes(filesystem.cat_file(path, start=offset, end=offset + length))

    return RangeSource(url, size, fetch)


def _open(path: Path) -> int:
    """Open for reading; the words say which step of the loader fails (file.path, file.open)."""
    flags = os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0)
    try:
        # O_NONBLOCK: a named pipe must be refused, not waited for.
        return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))
    except ValueError as error:
        raise UnreadableInput(f"{path!r}: is not a usable path: {error}") from error
    except OSError as error:
        raise UnreadableInput(
            f"{path}: {_reason(path, error)}", hint=_HINTS.get(error.errno or 0, "")
        ) from error


_HINTS = {
    errno.ENOENT: "check the path; the loader reports 145002 for it",
    errno.EACCES: "give the user who loads the model read permission; the loader reports 145002",
    errno.ELOOP: "the symbolic link leads to itself; point it to the model",
}


def _reason(path: Path, error: OSError) -> str:
    if error.errno == errno.ENOENT and str(path) == "-":
        return "standard input cannot be read by position; save the model to a file first"
    if error.errno == errno.ENOENT and path.is_symlink():
        return f"is a symbolic link to '{path.readlink()}', which does not exist"
    return f"cannot be opened: {error.strerror or error}"


def _regular_size(descriptor: int, name: str) -> int:
    status = os.fstat(descriptor)
    if stat.S_ISDIR(status.st_mode):
        raise UnreadableInput(
            f"{name}: is a directory, not a model file", hint="name the .om inside"
        )
    if not stat.S_ISREG(status.st_mode):
        raise UnreadableInput(
            f"{name}: is not a regular file",
            hint="pipes and devices cannot be read by position; copy the model to a file",
        )
    return status.st_size


def _pread(descriptor: int, offset: int, length: int, name: str) -> bytes:
    parts: list[bytes] = []
    missing = length
    while missing:
        try:
            part = _read_at(descriptor, min(missing, 1 << 30), offset)
        except OSError as error:
            raise UnreadableInput(f"{name}: cannot be read: {error.strerror or error}") from error
        if not part:
            raise MalformedInput(f"{name}: ended at {offset} while it was being read")
        parts.append(part)
        offset += len(part)
        missing -= len(part)
    return parts[0] if len(parts) == 1 else b"".join(parts)


def _read_at(descriptor: int, length: int, offset: int) -> bytes:
    if hasattr(os, "pread"):
        return os.pread(descriptor, length, offset)
    os.lseek(descriptor, offset, os.SEEK_SET)
    return os.read(descriptor, length)
