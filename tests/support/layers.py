"""Which part of the package may import which, and what no module may do. docs/architecture.md draws the same picture.

Knows the rules, as tables, and says where a module breaks one. Every rule takes modules that were read, so that tests
can hand it bad ones.
"""

import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Final

from tests.support.imports import Import, Module, circles, target

PACKAGE: Final = "goldfish"
MAX_LINES: Final = 400

_BELOW: Final = {"wire", "kernel", "features", "tasks", "ports", "backends", "transports", "auth", "version"}

#: What a part may import of the package, beside itself. A part is a folder or a module right below the package; the
#: package itself is `goldfish`. One module may stand for a part of a folder.
MAY_IMPORT: Final[Mapping[str, set[str]]] = {
    "version": set(),
    "wire": set(),
    "ports": {"wire"},
    "kernel": {"wire"},
    "features": {"wire", "kernel", "ports"},
    "tasks": {"wire", "kernel", "features", "ports"},
    "backends": {"ports"},
    "transports": {"wire", "kernel.call"},
    "auth": {"ports"},
    "server": _BELOW,
    "testing": {"server"},
    "goldfish": {*_BELOW, "server", "testing"},
    "everything": {"goldfish"},
    "serving": set(),
    "settings": set(),
    "workers": set(),
    "cli": {"goldfish", "everything", "serving", "settings", "version", "transports", "workers"},
    "__main__": {"cli"},
}

#: What a part may import from outside. `asyncio` is what neither shapes nor rules need: they wait for nothing.
THIRD_PARTY: Final[Mapping[str, set[str]]] = {
    "wire": {"msgspec"},
    "kernel": {"msgspec"},
    "features": {"msgspec", "jsonschema_rs"},
    "tasks": {"msgspec"},
    "server": {"msgspec"},
    "goldfish": {"msgspec"},
    "everything": {"starlette"},
    "serving": {"uvicorn", "uvloop", "httptools"},
    "backends": {"redis"},
}

#: Modules of the standard library that a part must do without: no I/O below the transports, and in `wire` nothing that
#: answers differently the second time.
_IO: Final = {"socket", "ssl", "selectors", "select", "http", "urllib.request", "subprocess", "pathlib", "os", "io"}
WITHOUT: Final[Mapping[str, set[str]]] = {
    "wire": {*_IO, "asyncio", "time", "datetime", "random", "secrets", "uuid", "logging", "threading"},
    "kernel": {*_IO, "time", "datetime", "random", "secrets", "uuid", "threading"},
    "features": _IO,
    "ports": _IO,
}

METHOD: Final = re.compile(
    r"\b(server/discover|(tools|prompts|resources|roots|tasks)/(templates/)?(list|get|read|call|update|cancel|result"
    r"|subscribe|unsubscribe)|completion/complete|subscriptions/listen|logging/setLevel|sampling/createMessage"
    r"|elicitation/create|notifications/[a-z]+)\b"
)

#: What belongs to somebody's machine or head and not into a file that others read.
FOREIGN: Final = re.compile(
    r"(?<![\w.])/(?:home|root|work|Users)/\w|\.\./shared\b|\bpypi\.|\bpythonhosted\b|\b(?:TO[D]O|FIX[M]E|XX[X])\b"
)


def problems(modules: Mapping[str, Module], public: Iterable[str]) -> list[str]:
    """Every place where a package breaks a rule, one line each. `public` are the names in the package's `__all__`."""
    names = set(public)
    return [
        *(line for module in modules.values() for line in _edges(module, modules)),
        *(line for module in modules.values() for line in _outside(module)),
        *(line for module in modules.values() for line in _beyond_public(module, modules, names)),
        *(line for module in modules.values() for line in _method_names(module)),
        *(line for module in modules.values() for line in shape(module)),
        *(f"circle: {' -> '.join(trail)}" for trail in circles(graph(modules))),
    ]


def graph(modules: Mapping[str, Module]) -> dict[str, set[str]]:
    """Module to the modules it imports. A package whose submodule imports its sibling is no circle."""
    return {
        name: {reached for one in module.imports if (reached := target(one, modules)) in modules and reached != name}
        for name, module in modules.items()
    }


def part(name: str) -> str:
    """The part that a module belongs to: `goldfish.wire.meta` belongs to `wire`."""
    return PACKAGE if name == PACKAGE else name.split(".")[1]


def _edges(module: Module, modules: Mapping[str, Module]) -> Iterator[str]:
    own = part(module.name)
    if own not in MAY_IMPORT:
        yield f"{module.name}: the part {own!r} stands in no rule"
        return
    for imported in module.imports:
        reached = target(imported, modules)
        if imported.module.split(".")[0] != PACKAGE or part(reached) == own:
            continue
        within = reached.removeprefix(f"{PACKAGE}.")
        if not any(within == allowed or within.startswith(f"{allowed}.") for allowed in MAY_IMPORT[own]):
            yield f"{_place(imported)}: {own} must not import {reached}"


def _outside(module: Module) -> Iterator[str]:
    own = part(module.name)
    for imported in module.imports:
        top = imported.module.split(".")[0]
        if top in sys.stdlib_module_names:
            reached = {top, imported.module, f"{imported.module}.{imported.name}"}
            for forbidden in sorted(reached & WITHOUT.get(own, set())):
                yield f"{_place(imported)}: {own} must do without {forbidden}"
        elif top not in {PACKAGE, *THIRD_PARTY.get(own, set())}:
            yield f"{_place(imported)}: {own} must not import {top}"


def _beyond_public(module: Module, modules: Mapping[str, Module], public: set[str]) -> Iterator[str]:
    """The reference server is written as anybody's server would be: `from goldfish import` a public name."""
    if part(module.name) != "everything":
        return
    for imported in module.imports:
        if target(imported, modules) == PACKAGE and imported.name not in public:
            yield f"{_place(imported)}: {imported.name or PACKAGE} is not a public name"


def _method_names(module: Module) -> Iterator[str]:
    if part(module.name) != "transports":
        return
    for number, line in enumerate(module.text.splitlines(), 1):
        if found := METHOD.search(line):
            yield f"{module.name}:{number}: a transport must not know {found[0]}"


def shape(module: Module) -> Iterator[str]:
    """What holds for every module, also for those of tests and examples."""
    if module.text and not module.docstring:
        yield f"{module.name}: a docstring must say what the module knows"
    lines = len(module.text.splitlines())
    if lines > MAX_LINES:
        yield f"{module.name}: {lines} lines, and {MAX_LINES} is the limit"


def foreign(path: Path) -> Iterator[str]:
    """Lines of a file that speak of anything but the project."""
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if found := FOREIGN.search(line):
            yield f"{path.name}:{number}: {found[0]}"


def _place(imported: Import) -> str:
    return f"{imported.importer}:{imported.line}"
