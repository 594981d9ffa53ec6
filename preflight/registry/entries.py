"""What listing a registry yields: releases, and what had to be left out."""

from __future__ import annotations

from msgspec import Struct


class Skipped(Struct, frozen=True):
    """Something that was left out while reading, and why."""

    where: str
    reason: str


class ReleaseEntry(Struct, frozen=True):
    """One release of a package: dates as YYYY-MM-DD, `branch` empty where metadata has none."""

    version: str
    date: str
    branch: str = ""
