"""The faults that logs show, and the search for all of them at once.

Faults come from `manifests/errors/*.toml` (what no check can predict, and log forms of what one
can) and from `[reported_as]` of the rule files. Each signature is a pattern in the dialect of
`patterns`; its anchors are looked for first, over a whole block of text, so that the patterns
themselves run only on lines that may match.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from preflight.data import manifests_dir, rules_dir
from preflight.errors import DataError
from preflight.explain.patterns import Alternative, shape_of
from preflight.explain.types import Fault
from preflight.findings import Certainty, Remedy


class _Remedy(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    summary: str
    command: str = ""
    kind: str = "manual"
    risk: str = "low"


class _Fault(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    id: str
    title: str
    category: str
    layer: str
    certainty: Certainty
    what: str
    why: str
    source: str
    signatures: tuple[str, ...] = ()
    codes: tuple[str, ...] = ()
    code_prefixes: tuple[str, ...] = ()
    specificity: int = 2
    harmless: bool = False
    consequence_of: tuple[str, ...] = ()
    rules: tuple[str, ...] = ()
    sentence: str = ""
    next_step: str = ""
    needs: tuple[str, ...] = ()
    generic: bool = False
    wide: bool = False
    remedies: tuple[_Remedy, ...] = ()


class _FaultFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    fault: tuple[_Fault, ...]


class Signature(Struct, frozen=True):
    """One alternative of a pattern of a fault, with the text that must be there (lower case)."""

    fault: str
    pattern: re.Pattern[str]
    needs: Alternative
    key: str  # tells signatures apart

    def possible(self, low: str) -> bool:
        """Whether a line in lower case holds all that the pattern needs."""
        for texts in self.needs.also:
            for text in texts:
                if text in low:
                    break
            else:
                return False
        return True


@cache
def faults() -> dict[str, Fault]:
    """Every known fault by its id, those of rule files joined with those of the manifests."""
    found: dict[str, Fault] = {}
    for path in sorted((manifests_dir() / "errors").glob("*.toml")):
        for fault in _read_file(path):
            if fault.id in found:
                raise DataError(f"{path.name}: the id {fault.id} is used twice")
            found[fault.id] = fault
    for rule_id, title, signatures, remedies in _reported_as():
        _join(found, rule_id, title, signatures, remedies)
    return found


def _read_file(path: Path) -> Iterator[Fault]:
    try:
        raw = tomllib.loads(path.read_text(encoding="utf-8"))
        decoded = msgspec.convert(raw, type=_FaultFile)
    except (OSError, tomllib.TOMLDecodeError, msgspec.ValidationError) as error:
        raise DataError(f"{path.name}: {error}") from error
    for f in decoded.fault:
        remedies = tuple(Remedy(r.kind, r.summary, r.risk, r.command) for r in f.remedies)
        values = {name: getattr(f, name) for name in f.__struct_fields__ if name != "remedies"}
        yield Fault(**values, remedies=remedies)


# Layer and category of a fault that only a rule file describes, by the band of the rule.
_OF_BAND = {
    "1": ("GE", "om_load_or_shape"),
    "2": ("metadef", "om_load_or_shape"),
    "3": ("runtime", "om_soc_mismatch"),
    "4": ("GE", "om_host_mismatch"),
    "5": ("operator", "op_unsupported_on_soc"),
    "6": ("operator", "precision_drift"),
    "7": ("TBE", "atc_parameter"),
    "8": ("driver", "driver_cann_mismatch"),
}


def _reported_as() -> Iterator[tuple[str, str, tuple[str, ...], tuple[Remedy, ...]]]:
    """What the rule files say about how the loader reports their fault (architecture §4)."""
    for path in sorted(rules_dir().glob("*/PF*.toml")):
        try:
            raw = tomllib.loads(path.read_text(encoding="utf-8"))
        except (OSError, tomllib.TOMLDecodeError) as error:
            raise DataError(f"{path.name}: {error}") from error
        signatures = tuple(raw.get("reported_as", {}).get("signatures", ()))
        rule_id = str(raw.get("id", path.stem[:5]))
        remedies = tuple(
            Remedy(str(r.get("kind", "manual")), str(r["summary"]))
            for r in raw.get("remedies", ())
            if "{" not in str(r.get("summary", "{"))
        )
        yield rule_id, str(raw.get("title", rule_id)), signatures, remedies


@cache
def _of_rules() -> frozenset[str]:
    return frozenset(text for *_, texts, _ in _reported_as() for text in texts)


def _join(
    found: dict[str, Fault],
    rule_id: str,
    title: str,
    signatures: tuple[str, ...],
    remedies: tuple[Remedy, ...],
) -> None:
    """Give a rule's signatures to the fault that is linked to it, or make one from the rule."""
    linked = [f for f in found.values() if rule_id in f.rules]
    if linked:
        first = linked[0]
        known = {s for f in linked for s in f.signatures}
        more = tuple(s for s in signatures if s not in known)
        found[first.id] = replace(
            first,
            signatures=first.signatures + more,
            remedies=first.remedies or remedies,
        )
    elif signatures:
        layer, category = _OF_BAND.get(rule_id[2:3], ("GE", "om_load_or_shape"))
        found[rule_id] = Fault(
            id=rule_id,
            title=title,
            category=category,
            layer=layer,
            certainty=Certainty.LIKELY,
            what=title,
            why=f"The loader words it this way; the check predicts it with rule {rule_id}.",
            source=f"rules, {rule_id}",
            signatures=signatures,
            specificity=3,
            rules=(rule_id,),
            remedies=remedies,
        )


@cache
def signatures() -> tuple[Signature, ...]:
    """Every signature, compiled. Raises DataError that names each one that is not fit."""
    compiled, wrong = [], []
    for fault in faults().values():
        for text in fault.signatures:
            shape = shape_of(text)
            if shape.problems and text in _of_rules():
                continue  # a user's rule file must not stop the explanation of a log
            wrong += [f"{fault.id}: {problem}" for problem in shape.problems]
            try:
                pattern = re.compile(text, re.IGNORECASE)
            except re.error as error:
                wrong.append(f"{fault.id}: {text!r} is not a pattern: {error}")
                continue
            compiled += [
                Signature(fault.id, pattern, a, f"{fault.id} {number} {text}")
                for number, a in enumerate(shape.alternatives)
                if a.first
            ]
    if wrong:
        raise DataError("signatures that cannot be used: " + "; ".join(wrong))
    return tuple(compiled)


def by_anchor(wanted: Iterable[Signature] | None = None) -> dict[str, list[Signature]]:
    """Signatures by the text that must be there; the search walks this."""
    table: dict[str, list[Signature]] = {}
    for signature in signatures() if wanted is None else wanted:
        for anchor in signature.needs.first:
            table.setdefault(anchor, []).append(signature)
    return table
