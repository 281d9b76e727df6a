"""What a server may ask a user by a form (client/elicitation "Requested Schema")."""

from typing import Any

import pytest

from goldfish.features.forms import FormError, check_form

Json = dict[str, Any]


def asking(node: Any) -> Json:
    return {"type": "object", "properties": {"a": node}}


def refusal(schema: Any) -> str:
    with pytest.raises(FormError) as refused:
        check_form(schema)
    text = str(refused.value)
    assert len(text) < 400
    return text


LABELS: Json = {"title": "Name", "description": "What to call you."}
OPTIONS = [{"const": "#f00", "title": "Red"}, {"const": "#0f0", "title": "Green"}]
ALLOWED: dict[str, Json] = {
    "text": {"type": "string"},
    "text with everything": {**LABELS, "type": "string", "minLength": 1, "maxLength": 9, "default": "me"},
    "mail": {"type": "string", "format": "email", "default": "a@example.com"},
    "uri": {"type": "string", "format": "uri", "default": "https://example.com/a"},
    "date": {"type": "string", "format": "date", "default": "2026-07-28"},
    "date and time": {"type": "string", "format": "date-time", "default": "2026-07-28T00:00:00Z"},
    "number": {**LABELS, "type": "number", "minimum": 0, "maximum": 0.5, "default": 0.25},
    "integer": {"type": "integer", "minimum": 1, "maximum": 1, "default": 1.0},
    "yes or no": {**LABELS, "type": "boolean", "default": False},
    "choice": {**LABELS, "type": "string", "enum": ["red", ""], "default": ""},
    "choice with names": {"type": "string", "enum": ["r", "g"], "enumNames": ["Red", "Green"], "default": "g"},
    "titled choice": {**LABELS, "type": "string", "oneOf": OPTIONS, "default": "#f00"},
    "several": {
        **LABELS,
        "type": "array",
        "items": {"type": "string", "enum": ["a", "b"]},
        "minItems": 0,
        "maxItems": 2,
        "default": ["b", "a"],
    },
    "titled several": {"type": "array", "items": {"anyOf": OPTIONS}, "default": ["#0f0"]},
    "titled several of a type": {"type": "array", "items": {"type": "string", "anyOf": OPTIONS}, "default": []},
}


@pytest.mark.parametrize("kind", ALLOWED)
def test_a_property_of_an_allowed_shape_is_accepted(kind: str) -> None:
    """ELI-03, ELI-04, ELI-05."""
    check_form(asking(ALLOWED[kind]))


def test_a_form_names_its_required_properties_and_its_dialect() -> None:
    """ELI-03."""
    check_form({"type": "object", "properties": {}})
    check_form(
        {
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "type": "object",
            "properties": ALLOWED,
            "required": ["text", "several"],
        }
    )


@pytest.mark.parametrize(
    ("schema", "rule"),
    [
        (None, "a form must be an object schema"),
        ([], "a form must be an object schema"),
        ({"properties": {}}, "a form must be an object schema"),
        ({"type": "array", "properties": {}}, "a form must be an object schema"),
        ({"type": "object"}, "a form must have properties"),
        ({"type": "object", "properties": []}, "a form must have properties"),
        ({"type": "object", "properties": {}, "allOf": []}, "a form: allOf is not allowed, only "),
        ({"type": "object", "properties": {}, "$defs": {}}, r"a form: $defs is not allowed"),
        ({"type": "object", "properties": {}, "additionalProperties": True}, "a form: additionalProperties is not"),
        ({"type": "object", "properties": {}, "$schema": 5}, "a form: $schema must be a string"),
        ({"type": "object", "properties": {}, "required": "a"}, "required must list names of properties"),
        ({"type": "object", "properties": {}, "required": ["a"]}, "required must list names of properties"),
        ({"type": "object", "properties": {}, "required": [[]]}, "required must list names of properties"),
        ({"type": "object", "properties": {}, "required": None}, "required must list names of properties"),
    ],
)
def test_a_form_is_a_flat_object(schema: Any, rule: str) -> None:
    """ELI-03, ELI-06."""
    assert refusal(schema).startswith(rule)


@pytest.mark.parametrize(
    "node",
    [
        None,
        True,
        "string",
        {},
        {"$ref": "#/$defs/a"},
        {"enum": ["a"]},
        {"oneOf": OPTIONS},
        {"type": None},
        {"type": "null"},
        {"type": "object", "properties": {}},
        {"type": ["string"]},
        {"type": ["string", "null"]},
    ],
)
def test_a_property_has_a_plain_type(node: Any) -> None:
    """ELI-03, ELI-06."""
    assert refusal(asking(node)).startswith("a: the type must be string, number, integer, boolean, or array")


@pytest.mark.parametrize(
    ("node", "member"),
    [
        ({"type": "string", "pattern": "^a"}, "pattern"),
        ({"type": "string", "$ref": "#"}, "$ref"),
        ({"type": "string", "const": "a"}, "const"),
        ({"type": "string", "minimum": 1}, "minimum"),
        ({"type": "string", "anyOf": OPTIONS}, "anyOf"),
        ({"type": "string", "enumNames": ["a"]}, "enumNames"),
        ({"type": "string", "enum": ["a"], "oneOf": OPTIONS}, "oneOf"),
        ({"type": "string", "enum": ["a"], "minLength": 1}, "minLength"),
        ({"type": "string", "oneOf": OPTIONS, "format": "uri"}, "format"),
        ({"type": "number", "multipleOf": 2}, "multipleOf"),
        ({"type": "number", "exclusiveMinimum": 2}, "exclusiveMinimum"),
        ({"type": "integer", "enum": [1]}, "enum"),
        ({"type": "boolean", "enum": [True]}, "enum"),
        ({"type": "array", "items": {"type": "string", "enum": ["a"]}, "uniqueItems": True}, "uniqueItems"),
        ({"type": "array", "items": {"type": "string", "enum": ["a"], "pattern": "a"}}, "pattern"),
        ({"type": "array", "items": {"anyOf": OPTIONS, "title": "T"}}, "title"),
    ],
)
def test_a_property_has_the_members_of_its_shape_alone(node: Json, member: str) -> None:
    """ELI-03, ELI-04, ELI-06: no pattern, no reference, nothing that a client need not know."""
    assert f": {member} is not allowed, only " in refusal(asking(node))


@pytest.mark.parametrize("format", ["ipv4", "time", "EMAIL", "", None, 5, ["email"]])
def test_other_formats_are_refused(format: Any) -> None:
    """ELI-03."""
    expected = "a: format must be one of email, uri, date, date-time"
    assert expected == refusal(asking({"type": "string", "format": format}))


@pytest.mark.parametrize(
    ("node", "rule"),
    [
        ({"type": "string", "minLength": -1}, "minLength must be an integer from 0"),
        ({"type": "string", "maxLength": "9"}, "maxLength must be an integer from 0"),
        ({"type": "string", "maxLength": True}, "maxLength must be an integer from 0"),
        ({"type": "string", "minLength": 2, "maxLength": 1}, "minLength must not be above maxLength"),
        ({"type": "number", "minimum": "0"}, "minimum must be a number"),
        ({"type": "number", "maximum": None}, "maximum must be a number"),
        ({"type": "number", "maximum": False}, "maximum must be a number"),
        ({"type": "number", "maximum": float("inf")}, "maximum must be a number"),
        ({"type": "integer", "minimum": 2, "maximum": 1}, "minimum must not be above maximum"),
        ({"type": "array", "items": {"anyOf": OPTIONS}, "minItems": 1.5}, "minItems must be an integer from 0"),
        ({"type": "array", "items": {}, "minItems": 2, "maxItems": 1}, "minItems must not be above maxItems"),
        ({"type": "string", "title": 5}, "title must be a string"),
        ({"type": "boolean", "description": None}, "description must be a string"),
    ],
)  # fmt: skip
def test_bounds_and_labels_are_of_their_types(node: Json, rule: str) -> None:
    """ELI-03."""
    assert f"a: {rule}" == refusal(asking(node))


@pytest.mark.parametrize("values", [None, "ab", {}, [], ["a", 1], [None], ["a", "a"], [["a"]]])
def test_choices_are_different_texts(values: Any) -> None:
    """ELI-04."""
    for node in ({"type": "string", "enum": values}, {"type": "array", "items": {"type": "string", "enum": values}}):
        assert "a: enum must list strings, at least one and none twice" == refusal(asking(node))


@pytest.mark.parametrize("names", [None, "ab", ["A"], ["A", "B", "C"], ["A", 5]])
def test_every_choice_has_its_name_or_none_has(names: Any) -> None:
    """ELI-04: the older way to title them."""
    node = {"type": "string", "enum": ["a", "b"], "enumNames": names}
    assert "a: enumNames must have a text for each value of enum" == refusal(asking(node))


@pytest.mark.parametrize(
    ("options", "rule"),
    [
        (None, "must list objects with const and title"),
        (["a"], "must list objects with const and title"),
        ([], "must list strings, at least one and none twice"),
        ([{"const": "a"}], "a choice has a const and a title, both strings, and nothing else"),
        ([{"title": "A"}], "a choice has a const and a title, both strings, and nothing else"),
        ([{"const": "a", "title": 5}], "a choice has a const and a title, both strings, and nothing else"),
        ([{"const": "a", "title": "A", "x": 1}], "a choice has a const and a title, both strings, and nothing else"),
        ([{"const": 5, "title": "A"}], "must list strings, at least one and none twice"),
        ([{"const": "a", "title": "A"}, {"const": "a", "title": "B"}], "must list strings, at least one and none"),
    ],
)
def test_titled_choices_have_a_value_and_a_title(options: Any, rule: str) -> None:
    """ELI-04."""
    assert rule in refusal(asking({"type": "string", "oneOf": options}))
    assert rule in refusal(asking({"type": "array", "items": {"anyOf": options}}))


@pytest.mark.parametrize(
    "items",
    [
        None,
        True,
        [],
        {},
        {"type": "string"},
        {"type": "integer", "enum": [1]},
        {"type": "object", "properties": {}},
        {"$ref": "#"},
        {"oneOf": OPTIONS},
        {"enum": ["a"], "anyOf": OPTIONS},
    ],
)
def test_there_are_no_other_arrays_than_choices(items: Any) -> None:
    """ELI-04, ELI-06."""
    assert "a: items must list its strings in either enum or anyOf" == refusal(
        asking({"type": "array", "items": items})
    )


def test_an_array_needs_items_and_plain_choices_a_type() -> None:
    """ELI-04."""
    assert "a: items must list its strings in either enum or anyOf" == refusal(asking({"type": "array"}))
    untyped = {"type": "array", "items": {"enum": ["a"]}}
    assert 'a: items with enum must have "type": "string"' == refusal(asking(untyped))


@pytest.mark.parametrize(
    "node",
    [
        {"type": "string", "default": 5},
        {"type": "string", "default": None},
        {"type": "string", "minLength": 3, "default": "me"},
        {"type": "string", "format": "email", "default": "me"},
        {"type": "string", "format": "date", "default": "2026-02-30"},
        {"type": "number", "default": "1"},
        {"type": "number", "default": True},
        {"type": "number", "maximum": 1, "default": 2},
        {"type": "integer", "default": 1.5},
        {"type": "boolean", "default": "false"},
        {"type": "boolean", "default": 0},
        {"type": "string", "enum": ["a"], "default": "A"},
        {"type": "string", "oneOf": OPTIONS, "default": "Red"},
        {"type": "array", "items": {"type": "string", "enum": ["a"]}, "default": "a"},
        {"type": "array", "items": {"type": "string", "enum": ["a"]}, "default": ["b"]},
        {"type": "array", "items": {"anyOf": OPTIONS}, "default": ["Red"]},
        {"type": "array", "items": {"anyOf": OPTIONS}, "maxItems": 1, "default": ["#f00", "#0f0"]},
    ],
)
def test_a_default_is_what_the_form_itself_would_accept(node: Json) -> None:
    """ELI-05: by type, bounds, format and choices."""
    assert refusal(asking(node)).startswith("a: the default breaks its own schema: ")


def test_a_refusal_names_the_property_and_echoes_little() -> None:
    """ELI-03."""
    assert refusal({"type": "object", "properties": {"x" * 1000: {}}}).startswith(f"{'x' * 80}: ")
    assert refusal(asking({"type": "string", "y" * 1000: 1})).startswith(f"a: {'y' * 80} is not allowed")
