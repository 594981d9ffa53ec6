"""Comparing tensors: measures against numpy, tolerance, order, and the answers."""

from __future__ import annotations

import json
import math
import re
import struct
import sys
import xml.dom.minidom
from pathlib import Path

import numpy
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from preflight.cli import diagnostics
from preflight.cli.app import app
from preflight.compare.tensors import measure as measure_module
from preflight.compare.tensors.compare import TensorStatus, compare_tensors, sensitive_types
from preflight.compare.tensors.decode import element_type
from preflight.compare.tensors.measure import Measure, Stored, Tolerance, measure
from preflight.compare.tensors.order import graph_order
from preflight.container.source import BytesSource
from preflight.model.writer import GraphSpec, OperatorSpec, TensorSpec
from preflight.render.compare_html import render_tensors_html
from preflight.render.tensors_text import render_tensors, tensor_answer
from tests.support.dumps import acl_dump, described, npy, raw_values
from tests.support.models import build, manifest, small_graph

STAMP = 1650000000000000


def stored(values: list[float], name: str = "FLOAT") -> Stored:
    kind = element_type(name)
    assert kind is not None
    data = raw_values(name, values)
    return Stored(BytesSource(data), 0, len(values), kind)


def measured(old: list[float], new: list[float], tolerance: Tolerance | None = None) -> Measure:
    return measure(stored(old), stored(new), tolerance or Tolerance())


FLOATS = st.floats(width=32)


@settings(max_examples=150, deadline=None)
@given(pairs=st.lists(st.tuples(FLOATS, FLOATS), max_size=40), chunk=st.integers(1, 7))
def test_measures_agree_with_numpy(pairs: list[tuple[float, float]], chunk: int) -> None:
    old, new = [a for a, _ in pairs], [b for _, b in pairs]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(measure_module, "CHUNK_ELEMENTS", chunk)
        found = measured(old, new)
    a, b = numpy.array(old, "f8"), numpy.array(new, "f8")
    with numpy.errstate(all="ignore"):
        close = numpy.isclose(b, a, rtol=1e-4, atol=1e-5, equal_nan=True)
        finite = numpy.isfinite(a) & numpy.isfinite(b)
        apart = numpy.abs(b - a)[finite]
    assert found.elements == len(pairs)
    assert found.outside == int((~close).sum())
    assert found.first == (int(numpy.argmin(close)) if not close.all() else None)
    assert found.max_absolute == pytest.approx(float(apart.max(initial=0.0)))
    assert found.nan_old == int(numpy.isnan(a).sum())
    # NaN beside an infinity is one pair that is not finite; both sides count their own
    assert found.inf_new == int(numpy.isinf(b).sum())


@given(values=st.lists(st.floats(-100, 100, width=16), min_size=1, max_size=30))
def test_a_tensor_equals_itself(values: list[float]) -> None:
    found = measure(stored(values, "FLOAT16"), stored(values, "FLOAT16"), Tolerance(0, 0))
    assert (found.outside, found.max_absolute, found.identical) == (0, 0.0, True)
    assert found.cosine is None or found.cosine == pytest.approx(1.0)


def test_nan_and_infinity_are_explicit() -> None:
    nan, inf = math.nan, math.inf
    found = measured([nan, nan, 1.0, inf, inf, 2.0], [nan, 1.0, nan, inf, -inf, 2.0])
    assert (found.nan_old, found.nan_new, found.inf_old, found.inf_new) == (2, 2, 2, 2)
    assert (found.outside, found.first) == (3, 1)
    assert found.max_absolute == 0.0
    assert found.cosine == pytest.approx(1.0)


def test_cosine_has_no_meaning_for_zeros() -> None:
    assert measured([0.0, 0.0], [0.0, 0.0]).cosine is None
    assert measured([0.0, 0.0], [1.0, 0.0]).cosine is None
    assert measured([1.0, 0.0], [-1.0, 0.0]).cosine == -1.0
    assert measured([1.0, 0.0], [0.0, 1.0]).cosine == 0.0


def test_integers_are_exact() -> None:
    kind = element_type("INT64")
    assert kind is not None
    sides = [Stored(BytesSource(struct.pack("<2q", 2**62, value)), 0, 2, kind) for value in (5, 6)]
    found = measure(sides[0], sides[1], Tolerance(0, 0))
    assert (found.outside, found.first, found.max_absolute) == (1, 1, 1.0)


def test_huge_values_do_not_overflow_the_answer() -> None:
    kind = element_type("DOUBLE")
    assert kind is not None
    sides = [Stored(BytesSource(struct.pack("<2d", v, v)), 0, 2, kind) for v in (1.7e308, -1.7e308)]
    found = measure(sides[0], sides[1], Tolerance())
    assert found.outside == 2
    assert found.cosine is None


def dump(folder: Path, kind: str, op: str, task: int, values: list[float]) -> None:
    raw = raw_values("FLOAT", values)
    name = f"{kind}.{op.replace('/', '_')}.{task}.1.{STAMP + task}"
    folder.mkdir(exist_ok=True)
    (folder / name).write_bytes(
        acl_dump(op, [("FLOAT", (len(values),), raw)], [("FLOAT", (len(values),), raw)])
    )


@pytest.fixture
def folders(tmp_path: Path) -> tuple[Path, Path]:
    """The graph runs conv, norm, zz; names and tasks say otherwise. norm drifts first."""
    for side, shift in (("old", 0.0), ("new", 1.0)):
        dump(tmp_path / side, "Conv2D", "conv", 9, [1.0, 2.0])
        dump(tmp_path / side, "LayerNorm", "norm", 7, [1.0 + shift, 2.0])
        dump(tmp_path / side, "TransData", "trans_TransData_4", 8, [1.0, 2.0])
        dump(tmp_path / side, "Add", "added", 1, [1.0 + shift, 2.0])
    return tmp_path / "old", tmp_path / "new"


def test_the_first_operator_that_drifts_is_named(folders: tuple[Path, Path]) -> None:
    by_task = compare_tensors(*folders)
    assert by_task.ordered_by == "task"
    assert by_task.first_drift is not None
    assert by_task.first_drift.op == "added"
    by_graph = compare_tensors(*folders, manifest=manifest(small_graph()))
    assert by_graph.ordered_by == "graph"
    assert by_graph.first_drift is not None
    assert by_graph.first_drift.label == "norm input 0"
    assert tensor_answer(by_graph) == "drift: 4 of 8 tensors, first norm input 0 (LayerNorm)"
    assert [r.op for r in by_graph.rows[::2]] == ["conv", "trans_TransData_4", "norm", "added"]


def test_sensitive_operators_are_held_tighter(tmp_path: Path) -> None:
    for side, value in (("old", 0.0), ("new", 1e-6)):
        dump(tmp_path / side, "Conv2D", "conv", 1, [value])
        dump(tmp_path / side, "SoftmaxV2", "soft", 2, [value])
    statuses = {
        (r.op, r.side): r.status for r in compare_tensors(tmp_path / "old", tmp_path / "new").rows
    }
    assert statuses["conv", "output"] is TensorStatus.WITHIN
    assert statuses["soft", "output"] is TensorStatus.DRIFT
    loose = compare_tensors(tmp_path / "old", tmp_path / "new", sensitive_absolute=1e-5)
    assert loose.first_drift is None
    assert sensitive_types().absolute == 1e-7
    assert sensitive_types().covers("LayerNormV3")
    assert not sensitive_types().covers("Conv2D")


def test_what_cannot_be_compared_is_not_passed_over(tmp_path: Path) -> None:
    old, new = tmp_path / "old", tmp_path / "new"
    for folder in (old, new):
        folder.mkdir()
    (old / "a.npy").write_bytes(npy([1.0, 2.0], (2,)))
    (new / "a.npy").write_bytes(npy([1.0, 2.0, 3.0], (3,)))
    (old / "b.npy").write_bytes(npy([1.0, 2.0, 3.0, 4.0], (2, 2), order=True))
    (new / "b.npy").write_bytes(npy([1.0, 2.0, 3.0, 4.0], (2, 2)))
    (old / "c.npy").write_bytes(npy([1.0], (1,)))
    (old / "d.npy").write_bytes(npy([1.0, 2.0], (1, 2)))
    (new / "d.npy").write_bytes(npy([1.0, 2.0], (2,), ">f2"))
    described(old, "e.bin", b"\1", dtype="HIFLOAT8", shape=[1])
    described(new, "e.bin", b"\2", dtype="HIFLOAT8", shape=[1])
    comparison = compare_tensors(old, new)
    assert {r.op: (r.status, r.reason) for r in comparison.rows} == {
        "a": (TensorStatus.INCOMPARABLE, "shape [2] against [3]"),
        "b": (TensorStatus.INCOMPARABLE, "stored in different axis orders"),
        "c": (TensorStatus.OLD_ONLY, "no partner"),
        "d": (TensorStatus.SAME, "FLOAT against FLOAT16"),
        "e": (TensorStatus.INCOMPARABLE, "values of HIFLOAT8 cannot be read"),
    }
    answer = tensor_answer(comparison)
    assert answer == "no drift in 1 tensor; 3 incomparable, 1 without partner"


def fused_dump(
    folder: Path, name: str, value: float, origin: tuple[str, int] | None = None
) -> None:
    op = name.split(".")[1]
    raw = raw_values("FLOAT", [value])
    folder.mkdir(exist_ok=True)
    (folder / name).write_bytes(acl_dump(op, [("FLOAT", (1,), raw)], origin=origin))


def test_an_output_that_fusion_renamed_is_found_by_its_source_node(tmp_path: Path) -> None:
    old, new = tmp_path / "old", tmp_path / "new"
    fused_dump(old, "Relu.relu1.2.1.1650000000000000", 1.0)
    fused_dump(old, "Add.add.3.1.1650000000000000", 2.0, ("add", 0))
    fused_dump(new, "Conv2D.conv1relu1.2.1.1650000000000000", 1.5, ("relu1", 0))
    fused_dump(new, "Add.add_2.3.1.1650000000000000", 2.0, ("add", 0))
    rows = {r.op: r for r in compare_tensors(old, new).rows}
    assert {op: r.status for op, r in rows.items()} == {
        "conv1relu1": TensorStatus.DRIFT,
        "add_2": TensorStatus.SAME,
    }
    assert rows["conv1relu1"].reason == "was relu1 output 0"


def test_a_source_node_that_two_outputs_claim_pairs_neither(tmp_path: Path) -> None:
    old, new = tmp_path / "old", tmp_path / "new"
    fused_dump(old, "Relu.relu1.2.1.1650000000000000", 1.0)
    for name in ("a", "b"):
        fused_dump(new, f"Conv2D.{name}.2.1.1650000000000000", 1.0, ("relu1", 0))
    statuses = sorted(r.status for r in compare_tensors(old, new).rows)
    assert statuses == [TensorStatus.NEW_ONLY, TensorStatus.NEW_ONLY, TensorStatus.OLD_ONLY]


def test_repeated_runs_are_paired_in_their_order(tmp_path: Path) -> None:
    for side in ("old", "new"):
        for step, value in enumerate((1.0, 5.0)):
            folder = tmp_path / side / str(step)
            folder.mkdir(parents=True)
            dump(folder, "Relu", "r", step, [value])
    comparison = compare_tensors(tmp_path / "old", tmp_path / "new")
    assert [r.status for r in comparison.rows] == [TensorStatus.SAME] * 4
    assert [r.occurrence for r in comparison.rows] == [0, 0, 1, 1]


def test_the_order_of_a_graph_with_inner_graphs() -> None:
    desc = (TensorSpec(),)
    outer = GraphSpec(
        "main",
        (
            OperatorSpec("last", "Relu", ("call:0",), desc, desc),
            OperatorSpec("call", "PartitionedCall", ("x:0",), desc, desc, subgraphs=("body",)),
            OperatorSpec("x", "Data", (), desc, desc),
        ),
    )
    inner = GraphSpec("body", (OperatorSpec("in/side", "Abs", (), desc, desc),))
    order = graph_order(manifest(outer, inner))
    assert sorted(order, key=lambda name: order[name][0]) == ["x", "call", "in_side", "last"]
    assert order["in_side"][1] == "Abs"


def call(monkeypatch: pytest.MonkeyPatch, *arguments: object) -> int:
    monkeypatch.setattr(sys, "argv", ["preflight", "compare", *map(str, arguments)])
    return diagnostics.run(app)


def test_on_the_command_line(
    folders: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    model = folders[0].parent / "m.om"
    model.write_bytes(build())
    picture = folders[0].parent / "p.html"
    options = ("--tensors", *folders, "--model", model, "--html", picture)
    assert call(monkeypatch, *options) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "drift: 4 of 8 tensors, first norm input 0 (LayerNorm)"
    assert lines[-1].startswith("next: preflight compare")
    assert picture.read_text().startswith("<!doctype html>")
    assert call(monkeypatch, *options, "--json") == 1
    report = json.loads(capsys.readouterr().out)
    assert report["first_drift"]["op"] == "norm"
    assert report["counts"] == {"drift": 4, "same": 4}
    assert call(monkeypatch, "--tensors", folders[0], folders[0]) == 0
    (folders[1] / "x.bin").write_bytes(b"?")
    assert call(monkeypatch, "--tensors", *folders) == 3
    assert "x.bin" in capsys.readouterr().out
    folders[0].with_name("empty").mkdir()
    assert call(monkeypatch, "--tensors", folders[0], folders[0].with_name("empty")) == 3


def test_the_picture_holds_no_script_and_nothing_raw(tmp_path: Path) -> None:
    evil = "<script>alert(1)</script>\x1b[31m\"'&"
    for side, value in (("old", 1.0), ("new", math.nan)):
        folder = tmp_path / side
        folder.mkdir()
        described(
            folder, "a.bin", struct.pack("<f", value), dtype="float32", shape=[1], op_name=evil
        )
        described(folder, "b.bin", struct.pack("<f", 1.0), dtype="float32", shape=[1], op_name="b")
        described(folder, f"{side}.bin", b"\0\0\0\0", dtype="float32", shape=[1], op_name=side)
    page = render_tensors_html(compare_tensors(tmp_path / "old", tmp_path / "new"))
    assert "<script" not in page
    assert "\x1b" not in page
    assert "&lt;script&gt;" in page
    assert not re.search(r"(src|href)=|url\(|http:|https:", page)
    svg = page[page.index("<svg") : page.index("</svg>") + 6]
    document = xml.dom.minidom.parseString(svg)  # well formed
    assert len(document.getElementsByTagName("circle")) == 2 + 3  # tensors and the legend
    assert "first drift" in svg


def test_text_from_files_is_escaped(tmp_path: Path) -> None:
    for side, value in (("old", 1.0), ("new", 3.0)):
        folder = tmp_path / side
        folder.mkdir()
        described(
            folder,
            "a.bin",
            struct.pack("<f", value),
            dtype="float32",
            shape=[1],
            op_name="\x1b[2Jx",
        )
    text = render_tensors(compare_tensors(tmp_path / "old", tmp_path / "new"))
    assert "\x1b" not in text
    assert "\\x1b[2Jx output 0" in text


def test_a_table_is_never_wider_than_a_terminal(tmp_path: Path) -> None:
    """Long names keep their ends; what a column cannot hold follows in a line of its own."""
    values = [[1.0, 2.0], [1.0, float("nan")], [5.0, 2.0]]
    for side, numbers in (("old", [[1.0, 2.0]] * 3), ("new", values)):
        folder = tmp_path / side
        folder.mkdir()
        for number, content in enumerate(numbers):
            name = f"{'backbone_stage_' * 8}{number}"
            kind = "AVeryLongOperatorTypeOfSomebody"
            described(
                folder,
                f"{number}.bin",
                struct.pack("<2f", *content),
                dtype="float32",
                shape=[2],
                op_name=name,
                op_type=kind,
            )
    text = render_tensors(compare_tensors(tmp_path / "old", tmp_path / "new"), limit=None)
    table = text[text.index("\ntensor") : text.index("\nnext:")].splitlines()
    assert max(map(len, table)) <= 100
    assert "    NaN: 0 old, 1 new" in table
    rows = [line for line in table if line.startswith("…")]
    assert [line.split(" output")[0][-1] for line in rows] == ["0", "1", "2"]
    assert "outside: |new - old| is more than 1e-05 + 0.0001·|old|" in table
