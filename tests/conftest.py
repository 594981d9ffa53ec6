"""Fixtures that every test folder uses."""

from __future__ import annotations

from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
SHARED = ROOT.parent / "shared"


@pytest.fixture(scope="session")
def shared() -> Path:
    """The shared folder of real files and vectors beside the checkout; skips where it is absent."""
    if not SHARED.is_dir():
        pytest.skip("the shared folder is not beside this checkout: no real files to test on")
    return SHARED
