"""`check`: files, folders, targets, waivers, and what becomes of files that cannot be read."""

from __future__ import annotations

import datetime
from pathlib import Path

import pytest

from preflight.checks.check import check, check_model, expand
from preflight.checks.context import Assumptions
from preflight.checks.waivers import load_waivers
from preflight.errors import ExitCode, UnreadableInput, UsageError
from preflight.findings import Severity, Status
from tests.checks.fixtures import FIXTURES, om, target

TODAY = datetime.date(2030, 6, 1)
TARGET = "8.1.RC1/Ascend910B3/linux-aarch64"


@pytest.fixture
def models(tmp_path: Path) -> Path:
    (tmp_path / "sub").mkdir()
    (tmp_path / "good.om").write_bytes(om())
    (tmp_path / "sub" / "bad.om").write_bytes(om()[:-20])
    (tmp_path / "notes.txt").write_text("no model")
    return tmp_path


def test_a_folder_stands_for_the_models_below_it(models):
    found = expand([models])
    assert [p.relative_to(models).as_posix() for p in found] == ["good.om", "sub/bad.om"]
    assert expand([models, models / "good.om"]) == found
    assert expand([models / "notes.txt"]) == [models / "notes.txt"]


def test_links_to_folders_are_not_followed(models):
    (models / "loop").symlink_to(models, target_is_directory=True)
    assert len(expand([models])) == 2


def test_an_empty_folder_is_an_error(tmp_path):
    with pytest.raises(UnreadableInput, match=r"no \.om file"):
        expand([tmp_path])


def test_every_file_is_checked_on_every_target(models):
    report = check([models], [TARGET, target()])
    assert len(report.inputs) == 2
    assert [(r.name, r.target_spec) for r in report.results] == [
        ("good.om", TARGET), ("good.om", target().name),
        ("bad.om", TARGET), ("bad.om", target().name),
    ]  # fmt: skip
    assert [r.verdicts.deploy.status for r in report.results[:2]] == [Status.OK] * 2
    assert report.exit_code(Severity.ERROR) is ExitCode.FINDINGS


def test_a_file_that_cannot_be_read_does_not_stop_the_others(models):
    report = check([models / "gone.om", models / "good.om"], [TARGET])
    broken, good = report.results
    assert broken.error is not None
    assert broken.error.message.startswith(str(models / "gone.om"))
    assert broken.verdicts.deploy.status is Status.UNKNOWN
    assert good.error is None
    assert report.exit_code(Severity.ERROR) is ExitCode.COULD_NOT_CHECK


def test_a_file_is_read_once_whatever_the_number_of_targets(models, monkeypatch):
    import preflight.model.file as reader

    calls = []
    real = reader.read_model
    monkeypatch.setattr(reader, "read_model", lambda *a, **k: calls.append(a) or real(*a, **k))
    check([models / "good.om"], [TARGET, target(), "9.1.0/Ascend910B3"])
    assert len(calls) == 1


def test_progress_is_told_before_each_file(models):
    seen = []
    check([models], [TARGET], progress=lambda done, total, path: seen.append((done, total)))
    assert seen == [(0, 2), (1, 2)]


@pytest.mark.parametrize(("paths", "targets"), [([], [TARGET]), (["x.om"], [])])
def test_a_check_needs_models_and_targets(paths, targets):
    with pytest.raises(UsageError):
        check(paths, targets)


def test_an_unknown_target_or_loader_is_a_usage_error(models):
    with pytest.raises(UsageError):
        check_model(om(), "8.1.RC9/Ascend910B3")
    with pytest.raises(UsageError):
        check_model(om(), target(), assumptions=Assumptions(loader="rt2"))


def test_a_model_may_come_as_path_bytes_or_read(models):
    from preflight.model.file import read_model

    path = models / "good.om"
    results = [
        check_model(what, target()).verdicts
        for what in (path, str(path), path.read_bytes(), read_model(path))
    ]
    assert results == [results[0]] * 4


def test_reports_say_what_was_read_and_where_facts_come_from(models):
    report = check([models / "good.om"], [TARGET])
    (summary,) = report.inputs
    assert (summary.kind, summary.size) == ("om", len(om()))
    assert len(summary.sha256) == 64
    facts = {fact.name: fact for fact in report.targets[0].facts}
    assert facts["opp_version"].value == "7.7.0.1.238"
    assert facts["opp_version"].source
    assert not facts["driver"].known


# --- waivers -----------------------------------------------------------------------------------


def waivers(tmp_path: Path, text: str):
    path = tmp_path / "waivers.toml"
    path.write_text(text, encoding="utf-8")
    return load_waivers(path)


def one(rule: str = "PF110", expires: str = "2030-06-01", **which: str) -> str:
    lines = [f'[[waiver]]\nrule = "{rule}"\nreason = "known"\nexpires = {expires}']
    return "\n".join([*lines, *(f'{key} = "{value}"' for key, value in which.items())])


def test_a_waived_error_is_listed_and_leaves_no_plain_ok(models, tmp_path):
    model = models / "good.om"
    model.write_bytes(FIXTURES["other_opp"]().model)
    where = FIXTURES["other_opp"]().target
    plain = check([model], [where]).results[0]
    assert plain.verdicts.deploy.decided_by == "PF403"
    accepted = waivers(tmp_path, one("PF403", model="good.om"))
    waived = check([model], [where], waivers=accepted, today=TODAY).results[0]
    assert [w.finding.rule for w in waived.waived] == ["PF403"]
    assert "PF403" not in {f.rule for f in waived.findings}
    deploy = waived.verdicts.deploy
    assert (deploy.status, deploy.decided_by) == (Status.OK_WITH_WARNINGS, "PF403")
    assert deploy.reason.startswith("waived: compiled with operator package")


def test_a_fingerprint_waives_one_finding_only(models, tmp_path):
    first = check([models / "sub" / "bad.om"], [TARGET]).results[0].findings[0]
    accepted = waivers(tmp_path, one(first.rule, fingerprint=first.fingerprint))
    result = check([models / "sub" / "bad.om"], [TARGET], waivers=accepted, today=TODAY)
    assert [w.finding for w in result.results[0].waived] == [first]
    other = waivers(tmp_path, one(first.rule, fingerprint="0" * 16))
    assert not check([models], [TARGET], waivers=other, today=TODAY).results[1].waived


def test_an_expired_waiver_counts_for_nothing_and_is_reported(models, tmp_path):
    accepted = waivers(tmp_path, one(expires="2030-05-31", model="*.om"))
    result = check([models / "sub" / "bad.om"], [TARGET], waivers=accepted, today=TODAY).results[0]
    assert not result.waived
    assert {"PF110", "PF901"} <= {f.rule for f in result.findings}
    assert result.verdicts.deploy.status is Status.BLOCKED
    message = next(f.message for f in result.findings if f.rule == "PF901")
    assert "PF110" in message and "2030-05-31" in message and "known" in message


def test_a_waiver_of_something_that_is_gone_is_silent(models, tmp_path):
    accepted = waivers(tmp_path, one(expires="2000-01-01", model="*.om"))
    result = check([models / "good.om"], [TARGET], waivers=accepted, today=TODAY).results[0]
    assert "PF901" not in {f.rule for f in result.findings}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[[waiver]]\nrule = 'PF110'\nreason = 'x'", "expires"),
        (one(), "neither a fingerprint nor a model"),
        (one(model="a.om", author="me"), "author"),
        (one(model="a.om").replace("known", " "), "gives no reason"),
        (one(model="a.om", expires='"soon"'), "expires"),
        ("waiver = 1", "waiver"),
        ("[[waiver", "waivers.toml"),
    ],
)
def test_what_is_wrong_with_a_waiver_file_is_named(tmp_path, text, said):
    with pytest.raises(UsageError) as caught:
        waivers(tmp_path, text)
    assert said in caught.value.message


def test_a_waiver_file_that_is_not_there(tmp_path):
    with pytest.raises(UsageError, match=r"gone\.toml: cannot be read: No such file"):
        load_waivers(tmp_path / "gone.toml")
