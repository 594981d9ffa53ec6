"""Drivers and releases."""

from __future__ import annotations

import pytest

from preflight.errors import UsageError
from preflight.findings import Certainty
from preflight.target.fit import drivers, fit_cann, fit_driver, lines_fit
from preflight.target.names import find_release
from preflight.versions import CannVersion


def test_a_driver_names_its_releases_with_source_and_certainty() -> None:
    report = fit_driver("24.1.rc2")
    assert {"8.0.RC3", "8.0.0", "8.1.RC1", "8.3.RC2"} <= {f.cann for f in report.good}
    assert "9.0.0" in {f.cann for f in report.bad}
    assert all(f.source and f.why for f in report.fits)
    stated = [f for f in report.good if f.certainty is Certainty.LIKELY]
    assert [f.cann for f in stated] == ["8.0.RC3"]
    assert fit_driver("24.1.rc2.2").good == report.good


def test_a_release_names_its_drivers() -> None:
    report = fit_cann("9.0.0")
    assert {"25.2.2", "25.3.rc1"} == {f.driver for f in report.good}
    assert {"24.1.rc2", "24.1.rc3", "24.1.0"} == {f.driver for f in report.bad}
    assert fit_cann("9.1.0").bad == ()  # its list was never seen


def test_what_nobody_wrote_down_is_empty() -> None:
    assert fit_driver("19.0").fits == ()
    assert fit_cann("6.3.RC1").fits == ()
    assert "8.1.RC1" in fit_cann("6.3.RC1").known


def test_wrong_names() -> None:
    with pytest.raises(UsageError, match="not a driver version"):
        fit_driver("newest")
    with pytest.raises(UsageError, match="no CANN release"):
        fit_cann("8.9")


def test_lines_decide_only_when_the_newer_side_has_a_list() -> None:
    assert lines_fit("C21", ("C19",), "C19", ()) is True
    assert lines_fit("C21", ("C19",), "C23", ("C21",)) is True
    assert lines_fit("C10", ("C21",), "C19", ("C18",)) is False
    assert lines_fit("C10", ("C21",), "C19", ()) is False  # C19 is older than C10 (9.0)
    assert lines_fit("C15", ("C13",), "C20", ()) is None
    assert lines_fit("C25", (), "C19", ("C18",)) is None
    assert lines_fit("", (), "", ()) is None


def test_the_file_names_known_things() -> None:
    data = drivers()
    for entry in data.toolkit:
        assert find_release(entry.cann)[0].public == entry.cann
    for text in (
        *(d.version for d in data.driver),
        *(p.driver for p in data.pair),
        *(f.min_driver for f in data.feature),
    ):
        CannVersion(text)
    for feature in data.feature:
        assert feature.source
        if feature.min_cann:
            CannVersion(feature.min_cann)
