"""Carries out a plan with a journal, and takes it back. The only part that starts programs.

Whatever happens to a step, it ends in the state before it or the state after it, and the journal
says which. A process that was killed is picked up by the next run: a step that had not reached its
renames is taken back, one that had is finished.
"""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from preflight.errors import ApplyError, ExitCode, PreflightError, UsageError
from preflight.plan import staging
from preflight.plan.execute import (
    ApplyOptions,
    Declined,
    Execution,
    NotReadyError,
    ready_program,
    refuse_programs,
)
from preflight.plan.files import plan_digest, read_plan
from preflight.plan.guards import anything_done, refuse_outdated, wanted
from preflight.plan.journal import (
    Journal,
    JournalError,
    StepState,
    journal_path,
    read_journal,
    states_of,
)
from preflight.plan.model import Plan, Step
from preflight.plan.workbench import Workbench

_GRACE_SECONDS = 5
NOT_READY = "not ready"
_LOOK_SECONDS = 0.1  # between two looks at whether the user has cancelled


class StepOutcome(Struct, frozen=True):
    """A step after a run. `status` is the journal's word.

    In a dry run it is would run | not ready | waits; a step waits behind one that is not ready.
    """

    step: str
    title: str
    status: str
    detail: str = ""


class ApplyResult(Struct, frozen=True):
    """`status`: done | stopped | failed | dry_run | rolled_back. `left` needs a person's hand."""

    status: str
    steps: tuple[StepOutcome, ...]
    journal: str
    error: str = ""
    hint: str = ""
    left: tuple[str, ...] = ()

    @property
    def exit_code(self) -> ExitCode:
        if self.status == "failed":
            return ExitCode.APPLY_FAILED
        if any(outcome.status == NOT_READY for outcome in self.steps):
            return ExitCode.FINDINGS
        return ExitCode.FINDINGS if self.status == "stopped" or self.left else ExitCode.OK


def apply_plan(
    path: str | os.PathLike[str],
    options: ApplyOptions | None = None,
    bench: Workbench | None = None,
) -> ApplyResult:
    """Carry out a plan file, or one step of it; steps that are done already are passed over.

    Raises UsageError or PlanOutdatedError before anything is done when the plan does not fit; a
    step that fails is taken back and, unless `keep`, so is everything this plan had done.
    """
    chosen, tools, place = options or ApplyOptions(), bench or Workbench(), Path(path).absolute()
    plan, digest = read_plan(place), plan_digest(place)
    refuse_programs(chosen)
    if chosen.dry_run:
        return _dry_run(plan, place, chosen, tools)
    with Journal(journal_path(place)) as journal:
        if journal.plan_digest and journal.plan_digest != digest and anything_done(journal):
            raise UsageError(
                f"{place}: the plan was edited after some of its steps were done",
                hint=f"preflight rollback {path} (--yes once what a person did is undone)",
            )
        _recover(journal)
        states = journal.states()
        refuse_outdated(plan, states, tools)
        steps = wanted(plan, states, chosen.only)
        if journal.plan_digest != digest:
            journal.write("begin", plan=digest, detail=str(place))
        logs = place.with_name(f"{place.stem}.logs")
        run = run_program
        if chosen.cancelled is not None:
            run = partial(run_program, cancelled=chosen.cancelled)
        work = Execution(plan, digest, journal, chosen, tools, logs, run)
        return _run_all(work, steps)


def _run_all(work: Execution, steps: list[Step]) -> ApplyResult:
    for step in steps:
        state = work.journal.states().get(step.id, StepState(step.id))
        _tell(work.options, step.id, "started", step.title)
        try:
            work.run(step, state)
        except Declined:
            return _result(work.plan, work.journal, "stopped", f"stopped before step {step.id}")
        except NotReadyError as error:
            stopped = f"stopped before step {step.id}: {error.message}"
            return replace(_result(work.plan, work.journal, "stopped", stopped), hint=error.hint)
        except JournalError:
            staging.remove_folder(work.working)  # the next run takes the step back
            raise
        except (PreflightError, OSError) as error:
            return _failed(work, step, error)
        except KeyboardInterrupt:
            _take_back(work.journal, step.id, "interrupted")
            raise
        done = work.journal.states()[step.id]
        _tell(work.options, step.id, "done", done.detail)
    finished = all(s.status == "done" for s in _all_states(work.plan, work.journal))
    if finished:
        work.journal.write("end", detail="done")
    return _result(work.plan, work.journal, "done")


def _failed(work: Execution, step: Step, error: PreflightError | OSError) -> ApplyResult:
    """Take back the step and, unless told to keep them, the finished ones before it."""
    message = error.message if isinstance(error, PreflightError) else str(error)
    hint = error.hint if isinstance(error, PreflightError) else ""
    begun = work.journal.states().get(step.id)
    if begun is None or begun.status not in ("started", "committing"):
        work.journal.write("started", step.id, title=step.title)
    _take_back(work.journal, step.id, message)
    _tell(work.options, step.id, "failed", message)
    left: tuple[str, ...] = ()
    if not work.options.keep:
        left = _undo_all(work.journal, work.options, ask=False)
    result = _result(work.plan, work.journal, "failed", f"step {step.id}: {message}")
    return replace(result, hint=hint, left=left)


def rollback_plan(path: str | os.PathLike[str], options: ApplyOptions | None = None) -> ApplyResult:
    """Take back what applying a plan has done, newest step first; the plan itself is not needed.

    Raises UsageError when there is no journal.
    """
    chosen, place = options or ApplyOptions(), Path(path).absolute()
    where = journal_path(place)
    if not where.exists():
        raise UsageError(
            f"{where}: there is no journal: nothing of this plan was carried out",
            hint=f"preflight plan show {path}",
        )
    if chosen.dry_run:
        states = reversed(states_of(read_journal(where)).values())
        steps = tuple(
            StepOutcome(s.step, s.title, "would undo", s.undo) for s in states if s.status == "done"
        )
        return ApplyResult("dry_run", steps, str(where))
    with Journal(where) as journal:
        _recover(journal)
        left = _undo_all(journal, chosen, ask=True)
        journal.write("end", detail="rolled back")
        steps = tuple(
            StepOutcome(s.step, s.title, s.status, s.detail) for s in journal.states().values()
        )
        return ApplyResult("rolled_back", steps, str(where), left=left)


def _undo_all(journal: Journal, options: ApplyOptions, *, ask: bool) -> tuple[str, ...]:
    """Undo finished steps, newest first; what only a person can undo is returned in words."""
    left: list[str] = []
    for state in reversed(list(journal.states().values())):
        if state.status != "done":
            continue
        if state.confirmed:
            undone = ask and _person_undoes(state, options)
            if not undone:
                left.append(f"{state.title}: {state.undo or 'undo it by hand'}")
                continue
        _tell(options, state.step, "undoing", state.title)
        left += _undo(journal, state)
    return tuple(left)


def _person_undoes(state: StepState, options: ApplyOptions) -> bool:
    if options.confirm is None:
        return False
    step = Step(state.step, "verify", state.title, instruction=state.undo)
    return options.confirm(step, "is this undone?")


def _undo(journal: Journal, state: StepState) -> list[str]:
    """Remove what a step made; files that changed since are left and named."""
    journal.write("undoing", state.step)
    left = staging.remove_made(state.files)
    staging.remove_empty(state.moves, state.folders)
    journal.write("undone", state.step, detail="; ".join(left))
    return [f"{name} was changed since it was made and is left in place" for name in left]


def _recover(journal: Journal) -> None:
    """Bring a step that a killed process was in to the state before it, or after it."""
    for state in list(journal.states().values()):
        if state.status == "started":
            _take_back(journal, state.step, "the process ended during this step")
        elif state.status == "committing":
            _finish_commit(journal, state)
        elif state.status == "undoing":
            _undo(journal, state)


def _finish_commit(journal: Journal, state: StepState) -> None:
    try:
        staging.finish_moves(state.moves)
    except ApplyError as error:
        _take_back(journal, state.step, error.message)
        return
    missing = [f for f, d in state.files.items() if not _is_intact(Path(f), d)]
    if missing:
        _take_back(journal, state.step, f"not intact after an interruption: {missing[0]}")
        return
    staging.remove_folder(state.staging)
    journal.write("done", state.step, files=state.files, detail="finished after an interruption")


def _is_intact(path: Path, digest: str) -> bool:
    return path.is_file() and staging.digest_of(path) == digest


def _take_back(journal: Journal, step: str, reason: str) -> None:
    """Return to the state before a step that did not reach its end."""
    state = journal.states()[step]
    left = staging.remove_made(state.files)
    staging.remove_folder(state.staging)
    staging.remove_empty(state.moves, state.folders)
    journal.write("failed", step, detail="; ".join([reason, *left]))


def _dry_run(plan: Plan, place: Path, options: ApplyOptions, bench: Workbench) -> ApplyResult:
    """What would happen, with everything checked that can be checked beforehand."""
    states = states_of(read_journal(journal_path(place)))
    refuse_outdated(plan, states, bench)
    outcomes: list[StepOutcome] = []
    stopped = False
    for step in wanted(plan, states, options.only):
        detail = step.instruction
        if stopped:
            outcomes.append(StepOutcome(step.id, step.title, "waits", detail))
            continue
        if step.command:
            try:
                detail = " ".join([ready_program(step, options), *step.command[1:]])
            except NotReadyError as error:
                hint = f" ({error.hint})" if error.hint else ""
                said = f"{error.message}{hint}"
                outcomes.append(StepOutcome(step.id, step.title, NOT_READY, said))
                stopped = True
                continue
        outcomes.append(StepOutcome(step.id, step.title, "would run", detail))
    return ApplyResult("dry_run", tuple(outcomes), str(journal_path(place)))


def _all_states(plan: Plan, journal: Journal) -> list[StepState]:
    states = journal.states()
    return [states.get(s.id, StepState(s.id)) for s in plan.steps]


def _result(plan: Plan, journal: Journal, status: str, error: str = "") -> ApplyResult:
    outcomes = tuple(
        StepOutcome(step.id, step.title, state.status, state.detail)
        for step, state in zip(plan.steps, _all_states(plan, journal), strict=True)
    )
    return ApplyResult(status, outcomes, str(journal.path), error)


def _tell(options: ApplyOptions, step: str, status: str, detail: str) -> None:
    if options.progress is not None:
        options.progress(step, status, detail)


def run_program(
    argv: list[str],
    folder: Path,
    log: Path,
    timeout: float,
    cancelled: Callable[[], bool] | None = None,
) -> int:
    """Run a program without a shell in a process group of its own; its output goes to `log`.

    Returns its exit code (negative for a signal). The whole group is ended when the time is over or
    the caller is interrupted. Raises ApplyError when it cannot be started, takes too long, or
    `cancelled` says so.
    """
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("wb") as output:
        try:
            process = subprocess.Popen(  # noqa: S603 - a list, an allowed program, no shell
                argv,
                cwd=folder,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        except (OSError, ValueError) as error:
            raise ApplyError(f"{argv[0]} cannot be started: {error}") from error
        try:
            return _wait(process, timeout, cancelled)
        except subprocess.TimeoutExpired:
            raise ApplyError(
                f"{Path(argv[0]).name} took longer than {timeout:g} seconds and was ended",
                hint=f"its output: {log}",
            ) from None
        finally:
            _end_group(process)


def _wait(
    process: subprocess.Popen[bytes], timeout: float, cancelled: Callable[[], bool] | None
) -> int:
    """The exit code of a program. Raises TimeoutExpired, or ApplyError once `cancelled`."""
    if cancelled is None:
        return process.wait(timeout)
    end = time.monotonic() + timeout
    while True:
        left = end - time.monotonic()
        try:
            return process.wait(max(0.0, min(left, _LOOK_SECONDS)))
        except subprocess.TimeoutExpired:
            if cancelled():
                raise ApplyError("it was stopped while its command ran") from None
            if left <= 0:
                raise


def _end_group(process: subprocess.Popen[bytes]) -> None:
    """End the program and everything it started that is still running."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(process.pid, number)
        except (ProcessLookupError, PermissionError):
            break
        try:
            process.wait(_GRACE_SECONDS)
        except subprocess.TimeoutExpired:
            continue
    process.wait()
