"""TILING_DATA: the header and records of the tiling cache (§A.10, corrections 18)."""

from __future__ import annotations

import struct

from msgspec import Struct

from preflight.container.source import Source

MAGIC = 0xDD776EFE
VERSION_OLD = 1  # op ids are used as tiling ids
MAX_RECORDS = 200_000
RUN_INFO, DATA, IDS = 0, 1, 2
_HEADER = struct.Struct("<III")  # magic, version, data_len
_RECORD = struct.Struct("<BI")  # type, length
# tiling_key, tiling_size, block_dim, clear_atomic, tiling_cond, schedule_mode, workspace_num,
# local_memory_size; 12 reserved bytes and padding up to 56 follow
_RUN_INFO = struct.Struct("<QQI?3xiIII")
RUN_INFO_SIZE = 56


class RunInfo(Struct, frozen=True):
    """One OpRunInfo record; sizes in bytes."""

    tiling_key: int
    tiling_size: int
    block_dim: int
    clear_atomic: bool
    tiling_cond: int
    schedule_mode: int
    workspace_num: int
    local_memory_size: int


class TilingData(Struct, frozen=True):
    """The partition decoded; `problem` is empty when the loader accepts it."""

    version: int
    data_len: int
    run_infos: tuple[RunInfo, ...]
    records: int
    ids: int
    problem: str = ""
    capped: bool = False

    @property
    def ok(self) -> bool:
        return not self.problem


def read_tiling(part: Source) -> TilingData:
    """The records as the loader walks them; bytes behind data_len are ignored.

    An OpRunInfo record has at least 56 bytes and 8 per workspace. Tiling bytes and ids need an
    OpRunInfo before them, which ids use up.
    """
    if part.size <= _HEADER.size:
        return TilingData(0, 0, (), 0, 0, f"{part.size} bytes, a header and more are needed")
    magic, version, data_len = _HEADER.unpack(part.read(0, _HEADER.size))
    if _HEADER.size + data_len > part.size:
        return TilingData(version, data_len, (), 0, 0, f"{data_len} bytes of records do not fit")
    if magic != MAGIC:
        return TilingData(version, data_len, (), 0, 0, f"magic is 0x{magic:08x}")
    return _records(part, version, data_len)


def _records(part: Source, version: int, data_len: int) -> TilingData:
    run_infos: list[RunInfo] = []
    records, ids, position, open_info = 0, 0, 0, False
    problem, capped = "", False
    while position < data_len and not problem:
        if records == MAX_RECORDS:
            problem, capped = f"more than {MAX_RECORDS} records", True
            break
        if position + _RECORD.size > data_len:
            problem = f"{data_len - position} bytes are no record"
            break
        start = _HEADER.size + position + _RECORD.size
        kind, length = _RECORD.unpack(part.read(start - _RECORD.size, _RECORD.size))
        position += _RECORD.size + length
        problem = _problem(kind, length, position, data_len, open_info)
        if not problem and kind == RUN_INFO:
            info = _run_info(part, start, length)
            if info is None:
                problem = f"OpRunInfo record of {length} bytes is too short"
            else:
                run_infos.append(info)
        open_info = kind == RUN_INFO or (open_info and kind != IDS)
        ids += length // 8 if kind == IDS else 0
        records += 1
    return TilingData(version, data_len, tuple(run_infos), records, ids, problem, capped)


def _problem(kind: int, length: int, end: int, data_len: int, open_info: bool) -> str:
    if kind > IDS:
        return f"record type {kind}"
    if end > data_len:
        return f"a record of {length} bytes leaves the data"
    if not open_info and (kind == IDS or (kind == DATA and length)):
        return f"record type {kind} without an OpRunInfo before it"
    return ""


def _run_info(part: Source, start: int, length: int) -> RunInfo | None:
    if length < RUN_INFO_SIZE:
        return None
    info = RunInfo(*_RUN_INFO.unpack(part.read(start, _RUN_INFO.size)))
    return info if RUN_INFO_SIZE + 8 * info.workspace_num <= length else None
