"""What an installer requires of other packages: the prefix and the range kind of comparison."""

from __future__ import annotations

import pytest

from preflight.explain.logs import explain_text


@pytest.mark.parametrize(
    ("line", "comparison", "result"),
    [
        (
            'required_package_opp_version="7.7" does not match installed opp version 8.0.0.1.12',
            "prefix",
            "8.0.0.1.12 does not fit 7.7",
        ),
        (
            'required_package_opp_version="7.7" but installed is 8.0',
            "prefix",
            "8.0 does not fit 7.7",
        ),
        (
            'required_package_runtime_version=">=7.6, <=8.2" but installed version is 8.3.0.1',
            "range by components",
            "8.3.0.1 does not fit >=7.6, <=8.2",
        ),
        (
            'required_package_opp_version="7.7" but installed is 7.7.0.1.238',
            "prefix",
            "7.7.0.1.238 fits 7.7",
        ),
    ],
)
def test_requirement_of_an_installer(line: str, comparison: str, result: str) -> None:
    (cause, *_) = explain_text(line).causes
    assert cause.fault.category == "mixed_toolkit_paths"
    assert cause.conflict is not None
    assert (cause.conflict.comparison, cause.conflict.result) == (comparison, result)


def test_requirement_names_the_public_release() -> None:
    (cause, *_) = explain_text('required_package_opp_version="7.7" but installed is 8.0').causes
    assert cause.conflict is not None
    assert "8.1.RC1" in cause.conflict.sides[0].public
