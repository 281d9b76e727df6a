"""Which parameters of a tool are mirrored into headers: `x-mcp-header` (streamable-http "Schema Extension")."""

from typing import Any

import pytest

from goldfish.wire.headers import HeaderError, ParamHeader, param_headers

MIRRORED: dict[str, Any] = {"type": "string", "x-mcp-header": "Region"}


def of(properties: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, **more}


def test_annotated_properties_are_found_in_the_order_of_the_schema() -> None:
    """HDR-17, HDR-19: the name as written, the header in lower case."""
    schema = of(
        {
            "zone": {"type": "string", "x-mcp-header": "Zone"},
            "plain": {"type": "string"},
            "count": {"type": "integer", "x-mcp-header": "COUNT"},
            "dry": {"type": "boolean", "x-mcp-header": "dry-run"},
        }
    )
    assert (
        ParamHeader("Zone", b"mcp-param-zone", ("zone",), "string"),
        ParamHeader("COUNT", b"mcp-param-count", ("count",), "integer"),
        ParamHeader("dry-run", b"mcp-param-dry-run", ("dry",), "boolean"),
    ) == param_headers(schema)


def test_properties_of_properties_may_be_annotated() -> None:
    """HDR-20: a chain of `properties` of any length, whatever else stands beside it."""
    schema = of(
        {"a": {"$ref": "#/$defs/A", "properties": {"b": {"properties": {"c": MIRRORED}}}}}, **{"$defs": {"A": {}}}
    )
    assert [("a", "b", "c")] == [header.path for header in param_headers(schema)]


def test_nothing_annotated_means_no_headers() -> None:
    """HDR-17."""
    for schema in ({}, of({}), of({"a": True, "b": {"type": "string"}}), {"type": "object", "properties": []}):
        assert () == param_headers(schema)


@pytest.mark.parametrize("name", ["Method", "x", "!#$%&'*+-.^_`|~09azAZ"])
def test_any_token_names_a_header(name: str) -> None:
    """HDR-18: `Method` gives Mcp-Param-Method, which is not Mcp-Method."""
    [header] = param_headers(of({"a": {"type": "string", "x-mcp-header": name}}))
    assert b"mcp-param-" + name.lower().encode() == header.header


@pytest.mark.parametrize(
    "name", ["", " ", "a b", "a:b", "größe", "a\r\nb", "a\n", "a\x00", "(a)", '"a"', "a/b", 5, None, True, []]
)
def test_a_name_that_is_no_token_is_refused(name: Any) -> None:
    """HDR-18."""
    with pytest.raises(HeaderError, match=r"^/properties/a/x-mcp-header: must be a header name, an RFC 9110 token$"):
        param_headers(of({"a": {"type": "string", "x-mcp-header": name}}))


@pytest.mark.parametrize(("first", "second"), [("Region", "Region"), ("Region", "REGION"), ("a", "A")])
def test_a_name_is_given_once_whatever_its_case(first: str, second: str) -> None:
    """HDR-18: also to properties of properties."""
    schema = of(
        {
            "a": {"type": "string", "x-mcp-header": first},
            "b": of({"c": {"type": "integer", "x-mcp-header": second}}),
        }
    )
    with pytest.raises(HeaderError, match=f"^/properties/b/properties/c/x-mcp-header: .*Mcp-Param-{second} already"):
        param_headers(schema)


@pytest.mark.parametrize(
    "type",
    ["number", "array", "object", "null", "String", 5, None, [], ["string"], ["string", "null"], {"string": 1}],
)
def test_other_types_than_string_integer_and_boolean_are_refused(type: Any) -> None:
    """HDR-19: a list of types too, even of one."""
    with pytest.raises(HeaderError, match=r"^/properties/a/x-mcp-header: the property's type must be string, integer"):
        param_headers(of({"a": {"type": type, "x-mcp-header": "A"}}))


@pytest.mark.parametrize(
    "node",
    [{}, {"anyOf": [{"type": "string"}, {"type": "null"}]}, {"$ref": "#/$defs/a"}, {"enum": ["a"]}],
)
def test_a_property_that_states_no_type_is_refused(node: dict[str, Any]) -> None:
    """HDR-19, HDR-20: an optional parameter is one of a plain type that is not required."""
    with pytest.raises(HeaderError, match="type must be string, integer or boolean"):
        param_headers(of({"a": {**node, "x-mcp-header": "A"}}, **{"$defs": {"a": {"type": "string"}}}))


ELSEWHERE: dict[str, Any] = {
    "": {**MIRRORED},
    "/items": {"items": MIRRORED},
    "/items/0": {"items": [MIRRORED]},
    "/prefixItems/0": {"prefixItems": [MIRRORED]},
    "/additionalItems": {"additionalItems": MIRRORED},
    "/unevaluatedItems": {"unevaluatedItems": MIRRORED},
    "/contains": {"contains": MIRRORED},
    "/additionalProperties": {"additionalProperties": MIRRORED},
    "/unevaluatedProperties": {"unevaluatedProperties": MIRRORED},
    "/patternProperties/^a": {"patternProperties": {"^a": MIRRORED}},
    "/propertyNames": {"propertyNames": MIRRORED},
    "/dependentSchemas/a": {"dependentSchemas": {"a": MIRRORED}},
    "/dependencies/a": {"dependencies": {"a": MIRRORED, "b": ["a"]}},
    "/allOf/0": {"allOf": [MIRRORED]},
    "/anyOf/1": {"anyOf": [{}, MIRRORED]},
    "/oneOf/0": {"oneOf": [MIRRORED]},
    "/not": {"not": MIRRORED},
    "/if": {"if": MIRRORED},
    "/then": {"then": MIRRORED},
    "/else": {"else": MIRRORED},
    "/$defs/a": {"$defs": {"a": MIRRORED}},
    "/$defs/properties": {"$defs": {"properties": MIRRORED}},
    "/definitions/a": {"definitions": {"a": MIRRORED}},
    "/contentSchema": {"contentSchema": MIRRORED},
    "/x-mine": {"x-mine": MIRRORED},
    "/x-mine/properties/a": {"x-mine": of({"a": MIRRORED})},
    "/properties/0": {"properties": [MIRRORED]},
    "/allOf/0/properties/a": {"allOf": [of({"a": MIRRORED})]},
}


@pytest.mark.parametrize("place", ELSEWHERE)
def test_an_annotation_anywhere_else_is_refused(place: str) -> None:
    """HDR-20: within a property, and in the root itself."""
    rule = "only a property reached through `properties` alone can be mirrored"
    for above, schema in (("", ELSEWHERE[place]), ("/properties/b", of({"b": ELSEWHERE[place]}))):
        if place == "" and above:
            continue  # that is where it belongs
        with pytest.raises(HeaderError) as refused:
            param_headers(schema)
        assert f"{above}{place}/x-mcp-header: {rule}" == str(refused.value)


def test_an_annotation_reached_by_a_reference_is_refused() -> None:
    """HDR-20."""
    schema = of({"a": {"$ref": "#/$defs/Region"}}, **{"$defs": {"Region": MIRRORED}})
    with pytest.raises(HeaderError, match=r"^/\$defs/Region/x-mcp-header: only a property"):
        param_headers(schema)


@pytest.mark.parametrize("keyword", ["default", "const", "enum", "examples", "required", "dependentRequired"])
def test_what_looks_like_an_annotation_in_data_is_data(keyword: str) -> None:
    """HDR-20."""
    for value in ({"x-mcp-header": "A"}, [{"x-mcp-header": "A"}], {"properties": {"a": MIRRORED}}):
        assert () == param_headers(of({"a": {keyword: value}}, **{keyword: value}))


def test_properties_may_be_called_like_keywords() -> None:
    """HDR-17, HDR-20: such a name annotates nothing, and what it names is a property like any other."""
    schema = of(
        {
            "x-mcp-header": {"type": "string"},
            "properties": {"type": "string", "x-mcp-header": "P"},
            "items": {"type": "string", "x-mcp-header": "I"},
            "$defs": of({"default": {"type": "string", "x-mcp-header": "D"}}),
        }
    )
    assert [("properties",), ("items",), ("$defs", "default")] == [header.path for header in param_headers(schema)]


def test_a_pointer_in_a_refusal_is_escaped() -> None:
    """HDR-20: RFC 6901, so that it leads somewhere."""
    with pytest.raises(HeaderError, match=r"^/properties/a~1b~0/x-mcp-header: "):
        param_headers(of({"a/b~": {"x-mcp-header": "A"}}))
