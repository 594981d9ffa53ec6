"""What goes wrong around a running plan: full disks, odd programs, files that appear, bad plans."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from preflight.errors import ApplyError, UnreadableInput, UsageError
from preflight.findings import Certainty, Consequence, Finding, Severity
from preflight.plan import apply as apply_module
from preflight.plan import staging
from preflight.plan.apply import apply_plan, rollback_plan
from preflight.plan.execute import ApplyOptions
from preflight.plan.files import plan_from_toml, plan_to_toml, write_plan
from preflight.plan.journal import Journal, JournalError, journal_path, read_journal
from preflight.plan.model import SideFile, Step
from tests.plan import stand_in
from tests.plan.plans import manual, plan
from tests.plan.test_apply import (
    options,
    rebuild_step,
    run,
    scenario,
    statuses,
    visible,
)


def tree(folder: Path) -> dict[str, tuple[int, int, bytes]]:
    """Everything below a folder: kind and times of each entry, content of files and links."""
    found = {}
    for path in sorted(folder.rglob("*")):
        state = path.lstat()
        if path.is_symlink():
            content = os.fsencode(path.readlink())
        else:
            content = path.read_bytes() if path.is_file() else b""
        found[str(path.relative_to(folder))] = (state.st_mode, state.st_mtime_ns, content)
    return found


def shell(folder: Path, body: str) -> ApplyOptions:
    """A program in the place of atc, as a shell script; $out is where the model goes."""
    tool = folder / "atc-script"
    find = 'for a in "$@"; do case $a in --output=*) out=${a#--output=};; esac; done\n'
    tool.write_text(f"#!/bin/sh\n{find}{body}\n")
    tool.chmod(0o755)
    return ApplyOptions(yes=True, programs={"atc": str(tool)}, timeout=20)


def apply(path: Path, body: str) -> apply_module.ApplyResult:
    return apply_plan(path, shell(path.parent, body), stand_in.BENCH)


def test_a_dry_run_leaves_the_whole_tree_as_it_is(tmp_path: Path) -> None:
    path = scenario(tmp_path, rebuild_step(tmp_path), manual("env", "build"))
    chosen = options(tmp_path, dry_run=True)
    before = tree(tmp_path)
    apply_plan(path, chosen, stand_in.BENCH)
    assert tree(tmp_path) == before
    apply_plan(path, options(tmp_path), stand_in.BENCH)
    before = tree(tmp_path)
    apply_plan(path, chosen, stand_in.BENCH)
    rollback_plan(path, ApplyOptions(dry_run=True))
    assert tree(tmp_path) == before


@pytest.mark.parametrize("mode", ["fail", "nothing", "ok"])
def test_folders_that_a_step_made_go_with_it(tmp_path: Path, mode: str) -> None:
    deep = tmp_path / "new" / "deeper"
    build = rebuild_step(
        tmp_path, produces=str(deep / "m.om"), command=("atc", f"--output={deep / 'm'}")
    )
    path = scenario(tmp_path, build)
    run(path, mode)
    if mode == "ok":
        assert (deep / "m.om").is_file()
        (tmp_path / "new" / "mine").write_text("mine")
        rollback_plan(path)
        assert not deep.exists()
        assert (tmp_path / "new" / "mine").read_text() == "mine"
    else:
        assert not (tmp_path / "new").exists()


def test_a_changed_original_is_noticed_at_once(tmp_path: Path) -> None:
    path = scenario(tmp_path, rebuild_step(tmp_path))
    result = apply(path, f"echo 'MODEL new' > $out.om; echo 'MODEL bad' > {tmp_path / 'm.om'}")
    assert result.status == "failed"
    assert "m.om was changed while atc ran" in result.error
    assert "from a copy" in result.hint
    assert not (tmp_path / "build.om").exists()


def test_a_result_somewhere_else_is_no_result(tmp_path: Path) -> None:
    path = scenario(tmp_path, rebuild_step(tmp_path))
    result = apply(path, f"echo 'MODEL new' > {tmp_path / 'elsewhere.om'}")
    assert "it wrote none" in result.error


def test_a_link_is_no_result(tmp_path: Path) -> None:
    path = scenario(tmp_path, rebuild_step(tmp_path))
    result = apply(path, f"ln -s {tmp_path / 'm.om'} $out.om")
    assert "it wrote none" in result.error
    assert not os.path.lexists(tmp_path / "build.om")


def test_single_operators_come_in_a_folder(tmp_path: Path) -> None:
    path = scenario(tmp_path, rebuild_step(tmp_path, model=str(tmp_path / "m.om")))
    body = "mkdir $out; echo 'MODEL one' > $out/0_Add.om"
    assert apply(path, body).status == "done"
    assert visible(tmp_path)["build.om"] == "MODEL one\n"
    rollback_plan(path)
    assert (
        "wrote 0_Add.om, 1_Mul.om" in apply(path, f"{body}; cp $out/0_Add.om $out/1_Mul.om").error
    )
    assert apply(path, f"{body}; echo 'MODEL two' > $out/m.om").status == "done"
    assert visible(tmp_path)["build.om"] == "MODEL two\n", "the one named like the old file"


def test_much_output_is_kept_and_takes_no_memory(tmp_path: Path) -> None:
    import resource

    path = scenario(tmp_path, rebuild_step(tmp_path))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    result = apply(path, "head -c 100000000 /dev/zero; echo 'MODEL new' > $out.om")
    assert result.status == "done"
    assert (tmp_path / "p.logs" / "build-1.log").stat().st_size == 100_000_000
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 50_000, "KiB"


def test_children_left_behind_are_ended(tmp_path: Path) -> None:
    path = scenario(tmp_path, rebuild_step(tmp_path))
    result = apply(path, f"echo 'MODEL new' > $out.om; sleep 61 & echo $! > {tmp_path / 'pid'}")
    assert result.status == "done"
    pid = int((tmp_path / "pid").read_text())
    deadline = time.monotonic() + 5
    while _runs(pid) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not _runs(pid)


def _runs(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


def test_a_file_that_appears_during_the_rename_is_not_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It appears after the last look and before the rename itself."""
    path = scenario(tmp_path, rebuild_step(tmp_path))
    place = tmp_path / "build.om"
    real = os.path.lexists

    def late(given: Any) -> bool:
        there = real(given)
        if Path(given) == place and not there and (tmp_path / "ready").exists():
            place.write_text("mine")
        return there

    monkeypatch.setattr(os.path, "lexists", late)
    sync = staging.sync_file
    monkeypatch.setattr(
        staging, "sync_file", lambda p: ((tmp_path / "ready").write_text(""), sync(p))[1]
    )
    result = run(path)
    assert result.status == "failed"
    assert "appeared meanwhile" in result.error
    assert place.read_text() == "mine"
    assert not list(tmp_path.glob(".preflight-*"))


def test_a_step_cut_off_between_two_names_of_one_file_is_finished(tmp_path: Path) -> None:
    path = scenario(tmp_path, rebuild_step(tmp_path))
    run(path)
    lines = journal_path(path).read_bytes().splitlines(keepends=True)
    committing = next(i for i, line in enumerate(lines) if b'"committing"' in line)
    journal_path(path).write_bytes(b"".join(lines[: committing + 1]))
    work = Path(read_journal(journal_path(path))[1].staging)
    work.mkdir()
    (work / "build.om").hardlink_to(tmp_path / "build.om")
    assert run(path, "fail").status == "done"
    assert visible(tmp_path)["build.om"] == "MODEL new"
    assert not work.exists()


@pytest.mark.parametrize("which", ["started", "committing", "done", "failed"])
def test_a_full_disk_stops_everything_and_is_picked_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, which: str
) -> None:
    path = scenario(tmp_path, rebuild_step(tmp_path))
    before = visible(tmp_path)
    real = Journal.write

    def write(self: Journal, event: str, step: str = "", **facts: object) -> object:
        if event == which:
            raise JournalError("no room")
        return real(self, event, step, **facts)

    with monkeypatch.context() as patch:
        patch.setattr(Journal, "write", write)
        with pytest.raises(ApplyError, match="no room"):
            run(path, "fail" if which == "failed" else "ok")
    assert set(visible(tmp_path)) - {"build.om"} == set(before)
    assert run(path).status == "done"
    assert visible(tmp_path) == before | {"build.om": "MODEL new"}
    assert not list(tmp_path.glob(".preflight-*"))


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="mounting needs root")
def test_a_really_full_disk(tmp_path: Path) -> None:
    small = tmp_path / "small"
    small.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", str(small)]
    if shutil.which("mount") is None or subprocess.run(mount, capture_output=True).returncode:
        pytest.skip("no small file system can be mounted here")
    try:
        path = scenario(small, rebuild_step(small))
        chosen = options(small)
        before = visible(small)
        filler = small / "filler"
        handle = os.open(filler, os.O_CREAT | os.O_WRONLY)
        with pytest.raises(OSError, match="No space"):
            while True:
                os.write(handle, bytes(512))
        os.close(handle)
        with pytest.raises((ApplyError, UnreadableInput)):
            apply_plan(path, chosen, stand_in.BENCH)
        filler.unlink()
        assert visible(small) == before
        assert apply_plan(path, chosen, stand_in.BENCH).status == "done"
        assert visible(small)["build.om"] == "MODEL new"
    finally:
        subprocess.run(["umount", str(small)], check=True)


def test_a_linked_model_stays_a_link(tmp_path: Path) -> None:
    store = tmp_path / "store"
    store.mkdir()
    path = scenario(tmp_path, rebuild_step(tmp_path))
    shutil.move(tmp_path / "m.om", store / "m.om")
    (tmp_path / "m.om").symlink_to(store / "m.om")
    assert run(path).status == "done"
    rollback_plan(path)
    assert (tmp_path / "m.om").readlink() == store / "m.om"
    assert (store / "m.om").read_text() == "MODEL old"


def test_two_plans_for_the_same_place_do_not_mix(tmp_path: Path) -> None:
    first = scenario(tmp_path, rebuild_step(tmp_path))
    second = tmp_path / "q.toml"
    second.write_text(first.read_text() + "\n")
    assert run(first).status == "done"
    refused = apply_plan(second, options(tmp_path), stand_in.BENCH)
    assert "is there already" in refused.error
    rollback_plan(second)
    assert visible(tmp_path)["build.om"] == "MODEL new"


def test_a_second_rollback_finds_nothing_to_do(tmp_path: Path) -> None:
    path = scenario(tmp_path, rebuild_step(tmp_path))
    before = visible(tmp_path)
    run(path)
    rollback_plan(path)
    again = rollback_plan(path)
    assert (again.status, again.left) == ("rolled_back", ())
    assert visible(tmp_path) == before


def test_a_clock_that_goes_backwards_changes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = scenario(tmp_path, rebuild_step(tmp_path), manual("env", "build"))
    run(path, only="build")
    records = read_journal(journal_path(path))
    later = b"".join(
        msgspec.json.encode(msgspec.structs.replace(r, at="2999-01-01T00:00:00+00:00")) + b"\n"
        for r in records
    )
    journal_path(path).write_bytes(later)
    assert run(path).status == "done"
    assert statuses(rollback_plan(path))["build"] == "undone"


def test_no_program_but_atc_can_be_named(tmp_path: Path) -> None:
    path = scenario(tmp_path, rebuild_step(tmp_path))
    with pytest.raises(UsageError, match="--program rm"):
        apply_plan(path, ApplyOptions(yes=True, programs={"rm": "/bin/rm"}), stand_in.BENCH)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"produces": "build.om"}, "full path"),
        ({"produces": "/m/../etc/build.om"}, "full path"),
        ({"produces": "/etc/cron.d/job"}, "full path"),
        ({"command": ("atc", "--output=/m/a", "--output=/m/b")}, "one --output"),
        ({"command": ("atc", "--output", "/etc/passwd")}, "not of the form"),
        ({"command": ("atc", "-output=/etc/passwd", "--output=/m/a")}, "not of the form"),
        ({"command": ("atc", "--out-put=/etc/passwd", "--output=/m/a")}, "not of the form"),
        ({"command": ("atc", "--output")}, "one --output"),
        ({"side_files": (SideFile("keep_dtype", "../x.cfg", ""),)}, "plain name"),
        ({"side_files": (SideFile("keep_dtype", "..", ""),)}, "plain name"),
        ({"side_files": (SideFile("keep_dtype", "/etc/x", ""),)}, "plain name"),
        ({"id": "../../x"}, "an id has letters"),
        ({"requires": ("build",)}, "does not come before it"),
        ({"requires": ("nowhere",)}, "not in the plan"),
        ({"kind": "verify"}, "only a rebuild runs a command"),
    ],
)
def test_a_plan_that_reaches_elsewhere_is_not_read(changes: dict[str, Any], said: str) -> None:
    made = plan(msgspec.structs.replace(rebuild_step(Path("/m")), **changes))
    with pytest.raises(UsageError, match=said):
        plan_from_toml(plan_to_toml(made))


def test_steps_that_wait_for_each_other_are_refused() -> None:
    with pytest.raises(UsageError, match="does not come before it"):
        plan_from_toml(plan_to_toml(plan(manual("a", "b"), manual("b", "a"))))


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("schema_version = 1", 'schema_version = "1"', "schema_version"),
        ("schema_version = 1", "schema_version = 2", "format 2"),
        ("schema_version = 1", "schema_version = 1\nshell = true", "unknown field `shell`"),
        ('id = "a"', "id = 1", r"steps\[0\].id"),
        ('id = "a"', 'id = "a"\ncolour = 1', "unknown field `colour`"),
        ("sha256 = ", "sha1 = ", "sha"),
        ('kind = "set_environment"', 'kind = "delete"', "kind 'delete'"),
    ],
)
def test_a_mistake_in_a_plan_is_named(old: str, new: str, said: str) -> None:
    text = plan_to_toml(plan(manual("a")))
    assert old in text
    with pytest.raises(UsageError, match=said):
        plan_from_toml(text.replace(old, new, 1))


def test_a_plan_without_models_is_refused() -> None:
    with pytest.raises(UsageError, match="at least one model"):
        plan_from_toml(plan_to_toml(plan(manual("a"), models=())))


def test_huge_texts_and_files_are_bounded(tmp_path: Path) -> None:
    big = msgspec.structs.replace(manual("a"), instruction="x" * (1 << 20))
    path = tmp_path / "p.toml"
    write_plan(plan(big), path)
    assert "x" * 100 in path.read_text()
    with path.open("wb") as stream:
        stream.truncate(1 << 30)
    with pytest.raises(UnreadableInput, match="larger than any plan"):
        apply_plan(path, ApplyOptions(), stand_in.BENCH)


def test_a_hash_that_is_missing_or_empty_fits_no_file(tmp_path: Path) -> None:
    path = scenario(tmp_path, rebuild_step(tmp_path))
    text = path.read_text()
    digest = next(line for line in text.splitlines() if line.startswith("sha256"))
    path.write_text(text.replace(digest, 'sha256 = ""'))
    with pytest.raises(UsageError.__base__, match="not the file"):
        run(path)
    path.write_text(text.replace(digest, ""))
    with pytest.raises(UsageError, match="sha256"):
        run(path)


def test_two_processes_at_once(tmp_path: Path) -> None:
    """Of two that start together one works and the other says so, and one model is there."""
    path = scenario(tmp_path, rebuild_step(tmp_path))
    chosen = shell(tmp_path, "sleep 0.5; echo 'MODEL new' > $out.om")
    code = (
        "import sys\nfrom preflight.errors import UsageError\n"
        "from preflight.plan.apply import apply_plan\n"
        "from preflight.plan.execute import ApplyOptions\nfrom tests.plan import stand_in\n"
        f"chosen = ApplyOptions(yes=True, programs={dict(chosen.programs)!r})\n"
        "try:\n"
        f"    print(apply_plan({str(path)!r}, chosen, stand_in.BENCH).status)\n"
        "except UsageError as error:\n    print(error.message)\n"
    )
    root = Path(__file__).parents[2]
    both = [
        subprocess.Popen([sys.executable, "-c", code], cwd=root, stdout=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    said = sorted(p.communicate(timeout=60)[0].strip() for p in both)
    assert "done" in said
    assert all(s == "done" or "another preflight" in s for s in said)
    assert visible(tmp_path)["build.om"] == "MODEL new\n"


def test_a_step_may_be_done_alone_and_only_once(tmp_path: Path) -> None:
    other = tmp_path / "two.om"
    path = scenario(
        tmp_path,
        rebuild_step(tmp_path),
        rebuild_step(tmp_path, "two"),
        Step("check", "verify", "check", ("two",), model=str(other)),
    )
    assert statuses(run(path, only="two")) == {
        "build": "pending",
        "two": "done",
        "check": "pending",
    }
    assert run(path, "fail", only="2").status == "done"
    assert not (tmp_path / "build.om").exists()


def test_a_check_of_a_plan_looks_at_what_stands_in_the_way_of_running(tmp_path: Path) -> None:
    """What only another rebuild would meet does not fail the check of a file that runs."""
    finding = Finding(
        "PF501",
        "operator-removed",
        "gone",
        Severity.ERROR,
        Consequence.REBUILD,
        Certainty.CERTAIN,
        "an operator is gone there",
    )
    old = stand_in.check(stand_in.read_model(__file__), stand_in.target("x"))
    step = Step("check", "verify", "check", model=str(tmp_path / "m.om"))
    for consequence, status in ((Consequence.REBUILD, "done"), (Consequence.LOAD, "failed")):
        found = replace(finding, consequence=consequence)
        bench = replace(stand_in.BENCH, check=lambda m, t, f=found: replace(old, findings=(f,)))
        path = scenario(tmp_path, step)
        assert apply_plan(path, ApplyOptions(yes=True), bench).status == status
        journal_path(path).unlink()
