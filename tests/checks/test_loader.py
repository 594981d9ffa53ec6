"""Rule files: strict, all problems at once, users' own folders, and the cache behind them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from preflight.checks import rulecache
from preflight.checks.check import check_model
from preflight.checks.loader import load_rules, parse_folder
from preflight.checks.rulefile import Rule
from preflight.data import rules_dir
from preflight.errors import DataError
from tests.checks.fixtures import om, target

GOOD = """
id          = "ACME001"
name        = "our-policy"
title       = "Our models name their SoC"
severity    = "warning"
consequence = "policy"
status      = "stable"
since       = "1.0"

[applies]
container = ["om"]
needs     = ["model.soc_version", "target.behaviour"]

[check]
predicate = "device.soc_not_recorded"

[message]
summary = "{model} on {target}: no {missing}"

[explain]
what = "Every model of ours says what it was compiled for."
why  = "So that nobody has to guess when devices change."
references = ["our handbook"]

[[remedies]]
kind    = "rebuild"
summary = "Compile it again"
"""


def folder(tmp_path: Path, **changes: str) -> Path:
    text = GOOD
    for old, new in changes.items():
        text = text.replace(old, new)
    return put(tmp_path, text)


def put(tmp_path: Path, text: str, name: str = "ACME001-our-policy.toml") -> Path:
    tmp_path.mkdir(exist_ok=True)
    (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


def problems(tmp_path: Path, text: str, name: str = "ACME001-our-policy.toml") -> str:
    with pytest.raises(DataError) as caught:
        parse_folder(put(tmp_path, text, name), ours=False)
    return caught.value.message


def test_a_users_rule_is_loaded_beside_ours_and_runs(tmp_path):
    rules = load_rules([folder(tmp_path)], use_cache=False)
    assert rules.get("acme001").title == "Our models name their SoC"
    from tests.checks import fixtures

    model = fixtures.with_attributes(arch_type=None)
    found = check_model(model, target(), rules=rules).findings
    message = next(f.message for f in found if f.rule == "ACME001")
    assert message == "<bytes> on test/Ascend910B3/linux-aarch64: no arch_type"
    assert "ACME001" not in {f.rule for f in check_model(om(), target(), rules=rules).findings}


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('since       = "1.0"', 'since = "1.0"\nauthor = "me"', "unknown field `author`"),
        ('needs     = ["model.soc_version"', 'needs = ["model.soc"', "unknown fact 'model.soc'"),
        ('container = ["om"]', 'container = ["onnx"]', "applies.container: unknown 'onnx'"),
        ('container = ["om"]', 'loader = ["rt2"]', "applies.loader: unknown 'rt2'"),
        ('container = ["om"]', 'origin = ["cloud"]', "applies.origin: unknown 'cloud'"),
        ('container = ["om"]', "behaviour = { soc = 1 }", "a release behaviour has no 'soc'"),
        ("device.soc_not_recorded", "device.soc_gone", "there is no predicate 'device.soc_gone'"),
        ("device.soc_not_recorded", "weather.rain", "there is no predicate 'weather.rain'"),
        ("{missing}", "{lacking}", "the evidence has no field 'lacking'"),
        ("{missing}", "{missing.x}", "not a plain placeholder"),
        ("{missing}", "{missing!r}", "not a plain placeholder"),
        ("{missing}", "{missing", "not a message text"),
        ('kind    = "rebuild"', 'kind = "pray"', "no plan step has the kind 'pray'"),
        ('summary = "Compile it again"', 'summary = "{wrong}"', "no field 'wrong'"),
        ('summary = "Compile it again"', 'summary = "x"\nrisk = "huge"', "risk 'huge'"),
        ('status      = "stable"', 'status = "deprecated"', "names its replacement"),
        ('references = ["our handbook"]', "references = []", "at least one source"),
        ('severity    = "warning"', 'severity = "fatal"', "Invalid enum value 'fatal'"),
        ('id          = "ACME001"', 'id = "ACME002"', "is called ACME002-our-policy.toml"),
        (
            'id          = "ACME001"',
            'id = "PF001"',
            "belongs to the rules that come with preflight",
        ),
        ('id          = "ACME001"', 'id = "acme1"', "not a prefix of capitals and three digits"),
        ("[message]", "[reported_as]\nsignatures = ['(a']\n[message]", "does not compile"),
        ("[message]", "[reported_as]\nsignatures = ['(a+)+']\n[message]", "repeats inside"),
        ("[message]", "[check.params]\nextra = 1\n[message]", "unknown parameter 'extra'"),
        ("[message]", "[message", "Expected ']'"),
        (
            "[message]",
            '[loader]\nstep="x"\nstatus=1\nstatus_name="y"\nmessage_codes=["{behaviour.nothing}"]\n[message]',
            "a release behaviour has no 'nothing'",
        ),
    ],
)
def test_what_is_wrong_with_a_rule_file_is_named(tmp_path, old, new, said):
    assert old in GOOD
    message = problems(tmp_path, GOOD.replace(old, new))
    assert said in message
    assert "ACME001-our-policy.toml" in message


def test_parameters_have_types(tmp_path):
    text = GOOD.replace("device.soc_not_recorded", "table.partition_count")
    text = text.replace("[message]", "[check.params]\ntable = 3\n[message]")
    assert "Expected `str`, got `int`" in problems(tmp_path, text)
    missing = GOOD.replace("device.soc_not_recorded", "table.partition_count")
    assert "missing required field `table`" in problems(tmp_path, missing)


def test_every_problem_of_the_whole_set_is_reported_together(tmp_path):
    put(tmp_path, GOOD)
    put(tmp_path, GOOD.replace("{missing}", "{x}{y}"), "ACME003-our-policy.toml")
    put(tmp_path, "not toml at all", "ACME004-broken.toml")
    with pytest.raises(DataError) as caught:
        parse_folder(tmp_path, ours=False)
    group = caught.value.__cause__
    assert isinstance(group, ExceptionGroup)
    assert all(isinstance(error, DataError) for error in group.exceptions)
    text = caught.value.message
    for part in (
        "'x'",
        "'y'",
        "ACME004-broken.toml",
        "two rules have the id 'ACME001'",
        "is called",
    ):
        assert part in text
    assert text.startswith(f"{len(group.exceptions)} problem")


def test_an_id_may_not_come_from_two_folders(tmp_path):
    first, second = folder(tmp_path / "a"), folder(tmp_path / "b")
    with pytest.raises(DataError, match="two rules have the id 'ACME001'"):
        load_rules([first, second], use_cache=False)


def test_a_folder_that_does_not_exist_is_an_error(tmp_path):
    with pytest.raises(DataError, match="does not exist"):
        load_rules([tmp_path / "nowhere"])


def test_an_unknown_id_names_near_ones():
    with pytest.raises(DataError) as caught:
        load_rules().get("PF31")
    assert "PF301" in caught.value.hint


# --- the cache ---------------------------------------------------------------------------------


@pytest.fixture
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache" / "om-preflight"


def cached_file(cache: Path) -> Path:
    (found,) = cache.iterdir()
    return found


def test_what_comes_from_the_cache_is_what_was_parsed(cache, tmp_path):
    parsed = load_rules()
    assert cached_file(cache).suffix == ".msgpack"
    assert load_rules() == parsed == load_rules(use_cache=False)
    assert isinstance(parsed.rules[0], Rule)


def test_the_cache_is_used(cache, tmp_path, monkeypatch):
    load_rules()
    monkeypatch.setattr("preflight.checks.loader.parse_folder", None)
    assert load_rules().rules


def test_a_changed_rule_is_read_again(cache, tmp_path):
    rules = folder(tmp_path / "rules")
    assert load_rules([rules]).get("ACME001").severity == "warning"
    path = rules / "ACME001-our-policy.toml"
    path.write_text(GOOD.replace('"warning"', '"note"'), encoding="utf-8")
    os.utime(path, ns=(1, 1))
    assert load_rules([rules]).get("ACME001").severity == "note"


@pytest.mark.parametrize("damage", [b"", b"x", "flip", "cut"])
def test_a_damaged_cache_is_ignored(cache, tmp_path, damage):
    parsed = load_rules()
    path = cached_file(cache)
    content = bytearray(path.read_bytes())
    if damage == "flip":
        content[len(content) // 2] ^= 1
    elif damage == "cut":
        del content[-10:]
    else:
        content = bytearray(damage)
    path.write_bytes(content)
    assert load_rules() == parsed


def test_a_cache_of_another_shape_is_ignored(cache):
    import msgspec

    stamp = rulecache.stamp(rules_dir())
    load_rules()
    payload = msgspec.msgpack.encode([{"id": "PF999"}])
    import hashlib

    digest = hashlib.sha256(stamp + payload).digest()
    cached_file(cache).write_bytes(digest + stamp + payload)
    assert rulecache.read(rules_dir(), stamp) is None


def test_a_cache_that_cannot_be_written_is_not_missed(tmp_path, monkeypatch):
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    monkeypatch.setenv("XDG_CACHE_HOME", str(blocked))
    assert load_rules().rules
    assert blocked.read_text() == "not a folder"


def test_no_half_written_file_stays(cache):
    load_rules()
    assert [path.suffix for path in cache.iterdir()] == [".msgpack"]


def test_predicates_of_other_distributions_are_found_by_their_entry_point(tmp_path, monkeypatch):
    from importlib import metadata

    module = tmp_path / "acme_predicates.py"
    module.write_text(
        "from msgspec import Struct\n"
        "from preflight.checks.predicate import Hit, predicate\n"
        "from preflight.findings import Evidence\n"
        "class Big(Struct, frozen=True):\n    missing: int\n"
        "@predicate('acme.big', evidence=Big)\n"
        "def big(context, _):\n"
        "    yield Hit(Big(context.model.container.size), (Evidence('size', 'small', 'big'),))\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    entry = metadata.EntryPoint("acme", "acme_predicates", "preflight.predicates")
    monkeypatch.setattr(metadata, "entry_points", lambda group: [entry] * (group == entry.group))
    text = GOOD.replace("device.soc_not_recorded", "acme.big")
    rules = load_rules([put(tmp_path / "rules", text)], use_cache=False)
    message = next(
        f.message for f in check_model(om(), target(), rules=rules).findings if f.rule == "ACME001"
    )
    assert message.endswith(f"no {len(om())}")
