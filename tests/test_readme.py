"""What the README shows is what the program prints; `python tests/test_readme.py` rewrites it."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
README = ROOT / "README.md"
# A fenced command that ends in a preflight call, some prose, and the fenced output that follows.
SHOWN = re.compile(
    r"```\n[^\n]*?\.venv/bin/(preflight check [^\n]+)\n```\n\n```text\n(.*?)```", re.S
)


def printed(command: str) -> str:
    """Standard output of a `preflight …` line, run through the entry point of this environment."""
    program, *arguments = command.split()
    binary = Path(sys.executable).parent / program
    done = subprocess.run(
        [str(binary), *arguments], capture_output=True, text=True, cwd=ROOT, timeout=60, check=False
    )
    assert done.returncode in (0, 1), done.stderr
    return done.stdout


def shown() -> list[tuple[str, str]]:
    return SHOWN.findall(README.read_text(encoding="utf-8"))


def test_readme_shows_a_good_and_a_bad_model() -> None:
    assert len(shown()) == 2


@pytest.mark.parametrize("index", [0, 1])
def test_shown_output_is_real(index: int) -> None:
    command, output = shown()[index]
    assert printed(command) == output


def rewrite() -> None:
    """Put the present output into the README, to be read before it is committed."""
    text = README.read_text(encoding="utf-8")
    for command, output in shown():
        text = text.replace(f"```text\n{output}```", f"```text\n{printed(command)}```")
    README.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    rewrite()
