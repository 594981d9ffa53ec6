from __future__ import annotations

import io
import random
import tarfile

import pytest

from preflight.container import writer
from preflight.container.read import read_container
from preflight.container.sniff import guess, text_graph_format
from preflight.container.source import BytesSource
from preflight.container.types import ContainerKind
from preflight.container.wire import encode_field
from tests.container.models import PARTS, TEXT_GRAPH

LFS = b"version https://git-lfs.github.com/spec/v1\noid sha256:ab\nsize 52831340\n"
ONNX = (
    encode_field(1, 8) + encode_field(2, b"pytorch") + encode_field(7, b"") + encode_field(8, b"")
)


def tar() -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        archive.addfile(tarfile.TarInfo("m.om"))
    return out.getvalue()


@pytest.mark.parametrize(
    ("data", "what", "advice"),
    [
        (b"", "empty file", "copy or download"),
        (LFS, "Git LFS pointer for a file of 52831340 bytes", "git lfs pull"),
        (b"<!DOCTYPE html><html>login</html>", "web page", "fetch the file itself"),
        (b"\n <html>", "web page", "login"),
        (b"<?xml version='1.0'?><Error/>", "web page", ""),
        (b"/home/x/models/yolov3.om", "symbolic link to '/home/x/models/yolov3.om'", "link"),
        (b"../real/m.om\n", "symbolic link", ""),
        (b"\x1f\x8b\x08" + bytes(99), "gzip archive", "gunzip"),
        (tar(), "tar archive", "unpack"),
        (writer.write_om2({"a": b"b"}), "ZIP archive", "unpack"),
        (writer.write_om([PARTS])[:100], "cut short: 100 of 256", "again"),
        (b"IMO", "cut short", ""),
        (b"PICO" + bytes(300), "PICO", ""),
        (b"\x7fELF" + bytes(300), "ELF", ""),
        (b"\x18\0\0\0TFL3" + bytes(99), "TensorFlow Lite", ""),
        (ONNX, "ONNX model", "atc"),
        (encode_field(1, b"node") * 3, "TensorFlow graph", "atc"),
        (bytes(5000), "zero bytes", ""),
        (b'{"name": "m"}', "JSON text", ""),
        (b"Version=7.7.0.1.238\nversion_dir=8.1.RC1\n", "version files", "target show"),
        (b"# version: 1.0\nopp_running_version=[7.7:8.1.RC1]\n", "version files", ""),
        (b'Version=8.5.0\nrequired_package_x_version>="8.3"\n', "version files", ""),
        (b"Version=1\nand then words\n", "text file", ""),
        (b"just some words\nand more", "text file", ""),
        (random.Random(1).randbytes(5000), "encrypted or compressed", "decrypt"),
        (b"\x01\x02\x03\x04" * 400, "no known model format (first bytes 01 02 03 04", "refuses"),
        (b"DOMI" + bytes(400), "wrong byte order", ""),
    ],
)
def test_named_for_what_it_is(data: bytes, what: str, advice: str) -> None:
    found = read_container(data)
    assert found.kind is ContainerKind.NOT_A_MODEL
    assert what in found.what
    assert advice in found.advice and found.advice
    assert found.faults, "the loader refuses every one of these"
    assert found.blocks == () and found.header is None


def test_an_empty_file_fails_where_its_length_is_asked_for() -> None:
    (fault,) = read_container(b"").faults
    assert (fault.check, fault.message_codes) == ("file.len", ("E13015",))


def test_text_cut_inside_a_character_is_still_text() -> None:
    data = ("a" * 4095 + "é" * 100).encode()
    assert guess(BytesSource(data)).what == "text file"


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (TEXT_GRAPH, "ge_proto"),
        (b'ir_version: 6\nproducer_name: "GE"\ngraph {\n  node {\n  }\n}\n', "ge_onnx"),
        (b'name: "m"\nversion: 1\ngraph {\n  name: "g"\n}\n', "ge_proto"),
        (b"graph {\n  node [\n", ""),
        (b'name: "caffe"\nlayer {\n}\n', ""),
        (b'node {\n  name: "tf"\n}\n', ""),
        (b"", ""),
    ],
)
def test_text_graphs(data: bytes, kind: str) -> None:
    assert text_graph_format(BytesSource(data)) == kind
