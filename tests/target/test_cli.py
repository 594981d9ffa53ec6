"""`preflight target`: the first line answers, the last one says what to do, --json is JSON."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from preflight import api
from preflight.cli.target import app
from preflight.data import samples_dir
from preflight.errors import UnreadableInput, UsageError
from tests.target import trees


def run(*args: str) -> Result:
    return CliRunner().invoke(app, list(args), standalone_mode=False)


def output(*args: str, code: int = 0) -> list[str]:
    result = run(*args)
    assert result.exception is None, result.exception
    assert result.return_value == code
    return result.stdout.splitlines()


def test_show_answers_first_and_names_sources(tmp_path: Path) -> None:
    root = trees.toolkit(tmp_path)
    lines = output("show", str(root), "--soc", "910B3")
    assert lines[0] == f"CANN 8.1.RC1 (internal 7.7.0.1.238) in {root} is consistent"
    assert lines[-1] == f"next: preflight check MODEL.om --target {root}@910B3"
    text = "\n".join(lines)
    assert "…/opp/version.info" in text, "below the first line the root is …"
    assert "not known" in text  # the driver


def test_show_exits_with_1_on_problems(tmp_path: Path) -> None:
    root = trees.toolkit(tmp_path)
    trees.vendor(root / "opp", "new", "8.5.0")
    trees.write(root / "opp/vendors/config.ini", "load_priority=new\n")
    lines = output("show", str(root), code=1)
    assert lines[0].endswith("has 1 problem")
    assert any("vendor_dropped" in line and "8.5.0" in line for line in lines)
    document = json.loads(run("show", str(root), "--json").stdout)
    assert document["consistent"] is False
    assert document["problems"][0]["kind"] == "vendor_dropped"
    assert document["facts"]["release"]["value"] == "8.1.RC1"
    assert document["facts"]["behaviour"]["value"] == "ge-8.1"
    assert document["places"]


def test_show_escapes_what_files_say(tmp_path: Path) -> None:
    root = trees.toolkit(tmp_path)
    text = (root / "opp/version.info").read_text()
    (root / "opp/version.info").write_text("Version=\x1b[31mred\n" + text)
    result = run("show", str(root))
    assert "\x1b" not in result.stdout
    assert "\\x1b[31mred" in result.stdout


def test_capture_and_check_against_the_file(tmp_path: Path) -> None:
    root = trees.toolkit(tmp_path)
    file = tmp_path / "host.toml"
    lines = output("capture", str(root), "-o", str(file), "--soc", "910b3")
    assert lines[-1] == f"next: preflight check MODEL.om --target {file}"
    shown = output("show", str(file))
    assert shown[0].startswith("CANN 8.1.RC1")
    to_stdout = run("capture", str(root), "--soc", "910b3").stdout
    assert to_stdout == file.read_text()
    document = json.loads(run("capture", str(root), "-o", str(file), "--json").stdout)
    assert document["path"] == str(file)


def test_list_names_releases_and_socs() -> None:
    lines = output("list")
    assert "releases" in lines[0]
    assert "SoCs" in lines[0]
    document = json.loads(run("list", "--json").stdout)
    assert "Ascend910B3" in document["socs"]
    assert {"public": "8.1.RC1", "internal": "7.7.0.1.238"}.items() <= next(
        row.items() for row in document["releases"] if row["public"] == "8.1.RC1"
    )


def test_fit_says_what_is_known_and_what_is_not() -> None:
    lines = output("fit", "--driver", "24.1.rc2")
    assert lines[0].startswith("driver 24.1.rc2 fits CANN 8.0.RC3, and possibly")
    assert "9.0.0" in lines[0].split("not")[-1]
    lines = output("fit", "--cann", "6.3.RC1", code=3)
    assert lines[0] == "nothing is known about which versions fit CANN 6.3.RC1"
    assert json.loads(run("fit", "--cann", "9.0.0", "--json").stdout)["fits"]
    for wrong in ([], ["--driver", "24.1", "--cann", "9.0.0"]):
        assert isinstance(run("fit", *wrong).exception, UsageError)


@pytest.mark.parametrize("verb", ["show", "capture"])
def test_unknown_targets_are_usage_errors(verb: str) -> None:
    error = run(verb, "8.1.RC1/Ascend310P").exception
    assert isinstance(error, UsageError)
    assert "Ascend310P3" in error.hint


def test_what_is_no_file_is_named_for_it(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    loop = tmp_path / "loop"
    loop.symlink_to("loop")
    for place in (pipe, loop):
        with pytest.raises(UnreadableInput, match="neither a folder nor a regular file"):
            api.load_target(str(place))
    with pytest.raises(UsageError, match="no CANN release"):
        api.load_target("x" * 5000)


def test_show_says_that_it_could_not_read_all(tmp_path: Path) -> None:
    root = trees.toolkit(tmp_path)
    assert output("show", str(root))[0].endswith("is consistent")
    (root / "compiler/version.info").unlink()
    os.mkfifo(root / "compiler/version.info")
    assert "as far as it was read: one place could not be" in output("show", str(root))[0]


def test_files_of_one_folder_share_a_line(tmp_path: Path) -> None:
    root = trees.toolkit(tmp_path)
    for number in range(4):
        trees.platform(root, f"Ascend9{number}", "Ascend9", "4")
    lines = [line for line in output("show", str(root)) if "platform file" in line]
    assert lines[-1].split() == [
        "found", "…/aarch64-linux/data/platform_config/", "(6", "files)", "platform", "file",
    ]  # fmt: skip


def test_bytes_that_are_no_text_are_shown_and_never_stop_a_check(tmp_path: Path) -> None:
    root = trees.toolkit(tmp_path)
    (root / "opp/scene.info").write_bytes(b"os=linux\xff\narch=aarch64\n")
    shown = json.loads(run("show", str(root), "--json").stdout)
    assert shown["facts"]["host_os"]["value"] == "linux\\udcff"
    sample = samples_dir() / "hostlib_aarch64.om"
    result = api.check_model(sample, api.load_target(f"{root}@Ascend310P3"))
    assert result.verdicts.deploy.status == "blocked"
