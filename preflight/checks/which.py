"""On which known releases and SoCs would a model load, and what decides it?"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence

from msgspec import Struct

from preflight.checks.check import check_model
from preflight.checks.engine import Result
from preflight.checks.loader import load_rules
from preflight.errors import UsageError
from preflight.findings import PathVerdict, Status
from preflight.model.file import read_model
from preflight.model.manifest import ModelFile
from preflight.target.catalog import build
from preflight.target.manifests import ReleaseEntry, releases, soc_table
from preflight.target.names import find_host, find_release, find_soc
from preflight.target.types import Fact, SocFacts, unknown


class WhichRow(Struct, frozen=True):
    """One release and one group of SoCs that the loader cannot tell apart."""

    release: str
    group: str  # the short name that the SoCs share
    socs: tuple[str, ...]
    status: Status
    decided_by: str  # rule id; empty when nothing speaks against loading
    reason: str
    rests_on: tuple[str, ...]  # facts that the deciding finding used


class WhichReport(Struct, frozen=True):
    """Every pair that was asked, in the order of releases."""

    model: str
    host: str
    rows: tuple[WhichRow, ...]
    soc: str = ""  # what the model was compiled for; empty when it does not say

    @property
    def loads(self) -> tuple[WhichRow, ...]:
        """The pairs on which nothing speaks against loading."""
        return tuple(r for r in self.rows if r.status in (Status.OK, Status.OK_WITH_WARNINGS))


def which(
    model: ModelFile | str | os.PathLike[str],
    *,
    release_names: Sequence[str] = (),
    soc_names: Sequence[str] = (),
    host: str = "",
) -> WhichReport:
    """Check one model against every known (release, SoC), or against those that are named.

    Raises UsageError for unknown names, UnreadableInput when the file cannot be read.
    """
    read = model if isinstance(model, ModelFile) else read_model(model)
    entries = [find_release(name)[0] for name in release_names] or list(releases())
    wanted = [find_soc(name)[0] for name in soc_names]
    rules = load_rules()
    system, cpu = _host(host)
    rows = []
    for entry in entries:
        for socs in _groups(entry, wanted):
            target = build(entry, Fact(socs[0], "asked"), system, cpu)
            result = check_model(read, target, rules=rules)
            rows.append(_row(entry, socs, result))
    if not rows:
        raise UsageError("none of the named SoCs is described by any of the named releases")
    soc = read.manifest.soc_version if read.manifest is not None else ""
    return WhichReport(read.path, host, tuple(rows), soc)


def _host(text: str) -> tuple[Fact[str], Fact[str]]:
    if not text:
        reason = "no --host was named"
        return unknown(reason), unknown(reason)
    system, cpu = find_host(text)
    return Fact(system, "--host"), Fact(cpu, "--host")


def _groups(entry: ReleaseEntry, wanted: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """SoCs of a release that share short name and architecture; no rule can tell them apart."""
    groups: dict[tuple[str, str | None, str | None], list[str]] = {}
    for name, facts in soc_table(entry.soc_table or "both").items():
        if not wanted or name in wanted:
            groups.setdefault(_likeness(facts), []).append(name)
    yield from (tuple(names) for names in groups.values())


def _likeness(facts: SocFacts) -> tuple[str, str | None, str | None]:
    return facts.short, facts.arch_type, facts.npu_arch


def _row(entry: ReleaseEntry, socs: tuple[str, ...], result: Result) -> WhichRow:
    verdict: PathVerdict = result.verdicts.deploy
    finding = next((f for f in result.findings if f.rule == verdict.decided_by), None)
    missing = next((n.missing for n in result.not_evaluated if n.rule == verdict.decided_by), ())
    return WhichRow(
        release=entry.public,
        group=soc_table(entry.soc_table or "both")[socs[0]].short,
        socs=socs,
        status=verdict.status,
        decided_by=verdict.decided_by,
        reason=verdict.reason,
        rests_on=finding.rests_on if finding is not None else missing,
    )
