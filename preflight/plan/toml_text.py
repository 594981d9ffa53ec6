"""Writes TOML; the writer itself is shared with target snapshots."""

from __future__ import annotations

from preflight.toml_text import dumps as dumps
