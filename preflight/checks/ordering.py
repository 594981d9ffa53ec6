"""Where a check stands in the loader's order; tuples compare as the loader meets the checks."""

from __future__ import annotations

SNIFF = (21,)
HEADER = (60,)
BUNDLE_INNER = 204
FLOW_INNER = 403
_TABLE = 70
_CONTENT = 80
_ENVIRONMENT = 100
_TABLE_COUNT_STEP = 1  # after tab.too_small (0), before tab.no_payload (2)
SOC_STEP = 90
SO_STORE_STEP = 96
CUSTOM_OPS_STEP = 98


def table_count(block: int) -> tuple[int, ...]:
    """The partition count check of a block's table (om-format §A.4)."""
    return (_TABLE, block, _TABLE_COUNT_STEP)


def content(block: int, step: int) -> tuple[int, ...]:
    """A check of what the partitions of a block hold; `step` is its order in loadchecks."""
    return (_CONTENT, block, step)


def environment(order: int) -> tuple[int, ...]:
    """A check after all content is read; `order` is that of loadchecks (100 and above)."""
    return (_ENVIRONMENT + order,)
