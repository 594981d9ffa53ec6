"""Compares two model files and says whether one can take the place of the other."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from itertools import zip_longest

from preflight.compare.operators import (
    compare_attributes,
    compare_operators,
    compare_tensors,
    show_tensor,
    show_value,
)
from preflight.compare.types import (
    CompareVerdict,
    Difference,
    ModelComparison,
    OperatorComparison,
    Weights,
)
from preflight.container.source import FileSource, Source, SubSource
from preflight.errors import MalformedInput
from preflight.model.file import read_model
from preflight.model.fingerprint import caller_attributes, fingerprint_model
from preflight.model.lock import WEIGHTS, engines, hash_range
from preflight.model.manifest import ModelFile, ModelManifest, TensorInfo
from preflight.model.meaning import AttributeFilter, attribute_filter

# Facts on which loaders decide whether a model may run at all (spec/om-format.md §D.3, §D.4).
DEVICE_FACTS = ("soc_version", "arch_type")
HOST_FACTS = ("host_env_os", "host_env_cpu", "need_check_os_cpu")
_CODE = ("TBE_KERNELS", "CUST_AICPU_KERNELS", "SO_BINS", "TILING_DATA", "CUSTOM_OPS")
_ABSENT = "absent"


def compare_files(
    old: str | os.PathLike[str], new: str | os.PathLike[str], *, weights: bool = True
) -> ModelComparison:
    """Compare two files. Kernels and libraries are hashed, and weights where all else is equal.

    Without `weights` they are not read and the answer says so.

    Raises UnreadableInput when one cannot be read, MalformedInput when one has no readable model
    definition.
    """
    with FileSource(old) as first, FileSource(new) as second:
        return compare_models(
            read_model(first), read_model(second), sources=(first, second), weights=weights
        )


def compare_models(
    old: ModelFile,
    new: ModelFile,
    *,
    sources: tuple[Source, Source] | None = None,
    weights: bool = True,
) -> ModelComparison:
    """Compare two models that are already read; without `sources` no partition is hashed."""
    nested = tuple(_compare_nested(old, new, sources, weights))
    if old.manifest is None or new.manifest is None:
        if not nested:
            broken = old if old.manifest is None else new
            raise MalformedInput(
                f"{broken.path}: no readable model definition, so there is nothing to compare",
                hint="see what is wrong with it: preflight inspect FILE",
            )
        return _outer_comparison(old, new, nested)
    return _Comparison(old, new, sources, weights).result(nested)


def _compare_nested(
    old: ModelFile,
    new: ModelFile,
    sources: tuple[Source, Source] | None,
    weights: bool,
) -> Iterator[ModelComparison]:
    inside = [
        _inner_sources(m, s) for m, s in zip((old, new), sources or (None, None), strict=True)
    ]
    for place, (left, right) in enumerate(zip_longest(old.nested, new.nested)):
        if left is None or right is None:
            lone = left or right
            names = [_ABSENT if m is None else _name(m) for m in (left, right)]
            assert lone is not None
            verdict = CompareVerdict.DIFFERENT_INTERFACE
            yield ModelComparison(names[0], names[1], verdict, ("only one side has it",))
            continue
        first, second = (s[place] if place < len(s) else None for s in inside)
        pair = (first, second) if first is not None and second is not None else None
        try:
            yield compare_models(left, right, sources=pair, weights=weights)
        except MalformedInput as error:
            verdict = CompareVerdict.DIFFERENT_GRAPH
            yield ModelComparison(_name(left), _name(right), verdict, (error.message,))


def _inner_sources(model: ModelFile, source: Source | None) -> list[Source]:
    """The bytes of the nested models; none when they cannot be told apart for sure."""
    entries = model.container.nested
    if source is None or len(entries) != len(model.nested):
        return []
    return [SubSource(source, entry.offset, entry.size, entry.name) for entry in entries]


def _outer_comparison(
    old: ModelFile, new: ModelFile, nested: tuple[ModelComparison, ...]
) -> ModelComparison:
    worst = max(nested, key=lambda c: c.verdict.rank)
    reasons = tuple(f"{c.new}: {reason}" for c in nested for reason in c.reasons)
    return ModelComparison(old.path, new.path, worst.verdict, reasons, nested=nested)


class _Comparison:
    def __init__(
        self,
        old: ModelFile,
        new: ModelFile,
        sources: tuple[Source, Source] | None,
        weights: bool,
    ) -> None:
        assert old.manifest is not None and new.manifest is not None
        self._files = (old, new)
        self._old, self._new = old.manifest, new.manifest
        self._sources = sources
        self._hash_weights = weights
        self._reasons: list[str] = []

    def result(self, nested: tuple[ModelComparison, ...]) -> ModelComparison:
        prints = (fingerprint_model(self._old), fingerprint_model(self._new))
        interface = compare_interfaces(self._old, self._new)
        same_graph = prints[0].model == prints[1].model
        operators = (
            OperatorComparison(
                matched=(("fingerprint", sum(r.count for r in self._old.operators)),)
            )
            if same_graph
            else compare_operators(self._old, self._new, prints)
        )
        if not same_graph:
            self._reasons.append("the graphs compute differently")
        facts = self._compare_facts() + self._compare_faults()
        self._reasons += [f"{c.new}: {reason}" for c in nested for reason in c.reasons]
        content, weights = self._compare_content(decided=bool(interface or self._reasons))
        if interface:
            verdict = CompareVerdict.DIFFERENT_INTERFACE
            self._reasons.insert(0, "callers see other inputs or outputs")
        elif self._reasons:
            verdict = CompareVerdict.DIFFERENT_GRAPH
        else:
            verdict = CompareVerdict.INTERCHANGEABLE
        worst = max((verdict, *(c.verdict for c in nested)), key=lambda v: v.rank)
        return ModelComparison(
            _name(self._files[0]),
            _name(self._files[1]),
            worst,
            tuple(self._reasons),
            interface,
            facts,
            content,
            operators,
            (prints[0].model, prints[1].model),
            weights,
            nested,
            len(self._new.inputs),
            len(self._new.outputs),
            notes=self._notes(content, weights),
        )

    @staticmethod
    def _notes(content: Sequence[Difference], weights: Weights) -> tuple[str, ...]:
        """What stays open even where nothing stands against interchanging them."""
        notes = ["weights were not compared"] if weights is Weights.NOT_COMPARED else []
        if any(d.subject.endswith("TASK_INFO") for d in content):
            notes.append("the task lists (TASK_INFO) differ in their bytes")
        return tuple(notes)

    def _compare_faults(self) -> tuple[Difference, ...]:
        """Load checks that only one of them fails: a damaged file takes nobody's place."""
        left, right = (", ".join(dict.fromkeys(f.check for f in m.faults)) for m in self._files)
        if left == right:
            return ()
        self._reasons.append("they do not fail the same load checks")
        return (Difference("failed load checks", left or "none", right or "none"),)

    def _compare_facts(self) -> tuple[Difference, ...]:
        left, right = facts_of(self._files[0]), facts_of(self._files[1])
        found = tuple(
            Difference(key, left.get(key) or _ABSENT, right.get(key) or _ABSENT)
            for key in {**left, **right}
            if left.get(key) != right.get(key)
        )
        self._reasons += fact_reasons({d.subject for d in found}, self._old.dynamic)
        return found

    def _compare_content(self, *, decided: bool) -> tuple[tuple[Difference, ...], Weights]:
        """Partitions that differ; weights are hashed only while nothing else has decided."""
        self._hash_weights = self._hash_weights and not decided
        tables = [_partition_table(f) for f in self._files]
        found: list[Difference] = []
        weights = Weights.EQUAL
        for key in sorted(tables[0].keys() | tables[1].keys()):
            kind = key[1]
            state, sizes = self._compare_partition(tables, key)
            if kind in WEIGHTS and weights is not Weights.DIFFERENT:
                weights = state
            if state is Weights.DIFFERENT:
                found.append(Difference(f"block {key[0]} / {kind}", *sizes))
                if kind in _CODE:
                    self._reasons.append(f"{kind} differs: other code runs")
                elif kind in WEIGHTS:
                    self._reasons.append("the weights differ")
            elif state is Weights.NOT_COMPARED and kind in _CODE:
                self._reasons.append(f"{kind} was not compared")
        if weights is Weights.EQUAL and any(m.external_weights for m in (self._old, self._new)):
            weights = Weights.NOT_COMPARED  # they lie in files of their own
        return tuple(found), weights

    def _compare_partition(
        self,
        tables: Sequence[dict[tuple[int, str, int], tuple[int, int]]],
        key: tuple[int, str, int],
    ) -> tuple[Weights, tuple[str, str]]:
        left, right = tables[0].get(key), tables[1].get(key)
        if left is None or right is None:
            texts = [_ABSENT if side is None else f"{side[1]} bytes" for side in (left, right)]
            empty = all(side is None or not side[1] for side in (left, right))
            return (Weights.EQUAL if empty else Weights.DIFFERENT), (texts[0], texts[1])
        if left[1] != right[1]:
            return Weights.DIFFERENT, (f"{left[1]} bytes", f"{right[1]} bytes")
        if not left[1]:
            return Weights.EQUAL, ("", "")
        if self._sources is None or (key[1] in WEIGHTS and not self._hash_weights):
            return Weights.NOT_COMPARED, ("", "")
        digests = [
            hash_range(source, start, max(0, min(size, source.size - start)))
            for source, (start, size) in zip(self._sources, (left, right), strict=True)
        ]
        same = digests[0] == digests[1]
        shown = (f"sha256 {digests[0][:12]}", f"sha256 {digests[1][:12]}")
        return (Weights.EQUAL if same else Weights.DIFFERENT), shown


def _name(model: ModelFile) -> str:
    return f"{model.path} / {model.name}" if model.name else model.path


def _partition_table(model: ModelFile) -> dict[tuple[int, str, int], tuple[int, int]]:
    """(block, type, how many of the type came before) -> (offset, size)."""
    table: dict[tuple[int, str, int], tuple[int, int]] = {}
    for block in model.container.blocks:
        for partition in block.partitions:
            repeat = 0
            while (block.index, partition.name, repeat) in table:
                repeat += 1
            table[block.index, partition.name, repeat] = (partition.offset, partition.size)
    return table


def facts_of(model: ModelFile) -> dict[str, str]:
    """Versions, device, host and loading facts of a model, as text."""
    assert model.manifest is not None
    header = model.container.header
    facts = engines(model.manifest)
    facts["dynamic"] = "yes" if model.manifest.dynamic else "no"
    facts["need_check_os_cpu"] = str(model.manifest.need_check_os_cpu)
    facts["kind"] = str(model.container.kind.value)
    facts["header version"] = "" if header is None else hex(header.version)
    command = model.manifest.atc_command
    for name, value in command.options if command is not None else ():
        facts[f"atc --{name}"] = "set" if value is None else value
    return facts


def fact_reasons(changed: set[str], dynamic: bool) -> list[str]:
    """Which of the changed facts can make a loader accept one model and refuse the other."""
    reasons: list[str] = []
    if changed & set(DEVICE_FACTS):
        reasons.append("they are compiled for different devices")
    if changed & set(HOST_FACTS):
        reasons.append("the loader checks different hosts")
    if "dynamic" in changed or "kind" in changed:
        reasons.append("the loader reads them in different ways")
    if "opp_version" in changed and dynamic:
        reasons.append("a dynamic model runs only where opp_version is the same")
    return reasons


def compare_interfaces(old: ModelManifest, new: ModelManifest) -> tuple[Difference, ...]:
    """What a caller sees: inputs, outputs, their order, and dynamic gears."""
    rule = attribute_filter()
    found = _compare_sides("input", old.inputs, new.inputs, rule)
    found += _compare_sides("output", old.outputs, new.outputs, rule)
    gears = (
        ("dynamic batch", old.gears.batch, new.gears.batch),
        ("dynamic height and width", old.gears.hw, new.gears.hw),
        ("dynamic dims", old.gears.dims, new.gears.dims),
        ("output shapes of gears", old.gears.output_shapes, new.gears.output_shapes),
    )
    found += [
        Difference(
            what, show_value(list(a)) if a else _ABSENT, show_value(list(b)) if b else _ABSENT
        )
        for what, a, b in gears
        if a != b
    ]
    sides = [{(n, a.name): a for n, a in caller_attributes(m)} for m in (old, new)]
    for name, attribute in sorted(sides[0].keys() | sides[1].keys()):
        pair = [{attribute: s[name, attribute]} if (name, attribute) in s else {} for s in sides]
        found += [
            Difference(f"input '{name}' {d.subject}", d.old, d.new)
            for d in compare_attributes(pair[0], pair[1])
        ]
    return tuple(found)


def _compare_sides(
    side: str, old: Sequence[TensorInfo], new: Sequence[TensorInfo], rule: AttributeFilter
) -> list[Difference]:
    names = [[rule.stable_name(t.name) for t in tensors] for tensors in (old, new)]
    found: list[Difference] = []
    if len(old) != len(new):
        found.append(Difference(f"number of {side}s", str(len(old)), str(len(new))))
    if names[0] != names[1] and sorted(names[0]) == sorted(names[1]) and _unique(names[0]):
        found.append(Difference(f"order of {side}s", ", ".join(names[0]), ", ".join(names[1])))
        by_name = dict(zip(names[1], new, strict=True))
        new = [by_name[name] for name in names[0]]
    for place, (left, right) in enumerate(zip_longest(old, new)):
        if left is None or right is None:
            texts = [_ABSENT if t is None else f"{t.name} {show_tensor(t)}" for t in (left, right)]
            found.append(Difference(f"{side} {place}", texts[0], texts[1]))
            continue
        if rule.stable_name(left.name) != rule.stable_name(right.name):
            found.append(Difference(f"{side} {place} name", left.name, right.name))
        found += compare_tensors(f"{side} {place}", left, right)
    return found


def _unique(names: Sequence[str]) -> bool:
    return len(set(names)) == len(names)
