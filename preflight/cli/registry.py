"""`preflight registry`: operator histories, differences, and registries in protocol files."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from preflight import api
from preflight.cli import diagnostics, registry_extract
from preflight.errors import ExitCode, UsageError
from preflight.findings import Severity

if TYPE_CHECKING:
    from collections.abc import Sequence

app = typer.Typer(
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    no_args_is_help=True,
    help="Operator histories: list, diff, extract, export.",
)
app.command("extract")(registry_extract.extract)

_FORMATS = ("text", "markdown", "json")
_SHOWN = 10
_FAIL_ON = ("breaking", "drift", "any", "never")

Registry = Annotated[
    list[Path] | None,
    typer.Option(
        "--registry",
        help="A registry folder (a package or a folder of packages) over the bundled history; "
        "opp/history_registry of an installed CANN fits. Repeatable.",
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Format = Annotated[str, typer.Option("--format", help=f"One of {', '.join(_FORMATS)}.")]


@app.command("list")
def list_releases(
    registry: Registry = None,
    package: Annotated[str, typer.Option("--package", help="Only this package.")] = "",
    current: Annotated[
        str, typer.Option("--current", help="Only the window that ends with this release.")
    ] = "",
    window: Annotated[
        int | None,
        typer.Option("--window", help="Days of that window, both ends included; 365 if not given."),
    ] = None,
    provenance: Annotated[
        bool, typer.Option("--provenance", help="Say where each record is from.")
    ] = False,
    as_json: Json = False,
) -> int:
    """List the releases whose operators are known, and what each record covers."""
    if window is not None and (window < 0 or not current):
        raise UsageError(
            "--window is the number of days before --current",
            hint="preflight registry list --current 8.1.RC1 --window 365",
        )
    history = api.open_history(*registry or ())
    releases = [r for r in history.releases if package in ("", *r.packages)]
    if current:
        dated = sorted(((r.version, r.date) for r in releases), key=lambda item: item[1])
        days = api.DEFAULT_DAYS if window is None else window
        chosen = set(api.select_window(dated, history.release(current).version, days))
        releases = [r for r in releases if r.version in chosen]
    sources = api.release_sources() if provenance else {}
    _report_skipped(history.skipped)
    if as_json:
        _print(api.releases_json(releases, sources))
        return ExitCode.OK
    _print(api.render_releases(releases, sources))
    typer.echo(f"next: preflight registry diff {_last_two(releases)}")
    return ExitCode.OK


@app.command()
def show(
    operator: Annotated[str, typer.Argument(help="An operator type: LayerNorm.")],
    release: Annotated[
        str, typer.Argument(help="The release that means it; the newest record if empty.")
    ] = "",
    registry: Registry = None,
    as_json: Json = False,
) -> int:
    """Show the prototype that an operator has in a release; a release without a record fails."""
    history = api.open_history(*registry or ())
    known = history.operator(operator)
    named = release or next((r.release for r in reversed(known.records) if r.number), "")
    version = history.resolve(operator, named)
    _report_skipped(history.skipped)
    if as_json:
        _print(api.version_json(version, named))
        return ExitCode.OK
    count = len(known.versions)
    which = f"version {version.number} of {count} ({version.certainty.value})"
    typer.echo(diagnostics.printable(f"{operator} in {named}: {which}"))
    typer.echo(api.render_prototype(version.prototype))
    typer.echo(f"next: preflight registry history {shlex.quote(operator)}{_layered(registry)}")
    return ExitCode.OK


@app.command("history")
def show_history(
    operator: Annotated[str, typer.Argument(help="An operator type: LayerNorm.")],
    registry: Registry = None,
    form: Format = "text",
    as_json: Json = False,
) -> int:
    """Show every version of an operator, when it held, and what changed at each step."""
    form = _checked("--format", "json" if as_json else form, _FORMATS)
    history = api.open_history(*registry or ())
    known = history.operator(operator)
    steps, returns = history.steps(operator), history.returns(operator)
    gaps = history.gaps(operator)
    notes = api.notes_for(operator)
    _report_skipped(history.skipped)
    if form == "json":
        _print(api.history_json(known, steps, notes, returns, gaps))
        return ExitCode.OK
    table = form == "markdown"
    _print(api.render_history(known, steps, notes, returns=returns, gaps=gaps, markdown=table))
    if form == "text":
        typer.echo("")
        typer.echo(f"next: preflight registry show {shlex.quote(operator)}{_layered(registry)}")
    return ExitCode.OK


@app.command("diff")
def diff(
    old: Annotated[str, typer.Argument(help="The older release: 8.0.RC3; or a registry folder.")],
    new: Annotated[
        str, typer.Argument(help="The newer release: 8.1.RC1; or a folder: ./mine, ./mine@1.2.0.")
    ],
    operators: Annotated[
        list[str] | None, typer.Option("--op", help="Only this operator. Repeatable.")
    ] = None,
    package: Annotated[str, typer.Option("--package", help="Only this package.")] = "",
    breaking: Annotated[
        bool, typer.Option("--breaking", help="Only changes that break graphs.")
    ] = False,
    fail_on: Annotated[
        str, typer.Option("--fail-on", help=f"Exit with 1 on: {', '.join(_FAIL_ON)}.")
    ] = "breaking",
    registry: Registry = None,
    form: Format = "text",
    as_json: Json = False,
) -> int:
    """List what changed between two releases, by kind, with category and stable codes.

    Exits with 1 when there are breaking changes, so that a team can gate its own prototypes. A
    folder stands for its newest release, and only the operators that it has are compared.
    """
    form = _checked("--format", "json" if as_json else form, _FORMATS)
    level = _checked("--fail-on", fail_on, _FAIL_ON)
    history = api.open_history(*registry or ())
    only = tuple(operators or ())
    before, after, changes, skipped = _difference(history, old, new, package, only)
    _report_skipped(skipped)
    shown = api.breaking(changes) if breaking else changes
    title, then = (
        f"{side.version} in {side.note}" if api.names_folder(history, text) else side.version
        for side, text in ((before, old), (after, new))
    )
    if form == "json":
        _print(api.changes_json(shown, before, after))
    elif form == "markdown":
        _print(api.render_changes_markdown(shown, title, then))
    else:
        names = [c.op for c in shown] or [*only, "LayerNorm"]
        follow_up = f"preflight registry history {shlex.quote(names[0])}"
        own = [api.folder_path(text) for text in _folders(history, old, new)]
        follow_up += _layered((*(registry or ()), *own))
        hidden = len(changes) - len(shown)
        _print(api.render_changes_text(shown, title, then, follow_up, hidden))
    return ExitCode.FINDINGS if _fails(changes, level) else ExitCode.OK


def _difference(
    history: api.History, old: str, new: str, package: str, only: tuple[str, ...]
) -> tuple[api.Release, api.Release, tuple[api.Change, ...], tuple[api.Skipped, ...]]:
    """Both releases, what changed between them, and what could not be read."""
    if not _folders(history, old, new):
        for name in only:
            history.operator(name)
        changes = history.diff(old, new, package=package, only=only)
        return history.release(old), history.release(new), changes, history.skipped
    before, after = (
        api.folder_side(text, package)
        if api.names_folder(history, text)
        else api.recorded_side(history, text)
        for text in (old, new)
    )
    changes = api.diff_sides(before, after, only)
    skipped = (*before.skipped, *after.skipped, *history.skipped)
    return before.release, after.release, changes, skipped


def _folders(history: api.History, *sides: str) -> list[str]:
    return [text for text in sides if api.names_folder(history, text)]


@app.command()
def validate(
    folders: Annotated[list[Path], typer.Argument(help="Registry folders.", show_default=False)],
    warnings: Annotated[bool, typer.Option("--warnings", help="Show warnings as well.")] = False,
    as_json: Json = False,
) -> int:
    """Check registries more strictly than reading does. Exits with 1 when there are errors."""
    packages = [p for folder in folders for p in api.package_folders(folder)]
    problems = [p for package in packages for p in api.validate_package(package)]
    errors = [p for p in problems if p.severity is Severity.ERROR]
    if as_json:
        records = [
            {"severity": p.severity.value, "where": p.where, "message": p.message} for p in problems
        ]
        _print(json.dumps({"schema_version": 1, "problems": records}, indent=2) + "\n")
    else:
        state = "no errors" if not errors else f"{len(errors)} errors"
        typer.echo(f"{state}, {len(problems) - len(errors)} warnings in {len(packages)} packages")
        for problem in problems if warnings else errors:
            typer.echo(
                diagnostics.printable(f"  {problem.severity} {problem.where}: {problem.message}")
            )
        first = shlex.quote(str(folders[0]))
        more = "" if warnings else " --warnings"
        typer.echo(f"next: preflight registry validate {first}{more}")
    return ExitCode.FINDINGS if errors else ExitCode.OK


@app.command()
def merge(
    sources: Annotated[list[Path], typer.Argument(help="Registries to add.", show_default=False)],
    output: Annotated[Path, typer.Option("-o", "--output", help="The registry to add them to.")],
    as_json: Json = False,
) -> int:
    """Add the releases of registries to another one; what is there is never changed.

    Exits with 1 when a release is already there and differs.
    """
    moved, left_out = api.merge_folders(sources, output)
    _report_skipped(left_out)
    return _report_moves(moved, output, as_json)


@app.command()
def export(
    output: Annotated[Path, typer.Option("-o", "--output", help="Where the package folders go.")],
    release: Annotated[
        list[str] | None, typer.Option("--release", help="Only this release. Repeatable.")
    ] = None,
    package: Annotated[
        list[str] | None, typer.Option("--package", help="Only this package. Repeatable.")
    ] = None,
    as_json: Json = False,
) -> int:
    """Write bundled releases as protocol files, equal to what they were made from."""
    moved = api.export_bundled(output, tuple(release or ()), tuple(package or ()))
    return _report_moves(moved, output, as_json)


def _report_moves(moved: Sequence[api.Moved], output: Path, as_json: bool) -> int:
    conflicts = [m for m in moved if m.outcome == "conflict"]
    if as_json:
        records = [
            {
                "package": m.package,
                "release": m.release,
                "outcome": m.outcome,
                "operators": m.operators,
                "differing": list(m.differing),
                "skipped": list(m.skipped),
            }
            for m in moved
        ]
        _print(json.dumps({"schema_version": 1, "releases": records}, indent=2) + "\n")
        return ExitCode.FINDINGS if conflicts else ExitCode.OK
    written = sum(m.outcome == "written" for m in moved)
    same = sum(m.outcome == "same" for m in moved)
    answer = f"{written} releases written to {output}, {same} equal ones were there"
    if conflicts:
        answer += f", {len(conflicts)} are there and differ"
    typer.echo(diagnostics.printable(answer))
    for item in moved:
        for text in item.skipped:
            diagnostics.note(f"left out: {text}")
    for item in conflicts:
        names = ", ".join(item.differing[:5])
        more = f" and {len(item.differing) - 5} more" if len(item.differing) > 5 else ""
        text = f"  conflict: {item.package} {item.release} differs in {names}{more}"
        typer.echo(diagnostics.printable(text))
    typer.echo(f"next: preflight registry validate {shlex.quote(str(output))}")
    return ExitCode.FINDINGS if conflicts else ExitCode.OK


def _report_skipped(skipped: Sequence[api.Skipped]) -> None:
    """Say on stderr what could not be read in the registries that were given."""
    for item in skipped[:_SHOWN]:
        diagnostics.note(f"left out: {item.where}: {item.reason}")
    if len(skipped) > _SHOWN:
        diagnostics.note(f"and {len(skipped) - _SHOWN} more: preflight registry validate lists all")


def _layered(folders: Sequence[Path] | None) -> str:
    """The options that lay the same registries over the record once more."""
    return "".join(f" --registry {shlex.quote(str(folder))}" for folder in folders or ())


def _fails(changes: Sequence[api.Change], level: str) -> bool:
    worst = {"breaking": ("breaking",), "drift": ("breaking", "drift"), "never": ()}
    if level == "any":
        return bool(changes)
    return any(c.kind.category.value in worst[level] for c in changes)


def _last_two(releases: Sequence[api.Release]) -> str:
    names = [r.version for r in releases if r.coverage == "complete"] or [
        r.version for r in releases
    ]
    return " ".join(shlex.quote(n) for n in names[-2:]) if len(names) > 1 else "8.0.RC3 8.1.RC1"


def _checked(option: str, value: str, allowed: tuple[str, ...]) -> str:
    if value not in allowed:
        raise UsageError(f"{option} must be one of {', '.join(allowed)}, not '{value}'")
    return value


def _print(text: str) -> None:
    sys.stdout.write(text)
