"""The real files and the loader's own verdicts in the shared folder."""

from __future__ import annotations

import importlib
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from preflight.container.read import read_container
from preflight.container.types import Container, ContainerKind

pytestmark = pytest.mark.shared
EXTRA = {"v9.0.1": 2, "v9.1.0": 3, "master": 3}  # k of om-format §A.4
KINDS = {
    "hiai-om": ContainerKind.HIAI,
    "not-om": ContainerKind.NOT_A_MODEL,
    "pbtxt": ContainerKind.TEXT_GRAPH,
    "json": ContainerKind.NOT_A_MODEL,
}
FIELDS = (
    "headsize", "is_encrypt", "is_checksum", "modeltype", "genmode", "name", "ops",
    "om_ir_version", "platform_version", "platform_type", "model_length", "length",
    "need_check_os_cpu_info", "is_unknow_model",
)  # fmt: skip


def lines(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8") as text:
        yield from map(json.loads, text)


def models(shared: Path) -> Iterator[tuple[dict[str, Any], Container]]:
    for entry in lines(shared / "corpus" / "index.jsonl"):
        if entry["kind"] in ("om", *KINDS):
            yield entry, read_container(shared / "corpus" / entry["file"])


def test_every_file_is_of_its_kind(shared: Path) -> None:
    for entry, container in models(shared):
        wanted = KINDS.get(entry["kind"], ContainerKind.OM)
        if entry["kind"] == "om":
            if "bare_domi_modeldef" in entry["om"]:
                wanted = ContainerKind.BARE
            elif entry["om"]["modeltype"] == 3:
                wanted = ContainerKind.FLOW
        assert container.kind is wanted, entry["file"]
        if wanted is not ContainerKind.NOT_A_MODEL:
            assert container.faults == (), entry["file"]


def test_headers_equal_the_index(shared: Path) -> None:
    compared = 0
    for entry, container in models(shared):
        if "om" in entry:
            header, om = container.header, entry["om"]
            assert header is not None
            assert {f: getattr(header, f) for f in FIELDS} == {f: om[f] for f in FIELDS}
            assert header.version == int(om["version"], 16)
            assert header.model_num == (om["model_num"] or 0)
            compared += 1
    assert compared >= 30


def test_partitions_equal_the_index(shared: Path) -> None:
    for entry, container in models(shared):
        tables = [t for t in entry.get("om", {}).get("tables", []) if "partitions" in t]
        if not tables:
            continue
        assert [_block(b) for b in container.blocks] == [
            {
                "table": t["layout"],
                "offset": t["offset"],
                "partitions": [
                    (p["type"], t["base"] + p["offset"], p["size"], p["type_name"].split("(")[0])
                    for p in t["partitions"]
                ],
            }
            for t in tables
        ], entry["file"]


def _block(block: Any) -> dict[str, Any]:
    return {
        "table": block.table,
        "offset": block.offset,
        "partitions": [(p.id, p.offset, p.size, p.name) for p in block.partitions],
    }


def test_submodels_equal_the_index(shared: Path) -> None:
    for entry, container in models(shared):
        for ours, theirs in zip(
            container.nested, entry.get("om", {}).get("submodels", []), strict=True
        ):
            assert (ours.name, ours.size) == (theirs["model_name"], theirs["om_bytes"])


def test_the_walk_agrees_with_the_loader_on_every_container(shared: Path) -> None:
    rows = 0
    for row in lines(shared / "vectors" / "T1.jsonl"):
        if row["reader"] != "standard":
            continue
        container = read_container(shared / "vectors" / row["file"], loader="standard")
        expected = row["expected"]
        assert first_check(container, EXTRA[row["ge_version"]]) == expected["check"], row["id"]
        if "blocks" in expected:
            found = [[[p.id, p.size, p.offset] for p in b.partitions] for b in container.blocks]
            assert found == expected["blocks"], row["id"]
        rows += 1
    assert rows >= 900


def first_check(container: Container, extra: int) -> str:
    """The smallest position among faults and the count rule, as the engine decides it."""
    accepted = {base + i for base in (1, 3, 4, 5) for i in range(extra + 1)}
    failed = [(f.position, f.check) for f in container.faults]
    if container.header is not None and container.header.modeltype != 3:
        failed += [
            ((70, b.index, 1), f"tab.{b.table}_num")
            for b in container.blocks
            if b.declared_count not in accepted
        ]
    return min(failed)[1] if failed else "ok"


def test_bundles_agree_with_the_reader(shared: Path) -> None:
    for row in lines(shared / "vectors" / "T1.jsonl"):
        if row["reader"] != "bundle" or row.get("depends_on_oob"):
            continue
        container = read_container(shared / "vectors" / row["file"], loader="bundle")
        expected = row["expected"]
        first = min(container.faults, key=lambda f: f.position, default=None)
        status = 0 if first is None else 500001 if first.data.get("overflow") else 100000
        assert status == expected["status"], row["id"]
        if first is None:
            assert [[n.offset, n.size] for n in container.nested] == expected["sub"]
            assert container.details["var_size"] == expected["var_size"]


def test_input_descriptions_agree_with_the_loader(shared: Path) -> None:
    bench = Path(__file__).resolve().parents[2] / "bench"
    if str(bench) not in sys.path:
        sys.path.insert(0, str(bench))
    t6 = importlib.import_module("tiers.t6")
    for row in lines(shared / "vectors" / "T6.jsonl"):
        assert t6.differences(row, shared / "vectors") == [], row["id"]
