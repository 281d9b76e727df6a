"""JSON Schema: which schemas may be registered (basic/index "JSON Schema Usage").

Knows schemas and the validator library. Nothing is ever fetched: a reference that leaves the schema is refused, and the
library is given no way to follow one (TOOL-10). Dialects: 2020-12, which is the default, and where `$schema` names them
2019-09, draft-07, draft-06 and draft-04 (TOOL-09). `format` is asserted in all of them; unknown formats are ignored.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any, Final, NoReturn
from urllib.parse import quote, unquote

import jsonschema_rs

from goldfish.features.problems import MASK, explain, rule
from goldfish.wire.subschemas import IN_PLACE, Place, pointer, walk

DEFAULT_DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"
DIALECTS: Final = frozenset(
    {
        DEFAULT_DIALECT,
        "https://json-schema.org/draft/2019-09/schema",
        "http://json-schema.org/draft-07/schema",
        "http://json-schema.org/draft-06/schema",
        "http://json-schema.org/draft-04/schema",
    }
)

#: TOOL-11: how deep subschemas lie within one another, and how many there are.
MAX_DEPTH: Final = 64
MAX_SUBSCHEMAS: Final = 10_000
#: Levels of arrays and objects: a subschema is two of them, and what is left is for data.
_MAX_LEVELS: Final = 3 * MAX_DEPTH
_MAX_TEXT: Final = 200

_REFERENCES: Final = ("$ref", "$dynamicRef", "$recursiveRef")
_ANCHORS: Final = ("$anchor", "$dynamicAnchor")
_DEFINITIONS: Final = ("$defs", "definitions")


class SchemaError(ValueError):
    """A schema that cannot be used: where, and the rule it breaks."""


class Validator:
    """A compiled schema. Raises SchemaError where it does not compile; `check_schema` says more about why."""

    __slots__ = ("_compiled", "_is_valid", "_schema")

    def __init__(self, schema: Mapping[str, Any] | bool) -> None:
        self._compiled = _compile(schema)
        self._is_valid = self._compiled.is_valid
        self._schema = schema

    def problems(self, instance: Any, limit: int = 5) -> list[str]:
        """Where `instance` breaks the schema and by which rule, at most `limit` short lines; [] when it fits.

        `instance` is parsed JSON. A line reads `message: 5 is not of type "string"`; the value as a whole is `(root)`.
        """
        try:
            if self._is_valid(instance):
                return []
        except ValueError as error:  # what is no JSON, such as text that is no Unicode, fits no schema
            return [f"(root): cannot be judged: {_cut(str(error))}"]
        return explain(self._compiled, self._schema, instance, limit)


def _refuse(uri: str) -> NoReturn:
    raise SchemaError(f"{uri} is not fetched")


def _compile(schema: Any) -> jsonschema_rs.Validator:
    try:
        return jsonschema_rs.validator_for(schema, retriever=_refuse, validate_formats=True, mask=MASK)
    except jsonschema_rs.ValidationError as error:
        at = pointer(error.instance_path)
        raise SchemaError(f"{_at(at)}{_cut(rule(error, schema))}") from None
    except (ValueError, RecursionError) as error:
        raise SchemaError(_cut(str(error))) from None


def check_schema(schema: Any, *, root_object: bool, where: str) -> None:
    """Raises SchemaError, which begins with `where`, unless the schema can be used as it is.

    With `root_object` its root must be of type object (TOOL-06); else it may be of any type, and a boolean too.
    """
    try:
        _check(schema, root_object)
    except SchemaError as error:
        raise SchemaError(f"{where}: {error}") from None


def _check(schema: Any, root_object: bool) -> None:
    if root_object and not (isinstance(schema, dict) and schema.get("type") == "object"):
        raise SchemaError('the root must be an object with "type": "object"')
    if isinstance(schema, bool):
        return
    if not isinstance(schema, dict):
        raise SchemaError(f"must be an object, not {type(schema).__name__}")
    _check_json(schema)
    places: list[Place] = []
    for place in walk(schema):
        if place.depth > MAX_DEPTH:
            raise SchemaError(f"subschemas nest deeper than {MAX_DEPTH}")
        places.append(place)
        if len(places) > MAX_SUBSCHEMAS:
            raise SchemaError(f"there are more than {MAX_SUBSCHEMAS} subschemas")
    known = [place for place in places if place.known]
    for place in known:
        _check_place(place)
    _compile(schema)
    _check_unused(schema, known)
    _Cost(schema, known).check()


def _check_json(schema: dict[str, Any]) -> None:
    """That it is JSON, and finite: a dict of Python can hold anything, itself included."""
    waiting: list[tuple[Any, int]] = [(schema, 0)]
    while waiting:
        value, level = waiting.pop()
        if level > _MAX_LEVELS:
            raise SchemaError(f"values nest deeper than {_MAX_LEVELS}")
        if isinstance(value, dict):
            if not all(isinstance(name, str) for name in value):
                raise SchemaError("the names of members must be text")
            waiting += [(inner, level + 1) for inner in value.values()]
        elif isinstance(value, list | tuple):
            waiting += [(inner, level + 1) for inner in value]
        elif isinstance(value, float):
            if not math.isfinite(value):
                raise SchemaError(f"{value} is no JSON number")
        elif not (value is None or isinstance(value, str | int)):
            raise SchemaError(f"{type(value).__name__} is no JSON")


def _check_place(place: Place) -> None:
    dialect = place.schema.get("$schema", DEFAULT_DIALECT)
    if place.depth and "$schema" in place.schema:
        raise SchemaError(f"{place.pointer}/$schema: the dialect is the root's to name")
    if not isinstance(dialect, str) or dialect.removesuffix("#") not in DIALECTS:
        raise SchemaError(f"the dialect {_cut(repr(dialect))} is not supported, use 2020-12")
    for keyword in _REFERENCES:
        reference = place.schema.get(keyword, "#")
        if isinstance(reference, str) and not reference.startswith("#"):
            raise SchemaError(f"{_at(place.pointer)}{keyword} {_cut(repr(reference))} leaves the schema, use $defs")


def _check_unused(schema: dict[str, Any], places: list[Place]) -> None:
    """That references lead somewhere in definitions nobody uses as well, which the library does not look into."""
    used = [
        {"$ref": "#" + quote(place.pointer, safe="/~!$&'()*+,;=:@?-._")}
        for place in places
        if len(place.steps) > 1 and place.steps[-2] in _DEFINITIONS
    ]
    if used:
        root = {keyword: value for keyword, value in schema.items() if keyword not in (*_REFERENCES, "allOf")}
        _compile({**root, "allOf": used})


class _Cost:
    """How many subschemas judge one value at most: references multiply what is written once (TOOL-11)."""

    def __init__(self, schema: dict[str, Any], places: list[Place]) -> None:
        self._root = schema
        self._places = places
        self._anchors: dict[str, Mapping[str, Any]] = {}
        for place in places:
            for keyword in _ANCHORS:
                if isinstance(place.schema.get(keyword), str):
                    self._anchors[place.schema[keyword]] = place.schema
        self._known: dict[int, int] = {}

    def check(self) -> None:
        for place in self._places:
            if self._of(place.schema, 0) > MAX_SUBSCHEMAS:
                raise SchemaError(f"{_at(place.pointer)}references make it more than {MAX_SUBSCHEMAS} subschemas")

    def _of(self, schema: Mapping[str, Any], depth: int) -> int:
        if depth > MAX_DEPTH:
            raise SchemaError(f"references nest deeper than {MAX_DEPTH}")
        key = id(schema)
        if key not in self._known:
            self._known[key] = 0  # a circle adds nothing
            self._known[key] = 1 + sum(self._of(inner, depth + 1) for inner in self._judging(schema))
        return self._known[key]

    def _judging(self, schema: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
        """The subschemas that judge the same value."""
        for keyword in IN_PLACE:
            value = schema.get(keyword)
            for inner in value if isinstance(value, list | tuple) else (value,):
                if isinstance(inner, Mapping):
                    yield inner
        dependent = schema.get("dependentSchemas")
        if isinstance(dependent, Mapping):
            yield from (inner for inner in dependent.values() if isinstance(inner, Mapping))
        for keyword in _REFERENCES:
            target = self._target(schema.get(keyword))
            if isinstance(target, Mapping):
                yield target

    def _target(self, reference: Any) -> Any:
        if not isinstance(reference, str):
            return None
        fragment = unquote(reference.removeprefix("#"))
        if fragment and not fragment.startswith("/"):
            return self._anchors.get(fragment)
        value: Any = self._root
        for step in fragment.split("/")[1:]:
            name = step.replace("~1", "/").replace("~0", "~")
            if isinstance(value, Mapping):
                value = value.get(name)
            elif isinstance(value, list | tuple) and name.isdecimal() and int(name) < len(value):
                value = value[int(name)]
            else:
                return None
        return value


def _at(place: str) -> str:
    return f"{_cut(place)}: " if place else ""


def _cut(text: str) -> str:
    return text if len(text) <= _MAX_TEXT else text[:_MAX_TEXT] + "..."
