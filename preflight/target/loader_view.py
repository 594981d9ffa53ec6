"""What the loader itself reads from an install root (spec/om-format.md §D.4), and nothing else.

root is the grandparent folder of the loader's library (`<root>/<x>/lib64/lib*.so`); the operator
package lies where ASCEND_OPP_PATH says.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from preflight.target.packages import ABI_KEY, COMPILER_KEY, VERSION_KEY, find_key, parse_scene
from preflight.target.tree import Tree
from preflight.versions import is_vendor_version_valid

OPP_VARIABLE = "ASCEND_OPP_PATH"


@dataclass(frozen=True, slots=True)
class SceneView:
    """os and arch as the loader has them; both "" when no scene file is readable."""

    os: str
    cpu: str
    source: str


@dataclass(frozen=True, slots=True)
class VendorView:
    """A package in the operator search path, and whether the loader's filter keeps it."""

    path: str
    opp_version: str
    compiler_version: str
    valid: bool
    reason: str = ""


@dataclass(frozen=True, slots=True)
class LoaderView:
    """Reads one install root; `tree` bounds the reading and keeps the places."""

    root: Path
    tree: Tree = field(default_factory=Tree)

    def scene(self) -> SceneView:
        """`<root>/opp/scene.info`, and when that is unreadable `<root>/runtime/scene.info`."""
        for package in ("opp", "runtime"):
            path = self.root / package / "scene.info"
            text = self.tree.text(path, "host of the installation, as the loader reads it")
            if text is not None:
                system, cpu = parse_scene(text)
                return SceneView(system, cpu, str(path))
        return SceneView("", "", "no scene.info under opp or runtime: the loader takes empty texts")

    def abi_file(self) -> Path | None:
        """The version file that decides embedded libraries, None when the loader has none."""
        for package in ("compiler", "runtime"):
            if self.tree.is_dir(self.root / package):
                return self.root / package / "version.info"
        return None

    def abi_range(self) -> tuple[str | None, str]:
        """(value of required_opp_abi_version or None, where that comes from).

        None means that the loader accepts every version.
        """
        path = self.abi_file()
        if path is None:
            return None, "neither a compiler nor a runtime folder: the loader accepts every version"
        text = self.tree.text(path, "range of operator package versions the loader accepts")
        if text is None:
            return None, f"{path} cannot be read: the loader accepts every version"
        value = find_key(text, ABI_KEY)
        if value is None:
            return None, f"{path} has no {ABI_KEY[:-1]}: the loader accepts every version"
        return value, f"{path}, {ABI_KEY[:-1]}"

    def opp_version(self, opp_path: Path) -> tuple[str | None, str]:
        """(Version= of the operator package or None, where that comes from).

        None means that the loader does not compare opp_version.
        """
        path = opp_path / "version.info"
        text = self.tree.text(path, "version of the operator package, as the loader reads it")
        value = None if text is None else find_key(text, VERSION_KEY)
        if value is None:
            return None, f"{path} gives no Version: the loader does not compare opp_version"
        return value, f"{path}, Version"

    def vendor(self, path: Path, padded: bool) -> VendorView:
        """The filter that the loader applies to a package when it builds its search path.

        `path` is the package's folder; "opp_latest" in it always passes, "built-in" in it makes the
        loader use the operator package's own version.
        """
        opp_version = compiler_version = ""
        if "built-in" in str(path):
            text = self.tree.text(path.parent / "version.info", "version of built-in operators")
            opp_version = _value(text, VERSION_KEY)
        else:
            text = self.tree.text(path / "version.info", "compiler version of a vendor package")
            compiler_version = _value(text, COMPILER_KEY)
        range_text, where = self.abi_range()
        valid = "opp_latest" in str(path) or is_vendor_version_valid(
            opp_version, compiler_version, range_text, padded
        )
        found = opp_version or compiler_version
        reason = "" if valid else f"{found or 'no version'} is outside {range_text} ({where})"
        return VendorView(str(path), opp_version, compiler_version, valid, reason)


def _value(text: str | None, key: str) -> str:
    return (find_key(text, key) or "") if text is not None else ""
