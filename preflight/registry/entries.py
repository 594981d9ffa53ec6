"""What listing a registry yields: releases, and what had to be left out."""

from __future__ import annotations

from preflight.values import dataclass


@dataclass(frozen=True, slots=True)
class Skipped:
    """Something that was left out while reading, and why."""

    where: str
    reason: str


@dataclass(frozen=True, slots=True)
class ReleaseEntry:
    """One release of a package: dates as YYYY-MM-DD, `branch` empty where metadata has none."""

    version: str
    date: str
    branch: str = ""
