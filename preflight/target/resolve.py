"""What a user writes after --target, turned into a Target."""

from __future__ import annotations

from pathlib import Path

from preflight.errors import UnreadableInput
from preflight.target.types import Target


def load_target(text: str) -> Target:
    """A target from a catalogue name, a snapshot file, an installation's folder, or "installed".

    "installed" and a folder may be followed by @SoC ("installed@Ascend910B3"): an installation
    serves several SoCs and does not say which one the machine has.
    Raises UsageError for unknown names, UnreadableInput or MalformedInput for bad snapshots.
    """
    place, soc = _split_soc(text)
    path = Path(place)
    if place.lower() == "installed":
        from preflight.target.discover import discover

        return discover(soc=soc)
    if path.is_dir():
        from preflight.target.discover import discover

        return discover(path, soc=soc)
    if path.is_file():
        from preflight.target.snapshot import read_snapshot

        return read_snapshot(path)
    if place.endswith((".toml", ".json")) or place.startswith(("/", "./", "../", "~")):
        raise UnreadableInput(f"{place}: there is no such file or folder")
    from preflight.target.catalog import catalogue_target

    return catalogue_target(text)


def _split_soc(text: str) -> tuple[str, str | None]:
    """ "DIR@SoC" in two, unless a file of that whole name exists."""
    place, at, soc = text.rpartition("@")
    if at and place and not Path(text).exists():
        return place, soc
    return text, None
