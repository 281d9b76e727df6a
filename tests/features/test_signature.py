"""A function's signature as an inputSchema."""

import datetime
import functools
import json
import uuid
from collections.abc import Callable
from typing import Annotated, Any, Literal, NewType, Optional, Union

import pytest
from msgspec import UNSET, Meta

from goldfish.features.schema import SchemaError, check_schema
from goldfish.features.signature import Signature, from_signature
from goldfish.wire.headers import param_headers

from .signature_types import (
    Circle,
    Context,
    Header,
    Level,
    Options,
    Point,
    Routed,
    Size,
    Square,
    Tree,
    Unfinished,
    quoted,
    taking,
)

Json = dict[str, Any]
UserId = NewType("UserId", int)


def read(function: Callable[..., Any]) -> Signature:
    signature = from_signature(function, context_type=Context, header_type=Header)
    check_schema(signature.schema, root_object=True, where=function.__name__)
    return signature


def of(hint: Any, *default: Any) -> Signature:
    """The signature of a function with one parameter `a` of this type."""

    return read(taking(hint, *default))


def node(hint: Any, *default: Any) -> Json:
    found: Json = of(hint, *default).schema["properties"]["a"]
    return found


def refusal(function: Callable[..., Any]) -> str:
    with pytest.raises(SchemaError) as refused:
        read(function)
    text = str(refused.value)
    assert "\n" not in text
    return text


def test_a_function_without_parameters_allows_none() -> None:
    """TOOL-08."""

    def nothing() -> None: ...

    def context_only(ctx: Context) -> None: ...

    assert {"type": "object", "additionalProperties": False} == read(nothing).schema
    signature = read(context_only)
    assert ({"type": "object", "additionalProperties": False}, "ctx") == (signature.schema, signature.context_parameter)
    assert {} == signature.bind({})


def test_parameters_are_properties_in_their_order() -> None:
    """TOOL-03, TOOL-06: required where there is no default; nothing else is allowed."""

    async def tool(zeta: str, count: int, ctx: Context, ratio: float = 0.5, *, alpha: bool = False) -> str: ...  # type: ignore[empty-body]

    expected = {
        "type": "object",
        "properties": {
            "zeta": {"type": "string"},
            "count": {"type": "integer"},
            "ratio": {"type": "number", "default": 0.5},
            "alpha": {"type": "boolean", "default": False},
        },
        "required": ["zeta", "count"],
        "additionalProperties": False,
    }
    signature = read(tool)
    assert json.dumps(expected) == json.dumps(signature.schema)
    assert ("ctx", frozenset({"ratio", "alpha"})) == (signature.context_parameter, signature.drop_nulls)


@pytest.mark.parametrize(
    ("hint", "expected"),
    [
        (Any, {}),
        (list[int], {"type": "array", "items": {"type": "integer"}}),
        (list, {"type": "array"}),
        (dict[str, float], {"type": "object", "additionalProperties": {"type": "number"}}),
        (int | str, {"anyOf": [{"type": "integer"}, {"type": "string"}]}),
        (Literal["b", "a"], {"type": "string", "enum": ["b", "a"]}),
        (Literal[2, 1], {"type": "integer", "enum": [2, 1]}),
        (Size, {"type": "string", "enum": ["small", "medium", "large"]}),
        (Level, {"type": "integer", "enum": [2, 1]}),
        (list[Size], {"type": "array", "items": {"type": "string", "enum": ["small", "medium", "large"]}}),
        (list[Literal["z", "y"]], {"type": "array", "items": {"type": "string", "enum": ["z", "y"]}}),
        (UserId, {"type": "integer"}),
        (bytes, {"type": "string", "contentEncoding": "base64"}),
        (datetime.date, {"type": "string", "format": "date"}),
        (uuid.UUID, {"type": "string", "format": "uuid"}),
        (list[int | None], {"type": "array", "items": {"anyOf": [{"type": "integer"}, {"type": "null"}]}}),
        (Annotated[str, "note"], {"type": "string"}),
        (Annotated[int, Meta(ge=1, description="Some.")], {"description": "Some.", "type": "integer", "minimum": 1}),
        (Annotated[str, Meta(title="T", pattern="^a")], {"title": "T", "type": "string", "pattern": "^a"}),
        (Annotated[Level, Meta(description="One.")], {"type": "integer", "enum": [2, 1], "description": "One."}),
    ],
)  # fmt: skip
def test_a_type_has_its_schema(hint: Any, expected: Json) -> None:
    """TOOL-06: choices in the order in which they are written."""
    assert json.dumps(expected) == json.dumps(node(hint))


def test_records_are_definitions_of_the_root() -> None:
    """TOOL-07, TOOL-10: with local references, without class names as titles."""
    schema = of(list[Point]).schema
    assert {"type": "array", "items": {"$ref": "#/$defs/Point"}} == schema["properties"]["a"]
    assert {
        "Point": {
            "type": "object",
            "properties": {
                "x": {"type": "integer"},
                "y": {"type": "integer", "default": 0},
                "size": {"type": "string", "enum": ["small", "medium", "large"], "default": "large"},
                "label": {"anyOf": [{"type": "string"}, {"type": "null"}], "default": None},
                "tags": {"type": "array", "items": {"type": "string"}, "default": []},
            },
            "required": ["x"],
        }
    } == json.loads(json.dumps(schema["$defs"]))


def test_records_may_hold_themselves_and_each_other() -> None:
    """TOOL-07."""
    assert {"$ref": "#/$defs/Tree"} == of(Tree).schema["$defs"]["Tree"]["properties"]["children"]["items"]
    assert {"Options", "Point"} == set(of(Options).schema["$defs"])
    assert "discriminator" not in node(Circle | Square)


OPTIONAL: list[Any] = [
    Optional[int],  # noqa: UP045
    int | None,
    Union[None, int],  # noqa: UP007
    Annotated[int | None, "note"],
    Annotated[int, "note"] | None,
]


@pytest.mark.parametrize("hint", OPTIONAL)
@pytest.mark.parametrize("default", [(), (None,)])
def test_an_optional_parameter_is_not_required_and_null_is_no_value(hint: Any, default: tuple[Any, ...]) -> None:
    """HDR-19: so that an optional parameter can be mirrored, and that a model is shown one way to leave it out."""
    signature = of(hint, *default)
    assert {"type": "integer"} == signature.schema["properties"]["a"]
    assert "required" not in signature.schema
    assert {"a"} == signature.drop_nulls
    assert {"a": 1} == signature.bind({"a": 1})
    assert ({} if default else {"a": None}) == signature.bind({})


def test_a_constraint_of_an_optional_parameter_is_kept() -> None:
    """TOOL-12."""
    for hint in (Annotated[int | None, Meta(ge=1)], Annotated[int, Meta(ge=1)] | None):
        assert {"type": "integer", "minimum": 1} == node(hint, None)
    assert {"anyOf": [{"type": "integer"}, {"type": "string"}]} == node(int | str | None, None)
    assert {"type": "string", "enum": ["b", "a"]} == node(Literal["b", "a", None], None)
    assert {"type": "integer", "default": 5} == node(int | None, 5)


def test_a_parameter_that_is_always_null_stays_so() -> None:
    """TOOL-12."""
    assert ({"type": "null"}, ["a"]) == (node(None), of(None).schema["required"])


@pytest.mark.parametrize(
    ("hint", "default", "shown"),
    [
        (str, "", ""),
        (int, 0, 0),
        (float, 1, 1),
        (Size, Size.SMALL, "small"),
        (list[str], ["a"], ["a"]),
        (bytes, b"hi", "aGk="),
        (datetime.date, datetime.date(2026, 7, 28), "2026-07-28"),
        (Point, Point(1), {"x": 1, "y": 0, "size": "large", "label": None, "tags": ()}),
    ],
)
def test_a_default_is_shown_as_json(hint: Any, default: Any, shown: Any) -> None:
    """TOOL-07."""
    assert shown == node(hint, default)["default"]


def test_a_default_that_stands_for_nothing_is_not_shown() -> None:
    """TOOL-07."""
    assert {"type": "string"} == node(str, None)
    assert {"type": "string"} == node(str, UNSET)


def test_a_mirrored_parameter_says_so_in_its_schema() -> None:
    """HDR-17, HDR-19: optional ones and choices too."""

    def tool(
        region: Annotated[str, Header("Region"), Meta(description="Where.")],
        size: Annotated[Size, Header("Size")],
        zone: Annotated[str | None, Header("Zone")] = None,
        dry: Annotated[bool, Header("Dry")] | None = None,
        mode: Annotated[Literal["a", "b"], Header("Mode")] = "a",
    ) -> None: ...

    schema = read(tool).schema
    assert {"description": "Where.", "type": "string", "x-mcp-header": "Region"} == schema["properties"]["region"]
    assert ["Region", "Size", "Zone", "Dry", "Mode"] == [header.name for header in param_headers(schema)]
    assert ["region", "size"] == schema["required"]


def test_annotations_in_quotes_are_read() -> None:
    """TOOL-06: those that are needed; what a function returns does not matter."""
    signature = read(quoted)
    assert ("ctx", ["point", "size", "deep"]) == (signature.context_parameter, list(signature.schema["properties"]))
    assert "Size" == signature.schema["properties"]["size"]["x-mcp-header"]


class Methods:
    def method(self, a: "int") -> None: ...

    def __call__(self, a: "str", ctx: "Context | None" = None) -> None: ...

    @staticmethod
    def static(a: "bool") -> None: ...


def wrapped(a: "int") -> None: ...


@functools.wraps(wrapped)
def wrapper(*args: Any, **kwargs: Any) -> None: ...


@pytest.mark.parametrize(
    ("function", "type"),
    [
        (Methods().method, "integer"),
        (Methods.static, "boolean"),
        (Methods(), "string"),
        (wrapper, "integer"),
        (functools.partial(wrapped), "integer"),
    ],
)
def test_whatever_can_be_called_can_be_read(function: Callable[..., Any], type: str) -> None:
    """TOOL-06: methods, objects, wrappers and partials."""
    signature = from_signature(function, context_type=Context, header_type=Header)
    assert {"a": {"type": type}} == signature.schema["properties"]


def test_the_context_may_be_optional() -> None:
    """TOOL-06."""
    assert "ctx" == from_signature(Methods(), context_type=Context, header_type=Header).context_parameter


def positional(a: int, /) -> None: ...
def variadic(*a: int) -> None: ...
def keywords(**a: int) -> None: ...
def bare(a) -> None: ...  # type: ignore[no-untyped-def]
def unresolved(a: "list[Missing]") -> None: ...  # type: ignore[name-defined]  # noqa: F821
def broken(a: str) -> None: ...
def unmapped(a: complex) -> None: ...
def unmapped_inside(a: list[object]) -> None: ...
def two_records(a: Point | Options) -> None: ...
def misplaced(a: Annotated[str, Meta(ge=1)]) -> None: ...
def two_headers(a: Annotated[str, Header("A"), Header("B")]) -> None: ...
def header_in_list(a: list[Annotated[str, Header("A")]]) -> None: ...
def header_in_union(a: Annotated[str, Header("A")] | int) -> None: ...
def header_in_record(a: dict[str, Routed]) -> None: ...
def two_contexts(a: Context, b: Context | None = None) -> None: ...
def wrong_default(a: int = "x") -> None: ...  # type: ignore[assignment]
def wrong_default_inside(a: list[int] = ["x"]) -> None: ...  # type: ignore[list-item]  # noqa: B006
def out_of_bounds(a: Annotated[int, Meta(ge=1)] = 0) -> None: ...
def no_json(a: str = object()) -> None: ...  # type: ignore[assignment]
def infinite(a: float = float("inf")) -> None: ...
def unfinished(a: Unfinished) -> None: ...


broken.__annotations__["a"] = "1 +"


@pytest.mark.parametrize(
    ("function", "reason"),
    [
        (positional, "positional: parameter 'a' must be a plain named one"),
        (variadic, "variadic: parameter 'a' must be a plain named one"),
        (keywords, "keywords: parameter 'a' must be a plain named one"),
        (bare, "bare: parameter 'a' has no annotation"),
        (unresolved, "unresolved: parameter 'a': the annotation cannot be resolved, its names must be at the top of"),
        (broken, "broken: parameter 'a': the annotation cannot be resolved"),
        (unmapped, "unmapped: parameter 'a': the type has no JSON form: type <class 'complex'> is not supported"),
        (unmapped_inside, "unmapped_inside: parameter 'a': the type has no JSON form"),
        (unfinished, "unfinished: parameter 'a': the type has no JSON form: name 'Missing' is not defined"),
        (two_records, "two_records: parameter 'a': the type has no JSON form: Type unions may not contain more"),
        (misplaced, "misplaced: parameter 'a': the type has no JSON form: Can only set `ge` on a numeric type"),
        (two_headers, "two_headers: parameter 'a': one parameter is mirrored into one header"),
        (header_in_list, "header_in_list: parameter 'a': a header mirrors a parameter, not a part of one"),
        (header_in_union, "header_in_union: parameter 'a': a header mirrors a parameter, not a part of one"),
        (header_in_record, "header_in_record: parameter 'a': a header mirrors a parameter, not a part of one"),
        (two_contexts, "two_contexts: parameter 'b': there can be one context, this is a second one"),
        (wrong_default, "wrong_default: a default breaks its own schema: a: \"x\" is not of type \"integer\""),
        (wrong_default_inside, "wrong_default_inside: a default breaks its own schema: a[0]: "),
        (out_of_bounds, "out_of_bounds: a default breaks its own schema: a: 0 is less than the minimum of 1"),
        (no_json, "no_json: parameter 'a': the default has no JSON form"),
        (infinite, "infinite: a default breaks its own schema: a: "),
    ],
)  # fmt: skip
def test_a_signature_that_has_no_schema_is_refused(function: Callable[..., Any], reason: str) -> None:
    """TOOL-06, HDR-19, HDR-20: with the function, the parameter and the reason."""
    assert refusal(function).startswith(reason)
