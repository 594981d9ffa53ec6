"""Which loader generation stands behind the `ge_version` of a row."""

from __future__ import annotations

from functools import cache

from preflight import api

DEVELOPMENT = {"master": "9.2.0"}  # the vectors' README: master is 9.2 in development


@cache
def behaviour_of(ge_version: str) -> api.ReleaseBehaviour:
    """The behaviour that `v9.0.1`, `v9.2.0-beta.1` or `master` names.

    A release that is not listed behaves like the nearest one below it. Raises ValueError when
    nothing is known of it: such a row cannot be judged, which is a disagreement.
    """
    version = DEVELOPMENT.get(ge_version, ge_version.removeprefix("v"))
    fact = api.behaviour_of_version(version)
    if fact.value is None:
        raise ValueError(f"no loader behaviour for ge_version {ge_version!r}: {fact.source}")
    return fact.value
