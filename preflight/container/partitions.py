"""Names of partition ids (spec/enums.json PartitionType and MobilePartitionType, §A.5, §A.13)."""

from __future__ import annotations

MODEL_DEF = 0
WEIGHTS_DATA = 1
TASK_INFO = 2
TBE_KERNELS = 3
CUST_AICPU_KERNELS = 4
SO_BINS = 5
FLOW_MODEL = 6
FLOW_SUBMODEL = 7
MODEL_INOUT_INFO = 8
STATIC_TASK_DESC = 9
DYNAMIC_TASK_DESC = 10
TASK_PARAM = 11
TILING_DATA = 12
PRE_MODEL_DESC = 20
PRE_MODEL_SQE = 21
PRE_KERNEL_ARGS = 22
PRE_MODEL_DESC_EXTEND = 23
BUNDLE_MODEL_INFO = 24
BUNDLE_MODEL_VAR_INFO = 25
CUSTOM_OPS = 26

STANDARD_NAMES: dict[int, str] = {
    MODEL_DEF: "MODEL_DEF",
    WEIGHTS_DATA: "WEIGHTS_DATA",
    TASK_INFO: "TASK_INFO",
    TBE_KERNELS: "TBE_KERNELS",
    CUST_AICPU_KERNELS: "CUST_AICPU_KERNELS",
    SO_BINS: "SO_BINS",
    FLOW_MODEL: "FLOW_MODEL",
    FLOW_SUBMODEL: "FLOW_SUBMODEL",
    MODEL_INOUT_INFO: "MODEL_INOUT_INFO",
    STATIC_TASK_DESC: "STATIC_TASK_DESC",
    DYNAMIC_TASK_DESC: "DYNAMIC_TASK_DESC",
    TASK_PARAM: "TASK_PARAM",
    TILING_DATA: "TILING_DATA",
    PRE_MODEL_DESC: "PRE_MODEL_DESC",
    PRE_MODEL_SQE: "PRE_MODEL_SQE",
    PRE_KERNEL_ARGS: "PRE_KERNEL_ARGS",
    PRE_MODEL_DESC_EXTEND: "PRE_MODEL_DESC_EXTEND",
    BUNDLE_MODEL_INFO: "BUNDLE_MODEL_INFO",
    BUNDLE_MODEL_VAR_INFO: "BUNDLE_MODEL_VAR_INFO",
    CUSTOM_OPS: "CUSTOM_OPS",
}

MOBILE_NAMES: dict[int, str] = {
    0: "MODEL_DEF",
    1: "WEIGHTS_DATA",
    2: "TASK_INFO",
    3: "TASK_GRAPH",
    4: "SIGNATURE_INFO",
    5: "MODEL_CONFIG",
    6: "AIPP_CUSTOM_INFO",
    7: "ENCRYPT_INFO",
    8: "WEIGHT_INFO",
}

# ids that only the nano executor's files carry
NANO_IDS = frozenset(
    {
        STATIC_TASK_DESC,
        DYNAMIC_TASK_DESC,
        TASK_PARAM,
        PRE_MODEL_DESC,
        PRE_MODEL_SQE,
        PRE_KERNEL_ARGS,
        PRE_MODEL_DESC_EXTEND,
    }
)

# the loader's lookup gives an empty partition for these when they are absent (§A.5)
OPTIONAL_IDS = frozenset(
    {
        TBE_KERNELS,
        WEIGHTS_DATA,
        CUST_AICPU_KERNELS,
        SO_BINS,
        MODEL_INOUT_INFO,
        TASK_INFO,
        TILING_DATA,
        CUSTOM_OPS,
    }
)


def partition_name(partition_id: int, names: dict[int, str] = STANDARD_NAMES) -> str:
    """The name of an id in one numbering, `UNKNOWN_<id>` for an id that it lacks."""
    return names.get(partition_id) or f"UNKNOWN_{partition_id}"
