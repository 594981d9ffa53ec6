"""The loader's own verdicts and real files, where they lie beside the checkout."""

from __future__ import annotations

import sys
from argparse import Namespace
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "bench"))

from tiers import corpus, vectors  # noqa: E402

pytestmark = pytest.mark.shared


def test_model_definition_vectors_all_agree(
    shared: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tally = vectors.run(Namespace(dir=shared / "vectors", tier=["T4"], release=None))
    assert tally.disagreed == 0, capsys.readouterr().out
    assert tally.agreed > 1000


def test_corpus_all_agrees(shared: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tally = corpus.run(Namespace(dir=shared / "corpus"))
    assert tally.disagreed == 0, capsys.readouterr().out
    assert tally.agreed >= 40


def test_disagreement_is_noticed(shared: Path) -> None:
    row = next(r for r in vectors.rows(shared / "corpus" / "index.jsonl") if r["kind"] == "om")
    row["om"]["name"] = "other"
    assert corpus.differences(row, shared / "corpus")
