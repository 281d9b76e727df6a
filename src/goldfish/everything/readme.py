"""Writes the generated sections of a README, each between `<!-- generated: NAME -->` and `<!-- end -->`.

Knows the sections by name, and the module whose `markdown()` writes each; knows nothing of the text around them.
`python -m goldfish.everything.readme README.md` writes the file anew; with `--check` it only tells, by its exit status,
whether the file is up to date.
"""

import re
import sys
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path

#: By name and not by import: a README also shows what the reference server itself must not know.
SECTIONS: Mapping[str, str] = {
    "features": "goldfish.everything.catalog",
    "breakage": "goldfish.everything.breakage",
    "differences": "goldfish.everything.endpoints",
    "settings": "goldfish.settings",
}

_SECTION = re.compile(r"<!-- generated: (?P<name>[^>]*?) -->\n(?P<text>.*?)<!-- end -->", re.DOTALL)


def section(name: str) -> str:
    """The text of a section. Raises ValueError for one that nobody generates."""
    if name not in SECTIONS:
        raise ValueError(f"section {name!r}: the sections are {', '.join(SECTIONS)}")
    text: str = import_module(SECTIONS[name]).markdown()
    return text


def update(text: str) -> str:
    """The text with every generated section as it should be. Raises ValueError for a section nobody generates."""
    return _SECTION.sub(lambda found: _marked(found["name"]), text)


def _marked(name: str) -> str:
    return f"<!-- generated: {name} -->\n{section(name)}<!-- end -->"


def main(arguments: list[str]) -> int:
    """Updates or checks the files named; 0 when they are as they should be."""
    check = "--check" in arguments
    behind = []
    for path in (Path(argument) for argument in arguments if argument != "--check"):
        text = path.read_text(encoding="utf-8")
        if update(text) == text:
            continue
        behind.append(path)
        if not check:
            path.write_text(update(text), encoding="utf-8")
    if not check:
        return 0
    for path in behind:
        print(f"{path}: generated sections are behind; run 'make docs'", file=sys.stderr)
    return 1 if behind else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
