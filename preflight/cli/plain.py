"""Commands whose parameters are texts and switches: they cost nothing to convert.

Recent typer releases load a validation library to convert any parameter, which takes longer than
all the rest of a small check. A command of this class promises that its parameters are `str`,
`bool`, or lists of `str`, and takes the texts as they are; where typer has no such hook, nothing
changes.
"""

from __future__ import annotations

from typing import Any

from typer.core import TyperCommand

_HOOK = "_runtime_param"


class _AsGiven:
    """Stands in for typer's conversion: texts stay texts, absent lists are empty."""

    def coerce(self, value: Any, param: Any, ctx: Any) -> Any:
        del ctx
        if value is None and (param.multiple or param.nargs == -1):
            return ()
        return value


def take_as_given(params: list[Any]) -> list[Any]:
    """The same parameters, converted by nobody."""
    for param in params:
        if hasattr(param, _HOOK):
            setattr(param, _HOOK, _AsGiven())
    return params


class PlainCommand(TyperCommand):
    """For `@app.command(cls=PlainCommand)`."""

    def get_params(self, ctx: Any) -> list[Any]:
        return take_as_given(super().get_params(ctx))
