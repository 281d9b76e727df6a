"""The forms a server may ask a user to fill in: the flat subset of JSON Schema of client/elicitation.

Knows the allowed shapes of a property (ELI-03 to ELI-06). Knows no request.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

_COMMON: Final = frozenset({"type", "title", "description", "default"})
_ALLOWED: Final = {
    "string": _COMMON | {"minLength", "maxLength", "format", "enum", "enumNames", "oneOf"},
    "number": _COMMON | {"minimum", "maximum"},
    "integer": _COMMON | {"minimum", "maximum"},
    "boolean": _COMMON,
    "array": _COMMON | {"minItems", "maxItems", "items"},
}
_FORMATS: Final = frozenset({"email", "uri", "date", "date-time"})


class FormError(ValueError):
    """A form that no client has to understand: which property, and the rule."""


def check_form(schema: Any) -> None:
    """Raises FormError unless `schema` is a form."""
    if not isinstance(schema, Mapping) or schema.get("type") != "object":
        raise FormError('a form\'s schema must be an object schema with "type": "object"')
    properties = schema.get("properties")
    if not isinstance(properties, Mapping):
        raise FormError("a form's schema needs properties")
    extra = set(schema) - {"$schema", "type", "properties", "required", "title", "description", "additionalProperties"}
    if extra:
        raise FormError(f"a form's schema is flat: {sorted(extra)[0]} is not allowed")
    required = schema.get("required", [])
    if not isinstance(required, list | tuple) or any(name not in properties for name in required):
        raise FormError("required must list properties of the form")
    for name, node in properties.items():
        _check_property(name, node)


def _check_property(name: str, node: Any) -> None:
    if not isinstance(node, Mapping) or node.get("type") not in _ALLOWED:
        raise FormError(f"{name}: a property is a string, number, integer, boolean or a choice of strings")
    kind = node["type"]
    extra = set(node) - _ALLOWED[kind]
    if extra:
        raise FormError(f"{name}: {sorted(extra)[0]} is not allowed in a form's {kind}")
    if kind == "string" and node.get("format", "email") not in _FORMATS:
        raise FormError(f"{name}: format must be one of {', '.join(sorted(_FORMATS))}")
    choices = _choices(name, node)
    if "default" in node:
        _check_default(name, kind, node["default"], choices)


def _choices(name: str, node: Mapping[str, Any]) -> list[str] | None:
    """The values to choose from; None where anything goes."""
    if node["type"] == "array":
        items = node.get("items")
        if not isinstance(items, Mapping):
            raise FormError(f"{name}: a list needs items with enum or anyOf")
        if "anyOf" in items:
            return _titled(name, items["anyOf"])
        if items.get("type") != "string" or set(items) - {"type", "enum"}:
            raise FormError(f"{name}: the items of a list are strings to choose from")
        return _strings(name, items.get("enum"))
    if "oneOf" in node:
        return _titled(name, node["oneOf"])
    return _strings(name, node["enum"]) if "enum" in node else None


def _strings(name: str, values: Any) -> list[str]:
    if not isinstance(values, list | tuple) or not values or not all(isinstance(value, str) for value in values):
        raise FormError(f"{name}: enum must list strings")
    return list(values)


def _titled(name: str, options: Any) -> list[str]:
    if not isinstance(options, list | tuple) or not options:
        raise FormError(f"{name}: the choices must be a list of const and title")
    for option in options:
        if not isinstance(option, Mapping) or not all(isinstance(option.get(key), str) for key in ("const", "title")):
            raise FormError(f"{name}: each choice has a const and a title, both strings")
    return [option["const"] for option in options]


def _check_default(name: str, kind: str, value: Any, choices: list[str] | None) -> None:
    """ELI-05: a default is a value the form itself would accept."""
    values = value if kind == "array" and isinstance(value, list | tuple) else [value]
    if kind == "array" and not isinstance(value, list | tuple):
        raise FormError(f"{name}: the default of a list is a list")
    if choices is not None:
        if any(each not in choices for each in values):
            raise FormError(f"{name}: the default is none of the choices")
        return
    number = isinstance(value, int | float) and not isinstance(value, bool)
    fits = {
        "string": isinstance(value, str),
        "number": number,
        "integer": number and value == int(value),
        "boolean": isinstance(value, bool),
        "array": True,
    }
    if not fits[kind]:
        raise FormError(f"{name}: the default is no {kind}")
