"""T6: MODEL_INOUT_INFO bytes, decoded or refused as the loader's description query does."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from preflight import api

LISTS = ("dynamic_batch", "dynamic_hw", "dynamic_dims")
TEXTS = ("dynamic_output_shape", "data_name_order")


def differences(row: dict[str, Any], folder: Path) -> list[str]:
    """Verdict, status and every decoded value; an undefined row only has to be refused."""
    expected = row["expected"]
    got = api.decode_inout((folder / row["file"]).read_bytes())
    if expected.get("undefined"):
        return [] if not got.ok else ["accepted, but the loader reads outside its bytes"]
    found = [] if got.status == expected["status"] else [f"status {got.status}"]
    if expected["status"] != 0 or found:
        return found if got.status != 0 or found else ["accepted"]
    for side in ("inputs", "outputs"):
        ours = [_tensor(t) for t in getattr(got, side)]
        theirs = [
            t | {"name": _bytes(t["name"]), "ranges": _rows(t["ranges"])} for t in expected[side]
        ]
        if ours != theirs:
            found.append(f"{side} {ours}, expected {theirs}")
    for key in LISTS:
        if _rows(getattr(got, key)) != _rows(expected[key]):
            found.append(f"{key} {getattr(got, key)}, expected {expected[key]}")
    for key in TEXTS:
        if list(getattr(got, key)) != [_bytes(t) for t in expected[key]]:
            found.append(f"{key} {getattr(got, key)}, expected {expected[key]}")
    return found


def _tensor(tensor: Any) -> dict[str, Any]:
    return {
        "dims": list(tensor.dims),
        "dimsV2": list(tensor.dims_v2),
        "dtype": tensor.data_type,
        "format": tensor.format,
        "name": tensor.raw_name,
        "ranges": _rows(tensor.shape_range),
        "size": tensor.size,
    }


def _rows(values: Any) -> list[Any]:
    return [list(v) if isinstance(v, list | tuple) else v for v in values]


def _bytes(text: str | dict[str, str]) -> bytes:
    """Texts with bytes outside printable ASCII are given in hex."""
    return bytes.fromhex(text["hex"]) if isinstance(text, dict) else text.encode()
