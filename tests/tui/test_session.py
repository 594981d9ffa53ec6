"""The session behind the screens: what counts as saved, what a saved plan says, names of models."""

from __future__ import annotations

from pathlib import Path

import pytest

from preflight import api
from preflight.errors import UsageError
from preflight.findings import Severity
from preflight.plan.files import read_plan
from preflight.tui.session import Session, group_findings, placed
from tests.tui import example
from tests.tui.driving import TARGET, copied


def with_plan(folder: Path) -> Session:
    """A session with the best way taken for a model that does not run."""
    session = Session()
    paths = session.add_models(copied(folder, "soc_910B.om"))
    session.set_target(TARGET, api.load_target(TARGET))
    assert session.target is not None
    ways = api.solve([api.read_model(paths[0])], session.target)
    session.take(paths, ways, ways.best)
    return session


def test_an_edit_makes_a_saved_plan_unsaved_and_undo_brings_it_back(tmp_path: Path) -> None:
    session = with_plan(tmp_path)
    assert session.unsaved
    session.save(str(tmp_path / "p.toml"))
    assert not session.unsaved
    saved = session.plan
    assert saved is not None
    session.change(api.remove_plan_step(saved, saved.steps[0].id))
    assert session.unsaved
    assert session.undo()
    assert session.plan == saved
    assert not session.unsaved
    assert not session.undo()


def test_a_plan_saved_right_after_an_edit_says_what_the_edit_leads_to(tmp_path: Path) -> None:
    session = with_plan(tmp_path)
    plan = session.plan
    assert plan is not None
    assert plan.path.predicted == "ok"
    session.change(api.remove_plan_step(plan, "rebuild-1"))
    session.save(str(tmp_path / "p.toml"))
    assert read_plan(tmp_path / "p.toml").path.predicted == "blocked"
    assert not session.unsaved


def test_a_plan_that_cannot_be_judged_is_saved_as_unknown(tmp_path: Path) -> None:
    session = with_plan(tmp_path)
    plan = session.plan
    assert plan is not None
    session.resume(api.remove_plan_step(plan, "rebuild-1"))
    (tmp_path / "soc_910B.om").unlink()
    session.save(str(tmp_path / "p.toml"))
    assert read_plan(tmp_path / "p.toml").path.predicted == "unknown"


def test_a_late_prediction_does_not_bring_an_old_plan_back(tmp_path: Path) -> None:
    session = with_plan(tmp_path)
    old = session.plan
    assert old is not None
    late = api.judge(session.simulation_of(old), old)
    session.change(api.remove_plan_step(old, "rebuild-1"))
    assert not session.predict(old, late)
    assert session.plan is not None
    assert len(session.plan.steps) == len(old.steps) - 1


def test_a_plan_that_is_given_up_is_nothing_to_lose(tmp_path: Path) -> None:
    session = with_plan(tmp_path)
    session.give_up()
    assert not session.unsaved
    session.drop_plan()
    with pytest.raises(UsageError, match="no plan"):
        session.save(str(tmp_path / "p.toml"))


def test_models_are_named_below_the_folder_that_they_share(tmp_path: Path) -> None:
    session = Session()
    session.add_models(copied(tmp_path / "a", "bare.om") + copied(tmp_path / "b", "bare.om"))
    assert [row.name for row in session.rows.values()] == ["a/bare.om", "b/bare.om"]
    assert session.add_models([tmp_path / "a"]) == []


def test_a_verdict_counts_once_however_often_it_comes() -> None:
    session = example.session()
    before = dict(session.tally)
    row = session.rows["detector.om"]
    assert row.report is not None
    session.record("detector.om", row.report)
    assert dict(session.tally) == before
    assert row.counts == {Severity.ERROR: 1, Severity.WARNING: 0, Severity.NOTE: 1}


def test_groups_are_worst_first_and_undecided_last() -> None:
    groups = group_findings(example.session().reports())
    assert [(g.rule, len(g.items)) for g in groups] == [("PF301", 1), ("PF215", 2), ("PF505", 1)]
    assert groups[-1].severity is None


def test_target_files_are_named_by_their_full_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "cann").mkdir()
    (tmp_path / "host.toml").write_text("")
    assert placed("host.toml") == str(tmp_path / "host.toml")
    assert placed("cann@Ascend910B3") == f"{tmp_path / 'cann'}@Ascend910B3"
    assert placed(TARGET) == TARGET
    assert placed("installed") == "installed"
