"""Operator prototypes from the C++ headers of an operator package; no compiler needed.

Reads what `REG_OP(...)…OP_END_FACTORY_REG(...)` chains declare (graph/operator_reg.h) and gives the
prototypes that the history registry's own writer would store for them (spec/om-format.md §F.3).
"""

from __future__ import annotations

import fnmatch
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NoReturn

from msgspec import Struct
from msgspec.structs import replace

from preflight.errors import MalformedInput, UnreadableInput
from preflight.registry.cpp_chains import ARGUMENTS, START, Call, Chain, find_chains
from preflight.registry.cpp_constants import Constants, HeaderSet
from preflight.registry.cpp_macros import Macro, chain_macros, expand_chains
from preflight.registry.cpp_tokens import Token, tokenize
from preflight.registry.cpp_values import literal_text, read_default
from preflight.registry.prototype import (
    ATTRIBUTE_TYPES,
    INPUT_TYPES,
    OUTPUT_TYPES,
    AttributeSpec,
    Port,
    Prototype,
    SubgraphSpec,
)

HEADER_SUFFIXES = (".h", ".hpp", ".hh", ".inc")
SOURCE_SUFFIXES = (".cc", ".cpp", ".cxx")  # read where a pattern asks for them or no header is
_MAX_HEADER_BYTES = 16 << 20
_MAX_HEADERS = 100_000
_TEST_FOLDERS = frozenset({"test", "tests", "examples"})
_GRAPHS = {"GRAPH": "STATIC", "DYNAMIC_GRAPH": "DYNAMIC"}


class ExtractionProblem(Struct, frozen=True):
    """A place in a header that was not taken over as it stands. `file` is below the directory.

    `lost` tells whether an operator is missing from the result because of it.
    """

    file: str
    line: int
    message: str
    op_type: str = ""
    lost: bool = False

    def __str__(self) -> str:
        about = f"{self.op_type}: " if self.op_type else ""
        return f"{self.file}:{self.line}: {about}{self.message}"


class Extraction(Struct, frozen=True):
    """What a header directory declares, and everything that could not be read."""

    prototypes: tuple[Prototype, ...]  # sorted by operator type
    problems: tuple[ExtractionProblem, ...]
    files: int
    chains: int


def extract_registry(
    headers: Path, *, match: str = "", predefined: Mapping[str, str] | None = None
) -> Extraction:
    """Read every prototype header below `headers` (a directory or one file).

    `match` limits the files by a pattern on their path below the directory, `*/op_graph/*.h`;
    `predefined` are macros given from outside. A chain that cannot be read is a problem, the rest
    goes on. Raises UnreadableInput when there is no header at all.
    """
    problems: list[ExtractionProblem] = []
    texts: dict[str, str] = {}
    for name, path in _headers(headers, match):
        text = _read(path, name, problems)
        if text is not None:
            texts[name] = text
    if not texts:
        raise UnreadableInput(
            f"no readable C++ header below {headers}",
            hint="name the directory that holds the prototype headers, such as op_proto/inc",
        )
    header_set = HeaderSet(texts, lambda text: tokenize(text, predefined))
    collector = _Collector(header_set, problems)
    for name in sorted(header_set.mention([START, *collector.macros]), key=_rank):
        collector.add_header(name)
    return collector.result()


def _rank(name: str) -> tuple[bool, bool, str]:
    """Headers of prototypes first, test code last: of two different chains the first is kept.

    A checked-out package has prototypes in `op_graph`, an installed one in `op_proto`.
    """
    folders = name.split("/")[:-1]
    prototypes = "op_graph" in folders or "op_proto" in folders
    return (bool(_TEST_FOLDERS & set(folders)), not prototypes, name)


def _headers(root: Path, match: str) -> Iterator[tuple[str, Path]]:
    """(path below the root, path) per header, in path order; links that lead out are skipped."""
    if root.is_file():
        yield root.name, root
        return
    if not root.is_dir():
        raise UnreadableInput(f"{root} is neither a directory nor a file")
    base = root.resolve()
    suffixes = (*HEADER_SUFFIXES, *SOURCE_SUFFIXES)
    found: list[tuple[str, Path]] = []
    for folder, _, files in os.walk(root, followlinks=False):
        for file in files:
            path = Path(folder, file)
            name = path.relative_to(root).as_posix()
            if not file.endswith(suffixes) or (match and not fnmatch.fnmatch(name, match)):
                continue
            if path.is_symlink() and not path.resolve().is_relative_to(base):
                continue
            found.append((name, path))
            if len(found) > _MAX_HEADERS:
                raise MalformedInput(f"{root} holds more than {_MAX_HEADERS} headers")
    headers = found if match else [item for item in found if item[0].endswith(HEADER_SUFFIXES)]
    yield from sorted(headers or found)


def _read(path: Path, name: str, problems: list[ExtractionProblem]) -> str | None:
    try:
        if path.stat().st_size > _MAX_HEADER_BYTES:
            problems.append(ExtractionProblem(name, 1, f"larger than {_MAX_HEADER_BYTES} bytes"))
            return None
        data = path.read_bytes()
    except OSError as error:
        problems.append(ExtractionProblem(name, 1, f"cannot be read: {error.strerror}"))
        return None
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return data.decode("gb18030", errors="replace")  # older headers carry Chinese comments


class _Collector:
    def __init__(self, headers: HeaderSet, problems: list[ExtractionProblem]) -> None:
        self.headers = headers
        self.problems = problems
        self.found: dict[str, Prototype] = {}
        self.chains = 0
        self._places: dict[str, str] = {}
        self._left_out: list[ExtractionProblem] = []
        self.macros = self._chain_macros()

    def result(self) -> Extraction:
        """Everything that was found; a branch left out is a loss only where nothing else has it."""
        for problem in self._left_out:
            self.problems.append(replace(problem, lost=problem.op_type not in self.found))
        return Extraction(
            tuple(sorted(self.found.values(), key=lambda p: p.op_type)),
            tuple(self.problems),
            len(self.headers.texts),
            self.chains,
        )

    def _chain_macros(self) -> dict[str, Macro]:
        """Macros of any header that stand for chains; the header that uses one may have its own."""
        macros: dict[str, Macro] = {}
        for name in self.headers.mention([START, *(f".{call}" for call in ARGUMENTS)]):
            for define in self.headers.stream(name).defines:
                macros[define.name] = Macro(define.body, define.parameters)
        return chain_macros(macros)

    def add_header(self, file: str) -> None:
        """Take over what one header declares."""
        stream = self.headers.stream(file)
        own = {d.name: Macro(d.body, d.parameters) for d in stream.defines}
        macros = self.macros | {n: m for n, m in own.items() if n in self.macros}
        tokens, remarks = expand_chains(stream.tokens, macros)
        for remark in (*stream.remarks, *remarks):
            self.problems.append(ExtractionProblem(file, remark.line, remark.message))
        for chain in find_chains(stream.left_out):
            message = "left out by a preprocessor condition"
            self._left_out.append(ExtractionProblem(file, chain.line, message, chain.op_type))
        constants = Constants(self.headers, file)
        for chain in find_chains(tokens):
            self.chains += 1
            self._add_chain(file, chain, constants)

    def _add_chain(self, file: str, chain: Chain, constants: Constants) -> None:
        try:
            if chain.trouble:
                raise _Unreadable(chain.trouble, chain.trouble_line)
            prototype = _PrototypeBuilder(chain, constants).build()
        except _Unreadable as error:
            problem = ExtractionProblem(file, error.line, str(error), chain.op_type, True)
            self.problems.append(problem)
            return
        first = self.found.setdefault(prototype.op_type, prototype)
        place = self._places.setdefault(prototype.op_type, f"{file}:{chain.line}")
        if first != prototype:
            message = f"declared differently at {place}, which is kept"
            self.problems.append(ExtractionProblem(file, chain.line, message, chain.op_type))


class _Unreadable(Exception):
    """Internal: a chain means nothing that can be stored."""

    def __init__(self, message: str, line: int) -> None:
        super().__init__(message)
        self.line = line


class _PrototypeBuilder:
    def __init__(self, chain: Chain, constants: Constants) -> None:
        self._chain = chain
        self._constants = constants
        self._inputs: list[Port] = []
        self._outputs: list[Port] = []
        self._subgraphs: list[SubgraphSpec] = []
        self._attrs: list[AttributeSpec] = []
        self._datatypes: list[tuple[str, str]] = []
        self._seen: set[tuple[str, str]] = set()

    def build(self) -> Prototype:
        for call in self._chain.calls:
            self._take(call)
        return Prototype(
            self._chain.op_type,
            tuple(self._inputs),
            tuple(self._outputs),
            tuple(self._subgraphs),
            tuple(self._attrs),
            tuple(self._datatypes),
        )

    def _take(self, call: Call) -> None:
        name = call.name
        if name in INPUT_TYPES:
            self._inputs.append(self._port(call, "input"))
        elif name in OUTPUT_TYPES:
            self._outputs.append(self._port(call, "output"))
        elif name in ("ATTR", "REQUIRED_ATTR"):
            self._attrs.append(self._attribute(call))
        elif name in _GRAPHS:
            graph = self._unique(call, "graph", self._name(call, 1))
            self._subgraphs.append(SubgraphSpec(graph, _GRAPHS[name]))
        elif name == "DATATYPE":
            symbol = self._unique(call, "symbol", self._name(call, 2))
            self._datatypes.append((symbol, literal_text(call.arguments[1])))
        elif name == "OP_END_FACTORY_REG" and self._name(call, 1) != self._chain.op_type:
            closed = call.arguments[0][0].text
            self._fail(call, f"ends as '{closed}'")

    def _port(self, call: Call, what: str) -> Port:
        name = self._unique(call, what, self._name(call, 2))
        return Port(name, call.name, literal_text(call.arguments[1]))

    def _attribute(self, call: Call) -> AttributeSpec:
        required = call.name == "REQUIRED_ATTR"
        name = self._unique(call, "attribute", self._name(call, 2 if required else 3))
        attr_type = literal_text(call.arguments[1])
        if attr_type not in ATTRIBUTE_TYPES:
            self._fail(
                call, f"attribute '{name}' has the type '{attr_type}', which no registry holds"
            )
        if required:
            return AttributeSpec(name, attr_type, required=True)
        try:
            default = read_default(attr_type, call.arguments[2], self._constants)
        except MalformedInput as error:
            self._fail(call, f"default of attribute '{name}': {error.message}")
        return AttributeSpec(name, attr_type, required=False, default_value=default)

    def _name(self, call: Call, arguments: int) -> str:
        """The first argument as a name; checks how many arguments there are."""
        if len(call.arguments) != arguments or not all(call.arguments):
            self._fail(call, f"{call.name} needs {arguments} arguments, has {len(call.arguments)}")
        tokens: tuple[Token, ...] = call.arguments[0]
        if len(tokens) != 1 or tokens[0].kind != "name":
            self._fail(call, f"{call.name} needs a name first")
        return tokens[0].text

    def _unique(self, call: Call, what: str, name: str) -> str:
        if (what, name) in self._seen:
            self._fail(call, f"the {what} '{name}' is declared twice")
        self._seen.add((what, name))
        return name

    def _fail(self, call: Call, message: str) -> NoReturn:
        raise _Unreadable(message, call.line)
