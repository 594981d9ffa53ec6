"""What a rule may look at: one model file, one target, and how the caller will load it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import PurePath
from types import MappingProxyType
from typing import TYPE_CHECKING

from msgspec import Struct

from preflight.container.types import Container, ContainerKind, Header
from preflight.findings import Location
from preflight.model.manifest import ModelFile, ModelManifest
from preflight.target.types import ReleaseBehaviour, Target

if TYPE_CHECKING:
    from preflight.registry.history import History

# The ways a process can load a model; the value names the reader whose checks apply.
LOADERS = ("standard", "single_op", "flow", "bundle", "nano", "om2")

_LOADER_OF_KIND: Mapping[ContainerKind, str] = MappingProxyType(
    {
        ContainerKind.SINGLE_OP: "single_op",
        ContainerKind.FLOW: "flow",
        ContainerKind.BUNDLE: "bundle",
        ContainerKind.OM2: "om2",
    }
)


class Assumptions(Struct, frozen=True):
    """What the caller says about how the model will be loaded.

    `loader` empty means the one that a CANN installation has for the kind of file; the nano
    executor, which none has, counts only when it is named. `weight_path` is the folder of
    external weights given to the load call, None when none is given. `base_dir` is the folder that
    holds the model on the target; empty means the folder the file was read from.
    """

    loader: str = ""
    weight_path: str | None = None
    base_dir: str = ""


class ExpiredWaiver(Struct, frozen=True):
    """A waiver whose date has passed while its finding is still there."""

    rule: str
    expires: str
    reason: str


class Context(Struct, frozen=True):
    """The input of `run_rules`; `prefix` and `outer` place a model inside another file."""

    model: ModelFile
    target: Target
    assumptions: Assumptions = Assumptions()
    history: Callable[[], History | None] | None = None
    prefix: str = ""
    outer: tuple[int, ...] = ()
    expired_waivers: tuple[ExpiredWaiver, ...] = ()

    @property
    def loader(self) -> str:
        """The reader whose checks apply to this file."""
        if self.assumptions.loader:
            return self.assumptions.loader
        container = self.model.container
        if container.kind is ContainerKind.NOT_A_MODEL and self._taken_for_package:
            return "om2"
        return _LOADER_OF_KIND.get(container.kind, "standard")

    @property
    def _taken_for_package(self) -> bool:
        """Whether the loader looks for a package and finds the first bytes of one (§D.1)."""
        knows = self.behaviour is not None and self.behaviour.om2
        return knows and any(f.check.startswith("om2.") for f in self.model.container.faults)

    @property
    def container(self) -> Container:
        """The file as the reader of `loader` sees it."""
        container = self.model.container
        return container.standard_view if self.loader == "standard" else container

    @property
    def header(self) -> Header | None:
        return self.container.header

    @property
    def manifest(self) -> ModelManifest | None:
        return self.model.manifest

    @property
    def behaviour(self) -> ReleaseBehaviour | None:
        """How the target's loader differs from others; None when the release is not known."""
        return self.target.behaviour.value if self.target.behaviour.known else None

    @property
    def model_name(self) -> str:
        """The short name used in messages: the file name, or the name inside the outer file."""
        return self.model.name or PurePath(self.model.path).name or "model"

    @property
    def base_dir(self) -> str:
        """The folder of the model file, where files beside it are looked for."""
        return self.assumptions.base_dir or str(PurePath(self.model.path).parent)

    def place(self, path: str = "", offset: int | None = None) -> Location:
        """A location in this model, below the outer file when it is a nested one."""
        parts = [part for part in (self.prefix, path) if part]
        return Location(file=self.model.path, path=" / ".join(parts), offset=offset)
