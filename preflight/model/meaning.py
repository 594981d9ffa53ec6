"""Which attributes decide what an operator computes, and a canonical text for their values.

The list is data: manifests/compare/attributes.toml.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from functools import cache

from msgspec import Struct

from preflight.data import manifests_dir
from preflight.errors import DataError
from preflight.model.manifest import Attribute, GraphValue, Operator, TensorInfo, TensorValue

_MAX_DEPTH = 100  # the parser's own limit on nested messages


class AttributeFilter(Struct, frozen=True):
    """Tells attributes that matter from notes of the compiler. `scheme` numbers the list."""

    scheme: int
    prefix: str
    keep: frozenset[str]
    suffixes: tuple[str, ...]
    ignored: frozenset[str]
    temporary: re.Pattern[str]

    def stable_name(self, name: str) -> str:
        """A name without the running numbers of inserted nodes, "trans_Cast_#:0"."""
        return self.temporary.sub(r"\1#", name)

    def is_temporary(self, name: str) -> bool:
        """Whether a node of that name was inserted by the compiler."""
        return self.temporary.match(name) is not None

    def matters(self, name: str) -> bool:
        """Whether an attribute of that name belongs to what the operator computes."""
        if name.startswith(self.prefix):
            return name in self.keep
        return name not in self.ignored and not name.endswith(self.suffixes)

    def of(self, operator: Operator) -> dict[str, Attribute]:
        """The attributes of an operator that matter, by name in order."""
        return {n: operator.attributes[n] for n in sorted(operator.attributes) if self.matters(n)}


@cache
def attribute_filter() -> AttributeFilter:
    """The filter that ships with the package. Raises DataError when its file is broken."""
    path = manifests_dir() / "compare" / "attributes.toml"
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
        lists = ("memory", "scheduling", "kernel", "bookkeeping")
        return AttributeFilter(
            int(table["scheme"]),
            str(table["internal_prefix"]),
            frozenset(table["keep"]),
            tuple(table["suffixes"]),
            frozenset(name for key in lists for name in table[key]),
            re.compile(table["temporary"]),
        )
    except (OSError, KeyError, ValueError, TypeError, re.error) as error:
        raise DataError(f"{path}: {error}") from error


def value_text(value: object, depth: int = 0) -> str:
    """A value as text that is the same for equal values only, whatever order a file has them in."""
    if depth > _MAX_DEPTH:
        return "…"
    match value:
        case bool() | int() | None:
            return str(value)
        case float():
            return value.hex()
        case str():
            return f"{len(value)}:{value}"
        case bytes():
            return f"{len(value)}b{value.hex()}"
        case list() | tuple():
            return "[" + ",".join(value_text(v, depth + 1) for v in value) + "]"
        case Attribute():
            return f"{value.type}={value_text(value.value, depth + 1)}"
        case TensorInfo():
            return tensor_text(value)
        case TensorValue():
            return f"tensor({tensor_text(value.desc)},{value.data_size},{value.data_sha256})"
        case GraphValue():
            return f"graph({value.operators})"
        case Mapping():
            items = sorted((str(k), value_text(v, depth + 1)) for k, v in value.items())
            return "{" + ",".join(f"{len(k)}:{k}={v}" for k, v in items) + "}"
    return repr(value)


def tensor_text(tensor: TensorInfo) -> str:
    """What a tensor holds: data type, layout, shape and range; not its name, size or address."""
    shape = "?" if tensor.shape is None else ",".join(map(str, tensor.shape))
    limits = ";".join(f"{low}~{high}" for low, high in tensor.shape_range)
    return f"{tensor.dtype}/{tensor.format}/({shape})/{limits}"
