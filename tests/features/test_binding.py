"""Validated arguments as what a function takes."""

import base64
import datetime
import uuid
from typing import Any, Literal, NewType

import msgspec
import pytest

from goldfish.features.schema import Validator
from goldfish.features.signature import Signature, from_signature

from .signature_types import (
    Circle,
    Context,
    Header,
    Level,
    Options,
    Pair,
    Point,
    Positive,
    Size,
    Square,
    Tree,
    taking,
)

Json = dict[str, Any]
UserId = NewType("UserId", int)


def of(hint: Any, *default: Any) -> Signature:
    return from_signature(taking(hint, *default), context_type=Context, header_type=Header)


@pytest.mark.parametrize(
    ("hint", "sent", "bound"),
    [
        (str, "a", "a"),
        (int, 1.0, 1),
        (float, 1, 1.0),
        (bool, True, True),
        (Any, {"a": [1.0]}, {"a": [1.0]}),
        (UserId, 1.0, 1),
        (Literal["a"], "a", "a"),
        (Literal[1], 1.0, 1),
        (Size, "medium", Size.MEDIUM),
        (Level, 2.0, Level.LOW),
        (list[int], [1.0, 2], [1, 2]),
        (list[float], [1, 2.5], [1.0, 2.5]),
        (dict[str, list[int]], {"a": [1.0]}, {"a": [1]}),
        (dict[int, str], {"1": "a"}, {1: "a"}),
        (int | str, "5", "5"),
        (int | str, 5.0, 5),
        (Point, {"x": 1.0, "size": "small", "label": None}, Point(1, 0, Size.SMALL, None, ())),
        (Options, {"depth": 1.0, "where": {"x": 2}}, {"depth": 1, "where": Point(2)}),
        (Tree, {"value": 1, "children": [{"value": 2.0}]}, Tree(1, [Tree(2)])),
        (Circle | Square, {"type": "Square", "side": 2}, Square(2.0)),
        (Pair, [1.0, "a"], Pair(1, "a")),
        (set[int], [2, 1], {1, 2}),
        (bytes, base64.b64encode(b"hi").decode(), b"hi"),
        (datetime.date, "2026-07-28", datetime.date(2026, 7, 28)),
        (uuid.UUID, str(uuid.UUID(int=5)), uuid.UUID(int=5)),
    ],
)
def test_valid_arguments_become_what_the_function_takes(hint: Any, sent: Any, bound: Any) -> None:
    """TOOL-12: JSON Schema takes 1.0 for an integer and 1 for a number."""
    signature = of(hint)
    assert [] == Validator(signature.schema).problems({"a": sent})
    found = signature.bind({"a": sent})["a"]
    assert (type(bound), bound) == (type(found), found)


def test_binding_leaves_the_arguments_alone() -> None:
    """TOOL-12: a new dict, and new lists in it, so that nothing a function does to them is seen elsewhere."""
    arguments: Json = {"a": ["x"]}
    bound = of(list[str]).bind(arguments)
    bound["a"].append("y")
    bound["ctx"] = None
    assert {"a": ["x"]} == arguments
    assert arguments is not of(str).bind({"a": "x"})


@pytest.mark.parametrize(
    ("hint", "sent"),
    [
        (datetime.datetime, "yesterday"),
        (bytes, "%"),
        (dict[int, str], {"a": "b"}),
        (Positive, {"value": 0}),
        (float, 10**400),
    ],
)
def test_what_no_schema_judges_is_refused_by_name(hint: Any, sent: Any) -> None:
    """TOOL-15."""
    signature = of(hint)
    assert [] == Validator(signature.schema).problems({"a": sent})
    with pytest.raises(msgspec.ValidationError, match=r"^a: "):
        signature.bind({"a": sent})


def test_a_value_that_holds_itself_too_often_is_refused_by_name() -> None:
    """TOOL-11, TOOL-15."""
    deep: Json = {"value": 0.5}
    for _ in range(2000):
        deep = {"value": 1, "children": [deep]}
    with pytest.raises(msgspec.ValidationError, match=r"^a: "):
        of(Tree).bind({"a": deep})
