"""Reading and writing registries: tolerant where the protocol's reader is, never losing a release."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from preflight.errors import MalformedInput, UsageError
from preflight.findings import Severity
from preflight.registry.defaults import DefaultFault, parse_default
from preflight.registry.jsontext import first_value
from preflight.registry.protocol import load_chain, load_index, load_operator, load_release
from preflight.registry.prototype import AttributeSpec, Port, Prototype, SubgraphSpec, to_protocol
from preflight.registry.records import RegistryFault
from preflight.registry.validate import validate_package
from preflight.registry.writing import render_json, write_release
from tests.registry.builders import attr, op, registry, write_json

names = st.text("abcXYZ_0", min_size=1, max_size=6)
ports = st.builds(Port, names, st.sampled_from(["INPUT", "OPTIONAL_INPUT", "DYNAMIC_INPUT"]), names)
outputs = st.builds(Port, names, st.sampled_from(["OUTPUT", "DYNAMIC_OUTPUT"]), st.just(""))
attributes = st.builds(
    AttributeSpec, names, st.just("Int"), st.booleans(), st.none() | st.just("1")
)
prototypes = st.builds(
    Prototype,
    names,
    st.lists(ports, max_size=3).map(tuple),
    st.lists(outputs, max_size=3).map(tuple),
    st.lists(
        st.builds(SubgraphSpec, names, st.sampled_from(["STATIC", "DYNAMIC"])), max_size=2
    ).map(tuple),
    st.lists(attributes, max_size=3).map(tuple),
    st.lists(st.tuples(names, names), max_size=2, unique_by=lambda p: p[0]).map(tuple),
)


@given(st.lists(prototypes, max_size=4, unique_by=lambda p: p.op_type))
def test_what_is_written_is_read_back(
    tmp_path_factory: pytest.TempPathFactory, made: list[Prototype]
) -> None:
    folder = tmp_path_factory.mktemp("package")
    operators = {p.op_type: p for p in made}
    write_release(folder, "1.0", "2025-01-01", operators)
    file = load_release(folder, "1.0")
    assert dict(file.operators) == operators
    assert not file.skipped
    for prototype in made:
        assert load_operator(folder, "1.0", prototype.op_type) == prototype


def test_both_decoders_agree_and_the_tolerant_one_reports(tmp_path: Path) -> None:
    good = to_protocol(op("Good", attrs=(attr("a"),)))
    path = tmp_path / "registry" / "1.0" / "operators.json"
    write_json(path, {"operators": [good]})
    clean = load_release(tmp_path, "1.0")
    bad = {"op_type": "Bad", "inputs": [{"name": "x", "type": "OUTPUT"}]}
    twin = to_protocol(op("Twin"))
    write_json(path, {"operators": [good, bad, 5, twin, twin], "more": 1})
    tolerant = load_release(tmp_path, "1.0")
    assert tolerant.operators == clean.operators
    assert [s.reason for s in tolerant.skipped] == [
        "Bad.inputs.x has type 'OUTPUT', known are INPUT, OPTIONAL_INPUT, DYNAMIC_INPUT",
        "operator is not an object",
        "operator 'Twin' appears twice",
    ]


def test_a_release_is_never_overwritten_and_nothing_is_touched(tmp_path: Path) -> None:
    registry(tmp_path, ("1.0", "2025-01-01", (op(),)))
    before = {p: p.read_bytes() for p in tmp_path.rglob("*.json")}
    with pytest.raises(UsageError, match="already there"):
        write_release(tmp_path, "1.0", "2025-02-01", {"Other": op("Other")})
    assert {p: p.read_bytes() for p in tmp_path.rglob("*.json")} == before


@pytest.mark.parametrize("text", ["", "{", "[]", '{"version": 1}', '{"releases": []}'])
def test_an_index_that_cannot_be_read_is_not_replaced_over_existing_releases(
    tmp_path: Path, text: str
) -> None:
    registry(tmp_path, ("1.0", "2025-01-01", (op(),)))
    index = tmp_path / "index.json"
    index.write_text(text)
    with pytest.raises(MalformedInput, match=r"index\.json"):
        write_release(tmp_path, "2.0", "2025-02-01", {})
    assert index.read_text() == text


def test_a_lock_left_by_another_writer_stops_us(tmp_path: Path) -> None:
    (tmp_path / ".index.lock").touch()
    with pytest.raises(UsageError, match="another program"):
        write_release(tmp_path, "1.0", "2025-01-01", {})
    assert not (tmp_path / "index.json").exists()


@pytest.mark.parametrize("version", ["2", "2.0.0", "10.1"])
def test_a_newer_index_is_refused_with_the_way_to_upgrade(tmp_path: Path, version: str) -> None:
    write_json(tmp_path / "index.json", {"version": version, "releases": []})
    with pytest.raises(RegistryFault) as caught:
        load_index(tmp_path)
    assert "upgrade" in caught.value.hint
    with pytest.raises(RegistryFault):
        write_release(tmp_path, "1.0", "2025-01-01", {})


@pytest.mark.parametrize("version", ["", "1", "1.9.9", "any"])
def test_other_index_versions_are_not_interpreted(tmp_path: Path, version: str) -> None:
    write_json(tmp_path / "index.json", {"version": version, "releases": []})
    assert not load_index(tmp_path).rejected


def test_index_entries_are_left_out_one_by_one(tmp_path: Path) -> None:
    registry(tmp_path, ("1.0", "2025-01-01", ()), ("2.0", "2025-02-01", ()))
    index = json.loads((tmp_path / "index.json").read_text())
    index["releases"] += [7, {"release_version": "3.0", "release_date": "2025-03-01"}]
    index["releases"] += [index["releases"][0]]
    write_json(tmp_path / "index.json", index)
    reading = load_index(tmp_path)
    assert [r.version for r in reading.releases] == ["1.0", "2.0"]
    assert reading.skipped[0].reason == "entry is not an object"
    assert len(reading.skipped) == 3


@pytest.mark.parametrize("release", ["..", "a/b", "", ".", "a\\b"])
def test_a_release_name_cannot_leave_the_package(tmp_path: Path, release: str) -> None:
    with pytest.raises(RegistryFault):
        load_operator(tmp_path, release, "Foo")


def test_chain_skips_releases_without_the_operator(tmp_path: Path) -> None:
    registry(
        tmp_path,
        ("1.0", "2024-01-01", (op(),)),
        ("2.0", "2024-06-01", ()),
        ("3.0", "2024-12-31", (op(),)),
    )
    chain = load_chain(tmp_path, "Foo", "3.0")
    assert chain.window == ("1.0", "2.0", "3.0")
    assert [release for release, _ in chain.found] == ["1.0", "3.0"]
    assert [s.where for s in chain.skipped] == ["2.0"]
    assert load_chain(tmp_path, "Foo", "3.0", days=364).window == ("2.0", "3.0")


@pytest.mark.parametrize(
    "data",
    [b"NaN", b"[1e999]", b'"\\ud800"', b"{", b"", b"'a'", b"\xff", b"[" * 200_000],
)
def test_what_is_not_json_for_the_protocol(data: bytes) -> None:
    with pytest.raises(MalformedInput):
        first_value(data, "x")


@pytest.mark.parametrize(
    "data", [b"\xef\xbb\xbf{}", b"{} {", b"\n {}\0", b"{}\xff\xfe", b'{"a":1,"a":{}}']
)
def test_what_the_protocol_reads_as_one_value(data: bytes) -> None:
    assert isinstance(first_value(data, "x"), dict)


@pytest.mark.parametrize(
    ("kind", "text", "value"),
    [
        ("Int", "1.5", 1),
        ("Int", "18446744073709551615", -1),
        ("Float", "1", 1.0),
        ("ListListInt", "[[1],[]]", [[1], []]),
        ("Type", '"DT_FLOAT"', "DT_FLOAT"),
        ("Tensor", '"Tensor()"', "Tensor()"),
    ],
)
def test_defaults_are_read_by_type(kind: str, text: str, value: object) -> None:
    assert parse_default(kind, text) == value


@pytest.mark.parametrize(
    ("kind", "text", "reason"),
    [
        ("Int", "true", "type_mismatch"),
        ("Bool", "0", "type_mismatch"),
        ("String", "abc", "not_json"),
        ("Tensor", '"x"', "tensor_literal"),
        ("Bytes", '"a"', "unsupported_type"),
        ("Int", "", "missing"),
    ],
)
def test_defaults_of_another_type_are_faults(kind: str, text: str, reason: str) -> None:
    with pytest.raises(DefaultFault) as caught:
        parse_default(kind, text)
    assert caught.value.reason == reason


def test_validation_is_stricter_than_reading(tmp_path: Path) -> None:
    odd = op(
        attrs=(
            attr("n", "Int", '"x"'),
            attr("n", "Float", "1.0"),
            AttributeSpec("o", "Int", False),
        ),
        inputs=(Port("x", "INPUT", "TensorType({DT_FLOAT33})"),),
    )
    registry(tmp_path, ("1.0", "2025-01-01", (odd,)))
    index = json.loads((tmp_path / "index.json").read_text())
    index["releases"][0]["release_date"] = "2025-02-31"
    (tmp_path / "index.json").write_text(render_json(index))
    problems = validate_package(tmp_path)
    errors = [p.message for p in problems if p.severity is Severity.ERROR]
    assert errors == [
        "release 1.0: 2025-02-31 does not exist in the calendar",
        "attribute 'n' appears 2 times",
        "attribute 'n' (Int): 'x' is no Int",
    ]
    warnings = [p.message for p in problems if p.severity is Severity.WARNING]
    assert warnings == [
        "attribute 'o' is optional and has no default",
        "input 'x' takes unknown data type DT_FLOAT33",
    ]


def test_operators_that_no_consumer_reads_are_left_out_and_named(tmp_path: Path) -> None:
    lost = op("Lost", attrs=(attr("b", "Bytes", "1"),))
    written = write_release(tmp_path, "1.0", "2025-01-01", {"Foo": op(), "Lost": lost})
    assert written.operators == 1
    assert [s.where for s in written.skipped] == ["operator 'Lost'"]
