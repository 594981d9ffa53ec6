"""`preflight inspect`: for people, for programs, and what is kept private."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

import preflight.render
from preflight.cli import diagnostics
from preflight.cli.app import app
from preflight.container.partitions import MODEL_DEF
from preflight.container.writer import write_om, write_om2
from preflight.model.file import read_model
from preflight.model.manifest import Attribute
from preflight.model.writer import GraphSpec, TensorSpec, build_model_definition
from preflight.render.inspect_json import MAX_HEX, plain, render_inspect_json
from preflight.render.inspect_text import PARTS, render_inspect_text

SAMPLES = Path(__file__).resolve().parent.parent.parent / "samples"
SCHEMA = json.loads(
    (Path(preflight.render.__file__).parent / "schemas" / "inspect.schema.json").read_text()
)
FILES = sorted(p for p in SAMPLES.iterdir() if p.suffix in (".om", ".air", ".txt"))


def run(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], *arguments: str | Path
) -> tuple[int, str, str]:
    monkeypatch.setattr("sys.argv", ["preflight", "inspect", *map(str, arguments)])
    code = diagnostics.run(app)
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def made(attributes: dict[str, object]) -> dict[str, Any]:
    data = write_om([[(MODEL_DEF, build_model_definition([GraphSpec("g")], attributes))]])
    value: dict[str, Any] = json.loads(render_inspect_json([read_model(data)]))
    jsonschema.validate(value, SCHEMA)
    return value


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.name)
def test_every_sample_fits_the_schema_and_can_be_shown(path: Path) -> None:
    model = read_model(path)
    jsonschema.validate(json.loads(render_inspect_json([model])), SCHEMA)
    text = render_inspect_text([model])
    assert text.splitlines()[0].startswith(str(path))
    assert text.splitlines()[-1].startswith("next: ")
    assert render_inspect_text([model], PARTS)


def test_schema_refuses_a_document_without_its_names() -> None:
    document = json.loads(render_inspect_json([read_model(FILES[0])]))
    del document["container"]["kind"]
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(document, SCHEMA)


def test_names_that_programs_rely_on(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, _ = run(monkeypatch, capsys, SAMPLES / "resnet_static_310P3.om", "--json")
    document = json.loads(out)
    assert code == 0
    assert document["container"]["kind"] == "om"
    header = document["container"]["header"]
    assert header["version"] == 0x20000000
    assert header["name"] == "resnet50"
    assert header["model_length"] == (SAMPLES / "resnet_static_310P3.om").stat().st_size - 256
    parts = document["container"]["blocks"][0]["partitions"]
    first = {"id": 8, "name": "MODEL_INOUT_INFO", "offset": 256 + 8 + 5 * 24}
    assert {k: parts[0][k] for k in first} == first
    assert parts[1]["offset"] == parts[0]["offset"] + parts[0]["size"]
    assert document["manifest"]["attributes"]["soc_version"] == "Ascend310P3"
    assert {"type": "Conv2D", "count": 1, "first": "resnet_0/Conv_0Relu_1"} in document["manifest"][
        "operators"
    ]
    assert document["nested"] == []


def test_several_files_give_one_document(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, _ = run(monkeypatch, capsys, SAMPLES / "bundle.om", SAMPLES / "flow.om", "--json")
    document = json.loads(out)
    jsonschema.validate(document, SCHEMA)
    assert code == 0
    kinds = [r["container"]["kind"] for r in document["results"]]
    assert kinds == ["bundle", "flow"]
    assert [len(r["nested"]) for r in document["results"]] == [2, 1]


@pytest.mark.parametrize(
    ("option", "shown", "hidden"),
    [
        ("--header", "need_check_os_cpu_info", "Conv2D"),
        ("--partitions", "WEIGHTS_DATA", "Conv2D"),
        ("--ops", "Conv2D", "WEIGHTS_DATA"),
        ("--io", "actual_input_1: FLOAT NCHW 1x3x224x224", "WEIGHTS_DATA"),
        ("--attrs", "opp_version (s) = 7.7.0.1.238", "WEIGHTS_DATA"),
        ("--kernels", "te_conv2d_1__kernel0", "WEIGHTS_DATA"),
    ],
)
def test_one_part_can_be_shown_alone(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    option: str,
    shown: str,
    hidden: str,
) -> None:
    code, out, _ = run(monkeypatch, capsys, SAMPLES / "resnet_static_310P3.om", option)
    assert code == 0
    assert shown in out
    assert hidden not in out


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("lfs_pointer.om", "is no model: Git LFS pointer"),
        ("truncated.om", "is damaged"),
        ("nowhere.om", "cannot be opened"),
    ],
)
def test_what_is_no_whole_model_gives_one_message_and_exit_code_3(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], name: str, message: str
) -> None:
    code, _, err = run(monkeypatch, capsys, SAMPLES / name)
    assert code == 3
    assert err.count("error:") == 1
    assert message in err
    assert "hint:" in err


def test_one_bad_file_does_not_hide_the_others(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, err = run(monkeypatch, capsys, SAMPLES / "nowhere.om", SAMPLES / "flow.om", "--json")
    assert code == 3
    assert "nowhere.om" in err
    assert json.loads(out)["container"]["kind"] == "flow"


def test_a_model_that_the_loader_refuses_is_still_shown(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, _ = run(monkeypatch, capsys, SAMPLES / "bad_expression.om")
    assert code == 0
    assert "def.attr_unknown_case" in out


def test_user_names_are_masked_in_json_and_not_on_the_terminal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file = SAMPLES / "resnet_static_310P3.om"
    document = json.loads(run(monkeypatch, capsys, file, "--json")[1])
    assert "builder" not in json.dumps(document["manifest"])
    assert "--model=/home/user/models" in document["manifest"]["attributes"]["atc_cmdline"]
    assert document["manifest"]["atc_command"]["text"].count("/home/user/") == 1
    assert "/home/builder/" in run(monkeypatch, capsys, file, "--json", "--no-mask")[1]
    assert "/home/builder/" in run(monkeypatch, capsys, file)[1]


def test_values_that_json_lacks_become_objects() -> None:
    document = made(
        {
            "bytes": b"\0\xff",
            "long": b"x" * (MAX_HEX + 1),
            "nan": float("nan"),
            "inf": Attribute("", "list_f", [float("-inf"), 0.5]),
            "tensor": TensorSpec("INT8", (2,), data=b"ab"),
            "graph": Attribute("", "g", GraphSpec("inner")),
            "named": {"name": "f", "attr": {"k": [1, 2]}},
            "undecodable": Attribute("", "s", b"\xff"),
        }
    )
    values = document["manifest"]["attributes"]
    assert values["bytes"] == {"hex": "00ff"}
    assert values["long"]["size"] == MAX_HEX + 1
    assert len(values["long"]["hex"]) == 2 * MAX_HEX
    assert values["nan"] == {"float": "nan"}
    assert values["inf"] == [{"float": "-inf"}, 0.5]
    assert values["tensor"]["data_size"] == 2
    assert values["tensor"]["desc"]["dtype"] == "INT8"
    assert values["graph"] == {"graph": "inner", "operators": 0}
    assert values["named"] == {"name": "f", "attr": {"k": [1, 2]}}
    assert values["undecodable"] == {"hex": "ff"}
    assert document["manifest"]["attribute_types"]["tensor"] == "t"


def test_hostile_texts_do_not_reach_the_terminal() -> None:
    evil = "a\x1b[31mred\r\n\u202eb\x9b"
    data = write_om(
        [
            [
                (
                    MODEL_DEF,
                    build_model_definition([GraphSpec(evil)], {evil: evil, "soc_version": evil}),
                )
            ]
        ],
        name="n",
    )
    model = read_model(data)
    for text in (render_inspect_text([model]), render_inspect_text([model], PARTS)):
        assert all(c.isprintable() or c == "\n" for c in text)
    assert json.loads(render_inspect_json([model]))["manifest"]["attributes"][evil] == evil


def test_plain_leaves_nothing_that_json_cannot_carry() -> None:
    for path in FILES:
        model = read_model(path)
        json.dumps(plain(model.container.details), allow_nan=False)


def test_hostile_json_in_a_package_is_shown_within_limits() -> None:
    deep = b'{"a":' + b"[" * 400 + b"1" + b"]" * 400 + b', "big": ' + b"9" * 100 + b"}"
    entries = {
        "manifest.json": deep,
        "data/model_0/model_meta.json": b'{"name": "\\ud800", "inputs": [{"shape": [NaN]}]}',
        "data/model_0/debug/ge_visual_0.json": b'{"model": {"attr": {"x": ' + deep + b"}}}",
    }
    model = read_model(write_om2(entries, stored=entries))
    document = json.loads(render_inspect_json([model]))
    jsonschema.validate(document, SCHEMA)
    assert document["container"]["details"]["manifest"]["big"] == "9" * 100
    assert render_inspect_text([model], PARTS)
