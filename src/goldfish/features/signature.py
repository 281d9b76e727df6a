"""A function's signature as an inputSchema, and validated arguments as its parameters.

Knows functions, annotations, and msgspec's translation of types. Knows no tool and no request.
"""

from __future__ import annotations

import functools
import inspect
import types
import typing
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Annotated, Any, Final, Literal, Union

import msgspec

from goldfish.features.schema import SchemaError, Validator
from goldfish.wire.subschemas import walk

Arguments = dict[str, Any]
Convert = Callable[[Any], Any]

_PREFIX: Final = "#/$defs/"
_NONE: Final = type(None)
_MISSING: Final = inspect.Parameter.empty
#: Types whose valid JSON is the Python value already.
_AS_THEY_ARE: Final = (str, bool, Any)
_JSON_TYPES: Final[Mapping[type, str]] = {str: "string", bool: "boolean", int: "integer"}


@dataclass(frozen=True, slots=True)
class Signature:
    """What a function takes.

    schema             the inputSchema of its parameters, without the context
    bind               a new dict of keyword arguments out of valid arguments; raises msgspec.ValidationError, with the
                       parameter's name, for what no schema judges, such as a date that is none
    context_parameter  the name of the parameter annotated with the context's type, or None
    drop_nulls         optional parameters: null for one means that it is absent, and is dropped before validation
    """

    schema: dict[str, Any]
    bind: Callable[[Arguments], Arguments]
    context_parameter: str | None
    drop_nulls: frozenset[str]


@dataclass(frozen=True, slots=True)
class _Parameter:
    """`hint` has neither None nor the header in it."""

    name: str
    hint: Any
    header: str | None
    nullable: bool
    default: Any

    @property
    def required(self) -> bool:
        return self.default is _MISSING and not self.nullable


def from_signature(fn: Callable[..., Any], *, context_type: type, header_type: type) -> Signature:
    """Reads `fn`; raises SchemaError with the function, the parameter and the reason.

    A parameter with a default, and one whose type has None, is not required; None itself never shows in the schema.
    `header_type` has the header's name as its `name`.
    """
    who = getattr(fn, "__name__", type(fn).__name__)
    context: str | None = None
    parameters: list[_Parameter] = []
    for name, hint, default in _hints(fn, who):
        try:
            if _without_none(hint)[0] is context_type:
                if context is not None:
                    raise SchemaError("there can be one context, this is a second one")
                context = name
            else:
                parameters.append(_parameter(name, hint, default, header_type))
        except SchemaError as error:
            raise SchemaError(f"{who}: parameter {name!r}: {error}") from None
    try:
        schema = _schema(parameters)
    except SchemaError as error:
        raise SchemaError(f"{who}: {error}") from None
    drop_nulls = frozenset(each.name for each in parameters if not each.required)
    return Signature(schema, _binder(parameters), context, drop_nulls)


def _hints(fn: Callable[..., Any], who: str) -> Iterator[tuple[str, Any, Any]]:
    """Name, resolved annotation and default of each parameter."""
    function: Any = fn
    while isinstance(function, functools.partial):
        function = function.func
    if not inspect.isroutine(function):
        function = type(function).__call__
    names = getattr(inspect.unwrap(function), "__globals__", {})
    for parameter in inspect.signature(fn).parameters.values():
        label = f"{who}: parameter {parameter.name!r}"
        if parameter.kind not in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY):
            raise SchemaError(f"{label} must be a plain named one")
        if parameter.annotation is _MISSING:
            raise SchemaError(f"{label} has no annotation")
        holder = types.SimpleNamespace(__annotations__={"hint": parameter.annotation})
        try:
            hint = typing.get_type_hints(holder, globalns=names, include_extras=True)["hint"]
        except Exception as error:  # an annotation in quotes can hold any expression
            raise SchemaError(
                f"{label}: the annotation cannot be resolved, its names must be at the top of their module: {error}"
            ) from None
        yield parameter.name, hint, parameter.default


def _parameter(name: str, hint: Any, default: Any, header_type: type) -> _Parameter:
    core, nullable, extras = _without_none(hint)
    marks: list[Any] = [extra for extra in extras if isinstance(extra, header_type)]
    if len(marks) > 1:
        raise SchemaError("one parameter is mirrored into one header")
    metas = tuple(extra for extra in extras if isinstance(extra, msgspec.Meta))
    if metas:
        core = Annotated[(core, *metas)]
    if any(isinstance(part, header_type) for part in _parts(core, set())):  # HDR-19, HDR-20
        raise SchemaError("a header mirrors a parameter, not a part of one")
    try:
        msgspec.json.schema_components([core])
        msgspec.json.Decoder(core)
    except Exception as error:  # whatever a foreign type raises while it is read
        raise SchemaError(f"the type has no JSON form: {str(error).splitlines()[-1]}") from None
    return _Parameter(name, core, marks[0].name if marks else None, nullable or default is None, default)


def _without_none(hint: Any) -> tuple[Any, bool, list[Any]]:
    """The type without None and without what Annotated adds to it; whether None was there; what Annotated adds."""
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin is Annotated:
        core, nullable, extras = _without_none(arguments[0])
        return core, nullable, [*extras, *arguments[1:]]
    rest = tuple(each for each in arguments if each is not _NONE and each is not None)
    if origin not in (Union, types.UnionType, Literal) or len(rest) == len(arguments) or not rest:
        return hint, False, []
    if origin is Literal:
        return Literal[rest], True, []
    core, _, extras = _without_none(Union[rest])  # noqa: UP007
    return core, True, extras


def _parts(hint: Any, seen: set[type]) -> Iterator[Any]:
    """A type, what it is made of, and what Annotated adds anywhere in it."""
    yield hint
    origin = typing.get_origin(hint)
    for inner in typing.get_args(hint) if origin is not Literal else ():
        yield from _parts(inner, seen)
    record = origin or hint
    if isinstance(record, type) and record not in seen and hasattr(record, "__annotations__"):
        seen.add(record)
        try:
            fields = typing.get_type_hints(record, include_extras=True)
        except Exception:  # left to msgspec, which says what is wrong
            return
        for inner in fields.values():
            yield from _parts(inner, seen)


def _schema(parameters: list[_Parameter]) -> dict[str, Any]:
    if not parameters:
        return {"type": "object", "additionalProperties": False}  # TOOL-08
    hints = [each.hint for each in parameters]
    nodes, components = msgspec.json.schema_components(hints, ref_template=_PREFIX + "{name}")
    properties = {each.name: dict(node) for each, node in zip(parameters, nodes, strict=True)}
    schema: dict[str, Any] = {"type": "object", "properties": properties}
    required = [each.name for each in parameters if each.required]
    if required:
        schema["required"] = required
    schema["additionalProperties"] = False
    if components:
        schema["$defs"] = components
    _tidy(schema, _choices(hints))
    _add_defaults(schema, parameters)
    for each in parameters:
        if each.header is not None:
            properties[each.name]["x-mcp-header"] = each.header  # HDR-17
    return schema


def _choices(hints: list[Any]) -> dict[frozenset[Any], list[Any]]:
    """The values of every Literal and Enum as they were written, which msgspec sorts."""
    found: dict[frozenset[Any], list[Any]] = {}
    seen: set[type] = set()
    for part in (part for hint in hints for part in _parts(hint, seen)):
        values: list[Any] = []
        if typing.get_origin(part) is Literal:
            values = list(typing.get_args(part))
        elif isinstance(part, type) and issubclass(part, Enum):
            values = [member.value for member in part]
        if values:
            found.setdefault(frozenset(values), values)
    return found


def _tidy(schema: dict[str, Any], choices: Mapping[frozenset[Any], list[Any]]) -> None:
    """Without the titles that are class names; choices typed, in their written order, and in place of a reference."""
    components: dict[str, Any] = schema.get("$defs", {})
    for component in components.values():
        component.pop("title", None)
    nodes = [place.schema for place in walk(schema)]
    for node in nodes:
        assert isinstance(node, dict)
        node.pop("discriminator", None)  # which JSON Schema does not know
        if "enum" in node:
            _type_choices(node, choices)
    for node in nodes:
        component = components.get(str(node.get("$ref", "")).removeprefix(_PREFIX), {})
        if "enum" in component:
            assert isinstance(node, dict)
            members = dict(node)
            del members["$ref"]
            node.clear()
            node.update({**component, **members})
    kept = {name: component for name, component in components.items() if "enum" not in component}
    schema.pop("$defs", None)
    if kept:
        schema["$defs"] = kept


def _type_choices(node: dict[str, Any], choices: Mapping[frozenset[Any], list[Any]]) -> None:
    values = node.pop("enum")
    kinds = {type(value) for value in values}
    kind = _JSON_TYPES.get(kinds.pop()) if len(kinds) == 1 else None
    if kind is not None:
        node["type"] = kind  # a header needs one (HDR-19), and forms show better with it
    node["enum"] = choices.get(frozenset(values), values)


def _add_defaults(schema: dict[str, Any], parameters: list[_Parameter]) -> None:
    defaults: dict[str, Any] = {}
    for each in parameters:
        if any(each.default is nothing for nothing in (_MISSING, None, msgspec.UNSET)):
            continue
        try:
            defaults[each.name] = msgspec.to_builtins(each.default, str_keys=True)
        except Exception as error:
            raise SchemaError(f"parameter {each.name!r}: the default has no JSON form: {error}") from None
    if defaults:
        problems = Validator({**schema, "required": []}).problems(defaults, 1)
        if problems:
            raise SchemaError(f"a default breaks its own schema: {problems[0]}")
    for name, default in defaults.items():
        schema["properties"][name]["default"] = default


def _binder(parameters: list[_Parameter]) -> Callable[[Arguments], Arguments]:
    fills = {each.name: None for each in parameters if each.nullable and each.default is _MISSING}
    converters = [(each.name, convert) for each in parameters if (convert := _converter(each.hint)) is not None]

    def bind(arguments: Arguments) -> Arguments:
        bound = {**fills, **arguments}
        name = ""
        try:
            for name, convert in converters:
                if name in arguments:
                    bound[name] = convert(arguments[name])
        except (ValueError, TypeError, OverflowError, RecursionError) as error:
            raise msgspec.ValidationError(f"{name}: {str(error) or type(error).__name__}") from None
        return bound

    return bind


def _converter(hint: Any) -> Convert | None:
    """From valid JSON to the type; None where there is nothing to do. An int may come as 1.0, a float as 1."""
    core = typing.get_args(hint)[0] if typing.get_origin(hint) is Annotated else hint
    if core in _AS_THEY_ARE:
        return None
    if core is int or core is float:
        number: Convert = core
        return number
    if typing.get_origin(core) is Literal and all(isinstance(value, str) for value in typing.get_args(core)):
        return None

    def convert(value: Any) -> Any:
        try:
            return msgspec.convert(value, core, str_keys=True)
        except msgspec.ValidationError:
            return msgspec.convert(_whole(value), core, str_keys=True)

    return convert


def _whole(value: Any) -> Any:
    """1.0 as 1 wherever it stands: JSON Schema takes both for an integer, and a float takes either."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, dict):
        return {name: _whole(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [_whole(inner) for inner in value]
    return value
