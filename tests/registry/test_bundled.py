"""The bundled history against the registries it is made from, and against what is known of them."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from preflight.data import manifests_dir
from preflight.registry.behaviour import notes_for
from preflight.registry.compact import SOURCES, build_history
from preflight.registry.history import open_history
from preflight.registry.transfer import export_bundled
from preflight.render.history import render_history
from tests.conftest import ROOT

GOLDEN = Path(__file__).parent / "golden"
OPERATORS = ("Celu", "Concat", "FlashAttentionScore", "GroupNorm", "GroupNormV2", "LayerNorm")


@pytest.mark.parametrize("name", OPERATORS)
def test_histories_of_operators_with_several_versions(name: str) -> None:
    history = open_history()
    operator, steps, notes = history.operator(name), history.steps(name), notes_for(name)
    returns, gaps = history.returns(name), history.gaps(name)
    text = render_history(operator, steps, notes, returns=returns, gaps=gaps)
    assert text == (GOLDEN / f"{name}.txt").read_text(encoding="utf-8")


def test_rebuilding_gives_the_committed_bytes(shared: Path, tmp_path: Path) -> None:
    committed = manifests_dir() / "history"
    (tmp_path / SOURCES).write_bytes((committed / SOURCES).read_bytes())
    build_history(shared / "registries", tmp_path)
    for path in sorted(tmp_path.iterdir()):
        assert path.read_bytes() == (committed / path.name).read_bytes(), path.name


def test_the_bundled_history_is_small() -> None:
    size = sum(p.stat().st_size for p in (manifests_dir() / "history").iterdir())
    assert size < 2_000_000


def _examples(shared: Path) -> list[list[str]]:
    """Rows of the table of real examples: op, kind, field, old, new, releases."""
    text = (shared / "registries" / "evolution.md").read_text(encoding="utf-8")
    table = text.split("## 66 real examples")[1].split("\n## ")[0]
    rows = [
        line.strip("|").split(" | ") for line in table.splitlines() if re.match(r"\| \d+ ", line)
    ]
    return [[cell.strip() for cell in row[1:7]] for row in rows]


def test_every_known_example_is_found_with_its_kind_and_values(shared: Path) -> None:
    history = open_history()
    packages = ("all", "math", "nn", "cv", "transformer")
    examples = _examples(shared)
    assert len(examples) == 66
    for op_type, kind, field, old, new, releases in examples:
        before, after = releases.split(" -> ")
        changes = [
            c
            for package in packages
            if {before, after} <= {r.version for r in history.layers[0].releases(package)}
            for c in history.diff(before, after, package=package, only=[op_type])
        ]
        wanted = (
            kind,
            field,
            *(None if text == "-" and "dtype" not in kind else text for text in (old, new)),
        )
        if kind == "op_removed":  # the table names the header, which registries do not record
            wanted = (kind, field, None, None)
        found = {(c.kind.name, c.field, c.old, c.new) for c in changes}
        assert wanted in found, (op_type, wanted, sorted(found, key=str))


def test_the_folder_is_what_the_readme_of_the_registries_says(shared: Path) -> None:
    index = json.loads((manifests_dir() / "history" / "index.json").read_bytes())
    counted = {name: len(facts["releases"]) for name, facts in index["packages"].items()}
    folders = {
        path.parent.name: len(json.loads(path.read_bytes())["releases"])
        for path in (shared / "registries").glob("*/index.json")
    }
    assert counted == folders


def test_golden_files_have_a_test() -> None:
    assert sorted(p.stem for p in GOLDEN.glob("*.txt")) == sorted(OPERATORS)
    assert (ROOT / "manifests" / "history" / SOURCES).is_file()


@pytest.mark.parametrize("package", ["all", "math", "nn", "cv", "transformer", "torchair"])
def test_what_is_exported_equals_its_source(shared: Path, tmp_path: Path, package: str) -> None:
    """Operators, symbols, metadata and dates, of the first, a middle and the last release."""
    source = shared / "registries" / package
    entries = json.loads((source / "index.json").read_bytes())["releases"]
    chosen = [entries[i] for i in sorted({0, len(entries) // 2, len(entries) - 1})]
    names = tuple(entry["release_version"] for entry in chosen)
    export_bundled(tmp_path, names, (package,))
    written = json.loads((tmp_path / package / "index.json").read_bytes())
    by_name = {entry["release_version"]: entry for entry in written["releases"]}
    assert by_name == {entry["release_version"]: entry for entry in chosen}
    for name in names:
        for path in sorted((source / "registry" / name).iterdir()):
            twin = tmp_path / package / "registry" / name / path.name
            assert json.loads(twin.read_bytes()) == json.loads(path.read_bytes()), twin
