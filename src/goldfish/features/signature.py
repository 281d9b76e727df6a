"""A function's signature as an input schema, and validated arguments as its parameters.

Knows functions, annotations, and msgspec's translation of types. Knows no tool and no request.
"""

from __future__ import annotations

import inspect
import types
import typing
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import msgspec

from goldfish.features.schema import SchemaError


@dataclass(frozen=True, slots=True)
class Signature:
    """`bind` turns valid arguments into keyword arguments; `drop_nulls` names parameters whose null means absent."""

    schema: dict[str, Any]
    bind: Callable[[dict[str, Any]], dict[str, Any]]
    context_parameter: str | None
    drop_nulls: frozenset[str]


def from_signature(function: Callable[..., Any], *, context_type: type, header_type: type) -> Signature:
    """Raises SchemaError with the function, the parameter and the reason."""
    name = getattr(function, "__name__", repr(function))
    try:
        hints = typing.get_type_hints(function, include_extras=True)
    except (NameError, TypeError) as error:
        raise SchemaError(f"{name}: an annotation cannot be resolved: {error}") from None
    context: str | None = None
    types_of: dict[str, Any] = {}
    headers: dict[str, str] = {}
    defaults: dict[str, Any] = {}
    unset: dict[str, Any] = {}  # what the function must be given though the caller left it out
    drop: set[str] = set()
    for parameter in inspect.signature(function).parameters.values():
        if parameter.kind not in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY):
            raise SchemaError(f"{name}: parameter {parameter.name!r} must be a plain named one")
        if parameter.name not in hints:
            raise SchemaError(f"{name}: parameter {parameter.name!r} has no annotation")
        hint = hints[parameter.name]
        if hint is context_type:
            context = parameter.name
            continue
        hint, header = _header_of(hint, header_type)
        if header is not None:
            headers[parameter.name] = header
        hint, optional = _without_none(hint)
        if parameter.default is not parameter.empty:
            defaults[parameter.name] = parameter.default
            drop.add(parameter.name)
        elif optional:
            defaults[parameter.name] = None
            drop.add(parameter.name)
            unset[parameter.name] = None
        types_of[parameter.name] = hint
    schema = _schema(name, types_of, defaults, headers)
    return Signature(schema, _binder(types_of, unset), context, frozenset(drop))


def _header_of(hint: Any, header_type: type) -> tuple[Any, str | None]:
    if typing.get_origin(hint) is not typing.Annotated:
        return hint, None
    base, *extras = typing.get_args(hint)
    header: str | None = next((getattr(extra, "name") for extra in extras if isinstance(extra, header_type)), None)  # noqa: B009
    rest = [extra for extra in extras if not isinstance(extra, header_type)]
    return (typing.Annotated[(base, *rest)] if rest else base), header


def _without_none(hint: Any) -> tuple[Any, bool]:
    """Optional[X] as X: what is not given is left out, so null is no value of the schema."""
    if typing.get_origin(hint) is typing.Annotated:
        base, *extras = typing.get_args(hint)
        base, optional = _without_none(base)
        return typing.Annotated[(base, *extras)], optional
    if typing.get_origin(hint) in (typing.Union, types.UnionType):
        members = [member for member in typing.get_args(hint) if member is not type(None)]
        if len(members) < len(typing.get_args(hint)):
            return typing.Union[tuple(members)], True  # noqa: UP007
    return hint, False


def _schema(name: str, types_of: dict[str, Any], defaults: dict[str, Any], headers: dict[str, str]) -> dict[str, Any]:
    if not types_of:
        return {"type": "object", "additionalProperties": False}  # TOOL-08
    properties: dict[str, Any] = {}
    definitions: dict[str, Any] = {}
    for parameter, hint in types_of.items():
        try:
            (node,), inner = msgspec.json.schema_components([hint], ref_template="#/$defs/{name}")
        except TypeError as error:
            raise SchemaError(f"{name}: parameter {parameter!r}: {error}") from None
        definitions.update(inner)
        node = _tidy(node)
        if parameter in defaults and defaults[parameter] is not None:
            node["default"] = msgspec.to_builtins(defaults[parameter])
        if parameter in headers:
            node["x-mcp-header"] = headers[parameter]
        properties[parameter] = node
    schema: dict[str, Any] = {"type": "object", "properties": properties}
    required = [parameter for parameter in types_of if parameter not in defaults]
    if required:
        schema["required"] = required
    schema["additionalProperties"] = False
    if definitions:
        schema["$defs"] = {key: _tidy(node) for key, node in definitions.items()}
    return schema


def _tidy(node: dict[str, Any]) -> dict[str, Any]:
    """Without the titles that msgspec makes of class names."""
    kind = {key: value for key, value in node.items() if not (key == "title" and "properties" in node)}
    return kind


def _binder(types_of: dict[str, Any], unset: dict[str, Any]) -> Callable[[dict[str, Any]], dict[str, Any]]:
    converted = {parameter: hint for parameter, hint in types_of.items() if _base(hint) not in (str, float, bool, Any)}
    if not converted and not unset:
        return dict

    def bind(arguments: dict[str, Any]) -> dict[str, Any]:
        bound = {**unset, **arguments}
        for parameter, hint in converted.items():
            if parameter in arguments:
                bound[parameter] = _convert(bound[parameter], hint)
        return bound

    return bind


def _base(hint: Any) -> Any:
    return typing.get_args(hint)[0] if typing.get_origin(hint) is typing.Annotated else hint


def _convert(value: Any, hint: Any) -> Any:
    if _base(hint) is int:
        return int(value)  # JSON Schema takes 1.0 for an integer
    return msgspec.convert(_integral(value), hint)


def _integral(value: Any) -> Any:
    """1.0 as 1, wherever it stands: what a float needs, an int satisfies as well."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, dict):
        return {key: _integral(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_integral(inner) for inner in value]
    return value
