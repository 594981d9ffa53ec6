"""The closed vocabulary of facts that rules may need, and how each is found in a context.

A rule lists in `[applies] needs` the facts without which it cannot be decided. Every name here has
a resolver that says whether the fact is known and who says so; a misspelt name fails when the rule
is loaded.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from msgspec import Struct

from preflight.checks.context import Context
from preflight.findings import Certainty
from preflight.target.types import Fact, SocFacts


class Answer(Struct, frozen=True):
    """Whether a fact is known, what it is, who says so (or why nobody can tell) and how surely."""

    known: bool
    value: object
    source: str
    certainty: Certainty = Certainty.CERTAIN


Resolver = Callable[[Context], Answer]

# The loader reads this name as the first SoC of its family (spec/om-format.md §D.3).
_LOADER_NAMES = {"Ascend910": "Ascend910A"}


def known_soc(context: Context, name: str) -> SocFacts | None:
    """What the target knows of a SoC, by the name the loader would look up."""
    return context.target.socs.get(_LOADER_NAMES.get(name, name))


def _of_fact(fact: Fact[object]) -> Answer:
    return Answer(fact.known, fact.value, fact.source, fact.certainty)


def _target_fact(field: str) -> Resolver:
    def resolve(context: Context) -> Answer:
        return _of_fact(getattr(context.target, field))

    return resolve


def _model_fact(field: str) -> Resolver:
    def resolve(context: Context) -> Answer:
        if context.manifest is None:
            return Answer(False, None, "the file has no readable model definition")
        return Answer(True, getattr(context.manifest, field), "model definition, block 0")

    return resolve


def _header(context: Context) -> Answer:
    if context.header is None:
        return Answer(False, None, "the file has no readable header")
    return Answer(True, context.header, "file header")


def _manifest(context: Context) -> Answer:
    if context.manifest is None:
        return Answer(False, None, "the file has no readable model definition")
    return Answer(True, context.manifest, "model definition")


def _soc_facts(context: Context) -> Answer:
    soc = context.target.soc
    if not soc.known or soc.value is None:
        return Answer(False, None, soc.source or "the target names no SoC")
    if not context.target.socs:
        return Answer(False, None, "the platform files of the target are not known")
    found = known_soc(context, soc.value)
    if found is None:
        return Answer(False, None, f"no platform file or catalogue entry describes {soc.value}")
    return Answer(True, found, found.source, soc.certainty)


def _socs(context: Context) -> Answer:
    if not context.target.socs:
        return Answer(False, None, "the target's platform files are not known")
    return Answer(True, context.target.socs, "platform files of the target")


def _installed(field: str, what: str) -> Resolver:
    """Known where a tree was looked at; a catalogue target cannot say."""

    def resolve(context: Context) -> Answer:
        value = getattr(context.target, field)
        if not value and context.target.origin == "catalogue":
            return Answer(
                False, None, f"a catalogue target does not say which {what} are installed"
            )
        return Answer(True, value, context.target.name)

    return resolve


def _kernels(context: Context) -> Answer:
    source = context.target.kernels_source
    if not source:
        return Answer(False, None, "the operators with kernels on the target are not known")
    return Answer(True, context.target.kernels, source)


def _history(context: Context) -> Answer:
    if context.history is None:
        return Answer(False, None, "no operator history covers the target's release")
    return Answer(True, context.history, "operator history registries")  # opened by whom needs it


FACTS: Mapping[str, Resolver] = {
    "model.header": _header,
    "model.manifest": _manifest,
    "model.soc_version": _model_fact("soc_version"),
    "model.arch_type": _model_fact("arch_type"),
    "model.atc_version": _model_fact("atc_version"),
    "model.opp_version": _model_fact("opp_version"),
    "model.compiler_version": _model_fact("compiler_version"),
    "model.atc_command": _model_fact("atc_command"),
    "model.host_env": _model_fact("host_env_os"),
    "model.so_store": _model_fact("so_store"),
    "model.inputs": _model_fact("inputs"),
    "model.operators": _model_fact("operators"),
    "model.kernels": _model_fact("kernels"),
    "model.memory": _model_fact("memory"),
    "model.external_weights": _model_fact("external_weights"),
    "model.attributes": _model_fact("attributes"),
    "target.release": _target_fact("release"),
    "target.internal": _target_fact("internal"),
    "target.behaviour": _target_fact("behaviour"),
    "target.soc": _target_fact("soc"),
    "target.soc_facts": _soc_facts,
    "target.socs": _socs,
    "target.host_os": _target_fact("host_os"),
    "target.host_cpu": _target_fact("host_cpu"),
    "target.abi_range": _target_fact("abi_range"),
    "target.opp_version": _target_fact("opp_version"),
    "target.driver": _target_fact("driver"),
    "target.packages": _installed("packages", "packages"),
    "target.vendors": _installed("vendors", "custom operator packages"),
    "target.kernels": _kernels,
    "target.history": _history,
}

# What to do when a fact is missing, shown beside the rule that could not be decided.
SUPPLY: Mapping[str, str] = {
    "target.release": "name the release: --target 8.1.RC1/Ascend910B3",
    "target.internal": "check against the installed tree, or capture it: preflight target capture",
    "target.behaviour": "choose a release whose loader is known: preflight target list",
    "target.soc": "name the SoC: --target RELEASE/SOC, for example 8.1.RC1/Ascend910B3",
    "target.soc_facts": "name a SoC that the release has (preflight target list), or check against "
    "the installed tree",
    "target.socs": "check against the installed tree, or capture it: preflight target capture",
    "target.host_os": "name the host: --target RELEASE/SOC/linux-aarch64",
    "target.host_cpu": "name the host: --target RELEASE/SOC/linux-aarch64",
    "target.abi_range": "capture the host's version files: preflight target capture",
    "target.opp_version": "capture the host's version files: preflight target capture",
    "target.driver": "capture the host's driver files: preflight target capture",
    "target.packages": "capture the host's version files: preflight target capture",
    "target.vendors": "capture the host's operator packages: preflight target capture",
    "target.kernels": "capture the host's operator packages: preflight target capture",
    "target.history": "name a release with an operator history: preflight registry list",
}


# Facts that nobody can give before the SoC is named.
_OF_SOC = frozenset({"target.soc", "target.soc_facts", "target.kernels"})
_EXAMPLE_SOC = "Ascend910B3"


def supply(name: str, context: Context) -> str:
    """What to do about a missing fact of this very target; empty for facts of the model."""
    target = context.target
    if name in _OF_SOC and not target.soc.known:
        soc = likely_soc(context) or _EXAMPLE_SOC
        if target.origin == "catalogue":
            return f"name the SoC: --target {target.release.value or 'RELEASE'}/{soc}"
        return f"name the SoC behind the target: --target TARGET@{soc}"
    if name == "target.kernels" and target.origin == "installed":
        return f"this installation has no operator configs of {target.soc.value}"
    if name == "target.kernels" and target.origin == "snapshot":
        return f"capture the target again with its SoC: --soc {target.soc.value}"
    return SUPPLY.get(name, "")


def likely_soc(context: Context) -> str:
    """The SoC that the model is for, where the target's release has it; else empty."""
    soc = context.manifest.soc_version if context.manifest is not None else ""
    return soc if soc in context.target.socs else ""


def resolve(name: str, context: Context) -> Answer:
    """The answer to one fact name. Raises KeyError for a name outside the vocabulary."""
    return FACTS[name](context)


def behaviour_certainty(context: Context, field: str) -> Certainty:
    """How surely one value of the target's release behaviour is known.

    A behaviour as a whole may be less sure than each of its values: that of a release which nobody
    has seen is taken from its nearest neighbour, and then none of them is surer than that.
    """
    fact = context.target.behaviour
    if fact.value is None:
        return fact.certainty
    own = fact.value.certainties
    if behaviour_is_guess(context):
        return fact.certainty
    return own.get(field, fact.certainty)


def behaviour_source(context: Context, field: str) -> str:
    """Who says what one value of the target's release behaviour is."""
    fact = context.target.behaviour
    if fact.value is None or behaviour_is_guess(context):
        return fact.source
    return fact.value.sources.get(field, fact.source)


def behaviour_is_guess(context: Context) -> bool:
    """Whether the target's loader is a guess from a neighbour, whatever is known of that one."""
    fact = context.target.behaviour
    if fact.value is None or fact.certainty is not Certainty.POSSIBLE:
        return False
    return all(c is not Certainty.POSSIBLE for c in fact.value.certainties.values())


def is_settled(context: Context, field: str) -> bool:
    """Whether a value of the release behaviour may decide: known, and not merely possible."""
    if context.behaviour is None:
        return False
    return behaviour_certainty(context, field) is not Certainty.POSSIBLE


def loader_not_known(context: Context) -> str:
    """Why a check that differs between releases cannot be decided for this target."""
    fact = context.target.behaviour
    if not fact.known or fact.value is None:
        return fact.source or "the target's release is not known"
    return f"whether this loader has the check is a guess ({fact.source})"
