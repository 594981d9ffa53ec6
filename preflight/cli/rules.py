"""`preflight rules`: what is checked."""

from __future__ import annotations

from typing import Annotated

import typer

from preflight import api
from preflight.cli import diagnostics
from preflight.errors import UsageError

app = typer.Typer(rich_markup_mode=None, pretty_exceptions_enable=False, add_completion=False)


@app.command()
def rules(
    band: Annotated[str, typer.Option("--band", help="Only this band, for example PF3.")] = "",
    extra: Annotated[
        list[str] | None, typer.Option("--rules", help="A folder with rules of your own.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="For programs.")] = False,
) -> int:
    """List the rules; `preflight explain PF301` shows one in full."""
    found = [r for r in api.load_rules(extra or ()).rules if r.id.startswith(band.upper())]
    if not found:
        raise UsageError(
            f"no rule begins with '{band}'", hint="preflight rules lists them all, by band"
        )
    if as_json:
        diagnostics.emit(api.rules_json(found))
        return 0
    width = max(len(rule.title) for rule in found)
    lines = [f"{len(found)} rules"]
    for rule in found:
        lines.append(
            f"{rule.id}  {rule.severity.value:<7}  {rule.consequence.value:<7}  "
            f"{rule.title:<{width}}  {rule.status.value}"
        )
    lines.append(f"next: preflight explain {found[0].id}")
    diagnostics.emit("\n".join(lines) + "\n")
    return 0
