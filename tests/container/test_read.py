from __future__ import annotations

import struct
import sys
from pathlib import Path

import pytest

from preflight.container import writer
from preflight.container.header import HEADER_SIZE
from preflight.container.read import read_container
from preflight.container.source import BytesSource, FileSource, SubSource
from preflight.container.types import ContainerKind
from preflight.errors import UsageError
from tests.container.models import ELF_AARCH64, EVERY_KIND, MODEL_DEF, PARTS, flow


@pytest.mark.parametrize("name", EVERY_KIND)
def test_every_kind_is_recognised_and_whole(name: str) -> None:
    kind, build = EVERY_KIND[name]
    found = read_container(build())
    assert found.kind is kind
    assert found.faults == ()
    assert found.what and not found.advice
    assert found.size == len(build())


@pytest.mark.parametrize("name", EVERY_KIND)
def test_a_path_and_bytes_read_the_same(name: str, tmp_path: Path) -> None:
    data = EVERY_KIND[name][1]()
    path = tmp_path / "m.om"
    path.write_bytes(data)
    assert read_container(path) == read_container(data)


def test_only_other_kinds_say_what_the_standard_loader_makes_of_them() -> None:
    for name, (kind, build) in EVERY_KIND.items():
        found = read_container(build())
        assert (found.as_standard is None) is (kind is ContainerKind.OM), name
    view = read_container(EVERY_KIND["hiai"][1]()).standard_view
    assert [f.check for f in view.faults] == ["tab.no_payload"]
    assert read_container(EVERY_KIND["flow"][1]()).standard_view.faults == ()


def test_the_old_id_of_input_descriptions_is_named_for_what_it_is() -> None:
    inout = struct.pack("<III", 1, 4, 0)
    found = read_container(writer.write_om([[(6, inout), (0, MODEL_DEF)]], table="tiny"))
    assert next((p.id, p.name) for p in found.blocks[0].partitions) == (6, "MODEL_INOUT_INFO")
    assert [n.id for n in found.notes] == ["old_inout_id"]
    other = read_container(writer.write_om([[(6, b"\x0a" * 20), (0, MODEL_DEF)]]))
    assert other.blocks[0].partitions[0].name == "FLOW_MODEL"


def test_flow_submodels_are_found_inside() -> None:
    data = flow()
    found = read_container(data)
    assert [n.name for n in found.nested] == ["a", "b"]
    for entry in found.nested:
        inner = read_container(SubSource(BytesSource(data), entry.offset, entry.size))
        assert (inner.kind, inner.faults) == (ContainerKind.OM, ())
        assert inner.blocks[0].partitions[1].name == "WEIGHTS_DATA"


def test_flow_models_name_their_missing_parts() -> None:
    om = writer.write_om([PARTS])
    absent = read_container(writer.write_flow(MODEL_DEF, [writer.submodel("a", om)], ["a", "b"]))
    assert [(f.check, f.data["missing"]) for f in absent.faults] == [("flow.proto", ("b",))]
    broken = read_container(writer.write_flow(MODEL_DEF, [b"\x1a\x7f"]))
    assert [f.check for f in broken.faults] == ["flow.proto"]
    lone = read_container(writer.write_om([[(0, MODEL_DEF)]], modeltype=3))
    assert [f.check for f in lone.faults] == ["flow.parts"]
    order = read_container(writer.write_om([[(6, b""), (0, MODEL_DEF)]], modeltype=3))
    assert [f.check for f in order.faults] == ["flow.parts"]


def test_functions_and_paths_are_no_nested_models() -> None:
    parts = [
        writer.submodel("udf", b"tar", model_type="UDF", builtin=True),
        writer.submodel("file", path="sub/a.om"),
    ]
    found = read_container(writer.write_flow(MODEL_DEF, parts, ["udf", "file"]))
    assert found.nested == () and found.faults == ()
    submodels = found.details["submodels"]
    assert isinstance(submodels, tuple)
    assert [(s.model_type, s.builtin, s.path) for s in submodels] == [
        ("UDF", True, ""),
        ("NPU", False, "sub/a.om"),
    ]


def test_bundle_entries_and_variable_size() -> None:
    models = [writer.write_om([PARTS]), writer.write_om([PARTS], table="tiny")]
    data = writer.write_bundle(models, var_size=-1)
    found = read_container(data)
    assert [data[n.offset :][: n.size] for n in found.nested] == models
    assert found.details["var_size"] == 2**64 - 1
    assert found.notes == ()
    old = read_container(writer.write_bundle(models, var_size=None))
    assert (len(old.nested), old.details["var_size"]) == (2, 0)


def bundle_with(entries: list[tuple[int, int]], body: bytes) -> bytes:
    table = struct.pack("<II", len(entries), 0)
    table += b"".join(struct.pack("<I4xQQ", kind, 0, size) for kind, size in entries)
    return writer.write_file(table + body, modeltype=5, model_num=1)


@pytest.mark.parametrize(
    ("entries", "overflow"),
    [([(24, 11)], False), ([(24, 2**64 - 1)], True), ([(25, 1), (24, 2**64 - 2)], True)],
)
def test_bundle_sizes_outside_the_file(entries: list[tuple[int, int]], overflow: bool) -> None:
    found = read_container(bundle_with(entries, b"0123456789"))
    assert [(f.check, f.data["overflow"]) for f in found.faults] == [("bundle.size", overflow)]
    assert found.nested == ()


def test_a_bundle_variable_size_at_the_end_of_the_file_is_a_fault_of_ours() -> None:
    found = read_container(bundle_with([(25, 0), (24, 3)], b"abc"))
    assert [f.check for f in found.faults] == ["bundle.var_out_of_bounds"]


def test_the_bundle_reader_on_other_files() -> None:
    checks = [f.check for f in read_container(writer.write_om([PARTS]), loader="bundle").faults]
    assert checks == ["bundle.type"]
    assert [f.check for f in read_container(b"", loader="bundle").faults] == ["bundle.size"]
    wrong = bytearray(writer.write_bundle([b"x"]))
    wrong[0] = 0
    assert "bundle_magic" in [n.id for n in read_container(bytes(wrong), loader="bundle").notes]


def test_nano_offsets_count_and_are_aligned() -> None:
    data = writer.write_nano([(20, b"d" * 12), (1, b"w" * 5)])
    found = read_container(data)
    assert [(p.name, p.size) for p in found.blocks[0].partitions] == [
        ("PRE_MODEL_DESC", 16),
        ("WEIGHTS_DATA", 8),
    ]
    assert [p.offset % 8 for p in found.blocks[0].partitions] == [0, 0]
    swapped = bytearray(data)
    first, second = HEADER_SIZE + 16, HEADER_SIZE + 40
    swapped[first : first + 16], swapped[second : second + 16] = (
        swapped[second : second + 16],
        swapped[first : first + 16],
    )
    assert [p.size for p in read_container(bytes(swapped)).blocks[0].partitions] == [8, 16]


def test_nano_partitions_must_have_bytes_inside_the_file() -> None:
    found = read_container(writer.write_nano([(20, b""), (1, b"w")]))
    assert [(f.check, f.partition) for f in found.faults] == [("nano.part", 0)]
    assert [f.check for f in read_container(b"IMOD", loader="nano").faults] == ["nano.magic"]
    huge = writer.write_file(struct.pack("<II", 2**32 - 1, 0))
    assert [f.check for f in read_container(huge, loader="nano").faults] == ["nano.part"]


def test_hiai_ids_have_their_own_names() -> None:
    found = read_container(writer.write_hiai([(3, b"a"), (7, b"b"), (99, b"c")]))
    names = [p.name for p in found.blocks[0].partitions]
    assert names == ["TASK_GRAPH", "ENCRYPT_INFO", "UNKNOWN_99"]
    assert found.header is not None and found.header.platform_version == "3.51.z.0"
    cut = read_container(writer.write_hiai([(0, b"abc")])[:-1])
    assert [f.check for f in cut.faults] == ["hiai.bounds"]


def test_first_generation_files_of_ascend_are_standard() -> None:
    found = read_container(writer.write_first_generation([(3, b"x"), (0, b"y")]))
    assert found.kind is ContainerKind.OM
    assert found.blocks[0].partitions[0].name == "TBE_KERNELS"


def test_bare_and_air_files_are_one_partition() -> None:
    bare = read_container(writer.write_bare(MODEL_DEF))
    air = read_container(MODEL_DEF)
    for found, offset in ((bare, HEADER_SIZE), (air, 0)):
        (partition,) = found.blocks[0].partitions
        assert (partition.name, partition.offset, partition.size) == (
            "MODEL_DEF",
            offset,
            len(MODEL_DEF),
        )


def test_a_cut_download_says_how_much_is_missing() -> None:
    data = writer.write_om([PARTS])
    assert read_container(data[:-5]).what.endswith("cut short: 5 bytes are missing")
    assert read_container(data + b"12").what.endswith("with 2 bytes too many")


def test_an_unknown_loader_is_a_usage_error() -> None:
    with pytest.raises(UsageError, match="unknown loader 'x'"):
        read_container(b"", loader="x")  # type: ignore[arg-type]


def test_weights_and_bodies_are_not_read(tmp_path: Path) -> None:
    path = tmp_path / "big.om"
    parts = writer.write_om([[(0, MODEL_DEF), (1, b"")]])
    size = 20 << 30
    with path.open("wb") as out:
        table = writer.write_block([(0, MODEL_DEF), (1, b"")])
        body = bytearray(table)
        struct.pack_into("<Q", body, 8 + 24 + 16, size)
        out.write(writer.write_file(bytes(body), model_length=len(body) + size))
        out.truncate(HEADER_SIZE + len(body) + size)
    with FileSource(path) as source:
        found = read_container(source)
        assert found.faults == () and found.size == len(parts) + size
        assert source.bytes_read < 2048


def test_reading_an_om_needs_no_archive_or_pattern_modules() -> None:
    code = (
        "import sys; from preflight.container.read import read_container;"
        "read_container(sys.stdin.buffer.read());"
        "print([m for m in ('zipfile', 'json', 'google', 'fsspec') if m in sys.modules])"
    )
    import subprocess

    data = writer.write_om([PARTS])
    done = subprocess.run([sys.executable, "-c", code], input=data, capture_output=True, check=True)
    assert done.stdout.strip() == b"[]"


def test_elf_sample_is_what_it_claims() -> None:
    from preflight.container.elf import elf_machine

    assert elf_machine(ELF_AARCH64) == "aarch64"
    assert elf_machine(b"\x7fELF\x02\x02" + bytes(12) + b"\x00\x3e") == "x86_64"
    assert elf_machine(b"\x7fELF\x02\x01" + bytes(12) + b"\xff\x00") == "em_255"
    assert elf_machine(b"\x7fELF") == elf_machine(bytes(64)) == ""
