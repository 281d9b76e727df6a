"""What a schema's validator found wrong with a value, as short lines for people and models.

Knows the validator library's errors. A value comes from outside and may be megabytes: no line echoes more than a few
characters of it, and the work is bounded, since the library makes all of its errors before it gives out the first.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence, Sized
from typing import Any, Final

import jsonschema_rs
from jsonschema_rs import ValidationErrorKind as Kind

from goldfish.wire.subschemas import walk

#: What the library writes in place of the value that is at fault.
MASK: Final = "\x00value\x00"
MAX_LINE: Final = 300
#: How heavy a value may be to hear all that is wrong with it, and to hear one thing: tens of milliseconds.
_MAX_FOR_ALL: Final = 2_000
_MAX_FOR_ONE: Final = 50_000
_TEXT_UNIT: Final = 1 << 14
_MAX_NAME: Final = 60
_MAX_VALUE: Final = 80
_MAX_NAMES: Final = 5
_PLAIN_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_\-]{0,59}")


def explain(
    validator: jsonschema_rs.Validator, schema: Mapping[str, Any] | bool, instance: Any, limit: int
) -> list[str]:
    """At most `limit` lines on why `instance` does not fit. Each is `PATH: RULE` and at most MAX_LINE characters."""
    weight = _weight(instance)
    try:
        if weight <= _MAX_FOR_ALL:
            errors = list(validator.iter_errors(instance))[:limit]
        elif weight <= _MAX_FOR_ONE and not _branches(schema):
            errors = _first(validator, instance)
        else:
            return ["(root): does not fit the schema, and is too large to say where"]
    except ValueError as error:  # the library copies no value that is deeper than 255 levels
        return [_cut(f"(root): does not fit the schema, and nothing says where: {error}", MAX_LINE)]
    return [_cut(f"{_path(error.instance_path, instance)}: {rule(error, instance)}", MAX_LINE) for error in errors]


def _first(validator: jsonschema_rs.Validator, instance: Any) -> list[jsonschema_rs.ValidationError]:
    try:
        validator.validate(instance)
    except jsonschema_rs.ValidationError as error:
        return [error]
    raise AssertionError("a value that does not fit has an error")


def _branches(schema: Mapping[str, Any] | bool) -> bool:
    """Whether a single error can hold others: one for every value in every branch."""
    return isinstance(schema, Mapping) and any("anyOf" in p.schema or "oneOf" in p.schema for p in walk(schema))


def _weight(instance: Any) -> int:
    """What the errors of a value could cost: each value by its depth, since errors hold copies, and text by its length.

    Counted no further than beyond _MAX_FOR_ONE.
    """
    weight = 0
    waiting: list[tuple[Any, int]] = [(instance, 1)]
    while waiting and weight <= _MAX_FOR_ONE:
        value, level = waiting.pop()
        weight += level
        if isinstance(value, str):
            weight += level * (len(value) // _TEXT_UNIT)
        elif isinstance(value, Mapping | list | tuple) and weight + len(value) > _MAX_FOR_ONE:
            return weight + len(value)
        elif isinstance(value, Mapping):
            weight += sum(map(len, value)) // _TEXT_UNIT
            waiting += [(inner, level + 1) for inner in value.values()]
        elif isinstance(value, list | tuple):
            waiting += [(inner, level + 1) for inner in value]
    return weight


def rule(error: jsonschema_rs.ValidationError, instance: Any) -> str:
    """What is wrong at the error's path within `instance`."""
    kind = error.kind
    value = _value(error, instance)
    if isinstance(kind, Kind.AdditionalProperties | Kind.UnevaluatedProperties):
        return _not_allowed(kind.unexpected)
    if isinstance(kind, Kind.FalseSchema):
        above = _walk(instance, error.instance_path)
        by_name = error.schema_path[-1:] == ["additionalProperties"] and isinstance(above, Mapping)
        return _not_allowed(list(above)) if by_name else "is not allowed"
    if isinstance(kind, Kind.Enum):
        return f"{shown(value)} is not one of {', '.join(map(shown, kind.options))}"
    if isinstance(kind, Kind.AnyOf | Kind.OneOfNotValid):
        types = [_type(branch, error) for branch in kind.context]
        if all(types):
            return f"{shown(value)} is not of type {' or '.join(types)}"
    if isinstance(kind, Kind.Contains):
        return f"{shown(value)} has no item as `contains` asks for"
    if isinstance(kind, Kind.Required):
        return f"{_quoted(kind.property)} is a required property"
    return error.message.replace(MASK, shown(value), 1)


def _type(branch: Sequence[jsonschema_rs.ValidationError], whole: jsonschema_rs.ValidationError) -> str:
    """The type that a branch of a union asks for, where that is all that is wrong; else nothing."""
    first = branch[0]
    if isinstance(first.kind, Kind.Type) and first.instance_path == whole.instance_path:
        return " or ".join(map(_quoted, first.kind.types))
    return ""


def _not_allowed(names: Sequence[str]) -> str:
    more = f" and {len(names) - _MAX_NAMES} more" if len(names) > _MAX_NAMES else ""
    return f"these properties are not allowed: {', '.join(map(_quoted, names[:_MAX_NAMES]))}{more}"


def _value(error: jsonschema_rs.ValidationError, instance: Any) -> Any:
    """The library's own copy is None where a number has thousands of digits, and its path wrong for some names."""
    value = error.instance
    return _walk(instance, error.instance_path) if value is None else value


def _walk(value: Any, path: Sequence[str | int]) -> Any:
    for step in path:
        value = _child(value, step)
    return value


def _child(value: Any, step: str | int) -> Any:
    if isinstance(value, Mapping):
        return value.get(str(step))  # a name that looks like an int is one in the library's path
    if isinstance(value, list | tuple) and isinstance(step, int) and step < len(value):
        return value[step]
    return None


def shown(value: Any) -> str:
    """A value in a few characters: scalars as JSON, arrays and objects by their size."""
    if isinstance(value, str):
        return _quoted(value, _MAX_VALUE)
    if isinstance(value, Mapping):
        return f"an object of {_count(value, 'member')}"
    if isinstance(value, list | tuple):
        return f"an array of {_count(value, 'item')}"
    if isinstance(value, int) and value.bit_length() > 256:
        return "a huge number"
    return json.dumps(value)


def _count(value: Sized, what: str) -> str:
    return f"1 {what}" if len(value) == 1 else f"{len(value)} {what}s"


def _quoted(text: str, limit: int = _MAX_NAME) -> str:
    """As JSON, so that no character of it can break a line."""
    return json.dumps(text if len(text) <= limit else text[:limit] + "...", ensure_ascii=False)


def _path(steps: Sequence[str | int], instance: Any) -> str:
    """`a.b[0]`; names that are not plain stand quoted in brackets."""
    text = ""
    for step in steps:
        name = str(step)
        if _PLAIN_NAME.fullmatch(name):
            text += f".{name}" if text else name
        else:
            text += f"[{_quoted(name) if isinstance(instance, Mapping) else name}]"
        instance = _child(instance, step)
    return _cut(text, MAX_LINE // 2) or "(root)"


def _cut(text: str, limit: int) -> str:
    return text if len(text) <= limit else text[: limit - 3] + "..."
