"""`agree.py corpus DIR`: real files against what a separate decoder read (DIR/index.jsonl).

Every file is read or named for what it is; for OMs the header fields, the partitions and the model
attributes of every block must equal the index, and so must names, versions and operator counts.
Version files must be read without losing a line, and every number in them must be one.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from pathlib import Path
from typing import Any

from preflight import api
from preflight.errors import PreflightError
from tiers.tally import Tally

# Kinds of the index -> kinds that a file of it may be read as; other kinds hold no models.
EXPECTED = {
    "om": {"om", "single_op", "flow", "bundle", "nano", "bare", "om2"},
    "hiai-om": {"hiai"},
    "not-om": {"not_a_model"},
    "json": {"not_a_model"},
    "pbtxt": {"text_graph"},
    "versioninfo": {"not_a_model"},
}
_VERSION_FILE = "version files"
_HEADER = (
    "headsize", "length", "is_encrypt", "is_checksum", "modeltype", "genmode", "name", "ops",
    "om_ir_version", "platform_version", "platform_type", "model_length",
    "need_check_os_cpu_info", "is_unknow_model",
)  # fmt: skip
_CUT = 12  # the index keeps this many elements of a list and 64 bytes of a bytes attribute
_HEX = 64
_TEXT = 120  # characters of a text in a list


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("dir", type=Path, help="a folder with index.jsonl and the files it names")


def run(args: argparse.Namespace) -> Tally:
    tally = Tally()
    with (args.dir / "index.jsonl").open(encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            tally.record(row["kind"], row["file"], differences(row, args.dir))
    tally.table()
    return tally


def differences(row: dict[str, Any], folder: Path) -> list[str]:
    """Everything in which preflight and the row disagree."""
    try:
        model = api.read_model(folder / row["file"])
    except PreflightError as error:
        return [f"not read: {error.message}"]
    found = []
    if model.container.kind.value not in EXPECTED.get(row["kind"], ()):
        found.append(f"read as {model.container.kind.value}")
    if not model.container.what:
        found.append("not named for what it is")
    if row["kind"] == "pbtxt" and (model.manifest is None or not model.manifest.operators):
        found.append("no operators read")
    if row["kind"] == "versioninfo":
        found += version_differences(row, folder)
        if _VERSION_FILE not in model.container.what:
            found.append(f"named {model.container.what}")
    if "om" in row:
        found += om_differences(model, row["om"])
    return found


def version_differences(row: dict[str, Any], folder: Path) -> list[str]:
    """What of a version file is not understood; the file's own lines are the measure."""
    text = (folder / row["file"]).read_text(encoding="utf-8")
    keys = [line.partition("=")[0].strip() for line in text.splitlines() if "=" in line]
    if row["path"].endswith(".cfg"):
        running = [key for key in keys if key.endswith("_running_version")]
        pairs = api.parse_version_cfg(text)
        found = [] if len(pairs) == len(running) else [f"{len(pairs)} of {len(running)} packages"]
        return found + [f"no version: {v}" for v, _ in pairs.values() if not _is_version(v)]
    if row["path"].endswith("install.info"):
        values = api.parse_key_values(text)
        found = [] if list(values) == list(dict.fromkeys(keys)) else [f"keys {list(values)}"]
        number = values.get("version", "1.0")
        return found + ([] if _is_version(number) else [f"no version: {number}"])
    package = api.parse_package("x", text, row["path"])
    wanted = {key for key in keys if key.startswith(("required_package_", "required_driver_"))}
    named = len(package.requires) + len(package.requires_driver)
    found = [] if named == len(wanted) else [f"{named} of {len(wanted)} requirements"]
    found += [f"no range: {v}" for v in package.requires.values() if not api.VersionRange(v).bounds]
    numbers = [number for number in (package.version, api.find_key(text, "Version=")) if number]
    if not numbers and any(key.endswith("Version") for key in keys):
        found.append("no version read")
    return found + [f"no version: {number}" for number in numbers if not _is_version(number)]


def _is_version(text: str) -> bool:
    return api.CannVersion.parse(text) is not None


def om_differences(model: Any, om: dict[str, Any]) -> list[str]:
    found = _header(model.container.header, om)
    if "bare_domi_modeldef" in om:
        return found + _first_generation(model, om["bare_domi_modeldef"])
    found += _tables(model.container, om["tables"])
    for definition in om["model_defs"]:
        found += _definition(model, definition)
    submodels = [s for s in om.get("submodels", ()) if s.get("om")]
    if len(submodels) != len(model.nested):
        found.append(f"{len(model.nested)} models inside, {len(submodels)} expected")
    for inner, wanted in zip(model.nested, submodels, strict=False):
        if inner.name != wanted["model_name"]:
            found.append(f"nested model {inner.name}, expected {wanted['model_name']}")
        found += [f"{inner.name}: {text}" for text in om_differences(inner, wanted["om"])]
    return found


def _header(header: Any, om: dict[str, Any]) -> list[str]:
    if header is None:
        return ["no header"]
    pairs = [(name, getattr(header, name), om[name]) for name in _HEADER]
    pairs += [
        ("version", f"0x{header.version:08x}", om["version"]),
        ("model_num", header.model_num, om["model_num"] or 0),
        ("checksum set", any(header.checksum), om["checksum_nonzero"]),
        ("magic", header.magic == 0x444F4D49, om["magic_ok"]),
        ("v1 layout", header.layout == "v1", om["header_layout"].startswith("v1")),
    ]
    return [f"header {n} {a!r}, expected {b!r}" for n, a, b in pairs if a != b]


def _tables(container: Any, tables: list[dict[str, Any]]) -> list[str]:
    if len(container.blocks) != len(tables):
        return [f"{len(container.blocks)} blocks, {len(tables)} expected"]
    found = []
    for block, table in zip(container.blocks, tables, strict=True):
        seen = [(p.id, p.offset, p.size) for p in block.partitions]
        base = table["base"]
        wanted = [(p["type"], base + p["offset"], p["size"]) for p in table["partitions"]]
        if seen != wanted:
            found.append(f"block {block.index}: partitions {seen}, expected {wanted}")
        if (block.table, block.offset) != (table["layout"], table["offset"]):
            found.append(f"block {block.index}: {block.table} table at {block.offset}")
    return found


def _definition(model: Any, wanted: dict[str, Any]) -> list[str]:
    manifest, block = model.manifest, wanted["table"]
    if manifest is None or block >= len(manifest.block_attributes):
        return [f"no definition of block {block}"]
    found = _attributes(manifest.block_attributes[block], wanted["attrs"])
    graphs = [g for g in manifest.graphs if g.block == block]
    if [g.name for g in graphs] != wanted["graph_names"][: wanted["graphs_top"]]:
        found.append(f"graphs {[g.name for g in graphs]}, expected {wanted['graph_names']}")
    if wanted["graphs_total"] == wanted["graphs_top"]:
        counts = Counter(op.type for graph in graphs for op in graph.operators)
        if counts != wanted["op_types"]:
            found.append(f"operators {dict(counts)}, expected {wanted['op_types']}")
    if block == 0:
        pairs = [
            ("name", manifest.model_name, wanted["md_name"] or model.container.header.name),
            ("version", manifest.ir_version, wanted["md_version"]),
            ("custom_version", manifest.custom_version, wanted["custom_version"]),
        ]
        found += [f"{n} {a!r}, expected {b!r}" for n, a, b in pairs if a != b]
    return [f"block {block}: {text}" for text in found]


def _attributes(attributes: Any, wanted: dict[str, Any]) -> list[str]:
    seen = {name: _shown(_cut(attributes[name])) for name in attributes}
    return [
        f"attribute {name} {str(seen.get(name))[:200]}, expected {str(wanted.get(name))[:200]}"
        for name in sorted(seen.keys() | wanted.keys())
        if seen.get(name) != wanted.get(name)
    ]


def _shown(value: Any) -> Any:
    """The index has user names masked, and long texts in lists cut."""
    if isinstance(value, str):
        return api.mask(value)
    if isinstance(value, dict) and "n" in value:
        return {k: [_text(i) for i in v] if isinstance(v, list) else v for k, v in value.items()}
    return value


def _text(value: Any) -> Any:
    return value[:_TEXT] if isinstance(value, str) else value


def _cut(attribute: Any) -> Any:
    """The value in the shortened form of the index."""
    value = attribute.value
    if attribute.type == "bt":
        return f"hex:{value[:_HEX].hex()}"
    if not attribute.type.startswith("list"):
        return value
    if attribute.type.startswith("list_list"):
        return {attribute.type: value}
    if not value:
        numbers = {"list_s": 1, "list_i": 2, "list_f": 3, "list_b": 4, "list_bt": 5}
        return {"list": [], "val_type": numbers.get(attribute.type, 0)}
    shown = [v.decode("utf-8", "replace") if isinstance(v, bytes) else v for v in value[:_CUT]]
    return {attribute.type: shown, "n": len(value)}


def _first_generation(model: Any, wanted: dict[str, Any]) -> list[str]:
    manifest = model.manifest
    if manifest is None:
        return ["no definition read"]
    counts = {row.type: row.count for row in manifest.operators}
    names = ("event_num", "memory_size", "stream_num", "weight_size")
    pairs = [(n, manifest.attributes[n].value, wanted[n]) for n in names]
    pairs += [
        ("name", manifest.model_name, wanted["name"]),
        ("version", manifest.ir_version, wanted["version"]),
        ("operators", counts, wanted["op_types"]),
        ("nodes", sum(counts.values()), wanted["nodes"]),
    ]
    missing = sorted(wanted["attrs"].keys() - set(manifest.attributes))
    found = [f"{n} {a!r}, expected {b!r}" for n, a, b in pairs if a != b]
    return found + [f"attribute {name} is missing" for name in missing]
