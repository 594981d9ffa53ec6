"""Reading tensor files: arrays, raw files, dumps, and what their names say."""

from __future__ import annotations

import math
import struct
from pathlib import Path

import numpy
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from preflight.compare.tensors.acl_dump import read_dump
from preflight.compare.tensors.decode import decoder, element_type
from preflight.compare.tensors.folder import read_folder
from preflight.compare.tensors.names import DumpName, flat_name, parse_array_name, parse_dump_name
from preflight.compare.tensors.npy import read_npy_header
from preflight.container.source import BytesSource
from preflight.errors import MalformedInput, PreflightError, UnreadableInput
from preflight.model.manifest import TensorInfo
from tests.support.dumps import acl_dump, described, npy, raw_values


@pytest.mark.parametrize(
    "dtype",
    [
        "<f2",
        ">f2",
        "<f4",
        ">f4",
        "<f8",
        "|i1",
        "|u1",
        "<i2",
        ">i4",
        "<i8",
        "<u4",
        "<u8",
        "|b1",
        "<c8",
    ],
)
@pytest.mark.parametrize("order", ["C", "F"])
def test_array_files_as_numpy_writes_them(tmp_path: Path, dtype: str, order: str) -> None:
    array = numpy.arange(6).reshape(2, 3).astype(dtype)
    array = numpy.asfortranarray(array) if order == "F" else array
    numpy.save(tmp_path / "a.npy", array)
    data = (tmp_path / "a.npy").read_bytes()
    header = read_npy_header(BytesSource(data))
    assert header.shape == (2, 3)
    assert header.fortran_order == (order == "F")
    numbers = decoder(header.kind, header.big_endian)(data[header.offset :])
    flat = array.ravel(order="K")
    expected = flat.view("<f4") if dtype == "<c8" else flat
    assert list(numbers) == expected.tolist()


@pytest.mark.parametrize("shape", [(), (5,), (0, 3), (1, 2, 3)])
def test_shapes_of_array_files(tmp_path: Path, shape: tuple[int, ...]) -> None:
    numpy.save(tmp_path / "a.npy", numpy.zeros(shape, dtype="<f4"))
    assert read_npy_header(BytesSource((tmp_path / "a.npy").read_bytes())).shape == shape


HOSTILE = [
    "{'descr': __import__('os').system('x'), 'fortran_order': False, 'shape': (1,), }",
    "{'descr': '<f4', 'fortran_order': False, 'shape': (1,), 'more': 1}",
    "{'descr': '<f4', 'fortran_order': False, 'fortran_order': False, }",
    "{'descr': '<f4', 'fortran_order': False, 'shape': (9999999999999999999,), }",
    "{'descr': '|O', 'fortran_order': False, 'shape': (1,), }",
    "{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,), }",
    "{'descr': '<f4', 'fortran_order': False, 'shape': (-1,), }",
    "",
]


@pytest.mark.parametrize("text", HOSTILE)
def test_headers_are_parsed_not_evaluated(text: str) -> None:
    data = b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text.encode()
    with pytest.raises(MalformedInput):
        read_npy_header(BytesSource(data))


@given(value=st.floats(width=32, allow_nan=False))
def test_half_and_brain_floats(value: float) -> None:
    brain = element_type("bfloat16")
    assert brain is not None
    raw = struct.pack("<f", value)[2:]
    (found,) = decoder(brain)(raw)
    assert found == struct.unpack("<f", b"\0\0" + raw)[0]
    assert list(decoder(brain, big_endian=True)(raw[::-1])) == [found]


@pytest.mark.parametrize(
    ("dtype", "raw", "numbers"),
    [
        ("FLOAT8_E5M2", b"\x3c\xbc\x7b\x7c\x01", [1.0, -1.0, 57344.0, math.inf, 2.0**-16]),
        ("FLOAT8_E4M3FN", b"\x38\xb8\x7e\x01\x08", [1.0, -1.0, 448.0, 2.0**-9, 2.0**-6]),
        ("FLOAT8_E8M0", b"\x7f\x80\x00", [1.0, 2.0, 2.0**-127]),
        ("INT4", b"\x21\xf8", [1, 2, -8, -1]),
    ],
)
def test_small_types_are_read(dtype: str, raw: bytes, numbers: list[float]) -> None:
    kind = element_type(dtype)
    assert kind is not None
    assert list(decoder(kind)(raw)) == numbers
    assert kind.size_of(3) == (2 if dtype == "INT4" else 3)


def test_codes_that_are_no_number() -> None:
    for dtype, raw in (("FLOAT8_E4M3FN", b"\x7f\xff"), ("FLOAT8_E8M0", b"\xff")):
        kind = element_type(dtype)
        assert kind is not None
        assert all(math.isnan(number) for number in decoder(kind)(raw))


def test_types_without_a_decoder_are_known_by_width() -> None:
    kind = element_type("HIFLOAT8")
    assert kind is not None
    assert not kind.readable
    assert element_type("FLOAT4_E2M1") is None
    assert element_type("nonsense") is None


def test_dump_files() -> None:
    raw = raw_values("FLOAT16", [1.5, -2.0])
    data = acl_dump("conv/1", [("FLOAT16", (2,), raw)], [("INT32", (1,), raw_values("INT32", [7]))])
    dump = read_dump(BytesSource(data))
    assert dump.op_name == "conv/1"
    places = [
        (t.side, t.index, t.dtype, t.shape, data[t.offset : t.offset + t.size])
        for t in dump.tensors
    ]
    assert places == [
        ("input", 0, "INT32", (1,), struct.pack("<i", 7)),
        ("output", 0, "FLOAT16", (2,), raw),
    ]
    assert (
        read_dump(BytesSource(acl_dump("conv/1", [("FLOAT16", (2,), raw)], sizes=False)))
        .tensors[0]
        .size
        == 4
    )
    old = acl_dump("conv/1", [("FLOAT16", (2,), raw)], version=1)
    (tensor,) = read_dump(BytesSource(old)).tensors
    assert old[tensor.offset : tensor.offset + tensor.size] == raw


def test_broken_dump_files() -> None:
    data = acl_dump(
        "op",
        [("FLOAT", (300,), raw_values("FLOAT", [1.0] * 300))],
        [("FLOAT", (1,) * 60, b"\0" * 4)],
    )
    for spoiled in (data[:-1], data + b"\0", data[:20], b"", b"\xff" * 40):
        with pytest.raises(MalformedInput):
            read_dump(BytesSource(spoiled))


@settings(max_examples=200, deadline=None)
@given(data=st.binary(max_size=120), at=st.integers(0, 80), byte=st.integers(0, 255))
def test_only_our_errors_leave_the_readers(data: bytes, at: int, byte: int) -> None:
    base = bytearray(acl_dump("op", [("FLOAT", (2,), b"\0" * 8)], [("FLOAT16", (1,), b"\0\0")]))
    base[at % len(base)] = byte
    array = bytearray(npy([1.0], (1,)))
    array[at] = byte
    for reader in (read_dump, read_npy_header):
        for content in (data, bytes(base), bytes(array)):
            try:
                reader(BytesSource(content))
            except PreflightError:
                continue


def test_names() -> None:
    assert parse_dump_name("Conv2D.conv_1.3.1.1650000000000000") == DumpName(
        "conv_1", "Conv2D", task=3, stamp=1650000000000000
    )
    assert parse_dump_name("Conv2D.conv_1.3.1650000000000000") is not None
    assert parse_dump_name("readme.txt") is None
    converted = parse_array_name("Conv2D.conv_1.3.1.1650000000000000.input.2")
    assert (converted.op, converted.side, converted.index) == ("conv_1", "input", 2)
    golden = parse_array_name("input_conv_1.0.1650000000000000")
    assert (golden.op, golden.side, golden.index) == ("conv_1", "input", 0)
    assert parse_array_name("whatever") == DumpName("")
    assert flat_name("a/b.c d\\e") == "a_b_c_d_e"


def test_a_folder_of_everything(tmp_path: Path) -> None:
    raw = raw_values("FLOAT", [1.0, 2.0])
    (tmp_path / "Relu.relu_1.3.1.1650000000000000").write_bytes(
        acl_dump("relu/1", [("FLOAT", (2,), raw)])
    )
    (tmp_path / "1234567890").write_bytes(acl_dump("long/name", [("FLOAT", (2,), raw)]))
    (tmp_path / "mapping.csv").write_text("1234567890,Add.long_name.4.1.1650000000000001\n")
    (tmp_path / "Relu.relu_2.5.1.1650000000000002.output.0.npy").write_bytes(npy([1.0, 2.0], (2,)))
    described(tmp_path, "x.bin", raw, dtype="float32", shape=[2], op_name="add/2", index=1)
    (tmp_path / "Opdebug.Node_OpDebug.1.1650000000000000").write_bytes(b"?")
    (tmp_path / "notes.md").write_text("?")
    folder = read_folder(tmp_path)
    assert folder.problems == []
    assert folder.ignored == 4  # notes, overflow file, mapping, description
    assert [(t.key, t.op_type) for t in folder.tensors] == [
        (("add_2", "output", 1, 0), ""),
        (("long_name", "output", 0, 0), "Add"),
        (("relu_1", "output", 0, 0), "Relu"),
        (("relu_2", "output", 0, 0), "Relu"),
    ]


def test_what_cannot_be_read_is_told(tmp_path: Path) -> None:
    (tmp_path / "a.npy").write_bytes(npy([1.0], (2,)))
    (tmp_path / "b.bin").write_bytes(b"\0\0")
    described(tmp_path, "c.bin", b"\0\0", dtype="float32", shape=[1])
    described(tmp_path, "d.bin", b"\0\0", dtype="odd", shape=[1])
    described(tmp_path, "e.bin", b"\0\0", dtype="float16", shape=[1], odd=1)
    (tmp_path / "f.npy").write_bytes(b"text")
    folder = read_folder(tmp_path)
    assert folder.tensors == []
    assert [p.split(":")[0] for p in folder.problems] == [
        "a.npy", "b.bin", "c.bin", "d.bin", "e.bin", "f.npy",
    ]  # fmt: skip
    assert "b.bin.json" in folder.problems[1]
    with pytest.raises(UnreadableInput):
        read_folder(tmp_path / "absent")


def test_network_outputs_take_their_form_from_the_model(tmp_path: Path) -> None:
    (tmp_path / "image_0.bin").write_bytes(raw_values("FLOAT16", [1.0, 2.0]))
    (tmp_path / "image_1.bin").write_bytes(raw_values("FLOAT16", [1.0, 2.0]))
    outputs = [TensorInfo("y", "FLOAT16", "ND", (1, 2)), TensorInfo("z", "FLOAT16", "ND", (-1, 2))]
    folder = read_folder(tmp_path, outputs)
    assert [t.label for t in folder.tensors] == ["image_0.bin"]
    assert len(folder.problems) == 1  # the second output's shape is not known before it runs


def test_special_values_survive_decoding() -> None:
    kind = element_type("FLOAT16")
    assert kind is not None
    numbers = decoder(kind)(struct.pack("<3e", math.inf, -math.inf, math.nan))
    assert numbers[0] == math.inf
    assert numbers[1] == -math.inf
    assert math.isnan(numbers[2])
