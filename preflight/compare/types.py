"""What a comparison of two models says."""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct


class CompareVerdict(StrEnum):
    """Whether one model can take the place of the other."""

    INTERCHANGEABLE = "interchangeable"
    DIFFERENT_GRAPH = "same interface, different graph"
    DIFFERENT_INTERFACE = "different interface"

    @property
    def rank(self) -> int:
        """0 for interchangeable; larger is worse."""
        return list(CompareVerdict).index(self)


class Weights(StrEnum):
    """What is known about the constants."""

    EQUAL = "equal"
    DIFFERENT = "different"
    NOT_COMPARED = "not compared"


class Difference(Struct, frozen=True):
    """One fact in which two models differ; `absent` stands for what one side does not have."""

    subject: str
    old: str
    new: str


class OperatorChange(Struct, frozen=True):
    """One operator on both sides and what differs. `matched_by`: name, origin or place."""

    graph: str
    old_name: str
    new_name: str
    old_type: str
    new_type: str
    matched_by: str
    differences: tuple[Difference, ...]


class OperatorRef(Struct, frozen=True):
    """An operator that only one side has."""

    graph: str
    name: str
    type: str


class CountChange(Struct, frozen=True):
    """How often an operator type occurs on each side."""

    type: str
    old: int
    new: int


class OperatorComparison(Struct, frozen=True):
    """Operators of all graphs; `matched` counts pairs by how they were found."""

    matched: tuple[tuple[str, int], ...] = ()
    changed: tuple[OperatorChange, ...] = ()
    removed: tuple[OperatorRef, ...] = ()
    added: tuple[OperatorRef, ...] = ()
    counts: tuple[CountChange, ...] = ()
    compared: bool = True  # False when a side is known from its lock only


class ModelComparison(Struct, frozen=True):
    """The answer about two models. `reasons` say in words what stands against interchanging them.

    `notes` say what the answer "interchangeable" leaves open. `facts` are differences in versions,
    devices and hosts; `content` in kernels, libraries, weights and partitions. `nested` compares
    the models inside bundles and flow models.
    """

    old: str
    new: str
    verdict: CompareVerdict
    reasons: tuple[str, ...]
    interface: tuple[Difference, ...] = ()
    facts: tuple[Difference, ...] = ()
    content: tuple[Difference, ...] = ()
    operators: OperatorComparison = OperatorComparison()
    fingerprints: tuple[str, str] = ("", "")
    weights: Weights = Weights.NOT_COMPARED
    nested: tuple[ModelComparison, ...] = ()
    inputs: int = 0
    outputs: int = 0
    old_is_lock: bool = False
    notes: tuple[str, ...] = ()
