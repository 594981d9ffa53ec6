"""Operator kernels that a target brings: from `manifests/kernels/` or from an installed tree.

Read only when somebody looks: a check of a static model never does, its kernels are inside.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

import msgspec

from preflight.data import manifests_dir
from preflight.errors import DataError

Kernels = Mapping[str, tuple[str, ...]]
# "input1" -> (name of the input, its dtypes); places that state none are left out
Ports = Mapping[str, tuple[str, tuple[str, ...]]]

# Spelling of operator configs -> ge name without the DT_ prefix, where upper case is not enough.
_DTYPES = {"FLOAT32": "FLOAT", "BFLOAT16": "BF16", "FLOAT64": "DOUBLE"}


class LazyKernels(Mapping[str, tuple[str, ...]]):
    """Operator type -> dtypes (empty: not stated), loaded when it is first looked at."""

    def __init__(
        self, load: Callable[[], Kernels], load_ports: Callable[[], Mapping[str, Ports]] = dict
    ) -> None:
        self._load = load
        self._load_ports = load_ports
        self._found: Kernels | None = None
        self._ports: Mapping[str, Ports] | None = None

    def ports(self, op_type: str) -> Ports:
        """Dtypes of every input and output, where the source of the kernels states them."""
        if self._ports is None:
            self._ports = self._load_ports()
        return self._ports.get(op_type, {})

    @property
    def _kernels(self) -> Kernels:
        if self._found is None:
            self._found = self._load()
        return self._found

    def __getitem__(self, key: str) -> tuple[str, ...]:
        return self._kernels[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._kernels)

    def __len__(self) -> int:
        return len(self._kernels)

    def __repr__(self) -> str:
        return "LazyKernels(…)" if self._found is None else f"LazyKernels({self._found!r})"


def dtype_name(text: str) -> str:
    """ "FLOAT16" of "float16" or "DT_FLOAT16"."""
    upper = text.strip().upper().removeprefix("DT_")
    return _DTYPES.get(upper, upper)


def merge(*tables: Mapping[str, tuple[str, ...] | list[str]]) -> dict[str, tuple[str, ...]]:
    """Kernels of several engines together.

    An engine that does not state dtypes makes the merged entry silent too: it may take any.
    """
    found: dict[str, tuple[str, ...]] = {}
    for table in tables:
        for op, dtypes in table.items():
            names = tuple(dict.fromkeys(dtype_name(d) for d in dtypes))
            if op not in found:
                found[op] = names
            elif not names or not found[op]:
                found[op] = ()
            else:
                found[op] = tuple(dict.fromkeys((*found[op], *names)))
    return found


def merge_ports(*tables: Mapping[str, Ports]) -> dict[str, Ports]:
    """Inputs and outputs of several engines together; one that an engine leaves open is open."""
    found: dict[str, Ports] = {}
    for table in tables:
        for op, ports in table.items():
            known = found.get(op)
            found[op] = ports if known is None else _common(known, ports)
    return found


def _common(first: Ports, second: Ports) -> Ports:
    return {
        place: (name, tuple(dict.fromkeys((*dtypes, *second[place][1]))))
        for place, (name, dtypes) in first.items()
        if place in second and second[place][0] == name
    }


class _MergedKernels(Mapping[str, tuple[str, ...]]):
    """Several engines as one table, merged operator by operator when one is asked for."""

    def __init__(self, tables: tuple[dict[str, list[str]], ...]) -> None:
        self._tables = tables

    def __getitem__(self, key: str) -> tuple[str, ...]:
        return merge(*({key: table[key]} for table in self._tables if key in table))[key]

    def __iter__(self) -> Iterator[str]:
        return iter(dict.fromkeys(op for table in self._tables for op in table))

    def __len__(self) -> int:
        return len(set().union(*self._tables))


class _KernelFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    source: str
    # "aicpu", "ascend910b", … -> operator -> dtypes; decoded engine by engine, few are asked for
    engines: dict[str, msgspec.Raw]

    def engine(self, name: str) -> dict[str, list[str]]:
        """Operators of one engine; empty when the release has none of that name."""
        raw = self.engines.get(name)
        return msgspec.json.decode(raw, type=dict[str, list[str]]) if raw is not None else {}


_HOST_ENGINES = ("aicpu", "aicpu_tf", "host_cpu")


def catalogue_kernels(release: str, short_soc: str) -> tuple[Kernels, str]:
    """Kernels of a known release for a SoC's short name, with their source.

    ({}, "") when kernel support of that pair is not known.
    """
    path = manifests_dir() / "kernels" / f"{release}.json"
    engine = short_soc.lower()
    if not engine or not path.is_file():
        return {}, ""

    def load() -> Kernels:
        try:
            file = msgspec.json.decode(path.read_bytes(), type=_KernelFile)
            names = (engine, *_HOST_ENGINES, f"dsa_core:{engine}", f"dvpp:{engine}")
            return _MergedKernels(tuple(file.engine(name) for name in names))
        except (OSError, msgspec.MsgspecError) as error:
            raise DataError(f"kernels/{path.name}: {error}") from error

    if engine not in _engines_of(release):
        return {}, ""
    return LazyKernels(load), f"manifests/kernels/{path.name}, {engine} and the host engines"


def _engines_of(release: str) -> tuple[str, ...]:
    """The SoCs that a kernel file speaks about, without reading the file itself."""
    path = manifests_dir() / "kernels" / "index.json"
    try:
        index = msgspec.json.decode(path.read_bytes(), type=dict[str, tuple[str, ...]])
    except (OSError, msgspec.MsgspecError) as error:
        raise DataError(f"kernels/{path.name}: {error}") from error
    return index.get(release, ())


def socs_with_kernel(release: str, op_type: str) -> tuple[str, ...]:
    """Short names of the SoCs for which a known release has a kernel of an operator, sorted."""
    path = manifests_dir() / "kernels" / f"{release}.json"
    if not path.is_file():
        return ()
    file = msgspec.json.decode(path.read_bytes(), type=_KernelFile)
    socs = [name for name in file.engines if name not in _HOST_ENGINES and ":" not in name]
    return tuple(sorted(name for name in socs if op_type in file.engine(name)))
