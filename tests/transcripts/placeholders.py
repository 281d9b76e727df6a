"""Names that stand for what is new each time: `<task>`, `<state>`, also within a text.

A name is bound where a value is first seen in its place, and from then on stands for that value and no other. Knows
JSON values; knows no transcript.
"""

import re
from collections.abc import Mapping
from typing import Any, Final

_NAME: Final = re.compile(r"<[a-z][a-z0-9-]*>")
#: What is new each time, by the member that holds it, and the name that it gets.
_VOLATILE: Final[Mapping[str, str]] = {
    "requestState": "state",
    "taskId": "task",
    "createdAt": "created",
    "lastUpdatedAt": "updated",
    "nonce": "nonce",
}
#: Of these, what one value is known by when it is seen again. Others may be equal by chance: times, states.
_LASTING: Final = frozenset({"task", "created", "nonce"})


class Names:
    """What each name stands for; `known` are those that stand for something from the beginning."""

    def __init__(self, known: Mapping[str, str] | None = None) -> None:
        self._known = dict(known or {})
        self._bound = dict(self._known)

    def fill(self, value: Any) -> Any:
        """A request with what the names in it stand for. Raises ValueError for a name that stands for nothing yet."""
        if isinstance(value, dict):
            return {key: self.fill(inner) for key, inner in value.items()}
        if isinstance(value, list):
            return [self.fill(inner) for inner in value]
        return _NAME.sub(self._value, value) if isinstance(value, str) else value

    def _value(self, found: re.Match[str]) -> str:
        if found[0] not in self._bound:
            raise ValueError(f"{found[0]} is sent before it was received")
        return self._bound[found[0]]

    def _matches(self, expected: str, actual: str) -> bool:
        """Whether a text is as expected; binds the names that were not."""
        new = [name for name in dict.fromkeys(_NAME.findall(expected)) if name not in self._bound]
        seen: set[str] = set()
        parts: list[str] = []
        for part in re.split(f"({_NAME.pattern})", expected):
            if part not in new:
                parts.append(re.escape(self._bound.get(part, part)))
            elif part in seen:
                parts.append(f"(?P=n{new.index(part)})")
            else:
                seen.add(part)
                parts.append(f"(?P<n{new.index(part)}>.+?)")
        found = re.fullmatch("".join(parts), actual, re.DOTALL)
        if found is None:
            return False
        self._bound.update({name: found[f"n{index}"] for index, name in enumerate(new)})
        return True

    def difference(self, expected: Any, actual: Any, where: str = "") -> str | None:
        """Where a value is not as expected; None when it is."""
        if isinstance(expected, str) and isinstance(actual, str) and self._matches(expected, actual):
            return None
        if isinstance(expected, dict) and isinstance(actual, dict) and expected.keys() == actual.keys():
            found = (self.difference(expected[key], actual[key], f"{where}.{key}") for key in expected)
            return next((text for text in found if text), None)
        if isinstance(expected, list) and isinstance(actual, list) and len(expected) == len(actual):
            pairs = enumerate(zip(expected, actual, strict=True))
            return next((text for at, (e, a) in pairs if (text := self.difference(e, a, f"{where}[{at}]"))), None)
        if type(expected) is type(actual) and expected == actual:
            return None
        return f"{where or 'the whole'}: expected {expected!r}, got {actual!r}"

    def name(self, before: Any, now: Any, member: str = "") -> Any:
        """What came, with names in the places of what is new each time; those that stood there before, if they fit."""
        if isinstance(now, dict):
            old = before if isinstance(before, dict) else {}
            return {key: self.name(old.get(key), value, key) for key, value in now.items()}
        if isinstance(now, list):
            items = before if isinstance(before, list) else []
            return [self.name(items[at] if at < len(items) else None, item, member) for at, item in enumerate(now)]
        if not isinstance(now, str):
            return now
        if isinstance(before, str) and _NAME.search(before) and self._matches(before, now):
            return before
        if member in _VOLATILE:
            return self._name_for(_VOLATILE[member], now)
        for name, value in self._known.items():
            now = now.replace(value, name)
        return now

    def _name_for(self, base: str, value: str) -> str:
        number = 1
        while (name := f"<{base}>" if number == 1 else f"<{base}-{number}>") in self._bound:
            if base in _LASTING and self._bound[name] == value:
                return name
            number += 1
        self._bound[name] = value
        return name
