"""What a check says: findings with evidence, verdicts per path, and what could not be evaluated."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from enum import StrEnum

from msgspec import Struct, field


class Severity(StrEnum):
    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"

    @property
    def rank(self) -> int:
        """0 for the worst."""
        return _SEVERITY_ORDER.index(self)


_SEVERITY_ORDER = (Severity.ERROR, Severity.WARNING, Severity.NOTE)


class Consequence(StrEnum):
    LOAD = "load"  # the loader rejects it
    RUN = "run"  # loads, may fail when executed
    REBUILD = "rebuild"  # compiling again fails or needs a change
    DRIFT = "drift"  # results can change silently
    POLICY = "policy"


class Certainty(StrEnum):
    CERTAIN = "certain"  # decided by the loader's own rule on known facts
    LIKELY = "likely"
    POSSIBLE = "possible"

    @property
    def rank(self) -> int:
        """0 for the surest."""
        return _CERTAINTY_ORDER.index(self)


_CERTAINTY_ORDER = (Certainty.CERTAIN, Certainty.LIKELY, Certainty.POSSIBLE)


class Status(StrEnum):
    OK = "ok"
    OK_WITH_WARNINGS = "ok_with_warnings"
    BLOCKED = "blocked"
    UNKNOWN = "unknown"


class Evidence(Struct, frozen=True):
    """One fact that two sides disagree about (or that one side states alone)."""

    subject: str  # what is compared, in the field's words: "soc_version", "partition count"
    expected: str  # what the target or the format asks for
    found: str  # what the model or the installation says
    expected_from: str = ""  # who says so: file and key, manifest entry, spec section
    found_from: str = ""  # where it was read: partition, attribute, file


class Location(Struct, frozen=True):
    """A place in an input: file, path inside it ("block 0 / MODEL_DEF / op conv1"), byte offset."""

    file: str = ""
    path: str = ""
    offset: int | None = None


class LoaderAnswer(Struct, frozen=True):
    """What the loader itself would report.

    `step` is the id of the load check (manifests, docs/coverage.md), `status` the ACL return code
    that the caller sees and `message_codes` the codes in the log, first-seen order.
    """

    step: str
    status: int
    status_name: str
    message_codes: tuple[str, ...] = ()
    internal_status: int | None = None
    internal_name: str = ""

    @property
    def message_code(self) -> str:
        """The first message code, empty when the loader gives none."""
        return self.message_codes[0] if self.message_codes else ""


class Remedy(Struct, frozen=True):
    """A way out; `kind` is a plan step kind."""

    kind: str
    summary: str
    risk: str = "low"  # low | medium | high
    command: str = ""


class Finding(Struct, frozen=True):
    """One rule's complaint about one model on one target."""

    rule: str
    name: str
    title: str
    severity: Severity
    consequence: Consequence
    certainty: Certainty
    message: str
    evidence: tuple[Evidence, ...] = ()
    location: Location = Location()
    remedies: tuple[Remedy, ...] = ()
    loader: LoaderAnswer | None = None
    facts: Mapping[str, object] = field(default_factory=dict)  # the predicate's evidence fields
    rests_on: tuple[str, ...] = ()  # facts the decision used, "model.soc_version"
    missing: tuple[str, ...] = ()  # facts that would have made it surer
    position: tuple[int, ...] = ()  # the loader's order; smaller is met first
    doubt: str = ""  # the fact, with its source, that makes it less than certain

    @property
    def fingerprint(self) -> str:
        """Stable across runs and machines: rule, place inside the model, what differs."""
        parts = [self.rule, self.location.path]
        parts += [f"{e.subject}={e.expected}/{e.found}" for e in self.evidence]
        return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:16]

    @property
    def sort_key(self) -> tuple[object, ...]:
        """What decides comes first: worst, not merely possible, refusals in the loader's order.

        A refusal without an answer of the loader says what the file is instead of a model, and
        comes before the checks that such a file fails along the way.
        """
        refuses = self.consequence is Consequence.LOAD
        return (
            self.severity.rank,
            self.certainty is Certainty.POSSIBLE,
            not refuses,
            self.loader is not None,
            self.position or (1 << 30,),
            self.certainty.rank,
            self.rule,
            self.location.path,
            self.message,
            self.consequence.value,
        )


class NotEvaluated(Struct, frozen=True):
    """A rule that could not be decided, and why. `blocking` rules make a verdict unknown."""

    rule: str
    reason: str
    consequence: Consequence
    missing: tuple[str, ...] = ()
    blocking: bool = False


class PathVerdict(Struct, frozen=True):
    """The answer for one path (deploy or rebuild)."""

    status: Status
    decided_by: str = ""  # rule id; empty when nothing speaks against it
    reason: str = ""


def sort_findings(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Sorted, without duplicates (of one fingerprint, message and consequence the first stays)."""
    unique: dict[tuple[str, str, Consequence], Finding] = {}
    for finding in sorted(findings, key=lambda f: f.sort_key):
        key = (finding.fingerprint, finding.message, finding.consequence)
        unique.setdefault(key, finding)
    return tuple(unique.values())
