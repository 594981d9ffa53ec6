"""Fusion result files of all layouts, and what changed between two of them."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from preflight.cli import diagnostics
from preflight.cli.app import app
from preflight.compare.fusion import PassCounts, compare_fusion, read_fusion_results
from preflight.errors import MalformedInput, PreflightError


def passes(**counts: tuple[int, int]) -> dict[str, dict[str, str]]:
    return {n: {"match_times": str(m), "effect_times": str(e)} for n, (m, e) in counts.items()}


def write(path: Path, *values: object) -> Path:
    path.write_text("\n".join(json.dumps(v) for v in values))
    return path


ONE = passes(ConvBatchnormFusionPass=(3, 3), Other=(1, 0))
LAYOUTS: dict[str, tuple[object, ...]] = {
    "oldest": (
        {"graphId": "1", "sessionId": "0", "graph_fusion": ONE},
        {"graphId": "2", "sessionId": "0"},
    ),
    "one after another": (
        {"session_and_graph_id": "0_1", "graph_fusion": ONE},
        {"session_and_graph_id": "0_2"},
    ),
    "array": (
        [{"session_and_graph_id": "0_1", "graph_fusion": ONE}, {"session_and_graph_id": "0_2"}],
    ),
    "keyed": ({"session_and_graph_id_0_1": {"graph_fusion": ONE}, "session_and_graph_id_0_2": {}},),
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_layouts_of_all_releases(tmp_path: Path, layout: str) -> None:
    first, second = read_fusion_results(write(tmp_path / "f.json", *LAYOUTS[layout]))
    assert (first.id, second.id) == ("0_1", "0_2")
    assert first.passes["graph_fusion", "ConvBatchnormFusionPass"] == PassCounts(3, 3)
    assert second.passes == {}


def test_empty_files_list_nothing(tmp_path: Path) -> None:
    for text in ("", "null", "[]", "{}", " \n"):
        (tmp_path / "f.json").write_text(text)
        assert read_fusion_results(tmp_path / "f.json") == ()
    comparison = compare_fusion(tmp_path / "f.json", tmp_path / "f.json")
    assert (comparison.graphs, comparison.share) == (0, 0.0)


def test_the_share_of_graphs_that_changed(tmp_path: Path) -> None:
    same = {"graph_fusion": ONE, "ub_fusion": passes(Ub=(2, 2))}
    moved = {
        "graph_fusion": passes(ConvBatchnormFusionPass=(3, 2), Idle=(0, 0)),
        "ub_fusion": passes(Ub=(2, 2)),
    }
    ids = [f"session_and_graph_id_0_{n}" for n in range(4)]
    old = write(tmp_path / "old.json", dict.fromkeys(ids, same))
    new = write(tmp_path / "new.json", {**dict.fromkeys(ids, same), ids[1]: moved})
    comparison = compare_fusion(old, new)
    assert (comparison.graphs, comparison.changed, comparison.share) == (4, 1, 0.25)
    assert [(c.graph, c.name, c.old, c.new) for c in comparison.changes] == [
        ("0_1", "ConvBatchnormFusionPass", PassCounts(3, 3), PassCounts(3, 2)),
        ("0_1", "Other", PassCounts(1, 0), None),
    ]
    assert compare_fusion(old, old).changes == ()


def test_graphs_are_paired_in_order_where_numbers_start_anew(tmp_path: Path) -> None:
    old = write(tmp_path / "old.json", {"session_and_graph_id": "0_1", "graph_fusion": ONE})
    new = write(
        tmp_path / "new.json",
        {"session_and_graph_id": "5_9", "graph_fusion": ONE},
        {"session_and_graph_id": "5_10", "graph_fusion": ONE},
    )
    comparison = compare_fusion(old, new)
    assert comparison.paired_by == "order"
    assert (comparison.graphs, comparison.changed) == (2, 1)
    assert comparison.new_only == ("5_10",)


@pytest.mark.parametrize(
    "text", ["{", "[1]", '"x"', '{"a": 1}', '{"graphId": 1, "graph_fusion": [1]}', "[" * 9999]
)
def test_other_files_are_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "f.json").write_text(text)
    with pytest.raises(MalformedInput):
        read_fusion_results(tmp_path / "f.json")


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["graph_fusion", "ub_fusion", "graphId", "x"]), inner, max_size=3
        )
    ),
    max_leaves=8,
)


@settings(max_examples=100, deadline=None)
@given(value=JSON)
def test_only_our_errors_leave_the_reader(
    value: object, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = write(tmp_path_factory.mktemp("f") / "f.json", value)
    try:
        comparison = compare_fusion(path, path)
    except PreflightError:
        return
    assert comparison.changed == 0


def test_on_the_command_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    old = write(tmp_path / "old.json", {"session_and_graph_id": "0_1", "graph_fusion": ONE})
    new = write(
        tmp_path / "new.json", {"session_and_graph_id": "0_1", "graph_fusion": passes(Other=(1, 0))}
    )

    def call(*arguments: object) -> int:
        monkeypatch.setattr(sys, "argv", ["preflight", "compare", "--fusion", *map(str, arguments)])
        return diagnostics.run(app)

    assert call(old, new) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "1 of 1 graphs (100%) was rewritten differently, by 1 pass"
    assert any("ConvBatchnormFusionPass" in line and "3/3" in line for line in lines)
    assert call(old, old) == 0
    assert capsys.readouterr().out.startswith("the passes rewrote all 1 graphs in the same way")
    assert call(old, new, "--json") == 1
    report = json.loads(capsys.readouterr().out)
    assert (report["share"], report["changes"][0]["new"]) == (1.0, None)
