"""What an explanation is made of: codes, faults, matches in a log, ranked causes."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct, field

from preflight.findings import Certainty, Remedy


class Spelling(Struct, frozen=True):
    """Another way in which some releases write the same code."""

    code: str
    releases: str
    note: str = ""


class CodeEntry(Struct, frozen=True):
    """One code of the catalogue. `number` is None for message codes such as E19999."""

    code: str
    names: tuple[str, ...]
    number: int | None
    layer: str
    meaning: str
    source: str
    hides: tuple[str, ...] = ()
    spellings: tuple[Spelling, ...] = ()
    collect: tuple[str, ...] = ()
    arguments: tuple[str, ...] = ()  # what the message text fills in
    since: str = ""
    until: str = ""
    load_relevant: bool = False


class CodeRange(Struct, frozen=True):
    """The range of numbers or letters in which a code lies, and whose it is."""

    text: str
    layer: str
    what: str
    source: str


class PredictedBy(Struct, frozen=True):
    """A rule of the check that reports this code, or this fault, before anything is loaded."""

    rule: str
    title: str


class CodeExplanation(Struct, frozen=True):
    """The answer for one code as the user wrote it; `entry` is None when it is not known."""

    asked: str
    entry: CodeEntry | None
    range: CodeRange | None = None
    nearest: tuple[CodeEntry, ...] = ()
    rules: tuple[PredictedBy, ...] = ()
    faults: tuple[Fault, ...] = ()  # log signatures that this code belongs to

    @property
    def known(self) -> bool:
        """Whether the catalogue has the code."""
        return self.entry is not None


class Fault(Struct, frozen=True):
    """A fault and how it shows in logs (manifests/errors/*.toml, or `[reported_as]` of a rule)."""

    id: str
    title: str
    category: str
    layer: str
    certainty: Certainty
    what: str
    why: str
    source: str
    signatures: tuple[str, ...] = ()
    codes: tuple[str, ...] = ()  # codes that point to this fault even without a signature
    code_prefixes: tuple[str, ...] = ()  # a weak sign: whose codes begin like this
    specificity: int = 2  # 3 the line states the cause, 2 a mechanism, 1 a symptom, 0 an umbrella
    harmless: bool = False
    consequence_of: tuple[str, ...] = ()  # fault ids or categories; "*" means of any other fault
    rules: tuple[str, ...] = ()  # checks that predict it
    sentence: str = ""  # with {placeholders} for what the signatures capture
    next_step: str = ""
    needs: tuple[str, ...] = ()  # ids or categories of which one must be in the log as well
    generic: bool = False  # also seen in other programs' logs: needs a sign of this platform or a
    # short paste
    wide: bool = False  # words of many programs: a short paste is not enough for it
    remedies: tuple[Remedy, ...] = ()


class EvidenceLine(Struct, frozen=True):
    """A line of a log, as it stands there (shortened), with its place."""

    source: str
    number: int
    text: str


class CodeSeen(Struct, frozen=True):
    """A known code that a log mentions, with the first place and how often."""

    code: str
    name: str
    meaning: str
    first: EvidenceLine
    count: int


class VersionSide(Struct, frozen=True):
    """One of two versions that do not fit, in both numberings where both are known."""

    role: str  # "model", "operator package", "driver", …
    text: str
    public: str
    internal: str
    origin: str  # where it comes from: attribute, file and key, log line


class VersionConflict(Struct, frozen=True):
    """Two versions, the comparison that refuses them, and which is cheaper to move."""

    comparison: str  # "string equality" | "range" | "prefix" | "pair table"
    how: str
    sides: tuple[VersionSide, ...]
    result: str
    cheaper: str
    why: str
    rules: tuple[str, ...] = ()


class Cause(Struct, frozen=True):
    """A fault that a log shows, with what supports it."""

    fault: Fault
    certainty: Certainty
    statement: str  # the specific sentence, or the title
    evidence: tuple[EvidenceLine, ...]
    occurrences: int
    process: str
    parameters: Mapping[str, str] = field(default_factory=dict)
    time: str = ""
    conflict: VersionConflict | None = None
    check: str = ""  # "", "confirms", "contradicts", "cannot decide"
    check_reason: str = ""


class LogExplanation(Struct, frozen=True):
    """The answer for a set of logs."""

    sources: tuple[str, ...]
    lines: int
    bytes: int
    causes: tuple[Cause, ...]  # at most three, the root first
    further: tuple[Cause, ...] = ()  # other causes that were seen
    consequences: tuple[Cause, ...] = ()
    harmless: tuple[Cause, ...] = ()
    codes: tuple[CodeSeen, ...] = ()
    parameters: Mapping[str, str] = field(default_factory=dict)
    processes: tuple[str, ...] = ()
    earliest_errors: tuple[EvidenceLine, ...] = ()
    look_for: tuple[str, ...] = ()
    next_command: str = ""
    notes: tuple[str, ...] = ()
