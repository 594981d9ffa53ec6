"""Small model files from plain descriptions, for tests of comparisons, fingerprints and locks."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from msgspec.structs import replace

from preflight.container.partitions import MODEL_DEF, TASK_INFO, TBE_KERNELS, WEIGHTS_DATA
from preflight.container.writer import write_om
from preflight.model.file import read_model
from preflight.model.manifest import ModelFile, ModelManifest
from preflight.model.writer import (
    GraphSpec,
    OperatorSpec,
    TensorSpec,
    build_model_definition,
    build_tasks,
)

IMAGE = TensorSpec("FLOAT16", (1, 3, 8, 8), "NCHW")
FEATURES = TensorSpec("FLOAT16", (1, 16, 8, 8), "NCHW")

ENGINES: Mapping[str, object] = {
    "atc_version": "7.7.0.1.238",
    "opp_version": "7.7.0.1.238",
    "soc_version": "Ascend910B3",
    "attr_model_out_nodes_name": ["norm:0"],
}


def small_graph(epsilon: float = 1e-5) -> GraphSpec:
    """Data -> Conv2D (with a constant) -> TransData -> LayerNorm -> NetOutput."""
    return GraphSpec(
        "main",
        (
            OperatorSpec(
                "image", "Data", (), (IMAGE,), (IMAGE,), {"index": 0, "_session_graph_id": "0_1"}
            ),
            OperatorSpec(
                "weight",
                "Const",
                (),
                (),
                (TensorSpec("FLOAT16", (16, 3, 3, 3), "NCHW"),),
                {"value": TensorSpec("FLOAT16", (16, 3, 3, 3), "NCHW", data=b"")},
            ),
            OperatorSpec(
                "conv",
                "Conv2D",
                ("image:0", "weight:0"),
                (IMAGE, TensorSpec("FLOAT16", (16, 3, 3, 3), "NCHW")),
                (FEATURES,),
                {
                    "strides": [1, 1, 1, 1],
                    "pads": [1, 1, 1, 1],
                    "data_format": "NCHW",
                    "conv_kernelname": "te_conv_1__kernel0",
                    "stream_id": 3,
                },
            ),
            OperatorSpec(
                "trans_TransData_4",
                "TransData",
                ("conv:0",),
                (FEATURES,),
                (FEATURES,),
                {"src_format": "NCHW", "dst_format": "NC1HWC0"},
            ),
            OperatorSpec(
                "norm",
                "LayerNorm",
                ("trans_TransData_4:0",),
                (FEATURES,),
                (FEATURES,),
                {
                    "epsilon": epsilon,
                    "begin_norm_axis": 1,
                    "_datadump_original_op_names": ["source/norm"],
                },
            ),
            OperatorSpec("out", "NetOutput", ("norm:0",), (FEATURES,), ()),
        ),
    )


def build(
    graphs: Sequence[GraphSpec] | None = None,
    attributes: Mapping[str, object] | None = None,
    *,
    weights: bytes = b"\1" * 64,
    kernels: bytes = b"",
    tasks: bytes = b"",
    name: str = "model",
    **header: object,
) -> bytes:
    """A standard OM with one block: definition, weights, kernels, tasks."""
    definition = build_model_definition(
        graphs or [small_graph()], {**ENGINES, **(attributes or {})}, name=name
    )
    parts = [(MODEL_DEF, definition), (WEIGHTS_DATA, weights), (TASK_INFO, tasks or build_tasks())]
    if kernels:
        parts.insert(2, (TBE_KERNELS, kernels))
    return write_om([parts], **header)


def model(
    graphs: Sequence[GraphSpec] | None = None,
    attributes: Mapping[str, object] | None = None,
    **options: object,
) -> ModelFile:
    """The model read back from its bytes."""
    return read_model(build(graphs, attributes, **options), path="model.om")  # type: ignore[arg-type]


def manifest(*graphs: GraphSpec, **attributes: object) -> ModelManifest:
    """The manifest of a model with these graphs."""
    found = model(list(graphs), attributes).manifest
    assert found is not None
    return found


def change(graph: GraphSpec, name: str, edit: Callable[[OperatorSpec], OperatorSpec]) -> GraphSpec:
    """The graph with one operator edited; fails when there is none of that name."""
    assert any(op.name == name for op in graph.operators)
    return replace(
        graph, operators=tuple(edit(op) if op.name == name else op for op in graph.operators)
    )


def with_attribute(graph: GraphSpec, name: str, **attributes: object) -> GraphSpec:
    """The graph with attributes of one operator set."""
    return change(graph, name, lambda op: replace(op, attributes={**op.attributes, **attributes}))


def renamed(graph: GraphSpec, names: Mapping[str, str]) -> GraphSpec:
    """The graph with operators renamed, edges included."""

    def edge(text: str) -> str:
        producer, colon, slot = text.rpartition(":")
        return f"{names.get(producer, producer)}{colon}{slot}"

    return replace(
        graph,
        operators=tuple(
            replace(op, name=names.get(op.name, op.name), inputs=tuple(map(edge, op.inputs)))
            for op in graph.operators
        ),
        inputs=tuple(map(edge, graph.inputs)),
        outputs=tuple(map(edge, graph.outputs)),
    )
