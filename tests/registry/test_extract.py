"""Extraction from headers: every construct once, then whole releases written and read again."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from preflight import api
from preflight.errors import UnreadableInput
from preflight.registry.cpp_tokens import TokenStream, tokenize
from preflight.registry.extract import Extraction, extract_registry
from preflight.registry.prototype import AttributeSpec, Port, Prototype, SubgraphSpec
from tests.support.headers import write_header


def extract(folder: Path, **headers: str) -> Extraction:
    for name, text in headers.items():
        (folder / f"{name}.h").write_text(text, encoding="utf-8")
    return extract_registry(folder)


def one(folder: Path, chain: str) -> Prototype:
    extraction = extract(folder, ops=chain)
    assert [str(p) for p in extraction.problems] == []
    assert len(extraction.prototypes) == 1
    return extraction.prototypes[0]


EVERYTHING = """
/* An old chain: REG_OP(Gone).OP_END_FACTORY_REG(Gone) */
#include "graph/operator_reg.h"
namespace ge {
/**
 * @brief REG_OP(AlsoGone) in a comment, with a stray quote " and a brace {
 */
REG_OP(Everything)
    .INPUT(x, "T")
    .OPTIONAL_INPUT(bias, TensorType({DT_FLOAT, /* half */ DT_FLOAT16,
                                      DT_BF16}))
    .DYNAMIC_INPUT(parts, TensorType::ALL())
    .OUTPUT(y, "T" "out")
    .DYNAMIC_OUTPUT(z, ge::TensorType( \\
        {DT_INT32, \\
         DT_INT64}))
    .GRAPH(cond)
    .DYNAMIC_GRAPH(branches)
    .DATATYPE(T, TensorType({DT_FLOAT, DT_INT32}))
    .DATATYPE(Tout, Promote({"T", "T2"}))
    .REQUIRED_ATTR(shape, ListInt)
    .ATTR(axis, Int, -1)
    .ATTR(mask, Int, 0xFF)
    .ATTR(epsilon, Float, 1e-5f)
    .ATTR(scale, Float, .5)
    .ATTR(flag, Bool, false)
    .ATTR(mode, String, "a,b" ")c")
    .ATTR(raw, String, R"x(say "no", \\n)x")
    .ATTR(dtype, Type, ge::DT_INT64)
    .ATTR(value, Tensor, Tensor())
    .ATTR(pads, ListInt, {0, 0, -1, 2,})
    .ATTR(ratios, ListFloat, {0.75f, 1, -1.33})
    .ATTR(flags, ListBool, {true, false})
    .ATTR(types, ListType, {DT_FLOAT, DT_INT8})
    .ATTR(names, ListString, {"x, y", "{"})
    .ATTR(windows, ListListInt, {{1, 2}, {}, {3}})
    .ATTR(nothing, ListInt, {})
    .OP_END_FACTORY_REG(Everything)
}  // namespace ge
"""


def test_every_call_and_attribute_type(tmp_path: Path) -> None:
    prototype = one(tmp_path, EVERYTHING)
    assert prototype.inputs == (
        Port("x", "INPUT", "T"),
        Port("bias", "OPTIONAL_INPUT", "TensorType({DT_FLOAT, DT_FLOAT16, DT_BF16})"),
        Port("parts", "DYNAMIC_INPUT", "TensorType::ALL()"),
    )
    assert prototype.outputs == (
        Port("y", "OUTPUT", "Tout"),
        Port("z", "DYNAMIC_OUTPUT", "ge::TensorType( {DT_INT32, DT_INT64})"),
    )
    assert prototype.subgraphs == (
        SubgraphSpec("cond", "STATIC"),
        SubgraphSpec("branches", "DYNAMIC"),
    )
    assert prototype.datatypes == (
        ("T", "TensorType({DT_FLOAT, DT_INT32})"),
        ("Tout", 'Promote({"T", "T2"})'),
    )
    assert prototype.attrs[0] == AttributeSpec("shape", "ListInt", required=True)
    assert {a.name: a.default_value for a in prototype.attrs[1:]} == {
        "axis": "-1",
        "mask": "255",
        "epsilon": "9.999999747378752e-06",
        "scale": "0.5",
        "flag": "false",
        "mode": '"a,b)c"',
        "raw": '"say \\"no\\", \\\\n"',
        "dtype": '"DT_INT64"',
        "value": '"Tensor()"',
        "pads": "[0,0,-1,2]",
        "ratios": "[0.75,1.0,-1.3300000429153442]",
        "flags": "[true,false]",
        "types": '["DT_FLOAT","DT_INT8"]',
        "names": '["x, y","{"]',
        "windows": "[[1,2],[],[3]]",
        "nothing": "[]",
    }


def test_constants_of_the_header_set(tmp_path: Path) -> None:
    common = """
    #define EPS 1e-6f
    #define WINDOW (1 << 4)
    constexpr int64_t kAxis = -WINDOW + 1;
    static const char *const kMode = "mean";
    const std::vector<int64_t> kPads = {0, WINDOW};
    """
    chain = """
    REG_OP(A).ATTR(eps, Float, EPS).ATTR(axis, Int, 2 * kAxis).ATTR(mode, String, kMode)
      .ATTR(pads, ListInt, kPads).ATTR(lowest, Int, std::numeric_limits<int32_t>::min())
      .ATTR(top, Int, INT64_MAX).ATTR(cast, Int, static_cast<int64_t>(2.9f))
      .ATTR(kind, Int, DT_COMPLEX64).ATTR(text, String, std::string("s"))
      .OP_END_FACTORY_REG(A)
    """
    extraction = extract(tmp_path, common=common, ops=chain)
    assert extraction.problems == ()
    assert [a.default_value for a in extraction.prototypes[0].attrs] == [
        "9.999999974752427e-07",
        "-30",
        '"mean"',
        "[0,16]",
        "-2147483648",
        "9223372036854775807",
        "2",
        "16",
        '"s"',
    ]


def test_a_name_with_two_meanings_is_not_guessed(tmp_path: Path) -> None:
    chain = "REG_OP({0}).ATTR(n, Int, SIZE).OP_END_FACTORY_REG({0})"
    extraction = extract(
        tmp_path,
        a="#define SIZE 1\n" + chain.format("A"),
        b="#define SIZE 2\n" + chain.format("B"),
        c=chain.format("C"),
    )
    defaults = {p.op_type: p.attrs[0].default_value for p in extraction.prototypes}
    assert defaults == {"A": "1", "B": "2"}
    (problem,) = extraction.problems
    assert str(problem) == (
        "c.h:1: C: default of attribute 'n': 'SIZE' is defined in more than one way"
    )
    assert problem.lost


BROKEN = {
    "no default": ("REG_OP(X).ATTR(a, Int).OP_END_FACTORY_REG(X)", "needs 3 arguments"),
    "type": ("REG_OP(X).ATTR(a, bool, true).OP_END_FACTORY_REG(X)", "type 'bool'"),
    "required type": ("REG_OP(X).REQUIRED_ATTR(a, Bytes).OP_END_FACTORY_REG(X)", "'Bytes'"),
    "other end": ("REG_OP(X).INPUT(x, T).OP_END_FACTORY_REG(Y)", "ends as 'Y'"),
    "no end": ("REG_OP(X).INPUT(x, T)\nint y;", "'.' expected, found 'int'"),
    "end of file": ("REG_OP(X).INPUT(x, T)", "does not end with OP_END_FACTORY_REG"),
    "bracket": ("REG_OP(X).INPUT(x, T\n.OUTPUT(y, T)", "round bracket is not closed"),
    "unknown call": ("REG_OP(X).INPUTS(x).OP_END_FACTORY_REG(X)", "'INPUTS' is not a call"),
    "twice": ("REG_OP(X).INPUT(x,T).INPUT(x,T).OP_END_FACTORY_REG(X)", "declared twice"),
    "no name": ("REG_OP().OP_END_FACTORY_REG()", "needs one operator type"),
    "unknown constant": ("REG_OP(X).ATTR(a, Int, K).OP_END_FACTORY_REG(X)", "'K' is not a const"),
    "wrong kind": ('REG_OP(X).ATTR(a, Int, "1").OP_END_FACTORY_REG(X)', "does not fit the type"),
    "not a list": ("REG_OP(X).ATTR(a, ListInt, 3).OP_END_FACTORY_REG(X)", "list in braces"),
    "list for one": ("REG_OP(X).ATTR(a, Int, {1, 2}).OP_END_FACTORY_REG(X)", "cannot hold a list"),
    "infinite": ("REG_OP(X).ATTR(a, Float, 1e60).OP_END_FACTORY_REG(X)", "not finite"),
    "unsigned": ("REG_OP(X).ATTR(a, Int, -1U).OP_END_FACTORY_REG(X)", "wraps around"),
    "zero": ("REG_OP(X).ATTR(a, Int, 1 / 0).OP_END_FACTORY_REG(X)", "division by zero"),
    "tensor": ("REG_OP(X).ATTR(a, Tensor, Tensor(d)).OP_END_FACTORY_REG(X)", "empty Tensor()"),
    "no such dtype": ("REG_OP(X).ATTR(a, Int, DT_HALF).OP_END_FACTORY_REG(X)", "no data type"),
    "loop": ("#define K K2\n#define K2 K\nREG_OP(X).ATTR(a, Int, K).OP_END_FACTORY_REG(X)", "'K'"),
}


@pytest.mark.parametrize("case", BROKEN)
def test_a_broken_chain_is_reported_and_the_rest_goes_on(tmp_path: Path, case: str) -> None:
    broken, words = BROKEN[case]
    good = "REG_OP(Before).OP_END_FACTORY_REG(Before)\n"
    text = good + broken + "\n" + good.replace("Before", "After")
    extraction = extract(tmp_path, ops=text)
    assert [p.op_type for p in extraction.prototypes] == ["After", "Before"]
    (problem,) = extraction.problems
    assert words in problem.message
    assert problem.lost
    assert problem.file == "ops.h"
    assert 2 <= problem.line <= text.count("\n")


def test_the_line_of_a_problem_survives_continuations(tmp_path: Path) -> None:
    text = '#define A \\\n 1\nREG_OP(X)\n  .INPUT(x, \\\n   "T")\n  .ATTR(a, Int, "1")\n'
    extraction = extract(tmp_path, ops=text + "  .OP_END_FACTORY_REG(X)\n")
    assert [p.line for p in extraction.problems] == [6]


def test_conditions_decide_what_is_read(tmp_path: Path) -> None:
    chain = "REG_OP({0}).OP_END_FACTORY_REG({0})\n"
    text = (
        "#ifndef OPS_H\n#define OPS_H\n#define LEVEL 2\n"
        + ("#if 0\n" + chain.format("Never") + "#endif\n")
        + ("#if defined(LEVEL) && LEVEL >= 2\n" + chain.format("Two") + "#else\n")
        + (chain.format("One") + "#endif\n#ifdef EXTRA\n" + chain.format("Extra") + "#endif\n")
        + ("#if __has_include(<x>)\n" + chain.format("Asked") + "#endif\n#endif\n")
    )
    extraction = extract(tmp_path, ops=text)
    assert [p.op_type for p in extraction.prototypes] == ["Two"]
    left_out = {p.op_type for p in extraction.problems if p.lost}
    assert left_out == {"Never", "One", "Extra", "Asked"}
    assert any("counted as false" in p.message for p in extraction.problems)
    wider = extract_registry(tmp_path, predefined={"EXTRA": "1"})
    assert [p.op_type for p in wider.prototypes] == ["Extra", "Two"]


def test_an_operator_declared_twice(tmp_path: Path) -> None:
    first = "REG_OP(X).INPUT(x, T).OP_END_FACTORY_REG(X)"
    extraction = extract(tmp_path, a=first, b=first, c="REG_OP(X).OP_END_FACTORY_REG(X)")
    assert len(extraction.prototypes[0].inputs) == 1
    (problem,) = extraction.problems
    assert str(problem) == "c.h:1: X: declared differently at a.h:1, which is kept"
    assert not problem.lost


def test_files_are_chosen_and_links_stay_inside(tmp_path: Path) -> None:
    (tmp_path / "in" / "op_graph").mkdir(parents=True)
    (tmp_path / "in" / "test").mkdir()
    chain = "REG_OP({0}).OP_END_FACTORY_REG({0})"
    (tmp_path / "in" / "op_graph" / "a.h").write_text(chain.format("A"))
    (tmp_path / "in" / "test" / "b.h").write_text(chain.format("B"))
    (tmp_path / "outside.h").write_text(chain.format("C"))
    (tmp_path / "in" / "link.h").symlink_to(tmp_path / "outside.h")
    names = [p.op_type for p in extract_registry(tmp_path / "in").prototypes]
    assert names == ["A", "B"]
    chosen = extract_registry(tmp_path / "in", match="*op_graph/*.h").prototypes
    assert [p.op_type for p in chosen] == ["A"]
    with pytest.raises(UnreadableInput, match="no readable C\\+\\+ header"):
        extract_registry(tmp_path / "in", match="*.cc")
    with pytest.raises(UnreadableInput, match="neither"):
        extract_registry(tmp_path / "absent")


def test_headers_in_other_encodings(tmp_path: Path) -> None:
    text = '\ufeff// 注释\r\nREG_OP(X)\r\n .ATTR(a, String, "\\x41\\n\\u00e9")\r\n .OP_END_FACTORY_REG(X)'
    (tmp_path / "a.h").write_bytes(text.encode("utf-8"))
    (tmp_path / "b.h").write_bytes(text[1:].replace("X", "Y").encode("gb18030"))
    extraction = extract_registry(tmp_path)
    assert extraction.problems == ()
    assert [json.loads(p.attrs[0].default_value or "") for p in extraction.prototypes] == [
        "A\né",
        "A\né",
    ]


NAMES = st.from_regex(r"[A-Za-z_]\w{0,8}", fullmatch=True).filter(lambda n: n not in RESERVED)
RESERVED = {"REG_OP", "const", "constexpr", "R", "u8", "u", "U", "L"}
DTYPES = st.lists(st.sampled_from(["DT_FLOAT", "DT_INT8", "DT_BF16"]), min_size=1, max_size=3).map(
    lambda names: "TensorType({" + ", ".join(names) + "})"
)
PLAIN_TEXT = st.text(
    st.characters(codec="utf-8", exclude_categories=("Cc", "Cs", "Zl", "Zp")), max_size=8
)
SCALARS: dict[str, st.SearchStrategy[object]] = {
    "Int": st.integers(-(2**63) + 1, 2**63 - 1),
    "Float": st.floats(width=32, allow_nan=False, allow_infinity=False),
    "Bool": st.booleans(),
    "String": PLAIN_TEXT,
}


@st.composite
def attributes(draw: st.DrawFn, name: str) -> AttributeSpec:
    attr_type = draw(st.sampled_from(sorted(SCALARS)))
    if draw(st.booleans()):
        return AttributeSpec(name, attr_type, required=True)
    values = SCALARS[attr_type]
    as_list = draw(st.booleans())
    value = draw(st.lists(values, max_size=4) if as_list else values)
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return AttributeSpec(name, f"List{attr_type}" if as_list else attr_type, False, text)


@st.composite
def prototypes(draw: st.DrawFn) -> Prototype:
    def ports(kinds: tuple[str, ...]) -> tuple[Port, ...]:
        names = draw(st.lists(NAMES, max_size=3, unique=True))
        return tuple(Port(n, draw(st.sampled_from(kinds)), draw(DTYPES)) for n in names)

    return Prototype(
        draw(NAMES),
        ports(("INPUT", "OPTIONAL_INPUT", "DYNAMIC_INPUT")),
        ports(("OUTPUT", "DYNAMIC_OUTPUT")),
        attrs=tuple(draw(attributes(n)) for n in draw(st.lists(NAMES, max_size=4, unique=True))),
    )


@settings(max_examples=150, deadline=None)
@given(prototype=prototypes(), seed=st.integers(0, 2**16))
def test_layout_does_not_change_the_meaning(
    prototype: Prototype, seed: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    header = tmp_path_factory.mktemp("ops") / "ops.h"
    header.write_text(write_header([prototype], seed), encoding="utf-8")
    extraction = extract_registry(header)
    assert [str(p) for p in extraction.problems] == []
    assert extraction.prototypes == (prototype,)


@settings(max_examples=200, deadline=None)
@given(text=st.text(st.sampled_from("REG_OP(X).ATIN,{}\"'\\/*#if\n 1-e"), max_size=80))
def test_any_text_is_read_to_its_end(text: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    header = tmp_path_factory.mktemp("ops") / "ops.h"
    header.write_text(text + "\n;\nREG_OP(X).ATTR(a, Int, 1).OP_END_FACTORY_REG(X)")
    extraction = extract_registry(header)
    assert extraction.prototypes or extraction.problems


@pytest.mark.shared
@pytest.mark.parametrize(
    ("package", "release"),
    [("all", "20.1.rc1"), ("all", "8.1.RC1"), ("all", "9.1.0"), ("torchair", "master-20260601")],
)
def test_whole_releases_survive(shared: Path, tmp_path: Path, package: str, release: str) -> None:
    expected = api.load_release(shared / "registries" / package, release).operators
    (tmp_path / "all.h").write_text(write_header(expected.values(), seed=7), encoding="utf-8")
    extraction = extract_registry(tmp_path)
    assert extraction.problems == ()
    assert {p.op_type: p for p in extraction.prototypes} == dict(expected)


def test_macros_that_make_chains_are_expanded(tmp_path: Path) -> None:
    common = """
    #define COMMON(T) .INPUT(x, "T1") \\
      .ATTR(axis, Int, T)
    #define REG_UNARY(name, ...) REG_OP(name##V2) COMMON(__VA_ARGS__) .OUTPUT(y, "T1") \\
      .OP_END_FACTORY_REG(name##V2)
    """
    extraction = extract(tmp_path, common=common, ops="\nREG_UNARY(Abs, 3)\nREG_UNARY(Neg, -1)")
    assert extraction.problems == ()
    assert [p.op_type for p in extraction.prototypes] == ["AbsV2", "NegV2"]
    assert [p.attrs[0].default_value for p in extraction.prototypes] == ["3", "-1"]
    assert all(len(p.inputs) == len(p.outputs) == 1 for p in extraction.prototypes)


def test_another_name_for_the_first_and_the_last_call(tmp_path: Path) -> None:
    """As a framework's own operators are declared, with a prefix to their types."""
    macros = """
    #define REG_CUST_OP(x) REG_OP(Cust##x)
    #define CUST_OP_END_FACTORY_REG(x) OP_END_FACTORY_REG(Cust##x)
    """
    chain = 'REG_CUST_OP(Window)\n  .INPUT(n, "T")\n  .ATTR(dtype, Int, 0)\n  .CUST_OP_END_FACTORY_REG(Window)'
    extraction = extract(tmp_path, macros=macros, ops=chain)
    assert extraction.problems == ()
    assert [p.op_type for p in extraction.prototypes] == ["CustWindow"]


def test_a_chain_macro_without_its_arguments_is_reported_where_it_is_used(tmp_path: Path) -> None:
    text = "#define REG_TWO(a, b) REG_OP(a).OP_END_FACTORY_REG(a)\n\nREG_TWO(X)\nREG_OP(Y).OP_END()"
    extraction = extract(tmp_path, ops=text)
    assert [p.op_type for p in extraction.prototypes] == ["Y"]
    assert [str(p) for p in extraction.problems] == [
        "ops.h:3: the macro 'REG_TWO' takes 2 arguments, not 1"
    ]


def test_enumerators_and_macros_with_parameters_in_defaults(tmp_path: Path) -> None:
    chain = """
    enum Mode : int64_t { kSum = 1, kMean, kMax = kMean << 2, kMin };
    enum class Kind { A, B };
    #define TWICE(x) ((x) * 2)
    REG_OP(A).ATTR(a, Int, kMean).ATTR(b, Int, kMin).ATTR(c, Int, static_cast<int64_t>(Kind::B))
      .ATTR(d, Int, TWICE(kMean) + 1).ATTR(e, Int, int64_t{7}).ATTR(f, ListFloat, std::vector<float>())
      .ATTR(g, Int, std::numeric_limits<uint8_t>::min()).ATTR(h, Type, {})
      .OP_END_FACTORY_REG(A)
    """
    attrs = one(tmp_path, chain).attrs
    assert [a.default_value for a in attrs] == ["2", "9", "1", "5", "7", "[]", "0", '"DT_FLOAT"']


def test_a_branch_left_out_is_no_loss_where_the_other_has_the_operator(tmp_path: Path) -> None:
    text = """
    #ifdef OLD
    REG_OP(A).INPUT(x, "T").OP_END()
    REG_OP(B).OP_END()
    #else
    REG_OP(A).INPUT(y, "T").OP_END()
    #endif
    """
    extraction = extract(tmp_path, ops=text)
    assert [(p.op_type, p.lost) for p in extraction.problems] == [("A", False), ("B", True)]
    assert extraction.prototypes[0].inputs[0].name == "y"


def test_prototypes_of_the_package_go_before_those_of_its_tests(tmp_path: Path) -> None:
    for folder, port in (("a/tests/ut", "stub"), ("b/op_graph", "x")):
        (tmp_path / folder).mkdir(parents=True)
        chain = f'REG_OP(A).INPUT({port}, "T").OP_END()'
        (tmp_path / folder / "a.h").write_text(chain, encoding="utf-8")
    extraction = extract_registry(tmp_path)
    assert extraction.prototypes[0].inputs[0].name == "x"
    assert [p.file for p in extraction.problems] == ["a/tests/ut/a.h"]


def test_sources_are_read_where_the_pattern_asks_for_them(tmp_path: Path) -> None:
    (tmp_path / "a.h").write_text("REG_OP(A).OP_END()", encoding="utf-8")
    (tmp_path / "b.cc").write_text("REG_OP(B).OP_END()", encoding="utf-8")
    assert [p.op_type for p in extract_registry(tmp_path).prototypes] == ["A"]
    assert [p.op_type for p in extract_registry(tmp_path, match="*.cc").prototypes] == ["B"]
    (tmp_path / "a.h").unlink()
    assert [p.op_type for p in extract_registry(tmp_path).prototypes] == ["B"]


def test_only_headers_that_a_default_may_mean_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "kernel.h").write_text("const int kOther = 1;" * 100, encoding="utf-8")
    (tmp_path / "a.h").write_text("REG_OP(A).ATTR(a, Int, kA).OP_END()", encoding="utf-8")
    (tmp_path / "c.h").write_text("const int kA = 4;", encoding="utf-8")
    read: list[int] = []

    def count(text: str, predefined: object = None) -> TokenStream:
        read.append(len(text))
        return tokenize(text)

    monkeypatch.setattr("preflight.registry.extract.tokenize", count)
    assert extract_registry(tmp_path).prototypes[0].attrs[0].default_value == "4"
    assert len(read) == 2
