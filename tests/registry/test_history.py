"""Operator versions, absences, layers, and the bundled record."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from preflight.errors import DataError
from preflight.findings import Certainty
from preflight.registry.behaviour import behaviour_notes, notes_for, prototype_flags
from preflight.registry.compact import build_history
from preflight.registry.encoding import release_order
from preflight.registry.folders import FolderLayer
from preflight.registry.history import History, open_history
from preflight.registry.operator import UnknownOperator, UnknownRelease, UnresolvedVersion
from preflight.registry.prototype import Port, Prototype
from preflight.registry.store import BundledLayer, Coverage
from preflight.registry.transfer import export_bundled, merge_folders
from tests.registry.builders import attr, op, registry

A, B, C = op(attrs=(attr("a"),)), op(attrs=(attr("b"),)), op(attrs=(attr("b", default="7"),))
SOURCES = """
packages = [
    { name = "all", coverage = [{ from = "1.0", is = "complete" }, { from = "4.0", is = "open" }] },
    { name = "second", coverage = [{ from = "1.0", is = "second" }] },
]
order = [{ release = "2.1", follows = "2.0" }]
"""


def bundled(folder: Path, second: tuple[tuple[str, str, Prototype], ...] = ()) -> History:
    """A small bundled record: Foo is A, B, A again, then C; Gone ends with 2.0; 4.0 is open."""
    gone = op("Gone")
    registry(
        folder / "in" / "all",
        ("1.0", "2024-01-01", (A, gone)),
        ("2.0", "2024-02-01", (B, gone)),
        ("3.0", "2024-03-01", (A,)),
        ("2.1", "2024-04-01", (B,)),
        ("4.0", "2024-05-01", (C,)),
        ("5.0", "2024-06-01", ()),
    )
    if second:
        registry(folder / "in" / "second", *((v, d, (p,)) for v, d, p in second))
    (folder / "out").mkdir()
    (folder / "out" / "sources.toml").write_text(SOURCES)
    build_history(folder / "in", folder / "out")
    return History([BundledLayer(folder / "out")])


def test_a_prototype_that_comes_back_keeps_its_number(tmp_path: Path) -> None:
    foo = bundled(tmp_path).operator("Foo")
    spans = [[(s.since, s.until) for s in v.spans] for v in foo.versions]
    assert spans == [[("1.0", "1.0"), ("3.0", "3.0")], [("2.0", "2.1")], [("4.0", "4.0")]]
    assert [v.until for v in foo.versions] == ["3.0", "2.1", ""]
    assert foo.removed is None


def test_a_late_maintenance_release_stands_behind_its_own_line(tmp_path: Path) -> None:
    versions = [r.version for r in bundled(tmp_path).releases]
    assert versions == ["1.0", "2.0", "2.1", "3.0", "4.0", "5.0"]
    assert release_order([("a", "2024-02-01"), ("b", "2024-01-01"), ("a", "2020-01-01")]) == [
        "b",
        "a",
    ]


def test_resolve_names_the_version_or_fails_with_the_nearest(tmp_path: Path) -> None:
    history = bundled(tmp_path)
    assert history.resolve("Foo", "2.1").number == 2
    with pytest.raises(UnresolvedVersion) as caught:
        history.resolve("Foo", "5.0")
    assert [(n.number, n.release) for n in caught.value.nearest] == [(3, "4.0")]
    assert "open repositories" in caught.value.message
    with pytest.raises(UnknownOperator) as unknown:
        history.resolve("Fo", "2.0")
    assert unknown.value.nearest == ("Foo",)
    with pytest.raises(UnknownRelease) as release:
        history.resolve("Foo", "2.1.0")
    assert "2.1" in release.value.nearest


def test_absence_is_a_removal_only_where_the_record_is_complete(tmp_path: Path) -> None:
    history = bundled(tmp_path)
    assert [c.kind.name for c in history.diff("2.1", "3.0") if c.op == "Gone"] == []
    removed = [c for c in history.diff("2.0", "3.0") if c.op == "Gone"]
    assert [(c.kind.name, c.certainty) for c in removed] == [("op_removed", Certainty.LIKELY)]
    missing = [c for c in history.diff("4.0", "5.0") if c.op == "Foo"]
    assert [(c.kind.name, c.certainty) for c in missing] == [
        ("op_not_recorded", Certainty.POSSIBLE)
    ]
    gone = history.operator("Gone")
    assert gone.removed is not None
    assert gone.removed.release == "2.1"  # the first complete record without it
    assert len(gone.versions) == 1  # still there


def test_the_second_source_decides_nothing_alone(tmp_path: Path) -> None:
    between = (("1.5", "2024-01-15", B), ("2.0", "2024-02-01", B), ("9.0", "2024-09-01", B))
    history = bundled(tmp_path, between)
    foo = history.operator("Foo")
    record = foo.recorded("1.5")
    assert record is not None
    assert (record.number, record.certainty) == (2, Certainty.LIKELY)  # as in 2.0, by both
    stale = foo.recorded("9.0")
    assert stale is not None
    # It has not moved since 2.0, the first-hand record has: the later one stands.
    assert (stale.number, stale.certainty) == (3, Certainty.LIKELY)


def test_sources_that_disagree_leave_a_release_open(tmp_path: Path) -> None:
    other = op(attrs=(attr("z"),))
    history = bundled(tmp_path, (("3.5", "2024-04-15", other),))
    with pytest.raises(UnresolvedVersion, match="disagree"):
        history.resolve("Foo", "3.5")


def test_an_upper_layer_wins_operator_by_operator(tmp_path: Path) -> None:
    history = bundled(tmp_path)
    mine = registry(
        tmp_path / "mine", ("4.0", "2024-05-01", (A,)), ("4.5", "2024-05-15", (A, op("Own")))
    )
    layered = History([FolderLayer(mine), *history.layers])
    assert layered.resolve("Foo", "4.0").prototype == A
    assert layered.resolve("Foo", "3.0").prototype == A
    assert layered.resolve("Own", "4.5").number == 1
    assert [r.version for r in layered.releases][-3:] == ["4.0", "4.5", "5.0"]
    assert not layered.absence("Gone", "4.5").proven  # a package of its own says nothing of others


def test_a_complete_record_of_others_says_nothing_about_ones_own_operator(tmp_path: Path) -> None:
    """The bundled 8.1.RC1 is complete, and of course has no operator of a team's package."""
    own = registry(
        tmp_path / "own",
        ("o1", "2024-01-01", (op("Own"), op("Left"))),
        ("o2", "2025-01-01", (op("Own"),)),
    )
    history = open_history(own)
    assert history.operator("Own").removed is None
    assert not history.absence("Own", "8.1.RC1").proven
    left = history.operator("Left").removed
    assert left is not None
    assert (left.release, left.certainty) == ("o2", Certainty.LIKELY)


def test_what_could_not_be_read_was_not_removed(tmp_path: Path) -> None:
    folder = registry(
        tmp_path / "own", ("1", "2025-01-01", (op("A"), op("B"))), ("2", "2025-02-01", (op("A"),))
    )
    path = folder / "registry" / "2" / "operators.json"
    broken = {
        "operators": [*json.loads(path.read_text())["operators"], {"op_type": "B", "attrs": 5}]
    }
    path.write_text(json.dumps(broken))
    history = open_history(folder)
    assert history.operator("B").removed is None
    assert not history.absence("B", "2").proven
    (change,) = history.diff("1", "2", package="own")
    assert change.kind.name == "op_not_recorded"
    assert [item.reason for item in history.skipped] == ["B has 'attrs' that is no list"]


def test_export_equals_what_was_built_and_merges_once(tmp_path: Path) -> None:
    layer = bundled(tmp_path).layers[0]
    assert isinstance(layer, BundledLayer)
    export_bundled(tmp_path / "export", layer=layer)
    for path in (tmp_path / "in").rglob("*.json"):
        assert (
            tmp_path / "export" / path.relative_to(tmp_path / "in")
        ).read_bytes() == path.read_bytes()
    again, left_out = merge_folders([tmp_path / "in"], tmp_path / "export")
    assert left_out == ()
    assert {m.outcome for m in again} == {"same"}
    registry(tmp_path / "other" / "all", ("4.0", "2024-05-01", (A,)))
    (conflict,), _ = merge_folders([tmp_path / "other"], tmp_path / "export")
    assert (conflict.outcome, conflict.differing) == ("conflict", ("Foo",))


def test_building_twice_gives_the_same_bytes(tmp_path: Path) -> None:
    bundled(tmp_path)
    (tmp_path / "twice").mkdir()
    (tmp_path / "twice" / "sources.toml").write_text(SOURCES)
    build_history(tmp_path / "in", tmp_path / "twice")
    first = {p.name: p.read_bytes() for p in (tmp_path / "out").iterdir()}
    assert {p.name: p.read_bytes() for p in (tmp_path / "twice").iterdir()} == first


def test_a_damaged_bundle_is_named(tmp_path: Path) -> None:
    history = bundled(tmp_path)
    for shard in (tmp_path / "out").glob("ops-*.z"):
        shard.write_bytes(b"x")
    with pytest.raises(DataError, match=r"ops-"):
        history.operator("Foo")


def test_flags_come_from_the_prototype_and_from_curated_lists() -> None:
    assert prototype_flags(op(inputs=(Port("x", "INPUT", "TensorType({DT_INT8})"),))) == ()
    assert prototype_flags(A) == ("depends_on_default", "dtype_sensitive")
    two = op("LayerNorm", inputs=(Port("x", "INPUT"), Port("g", "INPUT")))
    assert prototype_flags(two) == ("accumulation_order", "positional_inputs")


def test_every_note_names_operators_releases_and_attributes_that_exist() -> None:
    history = open_history()
    for note in behaviour_notes():
        for name in note.operators:
            versions = history.operator(name).versions
            for release in filter(None, (note.since, note.until)):
                history.release(release)
            if note.attribute:
                assert any(v.prototype.attribute(note.attribute) for v in versions), note.id
    assert notes_for("LayerNorm")[0].attribute == "epsilon"


def test_a_note_begins_where_the_record_shows_a_change() -> None:
    """A table of examples names the releases that it compared; a note names the first one."""
    history = open_history()
    for note in behaviour_notes():
        if not note.since or note.until:  # of one release: prototype against kernel
            continue
        for name in note.operators:
            operator = history.operator(name)
            before: tuple[object, ...] | None = None
            starts = set()
            for record in operator.records:
                if record.number:
                    prototype = operator.version(record.number).prototype
                    spec = prototype.attribute(note.attribute)
                    now = (spec,) if note.attribute else (record.number,)
                    if now != before:
                        starts.add(record.release)
                    before = now
            assert note.since in starts, (note.id, name, sorted(starts))


def test_a_note_with_a_misspelt_field_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x.toml").write_text('[[notes]]\nid = "BH999"\noperatrs = ["A"]\n')
    with pytest.raises(DataError, match="operatrs"):
        behaviour_notes(tmp_path)


def test_the_bundled_record_says_what_it_covers() -> None:
    history = open_history()
    coverage = {r.version: r.coverage for r in history.releases}
    assert coverage["8.1.RC1"] is Coverage.COMPLETE
    assert coverage["9.1.0"] is Coverage.OPEN
    assert coverage["8.2.RC1"] is Coverage.SECOND
    assert history.release("8.1.rc1").version == "8.1.RC1"
    changes = history.diff("8.1.RC1", "9.1.0")
    assert not [c for c in changes if c.kind.name == "op_removed"]
    assert [c for c in changes if c.kind.name == "op_not_recorded"]
