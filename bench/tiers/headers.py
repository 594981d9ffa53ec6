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
from preflight.errors import PreflightError
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
    for headers, package, release in _pairs(args.dir, args.registry, args.release, args.match):
        group = f"{package.name} {release}"
        expected = api.load_release(package, release).operators
        try:
            extraction = api.extract_registry(headers, match=args.match)
        except PreflightError as error:
            tally.record(group, headers.name, [error.message])
            continue
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


def _pairs(
    headers: Path, registry: Path, release: str | None, match: str
) -> Iterator[tuple[Path, Path, str]]:
    """(headers, package, release) to compare; folders of headers are matched by their names.

    Known layouts: all headers of one release, `<release>/`, `<package>/`, `<package>/<release>/`
    and `<release>/<package>/`. Where no name tells, the most similar release is taken, and said.
    """
    if (registry / "operators.json").is_file():
        yield headers, registry.parent.parent, registry.name
        return
    single = (registry / "registry").is_dir()
    packages = [registry] if single else [p.parent for p in sorted(registry.glob("*/index.json"))]
    named = list(_named(headers, packages, release))
    if named:
        yield from named
        return
    parts = [(headers / p.name, [p]) for p in packages if (headers / p.name).is_dir()]
    for folder, candidates in parts or [(headers, packages)]:
        package, chosen = _most_similar(folder, candidates, release, match)
        print(f"NOTE {folder.name}: comparing with release {chosen} of {package.name}")
        yield folder, package, chosen


def _named(
    headers: Path, packages: list[Path], release: str | None
) -> Iterator[tuple[Path, Path, str]]:
    for package in packages:
        for name in [r.version for r in api.load_index(package).releases]:
            if release not in (None, name):
                continue
            below = [headers / package.name / name, headers / name / package.name]
            if len(packages) == 1:
                below.append(headers / name)
            yield from ((folder, package, name) for folder in below if folder.is_dir())


def _most_similar(
    headers: Path, packages: list[Path], release: str | None, match: str
) -> tuple[Path, str]:
    """The package and release that has the most operators as the headers declare them."""
    found = api.extract_registry(headers, match=match).prototypes
    best, chosen = float("-inf"), (packages[0], release or "")
    for package in packages:
        for entry in api.load_index(package).releases:
            if release not in (None, entry.version):
                continue
            operators = api.load_release(package, entry.version).operators
            equal = sum(operators.get(p.op_type) == p for p in found)
            score = equal - 0.5 * abs(len(operators) - len(found))
            if score > best:
                best, chosen = score, (package, entry.version)
    return chosen


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
