"""`preflight check` and `preflight rules` as a person or a script calls them."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from preflight.cli import diagnostics
from preflight.cli.app import app
from preflight.data import samples_dir
from tests.checks.fixtures import FIXTURES, om

TARGET = "8.1.RC1/Ascend910B3/linux-aarch64"
GOOD = str(samples_dir() / "soc_910B3.om")
BAD = str(samples_dir() / "resnet_static_310P3.om")
GONE = "no/such/model.om"


@pytest.fixture
def run(monkeypatch, capsys):
    def call(*arguments: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["preflight", *arguments])
        code = diagnostics.run(app)
        out, err = capsys.readouterr()
        return code, out, err

    return call


def test_a_model_that_loads(run):
    code, out, err = run("check", GOOD, "--target", TARGET)
    assert (code, err) == (0, "")
    assert out.splitlines()[0].startswith(f"soc_910B3.om will load on {TARGET}")
    assert out.splitlines()[-1] == f"next: preflight inspect {GOOD}"


def test_a_model_that_does_not_load(run):
    code, out, err = run("check", BAD, "--target", TARGET)
    assert (code, err) == (1, "")
    assert out.splitlines()[0] == (
        f"resnet_static_310P3.om will not load on {TARGET}: compiled for another SoC architecture "
        "(the caller sees 500002)"
    )
    assert out.splitlines()[-1] == f"next: preflight plan {BAD} --target {TARGET}"


def test_what_is_no_model_is_named_and_says_what_the_loader_would(run):
    pointer = str(samples_dir() / "lfs_pointer.om")
    code, out, _ = run("check", pointer, "--target", TARGET)
    assert code == 1
    first = out.splitlines()[0]
    assert "Git LFS pointer" in first
    assert "(the caller sees 145006)" in first


def test_a_file_that_cannot_be_read(run):
    code, out, err = run("check", GONE, "--target", TARGET)
    assert code == 3
    assert out.startswith("model.om could not be checked")
    code, out, err = run("check", GONE, "--target", TARGET, "--json")
    assert code == 3
    assert json.loads(out)["results"][0]["error"]["message"] in err
    assert len(err.splitlines()) == 1


def test_in_a_batch_an_unreadable_file_beats_a_finding(run):
    code, out, _ = run("check", BAD, GONE, GOOD, "--target", TARGET, "--json")
    assert code == 3
    statuses = [r["verdicts"]["deploy"]["status"] for r in json.loads(out)["results"]]
    assert statuses == ["blocked", "unknown", "ok"]


def test_the_target_decides(run):
    code, out, _ = run("check", BAD, "-t", TARGET, "-t", "8.1.RC1/Ascend310P3", "--json")
    assert code == 1
    assert [r["verdicts"]["deploy"]["status"] for r in json.loads(out)["results"]] == [
        "blocked",
        "ok",
    ]


def test_names_that_others_rely_on(run):
    _, out, _ = run("check", BAD, "--target", TARGET, "--format", "json")
    result = json.loads(out)["results"][0]
    assert {"model", "target", "verdicts", "findings", "not_evaluated"} <= set(result)
    assert result["model"] == BAD
    first = result["findings"][0]
    assert {
        "rule", "severity", "consequence", "certainty", "message", "evidence", "location",
        "remedies", "loader",
    } <= set(first)  # fmt: skip
    assert {"step", "status", "status_name", "message_code"} <= set(first["loader"])


@pytest.mark.parametrize(
    ("fail_on", "code"), [("error", 0), ("warning", 0), ("note", 1), ("never", 0)]
)
def test_fail_on(run, fail_on, code):
    assert run("check", GOOD, "--target", TARGET, "--fail-on", fail_on)[0] == code


def test_never_fails_only_for_what_could_not_be_checked(run):
    assert run("check", BAD, "--target", TARGET, "--fail-on", "never")[0] == 0
    assert run("check", GONE, "--target", TARGET, "--fail-on", "never")[0] == 3
    assert run("check", GOOD, "--target", "8.1.RC1", "--fail-on", "never")[0] == 3


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((GOOD,), "a target is needed"),
        ((GOOD, "--target", "8.1.RC9/Ascend910B3"), "8.1.RC9"),
        ((GOOD, "--target", TARGET, "--format", "pdf"), "--format must be one of"),
        ((GOOD, "--target", TARGET, "--fail-on", "x"), "--fail-on must be one of"),
        ((GOOD, "--target", TARGET, "--loader", "x"), "--loader must be one of"),
        ((GOOD, "--target", TARGET, "--rules", "no/folder"), "no/folder"),
        ((GOOD, "--target", TARGET, "--nothing"), "--nothing"),
        (("--target", TARGET), "Example: preflight check model.om --target"),
        ((GOOD, "--target", "gone.toml"), "gone.toml: there is no such file"),
        ((GOOD, "--target", "8.1/910B3"), "nearest known: 8.1.RC1"),
        ((GOOD, "--target", "8.1.RC1/910B3/aarch64"), "did you mean linux-aarch64?"),
        ((GOOD, "--target", TARGET, "--waivers", "gone"), "gone: cannot be read: No such file"),
    ],
)
def test_wrong_usage(run, arguments, said):
    code, out, err = run("check", *arguments)
    assert (code, out) == (2, "")
    assert said.lower() in err.lower()


@pytest.mark.parametrize("form", ["text", "json", "markdown", "sarif", "junit"])
def test_a_report_can_go_to_a_file(run, tmp_path, form):
    path = tmp_path / "report"
    code, out, err = run("check", BAD, "--target", TARGET, "--format", form, "-o", str(path))
    assert (code, out, err) == (1, "", "")
    assert "PF301" in path.read_text(encoding="utf-8")


def test_a_report_that_cannot_be_written(run, tmp_path):
    code, _, err = run("check", BAD, "--target", TARGET, "-o", str(tmp_path / "no" / "report"))
    assert code == 3
    assert "cannot be written" in err


def test_user_names_are_masked_in_reports_only(run, tmp_path):
    home = "/home/somebody/none.om"
    assert "somebody" in run("check", home, "--target", TARGET)[1]
    assert "somebody" not in run("check", home, "--target", TARGET, "--json")[1]
    assert "somebody" in run("check", home, "--target", TARGET, "--json", "--no-mask")[1]


def test_a_waiver_file(run, tmp_path):
    waivers = tmp_path / "waivers.toml"
    waivers.write_text(
        '[[waiver]]\nrule = "PF301"\nmodel = "*.om"\nreason = "emulated"\nexpires = 2999-01-01\n'
    )
    code, out, _ = run("check", BAD, "--target", TARGET, "--waivers", str(waivers))
    assert code == 0
    assert "waived until 2999-01-01  PF301" in out


def test_a_weights_folder_that_is_passed(run):
    code, out, _ = run("check", GOOD, "--target", TARGET, "--weight-path", ".", "--json")
    assert code == 1
    assert json.loads(out)["results"][0]["findings"][0]["rule"] == "PF219"


def test_another_loader(run):
    bundle = str(samples_dir() / "bundle.om")
    code, out, _ = run("check", bundle, "--target", "9.1.0/Ascend310P3", "--loader", "standard")
    assert code == 1
    assert "PF104" in out


def test_the_list_of_rules(run):
    code, out, _ = run("rules", "--band", "PF3")
    assert code == 0
    assert all(line.startswith("PF3") for line in out.splitlines()[1:-1])
    code, out, _ = run("rules", "--json")
    assert {"id", "severity", "loader", "what"} <= set(json.loads(out)[0])
    code, _, err = run("rules", "--band", "PF0")
    assert code == 2
    assert "PF0" in err


def test_a_check_loads_nothing_that_it_does_not_need(tmp_path):
    """Start-up: no user interface, no remote store, no other report format, no TOML."""
    model = tmp_path / "m.om"
    model.write_bytes(om())
    script = (
        "import sys; from preflight.cli.app import app\n"
        f"app(['check', {str(model)!r}, '--target', {TARGET!r}], standalone_mode=False)\n"
        "print(*sorted(sys.modules), file=sys.stderr)"
    )
    env = {"PATH": "/usr/bin", "XDG_CACHE_HOME": str(tmp_path / "cache")}
    for _ in range(2):
        done = subprocess.run(
            [sys.executable, "-c", script], capture_output=True, text=True, env=env, check=True,
            cwd=Path(__file__).resolve().parents[2],
        )  # fmt: skip
    modules = done.stderr.split()
    for name in (
        "textual", "fsspec", "zipfile", "jsonschema", "preflight.render.json",
        "preflight.render.sarif", "preflight.checks.validate", "preflight.container.om2",
        "preflight.tui", "preflight.plan", "preflight.explain", "preflight.scan",
    ):  # fmt: skip
        assert name not in modules


def test_odd_file_names_do_not_break_a_report(run, tmp_path):
    path = tmp_path / "a\x1b[31m\nb.om"
    path.write_bytes(FIXTURES["other_opp"]().model)
    for form in ("text", "json", "markdown", "sarif", "junit"):
        code, out, _ = run("check", str(path), "--target", TARGET, "--format", form)
        assert code in (0, 1)
        assert "\x1b" not in out


def test_evidence_of_notes_is_for_those_who_ask(run):
    assert "attribute stream_num" not in run("check", GOOD, "--target", TARGET)[1]
    assert "attribute stream_num" in run("check", GOOD, "--target", TARGET, "-v")[1]


def test_a_folder_with_one_file_that_cannot_be_read(run, tmp_path):
    for number in range(5):
        (tmp_path / f"m{number}.om").write_bytes(om())
    (tmp_path / "m2.om").unlink()
    (tmp_path / "m2.om").symlink_to(tmp_path / "nowhere")
    code, out, err = run("check", str(tmp_path), "--target", TARGET)
    assert (code, err) == (3, "")
    lines = out.splitlines()
    assert lines[0] == "5 models on 1 target: 4 will load, 1 not known"
    assert sum(" ok " in line for line in lines[3:8]) == 4
    assert "nowhere" in out


def in_terminal(arguments: list[str], **env: str) -> str:
    """What a terminal of 60 columns gets."""
    import fcntl
    import os
    import pty
    import struct
    import termios

    main, side = pty.openpty()
    fcntl.ioctl(side, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 60, 0, 0))
    kept = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "COLUMNS")}
    command = [str(Path(sys.executable).parent / "preflight"), *arguments]
    with subprocess.Popen(
        command, stdout=side, stderr=side, env={**kept, "TERM": "xterm", **env}
    ) as process:
        os.close(side)
        parts = []
        try:
            while part := os.read(main, 65536):
                parts.append(part)
        except OSError:  # the other side is closed
            pass
        process.wait(timeout=60)
    os.close(main)
    return b"".join(parts).decode().replace("\r\n", "\n")


def test_a_terminal_gets_colours_and_lines_that_fit(monkeypatch):
    arguments = ["check", BAD, "--target", TARGET]
    coloured = in_terminal(arguments)
    assert "\x1b[31merror\x1b[0m" in coloured
    plain = in_terminal(arguments, NO_COLOR="1")
    assert "\x1b" not in plain
    assert "\x1b" not in in_terminal(arguments, TERM="dumb")
    body = [line for line in plain.splitlines()[2:-1] if line.startswith("    ")]
    assert body
    assert all(len(line) <= 60 for line in body)


def test_a_reader_that_goes_away_does_not_change_the_exit_code(tmp_path):
    for number in range(300):
        (tmp_path / f"m{number}.om").write_bytes(om()[:-20])
    command = [str(Path(sys.executable).parent / "preflight"), "check", str(tmp_path)]
    with subprocess.Popen(
        [*command, "--target", TARGET, "--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None and process.stderr is not None
        process.stdout.read(10)
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(timeout=60) == 1


@pytest.mark.parametrize(
    ("word", "said"),
    [
        ("chek", "did you mean check?"),
        ("frob", "verbs: check, inspect"),
        (GOOD, f"preflight check {GOOD} --target"),
        ("model.om", "preflight check model.om --target"),
    ],
)
def test_a_word_that_is_no_verb(run, word, said):
    code, out, err = run(word, "--x")
    assert (code, out) == (2, "")
    assert said in err


def test_a_target_is_checked_once(run):
    _, out, _ = run("check", GOOD, "--target", TARGET, "--target", TARGET, "--json")
    assert len(json.loads(out)["results"]) == 1


def test_the_last_line_names_the_soc_that_a_target_lacks(run):
    _, out, _ = run("check", GOOD, "--target", "8.1.RC1")
    command = f"preflight check {GOOD} --target 8.1.RC1/Ascend910B3"
    assert out.splitlines()[-1] == f"next: {command}"
    assert run(*command.split()[1:])[0] == 0


@pytest.mark.parametrize(
    ("words", "offered"), [("ch", "check"), ("chk --t", ""), ("check --ta", "--target")]
)
def test_the_shell_completes_what_there_is(words, offered):
    count = str(len(words.split()))
    asked = {"COMP_WORDS": f"preflight {words}", "COMP_CWORD": count}
    done = subprocess.run(
        [str(Path(sys.executable).parent / "preflight")],
        env={"_PREFLIGHT_COMPLETE": "complete_bash", **asked},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.stdout.strip(), done.stderr) == (offered, "")


def test_standard_input_is_no_model_file(run):
    code, out, _ = run("check", "-", "--target", TARGET)
    assert code == 3
    assert "standard input cannot be read by position" in out.splitlines()[0]
    assert out.splitlines()[-1].startswith("next: cat > model.om; preflight check model.om")


@pytest.mark.parametrize("verb", ["check", "inspect", "target", "registry", "compare", "lock"])
def test_completion_is_an_option_of_the_program_not_of_its_verbs(run, verb):
    assert "--install-completion" in run("--help")[1]
    assert "--install-completion" not in run(verb, "--help")[1]
