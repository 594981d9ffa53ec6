"""Writes the sample models with the project's own writers; the same bytes every time.

    python samples/make.py [FOLDER]

Without FOLDER the files beside this one are written again; a test compares them.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
sys.path.insert(0, str(HERE.parent))

from graphs import adder, boundary, compiled, image_classifier, kernel_names  # noqa: E402

from preflight.container import partitions as ids  # noqa: E402
from preflight.container.dynamic import write_library  # noqa: E402
from preflight.container.om2 import ENTRY_POINTS  # noqa: E402
from preflight.container.store_writer import (  # noqa: E402
    SoPart,
    TilingRecord,
    write_inout,
    write_kernel_store,
    write_so_store,
    write_tiling,
)
from preflight.container.writer import (  # noqa: E402
    write_bare,
    write_bundle,
    write_first_generation,
    write_flow,
    write_hiai,
    write_nano,
    write_om,
    write_om2,
)
from preflight.model.dictionary import encode_position  # noqa: E402
from preflight.model.manifest import Attribute  # noqa: E402
from preflight.model.writer import (  # noqa: E402
    GraphSpec,
    OperatorSpec,
    build_model_definition,
    build_submodel,
    build_tasks,
)

CUSTOM_VERSION = "1.11.z.0"
WEIGHTS = bytes(range(256)) * 16  # a stand-in: nothing reads weights
OPP_8_1 = "7.7.0.1.238"  # the internal number of 8.1.RC1
_X86_64, _AARCH64 = 0x3E, 0xB7


def elf_stub(machine: int) -> bytes:
    """The identification of a 64-bit little-endian shared object and nothing else."""
    head = b"\x7fELF\x02\x01\x01" + bytes(9)
    return head + (3).to_bytes(2, "little") + machine.to_bytes(2, "little") + bytes(44)


def definition(graphs: tuple[GraphSpec, ...], attributes: dict[str, object], name: str) -> bytes:
    return build_model_definition(graphs, attributes, name=name, custom_version=CUSTOM_VERSION)


def static_parts(
    graph: GraphSpec, attributes: dict[str, object], name: str, *, batches: tuple[int, ...] = ()
) -> list[tuple[int, bytes]]:
    """The partitions of a static OM in the order in which they are written (§A.5)."""
    kernels = [(kernel, b"\x7fELF" + kernel.encode()) for kernel in kernel_names(graph)]
    return [
        (ids.MODEL_INOUT_INFO, write_inout(boundary(graph, batches=batches))),
        (ids.MODEL_DEF, definition((graph,), attributes, name)),
        (ids.WEIGHTS_DATA, WEIGHTS),
        (ids.TBE_KERNELS, write_kernel_store(kernels)),
        (ids.TASK_INFO, build_tasks(streams=1)),
    ]


def om(parts: list[tuple[int, bytes]], name: str, **fields: object) -> bytes:
    return write_om([parts], name=name, platform_version=CUSTOM_VERSION, platform_type=1, **fields)


def resnet_static_310p3() -> bytes:
    attributes = compiled("Ascend310P3", "1", OPP_8_1)
    return om(static_parts(image_classifier(), attributes, "resnet50"), "resnet50")


def soc_910b() -> bytes:
    """The name without a number: of the 910A class, not of the 910B1 to 910B4."""
    attributes = compiled("Ascend910B", "3", OPP_8_1)
    return om(static_parts(image_classifier(), attributes, "resnet50"), "resnet50")


def soc_910b3() -> bytes:
    attributes = compiled("Ascend910B3", "4", OPP_8_1)
    return om(static_parts(image_classifier(), attributes, "resnet50"), "resnet50")


def gears_310p3() -> bytes:
    """A static model that was compiled for four batch sizes."""
    attributes = compiled("Ascend310P3", "1", OPP_8_1)
    attributes["atc_cmdline"] = f'{attributes["atc_cmdline"]} --dynamic_batch_size="1,2,4,8"'
    parts = static_parts(image_classifier(8), attributes, "resnet50", batches=(1, 2, 4, 8))
    return om(parts, "resnet50")


def old_3_3_310() -> bytes:
    """First header version and tiny table, as before 5.x."""
    attributes = compiled("Ascend310", "5", "1.75.22.0.220", release="3.3.0")
    del attributes["soc_version"], attributes["arch_type"], attributes["atc_cmdline"]
    graph = image_classifier()
    parts = static_parts(graph, attributes, "resnet50")[1:]
    return write_first_generation(parts, name="resnet50")


def dynamic_8_0_0() -> bytes:
    """A dynamic-shape model in two blocks without host libraries: OPP versions must be equal."""
    graph = adder((-1, 64))
    attributes = compiled("Ascend910B3", "4", "7.6.0.1.220", release="8.0.0", model="adder")
    attributes |= {"host_env_os": "linux", "host_env_cpu": "aarch64"}
    root = [
        (ids.MODEL_INOUT_INFO, write_inout(boundary(graph))),
        (ids.MODEL_DEF, definition((graph,), attributes, "adder")),
        (ids.TASK_INFO, build_tasks(streams=0)),
    ]
    known = adder((16, 64), "known")
    inner = [
        (ids.MODEL_DEF, definition((known,), {"memory_size": 8192}, "adder_known")),
        (ids.WEIGHTS_DATA, WEIGHTS),
        (ids.TBE_KERNELS, write_kernel_store([("te_add_1__kernel0", b"\x7fELFadd")])),
        (ids.TASK_INFO, build_tasks()),
    ]
    return write_om([root, inner], name="adder", is_unknow_model=1, platform_type=1)


def _host_library(cpu: str, machine: int, opp: str, release: str) -> bytes:
    """A dynamic-shape model that carries the operators' host library and asks for the check."""
    graph = adder((-1, 64))
    attributes = compiled("Ascend910B3", "4", opp, release=release, model="adder")
    attributes |= {"host_env_os": "linux", "host_env_cpu": cpu, "compiler_version": ""}
    library = SoPart(
        "libophost_math.so", f"/opp/built-in/op_impl/ai_core/tbe/op_host/lib/linux/{cpu}/",
        elf_stub(machine),
    )  # fmt: skip
    tiling = [TilingRecord(tiling_key=1, block_dim=24, data=bytes(range(32)), ids=(7,))]
    parts = [
        (ids.SO_BINS, write_so_store([library])),
        (ids.TILING_DATA, write_tiling(tiling)),
        (ids.MODEL_INOUT_INFO, write_inout(boundary(graph))),
        (ids.MODEL_DEF, definition((graph,), attributes, "adder")),
        (ids.TBE_KERNELS, write_kernel_store([("te_add_1__kernel0", b"\x7fELFadd")])),
        (ids.TASK_INFO, build_tasks()),
    ]
    return om(parts, "adder", need_check_os_cpu_info=1, is_unknow_model=1)


def hostlib_x86_64() -> bytes:
    return _host_library("x86_64", _X86_64, OPP_8_1, "8.1.RC1")


def hostlib_aarch64() -> bytes:
    return _host_library("aarch64", _AARCH64, OPP_8_1, "8.1.RC1")


def compressed_310p3() -> bytes:
    """Attribute names and some texts as codes into the dictionary of the model."""
    graph = adder((16, 64))
    names, values = ["index", "_kernelname"], ["te_add_1__kernel0"]
    coded = tuple(_coded(operator, names, values) for operator in graph.operators)
    attributes = compiled("Ascend310P3", "1", OPP_8_1, model="adder") | {
        "om_compress_version": 1,
        "attr_name_enum": names,
        "attr_value_enum": values,
        "attrs_use_string_value": [False, True],
    }
    parts = static_parts(graph, attributes, "adder")
    parts[1] = (
        ids.MODEL_DEF,
        definition((GraphSpec(graph.name, coded),), attributes, "adder"),
    )
    return om(parts, "adder")


def _coded(operator: OperatorSpec, names: list[str], values: list[str]) -> OperatorSpec:
    attributes = {
        encode_position(names.index(name)): values.index(value) if value in values else value
        for name, value in operator.attributes.items()
    }
    return OperatorSpec(
        operator.name, operator.type, operator.inputs, operator.input_descs,
        operator.output_descs, attributes,
    )  # fmt: skip


def external_weights() -> bytes:
    """Constants that stay in a file beside the model."""
    graph = adder((16, 64))
    weight = OperatorSpec(
        "w", "FileConstant", (), (), (graph.operators[0].output_descs[0],),
        {"location": "adder_weights.bin", "offset": 0, "length": 2048},
    )  # fmt: skip
    whole = GraphSpec(graph.name, (*graph.operators[:-1], weight, graph.operators[-1]))
    attributes = compiled("Ascend910B3", "4", OPP_8_1, model="adder")
    return om(static_parts(whole, attributes, "adder"), "adder")


def bad_expression() -> bytes:
    """An attribute of a kind that no release can read."""
    graph = adder((16, 64))
    attributes = compiled("Ascend310P3", "1", OPP_8_1, model="adder")
    attributes["symbolic_size"] = Attribute("symbolic_size", "expression", "s0 * 64")
    return om(static_parts(graph, attributes, "adder"), "adder")


def single_op() -> bytes:
    """One operator, compiled with --singleop."""
    graph = adder((16, 64), "Add_1_2_16_64")
    desc = graph.operators[0].output_descs[0]
    operand = Attribute("", "list_t", [desc, desc])
    attributes = compiled("Ascend310P3", "1", OPP_8_1, model="Add") | {
        "ATTR_MODEL_OP_TYPE": "Add",
        "ATTR_MODEL_TENSOR_INPUTS": operand,
        "ATTR_MODEL_TENSOR_OUTPUTS": Attribute("", "list_t", [desc]),
    }
    return om(static_parts(graph, attributes, "Add"), "Add_1_2_16_64")


def bundle() -> bytes:
    return write_bundle([resnet_static_310p3(), gears_310p3()], var_size=1024, name="bundle")


def flow() -> bytes:
    part = GraphSpec("pipeline", (OperatorSpec("stage0", "PartitionedCall"),))
    model = definition((part,), {}, "pipeline")
    inner = build_submodel("stage0", resnet_static_310p3())
    return write_flow(model, [inner], ["stage0"], name="pipeline")


def nano() -> bytes:
    parts = [
        (ids.PRE_MODEL_DESC, bytes(64)), (ids.WEIGHTS_DATA, WEIGHTS[:1000]),
        (ids.STATIC_TASK_DESC, bytes(40)), (ids.TASK_PARAM, bytes(24)),
    ]  # fmt: skip
    return write_nano(parts, name="nano", model_num=1)


def hiai() -> bytes:
    graph = adder((1, 64))
    attributes: dict[str, object] = {"target_type": "LITE", "memory_size": 0, "stream_num": 0}
    return write_hiai([(ids.MODEL_DEF, definition((graph,), attributes, "ge_default"))])


def bare() -> bytes:
    """A header and a model definition behind it, no table."""
    return write_bare(definition((adder((1, 64)),), {"target_type": "MINI"}, "adder"))


def air() -> bytes:
    return definition((adder((1, 64)),), {}, "adder")


def om2() -> bytes:
    """A package with all that the loader reads and the debug graph; nothing is compressed."""
    tensor = {"index": 0, "format": 2, "data_type": 1, "size": 2048, "shape": [16, 64]}
    tensor |= {"shape_v2": [16, 64]}
    meta = {
        "name": "adder", "root_graph_name": "g", "dynamic_type": 0, "work_size": 8192,
        "zero_copy_size": 4096, "inputs": [{"name": "x1", **tensor}, {"name": "x2", **tensor}],
        "outputs": [{"name": "add:0", **tensor}],
    }  # fmt: skip
    visual = {
        "format": "ge_visual_json", "format_version": 1,
        "model": {
            "name": "adder",
            "attr": {"soc_version": "Ascend910B3", "opp_version": "9.1.0"},
            "graph": [{"name": "g", "op": [
                {"name": "x1", "type": "Data"}, {"name": "x2", "type": "Data"},
                {"name": "add", "type": "Add"}, {"name": "Node_Output", "type": "NetOutput"},
            ]}],
        },
    }  # fmt: skip
    manifest = {"om2_version": "0", "model_num": "1", "atc_command": "atc --model=adder.onnx"}
    entries = {
        "manifest.json": _json(manifest),
        "data/model_0/model_meta.json": _json(meta),
        "data/model_0/runtime/libadder_om2.so": write_library(_AARCH64, ENTRY_POINTS),
        "data/model_0/debug/ge_visual_00000000_graph_0.json": _json(visual),
        "data/kernels_npu_arch/te_add_1.o": b"\x7fELFadd",
        "data/constants/constant_0": WEIGHTS[:64],
        "data/constants/model_0_constants_config.json": _json(
            {"internal_weight_size": 64, "consts": {"0": {
                "index": 0, "type": "INTERNAL", "file_name": "", "file_path": "", "offset": 0,
                "size": 64, "op_name": "w",
            }}}
        ),
    }  # fmt: skip
    return write_om2(entries, stored=entries)


def _json(value: object) -> bytes:
    return json.dumps(value, sort_keys=True, indent=1).encode()


def truncated() -> bytes:
    """A download that stopped after two thirds."""
    whole = resnet_static_310p3()
    return whole[: len(whole) * 2 // 3]


def lfs_pointer() -> bytes:
    oid = "4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393"
    lines = ("version https://git-lfs.github.com/spec/v1", f"oid sha256:{oid}", "size 52831340")
    return ("\n".join(lines) + "\n").encode()


def text_graph() -> bytes:
    """A dump of the graph as Graph Engine writes with DUMP_GE_GRAPH."""
    from google.protobuf import text_format

    from preflight.model.schema import message_class

    message = message_class("ModelDef").FromString(air())
    text: str = text_format.MessageToString(message)
    return text.encode()


SAMPLES: dict[str, Callable[[], bytes]] = {
    "resnet_static_310P3.om": resnet_static_310p3,
    "gears_310P3.om": gears_310p3,
    "soc_910B.om": soc_910b,
    "soc_910B3.om": soc_910b3,
    "old_header_310.om": old_3_3_310,
    "dynamic_8.0.0.om": dynamic_8_0_0,
    "hostlib_x86_64.om": hostlib_x86_64,
    "hostlib_aarch64.om": hostlib_aarch64,
    "compressed_310P3.om": compressed_310p3,
    "external_weights.om": external_weights,
    "bad_expression.om": bad_expression,
    "single_op.om": single_op,
    "bundle.om": bundle,
    "flow.om": flow,
    "nano.om": nano,
    "hiai.om": hiai,
    "bare.om": bare,
    "package_om2.om": om2,
    "truncated.om": truncated,
    "lfs_pointer.om": lfs_pointer,
    "adder.air": air,
    "ge_proto_00000000_graph_1_Build.txt": text_graph,
}


def main() -> None:
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else HERE
    folder.mkdir(parents=True, exist_ok=True)
    for name, build in SAMPLES.items():
        (folder / name).write_bytes(build())


if __name__ == "__main__":
    main()
