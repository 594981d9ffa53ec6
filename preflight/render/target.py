"""Targets for people and for programs: show, list and fit."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from pathlib import PurePath
from typing import Any

import msgspec

from preflight.findings import Certainty
from preflight.render.escape import printable
from preflight.target.consistency import TargetProblem
from preflight.target.fit import FeatureEntry, Fit, FitReport
from preflight.target.manifests import ReleaseEntry, SocFamily
from preflight.target.types import Fact, Place, Target, Vendor

_FACTS = (
    ("release", "release"),
    ("internal", "internal number"),
    ("soc", "SoC"),
    ("host_os", "host OS"),
    ("host_cpu", "host CPU"),
    ("abi_range", "accepted operator package versions"),
    ("opp_version", "operator package version"),
    ("driver", "driver"),
)
SCHEMA_VERSION = "1.0"
_SHORTEST_RUN = 3  # files of one folder that are still listed one by one


def to_json(value: object) -> str:
    """Any result as indented JSON with a line end; bytes that are no text become escapes."""
    plain = _encodable(msgspec.to_builtins(value))
    return msgspec.json.format(msgspec.json.encode(plain, order="deterministic")).decode() + "\n"


def _encodable(value: Any) -> Any:
    """Texts of an installation may hold bytes that are no UTF-8, kept as surrogates."""
    if isinstance(value, str):
        return value.encode("utf-8", "backslashreplace").decode()
    if isinstance(value, dict):
        return {_encodable(key): _encodable(item) for key, item in value.items()}
    return [_encodable(item) for item in value] if isinstance(value, list | tuple) else value


def table(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Rows as aligned columns, every text made safe; the last column is not padded."""
    safe = [[printable(cell) for cell in row] for row in rows]
    widths = [max(len(row[i]) for row in safe) for i in range(len(safe[0]))] if safe else []
    for row in safe:
        cells = [cell.ljust(width) for cell, width in zip(row[:-1], widths, strict=False)]
        yield "  ".join([*cells, row[-1]]).rstrip()


def target_json(target: Target, problems: Sequence[TargetProblem]) -> str:
    """A target with its problems; kernels are counted, not listed."""
    facts = {name: fact_json(getattr(target, name)) for name, _ in _FACTS}
    behaviour = fact_json(target.behaviour)
    behaviour["value"] = target.behaviour.value.id if target.behaviour.value else None
    document = {
        "schema_version": SCHEMA_VERSION,
        "name": target.name,
        "origin": target.origin,
        "facts": {**facts, "behaviour": behaviour},
        "packages": target.packages,
        "vendors": target.vendors,
        "socs": target.socs,
        "socs_source": target.socs_source,
        "kernels": {"count": len(target.kernels), "source": target.kernels_source},
        "history_dirs": target.history_dirs,
        "python_packages": target.python_packages,
        "details": target.details,
        "notes": target.notes,
        "places": target.places,
        "problems": list(problems),
        "consistent": not problems,
        "fingerprint": target.fingerprint,
    }
    return to_json(msgspec.to_builtins(document))


def fact_json(fact: Fact[Any]) -> dict[str, object]:
    """A fact without its value's structure."""
    value = fact.value if isinstance(fact.value, str) else None
    return {
        "value": value,
        "known": fact.known,
        "certainty": fact.certainty.value,
        "source": fact.source,
    }


def target_text(target: Target, problems: Sequence[TargetProblem], spec: str) -> str:
    """A target for people: the answer first, where everything comes from, what to do last.

    Below the first line "…" stands for the install root that it names.
    """
    root = target.details.get("root")

    def short(text: str) -> str:
        return text.replace(f"{root}/", "…/") if root else text

    def aligned(rows: Iterable[Sequence[str]]) -> Iterator[str]:
        return table([[short(cell) for cell in row] for row in rows])

    lines = [_headline(target, problems), ""]
    lines += aligned([_fact_row(label, getattr(target, name)) for name, label in _FACTS])
    behaviour = target.behaviour
    label = behaviour.value.label if behaviour.value is not None else "not known"
    lines.append(f"loader  {label}  [{behaviour.certainty.value}; {behaviour.source}]")
    lines += _section("remarks", map(short, target.notes))
    lines += _section("problems", [short(_problem(p)) for p in problems])
    packages = [(p.name, p.version, p.version_dir, p.path) for p in target.packages]
    lines += _section("packages", aligned(packages))
    vendors = [short(_vendor(vendor)) for vendor in target.vendors]
    lines += _section("custom operator packages, in search order", vendors)
    lines += _section("knowledge", map(short, _counts(target)))
    lines += _section("looked at", aligned(_looked_at(target.places)))
    lines += ["", f"next: {_next(target, spec)}"]
    return "\n".join(printable(line) for line in lines) + "\n"


def _looked_at(places: Sequence[Place]) -> list[tuple[str, str, str]]:
    """Every place; files of one folder that were read for one reason share a line."""
    rows: list[tuple[str, str, str]] = []
    groups = groupby(places, key=lambda p: (p.result, str(PurePath(p.path).parent), p.why))
    for (result, folder, why), found in groups:
        paths = [place.path for place in found]
        if len(paths) > _SHORTEST_RUN:
            rows.append((result, f"{folder}/ ({len(paths)} files)", why))
        else:
            rows += [(result, path, why) for path in paths]
    return rows


def _headline(target: Target, problems: Sequence[TargetProblem]) -> str:
    release = f"CANN {target.release.value}" if target.release.known else "CANN of unknown release"
    number = target.internal.value
    if number and number != target.release.value:
        release += f" (internal {number})"
    root = target.details.get("root")
    where = f" in {root}" if root else ""
    if target.origin == "catalogue":
        return f"{release}, as a correct installation of {target.name} would be"
    if problems:
        count = len(problems)
        return f"{release}{where} has {count} problem{'s' if count > 1 else ''}"
    lost = sum(place.result == "unreadable" for place in target.places)
    if lost:
        places = "one place" if lost == 1 else f"{lost} places"
        return f"{release}{where} is consistent as far as it was read: {places} could not be"
    return f"{release}{where} is consistent"


def _fact_row(label: str, fact: Fact[str]) -> tuple[str, str, str]:
    if not fact.known:
        return label, "not known", fact.source
    value = "none" if fact.value is None else fact.value or '""'
    certainty = "" if fact.certainty.value == "certain" else f"{fact.certainty.value}; "
    return label, value, certainty + fact.source


def _section(title: str, lines: Iterable[str]) -> list[str]:
    body = [f"  {line}" for line in lines]
    return ["", f"{title}:", *body] if body else []


def _problem(problem: TargetProblem) -> str:
    return (
        f"{problem.kind} ({problem.certainty.value}): {problem.subject}: expected "
        f"{problem.expected}, found {problem.found} ({problem.source})"
    )


def _vendor(vendor: Vendor) -> str:
    state = {True: "used", False: "NOT USED", None: "not known"}[vendor.accepted]
    count = len(vendor.operators)
    return f"{vendor.name}: {state}, {count} operators, {vendor.path} ({vendor.reason})"


def _counts(target: Target) -> Iterator[str]:
    if target.socs:
        yield f"{len(target.socs)} SoCs: {target.socs_source}"
    if target.kernels_source:
        yield f"{len(target.kernels)} operators with kernels: {target.kernels_source}"
    for folder in target.history_dirs:
        yield f"operator history: {folder}"
    for name, version in target.python_packages.items():
        yield f"Python package {name} {version}"


def _next(target: Target, spec: str) -> str:
    if target.soc.known or target.origin != "installed":
        return f"preflight check MODEL.om --target {shlex.quote(spec)}"
    return f"preflight check MODEL.om --target {shlex.quote(f'{spec}@Ascend910B3')}"


def list_text(
    entries: Sequence[ReleaseEntry], families: Sequence[SocFamily], socs: Sequence[str]
) -> str:
    """Known releases and SoCs."""
    lines = [f"{len(entries)} CANN releases and {len(socs)} SoCs are known", "", "releases:"]
    rows = [("  release", "internal", "date", "loader", "certainty", "aliases")]
    rows += [
        (
            f"  {e.public}",
            e.internal or "?",
            e.date or "?",
            e.behaviour or "not known",
            e.certainty.value,
            ", ".join(e.aliases),
        )
        for e in entries
    ]
    lines += table(rows)
    lines += ["", "SoCs by family:"]
    named: set[str] = set()
    for family in families:
        named.update(family.socs)
        note = f"  ({family.note})" if family.note else ""
        lines.append(f"  {family.name}: {', '.join(family.socs)}{note}")
    lines.append(f"  others: {', '.join(s for s in socs if s not in named)}")
    lines += ["", "next: preflight target show 8.1.RC1/Ascend910B3/linux-aarch64"]
    return "\n".join(lines) + "\n"


def list_json(
    entries: Sequence[ReleaseEntry], families: Sequence[SocFamily], socs: Sequence[str]
) -> str:
    """Known releases and SoCs for programs."""
    document = {
        "schema_version": SCHEMA_VERSION,
        "releases": list(entries),
        "socs": list(socs),
        "families": list(families),
    }
    return to_json(msgspec.to_builtins(document))


def fit_text(report: FitReport) -> str:
    """What fits, what does not, and how anybody knows."""
    lines = [_fit_headline(report)]
    if report.fits:
        rows = [("CANN", "driver", "answer", "certainty", "because", "source")]
        rows += [_fit_row(fit) for fit in report.fits]
        lines += ["", *table(rows)]
    if report.features:
        for_driver = report.kind == "driver"
        title = (
            "features it is new enough for" if for_driver else "features by the driver they need"
        )
        lines += _section(title, table([_feature_row(f) for f in report.features]))
    if not report.fits:
        lines += ["", f"facts exist for: {', '.join(report.known)}"]
    lines += ["", f"next: preflight target fit {_other_way(report)}"]
    return "\n".join(printable(line) for line in lines) + "\n"


def _other_way(report: FitReport) -> str:
    found = next(iter(report.good), None)
    if report.kind == "driver":
        return f"--cann {found.cann if found else '8.1.RC1'}"
    return f"--driver {found.driver if found else '24.1.rc2'}"


def _feature_row(entry: FeatureEntry) -> tuple[str, str, str, str]:
    cann = f"CANN >= {entry.min_cann}" if entry.min_cann else ""
    return entry.feature, f"driver >= {entry.min_driver}", cann, entry.source


def _fit_headline(report: FitReport) -> str:
    for_driver = report.kind == "driver"
    subject = f"driver {report.asked}" if for_driver else f"CANN {report.asked}"
    if not report.fits:
        return f"nothing is known about which versions fit {subject}"
    surer = _names(report, [f for f in report.good if f.certainty is not Certainty.POSSIBLE])
    maybe = _names(report, [f for f in report.good if f.certainty is Certainty.POSSIBLE])
    outside = _names(report, list(report.bad))
    other = "CANN" if for_driver else "drivers"
    parts = [f"fits {other} {surer}"] if surer else []
    parts += [f"possibly fits {other} {maybe}"] if maybe else []
    parts = parts or [f"fits no {other} that is known"]
    return f"{subject} {', and '.join(parts)}" + (f"; possibly not {outside}" if outside else "")


def _names(report: FitReport, fits: Sequence[Fit]) -> str:
    return ", ".join(f.cann if report.kind == "driver" else f.driver for f in fits)


def _fit_row(fit: Fit) -> tuple[str, str, str, str, str, str]:
    return fit.cann, fit.driver, fit.answer, fit.certainty.value, fit.why, fit.source


def fit_json(report: FitReport) -> str:
    """The same for programs."""
    return to_json({"schema_version": SCHEMA_VERSION, **msgspec.to_builtins(report)})


def capture_json(target: Target, path: str) -> str:
    """What was captured, and where to."""
    return to_json(
        {
            "schema_version": SCHEMA_VERSION,
            "name": target.name,
            "path": path,
            "made_from": target.fingerprint,
        }
    )
