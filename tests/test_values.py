"""Value types behave as those of the standard library, whose decorator they replace."""

from __future__ import annotations

import copy
import dataclasses
import pickle
from dataclasses import field
from typing import Generic, TypeVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from preflight.values import dataclass

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Ours:
    """A value."""

    name: str
    size: int = 3
    tags: tuple[str, ...] = ()
    extra: dict[str, int] = field(default_factory=dict, compare=False)
    hidden: str = field(default="h", repr=False)

    @property
    def doubled(self) -> int:
        return self.size * 2


@dataclasses.dataclass(frozen=True, slots=True)
class Theirs:
    """A value."""

    name: str
    size: int = 3
    tags: tuple[str, ...] = ()
    extra: dict[str, int] = field(default_factory=dict, compare=False)
    hidden: str = field(default="h", repr=False)


@dataclass(frozen=True, slots=True)
class Single:
    value: object


@dataclass(frozen=True, slots=True)
class Empty:
    pass


@dataclass(frozen=True, slots=True)
class Box(Generic[T]):
    value: T
    note: str = ""


@dataclass(frozen=True, slots=True)
class Checked:
    value: int

    def __post_init__(self) -> None:
        if self.value < 0:
            raise ValueError(self.value)


values = st.tuples(st.text(), st.integers(), st.lists(st.text(max_size=3), max_size=3).map(tuple))


@given(values, values)
def test_equality_hash_and_text_are_those_of_the_standard_decorator(left, right):
    ours, theirs = (Ours(*left), Ours(*right)), (Theirs(*left), Theirs(*right))
    assert (ours[0] == ours[1]) == (theirs[0] == theirs[1])
    assert hash(ours[0]) == hash(theirs[0])
    assert repr(ours[0]) == repr(theirs[0]).replace("Theirs", "Ours")
    assert dataclasses.asdict(ours[0]) == dataclasses.asdict(theirs[0])
    assert (ours[0] != ours[1]) == (theirs[0] != theirs[1])


def test_the_first_instance_and_the_next_are_alike():
    @dataclass(frozen=True, slots=True)
    class Fresh:
        a: int
        b: str = "x"

    assert [Fresh(1), Fresh(a=1, b="x"), Fresh(1, "x")] == [Fresh(1)] * 3


def test_defaults_made_by_a_factory_are_not_shared():
    assert Ours("a").extra == {}
    assert Ours("a").extra is not Ours("a").extra


def test_replace_fields_and_match_work():
    changed = dataclasses.replace(Ours("a"), size=5)
    assert (changed.name, changed.size, changed.doubled) == ("a", 5, 10)
    assert [f.name for f in dataclasses.fields(Ours)] == ["name", "size", "tags", "extra", "hidden"]
    match changed:
        case Ours(name, size):
            assert (name, size) == ("a", 5)
        case _:
            pytest.fail("did not match")


def test_values_cannot_be_written_or_grow():
    value = Ours("a")
    with pytest.raises(dataclasses.FrozenInstanceError):
        value.name = "b"
    with pytest.raises(dataclasses.FrozenInstanceError):
        del value.name
    with pytest.raises(dataclasses.FrozenInstanceError):
        value.other = 1
    assert not hasattr(value, "__dict__")


@pytest.mark.parametrize("call", [lambda: Ours(), lambda: Ours("a", nothing=1), lambda: Empty(1)])
def test_wrong_arguments_are_refused(call):
    with pytest.raises(TypeError):
        call()


def test_values_can_be_copied_and_sent_to_another_process():
    value = Ours("a", 4, ("x",), {"k": 1})
    for other in (copy.copy(value), copy.deepcopy(value), pickle.loads(pickle.dumps(value))):
        assert other == value
        assert other.extra == value.extra


def test_small_and_generic_values():
    assert Single(1) == Single(1) != Single(2)
    assert hash(Single(1)) == hash(Single(1))
    assert Empty() == Empty()
    assert Box[int](1) == Box(1)
    assert Box(1) != Single(1)


def test_post_init_runs_every_time():
    for _ in range(2):
        with pytest.raises(ValueError, match="-1"):
            Checked(-1)
    assert Checked(1).value == 1


def test_other_kinds_of_dataclass_are_refused():
    with pytest.raises(TypeError, match="frozen"):
        dataclass(frozen=False, slots=True)(type("Loose", (), {}))
