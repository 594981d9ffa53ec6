"""Waivers: findings that somebody accepted, for a reason and until a date.

A waiver file is strict TOML: `[[waiver]]` tables with `rule`, a `fingerprint` or a `model` glob, a
`reason` and the date `expires`. A waived finding is listed and no longer counted; a waiver that has
run out is reported by a rule and counts for nothing.
"""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Sequence
from fnmatch import fnmatch
from pathlib import Path, PurePath

import msgspec
from msgspec import Struct

from preflight.checks.context import ExpiredWaiver
from preflight.errors import UsageError
from preflight.findings import Finding


class Waiver(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One accepted finding; `fingerprint` or `model` says which."""

    rule: str
    reason: str
    expires: datetime.date
    fingerprint: str = ""
    model: str = ""

    def covers(self, finding: Finding, model: str) -> bool:
        """Whether this waiver speaks of the finding of that model file."""
        if finding.rule != self.rule:
            return False
        if self.fingerprint and finding.fingerprint != self.fingerprint:
            return False
        return (
            not self.model
            or fnmatch(model, self.model)
            or fnmatch(PurePath(model).name, self.model)
        )


class _WaiverFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    waiver: tuple[Waiver, ...] = ()


class Waived(Struct, frozen=True):
    """A finding with the waiver that covers it."""

    finding: Finding
    reason: str
    expires: datetime.date


def load_waivers(path: str | Path) -> tuple[Waiver, ...]:
    """Read a waiver file. Raises UsageError naming the key that is wrong."""
    import tomllib

    try:
        content = Path(path).read_text(encoding="utf-8")
    except OSError as error:
        raise UsageError(f"{path}: cannot be read: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise UsageError(f"{path}: no UTF-8 text") from error
    try:
        waivers = msgspec.convert(tomllib.loads(content), _WaiverFile).waiver
    except (msgspec.ValidationError, tomllib.TOMLDecodeError) as error:
        raise UsageError(f"{path}: {error}") from error
    for waiver in waivers:
        if not waiver.fingerprint and not waiver.model:
            raise UsageError(
                f"{path}: the waiver of {waiver.rule} names neither a fingerprint nor a model",
                hint="a waiver for everything hides what is new; name what it is about",
            )
        if not waiver.reason.strip():
            raise UsageError(f"{path}: the waiver of {waiver.rule} gives no reason")
    return waivers


def apply_waivers(
    findings: Iterable[Finding], waivers: Sequence[Waiver], model: str, today: datetime.date
) -> tuple[tuple[Finding, ...], tuple[Waived, ...], tuple[ExpiredWaiver, ...]]:
    """Findings that still count, those that are waived, and the waivers that have run out."""
    kept: list[Finding] = []
    waived: list[Waived] = []
    expired: dict[Waiver, None] = {}
    for finding in findings:
        covering = [w for w in waivers if w.covers(finding, model)]
        valid = next((w for w in covering if w.expires >= today), None)
        if valid is not None:
            waived.append(Waived(finding, valid.reason, valid.expires))
            continue
        kept.append(finding)
        expired.update(dict.fromkeys(covering))
    ended = tuple(ExpiredWaiver(w.rule, w.expires.isoformat(), w.reason) for w in expired)
    return tuple(kept), tuple(waived), ended
