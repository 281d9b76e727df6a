"""The feature map, read from the docstrings of the features' modules.

Knows the form of those docstrings; knows no feature and nothing of where the map is shown. The form:

    name: Title.

    A note, if there is something to say.

    Feature: what of the protocol it shows
    Spec: page#section; another page#section
    Try:
        shell lines that work as pasted
    Expect: what they print, the decisive parts in backquotes, in the order in which they appear
"""

import re
import textwrap
from dataclasses import dataclass
from functools import cache
from inspect import cleandoc
from typing import Literal

from goldfish.everything import prompts, resources, tools
from goldfish.everything.feature import Feature

Kind = Literal["tool", "resource", "prompt"]

MODULES: tuple[tuple[Kind, tuple[Feature, ...]], ...] = (
    ("tool", tools.MODULES),
    ("resource", resources.MODULES),
    ("prompt", prompts.MODULES),
)
FIELDS = ("Feature", "Spec", "Try", "Expect")
SPECIFICATION = "https://modelcontextprotocol.io/specification/2026-07-28/"

_HEAD = re.compile(r"(?P<name>\S+): (?P<title>.+)\.")
_FIELD = re.compile(rf"^({'|'.join(FIELDS)}):[ \n]", re.MULTILINE)
_QUOTED = re.compile(r"`([^`]+)`")


@dataclass(frozen=True, slots=True)
class Entry:
    """One feature as the map shows it. `lines` is shell text; `expect` quotes what it prints."""

    kind: Kind
    name: str
    title: str
    note: str
    feature: str
    spec: tuple[str, ...]
    lines: str
    expect: str

    @property
    def snippets(self) -> tuple[str, ...]:
        """What the lines print for certain, in this order."""
        return tuple(_QUOTED.findall(self.expect))


def parse(kind: Kind, docstring: str) -> Entry:
    """An entry from a module's docstring. Raises ValueError, naming what is missing or out of place."""
    first, _, rest = cleandoc(docstring).partition("\n")
    head = _HEAD.fullmatch(first)
    if head is None:
        raise ValueError(f"docstring: the first line must be 'name: Title.', not {first!r}")
    note, *parts = _FIELD.split(rest)
    found = tuple(parts[0::2])
    if found != FIELDS:
        raise ValueError(f"{head['name']}: the fields must be {', '.join(FIELDS)}, in this order, not {found}")
    feature, spec, lines, expect = parts[1::2]
    return Entry(
        kind=kind,
        name=head["name"],
        title=head["title"],
        note=_flow(note),
        feature=_flow(feature),
        spec=tuple(page.strip() for page in _flow(spec).split(";")),
        lines=textwrap.dedent(lines).strip(),
        expect=_flow(expect),
    )


@cache
def entries() -> tuple[Entry, ...]:
    """Every feature, tools first, each kind in the order of its list."""
    return tuple(parse(kind, module.__doc__ or "") for kind, modules in MODULES for module in modules)


def markdown() -> str:
    """The feature map: a table for each kind, then the lines to paste, folded."""
    sections = []
    for kind, _ in MODULES:
        chosen = [entry for entry in entries() if entry.kind == kind]
        rows = "\n".join(_row(entry) for entry in chosen)
        head = f"### {kind.capitalize()}s\n\n| {kind} | what it shows | specification |\n|---|---|---|"
        sections.append(f"{head}\n{rows}\n")
        sections += [_details(entry) for entry in chosen]
    return "\n".join(sections)


def _row(entry: Entry) -> str:
    links = ", ".join(f"[{page}]({SPECIFICATION}{page})" for page in entry.spec)
    return f"| `{entry.name}` | {cell(entry.feature)} | {links} |"


def _details(entry: Entry) -> str:
    note = f"{entry.note}\n\n" if entry.note else ""
    body = f"{note}```sh\n{entry.lines}\n```\n\nExpect: {entry.expect}."
    return fold(f"<code>{entry.name}</code>: {entry.title}", body)


def fold(summary: str, body: str) -> str:
    """Markdown that is shown when its summary is clicked."""
    return f"<details><summary>{summary}</summary>\n\n{body}\n\n</details>\n"


def cell(text: str) -> str:
    """Text that stays in its table cell."""
    return text.replace("|", r"\|")


def _flow(text: str) -> str:
    return " ".join(text.split())
