"""Small models and targets, each made to fire certain rules: one function per fixture.

`FIXTURES` maps a name to a function that gives the model's bytes with the target and assumptions
under which it is checked. Every rule is run on every fixture (test_rule_set.py).
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping

from msgspec import Struct
from msgspec.structs import replace

from preflight.checks.context import Assumptions
from preflight.container import partitions as ids
from preflight.container.dynamic import write_library
from preflight.container.om2 import ENTRY_POINTS
from preflight.container.store_writer import (
    SoPart,
    write_custom_ops,
    write_kernel_store,
    write_so_store,
)
from preflight.container.types import Fault, Note
from preflight.container.writer import (
    write_bare,
    write_bundle,
    write_flow,
    write_hiai,
    write_nano,
    write_om,
    write_om2,
)
from preflight.data import samples_dir
from preflight.findings import Certainty
from preflight.model.file import read_model
from preflight.model.manifest import Attribute, ModelFile
from preflight.model.schema import message_class
from preflight.model.writer import (
    GraphSpec,
    OperatorSpec,
    build_model_definition,
    build_submodel,
    build_tasks,
)
from preflight.target.manifests import behaviour_fact
from preflight.target.types import (
    Fact,
    Package,
    ReleaseBehaviour,
    SocFacts,
    Target,
    Vendor,
    unknown,
)
from tests.support.models import small_graph

INTERNAL = "7.7.0.1.238"
ATTRIBUTES: Mapping[str, object] = {
    "soc_version": "Ascend910B3",
    "arch_type": "4",
    "atc_version": INTERNAL,
    "opp_version": INTERNAL,
    "atc_cmdline": "atc --model=m.onnx --framework=5 --soc_version=Ascend910B3 --output=m",
}
SOCS = {
    "Ascend910A": SocFacts("Ascend910A", "Ascend910", "3", "1001", "", 32, None, "platform file"),
    "Ascend910B": SocFacts("Ascend910B", "Ascend910", "3", "1001", "", 32, None, "platform file"),
    "Ascend910B3": SocFacts(
        "Ascend910B3", "Ascend910B", "4", "2201", "", 20, 64 << 30, "platform file"
    ),
    "Ascend910B4": SocFacts(
        "Ascend910B4", "Ascend910B", "4", "2201", "", 20, 32 << 30, "platform file"
    ),
    "Ascend310P3": SocFacts(
        "Ascend310P3", "Ascend310P", "1", "2002", "", 8, 16 << 20, "platform file"
    ),
    "Ascend310": SocFacts("Ascend310", "Ascend310", "5", None, "", 2, None, "platform file"),
}


class Fixture(Struct, frozen=True):
    """A model with the target and the assumptions under which it is checked."""

    model: bytes | ModelFile
    target: Target
    assumptions: Assumptions = Assumptions()


def target(behaviour: str | Fact[ReleaseBehaviour] = "ge-8.5.0", **changes: object) -> Target:
    """An installed target on which the plain model loads; `changes` replace fields."""
    base = Target(
        name="test/Ascend910B3/linux-aarch64",
        origin="installed",
        release=Fact("8.5.0", "version.info"),
        internal=Fact(INTERNAL, "version.info"),
        behaviour=behaviour_fact(behaviour) if isinstance(behaviour, str) else behaviour,
        soc=Fact("Ascend910B3", "the caller"),
        socs=SOCS,
        host_os=Fact("linux", "opp/scene.info"),
        host_cpu=Fact("aarch64", "opp/scene.info"),
        abi_range=Fact(">=6.3, <=7.7", "compiler/version.info"),
        opp_version=Fact(INTERNAL, "opp/version.info"),
        driver=unknown("no driver"),
        socs_source="platform files",
    )
    return replace(base, **changes)


NEW = "ge-9.2"


def definition(
    graph: GraphSpec | None = None, attributes: Mapping[str, object] | None = None
) -> bytes:
    """A model definition with the plain attributes, `attributes` over them; None removes one."""
    merged = {**ATTRIBUTES, **(attributes or {})}
    kept = {name: value for name, value in merged.items() if value is not None}
    return build_model_definition([graph or small_graph()], kept)


KERNELS = (ids.TBE_KERNELS, write_kernel_store([("te_conv_1__kernel0", b"\x7fELF")]))


def parts(model_def: bytes | None = None, *more: tuple[int, bytes]) -> list[tuple[int, bytes]]:
    """Partitions of a plain static model, `more` before the rest."""
    return [
        *more,
        (ids.MODEL_DEF, definition() if model_def is None else model_def),
        (ids.WEIGHTS_DATA, b"\1" * 64),
        KERNELS,
        (ids.TASK_INFO, build_tasks()),
    ]


def om(model_def: bytes | None = None, *more: tuple[int, bytes], **header: object) -> bytes:
    """A plain static OM."""
    return write_om([parts(model_def, *more)], **header)


def with_attributes(**attributes: object) -> bytes:
    """A plain static OM with other model attributes; None removes one."""
    return om(definition(attributes=attributes))


def dynamic(model_def: bytes | None = None, *more: tuple[int, bytes], **header: object) -> bytes:
    """A dynamic OM of one block."""
    return om(model_def, *more, is_unknow_model=1, **header)


def library(machine: int = 0xB7, bin_type: int = 0) -> tuple[int, bytes]:
    """SO_BINS with one host library for an ELF machine (0xB7 aarch64, 0x3E x86_64)."""
    head = b"\x7fELF\x02\x01\x01" + bytes(9) + struct.pack("<HH", 3, machine) + bytes(44)
    vendor = "/opp/vendors/acme/op_impl/"
    return (ids.SO_BINS, write_so_store([SoPart("libacme.so", vendor, head, bin_type)]))


HOST = {"host_env_os": "linux", "host_env_cpu": "aarch64"}


def broken(data: bytes, offset: int, value: bytes) -> bytes:
    """`data` with some bytes overwritten."""
    return data[:offset] + value + data[offset + len(value) :]


def grown(data: bytes, more: bytes, *, announced: bool = True) -> bytes:
    """`data` with bytes behind it, which the header announces or not."""
    whole = data + more
    return broken(whole, 184, struct.pack("<Q", len(whole) - 256)) if announced else whole


def counted(data: bytes, count: int) -> bytes:
    """`data` with another number in its first partition table."""
    return broken(data, 256, struct.pack("<I", count))


def plain() -> Fixture:
    return Fixture(om(), target())


def plain_on_new() -> Fixture:
    return Fixture(om(), target(NEW))


def plain_dynamic() -> Fixture:
    return Fixture(dynamic(), target())


def sample(name: str, where: Target | None = None) -> Fixture:
    return Fixture((samples_dir() / name).read_bytes(), where or target())


def lfs_pointer() -> Fixture:
    return sample("lfs_pointer.om")


def two_bytes() -> Fixture:
    return Fixture(b"IM", target(NEW))


def empty() -> Fixture:
    return Fixture(b"", target())


def empty_on_new() -> Fixture:
    return Fixture(b"", target(NEW))


def short_header() -> Fixture:
    return Fixture(om()[:200], target())


def bundle_through_plain_load() -> Fixture:
    return Fixture(write_bundle([om()]), target(NEW), Assumptions(loader="standard"))


def package_on_old() -> Fixture:
    return sample("package_om2.om")


def package_on_new() -> Fixture:
    return sample("package_om2.om", target(NEW))


def package_for_other_cpu() -> Fixture:
    return sample("package_om2.om", target(NEW, host_cpu=Fact("x86_64", "scene.info")))


def package_for_other_device() -> Fixture:
    device = target(NEW, soc=Fact("Ascend310P3", "the caller"))
    return sample("package_om2.om", device)


def package(**entries: bytes | None) -> bytes:
    """The sample package with entries replaced (None leaves one out)."""
    import io
    import zipfile

    names = {
        "meta": "data/model_0/model_meta.json",
        "visual": "data/model_0/debug/ge_visual_00000000_graph_0.json",
        "constants": "data/constants/model_0_constants_config.json",
    }
    with zipfile.ZipFile(io.BytesIO((samples_dir() / "package_om2.om").read_bytes())) as archive:
        names["program"] = next(n for n in archive.namelist() if n.endswith(".so"))
        content: dict[str, bytes | None] = {n: archive.read(n) for n in archive.namelist()}
    content.update({names[key]: value for key, value in entries.items()})
    return write_om2({name: value for name, value in content.items() if value is not None})


def package_cut() -> Fixture:
    return Fixture((samples_dir() / "package_om2.om").read_bytes()[:600], target(NEW))


def package_entry_empty() -> Fixture:
    return Fixture(package(meta=b""), target(NEW))


def package_without_description() -> Fixture:
    return Fixture(package(meta=None), target(NEW))


def package_without_record() -> Fixture:
    return Fixture(package(visual=None), target(NEW))


def package_weight_file_missing() -> Fixture:
    constants = (
        b'{"internal_weight_size": 0, "consts": {"0": {"index": 0, "type": "INDIVIDUAL", '
        b'"file_name": "part_0.bin", "offset": 0, "size": 4}}}'
    )
    return Fixture(package(constants=constants), target(NEW), Assumptions(weight_path="."))


def package_program_no_library() -> Fixture:
    return Fixture(package(program=b"#!/bin/sh\n" + bytes(40)), target(NEW))


def package_program_cut() -> Fixture:
    whole = write_library(0xB7, ENTRY_POINTS)
    return Fixture(package(program=whole[:100]), target(NEW))


def package_program_without_entry_point() -> Fixture:
    return Fixture(package(program=write_library(0xB7, ENTRY_POINTS[:-1])), target(NEW))


def zip_of_something_else() -> Fixture:
    return Fixture(write_om2({"readme.txt": b"hello"}), target(NEW))


def zip_of_something_else_on_old() -> Fixture:
    return Fixture(write_om2({"readme.txt": b"hello" * 99}), target())


def zip_cut_short() -> Fixture:
    return Fixture(b"PK\x03\x04", target(NEW))


def package_zero_copy() -> Fixture:
    meta = b'{"name": "adder", "work_size": 1, "zero_copy_size": 2, "inputs": [], "outputs": []}'
    return Fixture(package(meta=meta), target(NEW))


def package_constants() -> Fixture:
    constants = b'{"internal_weight_size": 4, "consts": {"0": {"index": 0, "type": "NEW"}}}'
    return Fixture(package(constants=constants), target(NEW))


def mobile() -> Fixture:
    return Fixture(write_hiai([(ids.MODEL_DEF, definition())]), target())


def mobile_without_table() -> Fixture:
    return Fixture(counted(write_hiai([(ids.MODEL_DEF, definition())]), 0), target())


def mobile_cut() -> Fixture:
    return Fixture(write_hiai([(ids.MODEL_DEF, definition())])[:-9], target())


def bare() -> Fixture:
    return Fixture(write_bare(definition()), target())


def air() -> Fixture:
    return Fixture(definition(), target())


def nano() -> Fixture:
    return Fixture(write_nano([(ids.PRE_MODEL_DESC, bytes(64))]), target())


def nano_partition() -> Fixture:
    data = write_nano([(ids.PRE_MODEL_DESC, b""), (ids.WEIGHTS_DATA, b"x")])
    return Fixture(data, target(), Assumptions(loader="nano"))


def nano_by_its_executor() -> Fixture:
    data = write_nano([(ids.PRE_MODEL_DESC, bytes(64))])
    return Fixture(data, target(), Assumptions(loader="nano"))


def nano_magic() -> Fixture:
    data = broken(write_nano([(ids.PRE_MODEL_DESC, bytes(64))]), 0, b"XXXX")
    return Fixture(data, target(), Assumptions(loader="nano"))


def truncated() -> Fixture:
    return Fixture(om()[:-20], target())


def no_room() -> Fixture:
    header = om()[:256]
    return Fixture(broken(header + bytes(8), 184, struct.pack("<Q", 8)), target())


def tiny_count() -> Fixture:
    nine = [*parts(), *[(40 + n, b"x") for n in range(5)]]
    return Fixture(write_om([nine], table="tiny"), target())


def eight_partitions_on_old() -> Fixture:
    eight = [*parts(), *[(40 + n, b"x") for n in range(4)]]
    return Fixture(write_om([eight]), target("ge-9.0.1"))


def eight_partitions_on_new() -> Fixture:
    eight = [*parts(), *[(40 + n, b"x") for n in range(4)]]
    return Fixture(write_om([eight]), target(NEW))


def flow_count() -> Fixture:
    return Fixture(counted(flow_model(), 5000), target())


def no_partition_data() -> Fixture:
    table = om()[:256] + struct.pack("<II", 1, 0) + struct.pack("<IIQQ", 0, 0, 0, 0)
    return Fixture(broken(table, 184, struct.pack("<Q", len(table) - 256)), target())


def partition_out_of_bounds() -> Fixture:
    return Fixture(broken(om(), 256 + 8 + 16, struct.pack("<Q", 1 << 40)), target())


def dynamic_with_tail() -> Fixture:
    return Fixture(grown(dynamic(), bytes(12)), target())


def definition_only() -> Fixture:
    return Fixture(write_om([[(ids.MODEL_DEF, definition())]]), target())


def bundle() -> Fixture:
    return Fixture(write_bundle([om(), om()]), target(NEW))


def bundle_cut() -> Fixture:
    return Fixture(write_bundle([om()])[:-40], target(NEW))


def not_a_bundle() -> Fixture:
    return Fixture(om(), target(NEW), Assumptions(loader="bundle"))


def bundle_variables_cut() -> Fixture:
    whole = write_bundle([], var_size=1)
    return Fixture(broken(whole[:-4], 256 + 8 + 16, struct.pack("<Q", 4)), target(NEW))


def bundle_on_old() -> Fixture:
    return Fixture(write_bundle([om()], var_size=64), target())


def bundle_with_mismatch() -> Fixture:
    other = with_attributes(soc_version="Ascend310P3", arch_type="1")
    return Fixture(write_bundle([om(), other]), target(NEW))


def flow_model(names: tuple[str, ...] = ("stage0",), **submodel: object) -> bytes:
    inner = build_submodel("stage0", **(submodel or {"om": om()}))  # type: ignore[arg-type]
    return write_flow(definition(), [inner], list(names), name="pipeline")


def flow() -> Fixture:
    return Fixture(flow_model(), target())


def flow_through_plain_load() -> Fixture:
    return Fixture(flow_model(), target(), Assumptions(loader="standard"))


def flow_order() -> Fixture:
    data = flow_model()
    return Fixture(broken(data, 256 + 8, struct.pack("<I", ids.WEIGHTS_DATA)), target())


def flow_without_submodel() -> Fixture:
    return Fixture(flow_model(("stage0", "stage1")), target())


def flow_submodel_outside() -> Fixture:
    return Fixture(flow_model(om_path="../elsewhere/stage0.om"), target())


SINGLE = Assumptions(loader="single_op")


def single_op() -> Fixture:
    where = target(soc=Fact("Ascend310P3", "the caller"))
    return sample("single_op.om", where)


def single_op_cut() -> Fixture:
    return Fixture(om()[:-20], target(), SINGLE)


def single_op_unreadable() -> Fixture:
    return Fixture(om(b"\xff\xff"), target(), SINGLE)


def single_op_other_device() -> Fixture:
    return sample("single_op.om", target())


def not_a_single_op() -> Fixture:
    return Fixture(om(), target(), SINGLE)


def trailing() -> Fixture:
    return Fixture(grown(om(), bytes(12)), target())


def odd_offsets() -> Fixture:
    return Fixture(broken(om(), 256 + 8 + 24 + 8, struct.pack("<Q", 3)), target())


def odd_header_size() -> Fixture:
    return Fixture(om(headsize=255), target())


def encrypted() -> Fixture:
    return Fixture(om(is_encrypt=1), target())


def twice() -> Fixture:
    return Fixture(om(None, (ids.WEIGHTS_DATA, b"y")), target())


def old_inout() -> Fixture:
    return Fixture(om(None, (ids.FLOW_MODEL, struct.pack("<III", 0, 4, 0))), target())


def loader_of_tomorrow() -> Fixture:
    known = behaviour_fact(NEW)
    return Fixture(om(), target(replace(known, certainty=Certainty.POSSIBLE)))


def mismatch_on_loader_of_tomorrow() -> Fixture:
    known = behaviour_fact(NEW)
    where = target(replace(known, certainty=Certainty.POSSIBLE))
    return Fixture(with_attributes(soc_version="Ascend310P3", arch_type="1"), where)


def odd_bundle() -> Fixture:
    data = broken(write_bundle([om()]), 0, b"XXXX")
    return Fixture(data, target(NEW), Assumptions(loader="bundle"))


def definition_tail() -> Fixture:
    return Fixture(om(definition() + bytes(4)), target())


def inout_unreadable() -> Fixture:
    return Fixture(om(None, (ids.MODEL_INOUT_INFO, struct.pack("<III", 99, 4, 0))), target())


def unreadable_definition() -> Fixture:
    return Fixture(om(b"\xff\xff"), target())


def expression() -> Fixture:
    return Fixture(with_attributes(odd=Attribute("odd", "expression", "s0 * 2")), target())


def nested_unset() -> Fixture:
    message = message_class("ModelDef").FromString(definition())
    message.attr["odd"].func.attr["inner"].SetInParent()
    return Fixture(om(message.SerializeToString()), target())


def dangling_edge() -> Fixture:
    graph = small_graph()
    last = replace(graph.operators[-1], inputs=("nobody:0",))
    return Fixture(
        om(definition(replace(graph, operators=(*graph.operators[:-1], last)))), target()
    )


def dictionary() -> Fixture:
    return Fixture(with_attributes(om_compress_version=1), target())


def tasks_unreadable() -> Fixture:
    odd = [p for p in parts() if p[0] != ids.TASK_INFO]
    return Fixture(write_om([[*odd, (ids.TASK_INFO, b"\xff\xff")]]), target())


def tiling_unreadable() -> Fixture:
    return Fixture(om(None, (ids.TILING_DATA, bytes(40))), target())


BROKEN_STORE = (ids.SO_BINS, struct.pack("<I", 3) + bytes(60))


def library_store_on_new() -> Fixture:
    return Fixture(om(None, BROKEN_STORE), target(NEW))


def library_store_on_old() -> Fixture:
    return Fixture(om(None, BROKEN_STORE), target())


def custom_ops_on_new() -> Fixture:
    return Fixture(om(None, (ids.CUSTOM_OPS, write_custom_ops([("Acme", b"x")]))), target(NEW))


def custom_ops_on_old() -> Fixture:
    return Fixture(om(None, (ids.CUSTOM_OPS, write_custom_ops([("Acme", b"x")]))), target())


def kernel_store_cut() -> Fixture:
    odd = [p for p in parts() if p[0] != ids.TBE_KERNELS]
    store = KERNELS[1] + struct.pack("<III", 0x5D776EFD, 4, 100) + b"cut"
    return Fixture(write_om([[*odd, (ids.TBE_KERNELS, store)]]), target())


def without_kernels() -> Fixture:
    return Fixture(write_om([[p for p in parts() if p[0] != ids.TBE_KERNELS]]), target())


def library_too_large() -> Fixture:
    """No test writes a gibibyte: the size is changed in what was read."""
    model = read_model(om(definition(), library()), path="large.om")
    assert model.manifest is not None
    store = model.manifest.so_store
    large = replace(store, libraries=(replace(store.libraries[0], size=(1 << 30) + 1),))
    return Fixture(replace(model, manifest=replace(model.manifest, so_store=large)), target())


def fault_of_tomorrow() -> Fixture:
    """What a reader may report one day, before there is a rule for it."""
    model = read_model(om(), path="m.om")
    fault = Fault("new.check", "something new is wrong", (77,))
    note = Note("new_note", "something new is odd")
    return Fixture(replace(model, standard_faults=(fault,), notes=(note,)), target())


def beyond_our_limits() -> Fixture:
    model = read_model(om(), path="m.om")
    return Fixture(replace(model, notes=(Note("cap.tasks", "too much to read"),)), target())


def memory_attributes() -> Fixture:
    return Fixture(with_attributes(memory_size=10, zero_copy_memory_size=20), target())


def notify_attributes() -> Fixture:
    return Fixture(with_attributes(notify_num=1, notify_types=[1, 2]), target())


def deterministic() -> Fixture:
    return Fixture(dynamic(definition(attributes={"deterministic": 1})), target(NEW))


def weight_path_unused() -> Fixture:
    return Fixture(om(), target(), Assumptions(weight_path="."))


def weight_path_missing() -> Fixture:
    return Fixture(om(external_graph()), target(), Assumptions(weight_path="/nowhere/at/all"))


def external_graph() -> bytes:
    graph = small_graph()
    constant = OperatorSpec("file", "FileConstant", attributes={"location": "w/part_0.bin"})
    return definition(replace(graph, operators=(*graph.operators, constant)))


def weight_file_not_named() -> Fixture:
    graph = small_graph()
    constant = OperatorSpec("file", "FileConstant", attributes={"file_id": "0"})
    model_def = definition(replace(graph, operators=(*graph.operators, constant)))
    return Fixture(om(model_def), target())


def weight_file_missing() -> Fixture:
    return Fixture(om(external_graph()), target(), Assumptions(weight_path="."))


def device_operators() -> Fixture:
    return Fixture(with_attributes(needCheckCpu=["Acme"]), target())


def kernels_not_on_target() -> Fixture:
    bare_parts = [p for p in parts() if p[0] != ids.TBE_KERNELS]
    where = target(kernels={"Conv2D": (), "TransData": ()}, kernels_source="operator config")
    return Fixture(write_om([bare_parts], is_unknow_model=1), where)


def other_architecture() -> Fixture:
    return Fixture(with_attributes(soc_version="Ascend310P3", arch_type="1"), target())


def other_npu_architecture() -> Fixture:
    return Fixture(with_attributes(soc_version="Ascend310P3", arch_type="1"), target(NEW))


def soc_without_npu_arch() -> Fixture:
    return Fixture(with_attributes(soc_version="Ascend310", arch_type="5"), target(NEW))


def same_architecture() -> Fixture:
    return Fixture(with_attributes(soc_version="Ascend910B4"), target())


def soc_not_recorded() -> Fixture:
    return Fixture(with_attributes(soc_version=None, arch_type=None), target())


def soc_not_compared() -> Fixture:
    return Fixture(with_attributes(soc_version="Ascend310P3", arch_type=None), target())


def plain_910b() -> Fixture:
    device = target(soc=Fact("Ascend910A", "the caller"))
    return Fixture(with_attributes(soc_version="Ascend910B", arch_type="3"), device)


def plain_910() -> Fixture:
    device = target(soc=Fact("Ascend910A", "the caller"))
    return Fixture(with_attributes(soc_version="Ascend910", arch_type="3"), device)


def too_large() -> Fixture:
    device = target(soc=Fact("Ascend310P3", "the caller"))
    attributes = {"soc_version": "Ascend310P3", "arch_type": "1", "memory_size": 1 << 30}
    return Fixture(with_attributes(**attributes), device)


def other_host() -> Fixture:
    checked = dynamic(definition(attributes=HOST), library(), need_check_os_cpu_info=1)
    return Fixture(checked, target(host_cpu=Fact("x86_64", "opp/scene.info")))


def abi_out_of_range() -> Fixture:
    attributes = {**HOST, "opp_version": "8.5.0", "compiler_version": "7.7"}
    checked = dynamic(definition(attributes=attributes), library(), need_check_os_cpu_info=1)
    return Fixture(checked, target())


def abi_range_unreadable() -> Fixture:
    checked = dynamic(definition(attributes=HOST), need_check_os_cpu_info=1)
    return Fixture(checked, target(abi_range=Fact(">=6.3", "compiler/version.info")))


def other_opp() -> Fixture:
    return Fixture(dynamic(), target(opp_version=Fact("7.7.0.1.239", "opp/version.info")))


def unchecked_version() -> Fixture:
    return Fixture(with_attributes(atc_version="7.3.0.1"), target())


def unchecked_host() -> Fixture:
    return Fixture(with_attributes(**HOST), target())


def library_for_other_cpu() -> Fixture:
    checked = dynamic(definition(attributes=HOST), library(0x3E), need_check_os_cpu_info=1)
    return Fixture(checked, target())


def platform_missing() -> Fixture:
    socs = {name: facts for name, facts in SOCS.items() if name != "Ascend910B3"}
    return Fixture(om(), target(NEW, socs=socs))


def command_not_recorded() -> Fixture:
    return Fixture(with_attributes(atc_cmdline=None), target())


def vendors() -> Fixture:
    path, reason = "/opp/vendors/acme", "8.5.0 is outside >=6.3, <=7.7"
    found = (
        Vendor("acme", path, "8.5.0", False, reason),
        Vendor("idle", "/opp/vendors/idle", "7.7", False, "config.ini does not search it"),
        Vendor("gone", "/opp/vendors/gone", None, False, "there is no folder vendors/gone"),
    )
    return Fixture(om(), target(vendors=found))


def packages() -> Fixture:
    found = (
        Package("runtime", "7.7.0.1.238", "8.1.RC1", {"driver": ""}, {"ascendhal": "9.0.0"}, "r"),
        Package("compiler", "7.7.0.1.238", "8.1.RC1", {"opp": "7.6"}, {}, "c"),
        Package("opp", "7.7.0.1.238", "8.1.RC1", {}, {}, "opp/version.info"),
        Package("hccl", "7.3.0.1.1", "8.0.RC1", {}, {}, "h"),
    )
    where = target(
        packages=found,
        release=Fact("8.1.RC1", "version.info"),
        opp_version=Fact("9", "opp/version.info"),
        abi_range=Fact(">=6.3", "compiler/version.info"),
        driver=Fact("25.0", "driver/version.info"),
        details={
            "driver_interfaces": ("ascendhal=7.35.23",),
            "innerversion": "V100R001C21SPC001B212",
            "compatible_version": "[V100R001C19],[V100R001C21]",
            "driver_innerversion": "V100R001C10SPC001B212",
            "driver_compatible_lines": ("V100R001C10",),
        },
    )
    return Fixture(om(), where)


def remark() -> Fixture:
    return Fixture(om(), target(notes=("Ascend910B stands for two things",)))


def catalogue_without_facts() -> Fixture:
    nothing = unknown("a catalogue target does not say")
    return Fixture(
        dynamic(definition(attributes=HOST), library(), need_check_os_cpu_info=1),
        target(
            nothing,
            origin="catalogue",
            soc=nothing,
            socs={},
            host_os=nothing,
            host_cpu=nothing,
            abi_range=nothing,
            opp_version=nothing,
            internal=nothing,
        ),
    )


def unsure_behaviour() -> Fixture:
    known = behaviour_fact("ge-8.5.0")
    assert known.value is not None
    doubtful = replace(known.value, certainties={"soc_rule": Certainty.POSSIBLE})
    return Fixture(
        with_attributes(soc_version="Ascend310P3", arch_type="1"),
        target(replace(known, value=doubtful)),
    )


_OTHERS = ("sample", "target", "definition", "parts", "om", "with_attributes", "dynamic")
FIXTURES: dict[str, Callable[[], Fixture]] = {
    name: function
    for name, function in list(globals().items())
    if callable(function)
    and getattr(function, "__module__", "") == __name__
    and getattr(function, "__annotations__", {}).get("return") == "Fixture"
    and name not in _OTHERS
}
