"""What the loader itself reads from an install root (spec/om-format.md §D.4), and nothing else.

root is the grandparent folder of the loader's library (`<root>/<x>/lib64/lib*.so`); the operator
package lies where ASCEND_OPP_PATH says.
"""

from __future__ import annotations

from pathlib import Path

from msgspec import Struct, field

from preflight.target.packages import ABI_KEY, COMPILER_KEY, VERSION_KEY, find_key, parse_scene
from preflight.target.tree import Tree
from preflight.target.types import Fact, unknown
from preflight.versions import is_vendor_version_valid

OPP_VARIABLE = "ASCEND_OPP_PATH"


class SceneView(Struct, frozen=True):
    """os and arch as the loader has them; both "" when no scene file is readable.

    `known` is False when a scene file is there that only we cannot read.
    """

    os: str
    cpu: str
    source: str
    known: bool = True


class VendorView(Struct, frozen=True):
    """A package in the operator search path, and whether the loader's filter keeps it.

    `valid` is None where that cannot be said.
    """

    path: str
    opp_version: str
    compiler_version: str
    valid: bool | None
    reason: str = ""


class LoaderView(Struct, frozen=True):
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
            if not self.tree.conclusive(path):
                return SceneView("", "", f"{path} could not be read", known=False)
        return SceneView("", "", "no scene.info under opp or runtime: the loader takes empty texts")

    def abi_range(self) -> Fact[str]:
        """The value of required_opp_abi_version of the compiler, or of the runtime without one.

        A known None means that the loader accepts every version.
        """
        for package in ("compiler", "runtime"):
            folder = self.root / package
            if self.tree.is_dir(folder):
                path = folder / "version.info"
                return self._value(path, ABI_KEY, "the loader accepts every version")
            if not self.tree.conclusive(folder):
                return unknown(f"{folder} could not be read")
        return Fact(None, "neither a compiler nor a runtime folder: every version is accepted")

    def opp_version(self, opp_path: Path) -> Fact[str]:
        """Version= of the operator package.

        A known None means that the loader does not compare opp_version.
        """
        path = opp_path / "version.info"
        return self._value(path, VERSION_KEY, "the loader does not compare opp_version")

    def _value(self, path: Path, key: str, otherwise: str) -> Fact[str]:
        """A key of a version file; known None, with what that means, when the loader has none."""
        text = self.tree.text(path, f"{key[:-1]}, as the loader reads it")
        if text is None and not self.tree.conclusive(path):
            return unknown(f"{path} could not be read")
        value = None if text is None else find_key(text, key)
        if value is None:
            return Fact(None, f"{path} gives no {key[:-1]}: {otherwise}")
        return Fact(value, f"{path}, {key[:-1]}")

    def vendor(self, path: Path, padded: bool) -> VendorView:
        """The filter that the loader applies to a package when it builds its search path.

        `path` is the package's folder; "opp_latest" in it always passes, "built-in" in it makes the
        loader use the operator package's own version.
        """
        built_in = "built-in" in str(path)
        if built_in:
            found = self._value(path.parent / "version.info", VERSION_KEY, "nothing to compare")
        else:
            found = self._value(path / "version.info", COMPILER_KEY, "nothing to compare")
        text = found.value or ""
        opp_version, compiler_version = (text, "") if built_in else ("", text)
        accepted = self.abi_range()
        valid: bool | None = None
        if "opp_latest" in str(path):
            valid = True
        elif found.known and accepted.known:
            range_text = accepted.value
            valid = is_vendor_version_valid(opp_version, compiler_version, range_text, padded)
        reason = ""
        if valid is False:
            reason = f"{text or 'no version'} is outside {accepted.value} ({accepted.source})"
        elif valid is None:
            reason = found.source if not found.known else accepted.source
        return VendorView(str(path), opp_version, compiler_version, valid, reason)
