"""OM2 packages: a ZIP archive with host program, kernels and constants (spec/om-format.md §B).

Entries are read one by one, each with a cap; nothing is unpacked to disk. The archive rules are the
loader's: no duplicates, stored entries of equal sizes that lie inside the file, at most 10 GiB of
uncompressed bytes in compressed entries.
"""

from __future__ import annotations

import json
import struct
import zipfile
import zlib

from msgspec import Struct

from preflight.container.dynamic import exported
from preflight.container.elf import ELF_HEAD, elf_machine
from preflight.container.source import Source, check_range
from preflight.container.types import Container, ContainerKind, Fault, Note
from preflight.errors import MalformedInput

ZIP_MAGIC = b"PK\x03\x04"
MAX_DIRECTORY = 16 << 20  # bytes of the central directory
MAX_ENTRIES = 100_000
MAX_JSON = 64 << 20  # bytes of one JSON entry, uncompressed
MAX_VALUES = 4_000_000  # values in one JSON entry: small ones take far more memory than bytes
MAX_UNCOMPRESSED = 10 << 30  # the loader's limit over all compressed entries
MAX_LIBRARY = 64 << 20  # bytes of the host program, uncompressed
META = "model_meta.json"
CONSTANTS = "_constants_config.json"
MANIFEST = "manifest.json"
# What the loader looks up in the host program (loadchecks om2.symbols).
ENTRY_POINTS = (
    "Om2ModelCreate", "Om2ModelLoad", "Om2ModelDestroy", "Om2ModelRun", "Om2ModelRunAsync",
)  # fmt: skip
_ZIP_ERRORS = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    EOFError,
    NotImplementedError,  # compression methods this build lacks
    RuntimeError,  # encrypted entries
    ValueError,
    OverflowError,
)


class Om2Entry(Struct, frozen=True):
    """One file of the package; `machine` is the ELF machine of a library, empty otherwise."""

    name: str
    size: int
    compressed_size: int
    stored: bool
    machine: str = ""


class _Reader:
    """A seekable file over a source, as zipfile wants it; single reads are capped."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._at = 0

    def read(self, size: int = -1) -> bytes:
        left = max(self._source.size - self._at, 0)
        size = left if size is None or size < 0 else min(size, left)
        if size > MAX_DIRECTORY:
            raise MalformedInput(f"{self._source.name}: a central directory of {size} bytes")
        data = self._source.read(self._at, size)
        self._at += size
        return data

    def seek(self, offset: int, whence: int = 0) -> int:
        base = {0: 0, 1: self._at, 2: self._source.size}[whence]
        if base + offset < 0:
            raise ValueError("seek before the start")
        self._at = base + offset
        return self._at

    def tell(self) -> int:
        return self._at

    def seekable(self) -> bool:
        return True

    def close(self) -> None:
        """The source belongs to the caller."""


class Package:
    """An open package: its entries, and the bytes of single ones."""

    def __init__(self, source: Source) -> None:
        """Reads the central directory; MalformedInput when it is none."""
        self.name = source.name
        self.source = source
        try:
            self._zip = zipfile.ZipFile(_Reader(source))
            self.infos: list[zipfile.ZipInfo] = self._zip.infolist()
        except _ZIP_ERRORS as error:
            raise MalformedInput(f"{self.name}: not a readable ZIP archive: {error}") from error
        if len(self.infos) > MAX_ENTRIES:
            raise MalformedInput(f"{self.name}: {len(self.infos)} entries in one archive")

    def files(self) -> list[zipfile.ZipInfo]:
        """Entries that are no folders, in the order of the directory."""
        return [i for i in self.infos if i.filename and not i.filename.endswith("/")]

    def read(self, name: str, limit: int = MAX_JSON) -> bytes:
        """All bytes of an entry; MalformedInput when absent, damaged or longer than `limit`."""
        data = self.head(name, limit + 1)
        if len(data) > limit:
            raise MalformedInput(f"{self.name}: {name} has more than {limit} bytes")
        return data

    def head(self, name: str, length: int) -> bytes:
        """The first bytes of an entry (fewer when it is shorter)."""
        try:
            with self._zip.open(name) as entry:
                return entry.read(length)
        except KeyError as error:
            raise MalformedInput(f"{self.name}: no entry {name}") from error
        except _ZIP_ERRORS as error:
            raise MalformedInput(f"{self.name}: {name} cannot be read: {error}") from error

    def json(self, name: str) -> object:
        """A JSON entry; MalformedInput when it is empty or no JSON."""
        data = self.read(name)
        if sum(map(data.count, (b",", b"[", b"{"))) > MAX_VALUES:
            raise MalformedInput(f"{self.name}: {name} has more than {MAX_VALUES} values")
        try:
            return json.loads(data)
        except (ValueError, RecursionError) as error:
            raise MalformedInput(f"{self.name}: {name} is not valid JSON: {error}") from error


def is_package(package: Package) -> bool:
    """Whether an archive is an OM2 package and not any other ZIP file."""
    names = [i.filename for i in package.infos]
    return any(n.endswith(META) or n.startswith("data/model_0/") for n in names)


def read_om2(package: Package) -> Container:
    """The container of a package.

    `details`: `entries` (tuple of Om2Entry), `model_meta`, `manifest`, `constants` (decoded JSON or
    None; the loader never reads the manifest), `libraries` (names of the host programs).
    """
    faults = archive_faults(package)
    notes: list[Note] = []
    documents: dict[str, object] = {"model_meta": None, "manifest": None, "constants": None}
    files = [i.filename for i in package.files()]
    for key, ending in (("model_meta", META), ("constants", CONSTANTS), ("manifest", MANIFEST)):
        name = next((f for f in files if f.endswith(ending)), None)
        if name is None:
            continue
        try:
            documents[key] = package.json(name)
        except MalformedInput as error:
            if key == "manifest":
                notes.append(Note("om2.manifest", f"{error.message}; the loader never reads it"))
            else:
                faults.append(Fault("om2.empty_entry", error.message, (502, 0)))
    faults += _empty_entries(package)
    libraries = tuple(f for f in files if f.endswith(".so") and "/runtime/" in f"/{f}")
    program = _program(documents["model_meta"], files)
    faults += _meta_faults(documents["model_meta"], program)
    faults += _program_faults(package, program)
    faults += _constant_faults(documents["constants"])
    return Container(
        ContainerKind.OM2,
        "OM2 package",
        package.source.size,
        faults=tuple(sorted(faults, key=lambda f: f.position)),
        notes=tuple(notes),
        details={"entries": _entries(package), "libraries": libraries} | documents,
    )


def archive_faults(package: Package) -> list[Fault]:
    """om2.zip: what makes the loader refuse the archive as such."""
    seen: set[str] = set()
    total = 0
    for info in package.files():
        text = ""
        if info.filename in seen:
            text = f"entry {info.filename} occurs twice"
        elif info.compress_type == zipfile.ZIP_STORED:
            text = _stored_problem(package.source, info)
        else:
            total += info.file_size
            if total > MAX_UNCOMPRESSED:
                text = "compressed entries unpack to more than 10 GiB"
        if text:
            return [Fault("om2.zip", text, (501, 0), data={"entry": info.filename})]
        seen.add(info.filename)
    return []


def _stored_problem(source: Source, info: zipfile.ZipInfo) -> str:
    """Why a stored entry cannot be used in place; empty when it can."""
    if info.compress_size != info.file_size:
        return f"stored entry {info.filename} has two sizes"
    try:
        local = source.read(info.header_offset, 30)
        start = info.header_offset + 30 + sum(struct.unpack("<HH", local[26:30]))
        check_range(source.name, source.size, start, info.file_size)
    except MalformedInput:
        return f"stored entry {info.filename} leaves the file"
    return "" if local.startswith(ZIP_MAGIC) else f"entry {info.filename} has no local header"


def _empty_entries(package: Package) -> list[Fault]:
    """Kernels and constants of zero bytes, which the loader refuses."""
    for info in package.files():
        name = info.filename
        needed = name.endswith(".o") or name.rsplit("/", 1)[-1].startswith("constant_")
        if needed and info.file_size == 0:
            return [Fault("om2.empty_entry", f"{name} is empty", (502, 1), data={"entry": name})]
    return []


def _program(meta: object, files: list[str]) -> str:
    """The library that the loader opens: of all entries the last one named after the model."""
    name = meta.get("name") if isinstance(meta, dict) else None
    ending = f"lib{name}_om2.so"
    return next((f for f in reversed(files) if f.endswith(ending)), "")


def _program_faults(package: Package, program: str) -> list[Fault]:
    """om2.dlopen and om2.symbols: can the library be opened, and has it what is called?

    What is no ELF file at all is left to the rule that compares its machine with the host.
    """
    if not program:
        return []
    try:
        library = package.head(program, MAX_LIBRARY + 1)
    except MalformedInput as error:
        return [Fault("om2.empty_entry", error.message, (502, 2), data={"entry": program})]
    if len(library) > MAX_LIBRARY:
        text = f"{program} has more than {MAX_LIBRARY} bytes"
        return [Fault("cap.library", text, (505, 0), data={"entry": program})]
    if not library:
        return [Fault("om2.empty_entry", f"{program} is empty", (502, 2), data={"entry": program})]
    if not elf_machine(library[:ELF_HEAD]):
        return []
    try:
        given = exported(library, ENTRY_POINTS)
    except MalformedInput as error:
        text = f"{program} cannot be opened as a library: {error.message}"
        return [Fault("om2.dlopen", text, (505, 0), data={"entry": program})]
    missing = [name for name in ENTRY_POINTS if name not in given]
    if missing:
        text = f"{program} does not export {', '.join(missing)}"
        return [Fault("om2.symbols", text, (506, 0), data={"entry": program})]
    return []


def _meta_faults(meta: object, program: str) -> list[Fault]:
    """om2.meta and om2.zero_copy, from model_meta.json and the name of the host program."""
    if not isinstance(meta, dict):
        return [Fault("om2.meta", f"{META} is missing or no object", (503, 0))]
    if not isinstance(meta.get("name"), str) or not meta["name"]:
        return [Fault("om2.meta", f"{META} has no model name", (503, 1))]
    for key in ("inputs", "outputs"):
        tensors = meta.get(key)
        if not isinstance(tensors, list) or not all(isinstance(t, dict) for t in tensors):
            return [Fault("om2.meta", f"{META} has no list {key}", (503, 2))]
        if key == "inputs" and not all("shape_v2" in t for t in tensors):
            return [Fault("om2.meta", f"an input in {META} has no shape_v2", (503, 3))]
    if not program:
        text = f"no host program lib{meta['name']}_om2.so in the package"
        return [Fault("om2.meta", text, (503, 4))]
    work, zero = meta.get("work_size"), meta.get("zero_copy_size")
    if isinstance(work, int) and isinstance(zero, int) and zero > work:
        text = f"zero_copy_size {zero} is larger than work_size {work}"
        return [Fault("om2.zero_copy", text, (504, 0), data={"work": work, "zero_copy": zero})]
    return []


def _constant_faults(constants: object) -> list[Fault]:
    """om2.consts, by the loader's rules on the constants' description (loadchecks om2.consts)."""
    if not isinstance(constants, dict) or not isinstance(constants.get("consts"), dict):
        return []
    weights = constants.get("internal_weight_size", 0)
    for key, item in constants["consts"].items():
        problem = _constant_problem(item, weights if isinstance(weights, int) else 0)
        if problem:
            return [Fault("om2.consts", f"constant {key}: {problem}", (507, 0))]
    return []


def _constant_problem(item: object, weights: int) -> str:
    if not isinstance(item, dict):
        return "no object"
    kind, offset, size = item.get("type"), item.get("offset"), item.get("size")
    if kind not in ("INTERNAL", "COMBINED", "INDIVIDUAL"):
        return f"unknown type {kind!r}"
    if not isinstance(offset, int) or not isinstance(size, int) or "index" not in item:
        return "index, offset or size is missing"
    if kind != "INTERNAL":
        return "" if item.get("file_name") else f"{kind} without file_name"
    return "" if offset + size <= weights else f"ends behind internal_weight_size {weights}"


def _entries(package: Package) -> tuple[Om2Entry, ...]:
    return tuple(
        Om2Entry(
            info.filename,
            info.file_size,
            info.compress_size,
            info.compress_type == zipfile.ZIP_STORED,
            _machine(package, info.filename),
        )
        for info in package.files()
    )


def _machine(package: Package, name: str) -> str:
    if not name.endswith(".so"):
        return ""
    try:
        return elf_machine(package.head(name, ELF_HEAD))
    except MalformedInput:
        return ""
