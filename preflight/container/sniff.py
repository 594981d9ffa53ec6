"""Names a file that is no model for what it is, with what to do about it."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable

from msgspec import Struct

from preflight.container.header import HEADER_SIZE, MAGIC_BYTES
from preflight.container.source import Source
from preflight.container.wire import LENGTH, VARINT, looks_like

HEAD = 4096  # bytes that are looked at
TEXT_HEAD = 65_536  # bytes of a text graph that are looked at
RANDOM_ENTROPY = 7.2  # bits per byte in 4096 bytes; plain weights and code stay below

COPY_AGAIN = "copy or download the file again and compare its size with the original"


class Guess(Struct, frozen=True):
    """`what` in words for people, `advice` as something to do."""

    what: str
    advice: str


_ARCHIVES: tuple[tuple[bytes, str, str], ...] = (
    (b"\x1f\x8b", "gzip archive", "gunzip it"),
    (b"BZh", "bzip2 archive", "bunzip2 it"),
    (b"\xfd7zXZ\0", "xz archive", "unxz it"),
    (b"7z\xbc\xaf\x27\x1c", "7-Zip archive", "unpack it with 7z"),
    (b"Rar!", "RAR archive", "unpack it"),
    (b"\x28\xb5\x2f\xfd", "zstd archive", "unzstd it"),
)
_MAGICS: tuple[tuple[bytes, str, str], ...] = (
    (b"PICO", "PICO model of a camera chip (Hi35xx)", "check it with that chip's own tools"),
    (b"\x7fELF", "ELF program or library", "name the .om file instead"),
    (b"\x89HDF\r\n", "HDF5 file (Keras weights?)", "export to ONNX and compile it with atc"),
    (b"TFL3", "TensorFlow Lite model", "convert the original model with atc"),
    (b"MZ", "Windows program", "name the .om file instead"),
    (b"DOMI", "OM with its magic in the wrong byte order", COPY_AGAIN),
)
_ONNX_FIELDS = dict.fromkeys((1, 5), VARINT) | dict.fromkeys((2, 3, 4, 6, 7, 8, 14, 20, 25), LENGTH)
_TF_FIELDS = dict.fromkeys((1, 2, 4), LENGTH) | {3: VARINT}
_LFS = re.compile(rb"version https://git-lfs\.github\.com/spec/")
_LFS_SIZE = re.compile(rb"^size (\d{1,19})$", re.MULTILINE)
_HTML = re.compile(rb"^\s*(<!doctype html|<html|<\?xml)", re.IGNORECASE)
_RECORD_LINE = re.compile(rb"\s*(?:#.*|\[\w+\]|[\w-]+[=<>].*|[\w -]+ : .*)?")
_RECORD_KEY = re.compile(rb"^\s*[\w -]*(?:version|install|username)[\w -]* ?[=:]", re.M | re.I)
_PATH = re.compile(r"[^\0-\x1f]{1,1024}")


def guess(source: Source) -> Guess:
    """What a file without a model inside is; never raises for content."""
    if source.size == 0:
        return Guess("empty file", COPY_AGAIN)
    head = source.read(0, min(HEAD, source.size))
    for look in _LOOKS:
        found = look(head, source)
        if found is not None:
            return found
    return _unknown(head)


def _header_cut(head: bytes, source: Source) -> Guess | None:
    if not head.startswith(MAGIC_BYTES[: source.size]):
        return None
    if source.size >= HEADER_SIZE or source.size < 2:
        return None
    return Guess(f"OM cut short: {source.size} of 256 header bytes", COPY_AGAIN)


def _git_lfs(head: bytes, source: Source) -> Guess | None:
    if not _LFS.match(head):
        return None
    size = _LFS_SIZE.search(head)
    text = f" for a file of {size.group(1).decode()} bytes" if size else ""
    return Guess(f"Git LFS pointer{text}", "git lfs pull")


def _web_page(head: bytes, source: Source) -> Guess | None:
    if not _HTML.match(head):
        return None
    return Guess(
        "web page (HTML or XML)",
        "the download gave a page, often a login or an error; fetch the file itself",
    )


def _link_text(head: bytes, source: Source) -> Guess | None:
    """The target of a symbolic link, as a checkout without links or an archive leaves it."""
    if source.size > 1024:
        return None
    try:
        text = head.decode("utf-8").rstrip("\r\n")
    except UnicodeDecodeError:
        return None
    if not _PATH.fullmatch(text) or not (text.endswith(".om") or text.startswith(("/", "../"))):
        return None
    return Guess(
        f"text of a symbolic link to '{text}'", "fetch the file that the link names and use that"
    )


def _version_file(head: bytes, source: Source) -> Guess | None:
    """What installers leave beside CANN: version.info, version.cfg, install records."""
    lines = head.splitlines()[:20]
    if not _RECORD_KEY.search(head) or not all(map(_RECORD_LINE.fullmatch, lines)):
        return None
    return Guess(
        "key=value text, like the version files and install records of CANN",
        "name the folder of the installation: preflight target show DIR",
    )


def _archive(head: bytes, source: Source) -> Guess | None:
    for magic, what, advice in _ARCHIVES:
        if head.startswith(magic):
            return Guess(what, f"{advice}; the model is inside")
    if head[257:262] == b"ustar":
        return Guess("tar archive", "unpack it with tar xf; the model is inside")
    if head.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        return Guess("ZIP archive without an OM2 model", "unpack it; the model may be inside")
    return None


def _known_magic(head: bytes, source: Source) -> Guess | None:
    for magic, what, advice in _MAGICS:
        if head.startswith(magic) or head[4:8] == magic == b"TFL3":
            return Guess(what, advice)
    return None


def _zeros(head: bytes, source: Source) -> Guess | None:
    if any(head):
        return None
    return Guess("zero bytes only, at least at the start", COPY_AGAIN)


def _other_protobuf(head: bytes, source: Source) -> Guess | None:
    if head[0] == 0x08 and looks_like(source, _ONNX_FIELDS, {1, 7}):
        return Guess("ONNX model", "compile it with atc --framework=5, then check the OM")
    if head[0] == 0x0A and looks_like(source, _TF_FIELDS, {1}):
        return Guess(
            "protobuf message, perhaps a TensorFlow graph",
            "compile it with atc --framework=3, then check the OM",
        )
    return None


def _text(head: bytes, source: Source) -> Guess | None:
    try:
        text = head.decode("utf-8")
    except UnicodeDecodeError as error:
        if error.start < len(head) - 3 or source.size <= HEAD:
            return None
        text = head[: error.start].decode("utf-8")
    if any(c < " " and c not in "\t\r\n\f" for c in text):
        return None
    if text.lstrip()[:1] in ("{", "["):
        return Guess("JSON text", "name the .om file; JSON made from an OM cannot be loaded")
    return Guess("text file", "name the .om file")


_LOOKS: tuple[Callable[[bytes, Source], Guess | None], ...] = (
    _header_cut,
    _git_lfs,
    _web_page,
    _link_text,
    _version_file,
    _archive,
    _known_magic,
    _zeros,
    _other_protobuf,
    _text,
)


def _unknown(head: bytes) -> Guess:
    first = head[:8].hex(" ")
    if len(head) >= 1024 and _entropy(head) > RANDOM_ENTROPY:
        return Guess(
            f"no OM magic and random-looking bytes ({first} …): encrypted or compressed",
            "decrypt or unpack it with the tool that made it; the loader cannot read it as it is",
        )
    return Guess(
        f"no known model format (first bytes {first})",
        "make sure this is the .om that atc wrote; the loader refuses it",
    )


def _entropy(data: bytes) -> float:
    """Bits per byte."""
    total = len(data)
    return -sum(n / total * math.log2(n / total) for n in Counter(data).values())


_GRAPH_LINE = re.compile(r"^(graph|node|op) \{|^(ir_version|name|version|attr)\b", re.MULTILINE)


def text_graph_format(source: Source) -> str:
    """ "ge_proto" or "ge_onnx" for the text dumps of Graph Engine, empty for anything else."""
    head = source.read(0, min(TEXT_HEAD, source.size)).decode("utf-8", "ignore")
    if not _GRAPH_LINE.match(head.lstrip()):
        return ""
    graph = re.search(r"^graph \{", head, re.MULTILINE)
    if graph is None:
        return ""
    if re.search(r"^ir_version:", head, re.MULTILINE):
        return "ge_onnx"
    body = head[graph.end() :]
    return "ge_proto" if re.search(r"^  (op \{|name:|input:|output:|attr \{)", body, re.M) else ""
