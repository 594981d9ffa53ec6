"""Lock files: what they record, how they are read, and what no longer fits."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from preflight.container.source import BytesSource
from preflight.container.writer import write_bundle
from preflight.errors import MalformedInput, PreflightError, UnreadableInput
from preflight.model.file import read_model
from preflight.model.lock import compare_lock, make_lock
from preflight.model.lockfile import Lock, lock_bytes, lock_path, read_lock, write_lock
from tests.support.models import build, renamed, small_graph, with_attribute


def lock_of(data: bytes, **options: Any) -> Lock:
    return make_lock(read_model(data, path="m.om"), BytesSource(data), **options)


def areas(lock: Lock, data: bytes, *, deep: bool = False) -> set[str]:
    source = BytesSource(data) if deep else None
    return {m.area for m in compare_lock(read_model(data, path="m.om"), lock, source)}


def test_a_lock_survives_its_file(tmp_path: Path) -> None:
    lock = lock_of(build(), weights=True)
    place = lock_path(tmp_path / "m.om")
    assert place.name == "m.om.lock.json"
    write_lock(lock, place)
    assert read_lock(place) == lock
    assert lock_bytes(lock_of(build(), weights=True)) == place.read_bytes()
    assert [p.name for p in tmp_path.iterdir()] == ["m.om.lock.json"]


def test_what_is_recorded(tmp_path: Path) -> None:
    switch = tmp_path / "switch.cfg"
    switch.write_text("{}")
    lock = lock_of(
        build(),
        files=[("fusion_switch", switch)],
        release="8.1.RC1",
        resolve=lambda op: (3, "8.0.RC3") if op == "LayerNorm" else None,
    )
    assert lock.content is not None
    assert lock.content.engines["soc_version"] == "Ascend910B3"
    assert lock.content.operators["LayerNorm"].version == 3
    assert lock.content.operators["Conv2D"].version is None
    assert lock.release == "8.1.RC1"
    assert [(t.name, t.shape) for t in lock.content.inputs] == [("image", (1, 3, 8, 8))]
    assert {p.type: bool(p.sha256) for p in lock.partitions} == {
        "MODEL_DEF": True,
        "WEIGHTS_DATA": False,
        "TASK_INFO": True,
    }
    assert [(f.role, f.name, f.size) for f in lock.files] == [("fusion_switch", "switch.cfg", 2)]


def test_an_unchanged_model_fits() -> None:
    assert areas(lock_of(build(), weights=True), build(), deep=True) == set()


MISFITS: dict[str, tuple[bytes, set[str]]] = {
    "attribute": (build([small_graph(0.5)]), {"graph", "bytes"}),
    "input": (build([renamed(small_graph(), {"image": "x"})]), {"interface", "bytes", "partition"}),
    "device": (build(attributes={"soc_version": "Ascend310P3"}), {"device", "bytes"}),
    "engine": (build(attributes={"atc_version": "7.7.0.1.239"}), {"engine", "bytes"}),
    "weights size": (build(weights=b"\1"), {"partition", "bytes"}),
    "kernels": (build(kernels=b"\0" * 40), {"partition", "bytes"}),
    "note": (build([with_attribute(small_graph(), "conv", stream_id=4)]), {"bytes"}),
}


@pytest.mark.parametrize("case", MISFITS)
def test_misfits(case: str) -> None:
    data, expected = MISFITS[case]
    assert areas(lock_of(build()), data) == expected


def test_weights_count_where_they_are_recorded() -> None:
    other = build(weights=b"\2" * 64)
    assert areas(lock_of(build(), weights=True), other, deep=True) == {"partition"}
    assert areas(lock_of(build()), other, deep=True) == set()


def test_models_inside_a_bundle_are_recorded() -> None:
    data = write_bundle([build(), build([small_graph(0.5)])])
    lock = lock_of(data)
    assert len(lock.nested) == 2
    assert areas(lock, data, deep=True) == set()
    changed = write_bundle([build(), build([small_graph(0.25)])])
    assert "graph" in areas(lock, changed)
    assert "graph" in areas(lock, write_bundle([build()]))


def test_nothing_to_record() -> None:
    with pytest.raises(MalformedInput, match="nothing to record"):
        lock_of(b"no model")


Spoil = Callable[[dict[str, Any]], object]
BROKEN: dict[str, tuple[Spoil, str]] = {
    "unknown key": (lambda d: d.update(extra=1), "unknown field `extra`"),
    "inner unknown key": (lambda d: d["content"].update(extra=1), r"\$.content"),
    "wrong type": (lambda d: d.update(size="big"), r"\$.size"),
    "missing": (lambda d: d.pop("partitions"), "partitions"),
    "newer": (lambda d: d.update(schema_version=2, other=1), "schema_version 2"),
}


@pytest.mark.parametrize("case", BROKEN)
def test_broken_locks_are_refused_with_the_place(tmp_path: Path, case: str) -> None:
    spoil, words = BROKEN[case]
    record = json.loads(lock_bytes(lock_of(build())))
    spoil(record)
    place = tmp_path / "m.om.lock.json"
    place.write_text(json.dumps(record))
    with pytest.raises(MalformedInput, match=words):
        read_lock(place)


def test_unreadable_locks(tmp_path: Path) -> None:
    with pytest.raises(UnreadableInput):
        read_lock(tmp_path / "absent.lock.json")
    (tmp_path / "deep").write_text("[" * 100_000)
    with pytest.raises(MalformedInput):
        read_lock(tmp_path / "deep")
    with pytest.raises(UnreadableInput, match="cannot be written"):
        write_lock(lock_of(build()), tmp_path / "no folder" / "x.lock.json")


@settings(max_examples=60, deadline=None)
@given(data=st.binary(max_size=200))
def test_no_text_breaks_the_reader(data: bytes, tmp_path_factory: pytest.TempPathFactory) -> None:
    place = tmp_path_factory.mktemp("lock") / "x.lock.json"
    place.write_bytes(data)
    with pytest.raises(PreflightError):
        read_lock(place)


def test_another_scheme_is_not_called_a_difference() -> None:
    record = json.loads(lock_bytes(lock_of(build())))
    record["content"]["fingerprint"] = "0:" + "a" * 32
    place_independent = json.dumps(record).encode()
    import msgspec

    lock = msgspec.json.decode(place_independent, type=Lock)
    assert areas(lock, build()) == {"scheme"}
