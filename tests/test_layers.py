"""The rules on who may import whom hold for the package, and each of them can fail."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

import goldfish
from tests.support import layers
from tests.support.imports import read, read_package

ROOT = Path(__file__).parent.parent
FOLDERS = ("src", "tests", "examples", "bench", "docs")
TEXT = {".py", ".md", ".toml", ".html", ".css", ".js", ".json", ".sh", ".yml", ".yaml"}


def ours(*suffixes: str) -> Iterator[Path]:
    """The files of the project with one of these endings, caches left out."""
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob("*")):
            hidden = any(part.startswith((".", "__pycache__")) for part in path.relative_to(ROOT).parts)
            if path.suffix in suffixes and path.is_file() and not hidden:
                yield path
    yield from (path for path in sorted(ROOT.glob("*.*")) if path.suffix in suffixes)


def found(package: Path, modules: Mapping[str, str]) -> list[str]:
    """What the rules say about a package made of these modules, beside a lower part that is in order."""
    usual = {"__init__": '"""x"""\n', "wire/__init__": '"""x"""\n', "wire/meta": '"""x"""\n'}
    for name, text in {**usual, **modules}.items():
        path = package / "goldfish" / f"{name}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return layers.problems(read_package(package, "goldfish"), ["Server"])


def test_the_package_keeps_every_rule() -> None:
    assert [] == layers.problems(read_package(ROOT / "src", "goldfish"), goldfish.__all__)


def test_every_module_says_what_it_knows_and_none_is_too_long() -> None:
    modules = [read(ROOT, path) for path in ours(".py")]
    assert [] == [line for module in modules for line in layers.shape(module)]


def test_the_files_speak_of_the_project_alone() -> None:
    texts = [*ours(*TEXT), ROOT / "Makefile", ROOT / ".ci" / "run"]
    assert [] == [line for path in texts for line in layers.foreign(path)]


def test_the_rules_cover_every_part_there_is() -> None:
    parts = {layers.part(name) for name in read_package(ROOT / "src", "goldfish")}
    assert parts <= layers.MAY_IMPORT.keys()


DOC = '"""x"""\n'


#: What breaks a rule: the module, what it says, and what is said of it.
BROKEN = {
    "upwards": ("wire/a", "import goldfish.kernel.call", "wire must not import goldfish.kernel.call"),
    "the public face": ("kernel/a", "from goldfish import Server", "kernel must not import goldfish"),
    "relative": ("kernel/a", "from ..server import X", "kernel must not import goldfish.server"),
    "in a function": ("kernel/a", "def f():\n    import goldfish.server", "kernel must not import goldfish.server"),
    "a feature the join": ("features/a", "from goldfish.server import X", "features must not import goldfish.server"),
    "a transport the kernel": ("transports/a", "from goldfish.kernel.admit import X", "transports must not import"),
    "a transport a feature": ("transports/a", "from goldfish.features import tools", "transports must not import"),
    "a back-end a shape": ("backends/a", "from goldfish.wire import meta", "backends must not import goldfish.wire"),
    "serving anything": ("serving", "from goldfish.wire import meta", "serving must not import goldfish.wire.meta"),
    "auth a call": ("auth", "from goldfish.kernel import call", "auth must not import goldfish.kernel.call"),
    "testing a shape": ("testing", "from goldfish.wire import meta", "testing must not import goldfish.wire.meta"),
    "past the public names": ("everything/a", "from goldfish.wire import meta", "everything must not import"),
    "a module as a name": ("everything/a", "from goldfish import version", "everything must not import"),
    "a private name": ("everything/a", "from goldfish import Kernel", "Kernel is not a public name"),
    "the whole package": ("everything/a", "import goldfish", "goldfish is not a public name"),
    "a part without a rule": ("novelty", "", "the part 'novelty' stands in no rule"),
    "waiting": ("wire/a", "import asyncio", "wire must do without asyncio"),
    "a clock": ("wire/a", "from time import time", "wire must do without time"),
    "chance": ("wire/a", "import random", "wire must do without random"),
    "I/O": ("kernel/a", "import socket", "kernel must do without socket"),
    "I/O from a package": ("kernel/a", "from urllib import request", "kernel must do without urllib.request"),
    "a framework": ("kernel/a", "import starlette.types", "kernel must not import starlette"),
    "a server": ("transports/a", "import uvicorn", "transports must not import uvicorn"),
    "a method": ("transports/a", "# see tools/call", "a:3: a transport must not know tools/call"),
    "a notification": ("transports/a", "X = 'notifications/message'", "must not know notifications/message"),
    "length": ("wire/a", "\n" * 399, "goldfish.wire.a: 402 lines, and 400 is the limit"),
}


@pytest.mark.parametrize(("module", "text", "expected"), BROKEN.values(), ids=BROKEN.keys())
def test_a_broken_rule_is_found(tmp_path: Path, module: str, text: str, expected: str) -> None:
    lower = dict.fromkeys(["kernel/call", "kernel/admit", "features/tools", "server", "version"], DOC)
    lines = found(tmp_path, {**lower, module: f"{DOC}\n{text}\n"})
    assert 1 == len(lines), lines
    assert expected in lines[0]


def test_a_module_without_a_docstring_is_found(tmp_path: Path) -> None:
    assert ["goldfish.wire.a: a docstring must say what the module knows"] == found(tmp_path, {"wire/a": "X = 1\n"})


def test_a_circle_is_found_whole(tmp_path: Path) -> None:
    chain = {
        "wire/a": f"{DOC}from goldfish.wire.b import X",
        "wire/b": f"{DOC}from goldfish.wire import c",
        "wire/c": f"{DOC}from . import a",
    }
    assert ["circle: goldfish.wire.a -> goldfish.wire.b -> goldfish.wire.c"] == found(tmp_path, chain)


def test_a_package_in_order_has_no_problem(tmp_path: Path) -> None:
    modules = {
        "kernel/call": f"{DOC}import msgspec\nfrom goldfish.wire import meta\nfrom . import other",
        "kernel/other": DOC,
        "transports/asgi": f"{DOC}import asyncio\nfrom goldfish.kernel.call import Call\nX = 'text/event-stream'",
        "everything/app": f"{DOC}from goldfish import Server\nfrom goldfish.everything import page\nimport starlette",
        "everything/page": DOC,
    }
    assert [] == found(tmp_path, modules)


@pytest.mark.parametrize(
    "text",
    ["see /ho" "me/me/notes", "x = '/wo" "rk/main'", "in ../sha" "red/x", "py" "pi.org", "# TO" "DO later"],
)  # fmt: skip
def test_a_word_that_is_not_the_project_s_is_found(tmp_path: Path, text: str) -> None:
    path = tmp_path / "a.md"
    path.write_text(f"first line\n{text}\n")
    (line,) = layers.foreign(path)
    assert line.startswith("a.md:2: ")


def test_paths_of_requests_are_nobody_s_machine(tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    path.write_text("http://127.0.0.1/work/x, src/work/x and a workshop\n")
    assert [] == list(layers.foreign(path))


def test_the_version_is_the_first_entry_of_the_changelog() -> None:
    heading = re.search(r"^## (\S+)", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert heading is not None
    assert goldfish.__version__ == heading[1]
