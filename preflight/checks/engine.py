"""The engine: rules and a context in, findings and verdicts out. A pure function."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from msgspec import Struct
from msgspec.structs import replace

from preflight.checks import ordering
from preflight.checks.context import Assumptions, Context
from preflight.checks.facts import (
    Answer,
    behaviour_certainty,
    behaviour_source,
    is_settled,
    loader_not_known,
    resolve,
    supply,
)
from preflight.checks.predicate import Hit, Predicate, Undecided, convert_params, find_predicate
from preflight.checks.rulefile import Rule, RuleStatus, behaviour_code
from preflight.checks.verdicts import Verdicts, decide
from preflight.container.types import ContainerKind
from preflight.errors import DataError
from preflight.findings import (
    Certainty,
    Consequence,
    Finding,
    LoaderAnswer,
    NotEvaluated,
    Remedy,
    Severity,
    sort_findings,
)


class Result(Struct, frozen=True):
    """The answer for one model on one target.

    `not_evaluated` are rules that concern the model and could not be decided, with reasons;
    `not_applicable` are (rule, why) of rules about other kinds of model or release.
    """

    findings: tuple[Finding, ...]
    not_evaluated: tuple[NotEvaluated, ...]
    not_applicable: tuple[tuple[str, str], ...]
    evaluated: tuple[str, ...]
    asked: frozenset[Consequence]
    verdicts: Verdicts

    @property
    def first_failure(self) -> Finding | None:
        """The load check that the loader itself would fail first, None when it fails none."""
        return first_failure(self.findings)


def first_failure(findings: Iterable[Finding]) -> Finding | None:
    """Of findings that refuse the load with a known loader answer, the one met first."""
    refusals = [
        f
        for f in findings
        if f.consequence is Consequence.LOAD
        and f.severity is Severity.ERROR
        and f.loader is not None
    ]
    return min(refusals, key=lambda f: f.position or (1 << 30,), default=None)


def run_rules(rules: Iterable[Rule], context: Context) -> Result:
    """Ask every rule about a model and the models nested in it.

    Raises DataError when a rule names a predicate that is not installed.
    """
    active = sorted(
        (rule for rule in rules if rule.status is not RuleStatus.DEPRECATED), key=lambda r: r.id
    )
    own = _ask(active, context)
    inner = [run_rules(active, nested) for nested in _nested_contexts(context)]
    parts: list[_Answers | Result] = [own, *inner]
    findings = sort_findings(f for part in parts for f in part.findings)
    not_evaluated = tuple(n for part in parts for n in part.not_evaluated)
    asked = own.asked
    if inner:  # what was asked about one of several models is no answer about the others
        asked |= frozenset.intersection(*(part.asked for part in inner))
    return Result(
        findings,
        not_evaluated,
        own.not_applicable,
        tuple(dict.fromkeys(rule for part in parts for rule in part.evaluated)),
        asked,
        decide(findings, not_evaluated, asked),
    )


class _Answers(Struct, frozen=True):
    """What the rules say about one model, those nested in it left out."""

    findings: tuple[Finding, ...]
    not_evaluated: tuple[NotEvaluated, ...]
    not_applicable: tuple[tuple[str, str], ...]
    evaluated: tuple[str, ...]
    asked: frozenset[Consequence]


def _ask(rules: Iterable[Rule], context: Context) -> _Answers:
    findings: list[Finding] = []
    not_evaluated: list[NotEvaluated] = []
    not_applicable: list[tuple[str, str]] = []
    evaluated: list[Rule] = []
    for rule in rules:
        reason = _inapplicable(rule, context)
        if reason:
            not_applicable.append((rule.id, reason))
            continue
        outcomes = list(_evaluate(rule, context))
        findings += [o for o in outcomes if isinstance(o, Finding)]
        undecided = [o for o in outcomes if isinstance(o, NotEvaluated)]
        not_evaluated += undecided
        if not undecided:
            evaluated.append(rule)
    return _Answers(
        tuple(findings),
        tuple(not_evaluated),
        tuple(not_applicable),
        tuple(rule.id for rule in evaluated),
        _consequences(evaluated),
    )


def _consequences(evaluated: Iterable[Rule]) -> frozenset[Consequence]:
    """Consequences about which some rule could have refused the model and was decided."""
    return frozenset(
        rule.consequence
        for rule in evaluated
        if rule.severity is Severity.ERROR and _looks_at_model(rule)
    )


def _looks_at_model(rule: Rule) -> bool:
    return any(name.startswith("model.") for name in rule.applies.needs) or bool(
        rule.applies.container or rule.applies.loader
    )


def _nested_contexts(context: Context) -> Iterator[Context]:
    """Contexts of the models inside a bundle or flow model.

    Bundles hand each of them to the standard loader, flow models to LoadRootModel, which is its
    core (spec/om-format.md §A.6, §A.12); what that one does with a package is not known to differ
    from a load of the package itself.
    """
    order = ordering.BUNDLE_INNER if context.loader == "bundle" else ordering.FLOW_INNER
    if context.loader not in ("bundle", "flow"):
        return
    for index, inner in enumerate(context.model.nested):
        label = f"model {index} inside"
        loader = "" if inner.container.kind is ContainerKind.OM2 else "standard"
        yield replace(
            context,
            model=inner,
            assumptions=Assumptions(loader=loader, base_dir=context.assumptions.base_dir),
            prefix=" / ".join(p for p in (context.prefix, label) if p),
            outer=(*context.outer, order, index),
        )


def _inapplicable(rule: Rule, context: Context) -> str:
    """Why a rule does not speak about this model and target; empty when it does."""
    applies = rule.applies
    kind = context.model.container.kind.value
    if applies.container and kind not in applies.container:
        return f"the file is of kind {kind}"
    if kind == ContainerKind.NOT_A_MODEL.value and any(
        n.startswith("model.") for n in applies.needs
    ):
        return "the file is no model"
    if applies.loader and context.loader not in applies.loader:
        return f"the file is loaded by the {context.loader} reader"
    if applies.dynamic is not None:
        dynamic = context.header is not None and context.header.is_dynamic
        if dynamic is not applies.dynamic:
            return f"the model is {'dynamic' if dynamic else 'static'}"
    if applies.origin and context.target.origin not in applies.origin:
        return f"a target from the {context.target.origin} does not say"
    behaviour = context.behaviour
    if behaviour is not None:
        for field, wanted in applies.behaviour.items():
            if is_settled(context, field) and getattr(behaviour, field) != wanted:
                return f"the loader of {behaviour.label} has no such check"
    return ""


def _evaluate(rule: Rule, context: Context) -> Iterator[Finding | NotEvaluated]:
    answers = {name: resolve(name, context) for name in rule.applies.needs}
    missing = tuple(name for name, answer in answers.items() if not answer.known)
    if missing:
        reason = "; ".join(dict.fromkeys(answers[name].source for name in missing))
        yield _not_evaluated(rule, Undecided(reason, missing), context)
        return
    found = find_predicate(rule.check.predicate)
    if found is None:
        raise DataError(f"rule {rule.id}: predicate '{rule.check.predicate}' is not installed")
    outcomes = list(found.function(context, convert_params(found, rule.check.params)))
    if not all(is_settled(context, field) for field in rule.applies.behaviour):
        outcomes = _hypothetical(outcomes, context)
    for outcome in outcomes:
        if isinstance(outcome, Undecided):
            yield _not_evaluated(rule, outcome, context)
        else:
            yield _finding(rule, found, outcome, answers, context)


def _hypothetical(outcomes: list[Hit | Undecided], context: Context) -> list[Hit | Undecided]:
    """A rule of some releases, asked for a release nobody knows: a hit only shows it matters."""
    if not any(isinstance(outcome, Hit) for outcome in outcomes):
        return outcomes
    return [Undecided(loader_not_known(context), ("target.behaviour",))]


def _not_evaluated(rule: Rule, undecided: Undecided, context: Context) -> NotEvaluated:
    advice = filter(None, (supply(name, context) for name in undecided.missing))
    reason = "; ".join([undecided.reason, *dict.fromkeys(advice)])
    if context.prefix:
        reason = f"{context.prefix}: {reason}"
    return NotEvaluated(
        rule=rule.id,
        reason=reason,
        consequence=rule.consequence,
        missing=undecided.missing,
        blocking=_blocks(rule),
    )


def _blocks(rule: Rule) -> bool:
    """Whether a verdict needs the rule: it could refuse, or a compilation could fail at it.

    Of rules about compiling again a warning counts too: what it warns of stops the compiler as
    often as not, and a rebuild whose operators were not all compared is not known to work.
    """
    if rule.consequence is Consequence.REBUILD:
        return rule.severity is not Severity.NOTE
    return rule.severity is Severity.ERROR


def _finding(
    rule: Rule, found: Predicate, hit: Hit, answers: Mapping[str, Answer], context: Context
) -> Finding:
    facts = {name: getattr(hit.facts, name) for name in found.evidence.__struct_fields__}
    texts = {name: _text(value) for name, value in facts.items()}
    texts |= {"model": context.model_name, "target": context.target.name}
    certainty, doubt = _certainty(rule, hit, answers, context)
    return Finding(
        rule=rule.id,
        name=rule.name,
        title=rule.title,
        severity=hit.severity or rule.severity,
        consequence=rule.consequence,
        certainty=certainty,
        message=rule.message.summary.format_map(texts),
        evidence=hit.evidence,
        location=hit.location if hit.location.file else context.place(),
        remedies=tuple(
            Remedy(r.kind, r.summary.format_map(texts), r.risk, r.command.format_map(texts))
            for r in rule.remedies
        ),
        loader=_loader_answer(rule, hit, context),
        facts=facts,
        rests_on=rule.applies.needs,
        missing=hit.missing,
        position=(*context.outer, *hit.position) if hit.position else (),
        doubt=doubt,
    )


def _certainty(
    rule: Rule, hit: Hit, answers: Mapping[str, Answer], context: Context
) -> tuple[Certainty, str]:
    """How sure a finding is, which is as sure as its least sure fact, and which fact that is."""
    rests = [(hit.certainty, hit.doubt)]
    rests += [(a.certainty, f"{name} is inferred ({a.source})") for name, a in answers.items()]
    for field in rule.applies.behaviour:
        source = behaviour_source(context, field)
        rests.append(
            (behaviour_certainty(context, field), f"the loader's {field} is inferred ({source})")
        )
    certainty = max((one for one, _ in rests), key=lambda c: c.rank)
    named = [text for one, text in rests if one is certainty and text]
    return certainty, named[0] if named and certainty is not Certainty.CERTAIN else ""


def _text(value: object) -> str:
    """A fact as it stands in a message."""
    if value is None:
        return "unknown"
    if isinstance(value, (list, tuple)):
        return ", ".join(_text(item) for item in value)
    return str(value)


def _loader_answer(rule: Rule, hit: Hit, context: Context) -> LoaderAnswer | None:
    loader = rule.loader
    if loader is None:
        return None
    codes = hit.message_codes
    if codes is None:
        codes = tuple(_codes(loader.message_codes, context))
    status, status_name = hit.status or (loader.status, loader.status_name)
    return LoaderAnswer(
        loader.step, status, status_name, codes, loader.internal_status, loader.internal_name
    )


def _codes(codes: Iterable[str], context: Context) -> Iterator[str]:
    """Codes of a rule, with those that the release behaviour spells filled in."""
    for code in codes:
        field, suffix = behaviour_code(code)
        if not field:
            yield code
        elif context.behaviour is not None:
            value = getattr(context.behaviour, field)
            yield from value if isinstance(value, tuple) else (f"{value}{suffix}",)
