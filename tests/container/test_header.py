from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from preflight.container.header import HEADER_SIZE, new_header, pack_header, parse_header
from preflight.errors import MalformedInput

U8, U32, U64 = st.integers(0, 255), st.integers(0, 2**32 - 1), st.integers(0, 2**64 - 1)
NAMES = st.text(st.characters(codec="ascii", exclude_characters="\0"), max_size=31)

headers = st.builds(
    new_header,
    magic=U32,
    headsize=U32,
    version=st.sampled_from([0x10000000, 0x1FFFFFFF, 0x20000000, 0x20000001, 0xFFFFFFFF]),
    checksum=st.binary(min_size=64, max_size=64),
    length=U32,
    is_encrypt=U8,
    is_checksum=U8,
    modeltype=U8,
    genmode=U8,
    name=NAMES,
    ops=U32,
    userdefineinfo=st.binary(min_size=32, max_size=32),
    om_ir_version=U32,
    model_num=U32,
    platform_version=NAMES.map(lambda t: t[:19]),
    platform_type=U8,
    model_length=U64,
    need_check_os_cpu_info=U8,
    is_unknow_model=U8,
)


@given(headers)
def test_what_was_written_is_read(header) -> None:  # type: ignore[no-untyped-def]
    if header.version < 0x20000000:
        header = replace(header, layout="v1", model_num=0)
    elif not (header.model_length or header.need_check_os_cpu_info or header.is_unknow_model):
        header = replace(header, layout="v2")
    data = pack_header(header)
    assert len(data) == HEADER_SIZE
    assert parse_header(data) == header


@given(st.binary(min_size=256, max_size=256))
def test_any_256_bytes_are_a_header(data: bytes) -> None:
    header = parse_header(data)
    assert header.payload_length == (header.model_length or header.length)


def test_fewer_bytes_are_none() -> None:
    with pytest.raises(MalformedInput, match="255 bytes"):
        parse_header(bytes(255))


def test_the_first_layout_has_platform_version_where_others_have_model_num() -> None:
    old = pack_header(
        new_header(version=0x10000000, layout="v1", platform_version="3.51.z.0", platform_type=1)
    )
    assert old[156:164] == b"3.51.z.0"
    assert old[176] == 1
    read = parse_header(old)
    assert (read.layout, read.model_num, read.platform_version) == ("v1", 0, "3.51.z.0")
    new = pack_header(new_header(platform_version="1.11.z.0", model_num=3, layout="v2"))
    assert (new[156], new[160:168]) == (3, b"1.11.z.0")
    assert parse_header(new).layout == "v2"


@pytest.mark.parametrize("offset", [181, 184, 191, 192, 193, 194, 255])
def test_any_byte_behind_platform_type_makes_the_third_layout(offset: int) -> None:
    data = bytearray(pack_header(new_header(layout="v2")))
    assert parse_header(bytes(data)).layout == "v2"
    data[offset] = 1
    assert parse_header(bytes(data)).layout == "v3"


@pytest.mark.parametrize(
    ("version", "model_num", "unknown", "dynamic"),
    [
        (0x20000000, 1, 0, False),
        (0x20000000, 2, 0, True),
        (0x20000000, 0, 1, True),
        (0x20000000, 1, 2, False),
        (0x10000000, 2, 1, False),
        (0x1FFFFFFF, 2, 1, False),
    ],
)
def test_the_loader_s_dynamic_flag(
    version: int, model_num: int, unknown: int, dynamic: bool
) -> None:
    data = pack_header(
        new_header(version=version, model_num=model_num, is_unknow_model=unknown, layout="v3")
    )
    assert parse_header(data).is_dynamic is dynamic


def test_text_that_is_not_utf8_stays_visible() -> None:
    data = bytearray(pack_header(new_header(name="abc")))
    data[85] = 0xFF
    assert parse_header(bytes(data)).name == "a\\xffc"
