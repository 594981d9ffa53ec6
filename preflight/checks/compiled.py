"""Which release compiled a model: what the file records, or the range that its facts allow."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

from msgspec import Struct

from preflight.checks.filefacts import (
    Bound,
    allowed_positions,
    file_facts,
    known_facts,
    numbered_bound,
)
from preflight.checks.internal import internal_kind
from preflight.findings import Certainty
from preflight.model.manifest import ModelFile, ModelManifest
from preflight.target.manifests import release_of_internal, releases
from preflight.versions import CannVersion

if TYPE_CHECKING:
    from preflight.registry.history import History
    from preflight.registry.operator import Release

# Where toolkits are installed: …/ascend-toolkit/5.1.RC2/… and …/cann-9.1.0/…
_INSTALLED = re.compile(r"/(?:ascend-toolkit/|cann-|nnae/|nnrt/)(?P<release>[0-9][0-9A-Za-z.\-]*)/")


class ReleaseGuess(Struct, frozen=True):
    """Releases of the history that may be meant; one when it is known.

    `name` is the release in the model's or target's own words, `candidates` are releases of the
    history in order. `known` says that the release itself is recorded, not only bounded. With
    `before` or `after` it may also be one older or newer than the whole record.
    """

    name: str
    candidates: tuple[str, ...]
    known: bool
    certainty: Certainty
    source: str
    before: bool = False
    after: bool = False

    @property
    def text(self) -> str:
        """The release, or the range in words: "5.0.1 .. 5.0.4", "20.1.rc1 or before"."""
        if self.known or not self.candidates:
            return self.name
        if self.before and self.after:
            return "any release"
        if self.before:
            return f"{self.candidates[-1]} or before"
        if self.after:
            return f"{self.candidates[0]} or later"
        return " .. ".join(dict.fromkeys((self.candidates[0], self.candidates[-1])))


def named_release(manifest: ModelManifest) -> tuple[str, str]:
    """The public release that the file names as its compiler's, and where; ("", "") without."""
    for field in ("opp_version", "atc_version"):
        internal = getattr(manifest, field)
        public = public_release(internal) if internal else ""
        if public:
            return public, f"{field} {internal} is {public} (manifests/releases.toml)"
    path = _INSTALLED.search(manifest.atc_command.text) if manifest.atc_command else None
    return (path["release"], "path of the toolkit in the recorded command") if path else ("", "")


def compiled_release(model: ModelFile, history: History) -> ReleaseGuess:
    """The release whose compiler wrote the model, as far as the file tells.

    Raises ValueError for a file without a readable model definition.
    """
    if model.manifest is None:
        raise ValueError("a file without a model definition has no compiler to look for")
    public, where = named_release(model.manifest)
    guess = placed(public, history, where) if public else None
    return guess if guess is not None and guess.candidates else _bounded(model, history)


def public_release(internal: str) -> str:
    """The public name of an internal number, empty when it is not known."""
    entry = release_of_internal(internal)
    return entry.public if entry is not None else ""


def placed(public: str, history: History, source: str) -> ReleaseGuess:
    """A public release among those of the history: itself, or the recorded ones around it."""
    names = {r.version.lower(): r.version for r in history.releases}
    exact = names.get(public.lower())
    if exact is None:
        aliases = {a.lower(): e.public for e in releases() for a in (*e.aliases, e.public)}
        exact = names.get(aliases.get(public.lower(), "").lower())
    if exact is not None:
        return ReleaseGuess(exact, (exact,), True, Certainty.CERTAIN, source)
    dated = [v for v in names.values() if v.lower().startswith(f"{public.lower()}-")]
    if dated and CannVersion.parse(public) is None:  # a branch: its newest snapshot
        return ReleaseGuess(public, (dated[-1],), True, Certainty.LIKELY, source)
    around = _around(public, history.releases)
    return ReleaseGuess(public, around, bool(around), Certainty.LIKELY, source)


def _around(public: str, known: Iterable[Release]) -> tuple[str, ...]:
    """The recorded releases just before and after one that nobody recorded, by version."""
    version = CannVersion.parse(public)
    if version is None or not version.numbers:
        return ()
    dated = [(v, r.version) for r in known if (v := CannVersion.parse(r.version)) is not None]
    own = [(v, name) for v, name in dated if _is_release_name(name)]
    before = [item for item in own if item[0] < version]
    after = [item for item in own if version < item[0]]
    picked = []
    if before:
        picked.append(max(before, key=lambda item: item[0])[1])
    if after:
        picked.append(min(after, key=lambda item: item[0])[1])
    return tuple(picked)


def _is_release_name(name: str) -> bool:
    """Whether a recorded name is a version: not a date, a branch or the older naming."""
    return re.match(r"[0-9]+\.[0-9]", name) is not None


def _bounded(model: ModelFile, history: History) -> ReleaseGuess:
    """Releases that the facts of the file and its operator types allow.

    A release is allowed when it has every operator type, or when nobody can tell.
    """
    manifest = model.manifest
    assert manifest is not None  # compiled_release has seen to that
    known = known_facts()
    bounds = {fact: known[fact] for fact in file_facts(model) if fact in known}
    for field in ("opp_version", "atc_version"):
        internal = getattr(manifest, field)
        numbered = numbered_bound(internal)
        if numbered is not None:
            bounds[f"{field} {internal}"] = _recorded(numbered, history)
    allowed, facts = allowed_positions(history, bounds)
    types = [c.type for c in manifest.operators if internal_kind(c.type) == ""]
    spans = [_possible(history, t) for t in types if history.knows(t)]
    fitting = [i for i in allowed if all(i in span for span in spans)]
    candidates = tuple(history.releases[i].version for i in fitting)
    because = f"{', '.join(facts)} and its operator types" if facts else "its operator types"
    newest = len(history.releases) - 1
    return ReleaseGuess(
        "unknown",
        candidates,
        False,
        Certainty.POSSIBLE,
        f"nothing in the file names a known release; {because} allow this range"
        if candidates
        else f"nothing in the file names a known release; {because} contradict each other",
        before=bool(fitting) and fitting[0] == 0,
        after=bool(fitting) and fitting[-1] == newest,
    )


def _recorded(bound: Bound, history: History) -> Bound:
    """The same bound by releases of the record, wider where one of them is not recorded."""
    since = placed(bound.since, history, "").candidates if bound.since else ()
    until = placed(bound.until, history, "").candidates if bound.until else ()
    return Bound(bound.source, since[0] if since else "", until[-1] if until else "")


def _possible(history: History, op_type: str) -> frozenset[int]:
    """Positions of the releases that may have an operator.

    A complete record without it rules a release out; before the first and behind the last record of
    the operator it also rules out everything on its far side.
    """
    operator = history.operator(op_type)
    recorded = {r.release for r in operator.records}
    releases = history.releases
    here = [i for i, r in enumerate(releases) if r.version in recorded]
    gaps = [
        i
        for i, r in enumerate(releases)
        if r.version not in recorded and history.complete_for(operator.packages, r)
    ]
    first = max((i for i in gaps if i < here[0]), default=-1)
    last = min((i for i in gaps if i > here[-1]), default=len(releases))
    return frozenset(range(first + 1, last)) - frozenset(gaps)
