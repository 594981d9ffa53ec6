"""`preflight registry`: what it prints first and last, its formats and exit codes."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from msgspec.structs import replace
from typer.testing import CliRunner, Result

from preflight.cli.registry import app
from preflight.errors import UnreadableInput, UsageError
from preflight.registry.history import open_history
from preflight.registry.operator import UnresolvedVersion
from tests.registry.builders import attr, op, registry


def run(*arguments: str) -> Result:
    result = CliRunner().invoke(app, list(arguments), standalone_mode=False)
    if result.exception is not None:
        raise result.exception
    return result


def lines(*arguments: str) -> list[str]:
    return run(*arguments).stdout.splitlines()


def code(*arguments: str) -> object:
    return run(*arguments).return_value


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    """A team's own package: 2.0 breaks nothing, 3.0 drops an attribute and moves a default."""
    first = op("Own", attrs=(attr("a"), attr("b")))
    second = op("Own", attrs=(attr("a"), attr("b"), attr("c")))
    third = op("Own", attrs=(attr("a", default="5"), attr("c")))
    return registry(
        tmp_path / "own",
        ("own-1", "2025-01-01", (first,)),
        ("own-2", "2025-02-01", (second,)),
        ("own-3", "2025-03-01", (third,)),
    )


def test_history_is_a_table_that_ends_with_a_command() -> None:
    text = lines("history", "LayerNorm")
    assert text[0].startswith("LayerNorm: 3 versions, last recorded in ")
    assert text[-1] == "next: preflight registry show LayerNorm"
    assert "BH001" in "\n".join(text)


def test_history_as_markdown_and_json() -> None:
    assert "| version | releases | certainty | flags |" in lines(
        "history", "Celu", "--format", "markdown"
    )
    data = json.loads(run("history", "Celu", "--json").stdout)
    assert [v["version"] for v in data["versions"]] == [1, 2, 3]
    assert data["versions"][1]["spans"][0] == {
        "since": "5.0.2",
        "until": "5.0.3",
        "certainty": "certain",
    }


def test_diff_gates_a_package_of_ones_own(mine: Path) -> None:
    given = ("--registry", str(mine), "--package", "own")
    assert code("diff", "own-1", "own-2", *given) == 0
    assert code("diff", "own-2", "own-3", *given) == 1
    text = lines("diff", "own-2", "own-3", *given)
    assert text[0] == ("own-2 -> own-3: 1 breaking, 1 drifting (1 operators)")
    assert text[-1] == f"next: preflight registry history Own --registry {mine}"


def test_diff_breaking_shows_only_those_and_fail_on_decides(mine: Path) -> None:
    given = ("diff", "own-2", "own-3", "--registry", str(mine), "--package", "own")
    data = json.loads(run(*given, "--breaking", "--json").stdout)
    assert [c["code"] for c in data["changes"]] == ["OH401"]
    assert code(*given, "--fail-on", "never") == 0
    assert code("diff", "own-1", "own-2", *given[3:], "--fail-on", "any") == 1


def test_diff_markdown_escapes_what_is_inside(tmp_path: Path) -> None:
    odd = registry(
        tmp_path / "odd",
        ("o1", "2025-01-01", (op("Foo", attrs=(attr("a", "String", '"|x\\u001b"'),)),)),
        ("o2", "2025-02-01", (op("Foo", attrs=(attr("a", "String", '"<y>"'),)),)),
    )
    text = run("diff", "o1", "o2", "--registry", str(odd), "--format", "markdown").stdout
    row = next(line for line in text.splitlines() if "OH405" in line)
    assert "\\|x" in row
    assert "\\<y\\>" in row


def test_diff_of_one_operator_that_does_not_exist_is_an_error() -> None:
    with pytest.raises(Exception, match="no record of an operator 'LayerNorn'"):
        run("diff", "8.0.RC3", "8.1.RC1", "--op", "LayerNorn")


def test_show_refuses_to_guess() -> None:
    assert lines("show", "Celu", "5.0.4")[0] == "Celu in 5.0.4: version 3 of 3 (certain)"
    with pytest.raises(UnresolvedVersion):
        run("show", "FlashAttentionScore", "8.2.RC1")


def test_list_names_the_window() -> None:
    data = json.loads(run("list", "--current", "8.1.RC1", "--window", "10", "--json").stdout)
    assert [r["release"] for r in data["releases"]] == ["8.1.RC1"]
    provenance = run("list", "--package", "all", "--provenance").stdout
    assert "all evidence: " in provenance


def test_validate_says_how_many_and_fails_on_errors(mine: Path, tmp_path: Path) -> None:
    assert lines("validate", str(mine))[0] == "no errors, 0 warnings in 1 packages"
    bad = registry(tmp_path / "bad", ("1", "2025-01-01", (op(attrs=(attr("a", "Int", '"x"'),)),)))
    assert code("validate", str(bad)) == 1
    problem = json.loads(run("validate", str(bad), "--json").stdout)["problems"][0]
    assert problem["severity"] == "error"


def test_export_and_merge(tmp_path: Path, mine: Path) -> None:
    out = tmp_path / "out"
    given = ("export", "-o", str(out), "--release", "9.2.0-beta.1", "--package", "cv")
    assert lines(*given)[0].startswith("1 releases written")
    assert lines(*given)[0].endswith("1 equal ones were there")
    assert code("merge", str(mine), "-o", str(out)) == 0
    assert {p.parent.name for p in out.glob("*/index.json")} == {"cv", "own"}
    with pytest.raises(UsageError, match=r"no release '9\.9'"):
        run("export", "-o", str(out), "--release", "9.9")


def test_text_fits_a_terminal() -> None:
    for given in (
        ("history", "FlashAttentionScoreGrad"),
        ("diff", "8.0.RC3", "8.1.RC1"),
        ("list", "--provenance"),
        ("show", "FlashAttentionScore", "8.1.RC1"),
    ):
        assert max(map(len, lines(*given))) <= 100, given


def test_what_breaking_leaves_out_is_said(mine: Path) -> None:
    given = ("--registry", str(mine), "--package", "own", "--breaking")
    assert lines("diff", "own-1", "own-2", *given)[0] == (
        "own-1 -> own-2: no breaking changes, 1 others not shown"
    )


def test_what_cannot_be_read_is_named_on_stderr(mine: Path, tmp_path: Path) -> None:
    index = mine / "index.json"
    data = json.loads(index.read_text())
    data["releases"].append({"release_version": "../x", "release_date": "2025-01-01"})
    index.write_text(json.dumps(data))
    result = run("list", "--registry", str(mine))
    assert "left out" in result.stderr
    assert "'../x' cannot be the name" in result.stderr
    merged = run("merge", str(mine), "-o", str(tmp_path / "out"))
    assert "'../x' cannot be the name" in merged.stderr


@pytest.mark.parametrize("name", ["index.json", "registry/own-1/operators.json"])
def test_a_pipe_in_place_of_a_file_is_an_error_and_no_wait(mine: Path, name: str) -> None:
    (mine / name).unlink()
    os.mkfifo(mine / name)
    assert code("validate", str(mine.parent)) == 1
    assert "not a regular file" in run("validate", str(mine.parent)).stdout


@pytest.mark.parametrize("given", [("--window", "-1", "--current", "8.1.RC1"), ("--window", "3")])
def test_a_window_needs_an_end_and_a_width(given: tuple[str, ...]) -> None:
    with pytest.raises(UsageError, match="days before --current"):
        run("list", *given)


def test_where_nothing_can_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(UsageError, match="cannot be written"):
        run("export", "-o", str(tmp_path / "file" / "x"), "--release", "8.1.RC1")


@pytest.fixture
def norms(tmp_path: Path) -> Path:
    """A team's copy of a public operator, first equal to that of 8.1.RC1, then not."""
    public = open_history().resolve("LayerNorm", "8.1.RC1").prototype
    first = replace(public, attrs=public.attrs[:2])
    folder = tmp_path / "mine"
    registry(
        folder / "norms",
        ("1.0", "2025-05-01", (public, op("Own", attrs=(attr("a"),)))),
        ("1.1", "2025-06-01", (first, op("Own", attrs=(attr("a"),)))),
        ("1.2", "2025-07-01", (public,)),
    )
    return folder


def test_a_folder_is_gated_against_a_bundled_release(norms: Path) -> None:
    assert code("diff", "8.1.RC1", f"{norms}@1.0", "--breaking") == 0
    assert code("diff", "8.1.RC1", f"{norms}@1.1") == 1
    assert code("diff", "8.1.RC1", str(norms / "norms"), "--fail-on", "drift") == 0
    data = json.loads(run("diff", "8.1.RC1", f"{norms}@1.1", "--json").stdout)
    assert data["to"]["release"] == "1.1"
    # operators that the folder never had are no business of it
    assert {(c["code"], c["op"], c["field"]) for c in data["changes"]} == {
        ("OH101", "Own", "*"),
        ("OH401", "LayerNorm", "epsilon"),
    }
    text = lines("diff", "8.1.RC1", f"{norms}@1.1")
    assert text[0].startswith(f"8.1.RC1 -> 1.1 in {norms}: 1 breaking, 1 compatible")
    assert text[-1] == f"next: preflight registry history LayerNorm --registry {norms}"
    table = run("diff", "8.1.RC1", f"{norms}@1.1", "--format", "markdown").stdout
    assert (
        "| OH401 | breaking | LayerNorm | attr\\_removed | epsilon | Float, default 1e-07 |"
        in table
    )


def test_a_folder_against_its_own_past_loses_operators(norms: Path) -> None:
    data = json.loads(run("diff", f"{norms}@1.1", str(norms), "--json").stdout)
    assert [(c["code"], c["op"]) for c in data["changes"]] == [
        ("OH102", "Own"),
        ("OH412", "LayerNorm"),
    ]
    assert code("diff", f"{norms}@1.1", str(norms)) == 1


def test_a_folder_without_that_release_names_those_it_has(norms: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"no release '9'") as caught:
        run("diff", "8.1.RC1", f"{norms}@9")
    assert "1.0, 1.1, 1.2" in caught.value.hint
    with pytest.raises(UsageError, match="no package 'other'"):
        run("diff", "8.1.RC1", str(norms), "--package", "other")
    with pytest.raises(UnreadableInput, match="no registry here"):
        run("diff", "8.1.RC1", f"{tmp_path}/nothing")


def test_a_record_that_is_not_complete_removes_nothing_from_a_folder(norms: Path) -> None:
    data = json.loads(run("diff", f"{norms}@1.0", "9.1.0", "--json").stdout)
    own = [(c["code"], c["certainty"]) for c in data["changes"] if c["op"] == "Own"]
    assert own == [("OH103", "possible")]


def test_a_version_that_comes_back_is_told() -> None:
    text = "\n".join(lines("history", "BatchNorm"))
    assert "version 2, since V100R020C00T100:\n  OH301  reserve_space_3" in text
    assert "version 1 again instead of 2, since 5.0.4:\n  OH311  reserve_space_3" in text
    # what version 3 changed is told against version 1, which came back before it
    third = text.split("version 3, since 7.0.RC1:\n")[1].split("\n\n")[0]
    assert third.strip().startswith("OH412  exponential_avg_factor")
    assert "\n" not in third.strip()
    data = json.loads(run("history", "Celu", "--json").stdout)
    assert [(r["release"], r["before"], r["version"]) for r in data["returns"]] == [
        ("5.1.RC2", 3, 2)
    ]


def test_an_operator_that_was_gone_for_a_while_says_when() -> None:
    text = " ".join(run("history", "GridSample").stdout.split())
    assert "missing in 8.0.RC2-20240724 .. 8.1.RC1, recorded again in 8.3.RC1-20250930" in text
    data = json.loads(run("history", "GridSample", "--json").stdout)
    assert data["missing"] == [
        {"since": "8.0.RC2-20240724", "until": "8.1.RC1", "recorded_again": "8.3.RC1-20250930"}
    ]
    # nothing is said of releases whose record is not complete
    assert json.loads(run("history", "LayerNorm", "--json").stdout)["missing"] == []


def test_show_says_that_an_operator_came_later_and_when(tmp_path: Path) -> None:
    later = registry(tmp_path / "nn", ("9.9", "2026-09-30", (op("Own"),)))
    with pytest.raises(UnresolvedVersion, match=r"first recorded in 9\.9") as caught:
        run("show", "Own", "8.1.RC1", "--registry", str(later))
    assert "version 1 (9.9)" in caught.value.hint
