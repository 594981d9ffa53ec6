"""Three lists beside each other: release, SoC and host, as in a target's name."""

from __future__ import annotations

from collections.abc import Sequence

from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.message import Message

from preflight import api
from preflight.api import Target
from preflight.tui.widgets.table import Column, LazyTable
from preflight.tui.words import Line

HOSTS = ("linux-aarch64", "linux-x86_64")
_DEFAULT_SOC = "Ascend910B3"


class Catalogue(Horizontal):
    """Releases newest first; the SoCs are those that the release describes.

    Begins at the target, which may be an installation or a snapshot, or at the name of none.
    """

    class Picked(Message):
        """Another name; `final` after Enter or a click on the row that was marked."""

        def __init__(self, spec: str, final: bool) -> None:
            super().__init__()
            self.spec, self.final = spec, final

    def __init__(self, spec: str, target: Target | None, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._releases = list(reversed(api.known_releases()))
        self._socs: list[str] = []
        self._families = {s: f.name for f in api.soc_families() for s in f.socs}
        self._wanted = _parts(spec) if target is None else _parts_of(target)

    def compose(self) -> ComposeResult:
        yield LazyTable([Column("release")], id="release")
        yield LazyTable([Column("SoC", 17), Column("family")], id="soc")
        yield LazyTable([Column("host")], id="host")

    def on_mount(self) -> None:
        release, _, host = self._wanted
        names = [entry.public for entry in self._releases]
        final = (n for n, name in enumerate(names) if _is_final(name))
        place = names.index(release) if release in names else next(final, 0)
        self._table("release").show(len(names), lambda n: [Line(names[n])], place)
        self._fill_socs()
        self._table("host").show(
            len(HOSTS), lambda n: [Line(HOSTS[n])], HOSTS.index(host) if host in HOSTS else 0
        )

    def _table(self, name: str) -> LazyTable:
        return self.query_one(f"#{name}", LazyTable)

    def _fill_socs(self) -> None:
        entry = self._releases[self._table("release").row]
        self._socs = list(api.soc_table(entry.soc_table))
        place = _first_of(self._socs, (self._wanted[1], _DEFAULT_SOC))
        self._table("soc").show(len(self._socs), self._soc_cells, place)

    def _soc_cells(self, number: int) -> Sequence[Line]:
        soc = self._socs[number]
        return Line(soc), Line(self._families.get(soc, ""))

    @property
    def spec(self) -> str:
        """The name that the three lists give together."""
        entry = self._releases[self._table("release").row]
        return "/".join(
            (entry.public, self._socs[self._table("soc").row], HOSTS[self._table("host").row])
        )

    def on_lazy_table_moved(self, event: LazyTable.Moved) -> None:
        event.stop()
        if event.table.id == "soc" and event.table.has_focus:
            self._wanted[1] = self._socs[event.row]
        if event.table.id == "release" and event.table.has_focus:
            self._fill_socs()
        if event.table.has_focus:
            self.post_message(self.Picked(self.spec, final=False))

    def on_lazy_table_chosen(self, event: LazyTable.Chosen) -> None:
        event.stop()
        self.post_message(self.Picked(self.spec, final=True))


def _parts(spec: str) -> list[str]:
    return [*spec.split("/"), "", "", ""][:3]


def _parts_of(target: Target) -> list[str]:
    host = f"{target.host_os.value or 'linux'}-{target.host_cpu.value or ''}"
    return [target.release.value or "", target.soc.value or "", host]


def _is_final(release: str) -> bool:
    version = api.CannVersion.parse(release)
    return version is not None and not version.is_prerelease


def _first_of(names: Sequence[str], wanted: Sequence[str]) -> int:
    return next((names.index(name) for name in wanted if name in names), 0)
