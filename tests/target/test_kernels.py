"""What operator configs say of every input and output, and what several of them say together."""

from __future__ import annotations

import json
from pathlib import Path

from preflight.target.kernels import LazyKernels, merge_ports
from preflight.target.tree import Tree
from preflight.target.vendors import read_op_config, read_op_ports


def test_ports_are_read_by_place_and_name(tmp_path: Path) -> None:
    config = tmp_path / "aic-ops-info.json"
    config.write_text(
        json.dumps(
            {
                "Add": {
                    "input0": {"name": "x1", "dtype": "float16,float,float16"},
                    "input1": {"name": "x2", "dtype": "float16,float,float16"},
                    "output0": {"name": "y", "type": "DT_FLOAT16,DT_FLOAT"},
                    "opInfo": {"engine": "AIcoreEngine"},
                },
                "Open": {"input0": {"name": "x"}, "input1": {"dtype": "int8"}, "output0": "y"},
                "Odd": ["x"],
            }
        )
    )
    tree = Tree((tmp_path,))
    both = ("FLOAT16", "FLOAT")
    assert read_op_ports(config, tree) == {
        "Add": {"input0": ("x1", both), "input1": ("x2", both), "output0": ("y", both)},
        "Open": {},
    }
    assert read_op_config(config, tree) == {"Add": both, "Open": ()}


def test_engines_that_leave_a_place_open_leave_it_open_together() -> None:
    half = {"Add": {"input0": ("x1", ("FLOAT16",)), "input1": ("x2", ("FLOAT16",))}}
    whole = {"Add": {"input0": ("x1", ("INT8", "FLOAT16"))}, "Abs": {"input0": ("x", ("INT8",))}}
    assert merge_ports(half, whole) == {
        "Add": {"input0": ("x1", ("FLOAT16", "INT8"))},
        "Abs": {"input0": ("x", ("INT8",))},
    }
    renamed = {"Add": {"input0": ("a", ("INT8",))}}
    assert merge_ports(half, renamed) == {"Add": {}}


def test_ports_are_loaded_once_and_only_when_asked_for() -> None:
    asked: list[int] = []

    def load() -> dict[str, dict[str, tuple[str, tuple[str, ...]]]]:
        asked.append(1)
        return {"Add": {"input0": ("x1", ("INT8",))}}

    kernels = LazyKernels(lambda: {"Add": ("INT8",)}, load)
    assert kernels["Add"] == ("INT8",)
    assert not asked
    assert kernels.ports("Add") == {"input0": ("x1", ("INT8",))}
    assert kernels.ports("Abs") == {}
    assert len(asked) == 1
    assert LazyKernels(dict).ports("Add") == {}
