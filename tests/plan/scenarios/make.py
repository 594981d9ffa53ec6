"""Writes the models and snapshots of the scenarios with the project's writers.

    python tests/plan/scenarios/make.py [FOLDER]

The same bytes every time; a test compares them with the files beside this one.
"""

from __future__ import annotations

import sys
from pathlib import Path

from msgspec.structs import replace

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[2]))

from preflight.container import partitions as ids  # noqa: E402
from preflight.container.store_writer import (  # noqa: E402
    SoPart,
    TilingRecord,
    write_custom_ops,
    write_kernel_store,
    write_so_store,
    write_tiling,
)
from preflight.container.writer import write_om  # noqa: E402
from preflight.model.writer import (  # noqa: E402
    GraphSpec,
    OperatorSpec,
    TensorSpec,
    build_model_definition,
    build_tasks,
)
from preflight.target.resolve import load_target  # noqa: E402
from preflight.target.snapshot import snapshot_text  # noqa: E402
from preflight.target.types import Vendor  # noqa: E402

SHAPE = (1, 32, 8, 8)
OPP = {"8.0.RC3": "7.5.0.1.129", "8.0.0": "7.6.0.1.220", "8.1.RC1": "7.7.0.1.238", "9.1.0": "9.1.0"}
_MACHINES = {"x86_64": 0x3E, "aarch64": 0xB7}


def tensor(shape: tuple[int, ...] = SHAPE) -> TensorSpec:
    count = 1
    for dim in shape:
        count *= max(dim, 1)
    return TensorSpec("FLOAT16", shape, "NCHW", size=2 * count)


def graph(middle: OperatorSpec, shape: tuple[int, ...] = SHAPE) -> GraphSpec:
    """Data, one operator and the output."""
    one = tensor(shape)
    return GraphSpec(
        "main",
        (
            OperatorSpec("x", "Data", (), (one,), (one,), {"index": 0}),
            replace(middle, inputs=("x:0",), input_descs=(one,), output_descs=(one,)),
            OperatorSpec("out", "NetOutput", (f"{middle.name}:0",), (one,), ()),
        ),
    )


def relu(shape: tuple[int, ...] = SHAPE) -> GraphSpec:
    return graph(OperatorSpec("relu", "Relu"), shape)


def group_norm(epsilon: float) -> GraphSpec:
    values = {"num_groups": 4, "eps": epsilon, "data_format": "NCHW"}
    return graph(OperatorSpec("norm", "GroupNormV2", attributes=values))


def attributes(soc: str, arch: str, release: str, options: str = "") -> dict[str, object]:
    """What atc of a release records about itself."""
    atc = f"/usr/local/Ascend/ascend-toolkit/{release}/aarch64-linux/bin/atc.bin"
    command = f"{atc} --model=/models/net.onnx --framework=5 --output=net --soc_version={soc}"
    return {
        "soc_version": soc,
        "arch_type": arch,
        "framework_type": "Onnx",
        "opp_version": OPP[release],
        "atc_version": OPP[release],
        "atc_cmdline": f"{command} --input_shape=x:1,32,8,8{options}",
        "memory_size": 4096,
        "stream_num": 1,
        "weight_size": 64,
    }


def definition(of: GraphSpec, values: dict[str, object]) -> tuple[int, bytes]:
    return ids.MODEL_DEF, build_model_definition((of,), values, name="net")


def tail() -> list[tuple[int, bytes]]:
    kernels = write_kernel_store([("te_main_1__kernel0", b"\x7fELFmain")])
    return [
        (ids.WEIGHTS_DATA, bytes(64)),
        (ids.TBE_KERNELS, kernels),
        (ids.TASK_INFO, build_tasks()),
    ]


def static(of: GraphSpec, values: dict[str, object]) -> bytes:
    return write_om([[definition(of, values), *tail()]], name="net")


def dynamic(of: GraphSpec, values: dict[str, object]) -> bytes:
    """Unknown shapes without host libraries: the operator package must be the same one."""
    values |= {"host_env_os": "linux", "host_env_cpu": "aarch64"}
    return write_om([[definition(of, values), *tail()]], name="net", is_unknow_model=1)


def library(cpu: str, name: str = "libophost_math.so", bin_type: int = 0) -> SoPart:
    head = b"\x7fELF\x02\x01\x01" + bytes(9)
    content = head + (3).to_bytes(2, "little") + _MACHINES[cpu].to_bytes(2, "little") + bytes(44)
    place = f"/opp/built-in/op_impl/ai_core/tbe/op_host/lib/linux/{cpu}/"
    return SoPart(name, place, content, bin_type)


def with_libraries(of: GraphSpec, values: dict[str, object], cpu: str, custom: bool) -> bytes:
    """Unknown shapes with host libraries, and with custom operators where asked for."""
    values |= {"host_env_os": "linux", "host_env_cpu": cpu, "compiler_version": ""}
    tiling = [TilingRecord(tiling_key=1, block_dim=8, data=bytes(8), ids=(1,))]
    libraries = [library(cpu)]
    if custom:  # kCustomOp: without such a library CUSTOM_OPS cannot be restored (§A.11)
        libraries.append(library(cpu, "libcustom_op.so", 3))
    parts = [(ids.SO_BINS, write_so_store(libraries)), (ids.TILING_DATA, write_tiling(tiling))]
    if custom:
        parts.insert(1, (ids.CUSTOM_OPS, write_custom_ops([("MyRelu", b"state")])))
        parts.append((ids.CUST_AICPU_KERNELS, write_kernel_store([("libcust.so", b"\x7fELF")])))
    parts += [definition(of, values), *tail()]
    return write_om([parts], name="net", need_check_os_cpu_info=1, is_unknow_model=1)


def models() -> dict[str, bytes]:
    unknown = (-1, 32, 8, 8)
    own = OperatorSpec("own", "MyRelu")
    aipp = " --insert_op_conf=aipp.cfg --precision_mode=force_fp16 --auto_tune_mode=RL"
    return {
        "plain_910B.om": static(relu(), attributes("Ascend910B", "3", "8.1.RC1")),
        "dynamic_8.0.0.om": dynamic(relu(unknown), attributes("Ascend910B3", "4", "8.0.0")),
        "dynamic_8.0.RC3.om": dynamic(relu(unknown), attributes("Ascend910B3", "4", "8.0.RC3")),
        "dynamic_8.1.RC1.om": dynamic(relu(unknown), attributes("Ascend910B3", "4", "8.1.RC1")),
        "host_x86_64.om": with_libraries(
            relu(unknown), attributes("Ascend910B3", "4", "8.1.RC1"), "x86_64", False
        ),
        "old_310.om": static(relu(), attributes("Ascend310", "5", "8.0.0", aipp)),
        "eight_partitions.om": with_libraries(
            relu(unknown), attributes("Ascend910B3", "4", "9.1.0"), "aarch64", True
        ),
        "group_norm.om": static(group_norm(1e-4), attributes("Ascend910B", "3", "8.1.RC1")),
        "custom_operator.om": dynamic(
            graph(own, unknown), attributes("Ascend910B3", "4", "8.1.RC1")
        ),
        "static_910B3.om": static(relu(), attributes("Ascend910B3", "4", "8.0.0")),
        "ranges_910B3.om": dynamic(
            relu(unknown),
            attributes("Ascend910B3", "4", "8.1.RC1", " --input_shape=x:1~8,32,8,8"),
        ),
    }


def small_target(*vendors: Vendor) -> str:
    """An 8.1.RC1 host with these custom operator packages, without tables that do not matter."""
    target = load_target("8.1.RC1/Ascend910B3/linux-aarch64")
    socs = {"Ascend910B3": target.socs["Ascend910B3"]}
    small = replace(target, origin="snapshot", vendors=vendors, socs=socs, kernels={})
    return snapshot_text(replace(small, kernels_source=""))


def unsearched_vendor() -> str:
    """The custom operator package was copied there, and config.ini does not name it."""
    place = "/opt/opp/vendors/customize"
    why = "vendors/config.ini does not search it"
    return small_target(Vendor("customize", place, "7.7.0.1.238", False, why, ("MyRelu",)))


def missing_vendor() -> str:
    """ASCEND_CUSTOM_OPP_PATH names a folder that is gone."""
    place = "/opt/custom/vendors/gone"
    return small_target(Vendor("gone", place, None, False, "there is no folder", ()))


def dropped_vendor() -> str:
    """An 8.1.RC1 host whose custom operator package was built by a release it does not take."""
    target = load_target("8.1.RC1/Ascend910B3/linux-aarch64")
    vendor = Vendor(
        name="customize",
        path="/opt/opp/vendors/customize",
        compiler_version="8.5.0",
        accepted=False,
        reason="its version is outside >=6.3, <=7.7",
        operators=("MyRelu",),
    )
    return snapshot_text(replace(target, origin="snapshot", vendors=(vendor,)))


def files() -> dict[str, bytes]:
    """Every file by name."""
    targets = {
        "dropped_vendor.toml": dropped_vendor(),
        "unsearched_vendor.toml": unsearched_vendor(),
        "missing_vendor.toml": missing_vendor(),
    }
    return models() | {name: text.encode() for name, text in targets.items()}


def main(folder: Path) -> None:
    for name, content in files().items():
        (folder / name).write_bytes(content)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else HERE)
