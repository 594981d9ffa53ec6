"""Hostile input: every mutant of every small model ends in a result or in one clear error."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.support.mutation import mutants, seeds, survives

ROOT = Path(__file__).resolve().parent.parent
COUNT = int(os.environ.get("PREFLIGHT_MUTATIONS", "2000"))
PARTS = 4


@pytest.mark.slow
@pytest.mark.parametrize("part", range(PARTS))
def test_mutants_survive(part: int) -> None:
    files = seeds(ROOT)
    assert len(files) >= 10, "the project's own samples are the seeds"
    failures = [
        f"{name}: {problem}"
        for name, data in mutants(files, COUNT // PARTS, part)
        if (problem := survives(data))
    ]
    assert not failures, "\n".join(failures[:5])
