"""The documented library surface; the command line and other programs reach the rest through it.

Names are imported when they are first used, so that a program that only inspects does not pay for
registries or plans. The two lists below say the same thing twice, once for type checkers and once
for the interpreter; a test compares them.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from preflight.findings import Finding as Finding
    from preflight.target.catalog import known_releases as known_releases
    from preflight.target.catalog import known_socs as known_socs
    from preflight.target.resolve import load_target as load_target
    from preflight.target.types import Fact as Fact
    from preflight.target.types import Target as Target
    from preflight.versions import CannVersion as CannVersion

# public name -> module that defines it
_WHERE: dict[str, str] = {
    "CannVersion": "preflight.versions",
    "Fact": "preflight.target.types",
    "Finding": "preflight.findings",
    "Target": "preflight.target.types",
    "known_releases": "preflight.target.catalog",
    "known_socs": "preflight.target.catalog",
    "load_target": "preflight.target.resolve",
}


def __getattr__(name: str) -> Any:
    module = _WHERE.get(name)
    if module is None:
        raise AttributeError(f"module 'preflight.api' has no attribute {name!r}")
    value = getattr(importlib.import_module(module), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(_WHERE)
