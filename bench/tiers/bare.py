"""A target of which only the loader generation is known, for vectors without an environment."""

from __future__ import annotations

from functools import cache
from typing import Any

from preflight import api
from tiers.releases import behaviour_of


@cache
def bare_target(ge_version: str, soc_answer: str = "") -> Any:
    """`soc_answer` is what the runtime's SoC check is assumed to answer; empty: nobody is asked."""
    behaviour = api.Fact(behaviour_of(ge_version), "vectors")
    nothing = api.Fact(None, "not part of these vectors", known=False)
    return api.Target(
        name=ge_version,
        origin="catalogue",
        release=nothing,
        internal=nothing,
        behaviour=behaviour,
        soc=nothing,
        socs={},
        host_os=nothing,
        host_cpu=nothing,
        abi_range=nothing,
        opp_version=nothing,
        driver=nothing,
        soc_answer=soc_answer,
    )
