"""Carries out one step: a rebuild in a staging folder, a check in process, or a person's work."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path, PurePath

from msgspec import Struct, field

from preflight.errors import ApplyError, UsageError
from preflight.plan import staging
from preflight.plan.journal import Journal, StepState
from preflight.plan.model import Plan, Step
from preflight.plan.simulate import deploy_findings, is_waived, today
from preflight.plan.stated import stated_values
from preflight.plan.workbench import Workbench

# A program runs by this name only; `--program atc=PATH` says which file that is.
ALLOWED_PROGRAMS = frozenset({"atc"})
DEFAULT_TIMEOUT = 4 * 3600


class ApplyOptions(Struct, frozen=True):
    """How a plan is carried out.

    `confirm(step, question)` is asked before a command runs and after a person's work; without it
    only `yes` goes on. `keep` leaves finished steps in place when a later one fails. `programs`
    maps an allowed program name to the file to run. `progress(step id, status, detail)` is told
    what happens. `cancelled()` is asked while a program runs; once true, the program is ended and
    its step fails.
    """

    dry_run: bool = False
    yes: bool = False
    only: str = ""
    keep: bool = False
    timeout: float = DEFAULT_TIMEOUT
    programs: Mapping[str, str] = field(default_factory=dict)
    confirm: Callable[[Step, str], bool] | None = None
    progress: Callable[[str, str, str], None] | None = None
    cancelled: Callable[[], bool] | None = None


class NotReadyError(UsageError):
    """A step cannot be begun yet: something about it is open, missing or in the way."""


class Declined(Exception):
    """The person did not want to go on; nothing of this step was done."""


RunProgram = Callable[[list[str], Path, Path, float], int]


class Execution(Struct):
    """What every step of one run shares. `run_program` starts a program (only plan.apply may)."""

    plan: Plan
    digest: str
    journal: Journal
    options: ApplyOptions
    bench: Workbench
    logs: Path
    run_program: RunProgram
    working: str = ""  # the staging folder of the step that runs now

    def run(self, step: Step, state: StepState) -> None:
        """Do one step and record it. Raises ApplyError (state before) or Declined."""
        attempt = state.attempts + 1
        if step.command:
            self._rebuild(step, attempt)
            return
        by_a_person = step.kind not in ("verify", "waive") or bool(step.instruction)
        if by_a_person and not self._agreed(step):
            raise Declined
        self._start(step)
        detail = ""
        if step.kind == "verify":
            detail = verify(self.plan, step, self.bench)
        elif step.waiver is not None and step.waiver.expires < today():
            raise ApplyError(f"the waiver of {step.waiver.rule} expired on {step.waiver.expires}")
        person = step.kind not in ("verify", "waive")
        self.journal.write("done", step.id, confirmed=person, detail=detail)

    def _start(self, step: Step, folder: str = "", log: str = "") -> None:
        self.working = folder
        self.journal.write(
            "started",
            step.id,
            title=step.title,
            undo=step.undo,
            staging=folder,
            folders=staging.missing_folders(Path(folder)) if folder else (),
            log=log,
        )

    def _agreed(self, step: Step) -> bool:
        if self.options.yes:
            return True
        if self.options.confirm is None:
            return False
        question = "run this command?" if step.command else "is this done?"
        return self.options.confirm(step, question)

    def _rebuild(self, step: Step, attempt: int) -> None:
        """Run the command in a new folder, look at what it made, rename it into place."""
        program = ready_program(step, self.options)
        if not self._agreed(step):
            raise Declined
        produces, before = Path(step.produces), self._originals()
        folder = staging.staging_folder(produces, self.digest, step.id, attempt)
        log = self.logs / f"{step.id}-{attempt}.log"
        self._start(step, str(folder), str(log))
        staging.make_folder(folder)
        for extra in step.side_files:
            (folder / PurePath(extra.name).name).write_text(extra.content, encoding="utf-8")
        prefix = produces.stem
        argv = [program, *(staged_argument(a, folder / prefix) for a in step.command[1:])]
        code = self.run_program(argv, folder, log, step.timeout or self.options.timeout)
        changed = [path for path, state in self._originals().items() if state != before[path]]
        if changed:
            raise ApplyError(
                f"{changed[0]} was changed while {step.command[0]} ran",
                hint="put the file back from a copy before anything else: there is none here",
            )
        if code != 0:
            raise ApplyError(f"{step.command[0]} ended with code {code}", hint=f"its output: {log}")
        moves = staging.collect(folder, produces, prefix, Path(step.model).name)
        self._accept(Path(moves[-1].source))
        for move in moves:
            staging.sync_file(Path(move.source))
        files = staging.digests(moves)
        self.journal.write("committing", step.id, moves=moves, files=files)
        staging.finish_moves(moves)
        staging.remove_folder(str(folder))
        self.journal.write("done", step.id, files=files)

    def _originals(self) -> dict[str, tuple[int, ...]]:
        """What tells whether a model file was written to or replaced."""
        states: dict[str, tuple[int, ...]] = {}
        for facts in self.plan.models:
            try:
                s = Path(facts.path).stat()
            except OSError:
                states[facts.path] = ()
            else:
                states[facts.path] = (s.st_ino, s.st_size, s.st_mtime_ns, s.st_ctime_ns)
        return states

    def _accept(self, path: Path) -> None:
        """The new file must at least be a model; the verify steps look closer."""
        model = self.bench.read_model(str(path))
        if model.manifest is None or model.faults:
            reason = model.faults[0].detail if model.faults else model.container.what
            raise ApplyError(f"what the command wrote is not a sound model file: {reason}")


def staged_argument(argument: str, prefix: Path) -> str:
    """The output option points into the staging folder; every other argument stays as it is."""
    return f"--output={prefix}" if argument.startswith("--output=") else argument


def refuse_programs(options: ApplyOptions) -> None:
    """Raises UsageError for a program that no plan may run."""
    for name in options.programs:
        if name not in ALLOWED_PROGRAMS:
            raise UsageError(
                f"--program {name}: a plan runs no such program",
                hint=f"allowed: {', '.join(sorted(ALLOWED_PROGRAMS))}",
            )


def ready_program(step: Step, options: ApplyOptions) -> str:
    """The file to run. Raises NotReadyError when the step is not ready for a program.

    Refused: a program that is not allowed, open questions, missing files, an existing result.
    """
    import shutil

    name = step.command[0]
    if name not in ALLOWED_PROGRAMS:
        raise NotReadyError(
            f"{name!r} is not a program that a plan may run",
            hint=f"allowed: {', '.join(sorted(ALLOWED_PROGRAMS))}; say where with --program",
        )
    if step.open_questions or step.problems:
        open_ends = [q.what for q in step.open_questions] + list(step.problems)
        raise NotReadyError(
            f"not ready to run: {'; '.join(open_ends)}",
            hint="plan again with --set OPTION=VALUE, or edit the plan",
        )
    for need in step.needs:
        if not Path(need.path).is_absolute() or not Path(need.path).exists():
            raise NotReadyError(
                f"{need.what} is not there: {need.path}",
                hint=f"plan again with --source-dir DIR or --set {need.option}=PATH",
            )
    if not any(argument.startswith("--output=") for argument in step.command):
        raise NotReadyError("the command has no --output= to put its result")
    if Path(step.produces).exists():
        raise NotReadyError(f"{step.produces} is there already; move it away")
    path = options.programs.get(name) or shutil.which(name)
    if not path or not Path(path).is_file():
        where = path or "nowhere on PATH"
        raise NotReadyError(
            f"{name} was not found ({where})",
            hint=f"source the set_env.sh of the toolkit, or --program {name}=/path/to/{name}",
        )
    return str(Path(path).absolute())


def verify(plan: Plan, step: Step, bench: Workbench) -> str:
    """Check, or compare with the old model, or compare tensors; returns the result in words.

    Raises ApplyError when the result is not what the plan expects.
    """
    if step.tensors:
        same, differences = bench.compare_tensors(step.tensors[0], step.tensors[-1], step.model)
        if not same:
            raise ApplyError(f"the tensors differ: {'; '.join(differences[:3])}")
        return "the tensors agree"
    if step.against:
        verdict, differences = bench.compare_models(step.against, step.model)
        if verdict == "different interface":
            raise ApplyError(f"the new model has another interface: {'; '.join(differences[:3])}")
        return verdict + _as_stated(plan, step, bench)
    target = bench.load_target(step.target or plan.target.spec)
    result = bench.check(bench.read_model(step.model), target)
    waivers = [s.waiver for s in plan.steps if s.waiver is not None]
    errors = [f for f in deploy_findings(result, target) if not is_waived(f, waivers)]
    if errors:
        listed = "; ".join(f"{f.rule} {f.message}" for f in errors[:3])
        raise ApplyError(f"the check of {step.model} still finds: {listed}")
    return f"deploy: {result.verdicts.deploy.status.value}"


def _as_stated(plan: Plan, step: Step, bench: Workbench) -> str:
    """What is to be said of attributes that the source model states since this plan.

    Raises ApplyError when the new model has another value: its results would drift.
    """
    if not any(s.statements for s in plan.steps if s.model == step.against):
        return ""
    found = stated_values(plan, step.against, bench.read_model(step.model))
    if found.lost:
        raise ApplyError(
            f"the source model was compiled without what the plan states: {'; '.join(found.lost)}",
            hint="state the attributes in the source model, then preflight apply again",
        )
    if found.unseen:
        return f"; look yourself at {', '.join(found.unseen)}: the new graph does not show it"
    return "; what the plan states is there"
