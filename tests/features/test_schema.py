"""Which schemas may be registered, and that nothing is fetched for any of them."""

import socket
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

import pytest

from goldfish.features.schema import DIALECTS, MAX_DEPTH, MAX_SUBSCHEMAS, SchemaError, Validator, check_schema

Json = dict[str, Any]


def on(node: Any, **more: Any) -> Json:
    return {"type": "object", "properties": {"a": node}, **more}


def refusal(schema: Any, root_object: bool = False) -> str:
    with pytest.raises(SchemaError) as refused:
        check_schema(schema, root_object=root_object, where="inputSchema")
    text = str(refused.value)
    assert text.startswith("inputSchema: ")
    assert len(text) < 500
    return text.removeprefix("inputSchema: ")


def accepted(schema: Any, root_object: bool = False) -> None:
    check_schema(schema, root_object=root_object, where="inputSchema")
    Validator(schema)


@pytest.mark.parametrize(
    "root", [{"type": "object"}, on({}), {"type": "object", "$ref": "#/$defs/a", "$defs": {"a": {}}}]
)
def test_a_root_of_type_object_is_accepted(root: Json) -> None:
    """TOOL-06."""
    accepted(root, root_object=True)


@pytest.mark.parametrize(
    "root", [None, True, [], "object", {}, {"type": "array"}, {"type": ["object"]}, {"properties": {}}, {"type": None}]
)
def test_a_root_that_describes_no_object_is_refused(root: Any) -> None:
    """TOOL-06: it says so itself; a reference or an alternative that does is not enough."""
    assert 'the root must be an object with "type": "object"' == refusal(root, root_object=True)


@pytest.mark.parametrize("root", [True, False, {}, {"type": "array"}, {"type": ["string", "null"]}, {"$ref": "#"}])
def test_where_no_object_is_asked_for_the_root_may_be_anything(root: Any) -> None:
    """TOOL-23."""
    accepted(root)


@pytest.mark.parametrize("root", [None, [], "object", 5])
def test_what_is_neither_object_nor_boolean_is_no_schema(root: Any) -> None:
    """TOOL-23."""
    assert f"must be an object, not {type(root).__name__}" == refusal(root)


def test_any_keyword_of_the_dialect_is_accepted() -> None:
    """TOOL-07: unknown ones and annotations too."""
    accepted(
        {
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "$id": "https://example.com/tool.json",
            "$comment": "all of it",
            "type": "object",
            "properties": {"a": {"$ref": "#/$defs/A"}, "b": {"$ref": "#there"}, "$ref": {"type": "string"}},
            "patternProperties": {"^x-": {"not": {"type": "null"}}},
            "dependentSchemas": {"a": {"required": ["b"]}},
            "if": {"required": ["a"]},
            "then": {"minProperties": 2},
            "else": {"oneOf": [{"maxProperties": 1}, {"minProperties": 3}]},
            "unevaluatedProperties": False,
            "default": {"$ref": "https://example.com/data"},
            "examples": [{"$ref": "https://example.com/data"}],
            "x-mine": {"$ref": "https://example.com/data"},
            "$defs": {
                "A": {"anyOf": [{"enum": [1]}, {"const": None}]},
                "B": {"$anchor": "there", "$dynamicAnchor": "x"},
            },
        },
        root_object=True,
    )


@pytest.mark.parametrize("dialect", sorted(DIALECTS))
def test_a_named_dialect_is_served(dialect: str) -> None:
    """TOOL-09: with the empty fragment that some drafts write, and without."""
    for written in (dialect, dialect + "#"):
        accepted({"$schema": written, "type": "object"}, root_object=True)


def test_a_schema_is_judged_by_its_own_dialect() -> None:
    """TOOL-09: 2020-12 by default."""
    pair: Json = {"items": [{"type": "string"}, {"type": "integer"}], "additionalItems": False}
    assert "/items: an array of 2 items is not" in refusal(pair)
    old = {"$schema": "http://json-schema.org/draft-07/schema#", **pair}
    accepted(old)
    assert [] == Validator(old).problems(["a", 1])
    assert ['[0]: 1 is not of type "string"'] == Validator(old).problems([1, 1])


@pytest.mark.parametrize(
    "dialect", ["http://json-schema.org/draft-03/schema#", "https://example.com/mine", "draft-07", "", 5, None]
)
def test_another_dialect_is_refused(dialect: Any) -> None:
    """TOOL-09."""
    assert f"the dialect {dialect!r} is not supported, use 2020-12" == refusal({"$schema": dialect, "type": "object"})


def test_the_dialect_is_the_roots_to_name() -> None:
    """TOOL-09."""
    inner = on({"$schema": "http://json-schema.org/draft-07/schema#"})
    assert "/properties/a/$schema: the dialect is the root's to name" == refusal(inner)


@pytest.mark.parametrize(
    ("schema", "place"),
    [
        (on({"type": "nonsense"}), "/properties/a/type"),
        (on({"type": 5}), "/properties/a/type"),
        (on({"minLength": -1}), "/properties/a/minLength"),
        (on({"minimum": "1"}), "/properties/a/minimum"),
        (on({"enum": 1}), "/properties/a/enum"),
        ({"type": "object", "required": "a"}, "/required"),
        ({"type": "object", "properties": []}, "/properties"),
        ({"$defs": {"a": {"type": "nonsense"}}}, "/$defs/a/type"),
    ],
)
def test_what_the_meta_schema_forbids_is_refused_with_its_place(schema: Json, place: str) -> None:
    """TOOL-06, TOOL-09."""
    assert refusal(schema).startswith(f"{place}: ")


def test_a_pattern_that_is_none_is_refused() -> None:
    """TOOL-09: the library says where from one release on."""
    assert refusal(on({"pattern": "("})).endswith('"(" is not a "regex"')


@pytest.mark.parametrize(
    ("schema", "rule"),
    [
        (on({"enum": {1, 2}}), "set is no JSON"),
        (on({"default": object()}), "object is no JSON"),
        (on({"default": b"x"}), "bytes is no JSON"),
        (on({"default": float("nan")}), "nan is no JSON number"),
        (on({"maximum": float("inf")}), "inf is no JSON number"),
        ({"properties": {1: {}}}, "the names of members must be text"),
        (on({"title": "\ud800"}), "surrogates not allowed"),
    ],
)
def test_what_is_no_json_is_refused(schema: Any, rule: str) -> None:
    """TOOL-07: it could not be delivered."""
    assert rule in refusal(schema)


@pytest.fixture
def trap() -> Iterator[tuple[str, Callable[[], bool]]]:
    """The address of a listener, and whether anybody has called it."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(0)

        def called() -> bool:
            try:
                listener.accept()[0].close()
            except BlockingIOError:
                return False
            return True

        yield f"http://127.0.0.1:{listener.getsockname()[1]}/x.json", called


#: `@` stands for the address of the trap.
REMOTE: dict[str, Json] = {
    "reference": on({"$ref": "@"}),
    "fragment": on({"$ref": "@#/a"}),
    "dynamic": on({"$dynamicRef": "@#a"}),
    "recursive": on({"$recursiveRef": "@"}),
    "unused": on({}, **{"$defs": {"b": {"$ref": "@"}}}),
    "deep": on({"items": {"anyOf": [{"not": {"$ref": "@"}}]}}),
    "relative to a remote root": on({"$ref": "y.json"}, **{"$id": "@"}),
    "relative to a remote part": on({"$id": "@", "properties": {"b": {"$ref": "y.json"}}}),
    "by an unknown keyword": on({"$ref": "#/x-mine/b"}, **{"x-mine": {"b": {"$ref": "@"}}}),
    "dialect": on({}, **{"$schema": "@"}),
    "draft-07": on({"$ref": "@"}, **{"$schema": "http://json-schema.org/draft-07/schema#"}),
    "draft-04": on({"$ref": "y.json"}, **{"$schema": "http://json-schema.org/draft-04/schema#", "id": "@"}),
}


def filled(value: Any, address: str) -> Any:
    if isinstance(value, dict):
        return {name: filled(inner, address) for name, inner in value.items()}
    if isinstance(value, list):
        return [filled(inner, address) for inner in value]
    return value.replace("@", address) if isinstance(value, str) else value


@pytest.mark.parametrize("kind", REMOTE)
def test_what_lies_elsewhere_is_refused_and_never_fetched(kind: str, trap: tuple[str, Callable[[], bool]]) -> None:
    """TOOL-10: not when it is registered, and not by a validator that was made without asking."""
    address, called = trap
    schema = filled(REMOTE[kind], address)
    refusal(schema)
    with suppress(SchemaError):
        Validator(schema).problems({"a": {"b": 1}})
    assert not called()


@pytest.mark.parametrize("keyword", ["$ref", "$dynamicRef", "$recursiveRef"])
@pytest.mark.parametrize("reference", ["https://example.com/x.json", "file:///etc/passwd", "other.json", "", "urn:x:y"])
def test_a_reference_that_leaves_the_schema_is_named(keyword: str, reference: str) -> None:
    """TOOL-10: files too, and what is relative."""
    assert f"/properties/a: {keyword} {reference!r} leaves the schema, use $defs" == refusal(on({keyword: reference}))


def test_a_file_is_not_read(tmp_path: Any) -> None:
    """TOOL-10: by a validator that was made without asking."""
    file = tmp_path / "x.json"
    file.write_text("{}")
    with pytest.raises(SchemaError, match="is not present"):
        Validator(on({"$ref": file.as_uri()}))


@pytest.mark.parametrize(
    "schema",
    [
        on({"$ref": "#/$defs/none"}),
        on({"$ref": "#none"}),
        on({"$ref": "#/properties/a/0"}),
        {"$defs": {"a": {"$ref": "#/$defs/none"}}},
        {"$defs": {"a": {"properties": {"b": {"$ref": "#none"}}}}},
        {"$defs": {"ä/~ %": {"$ref": "#none"}}},
        {"$ref": "#", "$defs": {"a": {"$defs": {"b": {"$ref": "#none"}}}}},
        {"definitions": {"a": {"items": {"$ref": "#/definitions/none"}}}},
        {
            "$schema": "http://json-schema.org/draft-07/schema#",
            "$ref": "#/definitions/b",
            "definitions": {"a": {"$ref": "#none"}, "b": {}},
        },
    ],
)
def test_a_reference_that_leads_nowhere_is_refused(schema: Json) -> None:
    """TOOL-10: in definitions that nobody uses as well."""
    assert refusal(schema).endswith("does not exist")


@pytest.mark.parametrize(
    "schema",
    [
        {"$ref": "#"},
        {"$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}, "$ref": "#/$defs/a"},
        {"$defs": {"ä/~ %": {"type": "string"}}, "$ref": "#/$defs/%C3%A4~1~0%20%25"},
        {"allOf": [{"type": "string"}], "$defs": {"a": {"$ref": "#/allOf/0"}}},
        {"$defs": {"tree": {"$anchor": "tree", "items": {"$ref": "#tree"}}}, "$ref": "#tree"},
        {"$defs": {"a": {"$id": "urn:x:y", "$ref": "#/$defs/b", "$defs": {"b": {}}}}},
        {"$schema": "https://json-schema.org/draft/2019-09/schema", "items": {"$recursiveRef": "#"}},
        {
            "$schema": "http://json-schema.org/draft-07/schema#",
            "definitions": {"a": {"$id": "#name", "type": "string"}},
            "items": {"$ref": "#name"},
        },
    ],
)
def test_references_within_the_schema_are_followed(schema: Json) -> None:
    """TOOL-07, TOOL-10: circles, anchors and escaped names."""
    accepted(schema)


def nested(depth: int) -> Json:
    schema: Json = {}
    for _ in range(depth):
        schema = {"properties": {"a": schema}}
    return schema


def test_subschemas_nest_so_deep_and_no_deeper() -> None:
    """TOOL-11."""
    accepted(nested(MAX_DEPTH))
    assert f"subschemas nest deeper than {MAX_DEPTH}" == refusal(nested(MAX_DEPTH + 1))


def test_there_are_so_many_subschemas_and_no_more() -> None:
    """TOOL-11."""
    accepted({"properties": {str(number): {} for number in range(MAX_SUBSCHEMAS - 1)}})
    many: Json = {"properties": {str(number): {} for number in range(MAX_SUBSCHEMAS)}}
    assert f"there are more than {MAX_SUBSCHEMAS} subschemas" == refusal(many)


def test_data_in_a_schema_is_bounded_in_depth() -> None:
    """TOOL-11: a dict of Python may even hold itself."""
    deep: Any = 1
    for _ in range(1000):
        deep = [deep]
    assert "values nest deeper than 192" == refusal({"const": deep})
    circle: Json = {}
    circle["properties"] = {"a": circle}
    assert "values nest deeper than 192" == refusal(circle)


def doubling(times: int) -> Json:
    """A few definitions, each of which asks twice for the next."""
    definitions: Json = {
        f"a{number}": {"anyOf": [{"$ref": f"#/$defs/a{number + 1}"}, {"$ref": f"#/$defs/a{number + 1}"}]}
        for number in range(times)
    }
    return {"$ref": "#/$defs/a0", "$defs": {**definitions, f"a{times}": {"type": "string"}}}


def test_references_that_multiply_are_bounded() -> None:
    """TOOL-11: what is judged counts, and not what is written."""
    accepted(doubling(10))
    assert f"references make it more than {MAX_SUBSCHEMAS} subschemas" in refusal(doubling(12))
    assert f"references nest deeper than {MAX_DEPTH}" in refusal(doubling(60))
