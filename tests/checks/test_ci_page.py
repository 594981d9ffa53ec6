"""What docs/ci.md shows works as shown: the waiver file, the rule file, and the link list."""

from __future__ import annotations

import datetime
import re
from pathlib import Path

import pytest

from preflight.checks.check import check
from preflight.checks.loader import load_rules
from preflight.checks.waivers import load_waivers
from preflight.data import samples_dir
from preflight.findings import Severity, Status
from preflight.render.text import render_text

DOCS = Path(__file__).resolve().parent.parent.parent / "docs"
PAGE = (DOCS / "ci.md").read_text(encoding="utf-8")
WAIVERS, RULE = re.findall(r"```toml\n(.*?)```", PAGE, re.S)
TARGET = "8.1.RC1/Ascend910B3/linux-aarch64"


def test_the_waiver_counts_until_its_day_and_never_makes_a_plain_ok(tmp_path: Path) -> None:
    (tmp_path / "waivers.toml").write_text(WAIVERS, encoding="utf-8")
    waivers = load_waivers(tmp_path / "waivers.toml")
    model = samples_dir() / "soc_910B.om"
    last = datetime.date(2027, 3, 31)
    report = check([model], [TARGET], waivers=waivers, today=last)
    deploy = report.results[0].verdicts.deploy
    assert report.exit_code(Severity.ERROR) == 0
    assert (deploy.status, deploy.decided_by) == (Status.OK_WITH_WARNINGS, "PF301")
    assert deploy.reason.startswith("waived: compiled for Ascend910B")
    first = render_text(report).splitlines()[0]
    assert "counts as fit" in first
    assert "because PF301 is waived" in first
    after = check([model], [TARGET], waivers=waivers, today=last + datetime.timedelta(1))
    assert after.exit_code(Severity.ERROR) == 1
    assert {"PF301", "PF901"} <= {f.rule for f in after.results[0].findings}


def test_the_rule_is_valid_and_fires(tmp_path: Path) -> None:
    name = re.search(r"# acme/(\S+)", RULE)
    assert name is not None
    (tmp_path / name[1]).write_text(RULE, encoding="utf-8")
    rules = load_rules([tmp_path], use_cache=False)
    report = check([samples_dir() / "old_header_310.om"], [TARGET], rules=rules)
    finding = next(f for f in report.results[0].findings if f.rule == "ACME701")
    assert finding.message == "old_header_310.om has no atc_cmdline"
    assert report.exit_code(Severity.ERROR) == 1


@pytest.mark.parametrize("page", sorted(DOCS.glob("*.md")), ids=lambda page: page.name)
def test_links_lead_somewhere_and_every_page_is_listed(page: Path) -> None:
    for link in re.findall(r"\]\(([^)#]+)\)", page.read_text(encoding="utf-8")):
        assert "://" in link or (page.parent / link).exists(), link
    assert page.name == "README.md" or f"({page.name})" in (DOCS / "README.md").read_text()
