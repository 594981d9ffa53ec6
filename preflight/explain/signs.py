"""Texts by which a log is known to be of this platform: no other program writes them."""

from __future__ import annotations

# In lower case; each begins where a word begins.
SIGNS = (
    "/ascend-", "/ascend/", "/davinci", "[acl]:", "[acl][", "[error] aicpu(", "[error] drv(",
    "[error] fe(", "[error] ge(", "[error] hccp(", "[error] op(", "[error] runtime(",
    "[error] tbe(", "[error] tdt(", "[error] tefusion(", "[op_proto]", "[subgraphopt]",
    "acl error code", "acl error,", "acl error:", "acl stream", "acl_error", "aclerror", "aclinit",
    "aclmdl", "aclnn", "aclnn_err", "aclrt", "ai.onnx::", "aicore", "aicoreengine", "ais_bench",
    "aivec", "ascend-hdk", "ascend-toolkit", "ascend310", "ascend610", "ascend910", "ascend950",
    "ascend_install", "ascendcl", "atc run ", "atc start working", "atc.bin", "cann 5.", "cann 6.",
    "cann 7.", "cann 8.", "cann 9.", "cann backend", "cann error", "cann failure", "cann kernel",
    "cann package", "cann toolkit", "cann version", "cann-toolkit", "canngraph", "catlass",
    "davinci", "davinci_", "dcmi", "error] lite(", "ggml-cann", "hccl", "huawei_ascend",
    "libascend", "mindie", "mindspore", "mindx", "mxbase", "nnadapter", "npu out of memory",
    "npu-driver", "npu-smi", "op_impl/", "openascend", "orangepi", "paddlelite", "sgl_kernel_npu",
    "soc_version", "tbe-custom", "te_fusion", "torch-npu", "torch_npu", "vendors/config.ini",
    "vllm-ascend", "昇腾",
)  # fmt: skip
