"""Finds the folders that travel with the package: rules, manifests and samples.

In a wheel they lie in `preflight/_data/`; in a checkout they lie beside the package.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

from preflight.errors import DataError

_PACKAGE = Path(__file__).parent


@cache
def data_dir(name: str) -> Path:
    """The folder `rules`, `manifests` or `samples`. Raises DataError when the install is broken."""
    for candidate in (_PACKAGE / "_data" / name, _PACKAGE.parent / name):
        if candidate.is_dir():
            return candidate
    raise DataError(
        f"the folder '{name}' that belongs to preflight is missing beside {_PACKAGE}",
        hint="install om-preflight again; the installation is incomplete",
    )


def manifests_dir() -> Path:
    """Facts: releases, SoCs, error codes, ATC options, operator history."""
    return data_dir("manifests")


def rules_dir() -> Path:
    """The rule files, one TOML each, by band."""
    return data_dir("rules")


def samples_dir() -> Path:
    """Small model files of every kind, written by the project's own writer."""
    return data_dir("samples")
