"""What a check says about the lock that lies beside a model (rules PF911 to PF916)."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from preflight import api
from preflight.compare.locks import lock_file
from preflight.model.lockfile import lock_path, write_lock
from tests.support.models import build, renamed, small_graph, with_attribute

TARGET = "8.1.RC1/Ascend910B3"


def lock_rules(path: Path) -> dict[str, str]:
    """Rule -> message, of the rules on locks."""
    result = api.check_model(path, TARGET)
    return {f.rule: f.message for f in result.findings if "PF911" <= f.rule <= "PF916"}


@pytest.fixture
def locked(tmp_path: Path) -> Path:
    model = tmp_path / "m.om"
    model.write_bytes(build())
    write_lock(lock_file(model), lock_path(model))
    return model


def test_a_model_that_fits_or_has_no_lock(locked: Path) -> None:
    assert lock_rules(locked) == {}
    lock_path(locked).unlink()
    locked.write_bytes(build([small_graph(0.5)]))
    assert lock_rules(locked) == {}


CHANGES = {
    "PF912": build([renamed(small_graph(), {"image": "picture"})]),
    "PF913": build([small_graph(0.5)]),
    "PF914": build(attributes={"soc_version": "Ascend310P3"}),
    "PF915": build(attributes={"atc_version": "7.7.0.1.239"}),
    "PF916": build([with_attribute(small_graph(), "conv", stream_id=8)]),
}


@pytest.mark.parametrize("rule", CHANGES)
def test_each_area_has_its_rule(locked: Path, rule: str) -> None:
    locked.write_bytes(CHANGES[rule])
    found = lock_rules(locked)
    assert set(found) == {rule}
    assert "m.om.lock.json" in found[rule]


def test_a_lock_that_cannot_be_read(locked: Path) -> None:
    lock_path(locked).write_text('{"schema_version": 99}')
    assert set(lock_rules(locked)) == {"PF911"}


@pytest.mark.parametrize("kind", ["pipe", "folder", "loop", "bytes"])
def test_what_is_no_lock_file_is_a_finding_and_no_wait(locked: Path, kind: str) -> None:
    place = lock_path(locked)
    place.unlink()
    if kind == "pipe":
        os.mkfifo(place)
    elif kind == "folder":
        place.mkdir()
    elif kind == "loop":
        place.symlink_to(place.name)
    else:
        place.write_bytes(b"\xff\xfe" + b"[" * 100_000)
    assert set(lock_rules(locked)) == {"PF911"}


def test_fingerprints_of_another_scheme_are_undecided(locked: Path) -> None:
    place = lock_path(locked)
    place.write_text(place.read_text().replace('"fingerprint": "1:', '"fingerprint": "0:'))
    result = api.check_model(locked, TARGET)
    (undecided,) = [n for n in result.not_evaluated if n.rule == "PF913"]
    assert undecided.missing == ("lock.fingerprint",)
