"""A target written to a file, so that another machine can check for a host it cannot reach.

TOML, strict (an unknown key is an error that names it) and made to be edited by hand. `made_from`
is the hash of what was read on the host. Places that discovery looked at are not kept.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Literal, TypeVar

import msgspec
from msgspec.structs import replace

from preflight.errors import DataError, MalformedInput, UnreadableInput, UsageError
from preflight.findings import Certainty
from preflight.target.kernels import LazyKernels
from preflight.target.manifests import behaviour_fact
from preflight.target.types import (
    Fact,
    Package,
    ReleaseBehaviour,
    SocFacts,
    Target,
    Vendor,
)
from preflight.toml_text import dumps
from preflight.writing import write_text

SCHEMA = 1
MAX_BYTES = 16 << 20
_OPERATOR = re.compile(r"[A-Za-z0-9_.]+")
_HEAD = "# A target for `preflight check --target FILE`; edit it by hand where the host differs.\n"
_FACTS = (
    "release",
    "internal",
    "soc",
    "host_os",
    "host_cpu",
    "abi_range",
    "opp_version",
    "driver",
)
_Detail = str | int | bool | tuple[str, ...]
_T = TypeVar("_T")


class _Fact(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    source: str
    value: str | None = None
    known: bool = True
    certainty: Certainty = Certainty.CERTAIN

    def fact(self) -> Fact[str]:
        return Fact(self.value, self.source, self.known, self.certainty)


class _Package(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    name: str
    version: str
    version_dir: str = ""
    requires: dict[str, str] = {}
    requires_driver: dict[str, str] = {}
    path: str = ""


class _Vendor(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    name: str
    path: str
    compiler_version: str | None = None
    accepted: bool | None = None
    reason: str = ""
    operators: tuple[str, ...] = ()


class _Soc(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    soc_version: str
    short: str
    arch_type: str | None = None
    npu_arch: str | None = None
    aic_version: str = ""
    ai_core_count: int | None = None
    memory_bytes: int | None = None
    source: str = ""


class _Snapshot(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    schema: Literal[1]
    name: str
    made_from: str
    release: _Fact
    internal: _Fact
    behaviour: _Fact
    soc: _Fact
    host_os: _Fact
    host_cpu: _Fact
    abi_range: _Fact
    opp_version: _Fact
    driver: _Fact
    socs_source: str = ""
    socs_certainty: Certainty = Certainty.CERTAIN
    soc_answer: Literal["", "pass", "mismatch", "error"] = ""
    kernels: tuple[str, ...] = ()
    kernels_source: str = ""
    history_dirs: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    package: tuple[_Package, ...] = ()
    vendor: tuple[_Vendor, ...] = ()
    socs: dict[str, _Soc] = {}  # msgspec copies the default
    python_packages: dict[str, str] = {}
    details: dict[str, _Detail] = {}


def as_snapshot(target: Target) -> Target:
    """The target as it comes back from a file: `read_snapshot` of `snapshot_text` gives this."""
    return replace(
        target,
        origin="snapshot",
        places=(),
        kernels={op: d for op, d in target.kernels.items() if _OPERATOR.fullmatch(op)},
    )


def snapshot_text(target: Target) -> str:
    """The TOML text of a target. Raises UsageError for text that is no valid Unicode."""
    document: dict[str, object] = {
        "schema": SCHEMA,
        "name": target.name,
        "made_from": target.fingerprint,
        "socs_source": target.socs_source,
        "socs_certainty": target.socs_certainty.value,
        "soc_answer": target.soc_answer,
        "kernels_source": target.kernels_source,
        "kernels": _kernel_lines(target.kernels),
        "history_dirs": target.history_dirs,
        "notes": target.notes,
        **{name: _fact_table(getattr(target, name)) for name in _FACTS},
        "behaviour": _behaviour_table(target.behaviour),
        "package": [msgspec.to_builtins(p) for p in target.packages],
        "vendor": [_without_none(msgspec.to_builtins(v)) for v in target.vendors],
        "socs": {k: _without_none(msgspec.to_builtins(v)) for k, v in target.socs.items()},
        "python_packages": dict(target.python_packages),
        "details": dict(target.details),
    }
    return _HEAD + dumps(document)


def write_snapshot(target: Target, path: Path) -> None:
    """Writes a target to a file. Raises UsageError when that is not possible."""
    text = snapshot_text(target)
    try:
        write_text(path, text)
    except UnreadableInput as error:
        raise UsageError(error.message) from error


def read_snapshot(path: Path) -> Target:
    """A target from a file that `write_snapshot` wrote or a person edited.

    Raises UnreadableInput for a file that cannot be read, MalformedInput for one that is no
    snapshot; the message names the key.
    """
    try:
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise UnreadableInput(f"{path}: {error.strerror}") from error
    if len(data) > MAX_BYTES:
        raise MalformedInput(f"{path}: larger than {MAX_BYTES} bytes, that is no target snapshot")
    return parse_snapshot(data, str(path))


def parse_snapshot(data: bytes, where: str) -> Target:
    """A target from the bytes of a snapshot; see `read_snapshot`."""
    import tomllib

    try:
        stored = msgspec.convert(tomllib.loads(data.decode("utf-8")), _Snapshot)
    except UnicodeDecodeError as error:
        raise MalformedInput(f"{where}: not UTF-8 text, so no target snapshot") from error
    except tomllib.TOMLDecodeError as error:
        raise MalformedInput(f"{where}: not TOML: {error}") from error
    except RecursionError as error:
        raise MalformedInput(f"{where}: nested too deeply") from error
    except msgspec.ValidationError as error:
        raise MalformedInput(f"{where}: {error}") from error
    return _target(stored, where)


def _target(stored: _Snapshot, where: str) -> Target:
    facts = {name: getattr(stored, name).fact() for name in _FACTS}
    return Target(
        **facts,
        name=stored.name,
        origin="snapshot",
        behaviour=_behaviour(stored.behaviour, where),
        socs={name: SocFacts(**msgspec.structs.asdict(s)) for name, s in stored.socs.items()},
        packages=tuple(Package(**msgspec.structs.asdict(p)) for p in stored.package),
        vendors=tuple(Vendor(**msgspec.structs.asdict(v)) for v in stored.vendor),
        kernels=LazyKernels(lambda: _parse_kernels(stored.kernels)) if stored.kernels else {},
        kernels_source=stored.kernels_source,
        history_dirs=stored.history_dirs,
        python_packages=stored.python_packages,
        details=stored.details,
        soc_answer=stored.soc_answer,
        fingerprint=stored.made_from,
        socs_source=stored.socs_source,
        socs_certainty=stored.socs_certainty,
        notes=stored.notes,
    )


def _behaviour(stored: _Fact, where: str) -> Fact[ReleaseBehaviour]:
    if stored.value is None or not stored.known:
        return Fact(None, stored.source, stored.known, stored.certainty)
    try:
        value = behaviour_fact(stored.value).value
    except DataError as error:
        raise MalformedInput(f"{where}: behaviour: {error.message}", hint=error.hint) from error
    return Fact(value, stored.source, stored.known, stored.certainty)


def _behaviour_table(fact: Fact[ReleaseBehaviour]) -> dict[str, object]:
    name = fact.value.id if fact.value is not None else None
    return _fact_table(Fact(name, fact.source, fact.known, fact.certainty))


def _fact_table(fact: Fact[str]) -> dict[str, object]:
    table: dict[str, object] = {} if fact.value is None else {"value": fact.value}
    return {
        **table,
        "known": fact.known,
        "certainty": fact.certainty.value,
        "source": fact.source,
    }


def _without_none(table: Mapping[str, _T | None]) -> dict[str, _T]:
    return {key: value for key, value in table.items() if value is not None}


def _kernel_lines(kernels: Mapping[str, tuple[str, ...]]) -> list[str]:
    """One text per operator, "Add: FLOAT16, FLOAT"; odd names are left out."""
    return [f"{op}: {', '.join(d)}" for op, d in kernels.items() if _OPERATOR.fullmatch(op)]


def _parse_kernels(lines: tuple[str, ...]) -> dict[str, tuple[str, ...]]:
    found = {}
    for line in lines:
        op, colon, dtypes = line.partition(":")
        if colon and op.strip():
            found[op.strip()] = tuple(d.strip() for d in dtypes.split(",") if d.strip())
    return found
