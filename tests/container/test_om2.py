from __future__ import annotations

import io
import json
import warnings
import zipfile

import pytest

from preflight.container import writer
from preflight.container.dynamic import write_library
from preflight.container.om2 import ENTRY_POINTS, Package
from preflight.container.read import read_container
from preflight.container.source import BytesSource
from preflight.container.types import ContainerKind
from preflight.errors import MalformedInput
from tests.container.models import META, om2

META_PATH = "data/model_0/model_meta.json"
PROGRAM = "data/model_0/runtime/libnet_om2.so"
CONSTANTS = "data/constants/model_0_constants_config.json"


def checks(data: bytes) -> list[str]:
    return [f.check for f in read_container(data).faults]


def test_entries_and_documents() -> None:
    found = read_container(om2())
    entries = found.details["entries"]
    assert isinstance(entries, tuple)
    assert {e.name: e.machine for e in entries if e.machine} == {
        "data/model_0/runtime/libnet_om2.so": "aarch64"
    }
    assert [e.name for e in entries if e.stored] == ["data/constants/constant_0"]
    assert found.details["model_meta"] == META
    assert found.details["libraries"] == ("data/model_0/runtime/libnet_om2.so",)
    assert [f.check for f in found.standard_view.faults] == ["hdr.length_or_magic"]


@pytest.mark.parametrize(
    ("data", "check"),
    [
        (om2(without=META_PATH), "om2.meta"),
        (om2(without="data/model_0/runtime/libnet_om2.so"), "om2.meta"),
        (om2({META_PATH: b"{}"}), "om2.meta"),
        (om2({META_PATH: json.dumps(META | {"inputs": [{}]}).encode()}), "om2.meta"),
        (om2({META_PATH: json.dumps(META | {"outputs": 1}).encode()}), "om2.meta"),
        (om2({META_PATH: json.dumps(META | {"zero_copy_size": 65}).encode()}), "om2.zero_copy"),
        (om2({META_PATH: b"not json"}), "om2.empty_entry"),
        (om2({META_PATH: b"[" * 100_000}), "om2.empty_entry"),
        (om2({PROGRAM: write_library(0x3E, ENTRY_POINTS[:-1])}), "om2.symbols"),
        (om2({PROGRAM: write_library(0x3E, ENTRY_POINTS)[:100]}), "om2.dlopen"),
        (om2({PROGRAM: b""}), "om2.empty_entry"),
        (om2({"data/model_0/runtime/libother_om2.so": b"x"}, without=PROGRAM), "om2.meta"),
        (om2({CONSTANTS: b""}), "om2.empty_entry"),
        (om2({"data/kernels_npu_arch/k.o": b""}), "om2.empty_entry"),
        (om2({"data/constants/constant_0": b""}), "om2.empty_entry"),
    ],
)
def test_what_the_loader_refuses(data: bytes, check: str) -> None:
    assert checks(data)[0] == check


@pytest.mark.parametrize(
    "constant",
    [
        {"index": 0, "type": "INTERNAL", "offset": 9, "size": 8},
        {"index": 0, "type": "OTHER", "offset": 0, "size": 8},
        {"index": 0, "type": "COMBINED", "offset": 0, "size": 8},
        {"index": 0, "type": "INDIVIDUAL", "file_name": "", "offset": 0, "size": 8},
        {"index": 0, "type": "INTERNAL", "size": 8},
        7,
    ],
)
def test_constants_must_fit_their_description(constant: object) -> None:
    text = json.dumps({"internal_weight_size": 16, "consts": {"c": constant}}).encode()
    assert checks(om2({CONSTANTS: text})) == ["om2.consts"]


def test_a_manifest_nobody_reads_is_only_noted() -> None:
    found = read_container(om2({"manifest.json": b"?"}))
    assert found.faults == ()
    assert [n.id for n in found.notes] == ["om2.manifest"]


def test_duplicate_entries() -> None:
    out = io.BytesIO(om2())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with zipfile.ZipFile(out, "a") as archive:
            archive.writestr("manifest.json", b"{}")
    assert checks(out.getvalue())[0] == "om2.zip"


def test_a_stored_entry_with_two_sizes() -> None:
    data = om2()
    at = data.rindex(b"data/constants/constant_0") - 46
    patched = data[: at + 24] + (17).to_bytes(4, "little") + data[at + 28 :]
    assert checks(patched)[0] == "om2.zip"


def test_ten_gibibytes_are_the_limit() -> None:
    data = om2()
    at = data.rindex(b"data/model_0/runtime/libnet_om2.so") - 46
    for size, refused in ((2**31, False), (2**32 - 2, False)):
        patched = data[: at + 24] + size.to_bytes(4, "little") + data[at + 28 :]
        assert ("om2.zip" in checks(patched)) is refused
    three = om2({f"data/kernels_npu_arch/{n}.o": b"x" for n in range(3)})
    for n in range(3):
        at = three.rindex(f"data/kernels_npu_arch/{n}.o".encode()) - 46
        three = three[: at + 24] + (2**32 - 2).to_bytes(4, "little") + three[at + 28 :]
    assert checks(three)[0] == "om2.zip"


def test_a_bomb_is_not_unpacked() -> None:
    package = Package(BytesSource(om2({"data/big.json": bytes(1 << 20)})))
    with pytest.raises(MalformedInput, match="more than 1000 bytes"):
        package.read("data/big.json", limit=1000)
    assert package.head("data/big.json", 10) == bytes(10)
    with pytest.raises(MalformedInput, match="no entry"):
        package.read("absent")


def test_a_cut_package_is_still_called_one() -> None:
    found = read_container(om2()[:-30])
    assert found.kind is ContainerKind.OM2
    assert [f.check for f in found.faults] == ["om2.zip"]
    other = writer.write_om2({"photo.jpg": b"x" * 100})
    assert read_container(other).kind is ContainerKind.NOT_A_MODEL
    assert "ZIP archive" in read_container(other).what
    assert read_container(other[:-20]).kind is ContainerKind.NOT_A_MODEL


def test_the_om2_reader_on_other_bytes() -> None:
    found = read_container(b"no archive", loader="om2")
    assert [f.check for f in found.faults] == ["om2.zip"]


def test_zip64_sizes_are_understood() -> None:
    out = io.BytesIO(om2(without="data/constants/constant_0"))
    with zipfile.ZipFile(out, "a") as archive:
        info = zipfile.ZipInfo("data/constants/constant_0")
        with archive.open(info, "w", force_zip64=True) as entry:
            entry.write(bytes(16))
    data = bytearray(out.getvalue())
    found = read_container(bytes(data))
    assert found.faults == ()
    # the same sizes, moved into the ZIP64 extra field of the directory
    at = data.rindex(b"data/constants/constant_0") - 46
    extra = (1).to_bytes(2, "little") + (16).to_bytes(2, "little") + (16).to_bytes(8, "little") * 2
    data[at + 20 : at + 28] = b"\xff" * 8
    data[at + 30 : at + 32] = len(extra).to_bytes(2, "little")
    name_end = at + 46 + len(b"data/constants/constant_0")
    data[name_end:name_end] = extra
    end = data.rindex(b"PK\x05\x06")
    length = int.from_bytes(data[end + 12 : end + 16], "little") + len(extra)
    data[end + 12 : end + 16] = length.to_bytes(4, "little")
    entries = read_container(bytes(data)).details["entries"]
    assert isinstance(entries, tuple)
    assert {e.name: e.size for e in entries}["data/constants/constant_0"] == 16


def test_a_document_of_very_many_values_is_not_decoded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("preflight.container.om2.MAX_VALUES", 10)
    found = Package(BytesSource(om2({META_PATH: b"[" + b"[]," * 20 + b"[]]"})))
    with pytest.raises(MalformedInput, match="more than 10 values"):
        found.json(META_PATH)
