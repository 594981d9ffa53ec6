"""The kinds of change between two prototypes: stable codes, categories and what each means.

Codes are never reused. OH1xx operators, OH2xx inputs, OH3xx outputs, OH4xx attributes, OH5xx data
types, OH6xx subgraphs.
"""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct

from preflight.findings import Certainty


class Category(StrEnum):
    """How much a change asks of whoever uses the operator; the first is the worst."""

    BREAKING = "breaking"  # a graph made for the old prototype is wrong or refused
    DRIFT = "drift"  # it is accepted, and may mean something else
    COMPATIBLE = "compatible"
    COSMETIC = "cosmetic"  # other text, same meaning
    UNKNOWN = "unknown"  # the record does not say

    @property
    def rank(self) -> int:
        """0 for the worst."""
        return list(Category).index(self)


class ChangeKind(Struct, frozen=True):
    """One kind of change."""

    code: str
    name: str
    category: Category
    title: str


class Change(Struct, frozen=True):
    """One difference of an operator between two releases.

    `field` is the input, output, attribute or subgraph ("*" for the whole list or operator).
    `old` and `new` are None where the side has nothing. `note` adds what the kind cannot say.
    """

    op: str
    kind: ChangeKind
    field: str
    old: str | None
    new: str | None
    certainty: Certainty = Certainty.CERTAIN
    note: str = ""

    @property
    def sort_key(self) -> tuple[int, str, str, str]:
        """Worst category first, then operator, code and field."""
        return (self.kind.category.rank, self.op, self.kind.code, self.field)


_B, _D, _C, _S, _U = Category

KINDS: dict[str, ChangeKind] = {
    name: ChangeKind(code, name, category, title)
    for code, name, category, title in (
        ("OH101", "op_added", _C, "operator added"),
        ("OH102", "op_removed", _B, "operator removed"),
        ("OH103", "op_not_recorded", _U, "operator missing from an incomplete record"),
        ("OH201", "input_removed", _B, "input removed"),
        ("OH202", "input_renamed", _B, "input renamed, position kept"),
        ("OH203", "input_reordered", _B, "inputs reordered"),
        ("OH204", "input_kind_changed", _B, "input kind changed"),
        ("OH211", "input_added_required_end", _B, "required input added at the end"),
        ("OH212", "input_added_required_middle", _B, "required input added before others"),
        ("OH213", "input_added_dynamic_end", _C, "dynamic input added at the end"),
        ("OH214", "input_added_dynamic_middle", _B, "dynamic input added before others"),
        ("OH215", "input_added_optional_end", _C, "optional input added at the end"),
        ("OH216", "input_added_optional_middle", _B, "optional input added before others"),
        ("OH301", "output_removed", _B, "output removed"),
        ("OH302", "output_renamed", _B, "output renamed, position kept"),
        ("OH303", "output_reordered", _B, "outputs reordered"),
        ("OH304", "output_kind_changed", _B, "output kind changed"),
        ("OH311", "output_added_single_end", _C, "output added at the end"),
        ("OH312", "output_added_single_middle", _B, "output added before others"),
        ("OH313", "output_added_dynamic_end", _C, "dynamic output added at the end"),
        ("OH314", "output_added_dynamic_middle", _B, "dynamic output added before others"),
        ("OH401", "attr_removed", _B, "attribute removed"),
        ("OH402", "attr_renamed", _B, "attribute renamed"),
        ("OH403", "attr_reordered", _C, "attributes reordered"),
        ("OH404", "attr_type_changed", _B, "attribute type changed"),
        ("OH405", "attr_default_changed", _D, "attribute default changed"),
        ("OH406", "attr_optional_to_required", _B, "attribute became required"),
        ("OH407", "attr_required_to_optional", _C, "attribute became optional"),
        ("OH411", "attr_added_required", _B, "required attribute added"),
        ("OH412", "attr_added_default", _C, "attribute added with a default"),
        ("OH501", "input_dtype_narrowed", _B, "input takes fewer data types"),
        ("OH502", "input_dtype_replaced", _B, "input takes other data types"),
        ("OH503", "input_dtype_widened", _C, "input takes more data types"),
        ("OH504", "input_dtype_respelled", _S, "input data types spelt differently"),
        ("OH511", "output_dtype_narrowed", _B, "output has fewer data types"),
        ("OH512", "output_dtype_replaced", _B, "output has other data types"),
        ("OH513", "output_dtype_widened", _C, "output has more data types"),
        ("OH514", "output_dtype_respelled", _S, "output data types spelt differently"),
        ("OH601", "subgraph_removed", _B, "subgraph removed"),
        ("OH602", "subgraph_renamed", _B, "subgraph renamed, position kept"),
        ("OH603", "subgraph_reordered", _B, "subgraphs reordered"),
        ("OH604", "subgraph_kind_changed", _B, "subgraph kind changed"),
        ("OH611", "subgraph_added", _B, "subgraph added"),
    )
}
# The same kind by name, and a weaker consequence: whoever connected the input still may.
KINDS["input_relaxed"] = ChangeKind(
    "OH205", "input_kind_changed", Category.COMPATIBLE, "required input became optional"
)


def make_change(
    op: str, kind: str, field: str, old: str | None = None, new: str | None = None, note: str = ""
) -> Change:
    """A change of the named kind, certain until somebody lowers that."""
    return Change(op, KINDS[kind], field, old, new, note=note)
