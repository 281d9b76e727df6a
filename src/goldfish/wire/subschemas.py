"""Where the subschemas of a JSON Schema are: each place once, in document order, with the keywords that lead to it.

Knows the keywords of drafts 4 to 2020-12 by the shape of their values. Knows no rule about what a schema may say.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

#: Keywords whose value is data or names: whatever looks like a schema in there is none.
DATA: Final = frozenset(
    {"const", "default", "dependentRequired", "enum", "examples", "required", "type", "$vocabulary"}
)
#: Keywords whose value maps names to schemas: the names are free, so a property may be called `items` or `$ref`.
MAPS: Final = frozenset({"properties", "patternProperties", "dependentSchemas", "dependencies", "$defs", "definitions"})
#: Keywords whose value is a schema or a list of schemas, all of which judge the same value as the schema around them.
IN_PLACE: Final = frozenset({"allOf", "anyOf", "oneOf", "not", "if", "then", "else"})
#: Keywords whose value is a schema or a list of schemas, for what lies inside of the value.
INSIDE: Final = frozenset(
    {
        "additionalItems",
        "additionalProperties",
        "contains",
        "contentSchema",
        "items",
        "prefixItems",
        "propertyNames",
        "unevaluatedItems",
        "unevaluatedProperties",
    }
)
KNOWN: Final = MAPS | IN_PLACE | INSIDE


@dataclass(frozen=True, slots=True)
class Place:
    """A subschema. `steps` lead to it from the root; `known` is False where a keyword among them is in no draft."""

    schema: Mapping[str, Any]
    steps: tuple[str | int, ...]
    depth: int
    known: bool

    @property
    def pointer(self) -> str:
        return pointer(self.steps)


def pointer(steps: Iterable[str | int]) -> str:
    """RFC 6901; empty for the root."""
    return "".join("/" + str(step).replace("~", "~0").replace("/", "~1") for step in steps)


def walk(schema: Mapping[str, Any]) -> Iterator[Place]:
    """Every subschema, the root first; boolean schemas are left out. What unknown keywords hold is entered as well."""
    waiting = [Place(schema, (), 0, True)]
    while waiting:
        place = waiting.pop()
        yield place
        waiting.extend(reversed(list(_within(place))))


def _within(place: Place) -> Iterator[Place]:
    for keyword, value in place.schema.items():
        if keyword in DATA:
            continue
        inner: Iterator[tuple[tuple[str | int, ...], Any]]
        if isinstance(value, Mapping):
            if keyword in MAPS:
                inner = (((keyword, name), each) for name, each in value.items())
            else:
                inner = iter([((keyword,), value)])
        elif isinstance(value, list | tuple):
            inner = (((keyword, index), each) for index, each in enumerate(value))
        else:
            continue
        known = place.known and keyword in KNOWN
        for steps, each in inner:
            if isinstance(each, Mapping):
                yield Place(each, (*place.steps, *steps), place.depth + 1, known)
