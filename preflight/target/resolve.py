"""What a user writes after --target, turned into a Target."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from msgspec.structs import replace

from preflight.errors import UnreadableInput, UsageError
from preflight.target.types import Fact, Target, host_name


def load_target(text: str) -> Target:
    """A target from a catalogue name, a snapshot file, an installation's folder, or "installed".

    Any of them may be followed by @SoC ("installed@Ascend910B3"): an installation serves several
    SoCs and does not say which one the machine has.
    Raises UsageError for unknown names and absent files, UnreadableInput or MalformedInput for bad
    snapshots.
    """
    place, soc = _split_soc(text)
    mode = _mode(place)
    is_dir = stat.S_ISDIR(mode)
    if place.lower() == "installed" or is_dir:
        from preflight.target.discover import discover

        return discover(Path(place) if is_dir else None, soc=soc)
    if stat.S_ISREG(mode):
        from preflight.target.snapshot import read_snapshot

        return _with_soc(read_snapshot(Path(place)), soc)
    if os.path.lexists(place):
        raise UnreadableInput(
            f"{place}: is neither a folder nor a regular file",
            hint="name an installation's folder, a snapshot or a release",
        )
    if place.endswith((".toml", ".json")) or place.startswith(("/", "./", "../", "~")):
        raise UsageError(
            f"--target {place}: there is no such file or folder",
            hint="preflight target capture -o host.toml writes one on the host; "
            "preflight target list names what is known without",
        )
    from preflight.target.catalog import catalogue_target

    if soc is not None and "/" not in place:
        return catalogue_target(f"{place}/{soc}")
    return catalogue_target(text)


def _mode(place: str) -> int:
    """The type of a file with links followed; 0 for nothing, a closed folder, an endless name."""
    try:
        return Path(place).stat().st_mode
    except (OSError, ValueError):
        return 0


def _with_soc(target: Target, soc: str | None) -> Target:
    """The target with another device; kernels of the one before do not count for it."""
    if soc is None:
        return target
    from preflight.target.names import find_soc

    name, notes = find_soc(soc)
    same = name == target.soc.value
    known = (target.release.value, name, host_name(target))
    return replace(
        target,
        name="/".join(part for part in known if part),
        soc=Fact(name, "given"),
        kernels=target.kernels if same else {},
        kernels_source=target.kernels_source if same else "",
        notes=(*target.notes, *notes),
    )


def _split_soc(text: str) -> tuple[str, str | None]:
    """ "DIR@SoC" in two, unless a file of that whole name exists."""
    place, at, soc = text.rpartition("@")
    if at and place and not _mode(text):
        return place, soc
    return text, None
