"""Transcripts as files: read, and written anew with other answers.

Knows the format that README.md beside this module describes. Knows no way in which a request travels.
"""

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from tests.support.inprocess import Json

FOLDER: Final = Path(__file__).parent
#: Characters of a line of JSON; what does not fit is broken into lines.
WIDTH: Final = 108
_SECTION: Final = re.compile(
    r"## (?P<title>.+)\n\n(?P<why>[^`#].*?)\n\n"
    r"Sent(?P<http>, over HTTP only)?:\n\n```json\n(?P<send>.*?)\n```\n\n"
    r"Received(?:, (?P<head>HTTP .+))?:\n\n```json\n(?P<receive>.*?)\n```\n+",
    re.DOTALL,
)
_CITED: Final = re.compile(r"\([a-z-]+(/[a-z-]+)*#[a-z0-9-]+\)")


@dataclass(frozen=True)
class Received:
    """Every message that came back, the answer last; `head` is the HTTP status and the media type, or None."""

    head: str | None
    messages: list[Json]


@dataclass(frozen=True)
class Exchange:
    """A request and what came back. `http` says that only HTTP can ask this."""

    title: str
    why: str
    http: bool
    send: Json
    receive: Received

    @property
    def cites(self) -> bool:
        """Whether its sentence says where the specification says so."""
        return _CITED.search(self.why) is not None

    @property
    def requests(self) -> list[Json]:
        """What is sent: the request, and what is sent while it is open."""
        return [self.send, *self.send.get("meanwhile", [])]


@dataclass(frozen=True)
class Transcript:
    intro: str
    exchanges: tuple[Exchange, ...]

    def __str__(self) -> str:
        return self.intro + "\n".join(_section(exchange) for exchange in self.exchanges)


def files() -> list[Path]:
    return sorted(path for path in FOLDER.glob("*.md") if path.name != "README.md")


def parse(text: str) -> Transcript:
    """A transcript. Raises ValueError, naming the section that is not in the format: nothing is passed over."""
    intro, *sections = re.split(r"^(?=## )", text, flags=re.MULTILINE)
    return Transcript(intro, tuple(_exchange(section) for section in sections))


def _exchange(section: str) -> Exchange:
    found = _SECTION.fullmatch(section)
    if found is None:
        raise ValueError(f"{section.splitlines()[0]}: not a sentence, 'Sent:', 'Received:' and their blocks")
    messages = json.loads(found["receive"])
    received = Received(found["head"], messages if isinstance(messages, list) else [messages])
    return Exchange(found["title"], found["why"], bool(found["http"]), json.loads(found["send"]), received)


def _section(exchange: Exchange) -> str:
    messages = exchange.receive.messages
    head = "" if exchange.receive.head is None else f", {exchange.receive.head}"
    return (
        f"## {exchange.title}\n\n{exchange.why}\n\n"
        f"Sent{', over HTTP only' if exchange.http else ''}:\n\n```json\n{pretty(exchange.send)}\n```\n\n"
        f"Received{head}:\n\n```json\n{pretty(messages[0] if len(messages) == 1 else messages)}\n```\n"
    )


def pretty(value: Any, indent: int = 0, before: int = 0) -> str:
    """JSON on one line where it fits; `before` counts the characters that stand on the line already."""
    line = json.dumps(value, ensure_ascii=False)
    if not value or not isinstance(value, dict | list) or indent + before + len(line) <= WIDTH:
        return line
    inner = " " * (indent + 2)
    if isinstance(value, dict):
        keys = [f"{json.dumps(key)}: " for key in value]
        members = [key + pretty(item, indent + 2, len(key)) for key, item in zip(keys, value.values(), strict=True)]
        opening, closing = "{}"
    else:
        members = [pretty(item, indent + 2) for item in value]
        opening, closing = "[]"
    return f"{opening}\n{inner}" + f",\n{inner}".join(members) + f"\n{' ' * indent}{closing}"
