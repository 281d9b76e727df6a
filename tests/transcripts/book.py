"""Transcripts as files: read, written anew, compared.

Knows the format that README.md beside this module describes. Knows no way in which a request travels.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from tests.support.inprocess import PREFIX, Json

FOLDER: Final = Path(__file__).parent
_PAIR: Final = re.compile(
    r"```json send(?P<mark> http)?\n(?P<send>.*?)\n```\n\n```json receive\n(?P<receive>.*?)\n```", re.DOTALL
)
_NAME: Final = re.compile(r"<[a-z][a-z0-9 -]*>")
#: What is new each time, by the member that holds it: the name under which it is shown.
VOLATILE: Final[Mapping[str, str]] = {
    "requestState": "<state>",
    "taskId": "<task>",
    "createdAt": "<created>",
    "lastUpdatedAt": "<updated>",
    "nonce": "<nonce>",
}


@dataclass(frozen=True)
class Exchange:
    """One request and every message that came back, the answer last. `http` says that only HTTP can ask this."""

    send: Json
    receive: list[Json]
    http: bool


def files() -> list[Path]:
    return sorted(path for path in FOLDER.glob("*.md") if path.name != "README.md")


def read(path: Path) -> list[Exchange]:
    pairs = _PAIR.finditer(path.read_text(encoding="utf-8"))
    return [Exchange(json.loads(found["send"]), json.loads(found["receive"]), bool(found["mark"])) for found in pairs]


def rewritten(text: str, received: list[list[Json]]) -> str:
    """The text with other answers; sentences, requests and the names of what is new each time stay."""
    answers = iter(received)

    def write(found: re.Match[str]) -> str:
        head, _, _ = found[0].rpartition("```json receive\n")
        shown = named(json.loads(found["receive"]), next(answers))
        return f"{head}```json receive\n{json.dumps(shown, indent=1, ensure_ascii=False)}\n```"

    return _PAIR.sub(write, text)


def named(before: Any, now: Any, member: str = "") -> Any:
    """What came, with the names that stood at the same places before, and with names for what is always new."""
    if isinstance(before, str) and _NAME.fullmatch(before):
        return before
    if isinstance(now, dict):
        old = before if isinstance(before, dict) else {}
        return {key: named(old.get(key), value, key) for key, value in now.items()}
    if isinstance(now, list):
        old_items = before if isinstance(before, list) else []
        return [named(old_items[at] if at < len(old_items) else None, item, member) for at, item in enumerate(now)]
    return VOLATILE.get(member, now)


def filled(value: Any, names: Mapping[str, Any]) -> Any:
    """A request with what earlier answers said in place of the names."""
    if isinstance(value, dict):
        return {key: filled(inner, names) for key, inner in value.items()}
    if isinstance(value, list):
        return [filled(inner, names) for inner in value]
    return names.get(value, value) if isinstance(value, str) else value


def difference(expected: Any, actual: Any, names: dict[str, Any], where: str = "") -> str | None:
    """Where an answer is not as expected; None where it is. Names are bound at first sight, and bound anew in `names`
    by whatever comes later, as a reader would follow the story."""
    if isinstance(expected, str) and _NAME.fullmatch(expected):
        names[expected] = actual
        return None
    if isinstance(expected, dict) and isinstance(actual, dict) and set(expected) == set(actual):
        found = (difference(expected[key], actual[key], names, f"{where}.{key}") for key in expected)
        return next((text for text in found if text), None)
    if isinstance(expected, list) and isinstance(actual, list) and len(expected) == len(actual):
        pairs = enumerate(zip(expected, actual, strict=True))
        return next((text for at, (e, a) in pairs if (text := difference(e, a, names, f"{where}[{at}]"))), None)
    if type(expected) is type(actual) and expected == actual:
        return None
    return f"{where or 'the answer'}: expected {expected!r}, got {actual!r}"


def shown(message: Json) -> Json:
    """A message without what every message has: the version, the id, and who the server is."""
    kept = {key: value for key, value in message.items() if key not in ("jsonrpc", "id")}
    result = kept.get("result")
    if isinstance(result, dict):
        meta = {key: value for key, value in result.get("_meta", {}).items() if key != PREFIX + "serverInfo"}
        rest = {key: value for key, value in result.items() if key != "_meta"}
        kept["result"] = {**rest, "_meta": meta} if meta else rest
    return kept
