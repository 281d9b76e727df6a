"""The forms a server may ask a user to fill in: the flat subset of JSON Schema of client/elicitation.

Knows "Requested Schema" there, the allowed shapes of a property as a table (ELI-03 to ELI-06). Knows no request.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, Final

from goldfish.features.schema import SchemaError, Validator

FORMATS: Final = ("email", "uri", "date", "date-time")

_ROOT: Final = frozenset({"$schema", "type", "properties", "required"})
_ALWAYS: Final = frozenset({"type", "title", "description", "default"})
#: The members of a property, by its type or by the keyword that lists its choices (ELI-03, ELI-04, ELI-06).
_SHAPES: Final[Mapping[str, frozenset[str]]] = {
    "string": _ALWAYS | {"minLength", "maxLength", "format"},
    "number": _ALWAYS | {"minimum", "maximum"},
    "integer": _ALWAYS | {"minimum", "maximum"},
    "boolean": _ALWAYS,
    "array": _ALWAYS | {"items", "minItems", "maxItems"},
    "enum": _ALWAYS | {"enum", "enumNames"},
    "oneOf": _ALWAYS | {"oneOf"},
}
_COUNTS: Final = ("minLength", "maxLength", "minItems", "maxItems")
_RANGES: Final = (("minLength", "maxLength"), ("minItems", "maxItems"), ("minimum", "maximum"))


class FormError(SchemaError):
    """A form that a client need not understand: which property, and the rule."""


def check_form(schema: Any) -> None:
    """Raises FormError unless `schema` is a form."""
    if not isinstance(schema, Mapping) or schema.get("type") != "object":
        raise FormError('a form must be an object schema with "type": "object"')
    properties = schema.get("properties")
    if not isinstance(properties, Mapping):
        raise FormError("a form must have properties")
    _check_members("a form", schema, _ROOT)
    required = schema.get("required", [])
    if not _is_list(required) or any(not isinstance(name, str) or name not in properties for name in required):
        raise FormError("required must list names of properties")
    for name, node in properties.items():
        _check_property(str(name)[:80], node)


def _check_property(name: str, node: Any) -> None:
    kind = node.get("type") if isinstance(node, Mapping) else None
    if not isinstance(kind, str) or kind not in ("string", "number", "integer", "boolean", "array"):
        raise FormError(f"{name}: the type must be string, number, integer, boolean, or array for a choice of several")
    shape = next((keyword for keyword in ("enum", "oneOf") if keyword in node), kind) if kind == "string" else kind
    _check_members(name, node, _SHAPES[shape])
    _check_numbers(name, node)
    if "format" in node and node["format"] not in FORMATS:
        raise FormError(f"{name}: format must be one of {', '.join(FORMATS)}")
    if shape == "enum":
        values = _values(f"{name}: enum", node["enum"])
        names = node.get("enumNames", values)
        if not _is_list(names) or len(names) != len(values) or not _are_texts(names):
            raise FormError(f"{name}: enumNames must have a text for each value of enum")
    elif shape == "oneOf":
        _titled(f"{name}: oneOf", node["oneOf"])
    elif shape == "array":
        _check_items(name, node.get("items"))
    if "default" in node:  # ELI-05
        problems = Validator(dict(node)).problems(node["default"], 1)
        if problems:
            raise FormError(f"{name}: the default breaks its own schema: {problems[0]}")


def _check_members(what: str, node: Mapping[str, Any], allowed: frozenset[str]) -> None:
    for member in node:
        if member not in allowed:
            raise FormError(f"{what}: {str(member)[:80]} is not allowed, only {', '.join(sorted(allowed))}")
    for member in ("title", "description", "$schema"):
        if not isinstance(node.get(member, ""), str):
            raise FormError(f"{what}: {member} must be a string")


def _check_numbers(name: str, node: Mapping[str, Any]) -> None:
    for keyword in _COUNTS:
        count = node.get(keyword, 0)
        if not isinstance(count, int) or isinstance(count, bool) or count < 0:
            raise FormError(f"{name}: {keyword} must be an integer from 0")
    for keyword in ("minimum", "maximum"):
        bound = node.get(keyword, 0)
        if not isinstance(bound, int | float) or isinstance(bound, bool) or not math.isfinite(bound):
            raise FormError(f"{name}: {keyword} must be a number")
    for low, high in _RANGES:
        if low in node and high in node and node[low] > node[high]:
            raise FormError(f"{name}: {low} must not be above {high}")


def _check_items(name: str, items: Any) -> None:
    """A choice of several, titled by anyOf (ELI-04) or plain by enum; there are no other arrays (ELI-06)."""
    if (
        not isinstance(items, Mapping)
        or items.get("type", "string") != "string"
        or len({"enum", "anyOf"} & set(items)) != 1
    ):
        raise FormError(f"{name}: items must list its strings in either enum or anyOf")
    if "anyOf" in items:
        _check_members(f"{name}: items", items, frozenset({"type", "anyOf"}))
        _titled(f"{name}: anyOf", items["anyOf"])
        return
    _check_members(f"{name}: items", items, frozenset({"type", "enum"}))
    if "type" not in items:
        raise FormError(f'{name}: items with enum must have "type": "string"')
    _values(f"{name}: enum", items["enum"])


def _titled(what: str, options: Any) -> None:
    if not _is_list(options) or not all(isinstance(option, Mapping) for option in options):
        raise FormError(f"{what} must list objects with const and title")
    for option in options:
        if set(option) != {"const", "title"} or not isinstance(option["title"], str):
            raise FormError(f"{what}: a choice has a const and a title, both strings, and nothing else")
    _values(what, [option["const"] for option in options])


def _values(what: str, values: Any) -> Sequence[str]:
    if not _is_list(values) or not values or not _are_texts(values) or len(set(values)) < len(values):
        raise FormError(f"{what} must list strings, at least one and none twice")
    texts: Sequence[str] = values
    return texts


def _is_list(value: Any) -> bool:
    return isinstance(value, list | tuple)


def _are_texts(values: Sequence[Any]) -> bool:
    return all(isinstance(value, str) for value in values)
