"""What a log says about the setting: SoC, releases, driver, Python, paths.

`collect_context` looks at whole blocks for a few well-known shapes; what the signatures capture is
more specific and wins over it (`merge`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping

# name -> (text that must be there in lower case, pattern with one group)
_SHAPES: tuple[tuple[str, str, re.Pattern[str]], ...] = tuple(
    (name, needle, re.compile(pattern, re.IGNORECASE))
    for name, needle, pattern in (
        (
            "soc",
            "ascend",
            r"\b(Ascend(?:310|910|610|950|350|031)(?:[A-Z0-9_]{0,14}[A-Z0-9])?)(?![A-Z0-9])",
        ),
        ("soc_requested", "--soc_version", r"--soc_version[= ]\"?(\w{3,30})"),
        ("cann", "ascend-toolkit/", r"ascend-toolkit/(\d{1,2}\.\d{1,2}[\w.-]{0,20}\w)"),
        ("cann", "/cann-", r"/cann-(\d{1,2}\.\d{1,2}[\w.-]{0,20}\w)/"),
        ("driver", "npu-smi", r"npu-smi\s(\d{2}\.[\w.-]{1,16}\w)"),
        (
            "torch_npu",
            "torch_npu",
            r"torch[_-]npu(?:==|\s{1,40}|\s?[:=]\s?)v?(\d\.\d{1,2}[\w.+]{0,24})",
        ),
        ("numpy", "numpy", r"\bnumpy(?:==|\s{1,40}|\s?[:=]\s?)v?([12]\.\d{1,2}[\w.]{0,12})"),
        ("python", "python3.", r"python(3\.\d{1,2}(?:\.\d{1,2})?)\b"),
        ("opset", "ai.onnx::", r"ai\.onnx::(\d{1,2})::"),
        ("device_id", "device", r"\bdevice[ _]?id[ =:\[]{1,3}(\d{1,3})\b"),
    )
)
_WINDOW = 400


_RELEASES = tuple(shape for shape in _SHAPES if shape[0] in ("cann", "driver"))


def collect_releases(text: str, into: dict[str, str]) -> None:
    """Add the releases that paths in a block name; this is done for lines of every level."""
    _collect(_RELEASES, text, text, into)


def collect_context(text: str, low: str, into: dict[str, str]) -> None:
    """Add what a block says and is not known yet; `low` is the block in lower case."""
    _collect(_SHAPES, text, low, into)


def _collect(
    shapes: tuple[tuple[str, str, re.Pattern[str]], ...],
    text: str,
    low: str,
    into: dict[str, str],
) -> None:
    for name, needle, pattern in shapes:
        if name in into:
            continue
        at = low.find(needle)
        for _ in range(4):
            if at < 0:
                break
            found = pattern.search(text, max(0, at - 8), at + _WINDOW)
            if found is not None:
                into[name] = found[1]
                break
            at = low.find(needle, at + len(needle))


def merge(context: Mapping[str, str], captured: Mapping[str, str]) -> dict[str, str]:
    """Captured values over context, with SoC names in their usual spelling."""
    merged = {**context, **{k: v for k, v in captured.items() if v}}
    for name in ("soc", "model_soc", "device_soc", "soc_requested"):
        if name in merged:
            merged[name] = soc_name(merged[name])
    return merged


def soc_name(text: str) -> str:
    """`ascend310p3` and `310P3` become `Ascend310P3`; other text stays as it is."""
    bare = re.sub(r"^ascend[ _-]?", "", text, flags=re.I)
    if not re.match(r"(?:310|910|610|950|350|031)", bare):
        return text
    digits = bare[:3]
    rest = re.sub(
        r"(pro|premium)?([a-z]*)(.*)",
        lambda m: (m[1] or "").capitalize() + m[2].upper() + m[3],
        bare[3:].lower(),
        count=1,
    )
    return f"Ascend{digits}{rest}"


def fill(sentence: str, parameters: Mapping[str, str]) -> str:
    """A sentence with its placeholders filled; empty when one of them is not known."""
    names = re.findall(r"\{(\w+)\}", sentence)
    if any(not parameters.get(n) for n in names):
        return ""
    return re.sub(r"\{(\w+)\}", lambda m: parameters[m[1]], sentence)


def complete(text: str, parameters: Mapping[str, str]) -> str:
    """A text with what is known filled in and a capital word where something is not."""
    return re.sub(r"\{(\w+)\}", lambda m: parameters.get(m[1]) or m[1].upper(), text)
