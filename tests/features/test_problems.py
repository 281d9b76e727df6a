"""What is said of a value that does not fit its schema: where, by which rule, and never at length."""

import itertools
import time
from typing import Any

import msgspec
import pytest

from goldfish.features.problems import MAX_LINE
from goldfish.features.schema import SchemaError, Validator

Json = dict[str, Any]
MESSAGE: Json = {
    "type": "object",
    "properties": {"message": {"type": "string"}},
    "required": ["message"],
    "additionalProperties": False,
}


def problems(schema: Any, instance: Any, limit: int = 5) -> list[str]:
    found = Validator(schema).problems(instance, limit)
    assert all(len(line) <= MAX_LINE and line.isprintable() for line in found)
    return found


def test_what_fits_has_no_problems() -> None:
    """TOOL-12."""
    assert [] == problems(MESSAGE, {"message": "hi"})
    assert [] == problems(True, object.__name__)
    assert [] == problems({"type": "integer"}, 1.0)
    assert [] == problems({"type": "integer"}, 10**4000)


@pytest.mark.parametrize(
    ("schema", "instance", "line"),
    [
        (MESSAGE, {}, '(root): "message" is a required property'),
        (MESSAGE, {"message": 5}, 'message: 5 is not of type "string"'),
        (MESSAGE, {"message": "", "b": 1}, '(root): these properties are not allowed: "b"'),
        ({"additionalProperties": False}, {"a": 1}, '(root): these properties are not allowed: "a"'),
        ({"unevaluatedProperties": False}, {"a": 1}, '(root): these properties are not allowed: "a"'),
        ({"prefixItems": [{}], "items": False}, [1, 2], "[1]: is not allowed"),
        (False, 1, "(root): is not allowed"),
        ({"enum": ["a", 1, None]}, "b", '(root): "b" is not one of "a", 1, null'),
        ({"const": 1}, 2, "(root): 1 was expected"),
        ({"minimum": 3}, 1.5, "(root): 1.5 is less than the minimum of 3"),
        ({"minLength": 2}, "a", '(root): "a" is shorter than 2 characters'),
        ({"pattern": "^a"}, "b", '(root): "b" does not match "^a"'),
        ({"maxItems": 1}, [1, 2], "(root): an array of 2 items has more than 1 item"),
        ({"contains": {"const": 1}}, [2], "(root): an array of 1 item has no item as `contains` asks for"),
        ({"format": "email"}, "x", '(root): "x" is not a "email"'),
        ({"type": ["string", "null"]}, {}, '(root): an object of 0 members is not of types "null", "string"'),
        ({"anyOf": [{"type": "string"}, {"type": "null"}]}, True, '(root): true is not of type "string" or "null"'),
        (
            {"oneOf": [{"type": "array"}, {"type": "null"}]},
            {"a": 1},
            '(root): an object of 1 member is not of type "array" or "null"',
        ),
        ({"anyOf": [{"minimum": 3}, {"type": "null"}]}, 1, "(root): 1 is not valid under any of the schemas"),
        ({"anyOf": [{"items": {"type": "null"}}]}, [1], "(root): an array of 1 item is not valid under any"),
        ({"oneOf": [{"minimum": 3}, {"minimum": 4}]}, 5, "(root): 5 is valid under more than one of the schemas"),
        ({"not": {"type": "null"}}, None, "(root): "),
        ({"type": "string"}, 10**300, '(root): a huge number is not of type "string"'),
        ({"items": {"type": "string"}}, [10**4000], '[0]: a huge number is not of type "string"'),
    ],
)
def test_a_problem_names_the_place_and_the_rule(schema: Any, instance: Any, line: str) -> None:
    """TOOL-15: in words that help a model to correct itself."""
    [found] = problems(schema, instance)
    assert found.startswith(line)


@pytest.mark.parametrize(
    ("names", "path"),
    [
        (("a", "b", "c-1"), "a.b.c-1"),
        (("a b",), '["a b"]'),
        (("a", "größe"), 'a["größe"]'),
        (("a\nb",), '["a\\nb"]'),
        (("0", "a"), '["0"].a'),
        (("x" * 100, "a"), f'["{"x" * 60}..."].a'),
    ],
)
def test_a_path_reads_like_code(names: tuple[str, ...], path: str) -> None:
    """TOOL-15: names that are not plain stand in quotes, so that they break no line."""
    schema: Json = {"type": "string"}
    instance: Any = [0]
    for name in reversed(names):
        schema, instance = {"properties": {name: schema}}, {name: instance}
    assert [f'{path}: an array of 1 item is not of type "string"'] == problems(schema, instance)


def test_a_path_leads_through_arrays() -> None:
    """TOOL-15."""
    schema = {"properties": {"a": {"items": {"items": {"properties": {"b": {"type": "string"}}}}}}}
    assert ['a[1][0].b: 1 is not of type "string"'] == problems(schema, {"a": [[], [{"b": 1}]]})


def test_a_path_through_what_the_library_cannot_name_is_still_a_path() -> None:
    """TOOL-15: the names "" and "007" come out of it as nothing and as 7."""
    schema = {"additionalProperties": {"items": {"type": "string"}}}
    for name in ("", "007"):
        [line] = problems(schema, {name: ["a", 1]})
        assert line.endswith('1 is not of type "string"')


def test_there_are_as_many_lines_as_asked_for() -> None:
    """TOOL-15."""
    schema = {"additionalProperties": {"type": "string"}}
    instance = {f"k{number}": number for number in range(9)}
    assert [5, 1, 9] == [len(problems(schema, instance, limit)) for limit in (5, 1, 99)]


def test_many_unexpected_names_are_counted() -> None:
    """TOOL-15."""
    instance = {"message": "", **{f"k{number}": number for number in range(8)}}
    [line] = problems(MESSAGE, instance)
    assert line.endswith('"k0", "k1", "k2", "k3", "k4" and 3 more')


BIG = "x" * 1_000_000


@pytest.mark.parametrize(
    ("schema", "instance"),
    [
        ({"type": "integer"}, BIG),
        ({"const": BIG}, 1),
        ({"enum": [BIG, BIG]}, BIG + "x"),
        ({"propertyNames": {"maxLength": 1}}, {BIG: 1}),
        ({"additionalProperties": False}, {BIG: 1}),
        ({"additionalProperties": {"type": "string"}}, {BIG: 1}),
        ({"required": [BIG]}, {}),
        ({"pattern": "^(a|b|c)*$"}, BIG),
        ({"maxLength": 1}, BIG + "\n\x00\u2028"),
        ({"type": "object"}, [BIG]),
        ({"format": "email"}, BIG),
    ],
    ids=itertools.count(),
)
def test_no_line_echoes_what_is_long(schema: Json, instance: Any) -> None:
    """TOOL-15: neither the value nor the schema."""
    assert 1 == len(problems(schema, instance))


def test_a_long_text_beside_a_wrong_value_hides_nothing() -> None:
    """TOOL-15."""
    schema = {"properties": {"text": {"type": "string"}, "count": {"type": "integer"}}}
    assert ['count: "three" is not of type "integer"'] == problems(schema, {"text": BIG, "count": "three"})


TEXTS: Json = {"type": "array", "items": {"type": "string"}}
TREE: Json = {
    "$ref": "#/$defs/tree",
    "$defs": {"tree": {"anyOf": [{"type": "integer"}, {"type": "array", "items": {"$ref": "#/$defs/tree"}}]}},
}
TOO_LARGE = "(root): does not fit the schema, and is too large to say where"


@pytest.mark.parametrize(
    ("schema", "instance", "expected"),
    [
        (TEXTS, [1] * 10_000, ['[0]: 1 is not of type "string"']),
        (TEXTS, ["a", 1] * 10_000, ['[1]: 1 is not of type "string"']),
        (TEXTS, [1] * 1_000_000, [TOO_LARGE]),
        ({"items": TEXTS}, [[1] * 100] * 2_000, [TOO_LARGE]),
        ({"anyOf": [TEXTS, {"type": "null"}]}, [1] * 10_000, [TOO_LARGE]),
        (TREE, [["x"]] * 10_000, [TOO_LARGE]),
        ({"additionalProperties": False}, {f"k{n}": n for n in range(300_000)}, [TOO_LARGE]),
        ({"additionalProperties": False}, {f"{n}" + "k" * 100_000: n for n in range(40)}, None),
    ],
)
def test_a_large_value_that_does_not_fit_takes_little_time(schema: Json, instance: Any, expected: Any) -> None:
    """TOOL-11: the library makes all errors there are, and every error of every branch, before it gives the first."""
    validator = Validator(schema)
    started = time.perf_counter()
    found = validator.problems(instance)
    assert time.perf_counter() - started < 1.0
    assert expected is None or expected == found


@pytest.mark.parametrize("depth", [200, 255, 256, 300, 900])
@pytest.mark.parametrize("schema", [{"type": "string"}, {"enum": [1]}, TREE, {"anyOf": [{"type": "string"}]}])
def test_a_value_may_be_nested_deeply(schema: Json, depth: int) -> None:
    """TOOL-11: as deep as a message can be, whatever the library makes of it."""
    instance = msgspec.json.decode(b'{"x":' * depth + b"1" + b"}" * depth)
    [line] = problems(schema, instance)
    assert line.startswith("(root): ")


@pytest.mark.parametrize("instance", ["\ud800", {1: 2}, {"a": {1}}, object()])
def test_what_is_no_json_fits_nothing(instance: Any) -> None:
    """TOOL-21: an output can hold anything."""
    [line] = problems(
        {"maxLength": 3, "additionalProperties": {"type": "string"}, "type": ["string", "object"]}, instance
    )
    assert line.startswith("(root): ")


def test_a_schema_that_does_not_compile_has_no_validator() -> None:
    """TOOL-09."""
    with pytest.raises(SchemaError, match="/type: "):
        Validator({"type": "nonsense"})


def test_a_validator_is_not_changed_with_its_schema() -> None:
    """TOOL-12."""
    schema: Json = {"type": "object"}
    validator = Validator(schema)
    schema["type"] = "string"
    assert [] == validator.problems({})
