"""Writes the generated sections of a README, each between `<!-- generated: NAME -->` and `<!-- end -->`.

Knows the sections by name; knows nothing of the text around them. `python -m goldfish.everything.readme README.md`
writes the file anew; with `--check` it only tells, by its exit status, whether the file is up to date.
"""

import re
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

from goldfish.everything import breakage, catalog, endpoints

SECTIONS: Mapping[str, Callable[[], str]] = {
    "features": catalog.markdown,
    "breakage": breakage.markdown,
    "differences": endpoints.markdown,
}

_SECTION = re.compile(r"<!-- generated: (?P<name>[^>]*?) -->\n(?P<text>.*?)<!-- end -->", re.DOTALL)


def update(text: str) -> str:
    """The text with every generated section as it should be. Raises ValueError for a section nobody generates."""
    return _SECTION.sub(_section, text)


def _section(found: re.Match[str]) -> str:
    name = found["name"]
    if name not in SECTIONS:
        raise ValueError(f"section {name!r}: the sections are {', '.join(SECTIONS)}")
    return f"<!-- generated: {name} -->\n{SECTIONS[name]()}<!-- end -->"


def main(arguments: list[str]) -> int:
    """Updates or checks the files named; 0 when they are as they should be."""
    names = [argument for argument in arguments if argument != "--check"]
    behind = []
    for path in map(Path, names):
        text = path.read_text(encoding="utf-8")
        if update(text) != text:
            behind.append(str(path))
            if "--check" not in arguments:
                path.write_text(update(text), encoding="utf-8")
    if "--check" not in arguments:
        return 0
    for name in behind:
        print(f"{name}: generated sections are behind; run 'make docs'", file=sys.stderr)
    return 1 if behind else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
