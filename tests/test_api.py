"""The public surface: both lists of names agree, everything resolves, the documented example runs."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

from preflight import api

ROOT = Path(__file__).resolve().parent.parent


def names_for_type_checkers() -> dict[str, str]:
    """name -> module of the imports under TYPE_CHECKING."""
    tree = ast.parse((ROOT / "preflight" / "api.py").read_text(encoding="utf-8"))
    imports = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    return {
        alias.name: node.module
        for node in imports
        for alias in node.names
        if node.module is not None and node.module.startswith("preflight")
    }


def test_both_lists_of_names_say_the_same() -> None:
    assert names_for_type_checkers() == api._WHERE
    assert list(api._WHERE) == sorted(api._WHERE)


def test_every_name_resolves() -> None:
    for name in api._WHERE:
        assert getattr(api, name) is not None
    assert dir(api) == sorted(api._WHERE)


def test_importing_the_surface_imports_nothing_else() -> None:
    code = "import sys; from preflight import api; print([m for m in sys.modules if m.startswith(('preflight.', 'google', 'textual'))])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ast.literal_eval(done.stdout) == ["preflight.api"]


def test_documented_example_runs() -> None:
    text = (ROOT / "docs" / "api.md").read_text(encoding="utf-8")
    examples = re.findall(r"```python\n(.*?)```\n\n```text\n(.*?)```", text, re.S)
    assert examples
    for code, output in examples:
        done = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=False
        )
        assert done.stdout == output, done.stderr
