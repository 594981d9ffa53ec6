"""What a model file says about itself (the model manifest)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct, field

from preflight.container.types import Container, Fault, Note

# Plain Python: str, bytes, int, float, bool, list, TensorInfo ("td"), TensorValue ("t"),
# GraphValue ("g"); NamedAttrs are {"name": str, "attr": {name: Attribute}}.
AttrValue = object

# gc=False: values that come by the hundred thousand and cannot refer to themselves


class Attribute(Struct, frozen=True, gc=False):
    """One attribute as the loader keeps it. `type` is the codec name: "s", "i", "list_i", …"""

    name: str
    type: str
    value: AttrValue


class TensorInfo(Struct, frozen=True, gc=False):
    """A tensor at the boundary of a model or of an operator. -1 is an unknown dimension."""

    name: str
    dtype: str  # "FLOAT16": the ge name without the DT_ prefix
    format: str  # "NCHW"
    shape: tuple[int, ...] | None
    origin_format: str = ""
    origin_shape: tuple[int, ...] | None = None
    shape_range: tuple[tuple[int, int], ...] = ()
    size: int | None = None  # bytes
    connected: bool = True
    attributes: Mapping[str, Attribute] = field(default_factory=dict)


class TensorValue(Struct, frozen=True):
    """A constant as an attribute value: its description and how many bytes of data it holds."""

    desc: TensorInfo
    data_size: int
    data_sha256: str = ""  # of data that stands in the attribute itself, empty when there is none


class GraphValue(Struct, frozen=True):
    """A graph as an attribute value; the loader keeps it without looking inside."""

    name: str
    operators: int


class Operator(Struct, frozen=True, gc=False):
    """One node. `inputs` are (producer, output index) per data input; None where not connected."""

    name: str
    type: str
    graph: str
    block: int
    attributes: Mapping[str, Attribute]
    inputs: tuple[tuple[str, int] | None, ...]
    control_inputs: tuple[str, ...]
    input_descs: tuple[TensorInfo, ...]
    output_descs: tuple[TensorInfo, ...]
    input_names: tuple[str, ...] = ()  # IR names where the file records them
    origin_names: tuple[str, ...] = ()  # _datadump_original_op_names and relatives
    subgraphs: tuple[str, ...] = ()


class Graph(Struct, frozen=True):
    """A graph of a model definition; the first one of a block is its root."""

    name: str
    block: int
    operators: Sequence[Operator]  # made when they are looked at; indexing is cheap
    inputs: tuple[str, ...] = ()
    outputs: tuple[str, ...] = ()
    attributes: Mapping[str, Attribute] = field(default_factory=dict)


class OperatorCount(Struct, frozen=True):
    """A row of the operator inventory."""

    type: str
    count: int
    first: str  # "graph/op" of the first occurrence


class Kernel(Struct, frozen=True):
    """A device kernel or custom AICPU library in a kernel store."""

    name: str
    size: int
    store: str  # "TBE_KERNELS" | "CUST_AICPU_KERNELS" | "OM2"
    block: int = 0


class HostLibrary(Struct, frozen=True):
    """A host shared object embedded in SO_BINS (§A.7) or in an OM2 package."""

    name: str
    type: int
    type_name: str  # kSpaceRegistry, kOpMasterDevice, kAutofuse, kCustomOp, or "unknown"
    vendor: str
    size: int
    elf_machine: str  # "aarch64", "x86_64", "" when not an ELF file
    block: int = 0


class SoStore(Struct, frozen=True):
    """How the loader's SO_BINS reading ended: `loaded` decides whether the ABI check applies."""

    present: bool = False
    loaded: bool = False
    libraries: tuple[HostLibrary, ...] = ()


class AtcCommand(Struct, frozen=True):
    """A recorded atc command line, taken apart; never executed."""

    text: str
    program: str
    options: tuple[tuple[str, str | None], ...]  # in order, without the leading dashes

    def get(self, name: str) -> str | None:
        """The last value given for an option, None when it is absent or bare."""
        return next((v for k, v in reversed(self.options) if k == name), None)


class Gears(Struct, frozen=True):
    """Dynamic gears: what a multi-shape model accepts."""

    batch: tuple[int, ...] = ()
    hw: tuple[tuple[int, ...], ...] = ()
    dims: tuple[tuple[int, ...], ...] = ()
    output_shapes: tuple[str, ...] = ()
    name_order: tuple[str, ...] = ()


class MemoryNeeds(Struct, frozen=True):
    """Bytes the model needs on the device; None where the file does not say."""

    weights: int | None = None
    memory_size: int | None = None
    zero_copy: int | None = None
    p2p: int | None = None
    streams: int | None = None
    events: int | None = None
    labels: int | None = None
    notifies: int | None = None


class ModelManifest(Struct, frozen=True):
    """Everything that checks, plans and people ask of a model. Empty text = the file is silent."""

    model_name: str
    # schema
    ir_version: int | None  # ModelDef.version
    custom_version: str
    compressed_attributes: bool
    # engines
    soc_version: str
    arch_type: str
    atc_version: str
    opp_version: str
    compiler_version: str
    framework_type: str
    atc_command: AtcCommand | None
    # host
    host_env_os: str
    host_env_cpu: str
    need_check_os_cpu: int
    so_store: SoStore
    # shape of the thing
    dynamic: bool  # the loader's dynamic flag
    single_op: bool
    inputs: tuple[TensorInfo, ...]
    outputs: tuple[TensorInfo, ...]
    gears: Gears
    attributes: Mapping[str, Attribute]  # of the model, block 0, as they survive loading
    graphs: tuple[Graph, ...]
    operators: tuple[OperatorCount, ...]
    kernels: tuple[Kernel, ...]
    memory: MemoryNeeds
    default_attributes: tuple[str, ...] = ()  # added by the loader, not in the file
    external_weights: tuple[str, ...] = ()  # FileConstant locations
    custom_ops: tuple[str, ...] = ()  # operator types in CUSTOM_OPS
    # Attributes of each block's definition, block 0 first; `attributes` are those of the first
    # readable one.
    block_attributes: tuple[Mapping[str, Attribute], ...] = ()


class ModelFile(Struct, frozen=True):
    """A model file read as far as it goes: parts, facts and everything wrong with them.

    `faults` are the load checks that fail whatever the release (container faults first, then those
    of the content, in the loader's order); checks that depend on the release or the target are
    decided by rules from `container` and `manifest`. `manifest` is None when there is no readable
    model definition.
    """

    path: str
    container: Container
    manifest: ModelManifest | None
    faults: tuple[Fault, ...] = ()
    notes: tuple[Note, ...] = ()
    nested: tuple[ModelFile, ...] = ()
    name: str = ""  # inside a bundle or a flow model
    sha256: str = ""  # of the bytes read (header, tables, model definitions), not of weights
    bytes_read: int = 0
    # What the standard loader (aclmdlLoadFromFile) meets on the same bytes, in its order; equal to
    # `faults` for a standard OM, different for kinds that other loaders read.
    standard_faults: tuple[Fault, ...] = ()
