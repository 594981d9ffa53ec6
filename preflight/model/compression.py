"""Attribute compression undone, with the loader's failures (spec/corrections.md 19)."""

from __future__ import annotations

from collections.abc import Mapping

from preflight.container.types import Fault
from preflight.model.attributes import kept_attributes
from preflight.model.definition import ModelDefinition
from preflight.model.dictionary import Dictionary, Unresolved, resolve
from preflight.model.manifest import Attribute

VERSION_KEY = "om_compress_version"
NAMES_KEY = "attr_name_enum"
VALUES_KEY = "attr_value_enum"
FLAGS_KEY = "attrs_use_string_value"
NOT_COMPRESSED = -1
_STEP = 92  # order of def.decompress in spec/loadchecks.json


def dictionary_of(attributes: Mapping[str, Attribute]) -> Dictionary | str | None:
    """The dictionary of a model; None when there is none, a text when the loader refuses it.

    All three lists must exist as soon as the version is a number, even when the number says that
    nothing is compressed.
    """
    version = attributes.get(VERSION_KEY)
    if version is None or version.type != "i":
        return None
    lists = []
    for key, kind in ((NAMES_KEY, "list_s"), (FLAGS_KEY, "list_b"), (VALUES_KEY, "list_s")):
        attribute = attributes.get(key)
        if attribute is None or attribute.type != kind or not isinstance(attribute.value, list):
            return f"'{VERSION_KEY}' is set and '{key}' is missing"
        lists.append(attribute.value)
    names, flags, values = lists
    if len(names) != len(flags):
        return f"'{NAMES_KEY}' has {len(names)} entries, '{FLAGS_KEY}' has {len(flags)}"
    if version.value == NOT_COMPRESSED:
        return None
    return Dictionary(tuple(map(_text, names)), tuple(flags), tuple(map(_text, values)))


def decompress(definition: ModelDefinition, dictionary: Dictionary | str | None) -> Fault | None:
    """Check that every name resolves and keep the dictionary; the fault when the loader gives up.

    Only graphs that belong to the loaded model are looked at, operators and their descriptors.
    """
    if dictionary is None or definition.message is None:
        return None
    if isinstance(dictionary, str):
        return _fault(definition.block, dictionary)
    graphs = [definition.message.graph[index] for index in definition.loaded_graphs]
    try:
        for operator in (op for graph in graphs for op in graph.op):
            resolve(kept_attributes(operator, operator=True), dictionary)
        for operator in (op for graph in graphs for op in graph.op):
            for desc in (*operator.input_desc, *operator.output_desc):
                resolve(kept_attributes(desc), dictionary)
    except Unresolved as error:
        return _fault(definition.block, f"the attribute dictionary does not fit: {error}")
    definition.dictionary = dictionary
    return None


def _text(value: str | bytes) -> str:
    return value if isinstance(value, str) else value.decode("utf-8", "surrogateescape")


def _fault(block: int, detail: str) -> Fault:
    return Fault(
        "def.decompress",
        detail,
        (80, block, _STEP),
        block=block,
        data={"why": "dictionary"},
        message_codes=("E19999",),
    )
