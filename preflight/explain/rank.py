"""From what a log shows to its root cause, its consequences and what is harmless.

The root is the earliest fault of the most specific kind that others can follow from: a line that
states a cause (specificity 3) beats one that names a mechanism (2), a symptom (1) or an umbrella
code (0); among equals the earlier line wins, then the lower layer.
"""

from __future__ import annotations

from collections.abc import Iterable

from msgspec.structs import replace

from preflight.explain import catalogue
from preflight.explain.conflict import conflict_of
from preflight.explain.parameters import complete, fill, merge
from preflight.explain.scan_log import Hit, Scan
from preflight.explain.signatures import faults
from preflight.explain.types import Cause, Fault
from preflight.findings import Certainty

MAX_CAUSES = 3
SHORT_LINES = 25  # a paste of so few lines is meant, whatever it says
# Lowest first: what stands lower explains what stands higher.
_LAYERS = (
    "system", "python", "driver", "runtime", "AICPU", "HCCL", "metadef", "TBE", "FE", "operator",
    "aclnn", "GE", "ACL", "torch_npu", "framework", "tool",
)  # fmt: skip


def rank(scan: Scan) -> tuple[list[Cause], list[Cause], list[Cause]]:
    """(causes with the root first, consequences, harmless ones) of a scanned log."""
    if scan.codes_like and scan.lines <= SHORT_LINES:
        scan.platform = True
    merged = _merged([*scan.hits.values(), *_by_code(scan)])
    hits = _standing(merged, scan.platform, scan.lines <= SHORT_LINES)
    known = faults()
    harmless = [h for h in hits if known[h.fault].harmless]
    serious = [h for h in hits if not known[h.fault].harmless]
    followers = [h for h in serious if _explained(h, serious)]
    roots = [h for h in serious if h not in followers]
    if serious and not roots:  # a ring of three or more
        roots = [min(serious, key=_root_order)]
        followers.remove(roots[0])
    return (
        [_cause(h, scan) for h in sorted(roots, key=_root_order)],
        [_cause(h, scan) for h in sorted(followers, key=lambda h: h.order)],
        [_cause(h, scan) for h in sorted(harmless, key=lambda h: h.order)],
    )


def _by_code(scan: Scan) -> Iterable[Hit]:
    """Faults that only a code speaks for: one the fault names, else one of its family."""
    seen = {fault for fault, _ in scan.hits}
    named = {code for fault in faults().values() for code in fault.codes}
    strangers = [code for code in scan.codes if code not in named]
    for fault in faults().values():
        if fault.id in seen:
            continue
        present = [c for c in fault.codes if c in scan.codes]
        if fault.code_prefixes:
            present += [c for c in strangers if c.startswith(fault.code_prefixes)]
        if not scan.platform:
            present = [c for c in present if _telling(c)]
        if not present:
            continue
        first = min(present, key=lambda c: scan.code_orders[c][0])
        order, process = scan.code_orders[first]
        line = scan.codes[first]
        yield Hit(
            fault.id, process, order, "", [line.first], {"code": first}, line.count, weak=True
        )


def _telling(code: str) -> bool:
    """Whether a code means this platform wherever it stands: message codes with two letters do,
    and numbers of the catalogue that are not round; others mean other things in other programs.
    """
    if not code.isdigit():
        return not code[1:].isdigit()
    return len(code) == 6 and code in catalogue.entries() and not code.endswith("000")


def _merged(hits: list[Hit]) -> list[Hit]:
    """One hit per fault: the earliest process leads, captured values of the others fill gaps."""
    table: dict[str, Hit] = {}
    for hit in sorted(hits, key=lambda h: h.order):
        first = table.get(hit.fault)
        if first is None:
            table[hit.fault] = hit
            continue
        first.count += hit.count
        for name, value in hit.parameters.items():
            first.parameters.setdefault(name, value)
    return list(table.values())


def _standing(hits: list[Hit], platform: bool, short: bool) -> list[Hit]:
    """Without the faults that need company they do not have.

    Words that other programs use too count when something of this platform is in the log, or when
    all of it is a short paste: nobody pastes ten lines of another program here.
    """
    known = faults()
    present = {h.fault for h in hits} | {known[h.fault].category for h in hits}
    kept = []
    for hit in hits:
        fault = known[hit.fault]
        if not platform and not hit.weak and (fault.wide or (fault.generic and not short)):
            continue
        if fault.needs and not present.intersection(fault.needs):
            continue
        kept.append(hit)
    return kept


def _strength(hit: Hit) -> float:
    """How much a fault tells; a code alone and words that other programs use too tell less."""
    fault = faults()[hit.fault]
    if not fault.specificity:
        return 0
    return fault.specificity - (0.5 if hit.weak else 0) - (0.25 if fault.generic else 0)


def _explained(hit: Hit, others: list[Hit]) -> bool:
    """Whether another fault of the log accounts for this one; of two that account for each other
    the one that ranks first stays.
    """
    for other in others:
        if other.fault == hit.fault or not _follows(hit, other):
            continue
        if not _follows(other, hit) or _root_order(other) < _root_order(hit):
            return True
    return False


def _follows(hit: Hit, other: Hit) -> bool:
    fault, cause = faults()[hit.fault], faults()[other.fault]
    if cause.id in fault.consequence_of or cause.category in fault.consequence_of:
        return True
    if "*" in fault.consequence_of:
        return _strength(other) > _strength(hit) and _same_process(hit, other)
    return False


def _same_process(one: Hit, other: Hit) -> bool:
    """An unnamed process can be any; a process number decides where both have one."""
    if not one.process or not other.process:
        return True
    return one.process.split()[0] == other.process.split()[0]


def _root_order(hit: Hit) -> tuple[object, ...]:
    fault = faults()[hit.fault]
    return (-_strength(hit), hit.order, fault.certainty.rank, _layer(fault.layer), fault.id)


def _layer(name: str) -> int:
    return _LAYERS.index(name) if name in _LAYERS else len(_LAYERS)


def _cause(hit: Hit, scan: Scan) -> Cause:
    fault = faults()[hit.fault]
    parameters = merge(scan.context, hit.parameters)
    relevant = {k: parameters[k] for k in (*hit.parameters, *_placeholders(fault, parameters))}
    guessed = hit.weak or (fault.generic and not scan.platform)
    certainty = Certainty.POSSIBLE if guessed else fault.certainty
    remedies = tuple(
        replace(r, summary=complete(r.summary, parameters), command=complete(r.command, parameters))
        for r in fault.remedies
    )
    return Cause(
        fault=replace(fault, remedies=remedies),
        certainty=certainty,
        statement=fill(fault.sentence, parameters) or fault.title,
        evidence=tuple(hit.evidence),
        occurrences=hit.count,
        process=hit.process,
        parameters=relevant,
        time=hit.time,
        conflict=conflict_of(fault, parameters),
    )


def _placeholders(fault: Fault, parameters: dict[str, str]) -> list[str]:
    texts = [fault.sentence, *(r.summary + r.command for r in fault.remedies)]
    return [name for name in parameters if any("{" + name + "}" in t for t in texts)]
