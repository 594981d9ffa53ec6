"""`preflight compare`: two models, two folders of tensors, or two fusion result files."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Annotated

import typer

from preflight import api
from preflight.cli import diagnostics
from preflight.errors import ExitCode, UsageError

app = typer.Typer(rich_markup_mode=None, pretty_exceptions_enable=False)

_SHOWN = 20
_PROGRESS_AFTER = 1.0  # seconds


@app.command()
def compare(
    old: Annotated[Path, typer.Argument(help="The old model, folder or file.")],
    new: Annotated[Path, typer.Argument(help="The new model, folder or file.")],
    tensors: Annotated[
        bool,
        typer.Option("--tensors", help="OLD and NEW are folders of .npy, .bin or dump files."),
    ] = False,
    fusion: Annotated[
        bool, typer.Option("--fusion", help="OLD and NEW are fusion_result.json files.")
    ] = False,
    model: Annotated[
        Path | None,
        typer.Option("--model", help="With --tensors: the model whose graph gives the order."),
    ] = None,
    atol: Annotated[
        float, typer.Option("--atol", min=0.0, help="Absolute tolerance of tensors.")
    ] = 1e-5,
    rtol: Annotated[
        float, typer.Option("--rtol", min=0.0, help="Relative tolerance of tensors.")
    ] = 1e-4,
    sensitive_atol: Annotated[
        float | None,
        typer.Option(
            "--sensitive-atol",
            min=0.0,
            help="Absolute tolerance of sensitive operators, 1e-7 by default.",
        ),
    ] = None,
    html: Annotated[
        Path | None, typer.Option("--html", help="With --tensors: write a picture there.")
    ] = None,
    no_weights: Annotated[
        bool, typer.Option("--no-weights", help="Do not read the weights of the two models.")
    ] = False,
    fail_on: Annotated[
        str,
        typer.Option(
            "--fail-on",
            help="graph, or interface: another graph with the same inputs and outputs is fine.",
        ),
    ] = "graph",
    everything: Annotated[bool, typer.Option("--all", help="List every difference.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> int:
    """Can one model take the place of the other? Do results drift, and where first?

    When the old model is gone and its lock (OLD.om.lock.json) is there, the lock is used.
    Exit code: 0 interchangeable or no drift, 1 different, 2 wrong usage, 3 could not be compared.
    """
    if tensors and fusion:
        raise UsageError("--tensors and --fusion exclude each other")
    if not tensors and (model is not None or html is not None):
        raise UsageError("--model and --html belong to --tensors")
    if fail_on not in ("graph", "interface"):
        raise UsageError(f"--fail-on {fail_on}: expected graph or interface")
    limit = None if everything else _SHOWN
    if fusion:
        return _fusion(old, new, limit, as_json)
    if tensors:
        tolerance = api.Tolerance(atol, rtol)
        return _tensors(old, new, model, tolerance, sensitive_atol, html, limit, as_json)
    return _models(old, new, not no_weights, fail_on, limit, as_json)


def _models(
    old: Path, new: Path, weights: bool, fail_on: str, limit: int | None, as_json: bool
) -> int:
    lock = old if old.name.endswith(api.LOCK_SUFFIX) else api.lock_path(old)
    if lock.exists() and (lock == old or not old.exists()):
        if lock != old:
            diagnostics.note(f"{old} is gone; comparing with its lock {lock}")
        comparison = api.compare_with_lock(api.read_lock(lock), new)
    else:
        comparison = api.compare_files(old, new, weights=weights)
    text = (
        api.comparison_json(comparison)
        if as_json
        else api.render_comparison(comparison, limit=limit)
    )
    sys.stdout.write(text)
    fine = {api.CompareVerdict.INTERCHANGEABLE}
    if fail_on == "interface":
        fine.add(api.CompareVerdict.DIFFERENT_GRAPH)
    return int(ExitCode.OK if comparison.verdict in fine else ExitCode.FINDINGS)


def _tensors(
    old: Path,
    new: Path,
    model: Path | None,
    tolerance: api.Tolerance,
    sensitive: float | None,
    html: Path | None,
    limit: int | None,
    as_json: bool,
) -> int:
    manifest = None
    if model is not None:
        manifest = api.read_model(model).manifest
        if manifest is None:
            raise UsageError(f"{model} has no readable model definition, so it gives no order")
    comparison = api.compare_tensors(
        old,
        new,
        manifest=manifest,
        tolerance=tolerance,
        sensitive_absolute=sensitive,
        progress=_Progress(),
    )
    if html is not None:
        api.write_text(html, api.render_tensors_html(comparison))
        diagnostics.note(f"picture written to {html}")
    text = api.tensors_json(comparison) if as_json else api.render_tensors(comparison, limit=limit)
    sys.stdout.write(text)
    return int(_tensor_code(comparison))


def _tensor_code(comparison: api.TensorComparison) -> ExitCode:
    """3 beats 1: a file that could not be read may hide a drift that comes earlier."""
    counts = comparison.counts
    measured = [api.TensorStatus.SAME, api.TensorStatus.WITHIN, api.TensorStatus.DRIFT]
    if comparison.problems or not any(counts.get(status, 0) for status in measured):
        return ExitCode.COULD_NOT_CHECK
    if counts.get(api.TensorStatus.DRIFT, 0) or counts.get(api.TensorStatus.INCOMPARABLE, 0):
        return ExitCode.FINDINGS
    return ExitCode.OK


def _fusion(old: Path, new: Path, limit: int | None, as_json: bool) -> int:
    comparison = api.compare_fusion(old, new)
    text = api.fusion_json(comparison) if as_json else api.render_fusion(comparison, limit=limit)
    sys.stdout.write(text)
    return int(ExitCode.FINDINGS if comparison.changed else ExitCode.OK)


class _Progress:
    """Says on a terminal how far a long comparison has come, at most once per second."""

    def __init__(self) -> None:
        self._last = time.monotonic()

    def __call__(self, done: int, total: int) -> None:
        now = time.monotonic()
        if sys.stderr.isatty() and now - self._last >= _PROGRESS_AFTER:
            self._last = now
            diagnostics.note(f"{done} of {total} tensors")
