"""The model manifest: what header, attributes, graphs and partitions say together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from preflight.container.partitions import WEIGHTS_DATA
from preflight.container.types import Container
from preflight.model.atc_command import parse_atc_command
from preflight.model.attributes import message_number, message_text
from preflight.model.boundary import graph_boundary
from preflight.model.content import Boundary, Content
from preflight.model.definition import ModelDefinition
from preflight.model.inventory import count_operators
from preflight.model.manifest import Attribute, MemoryNeeds, ModelManifest

# What the single-op loader asks for (§D.5, row sop.attrs): written by --singleop builds only.
SINGLE_OP_KEY = "ATTR_MODEL_OP_TYPE"
_FILE_CONSTANT = "FileConstant"
_LOCATION_KEYS = ("location", "file_path")


def build_manifest(
    container: Container, definitions: Sequence[ModelDefinition], content: Content
) -> ModelManifest | None:
    """Everything the file says about itself; None when no block has a readable definition."""
    root = next((d for d in definitions if d.message is not None), None)
    if root is None:
        return None
    attributes = root.attributes
    header = container.header
    boundary = content.boundary or Boundary(*graph_boundary(root))
    command = message_text(attributes.get("atc_cmdline"))
    return ModelManifest(
        model_name=root.name or (header.name if header else ""),
        ir_version=root.version,
        custom_version=root.custom_version,
        compressed_attributes=message_number(attributes.get("om_compress_version")) is not None,
        soc_version=message_text(attributes.get("soc_version")),
        arch_type=message_text(attributes.get("arch_type")),
        atc_version=message_text(attributes.get("atc_version")),
        opp_version=message_text(attributes.get("opp_version")),
        compiler_version=message_text(attributes.get("compiler_version")),
        framework_type=_text_or_number(attributes.get("framework_type")),
        atc_command=parse_atc_command(command) if command else None,
        host_env_os=message_text(attributes.get("host_env_os")),
        host_env_cpu=message_text(attributes.get("host_env_cpu")),
        need_check_os_cpu=header.need_check_os_cpu_info if header else 0,
        so_store=content.so_store,
        dynamic=header.is_dynamic if header else False,
        single_op=SINGLE_OP_KEY in attributes,
        inputs=boundary.inputs,
        outputs=boundary.outputs,
        gears=boundary.gears,
        attributes=attributes,
        graphs=tuple(graph for definition in definitions for graph in definition.graphs),
        operators=count_operators(definitions),
        kernels=content.kernels,
        memory=_memory(attributes, container),
        default_attributes=root.default_attributes,
        external_weights=_external_weights(definitions),
        custom_ops=content.custom_ops,
        block_attributes=tuple(definition.attributes for definition in definitions),
    )


def _text_or_number(attribute: Attribute | None) -> str:
    if attribute is None or attribute.type not in ("s", "i"):
        return ""
    return str(attribute.value)


def _memory(attributes: Mapping[str, Attribute], container: Container) -> MemoryNeeds:
    """Weights are the WEIGHTS_DATA partitions as the loader copies them, all blocks together."""
    weights = [
        part.size for block in container.blocks if (part := block.first(WEIGHTS_DATA)) is not None
    ]

    def number(name: str) -> int | None:
        return message_number(attributes.get(name))

    return MemoryNeeds(
        weights=sum(weights) if weights else number("weight_size"),
        memory_size=number("memory_size"),
        zero_copy=number("zero_copy_memory_size"),
        p2p=number("p2p_memory_size"),
        streams=number("stream_num"),
        events=number("event_num"),
        labels=number("label_num"),
        notifies=number("notify_num"),
    )


def _external_weights(definitions: Sequence[ModelDefinition]) -> tuple[str, ...]:
    """Locations of FileConstant operators, in graph order, each once."""
    found: dict[str, None] = {}
    for definition in definitions:
        graphs = definition.message.graph if definition.message is not None else ()
        for position, graph in enumerate(graphs):
            for operator in graph.op:
                if operator.type == _FILE_CONSTANT:
                    attributes = definition.operator_attributes(position, operator)
                    places = (message_text(attributes.find(key)) for key in _LOCATION_KEYS)
                    found.update(dict.fromkeys(filter(None, places)))
    return tuple(found)
