"""Rules on operators and drift: real changes between releases met by small models."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from msgspec.structs import replace

from preflight.checks.check import check_model
from preflight.checks.compiled import compiled_release, placed, public_release
from preflight.checks.filefacts import known_facts
from preflight.checks.histories import TargetHistory
from preflight.checks.internal import internal_kind
from preflight.checks.relevance import same_value
from preflight.container.partitions import STANDARD_NAMES
from preflight.data import manifests_dir
from preflight.findings import Certainty, Finding, Status
from preflight.model.dtypes import dtype_number
from preflight.model.manifest import Attribute, ModelFile
from preflight.model.writer import GraphSpec, OperatorSpec, TensorSpec
from preflight.registry.history import open_history
from preflight.registry.names import bundled_operator_types
from preflight.registry.prototype import AttributeSpec, Port
from preflight.registry.store import Coverage
from preflight.target.kernels import LazyKernels
from preflight.target.resolve import load_target
from tests.registry.builders import op, registry
from tests.support.models import model

HALF = TensorSpec("FLOAT16", (2, 8), "ND")
NEW, NEWER = "8.1.RC1/Ascend910B3", "9.1.0/Ascend910B3"


def tensor(dtype: str) -> TensorSpec:
    return TensorSpec(dtype, (2, 8), "ND")


def node(
    op_type: str,
    attributes: Mapping[str, object] | None = None,
    inputs: Sequence[TensorSpec] = (HALF,),
    outputs: Sequence[TensorSpec] = (HALF,),
    name: str = "node",
) -> GraphSpec:
    """A graph with one operator that reads every input from one Data."""
    return GraphSpec(
        "g",
        (
            OperatorSpec("in", "Data", (), (HALF,), (HALF,), {"index": 0}),
            OperatorSpec(
                name,
                op_type,
                ("in:0",) * len(inputs),
                tuple(inputs),
                tuple(outputs),
                attributes or {},
            ),
            OperatorSpec("out", "NetOutput", (f"{name}:0",), (HALF,), ()),
        ),
    )


def findings(
    graph: GraphSpec,
    compiled: str,
    target: str = NEW,
    *,
    dynamic: bool = False,
    framework: str = "",
) -> dict[str, Finding]:
    """Findings of the two bands by rule, for a model that a release compiled."""
    attributes = {"atc_version": "", "opp_version": "", "framework_type": framework}
    if compiled:
        attributes["atc_cmdline"] = f"/opt/ascend-toolkit/{compiled}/bin/atc --model x.air"
    made = model([graph], attributes, is_unknow_model=int(dynamic))
    result = check_model(made, target)
    return {f.rule: f for f in result.findings if f.rule[:3] in ("PF5", "PF6")}


@pytest.mark.parametrize(
    ("graph", "compiled", "target", "rule", "facts"),
    [
        (node("Bernoulli"), "6.3.RC1", NEW, "PF501", {"operator": "Bernoulli", "last": "6.3.RC1"}),
        (
            node("Concat", {"N": 1}, [HALF, tensor("INT32")]),
            "5.0.3",
            NEW,
            "PF502",
            {"code": "OH203"},
        ),
        (node("Celu", {"alpha": 2.0}), "5.0.4", NEW, "PF503", {"field": "alpha", "new": "alpha1"}),
        (
            node("GroupNorm", {"is_training": True}, [HALF] * 3),
            "5.1.RC1",
            NEW,
            "PF504",
            {"field": "num_groups"},
        ),
        (
            node("SoftmaxGrad", {}, [tensor("INT32"), HALF]),
            "8.0.RC3",
            NEW,
            "PF505",
            {"field": "softmax"},
        ),
        (
            node("GroupNorm", {"num_groups": 4}, [HALF] * 5, [HALF] * 5),
            "5.1.RC1",
            NEW,
            "PF506",
            {"code": "OH301", "what": "reserve_space_2 OUTPUT"},
        ),
        (
            node("Abs", {}, [tensor("BF16")]),
            "8.1.RC1",
            "8.1.RC1/Ascend310P3",
            "PF507",
            {"dtype": "BF16"},
        ),
        (node("MyVendorOp"), "8.1.RC1", NEW, "PF508", {"operator": "MyVendorOp"}),
        (
            node("GroupNormV2", {"eps": 1e-4}, [HALF] * 3),
            "8.1.RC1",
            NEWER,
            "PF601",
            {"field": "eps", "what": "eps 0.0001 -> 1e-05", "old": "0.0001"},
        ),
        (
            node("GroupNormV2", {"num_groups": 2}, [HALF] * 3),
            "8.1.RC1",
            NEWER,
            "PF602",
            {"field": "eps"},
        ),
        (
            node("LayerNorm", {"begin_norm_axis": 1}, [HALF] * 3),
            "8.1.RC1",
            NEW,
            "PF603",
            {"kernel": "1e-12"},
        ),
        (
            node("Concat", {"N": 1}, [HALF, tensor("INT32")]),
            "5.0.3",
            NEW,
            "PF604",
            {"note": "BH201"},
        ),
        (node("GroupNorm", {}, [HALF] * 3), "", NEW, "PF605", {"affected": ("GroupNorm",)}),
    ],
)
def test_each_rule_finds_its_change(
    graph: GraphSpec, compiled: str, target: str, rule: str, facts: dict[str, object]
) -> None:
    found = findings(graph, compiled, target)
    assert rule in found, sorted(found)
    assert {key: found[rule].facts[key] for key in facts} == facts


@pytest.mark.parametrize(
    ("graph", "compiled", "rule"),
    [
        (node("Bernoulli"), "6.3.RC1", "PF511"),
        (node("Concat", {"N": 1}, [HALF, tensor("INT32")]), "5.0.3", "PF512"),
        (node("Celu", {"alpha": 2.0}), "5.0.4", "PF513"),
        (node("GroupNorm", {}, [HALF] * 3), "5.1.RC1", "PF514"),
        (node("SoftmaxGrad", {}, [tensor("INT32"), HALF]), "8.0.RC3", "PF515"),
        (node("GroupNorm", {"num_groups": 4}, [HALF] * 5), "5.1.RC1", "PF516"),
        (node("MyVendorOp"), "8.1.RC1", "PF518"),
    ],
)
def test_a_dynamic_model_meets_them_when_it_runs(
    graph: GraphSpec, compiled: str, rule: str
) -> None:
    found = findings(graph, compiled, dynamic=True)
    assert rule in found, sorted(found)
    assert found[rule].consequence == "run"
    assert found[f"PF50{rule[-1]}"].consequence == "rebuild"  # compiling again meets it as well


@pytest.mark.parametrize(
    ("graph", "compiled", "rule"),
    [
        (node("Celu", {"alpha": 1.0}), "5.0.4", "PF503"),  # the old default: nothing was set
        (node("Concat", {"N": 1}, [HALF]), "5.0.3", "PF502"),  # one input has no order
        (node("SoftmaxGrad", {}, [HALF, HALF]), "8.0.RC3", "PF505"),
        (node("GroupNorm", {"num_groups": 4}, [HALF] * 3), "5.1.RC1", "PF504"),
        (node("GroupNorm", {"num_groups": 4}, [HALF] * 3), "5.1.RC1", "PF506"),  # one output only
        (node("GroupNormV2", {"eps": 1e-5}, [HALF] * 3), "8.1.RC1", "PF601"),
        (node("GroupNormV2", {}, [HALF] * 3), "8.1.RC1", "PF602"),  # a pass dropped all attributes
        (
            node("LayerNorm", {"epsilon": 1e-7, "begin_norm_axis": 1}, [HALF] * 3),
            "8.1.RC1",
            "PF603",
        ),
        (node("Abs", {}, [HALF]), "8.1.RC1", "PF507"),
    ],
)
def test_what_does_not_touch_the_model_is_not_reported(
    graph: GraphSpec, compiled: str, rule: str
) -> None:
    assert rule not in findings(graph, compiled, NEWER if "V2" in str(graph) else NEW)


@pytest.mark.parametrize("dynamic", [False, True])
def test_the_same_release_has_nothing_to_say(dynamic: bool) -> None:
    graph = node("LayerNorm", {"epsilon": 1e-5}, [HALF] * 3)
    assert findings(graph, "8.1.RC1", NEW, dynamic=dynamic) == {}


@pytest.mark.parametrize(
    "op_type",
    ["TransData", "PhonyConcat", "MemcpyAsync", "StreamActive", "NetOutput", "Convolution"],
)
def test_the_compilers_own_operators_are_never_missing(op_type: str) -> None:
    assert internal_kind(op_type)
    assert findings(node(op_type), "8.1.RC1") == {}
    assert findings(node(op_type), "8.1.RC1", dynamic=True) == {}


def named_inputs(made: ModelFile, *names: str) -> ModelFile:
    """The model with names for the inputs of its operator in the middle."""
    assert made.manifest is not None
    (graph,) = made.manifest.graphs
    operators = tuple(
        replace(o, input_names=names) if o.type not in ("Data", "NetOutput") else o
        for o in graph.operators
    )
    return replace(
        made, manifest=replace(made.manifest, graphs=(replace(graph, operators=operators),))
    )


@pytest.mark.parametrize("dynamic", [False, True])
@pytest.mark.parametrize(
    ("names", "told"),
    [(("x", "scale", "offset"), True), (("x", "gamma", "beta"), False), ((), False)],
)
def test_an_input_called_by_its_old_name(names: tuple[str, ...], told: bool, dynamic: bool) -> None:
    command = "/opt/ascend-toolkit/5.1.RC1/bin/atc --model x.air"
    attributes = {"atc_version": "", "opp_version": "", "atc_cmdline": command}
    graph = node("GroupNorm", {"num_groups": 4}, [HALF] * 3)
    made = named_inputs(model([graph], attributes, is_unknow_model=int(dynamic)), *names)
    found = [f for f in check_model(made, NEW).findings if f.rule in ("PF509", "PF519")]
    rules = ["PF509", "PF519"] if dynamic else ["PF509"]
    assert sorted(f.rule for f in found) == sorted(rules * (2 if told else 0))
    assert {(f.facts["field"], f.facts["new"]) for f in found} == (
        {("scale", "gamma"), ("offset", "beta")} if told else set()
    )


def test_what_a_release_compiled_for_its_own_soc_has_operators_and_kernels() -> None:
    """Bernoulli left in 6.3.RC2; a package of its own may still have brought it."""
    graph = node("Bernoulli", {}, [tensor("COMPLEX64")])
    assert not set(findings(graph, "8.1.RC1")) & {"PF501", "PF507"}


def test_the_same_release_needs_no_history(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(self: TargetHistory) -> None:
        raise AssertionError("the history was opened")

    monkeypatch.setattr(TargetHistory, "__call__", refuse)
    assert findings(node("Abs"), "8.1.RC1") == {}
    assert set(findings(node("MyVendorOp"), "8.1.RC1")) == {"PF508"}


def test_fused_and_inserted_nodes_are_not_judged_by_their_attributes() -> None:
    fused = node("Celu", {"alpha": 2.0, "pass_name_ub": "X"})
    assert "PF503" not in findings(fused, "5.0.4")
    inserted = node("Cast", {"dst_type": 1}, name="trans_Cast_3")
    assert findings(inserted, "5.0.4") == {}


def test_another_source_makes_a_finding_only_possible() -> None:
    graph = node("Celu", {"alpha": 2.0})
    assert findings(graph, "5.0.4")["PF503"].certainty is Certainty.LIKELY
    assert findings(graph, "5.0.4", framework="Onnx")["PF503"].certainty is Certainty.POSSIBLE
    dynamic = findings(graph, "5.0.4", framework="Onnx", dynamic=True)
    assert dynamic["PF513"].certainty is Certainty.LIKELY


def test_an_incomplete_record_leaves_the_rebuild_open() -> None:
    result = check_model(model([node("ArgMaxD")], {"opp_version": "7.7.0.1.238"}), NEWER)
    assert [f for f in result.findings if f.rule == "PF501"] == []
    (open_rule,) = [item for item in result.not_evaluated if item.rule == "PF501"]
    assert "ArgMaxD" in open_rule.reason
    assert result.verdicts.rebuild.status is Status.UNKNOWN


def test_registries_of_the_target_are_laid_over_the_bundled_record(tmp_path: Path) -> None:
    registry(tmp_path / "own", ("8.1.RC1", "2025-04-28", (op("MyVendorOp"),)))
    target = replace(load_target(NEW), history_dirs=(str(tmp_path / "own"),))
    made = model([node("MyVendorOp")], {"opp_version": "7.7.0.1.238", "atc_version": ""})
    assert "PF508" in {f.rule for f in check_model(made, NEW).findings}
    assert "PF508" not in {f.rule for f in check_model(made, target).findings}


def test_a_range_of_releases_reports_only_what_all_of_them_agree_on() -> None:
    (unknown,) = findings(node("GroupNormV2", {"num_groups": 2}, [HALF] * 3), "").values()
    assert unknown.rule == "PF605"  # versions differ within the range: nothing is claimed
    assert unknown.facts["range"] == "7.0.0-20231122 or later"
    assert "its operator types allow this range" in unknown.evidence[0].found_from
    # Whichever release it was, the target lacks this one, and its prototype never changed.
    assert set(findings(node("Bernoulli"), "")) == {"PF501"}


def old_model(made: ModelFile, version: int = 0x20000000, length: int = 0) -> ModelFile:
    """The model with the header of another time."""
    header = made.container.header
    assert header is not None
    header = replace(header, version=version, model_length=length)
    return replace(made, container=replace(made.container, header=header))


def with_partition(made: ModelFile, name: str) -> ModelFile:
    """The model with one more partition, of which only the name is looked at."""
    (block,) = made.container.blocks
    more = replace(block.partitions[0], name=name)
    block = replace(block, partitions=(*block.partitions, more))
    return replace(made, container=replace(made.container, blocks=(block,)))


def unnamed(dtype: str = "FLOAT16", opp_version: str = "") -> ModelFile:
    """A model that no fact but those of its container dates."""
    attributes = {"atc_version": "", "opp_version": opp_version, "framework_type": ""}
    return model([node("Add", {}, [tensor(dtype)] * 2)], attributes)


@pytest.mark.parametrize(
    ("made", "said", "decided"),
    [
        (old_model(unnamed(), 0x10000000), "20.1.rc1 or before", "header version 0x10000000"),
        (
            old_model(unnamed()),
            "V100R020C20 .. 6.3.RC2-20230821",
            "header version 0x20000000, header without model_length",
        ),
        (unnamed(), "2022-12-13 or later", "header with model_length"),
        (
            with_partition(unnamed(), "TILING_DATA"),
            "8.0.RC2 or later",
            "partition TILING_DATA",
        ),
        (
            with_partition(unnamed(), "CUSTOM_OPS"),
            "9.1.0-beta.1 or later",
            "partition CUSTOM_OPS",
        ),
        (unnamed("HIFLOAT8"), "8.1.RC1 or later", "data type HIFLOAT8"),
        (
            unnamed(opp_version="6.4.T5.0.B121"),
            "2022-12-13 .. 6.3.RC2",
            "header with model_length, opp_version 6.4.T5.0.B121",
        ),
        (unnamed(opp_version="5.20.T6.2.B060"), "2022-12-13 or later", "header with model_length"),
        (with_partition(old_model(unnamed(), 0x10000000), "SO_BINS"), "unknown", "contradict"),
    ],
)
def test_facts_of_the_file_bound_the_release_of_its_compiler(
    made: ModelFile, said: str, decided: str
) -> None:
    guess = compiled_release(made, open_history())
    assert (guess.text, guess.known) == (said, False)
    assert decided in guess.source


def test_every_fact_that_bounds_a_release_names_releases_and_things_that_exist() -> None:
    releases = {r.version for r in open_history().releases}
    for fact, bound in known_facts().items():
        assert bound.since or bound.until, fact
        assert {bound.since, bound.until} - {""} <= releases, fact
        kind, _, name = fact.rpartition(" ")
        if kind == "partition":
            assert name in STANDARD_NAMES.values()
        elif kind == "data type":
            assert dtype_number(name) >= 34


def test_operators_with_kernels_and_without_a_prototype_are_no_vendors() -> None:
    """What the list says is what the kernel files and the record say."""
    named: set[str] = set()
    for path in (manifests_dir() / "kernels").glob("*.json"):
        engines = json.loads(path.read_bytes()).get("engines", {})
        named |= {op_type for table in engines.values() for op_type in table}
    path = manifests_dir() / "history" / "unpublished_operators.json"
    listed = json.loads(path.read_bytes())["operators"]
    rest = {n for n in named - bundled_operator_types() if not internal_kind(n)}
    assert listed == sorted(rest)
    # 8.1.RC1 has its kernel, and of 9.1.0 nobody can tell
    assert findings(node("DetectMatMul"), "8.0.RC3") == {}
    result = check_model(model([node("DetectMatMul")], {"opp_version": "7.7.0.1.238"}), NEWER)
    assert "PF508" not in {f.rule for f in result.findings}
    (open_rule,) = [item for item in result.not_evaluated if item.rule == "PF501"]
    assert "DetectMatMul" in open_rule.reason
    assert result.verdicts.rebuild.status is Status.UNKNOWN
    other = findings(node("AdaptiveMaxPool3DGrad"), "8.0.RC3", "8.1.RC1/Ascend310P3")
    assert other["PF507"].facts["operator"] == "AdaptiveMaxPool3DGrad"


def test_internal_numbers_and_names_between_recorded_releases() -> None:
    history = open_history()
    assert public_release("7.7.0.1.238") == "8.1.RC1"
    assert public_release("1.2.3") == ""
    assert placed("8.1.rc1", history, "").candidates == ("8.1.RC1",)
    assert placed("9.0.2", history, "").candidates == ("9.0.1", "9.1.0-beta.1")
    assert placed("nonsense", history, "").candidates == ()


@pytest.mark.parametrize(
    ("kind", "default", "value", "same"),
    [
        ("Float", "9.999999747378752e-05", 1e-4, True),
        ("Float", "1.0", 2.0, False),
        ("Bool", "false", False, True),
        ("Bool", "false", 0, False),
        ("String", '"NHWC"', "NHWC", True),
        ("String", '"NHWC"', b"NCHW", False),
        ("ListInt", "[1,1]", [1, 1], True),
        ("ListInt", "[1,1]", [1], False),
        ("Type", '"DT_INT64"', 9, True),
        ("Type", '"DT_INT64"', 3, False),
        ("Int", "oops", 1, None),
    ],
)
def test_recorded_values_and_defaults(
    kind: str, default: str, value: object, same: bool | None
) -> None:
    spec = AttributeSpec("a", kind, False, default)
    assert same_value(spec, Attribute("a", "?", value)) is same


GOLDEN = Path(__file__).parent / "golden"


# Operators of real models that a target's record lacks, and why that is no removal: the open
# repositories of 9.1.0 are not all of CANN. Each was last recorded in a complete release.
LACKING = {
    "8.1.RC1": {},
    "9.1.0": {
        "ArgMaxD": "8.1.RC1",
        "CacheUpdate": "8.1.RC1",
        "FullyConnection": "8.1.RC1",
        "MatMul": "8.1.RC1",
        "Pooling": "8.1.RC1",
    },
}


@pytest.mark.parametrize("target", ["8.1.RC1/Ascend310P3", "9.1.0/Ascend910B3"])
def test_findings_about_real_models(shared: Path, target: str) -> None:
    """Read by a person: every line is right, and no operator is reported as missing.

    The models of unknown origin (PF605) record no version, no command and no toolkit.
    """
    lines, lacking = [], set()
    release = target.partition("/")[0]
    for path in sorted((shared / "corpus" / "om").glob("*.om")):
        result = check_model(path, target)
        lines.append(path.name)
        mine = [f for f in result.findings if f.rule[:3] in ("PF5", "PF6")]
        lines += [f"  {f.rule} {f.certainty} {f.message}" for f in mine]
        for item in result.not_evaluated:
            if item.rule[:4] in ("PF50", "PF51"):
                lines.append(f"  {item.rule} open: {item.reason}")
                if item.rule[4] == "1":
                    lacking.update(re.findall(r"lacks ([\w, ]+) \(", item.reason))
        assert not {f.rule for f in mine} & {"PF501", "PF511", "PF508", "PF518"}, path.name
    assert {name for names in lacking for name in names.split(", ")} == set(LACKING[release])
    history = open_history()
    for name, last in LACKING[release].items():
        records = [r for r in history.operator(name).records if r.coverage is Coverage.COMPLETE]
        assert records[-1].release == last
        assert history.absence(name, release).proven is False
    golden = GOLDEN / f"operators-{release}.txt"
    assert "\n".join(lines) + "\n" == golden.read_text(encoding="utf-8")


def test_models_of_other_engines_have_no_operators_of_cann(shared: Path) -> None:
    """Mobile files have operators of their own compiler (CastT, PoolingD): none is judged."""
    for path in sorted((shared / "corpus" / "hiai-om").glob("*.om")):
        found = check_model(path, "9.1.0/Ascend910B3").findings
        assert not [f.rule for f in found if f.rule[:3] in ("PF5", "PF6")], path.name


def test_a_branch_means_its_newest_snapshot_and_an_older_target_lacks_what_came_later() -> None:
    history = open_history()
    assert placed("master", history, "").candidates == ("master-20260822",)
    removed = findings(node("GridSample", {}, [HALF] * 2), "8.0.RC2")["PF501"]
    assert (removed.facts["last"], removed.certainty) == ("8.0.RC2", Certainty.POSSIBLE)
    newer = findings(node("MlaProlog", {}, [HALF] * 2), "8.1.RC1", "7.0.0/Ascend910B3")["PF501"]
    assert newer.facts["last"] == "8.1.RC1"


OWN = (
    Port("first", "INPUT", "TensorType::ALL()"),
    Port("parts", "DYNAMIC_INPUT", "TensorType::ALL()"),
    Port("last", "OPTIONAL_INPUT", "TensorType::ALL()"),
)


@pytest.mark.parametrize(
    ("inputs", "told"),
    [
        (OWN[:1], {"PF506": ["parts", "last"]}),
        (OWN[:2], {"PF506": ["last"]}),
        (OWN[1:], {"PF506": ["first"]}),
    ],
)
def test_inputs_behind_a_dynamic_one_are_counted_from_the_end(
    tmp_path: Path, inputs: tuple[Port, ...], told: dict[str, list[str]]
) -> None:
    registry(
        tmp_path / "own",
        ("8.0.RC3", "2024-08-26", (op("Own", OWN),)),
        ("8.1.RC1", "2025-04-28", (op("Own", inputs),)),
    )
    target = replace(load_target(NEW), history_dirs=(str(tmp_path / "own"),))
    command = "/opt/ascend-toolkit/8.0.RC3/bin/atc --model x.air"
    attributes = {"atc_version": "", "opp_version": "", "atc_cmdline": command}
    made = model([node("Own", {}, [HALF] * 5)], attributes)
    found: dict[str, list[str]] = {}
    for finding in check_model(made, target).findings:
        if finding.rule == "PF506":
            found.setdefault(finding.rule, []).append(str(finding.facts["field"]))
    assert {rule: sorted(fields) for rule, fields in found.items()} == {
        rule: sorted(fields) for rule, fields in told.items()
    }


@pytest.mark.parametrize(("count", "told"), [(1, False), (2, True), (4, True)])
def test_a_port_put_in_front_matters_where_something_stands_behind_it(
    tmp_path: Path, count: int, told: bool
) -> None:
    new = (OWN[0], Port("extra", "OPTIONAL_INPUT", "TensorType::ALL()"), OWN[1])
    registry(
        tmp_path / "own",
        ("8.0.RC3", "2024-08-26", (op("Own", OWN[:2]),)),
        ("8.1.RC1", "2025-04-28", (op("Own", new),)),
    )
    target = replace(load_target(NEW), history_dirs=(str(tmp_path / "own"),))
    command = "/opt/ascend-toolkit/8.0.RC3/bin/atc --model x.air"
    attributes = {"atc_version": "", "opp_version": "", "atc_cmdline": command}
    made = model([node("Own", {}, [HALF] * count)], attributes)
    assert ("PF502" in {f.rule for f in check_model(made, target).findings}) == told


PORTS = {
    "input0": ("x1", ("FLOAT16",)),
    "input1": ("x2", ("FLOAT16", "FLOAT")),
    "output0": ("y", ("FLOAT16",)),
}


@pytest.mark.parametrize(
    ("inputs", "output", "told"),
    [
        ((HALF, tensor("FLOAT")), HALF, []),
        ((HALF, tensor("INT32")), HALF, ["INT32 at input x2"]),
        ((tensor("FLOAT"), HALF), HALF, ["FLOAT"]),
        ((HALF, HALF), tensor("INT8"), ["INT8 at output y"]),
        ((HALF, tensor("UNDEFINED")), HALF, []),
    ],
)
def test_kernels_of_an_installed_tree_speak_of_every_place(
    inputs: tuple[TensorSpec, ...], output: TensorSpec, told: list[str]
) -> None:
    kernels = LazyKernels(lambda: {"Add": ("FLOAT16",)}, lambda: {"Add": PORTS})
    target = replace(load_target(NEW), kernels=kernels)
    command = "/opt/ascend-toolkit/8.0.RC3/bin/atc --model x.air"
    attributes = {"atc_version": "", "opp_version": "", "atc_cmdline": command}
    result = check_model(model([node("Add", {}, inputs, [output])], attributes), target)
    assert [f.facts["dtype"] for f in result.findings if f.rule == "PF507"] == told


def test_a_config_that_names_another_input_at_that_place_says_nothing() -> None:
    ports = {"input1": ("axis", ("INT32",)), "output0": ("z", ("INT8",))}
    kernels = LazyKernels(lambda: {"Add": ("FLOAT16",)}, lambda: {"Add": ports})
    target = replace(load_target(NEW), kernels=kernels)
    result = check_model(model([node("Add", {}, [HALF, HALF])], {"opp_version": ""}), target)
    assert "PF507" not in {f.rule for f in result.findings}
