"""What a file's header, partitions, data types and unknown numbers say about its compiler's age."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import TYPE_CHECKING

import msgspec
from msgspec import Struct

from preflight.container.types import ContainerKind
from preflight.data import manifests_dir
from preflight.errors import DataError
from preflight.model.manifest import ModelFile
from preflight.target.manifests import releases
from preflight.versions import CannVersion

if TYPE_CHECKING:
    from preflight.registry.history import History

# Other kinds have partition ids and headers of their own.
_STANDARD = frozenset({ContainerKind.OM, ContainerKind.SINGLE_OP, ContainerKind.BUNDLE})
_CURRENT = 0x20000000


class Bound(Struct, frozen=True, forbid_unknown_fields=True):
    """The first and the last release of the record that a fact allows; empty where it does not."""

    source: str
    since: str = ""
    until: str = ""


class _Table(Struct, frozen=True, forbid_unknown_fields=True):
    about: str
    facts: dict[str, Bound]


@cache
def known_facts() -> Mapping[str, Bound]:
    """Every fact that bounds a release (manifests/history/file_facts.json)."""
    path = manifests_dir() / "history" / "file_facts.json"
    try:
        return msgspec.json.decode(path.read_bytes(), type=_Table).facts
    except (OSError, msgspec.MsgspecError) as error:
        raise DataError(f"{path}: {error}") from error


def file_facts(model: ModelFile) -> tuple[str, ...]:
    """The facts of a file that `known_facts` may know, each once, in the order of the file."""
    return tuple(dict.fromkeys(_facts(model)))


def _facts(model: ModelFile) -> Iterator[str]:
    container = model.container
    header = container.header
    if container.kind not in _STANDARD or header is None:
        return
    yield f"header version {header.version:#010x}"
    if header.version >= _CURRENT:
        yield f"header {'with' if header.model_length else 'without'} model_length"
    for block in container.blocks:
        for partition in block.partitions:
            yield f"partition {partition.name}"
    for graph in model.manifest.graphs if model.manifest else ():
        for operator in graph.operators:
            for desc in (*operator.input_descs, *operator.output_descs):
                yield f"data type {desc.dtype}"


def numbered_bound(internal: str) -> Bound | None:
    """Between which public releases an internal number lies that nobody has published.

    The names are those of manifests/releases.toml. None for text that is no number and for numbers
    of lines that no public release belongs to.
    """
    version = CannVersion.parse(internal) if internal else None
    if version is None or not version.numbers:
        return None
    known = sorted(
        (number, entry.public)
        for entry in releases()
        if entry.internal and (number := CannVersion.parse(entry.internal)) is not None
    )
    if all(version.numbers[0] != number.numbers[0] for number, _ in known):
        return None  # 5.20 is the number of another line, not one between 1.84 and 6.4
    before = [public for number, public in known if number <= version]
    after = [public for number, public in known if version < number]
    return Bound(
        "manifests/releases.toml (internal numbers)",
        before[-1] if before else "",
        after[0] if after else "",
    )


def allowed_positions(
    history: History, bounds: Mapping[str, Bound]
) -> tuple[range, tuple[str, ...]]:
    """Positions of the releases that all facts allow, and the facts that decide the two ends."""
    positions = {release.version: i for i, release in enumerate(history.releases)}
    first, last = 0, len(positions) - 1
    lower = upper = ""
    for fact, bound in bounds.items():
        if positions.get(bound.since, -1) > first:
            first, lower = positions[bound.since], fact
        if positions.get(bound.until, last) < last:
            last, upper = positions[bound.until], fact
    return range(first, last + 1), tuple(dict.fromkeys(f for f in (lower, upper) if f))
