"""The walk over the subschemas of a JSON Schema."""

from typing import Any

import pytest

from goldfish.wire.subschemas import DATA, IN_PLACE, INSIDE, MAPS, pointer, walk

INNER: dict[str, Any] = {"title": "inner"}


def pointers(schema: dict[str, Any]) -> list[str]:
    return [place.pointer for place in walk(schema)]


def test_a_place_is_met_once_and_in_document_order() -> None:
    schema = {"properties": {"b": {"items": {"type": "string"}}, "a": {}}, "allOf": [{}, True, {"not": {}}]}
    assert [
        "",
        "/properties/b",
        "/properties/b/items",
        "/properties/a",
        "/allOf/0",
        "/allOf/2",
        "/allOf/2/not",
    ] == pointers(schema)


@pytest.mark.parametrize("keyword", sorted(MAPS))
def test_the_names_in_a_map_of_schemas_are_free(keyword: str) -> None:
    """TOOL-07: a property may be called like a keyword."""
    schema = {keyword: {"items": INNER, "enum": INNER, "properties": INNER}}
    assert ["", f"/{keyword}/items", f"/{keyword}/enum", f"/{keyword}/properties"] == pointers(schema)


@pytest.mark.parametrize("keyword", sorted(IN_PLACE | INSIDE))
def test_a_keyword_holds_one_schema_or_a_list_of_them(keyword: str) -> None:
    assert ["", f"/{keyword}"] == pointers({keyword: INNER})
    assert ["", f"/{keyword}/0", f"/{keyword}/1"] == pointers({keyword: [INNER, INNER]})
    assert [""] == pointers({keyword: True})


@pytest.mark.parametrize("keyword", sorted(DATA))
def test_data_is_not_entered(keyword: str) -> None:
    assert [""] == pointers({keyword: {"properties": {"a": INNER}}})
    assert [""] == pointers({keyword: [INNER]})


def test_unknown_keywords_are_entered_and_marked() -> None:
    """A reference can lead into them."""
    places = {place.pointer: place.known for place in walk({"x-mine": {"not": INNER}, "not": INNER})}
    assert {"": True, "/x-mine": False, "/x-mine/not": False, "/not": True} == places


def test_the_depth_counts_subschemas() -> None:
    assert [0, 1, 2] == [place.depth for place in walk({"properties": {"a": {"allOf": [{}]}}})]


def test_a_pointer_escapes_what_would_divide_it() -> None:
    """RFC 6901, 3."""
    assert "/a~1b/~0/0/" == pointer(["a/b", "~", 0, ""])
