"""Architectures of SoCs by the names that people use for the devices that have them."""

from __future__ import annotations

from collections.abc import Iterator

from preflight.checks.context import Context
from preflight.target.manifests import soc_catalogue, soc_table
from preflight.target.types import SocFacts

ARCH_TYPE = "arch_type"  # what loaders up to 9.0.1 compare (spec/om-format.md §D.3)
NPU_ARCH = "npu_arch"  # what loaders from 9.1 on compare
_KEYS = {ARCH_TYPE: "arch_type", NPU_ARCH: "NpuArch"}


def architecture_name(context: Context, key: str, value: str) -> str:
    """ "arch_type 3, 910A family"; without a family where nobody describes such a device."""
    if not value:
        return "of an unknown architecture"
    families = "/".join(dict.fromkeys(_families(context, key, value)))
    named = f"{_KEYS[key]} {value}"
    return f"{named}, {families} family" if families else named


def _families(context: Context, key: str, value: str) -> Iterator[str]:
    """Families with a SoC of that architecture; the target's own table counts before ours."""
    table: dict[str, SocFacts] = {**soc_table("both"), **context.target.socs}
    like = {name for name, facts in table.items() if getattr(facts, key) == value}
    for family in soc_catalogue().families:
        if like & set(family.socs):
            yield family.name.partition(" ")[0]
            like -= set(family.socs)
    yield from sorted({table[name].short.removeprefix("Ascend") for name in like})
