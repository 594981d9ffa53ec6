"""Graphs, attributes and boundaries that the sample models are made from."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec.structs import replace

from preflight.container.inout import InOutInfo
from preflight.container.inout import TensorInfo as InOutTensor
from preflight.model.manifest import Attribute
from preflight.model.writer import GraphSpec, OperatorSpec, TensorSpec

Attributes = Mapping[str, object]
_BYTES = {"FLOAT": 4, "FLOAT16": 2, "INT32": 4, "INT64": 8, "INT8": 1}
_GE = {"FLOAT": 0, "FLOAT16": 1, "INT8": 2, "INT32": 3, "INT64": 9}
_FORMATS = {"NCHW": 0, "ND": 2, "NC1HWC0": 3}


def tensor(dtype: str, shape: tuple[int, ...], layout: str = "NCHW") -> TensorSpec:
    """A descriptor as the compiler leaves it: size, original shape and format."""
    count = 1
    for dim in shape:
        count *= max(dim, 1)
    attributes = {"origin_format": layout, "origin_shape": Attribute("", "list_i", list(shape))}
    return TensorSpec(dtype, shape, layout, size=count * _BYTES[dtype], attributes=attributes)


def internal(dtype: str, shape: tuple[int, ...], origin: tuple[int, ...]) -> TensorSpec:
    """A descriptor in the device's own 5-dimensional layout."""
    made = tensor(dtype, shape, "NC1HWC0")
    attributes = {"origin_format": "NCHW", "origin_shape": list(origin)}
    return replace(made, attributes=attributes)


def image_classifier(batch: int = 1) -> GraphSpec:
    """The first layers and the head of a ResNet as atc leaves them: casts and format changes."""
    image = tensor("FLOAT", (batch, 3, 224, 224))
    half = tensor("FLOAT16", (batch, 3, 224, 224))
    device = internal("FLOAT16", (batch, 1, 224, 224, 16), (batch, 3, 224, 224))
    features = internal("FLOAT16", (batch, 4, 112, 112, 16), (batch, 64, 112, 112))
    pooled = internal("FLOAT16", (batch, 4, 56, 56, 16), (batch, 64, 56, 56))
    mean = tensor("FLOAT16", (batch, 64), "ND")
    logits = tensor("FLOAT16", (batch, 1000), "ND")
    scores = tensor("FLOAT", (batch, 1000), "ND")
    dense = tensor("FLOAT16", (1000, 64), "ND")
    kernel = TensorSpec("FLOAT16", (49, 4, 16, 16), "NCHW", size=100352)
    return GraphSpec(
        "resnet_0",
        (
            op("actual_input_1", "Data", (), (image,), (image,), {"index": 0}),
            op("trans_Cast_0", "Cast", ("actual_input_1:0",), (image,), (half,), {"dst_type": 1}),
            op(
                "trans_TransData_1", "TransData", ("trans_Cast_0:0",), (half,), (device,),
                {"src_format": "NCHW", "dst_format": "NC1HWC0"},
            ),
            op("conv1_weight", "Const", (), (), (kernel,), {"value": constant(kernel)}),
            op(
                "Conv_0Relu_1", "Conv2D", ("trans_TransData_1:0", "conv1_weight:0"),
                (device, kernel), (features,),
                {
                    "strides": [1, 1, 2, 2], "pads": [3, 3, 3, 3], "dilations": [1, 1, 1, 1],
                    "groups": 1, "data_format": "NCHW", "_kernelname": "te_conv2d_1__kernel0",
                    "_datadump_original_op_names": ["Conv_0", "Relu_1"],
                },
            ),
            op(
                "MaxPool_2", "MaxPoolV3", ("Conv_0Relu_1:0",), (features,), (pooled,),
                {
                    "ksize": [1, 1, 3, 3], "strides": [1, 1, 2, 2], "padding_mode": "CALCULATED",
                    "_kernelname": "te_maxpool_2__kernel0",
                },
            ),
            op(
                "GlobalAveragePool_118", "ReduceMeanD", ("MaxPool_2:0",), (pooled,), (mean,),
                {"axes": [2, 3], "keep_dims": False, "_kernelname": "te_reducemean_3__kernel0"},
            ),
            op("fc_weight", "Const", (), (), (dense,), {"value": constant(dense)}),
            op(
                "Gemm_120", "MatMulV2", ("GlobalAveragePool_118:0", "fc_weight:0"), (mean, dense),
                (logits,),
                {"transpose_x1": False, "transpose_x2": True, "_kernelname": "te_gemm_4__kernel0"},
            ),
            op("trans_Cast_2", "Cast", ("Gemm_120:0",), (logits,), (scores,), {"dst_type": 0}),
            op("Node_Output", "NetOutput", ("trans_Cast_2:0",), (scores,)),
        ),
        attributes={"_dynamic_shape_partitioned": False, "_session_graph_id": "0_0"},
    )  # fmt: skip


def constant(desc: TensorSpec) -> TensorSpec:
    """A constant whose data lies in WEIGHTS_DATA, as after compilation."""
    return replace(desc, data=b"")


def kernel_names(graph: GraphSpec) -> list[str]:
    """The device kernels that the operators name, in graph order."""
    names = (operator.attributes.get("_kernelname") for operator in graph.operators)
    return [name for name in names if isinstance(name, str)]


def adder(dims: tuple[int, ...], name: str = "g") -> GraphSpec:
    """Data, Data -> Add -> NetOutput; -1 in `dims` makes it a dynamic-shape graph."""
    value = tensor("FLOAT16", dims, "ND")
    return GraphSpec(
        name,
        (
            op("x1", "Data", (), (value,), (value,), {"index": 0}),
            op("x2", "Data", (), (value,), (value,), {"index": 1}),
            op(
                "add", "Add", ("x1:0", "x2:0"), (value, value), (value,),
                {"_kernelname": "te_add_1__kernel0"},
            ),
            op("Node_Output", "NetOutput", ("add:0",), (value,)),
        ),
    )  # fmt: skip


def op(
    name: str,
    kind: str,
    inputs: tuple[str, ...],
    input_descs: tuple[TensorSpec, ...] = (),
    output_descs: tuple[TensorSpec, ...] = (),
    attributes: Attributes | None = None,
) -> OperatorSpec:
    return OperatorSpec(name, kind, inputs, input_descs, output_descs, attributes or {})


def boundary(graph: GraphSpec, *, batches: tuple[int, ...] = ()) -> InOutInfo:
    """MODEL_INOUT_INFO of a graph: its Data operators and what NetOutput takes."""
    inputs = [(o.name, o.output_descs[0]) for o in graph.operators if o.type == "Data"]
    last = graph.operators[-1]
    outputs = [(text, d) for text, d in zip(last.inputs, last.input_descs, strict=True)]
    return InOutInfo(
        inputs=tuple(_described(name, desc) for name, desc in inputs),
        outputs=tuple(_described(name, desc) for name, desc in outputs),
        dynamic_batch=batches,
    )


def _described(name: str, desc: TensorSpec) -> InOutTensor:
    layout, dtype = _FORMATS[desc.format], _GE[desc.dtype]
    return InOutTensor(name.encode(), desc.size, layout, dtype, desc.shape, desc.shape, ())


def compiled(
    soc: str,
    arch: str,
    opp: str,
    *,
    release: str = "8.1.RC1",
    model: str = "resnet50",
    **more: object,
) -> dict[str, object]:
    """Model attributes of an ATC build; `arch` empty leaves arch_type out."""
    command = (
        f"/usr/local/Ascend/ascend-toolkit/{release}/aarch64-linux/bin/atc.bin "
        f"--model=/home/builder/models/{model}.onnx --framework=5 --output={model} "
        f"--input_format=NCHW --soc_version={soc}"
    )
    attributes: dict[str, object] = {
        "soc_version": soc, "arch_type": arch, "opp_version": opp, "atc_version": opp,
        "atc_cmdline": command, "framework_type": "Onnx", "target_type": "MINI",
        "memory_size": 6422528, "zero_copy_memory_size": 606208, "weight_size": 100352,
        "stream_num": 1, "event_num": 0, "label_num": 0, "p2p_memory_size": 0,
        "attr_model_out_nodes_name": ["add:0:z" if model != "resnet50" else "Gemm_120:0:output"],
    }  # fmt: skip
    attributes |= more
    if not arch:
        del attributes["arch_type"]
    return attributes
