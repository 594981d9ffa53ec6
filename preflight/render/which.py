"""`target which`: releases and SoCs on which a model loads, as a table."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Sequence
from pathlib import PurePath

import msgspec

from preflight.checks.which import WhichReport, WhichRow
from preflight.findings import Status
from preflight.render.escape import printable
from preflight.render.target import SCHEMA_VERSION, table, to_json

_GOOD = (Status.OK, Status.OK_WITH_WARNINGS)
_PREVIEW = re.compile("alpha|beta|master")  # no release to run a service on
_COLUMNS = ("releases", "loads on", "not known on", "refused on", "decided by")


def which_json(report: WhichReport) -> str:
    """Every pair on its own."""
    return to_json({"schema_version": SCHEMA_VERSION, **msgspec.to_builtins(report)})


def which_text(report: WhichReport) -> str:
    """One line per run of releases with the same answers; the deciding rules below."""
    by_release = _by_release(report.rows)
    lines = [_headline(report, len(by_release)), ""]
    rows: list[tuple[str, ...]] = [_COLUMNS]
    rows += [_line(names, found) for names, found in _runs(by_release)]
    lines += table(rows)
    lines += ["", "deciding facts:", *(f"  {text}" for text in _reasons(report.rows))]
    lines += ["", f"next: {_next(report)}"]
    return "\n".join(printable(line) for line in lines) + "\n"


def _by_release(rows: Sequence[WhichRow]) -> dict[str, list[WhichRow]]:
    found: dict[str, list[WhichRow]] = {}
    for row in rows:
        found.setdefault(row.release, []).append(row)
    return found


def _headline(report: WhichReport, asked: int) -> str:
    name = PurePath(report.model).name or report.model
    good = list(dict.fromkeys(row.release for row in report.loads))
    if not good:
        unknown = any(row.status is Status.UNKNOWN for row in report.rows)
        return f"{name} loads on none of {asked} releases" + (
            " for certain; on some it is not known" if unknown else ""
        )
    groups = list(dict.fromkeys(row.group for row in report.loads))
    return f"{name} loads on {len(good)} of {asked} releases, on {', '.join(groups)}"


def _runs(
    by_release: dict[str, list[WhichRow]],
) -> Iterator[tuple[list[str], list[WhichRow]]]:
    """Neighbouring releases whose answers are the same."""
    names: list[str] = []
    before: list[WhichRow] = []
    for name, rows in by_release.items():
        if names and _outcome(rows) != _outcome(before):
            yield names, before
            names = []
        names.append(name)
        before = rows
    if names:
        yield names, before


def _outcome(rows: Sequence[WhichRow]) -> list[tuple[str, str, str]]:
    return [(row.group, row.status.value, row.decided_by) for row in rows]


def _line(names: list[str], rows: Sequence[WhichRow]) -> tuple[str, ...]:
    label = names[0] if len(names) == 1 else f"{names[0]} … {names[-1]}"
    columns = [
        _groups(rows, _GOOD),
        _groups(rows, (Status.UNKNOWN,)),
        _groups(rows, (Status.BLOCKED,)),
    ]
    deciders = dict.fromkeys(row.decided_by for row in rows if row.decided_by)
    return (label, *columns, ", ".join(deciders) or "-")


def _groups(rows: Sequence[WhichRow], statuses: tuple[Status, ...]) -> str:
    """Short names with these statuses; "all" and counts keep the table narrow."""
    names = list(dict.fromkeys(row.group for row in rows if row.status in statuses))
    every = {row.group for row in rows}
    if not names:
        return "-"
    if set(names) == every and len(every) > 1:
        return f"all ({len(every)})"
    return ", ".join(names) if len(names) <= 6 else f"{len(names)} others"


def _reasons(rows: Sequence[WhichRow]) -> Iterator[str]:
    """One example per deciding rule, with the facts it used."""
    seen: set[tuple[str, Status]] = set()
    for row in rows:
        if not row.decided_by or (row.decided_by, row.status) in seen:
            continue
        seen.add((row.decided_by, row.status))
        facts = f" (facts: {', '.join(row.rests_on)})" if row.rests_on else ""
        yield f"{row.decided_by}, {row.status.value}: {row.reason}{facts}"
    if not seen:
        yield "nothing speaks against loading on any of them"


def _next(report: WhichReport) -> str:
    """A check on the newest final release, on the model's own SoC where that is possible."""
    rows = report.loads or report.rows
    newest = [row for row in rows if not _PREVIEW.search(row.release)] or list(rows)
    same = [row for row in newest if row.release == newest[-1].release]
    row = next((row for row in same if report.soc in row.socs), same[0])
    soc = report.soc if report.soc in row.socs else row.socs[0]
    host = f"/{report.host}" if report.host else ""
    return f"preflight check {shlex.quote(report.model)} --target {row.release}/{soc}{host}"
