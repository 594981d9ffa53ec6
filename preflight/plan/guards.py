"""What is looked at before a plan is carried out: hashes, the order of steps, what is done."""

from __future__ import annotations

from preflight.errors import ExitCode, PreflightError, UsageError
from preflight.plan.journal import Journal, StepState
from preflight.plan.model import Plan, Step
from preflight.plan.workbench import Workbench

_TARGET_CHANGES = ("change_target", "install_package", "set_environment")


class PlanOutdatedError(PreflightError):
    """A model file or the target is not what the plan was made for."""

    exit_code = ExitCode.USAGE


def anything_done(journal: Journal) -> bool:
    return any(s.status in ("done", "committing") for s in journal.states().values())


def refuse_outdated(plan: Plan, states: dict[str, StepState], bench: Workbench) -> None:
    """Raises PlanOutdatedError when a model or the target differs from what was planned for.

    A file that the plan has somebody fetch again may be the new one already.
    """
    fetched = {step.model for step in plan.steps if step.kind == "replace_file"}
    for facts in plan.models:
        if facts.path in fetched:
            continue
        model = bench.read_model(facts.path)
        if (model.sha256, model.container.size) != (facts.sha256, facts.size):
            raise PlanOutdatedError(
                f"{facts.path} is not the file that the plan was made for", hint="plan again"
            )
    changed = [
        s.id
        for s in plan.steps
        if s.kind in _TARGET_CHANGES and s.id in states and states[s.id].status == "done"
    ]
    if changed:
        return
    found = bench.load_target(plan.target.spec).fingerprint
    if found != plan.target.fingerprint:
        raise PlanOutdatedError(
            f"the target {plan.target.spec} is not what it was when the plan was made",
            hint="plan again",
        )


def wanted(plan: Plan, states: dict[str, StepState], only: str) -> list[Step]:
    """The steps to do now, in order. Raises UsageError for an unknown or premature `only`."""
    done = {name for name, state in states.items() if state.status == "done"}
    if not only:
        return [step for step in plan.steps if step.id not in done]
    numbered = {str(n): step for n, step in enumerate(plan.steps, 1)}
    step = plan.step(only) or numbered.get(only)
    if step is None:
        known = ", ".join(s.id for s in plan.steps)
        raise UsageError(f"the plan has no step {only!r}", hint=f"steps: {known}")
    if step.id in done:
        return []
    missing = [needed for needed in step.requires if needed not in done]
    if missing:
        raise UsageError(f"step {step.id} needs {', '.join(missing)} first")
    return [step]
