"""`agree.py headers DIR --registry DIR`: prototypes from C++ headers against a registry release.

Operators are compared field by field. An operator that only one side has is a disagreement, unless
`--subset` says that the headers are known to be a part of the release.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

from msgspec import structs

from preflight import api
from tiers.tally import Tally


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "dir", type=Path, help="headers, or <release>/ or <package>/<release>/ dirs"
    )
    parser.add_argument(
        "--registry",
        type=Path,
        required=True,
        help="a release folder, a package folder, or a folder of packages",
    )
    parser.add_argument("--release", help="the release when --registry names a package")
    parser.add_argument("--match", default="", help="only headers whose path fits this pattern")
    parser.add_argument(
        "--subset", action="store_true", help="operators without a header are no disagreement"
    )


def run(args: argparse.Namespace) -> Tally:
    """Each operator agrees when both prototypes are equal."""
    tally = Tally()
    for headers, package, release in _pairs(args.dir, args.registry, args.release):
        group = f"{package.name} {release}"
        expected = api.load_release(package, release).operators
        extraction = api.extract_registry(headers, match=args.match)
        found = {p.op_type: p for p in extraction.prototypes}
        for problem in extraction.problems:
            print(f"NOTE {group} {problem}")
        for name in sorted(expected.keys() | found.keys()):
            if name not in found:
                if not args.subset:
                    tally.record(group, name, ["no header declares it"])
            elif name not in expected:
                tally.record(group, name, ["the registry does not have it"])
            else:
                tally.record(group, name, _differences(expected[name], found[name]))
    tally.table()
    return tally


def _pairs(headers: Path, registry: Path, release: str | None) -> Iterator[tuple[Path, Path, str]]:
    """(headers, package, release) to compare; folders of headers are matched by their names."""
    if (registry / "operators.json").is_file():
        yield headers, registry.parent.parent, registry.name
    elif (registry / "registry").is_dir():
        listed = [r.version for r in api.load_index(registry).releases]
        named = [r for r in listed if (headers / r).is_dir()]
        if release or not named:
            chosen = release or (listed[-1] if listed else "")
            print(f"NOTE comparing with release {chosen} of {registry.name}")
            yield headers, registry, chosen
        else:
            yield from ((headers / r, registry, r) for r in named)
    else:
        for package in sorted(registry.iterdir()):
            if (package / "registry").is_dir() and (headers / package.name).is_dir():
                yield from _pairs(headers / package.name, package, release)


def _differences(expected: object, found: object) -> list[str]:
    """Fields that differ, entry by entry where both are lists of the same length."""
    differences = []
    for field in structs.fields(expected):  # type: ignore[arg-type]
        left, right = getattr(expected, field.name), getattr(found, field.name)
        if left == right:
            continue
        if isinstance(left, tuple) and len(left) == len(right):
            pairs = zip(left, right, strict=True)
            differences += [f"{field.name}: {a} against {b}" for a, b in pairs if a != b]
        else:
            differences.append(f"{field.name}: {left} against {right}")
    return differences
