"""Reads a package's imports from its source, without running it.

Knows Python's import statements and where a package's modules lie; knows no rule about who may import whom.
"""

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Import:
    """One imported thing: `module` as far as the source names it, and the name taken from it, if one is."""

    importer: str
    module: str
    name: str | None
    line: int


@dataclass(frozen=True, slots=True)
class Module:
    """A source file, read."""

    name: str
    path: Path
    text: str
    docstring: str | None
    imports: tuple[Import, ...]


def read_package(root: Path, package: str) -> dict[str, Module]:
    """Every module below `root`/`package`, by its dotted name."""
    return {module.name: module for path in sorted((root / package).rglob("*.py")) if (module := read(root, path))}


def read(root: Path, path: Path) -> Module:
    """The module at `path`, named as seen from `root`."""
    parts = list(path.relative_to(root).with_suffix("").parts)
    is_package = parts[-1] == "__init__"
    name = ".".join(parts[:-1] if is_package else parts)
    text = path.read_text(encoding="utf-8")
    tree = ast.parse(text, str(path))
    home = name if is_package else name.rpartition(".")[0]
    return Module(
        name,
        path,
        text,
        ast.get_docstring(tree),
        tuple(_imports(tree, name, home)),
    )


def _imports(tree: ast.Module, importer: str, home: str) -> Iterator[Import]:
    """Wherever they stand: at the top, inside a function, or behind TYPE_CHECKING."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield Import(importer, alias.name, None, node.lineno)
        elif isinstance(node, ast.ImportFrom):
            module = node.module or ""
            if node.level:
                base = home.split(".")[: len(home.split(".")) - node.level + 1]
                module = ".".join([*base, module] if module else base)
            for alias in node.names:
                yield Import(importer, module, alias.name, node.lineno)


def target(imported: Import, modules: Mapping[str, Module]) -> str:
    """The module that an import reaches: `from a import b` reaches `a.b` where that is a module."""
    if imported.name is not None and f"{imported.module}.{imported.name}" in modules:
        return f"{imported.module}.{imported.name}"
    return imported.module


def circles(edges: Mapping[str, set[str]]) -> list[Sequence[str]]:
    """Each circle once, as the modules along it."""
    found: list[Sequence[str]] = []
    done: set[str] = set()

    def visit(name: str, trail: list[str]) -> None:
        if name in trail:
            found.append(trail[trail.index(name) :])
            return
        if name in done:
            return
        for following in sorted(edges.get(name, set())):
            visit(following, [*trail, name])
        done.add(name)

    for name in sorted(edges):
        visit(name, [])
    return found
