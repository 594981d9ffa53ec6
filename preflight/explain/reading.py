"""Reads logs of any size as blocks of whole lines: files, folders of plog files, gzip, streams.

Memory stays bounded: one block at a time, a cap on what a gzip file may unpack to, a cap on the
number of files of a folder. Nothing outside the folder is followed.
"""

from __future__ import annotations

import codecs
import gzip
import io
import os
import sys
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from msgspec import Struct

from preflight.errors import MalformedInput, UnreadableInput, UsageError
from preflight.explain.lines import clean

BLOCK = 1 << 20  # bytes per block
MAX_UNPACKED = 8 << 30
MAX_FILES = 4096
_LOG_ENDINGS = (".log", ".txt", ".out", ".err", ".gz", ".old")
_BOMS = ((codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))


class Block(Struct, frozen=True):
    """Whole lines of one source; `first_line` counts from 1. `size` is in bytes as read."""

    source: str
    text: str
    first_line: int
    size: int


def expand(names: list[str]) -> list[str]:
    """The files that the names stand for; a folder gives its log files in the order of names."""
    files: list[str] = []
    for name in names:
        if name != "-" and Path(name).is_dir():
            found = [str(p) for p in sorted(_walk(Path(name)))]
            if not found:
                raise UnreadableInput(f"{name}: no log files in this folder")
            if len(found) > MAX_FILES:
                raise UsageError(f"{name}: more than {MAX_FILES} log files; name a smaller folder")
            files += found
        else:
            files.append(name)
    return files


def _walk(folder: Path) -> Iterator[Path]:
    for base, folders, names in os.walk(folder, followlinks=False):
        folders.sort()
        for name in names:
            path = Path(base) / name
            if path.suffix.lower() in _LOG_ENDINGS and path.is_file() and not path.is_symlink():
                yield path


def blocks_of_file(name: str) -> Iterator[Block]:
    """Blocks of one file, or of standard input when the name is "-"."""
    if name == "-":
        yield from blocks_of_stream(sys.stdin.buffer, "-")
        return
    try:
        with Path(name).open("rb") as raw:
            head = raw.read(2)
            raw.seek(0)
            if head == b"\x1f\x8b":
                with gzip.open(raw) as unpacked:
                    yield from blocks_of_stream(unpacked, name, limit=MAX_UNPACKED)
            else:
                yield from blocks_of_stream(raw, name)
    except (OSError, EOFError, zlib.error) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise UnreadableInput(f"{name}: {reason}") from error


def blocks_of_text(text: str, name: str = "text") -> Iterator[Block]:
    """Blocks of a text that is in memory already."""
    yield from blocks_of_stream(io.BytesIO(text.encode("utf-8", "surrogateescape")), name)


def blocks_of_stream(
    stream: BinaryIO | gzip.GzipFile, name: str, *, limit: int | None = None
) -> Iterator[Block]:
    """Blocks of an open binary stream; the encoding is found out line by line where it varies.

    `limit` bounds what a packed file may unpack to; beyond it MalformedInput is raised.
    """
    first = stream.read(BLOCK)
    wide = next((enc for bom, enc in _BOMS if first.startswith(bom)), "")
    decode = codecs.getincrementaldecoder(wide)("replace") if wide else None
    line, rest, chunk, total = 1, b"", first, 0
    carried = ""
    while chunk:
        total += len(chunk)
        following = stream.read(BLOCK)
        if limit is not None and total > limit:
            raise MalformedInput(f"{name}: unpacks to more than {limit >> 30} GiB")
        if decode is not None:
            text, carried = _cut(carried + decode.decode(chunk, final=not following), following)
        else:
            rest, text = _take(rest + chunk, last=not following)
        text = clean(text.removeprefix("\ufeff"))
        if text:
            yield Block(name, text, line, len(chunk))
        line += text.count("\n")
        chunk = following


def _cut(text: str, following: bytes) -> tuple[str, str]:
    if not following:
        return text, ""
    end = text.rfind("\n") + 1
    return text[:end], text[end:]


def _take(data: bytes, *, last: bool) -> tuple[bytes, str]:
    """Whole lines decoded, and the bytes of the unfinished line. A line longer than a block is
    passed on in pieces.
    """
    end = len(data) if last else data.rfind(b"\n") + 1
    if end == 0 and len(data) > 2 * BLOCK:
        end = len(data)
    whole, rest = data[:end], data[end:]
    try:
        return rest, whole.decode("utf-8")
    except UnicodeDecodeError:
        return rest, "".join(_decode_line(part) for part in whole.splitlines(keepends=True))


def _decode_line(line: bytes) -> str:
    for encoding in ("utf-8", "gb18030"):
        try:
            return line.decode(encoding)
        except UnicodeDecodeError:
            continue
    return line.decode("utf-8", "replace")
