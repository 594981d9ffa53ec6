"""A log, or several, to ranked causes: the front of log explanation."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from preflight.explain.confront import confront, confront_target
from preflight.explain.parameters import complete
from preflight.explain.rank import MAX_CAUSES, rank
from preflight.explain.reading import Block, blocks_of_file, blocks_of_text, expand
from preflight.explain.scan_log import Scan, Scanner
from preflight.explain.types import Cause, LogExplanation

if TYPE_CHECKING:
    from preflight.checks.report import Report
    from preflight.target.types import Target

_LOOK_FOR = (
    "the first [ERROR] in the plog of the process (~/ascend/log/debug/plog/plog-PID_*.log)",
    "a message code such as E19999, EE1001 or EZ9999 and the lines below it",
    "a Python traceback before the first code: its last line",
    "the output of npu-smi info, and the versions of driver, toolkit and framework",
)
_MORE_LOG = "export ASCEND_GLOBAL_LOG_LEVEL=1 ASCEND_SLOG_PRINT_TO_STDOUT=1"


def explain_log(
    sources: str | Path | Sequence[str | Path],
    *,
    report: Report | None = None,
    target: Target | str | None = None,
) -> LogExplanation:
    """Explain log files, folders of plog files, gzip files, or "-" for standard input.

    `report` is the result of a check of the model on the target: each cause then says whether the
    check confirms it. Without a model, `target` (or its name) alone is set against what the log
    names. Raises UnreadableInput for a source that cannot be read.
    """
    names = [sources] if isinstance(sources, str | Path) else list(sources)
    files = expand([str(n) for n in names])
    scanner = Scanner(many=len(files) > 1)
    for name in files:
        scanner.feed(blocks_of_file(name))
    return _explanation(scanner.result, report, target)


def explain_text(
    text: str, *, report: Report | None = None, target: Target | str | None = None
) -> LogExplanation:
    """Explain a log that is in memory."""
    return explain_blocks(blocks_of_text(text), report=report, target=target)


def explain_blocks(
    blocks: Iterable[Block], *, report: Report | None = None, target: Target | str | None = None
) -> LogExplanation:
    """Explain blocks from any source, one after the other."""
    scanner = Scanner()
    scanner.feed(blocks)
    return _explanation(scanner.result, report, target)


def target_in_log(answer: LogExplanation) -> str:
    """The target that a log names ("8.1.RC1/Ascend910B3"); empty when it does not."""
    release, soc = _release_and_soc(answer.parameters)
    return f"{release}/{soc}" if release and soc else ""


def _release_and_soc(named: Mapping[str, str]) -> tuple[str, str]:
    return named.get("cann", ""), named.get("device_soc") or named.get("soc", "")


def _explanation(scan: Scan, report: Report | None, target: Target | str | None) -> LogExplanation:
    if report is not None or target is not None:
        scan.platform = True  # whoever names a target says whose log it is
    causes, consequences, harmless = rank(scan)
    if report is not None:
        causes = confront(causes, report)
    elif target is not None:
        causes = confront_target(causes, _target(target))
    codes = sorted(scan.codes.values(), key=lambda c: scan.code_orders[c.code][0])
    if not scan.platform and not causes:  # another program's log: six digits are no codes there
        codes = [c for c in codes if not c.code.isdigit()]
    parameters = dict(scan.context) if scan.platform else {}
    for cause in reversed(causes):
        parameters.update(cause.parameters)
    return LogExplanation(
        sources=tuple(scan.sources),
        lines=scan.lines,
        bytes=scan.bytes,
        causes=tuple(causes[:MAX_CAUSES]),
        further=tuple(causes[MAX_CAUSES:]),
        consequences=tuple(consequences),
        harmless=tuple(harmless),
        codes=tuple(codes),
        parameters=parameters,
        processes=tuple(scan.processes),
        earliest_errors=tuple(scan.earliest),
        look_for=() if causes else _LOOK_FOR,
        next_command=_next_command(causes, scan, parameters, target),
    )


def _target(target: Target | str) -> Target:
    if not isinstance(target, str):
        return target
    from preflight.target.resolve import load_target

    return load_target(target)


def _next_command(
    causes: list[Cause], scan: Scan, named: Mapping[str, str], target: Target | str | None
) -> str:
    """What to type next, with everything that is known filled in."""
    if not causes:
        return _MORE_LOG if scan.earliest else ""
    fault = causes[0].fault
    release, soc = _release_and_soc(named)
    where = str(target or "") or (release and soc and f"{release}/{soc}") or ""
    command = fault.next_step or _first_command(causes[0])
    if fault.rules and where and not command.startswith("preflight"):
        command = "preflight check MODEL.om --target TARGET"
    known = where or f"{release or 'RELEASE'}/{soc or 'SOC'}"
    command = re.sub(r"(?<=--target )(?:TARGET|RELEASE/SOC)\b", lambda _: known, command)
    if "driver" in named:
        command = re.sub(r"(?<=--driver )VERSION\b", lambda _: named["driver"], command)
    return complete(command, named)


def _first_command(cause: Cause) -> str:
    return next((r.command for r in cause.fault.remedies if r.command), _MORE_LOG)
