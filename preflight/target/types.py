"""A target: where a model should run, each fact with its source and how sure it is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Generic, TypeVar

from msgspec import Struct, field

from preflight.findings import Certainty

T = TypeVar("T")


class Fact(Struct, Generic[T], frozen=True):
    """A value with where it comes from; `known` False means nobody could tell (`source` says why).

    A known fact may have the value None: the thing is known to be absent (no version file, say),
    which is different from not knowing.
    """

    value: T | None
    source: str
    known: bool = True
    certainty: Certainty = Certainty.CERTAIN


def unknown(reason: str) -> Fact[T]:
    """A fact nobody could tell, with the reason."""
    return Fact(None, reason, known=False, certainty=Certainty.POSSIBLE)


class ReleaseBehaviour(Struct, frozen=True):
    """What one generation of the loader does where generations differ (manifests/behaviour/*.toml).

    `id` names it ("ge-9.0.1"); every field has its source in the manifest.
    """

    id: str
    label: str
    partition_extra: int  # k of §A.4: accepted counts are {1,3,4,5}+0..k
    soc_rule: str  # "arch_type" | "npu_arch"
    abi_padding: bool  # minor component right-padded to five digits (§D.4 step 4)
    so_store_fatal: bool
    custom_ops: bool
    om2: bool
    bundle_var_info: bool
    soc_message_codes: tuple[str, ...]
    file_message_family: str  # "E13" | "E19": numbering of file and path messages
    determinism_check: bool
    sources: Mapping[str, str] = field(default_factory=dict)
    certainties: Mapping[str, Certainty] = field(default_factory=dict)  # per field
    vendor_abi_padding: bool = (
        False  # as abi_padding, for the vendor filter: another copy of the code
    )


class SocFacts(Struct, frozen=True):
    """One SoC as a platform file or the catalogue describes it."""

    soc_version: str
    short: str
    arch_type: str | None
    npu_arch: str | None
    aic_version: str = ""
    ai_core_count: int | None = None
    memory_bytes: int | None = None
    source: str = ""


class Package(Struct, frozen=True):
    """An installed CANN package and what it requires of others."""

    name: str
    version: str  # Version=, the internal number
    version_dir: str  # public number where the file has one
    requires: Mapping[str, str] = field(default_factory=dict)  # package -> requirement text
    requires_driver: Mapping[str, str] = field(default_factory=dict)
    path: str = ""


class Vendor(Struct, frozen=True):
    """A custom operator package in the search path, in priority order."""

    name: str
    path: str
    compiler_version: str | None
    accepted: bool | None  # by the loader's vendor filter; None when it cannot be decided
    reason: str = ""
    operators: tuple[str, ...] = ()


class Place(Struct, frozen=True):
    """A place that discovery looked at, for `target show`."""

    path: str
    result: str  # "found" | "absent" | "unreadable" | "ignored"
    why: str


class Target(Struct, frozen=True):
    """See the module docstring. `origin` is "installed", "snapshot" or "catalogue"."""

    name: str
    origin: str
    release: Fact[str]  # public release, "8.1.RC1"
    internal: Fact[str]  # internal number, "7.7.0.1.238"
    behaviour: Fact[ReleaseBehaviour]
    soc: Fact[str]  # soc_version of the device
    socs: Mapping[str, SocFacts]  # every SoC the target's platform files describe
    host_os: Fact[str]  # scene.info os as the loader reads it ("" when the file is absent)
    host_cpu: Fact[str]
    abi_range: Fact[str]  # text of required_opp_abi_version; known None = no such line -> pass
    opp_version: Fact[str]  # Version= of the operator package; known None -> equality not checked
    driver: Fact[str]
    packages: tuple[Package, ...] = ()
    vendors: tuple[Vendor, ...] = ()
    kernels: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # op type -> dtypes/…
    kernels_source: str = ""  # empty = kernel support is not known
    history_dirs: tuple[str, ...] = ()
    python_packages: Mapping[str, str] = field(default_factory=dict)
    details: Mapping[str, object] = field(default_factory=dict)
    places: tuple[Place, ...] = ()
    soc_answer: str = ""  # "", or an assumed answer of the SoC check: "pass" | "mismatch" | "error"
    fingerprint: str = ""  # hash of what it was made from
    socs_source: str = ""  # where `socs` comes from
    socs_certainty: Certainty = Certainty.CERTAIN  # that a SoC missing in `socs` is really missing
    notes: tuple[str, ...] = ()  # what a person should know about the names used


def host_name(target: Target) -> str:
    """ "linux-aarch64"; empty unless both parts are known."""
    system, cpu = target.host_os.value, target.host_cpu.value
    return f"{system}-{cpu}" if system and cpu else ""
