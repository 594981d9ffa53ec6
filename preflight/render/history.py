"""Operator histories and differences as text and Markdown."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from preflight.registry.behaviour import BehaviourNote
from preflight.registry.kinds import Category, Change
from preflight.registry.operator import OperatorHistory, Release, Span
from preflight.registry.prototype import Prototype
from preflight.registry.steps import Return
from preflight.registry.words import readable_change, readable_literal, readable_sides
from preflight.render.escape import printable

WIDTH = 96  # columns of the text forms


def render_changes_text(
    changes: Sequence[Change], old: str, new: str, follow_up: str, hidden: int = 0
) -> str:
    """The answer first, then the changes by category, a command to paste last.

    `hidden` changes were left out on request; that there are some is said.
    """
    first = headline(changes, old, new)
    if hidden:
        none = "no breaking changes" if not changes else first.partition(": ")[2]
        first = f"{old} -> {new}: {none}, {hidden} others not shown"
    lines = [printable(first)]
    for category in Category:
        group = [c for c in changes if c.kind.category is category]
        if group:
            lines += ["", f"{category.value} ({len(group)})"]
            lines += [line for change in group for line in _wrapped(_line(change), "  ", 9)]
    lines += ["", f"next: {follow_up}"]
    return "\n".join(lines) + "\n"


def render_changes_markdown(changes: Sequence[Change], old: str, new: str) -> str:
    """A heading, the answer and one table."""
    title = _cell(f"{old} -> {new}")
    lines = [f"# Operator changes {title}", "", _cell(headline(changes, old, new)), ""]
    if changes:
        lines += _markdown_table(
            ("code", "category", "operator", "change", "field", "old", "new", "certainty", "note"),
            [
                (
                    c.kind.code,
                    c.kind.category.value,
                    c.op,
                    c.kind.name,
                    c.field,
                    *(side or "" for side in readable_sides(c)),
                    c.certainty.value,
                    c.note,
                )
                for c in changes
            ],
        )
    return "\n".join(lines).rstrip() + "\n"


def headline(changes: Sequence[Change], old: str, new: str) -> str:
    """How many changes of which category, in one sentence."""
    counts = Counter(c.kind.category for c in changes)
    if not changes:
        return f"{old} -> {new}: no changes"
    parts = [f"{counts[c]} {_WORDS[c]}" for c in Category if counts[c]]
    operators = len({c.op for c in changes})
    return f"{old} -> {new}: {', '.join(parts)} ({operators} operators)"


_WORDS = {
    Category.BREAKING: "breaking",
    Category.DRIFT: "drifting",
    Category.COMPATIBLE: "compatible",
    Category.COSMETIC: "cosmetic",
    Category.UNKNOWN: "undecided",
}


def render_history(
    history: OperatorHistory,
    steps: Sequence[Sequence[Change]],
    notes: Sequence[BehaviourNote],
    *,
    returns: Sequence[Return] = (),
    gaps: Sequence[tuple[str, str, str]] = (),
    markdown: bool = False,
) -> str:
    """The versions of one operator as a table, with what changed at each step.

    `steps[i]` are the changes that version i + 1 made (empty for the first); `returns` are the
    releases that went back to an older version, `gaps` those between two records that lack it.
    """
    count = len(history.versions)
    first = f"{history.op_type}: {count} version{'' if count == 1 else 's'}, {_fate(history)}"
    width, indent = (None, "") if markdown else (WIDTH, "  ")
    lines = [printable(first), "", *_version_table(history, markdown)]
    for title, changes in _steps_in_order(history, steps, returns):
        lines += ["", _cell(title) if markdown else printable(title)]
        for change in changes:
            text = _line(change, with_operator=False)
            lines += _wrapped(f"- {_cell(text)}" if markdown else text, indent, 7, width)
    for note in notes:
        span = f" ({_span(note.since or 'ever', note.until or 'now')})"
        lines += ["", *_wrapped(f"{note.id}{span}: {note.summary}", "", 2, width)]
        lines += _wrapped(f"source: {note.source}", "  ", 2, width)
    for text in _unrecorded(history, gaps):
        lines += ["", *_wrapped(text, "", 2, width)]
    return "\n".join(lines) + "\n"


def _version_table(history: OperatorHistory, markdown: bool) -> list[str]:
    rows = [
        (
            str(version.number),
            "; ".join(_recorded_span(span) for span in version.spans),
            version.certainty.value,
            ", ".join(version.flags),
        )
        for version in history.versions
    ]
    header = ("version", "releases", "certainty", "flags")
    if markdown:
        return [*_markdown_table(header, rows)]
    if len({row[-1] for row in rows}) == 1:  # every version has the same flags: say them once
        table = _plain_table(header[:-1], [row[:-1] for row in rows])
        return [*table, *_wrapped(f"flags    {rows[0][-1] or 'none'}", "", 9)]
    return [*_plain_table(header, rows)]


def _steps_in_order(
    history: OperatorHistory, steps: Sequence[Sequence[Change]], returns: Sequence[Return]
) -> list[tuple[str, Sequence[Change]]]:
    """(title, changes) of every version that changed something and of every return, by release."""
    told: list[tuple[str, str, Sequence[Change]]] = [
        (version.since, f"version {version.number}, since {version.since}:", changes)
        for version, changes in zip(history.versions, steps, strict=True)
    ]
    for back in returns:
        title = f"version {back.version} again instead of {back.before}, since {back.release}:"
        told.append((back.release, title, back.changes))
    order = {record.release: i for i, record in enumerate(history.records)}
    told.sort(key=lambda item: order[item[0]])
    return [(title, changes) for _, title, changes in told if changes]


def _unrecorded(history: OperatorHistory, gaps: Sequence[tuple[str, str, str]]) -> list[str]:
    """Sentences about releases that lack the operator, or for which its version is open."""
    texts = [
        f"missing in {_span(first_lacking, last_lacking)}, recorded again in {again}"
        for first_lacking, last_lacking, again in gaps
    ]
    open_releases = [r for r in history.records if not r.number]
    if open_releases:
        names = ", ".join(r.release for r in open_releases)
        texts.append(f"not decided for {names}: {open_releases[0].note}")
    return texts


def render_releases(
    releases: Sequence[Release], sources: Mapping[str, Mapping[str, Mapping[str, str]]]
) -> str:
    """How many releases, then one line each; `sources` are facts by package and release."""
    packages = sorted({p for r in releases for p in r.packages})
    newest = releases[-1].version if releases else "none"
    first = f"{len(releases)} releases in {len(packages)} packages, newest {newest}"
    lines = [printable(first)]
    noted = ""
    for release in releases:
        names = ", ".join(release.packages)
        text = f"{release.version:<18} {release.date}  {release.coverage:<9} {names}"
        lines += _wrapped(text, "  ", 42)
        if release.note not in ("", noted):
            lines += _wrapped(release.note, "      ", 0)
        noted = release.note
        for name in release.packages if sources else ():
            facts = sources.get(name, {}).get(release.version, {})
            for key in ("cann", "evidence", "source"):
                if facts.get(key):
                    lines += _wrapped(f"{name} {key}: {facts[key]}", "      ", 4)
    return "\n".join(lines) + "\n"


def render_prototype(prototype: Prototype) -> str:
    """Inputs, outputs, attributes and subgraphs, one line each."""
    lines = []
    for side, ports in (("input", prototype.inputs), ("output", prototype.outputs)):
        for position, port in enumerate(ports):
            kind = {"INPUT": "", "OUTPUT": ""}.get(port.type, port.type.split("_")[0].lower() + " ")
            lines.append(f"  {side} {position}  {kind}{port.name}: {port.dtype}")
    for attribute in prototype.attrs:
        default = "required"
        if not attribute.required:
            default = f"default {readable_literal(attribute.default_value or 'none')}"
        lines.append(f"  attribute  {attribute.name}: {attribute.type}, {default}")
    lines += [f"  subgraph  {s.name}: {s.type.lower()}" for s in prototype.subgraphs]
    lines += [f"  type {symbol} = {text}" for symbol, text in prototype.datatypes]
    return "\n".join(part for line in lines for part in _wrapped(line.lstrip(), "  ", 4))


def _line(change: Change, *, with_operator: bool = True) -> str:
    where = "" if change.field == "*" else f" {change.field}"
    name = f"{change.op}{where}: " if with_operator else f"{where.strip()}: " if where else ""
    text = f"{change.kind.code}  {name}{change.kind.title}"
    said = readable_change(change)
    text += f", {said}" if said else ""
    if change.certainty.rank:
        text += f" [{change.certainty.value}]"
    return f"{text} ({change.note})" if change.note else text


def _fate(history: OperatorHistory) -> str:
    if history.removed is not None:
        return f"gone in {history.removed.release} ({history.removed.certainty.value})"
    return f"last recorded in {history.records[-1].release}"


def _span(since: str, until: str) -> str:
    return since if since == until else f"{since} .. {until}"


def _recorded_span(span: Span) -> str:
    """The releases of a span, with a mark when its beginning is less than certain."""
    mark = f" ({span.certainty.value})" if span.certainty.rank else ""
    return span.since + mark if span.since == span.until else f"{span.since}{mark} .. {span.until}"


def _plain_table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """A table whose last column goes to further lines where it would be too wide."""
    table = [header, *([printable(cell) for cell in row] for row in rows)]
    widths = [max(len(row[i]) for row in table) for i in range(len(header) - 1)]
    widths = [min(width, 2 * WIDTH // 3) for width in widths]
    lines = []
    for row in table:
        *cells, last = row
        front = "".join(c.ljust(w) + "  " for c, w in zip(cells, widths, strict=True))
        if len(front) + len(last) <= WIDTH:
            lines.append((front + last).rstrip())
        else:
            lines.append(front.rstrip())
            lines += _wrapped(last, " " * (widths[0] + 2), 0)
    return lines


def _wrapped(text: str, indent: str, hang: int, width: int | None = WIDTH) -> list[str]:
    """Lines of at most `width` columns; what does not fit continues `hang` columns further in."""
    text = printable(text)
    if width is None or len(indent) + len(text) <= width:
        return [indent + text]
    import textwrap  # only where something is too long

    return textwrap.wrap(
        text,
        width,
        initial_indent=indent,
        subsequent_indent=" " * (len(indent) + hang),
        break_on_hyphens=False,
    )


def _markdown_table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    lines = ["| " + " | ".join(header) + " |", "|" + " --- |" * len(header)]
    return lines + ["| " + " | ".join(_cell(cell) for cell in row) + " |" for row in rows]


def _cell(text: str) -> str:
    """Text that ends no table cell and starts no markup."""
    return re.sub(r"([\\|`*_<\[\]]|(?<!-)>)", r"\\\1", printable(text))
