"""Questions to the client and what counts as an answer (patterns/mrtr, client/*)."""

from typing import Any

import msgspec
import pytest

from goldfish.wire.content import ImageContent, TextContent, ToolUseContent
from goldfish.wire.inputs import (
    ELICIT,
    ROOTS,
    SAMPLE,
    CreateMessageResult,
    ElicitResult,
    InputRequest,
    ListRootsResult,
    Root,
    read_answer,
)

FORM = InputRequest(ELICIT, {"mode": "form", "message": "?", "requestedSchema": {}}, ("elicitation.form",))
SAMPLING = InputRequest(SAMPLE, {"messages": [], "maxTokens": 1}, ("sampling",))
LISTING = InputRequest(ROOTS, {}, ("roots",))


def read(request: InputRequest, answer: Any) -> Any:
    return read_answer(request, msgspec.json.encode(answer))


def test_a_question_is_a_method_and_params_and_nothing_else() -> None:
    """MRTR-03: no id and no jsonrpc."""
    assert {"method": "roots/list", "params": {}} == LISTING.as_json()


def test_accepted_content_is_read_with_its_types() -> None:
    """ELI-11: strings, numbers, booleans and lists of strings."""
    content: dict[str, Any] = {"s": "x", "i": 1, "f": 1.5, "b": True, "l": ["a"], "e": []}
    assert ElicitResult("accept", content) == read(FORM, {"action": "accept", "content": content, "_meta": {}})


def test_an_accept_may_come_without_content() -> None:
    """ELI-11: as for a URL."""
    assert ElicitResult("accept", None) == read(FORM, {"action": "accept"})


@pytest.mark.parametrize("action", ["decline", "cancel"])
def test_what_came_with_a_refusal_is_dropped(action: str) -> None:
    """ELI-10: before anyone sees it."""
    answer = read(FORM, {"action": action, "content": {"secret": "x"}})
    assert (action, None) == (answer.action, answer.content)


@pytest.mark.parametrize("content", [None, 5, [], {"name": {"first": "Ada"}}, {"name": None}])
@pytest.mark.parametrize("action", ["decline", "cancel"])
def test_a_refusal_counts_whatever_came_with_it(action: str, content: Any) -> None:
    """ELI-10, MRTR-20: a user who said no is not asked again because of what the client filled in."""
    answer = read(FORM, {"action": action, "content": content})
    assert (action, None) == (answer.action, answer.content)


@pytest.mark.parametrize(
    "answer",
    [
        None,
        5,
        [],
        "accept",
        {},
        {"action": "maybe"},
        {"action": None},
        {"action": "accept", "content": []},
        {"action": "accept", "content": {"a": {"b": 1}}},
        {"action": "accept", "content": {"a": [1]}},
        {"action": "accept", "content": {"a": None}},
        {"user_name": 12345},
    ],
)
def test_what_has_not_the_shape_of_an_answer_is_none(answer: Any) -> None:
    """MRTR-12: the question is asked again, never silently accepted."""
    assert read(FORM, answer) is None


@pytest.mark.parametrize(
    "raw",
    [
        b"{",
        b'{"action":"accept","content":{"a":1e999}}',
        b'{"action":"accept","content":{"a":%b}}' % (b"9" * 5000),
        b'{"action":"accept","x":%b}' % (b"[" * 2000 + b"]" * 2000),
        b'{"action":"accept","content":{"a":"\\ud800"}}',
    ],
)
def test_an_answer_that_cannot_be_read_is_none(raw: bytes) -> None:
    """MRTR-12: numbers out of range, nesting 2,000 deep and half a surrogate pair included."""
    assert read_answer(FORM, raw) is None


def test_a_sampled_message_may_hold_one_block_or_several() -> None:
    """SAM-04: the stop reason is open text."""
    one = read(SAMPLING, {"role": "assistant", "model": "m", "content": {"type": "text", "text": "a"}})
    assert ([TextContent(text="a")], "a", None) == (list(one.blocks), one.text, one.stop_reason)
    blocks = [
        {"type": "text", "text": "a"},
        {"type": "image", "data": "AA==", "mimeType": "image/png"},
        {"type": "tool_use", "id": "1", "name": "t", "input": {"x": 1}},
        {"type": "text", "text": "b"},
    ]
    several = read(SAMPLING, {"role": "assistant", "model": "m", "content": blocks, "stopReason": "tired"})
    assert isinstance(several, CreateMessageResult)
    assert [TextContent, ImageContent, ToolUseContent, TextContent] == [type(block) for block in several.blocks]
    assert ("a\nb", "tired") == (several.text, several.stop_reason)


@pytest.mark.parametrize(
    "answer",
    [
        {"role": "assistant", "model": "m"},
        {"role": "system", "model": "m", "content": []},
        {"role": "assistant", "content": []},
        {"role": "assistant", "model": "m", "content": {"type": "video"}},
        {"role": "assistant", "model": "m", "content": {"type": "image", "data": "!", "mimeType": "a/b"}},
    ],
)
def test_a_sampled_message_of_another_shape_is_none(answer: Any) -> None:
    """SAM-04, MRTR-12: asked again."""
    assert read(SAMPLING, answer) is None


def test_roots_that_are_no_files_are_ignored() -> None:
    """ROO-02: a root is a file URI."""
    roots = [{"uri": "file:///a", "name": "A", "_meta": {"x": 1}}, {"uri": "https://x"}, {"uri": "file:///b"}]
    assert ListRootsResult([Root("file:///a", "A", {"x": 1}), Root("file:///b")]) == read(LISTING, {"roots": roots})


def test_no_roots_at_all_is_an_answer() -> None:
    """ROO-03: an empty list is valid."""
    assert ListRootsResult([]) == read(LISTING, {"roots": []})


@pytest.mark.parametrize("answer", [{}, {"roots": None}, {"roots": [{"name": "x"}]}, {"roots": ["file:///a"]}])
def test_roots_of_another_shape_are_none(answer: Any) -> None:
    """MRTR-12: asked again."""
    assert read(LISTING, answer) is None
