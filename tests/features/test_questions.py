"""Questions to the client: the shapes that leave, the rules for who asks, and what counts as an answer."""

import json
from typing import Any

import pytest

from goldfish import (
    Answer,
    Cancelled,
    CreateMessageResult,
    Declined,
    ElicitResult,
    ImageContent,
    InputRequest,
    InputRequired,
    ListRootsResult,
    NotAccepted,
    Root,
    SamplingMessage,
    TextContent,
    ToolResultContent,
    ToolUseContent,
    form,
    roots_list,
    sampling,
    visit,
)
from goldfish.features.questions import settle
from goldfish.wire import jsonrpc
from tests.support.inprocess import Json

NAME: Json = {"type": "object", "properties": {"name": {"type": "string", "minLength": 2}}, "required": ["name"]}


def sent(question: InputRequest) -> Json:
    """The question as the client sees it."""
    seen: Json = json.loads(jsonrpc.encode(question.as_json()))
    return seen


def answered(question: InputRequest, answer: Any) -> Answer | None:
    return settle(question, json.dumps(answer).encode())


def test_a_form_has_its_mode_its_message_and_its_schema() -> None:
    """ELI-02, MRTR-03: method and params, and nothing of a JSON-RPC request."""
    expected = {
        "method": "elicitation/create",
        "params": {"mode": "form", "message": "Who?", "requestedSchema": NAME},
    }
    assert expected == sent(form("Who?", NAME))
    assert ("elicitation.form",) == form("Who?", NAME).needs


@pytest.mark.parametrize(
    "schema",
    [
        {},
        {"type": "array"},
        {"type": "object"},
        {"type": "object", "properties": {"a": {"type": "object", "properties": {}}}},
        {"type": "object", "properties": {"a": {"type": "array", "items": {"type": "object"}}}},
        {"type": "object", "properties": {"a": {"$ref": "#/x"}}},
        {"type": "object", "properties": {"a": {"type": "string", "pattern": "x"}}},
        {"type": "object", "properties": {"a": {"type": "string", "format": "ipv4"}}},
        {"type": "object", "properties": {"a": {"type": "string", "enum": ["x"], "default": "y"}}},
        {"type": "object", "properties": {}, "allOf": []},
    ],
)
def test_a_form_that_no_client_must_show_is_an_author_s_mistake(schema: Json) -> None:
    """ELI-03, ELI-05, ELI-06: it never reaches a client."""
    with pytest.raises(ValueError):
        form("Who?", schema)


def test_a_visit_has_its_mode_its_message_and_its_url() -> None:
    """ELI-08, MRTR-24: and no id of its own."""
    url = "https://example.com:8443/connect?id=1#x"
    expected = {"method": "elicitation/create", "params": {"mode": "url", "message": "Open", "url": url}}
    assert expected == sent(visit("Open", url))
    assert ("elicitation.url",) == visit("Open", url).needs


@pytest.mark.parametrize(
    "url",
    [
        "",
        "example.com",
        "/path",
        "https://",
        "https:///path",
        "ftp://example.com",
        "javascript:alert(1)",
        "file:///etc/passwd",
        "https://exa mple.com",
        "https://example.com/a b",
        "https://example.com/\nx",
        "https://example.com/ü",
        "https://[::1",
    ],
)
def test_a_url_that_is_none_is_an_author_s_mistake(url: str) -> None:
    """ELI-08: the client is sent a valid URL of the web."""
    with pytest.raises(ValueError):
        visit("Open", url)


@pytest.mark.parametrize("url", ["https://user@example.com", "https://user:secret@example.com/x"])
def test_a_url_carries_no_credentials(url: str) -> None:
    """ELI-08: nobody is let in by the URL itself."""
    with pytest.raises(ValueError, match="no user name and no password") as refused:
        visit("Open", url)
    assert "secret" not in str(refused.value)


def test_sampling_has_its_messages_and_its_limit() -> None:
    """SAM-02, MRTR-03: a text is one message of the user."""
    expected = {
        "method": "sampling/createMessage",
        "params": {"messages": [{"role": "user", "content": {"type": "text", "text": "Hi"}}], "maxTokens": 10},
    }
    assert expected == sent(sampling("Hi", 10))
    assert ("sampling",) == sampling("Hi", 10).needs


def test_sampling_has_every_option_under_its_own_name() -> None:
    """SAM-01, SAM-02: and asks for the capabilities that the options need."""
    question = sampling(
        [
            SamplingMessage(role="user", content=[TextContent(text="Look"), ImageContent(data=b"x", mime_type="x/y")]),
            SamplingMessage(role="assistant", content=TextContent(text="Yes?"), meta={"example.com/k": 1}),
        ],
        10,
        system_prompt="Be brief.",
        temperature=0.0,
        stop_sequences=["."],
        model_preferences={"speedPriority": 1},
        include_context="thisServer",
        tools=[{"name": "t", "inputSchema": {"type": "object"}}],
        tool_choice={"mode": "none"},
        metadata={"k": "v"},
    )
    image = {"type": "image", "data": "eA==", "mimeType": "x/y"}
    expected = {
        "messages": [
            {"role": "user", "content": [{"type": "text", "text": "Look"}, image]},
            {"role": "assistant", "content": {"type": "text", "text": "Yes?"}, "_meta": {"example.com/k": 1}},
        ],
        "maxTokens": 10,
        "systemPrompt": "Be brief.",
        "temperature": 0.0,
        "stopSequences": ["."],
        "modelPreferences": {"speedPriority": 1},
        "includeContext": "thisServer",
        "tools": [{"name": "t", "inputSchema": {"type": "object"}}],
        "toolChoice": {"mode": "none"},
        "metadata": {"k": "v"},
    }
    assert expected == sent(question)["params"]
    assert {"sampling", "sampling.tools", "sampling.context"} == set(question.needs)


@pytest.mark.parametrize(
    ("options", "needs"),
    [
        ({"tools": []}, {"sampling", "sampling.tools"}),
        ({"tool_choice": {"mode": "none"}}, {"sampling", "sampling.tools"}),
        ({"include_context": "allServers"}, {"sampling", "sampling.context"}),
        ({"include_context": "none"}, {"sampling"}),
    ],
)
def test_an_option_needs_its_own_capability(options: dict[str, Any], needs: set[str]) -> None:
    """SAM-01: tools and their choice need `sampling.tools`, the context of servers `sampling.context`."""
    assert needs == set(sampling("Hi", 1, **options).needs)


def use(*ids: str) -> SamplingMessage:
    return SamplingMessage(role="assistant", content=[ToolUseContent(id=each, name="t", input={}) for each in ids])


def result(*ids: str, role: Any = "user", more: Any = ()) -> SamplingMessage:
    blocks = [ToolResultContent(tool_use_id=each, content=[TextContent(text="r")]) for each in ids]
    return SamplingMessage(role=role, content=[*blocks, *more])


USER = SamplingMessage(role="user", content=TextContent(text="Hi"))


def test_a_history_in_which_every_tool_use_is_answered_is_sent() -> None:
    """SAM-03: by the very next message, in any order."""
    history = [USER, use("a", "b"), result("b", "a"), use("c"), result("c"), USER]
    params = sent(sampling(history, 10))["params"]
    assert {"type": "tool_use", "id": "a", "name": "t", "input": {}} == params["messages"][1]["content"][0]
    expected = {"type": "tool_result", "toolUseId": "b", "content": [{"type": "text", "text": "r"}]}
    assert expected == params["messages"][2]["content"][0]


@pytest.mark.parametrize(
    "history",
    [
        [USER, use("a")],
        [USER, use("a"), USER],
        [USER, use("a", "b"), result("a")],
        [USER, use("a"), result("a", "b")],
        [USER, use("a"), result("b")],
        [USER, result("a")],
        [USER, use("a"), result("a", role="assistant")],
        [USER, use("a"), result("a", more=[TextContent(text="and")])],
        [USER, use("a"), USER, result("a")],
    ],
)
def test_a_history_with_a_loose_end_is_an_author_s_mistake(history: list[SamplingMessage]) -> None:
    """SAM-03: results stand alone, and each use has its result before any other message."""
    with pytest.raises(ValueError, match="tool_"):
        sampling(history, 10)


def test_roots_are_asked_for_without_params() -> None:
    """ROO-01, MRTR-03."""
    assert {"method": "roots/list", "params": {}} == sent(roots_list())
    assert ("roots",) == roots_list().needs


FORM = form("Who?", NAME)
VISIT = visit("Open", "https://example.com")
SAMPLE = sampling("Hi", 10)
ROOTS = roots_list()
TEXT = {"type": "text", "text": "Paris"}


@pytest.mark.parametrize(
    ("question", "answer", "expected"),
    [
        (FORM, {"action": "accept", "content": {"name": "Ann"}}, ElicitResult("accept", {"name": "Ann"})),
        (FORM, {"action": "decline"}, ElicitResult("decline")),
        (FORM, {"action": "cancel"}, ElicitResult("cancel")),
        (FORM, {"action": "decline", "content": {"name": "Ann"}}, ElicitResult("decline")),
        (FORM, {"action": "cancel", "content": {"name": 5}}, ElicitResult("cancel")),
        (FORM, {"action": "accept", "content": {"name": "Ann"}, "_meta": {}}, ElicitResult("accept", {"name": "Ann"})),
        (VISIT, {"action": "accept"}, ElicitResult("accept")),
        (VISIT, {"action": "accept", "content": {"paid": True}}, ElicitResult("accept")),
        (VISIT, {"action": "decline"}, ElicitResult("decline")),
        (ROOTS, {"roots": []}, ListRootsResult([])),
        (
            ROOTS,
            {"roots": [{"uri": "file:///a", "name": "A"}, {"uri": "https://b"}, {"uri": "/c"}, {"uri": "file:///d"}]},
            ListRootsResult([Root("file:///a", "A"), Root("file:///d")]),
        ),
    ],
)
def test_an_answer_counts_when_it_has_the_shape_of_one(question: InputRequest, answer: Json, expected: Answer) -> None:
    """ELI-10, ELI-11, MRTR-20, ROO-02, ROO-03: content only after an accepted form; roots only of files, or none."""
    assert expected == answered(question, answer)


@pytest.mark.parametrize("content", [TEXT, [TEXT], [TEXT, {"type": "tool_use", "id": "1", "name": "t", "input": {}}]])
@pytest.mark.parametrize("reason", ["endTurn", "something else", None])
def test_a_sampled_message_has_one_block_or_several(content: Any, reason: str | None) -> None:
    """SAM-04: any reason to stop is one."""
    answer = answered(SAMPLE, {"role": "assistant", "model": "m", "content": content, "stopReason": reason})
    assert isinstance(answer, CreateMessageResult)
    assert ("Paris", "m", reason) == (answer.text, answer.model, answer.stop_reason)


BAD_FORM: list[Any] = [
    None,
    5,
    [],
    {},
    "accept",
    {"action": "maybe"},
    {"action": 5},
    {"action": "accept"},
    {"action": "accept", "content": None},
    {"action": "accept", "content": {}},
    {"action": "accept", "content": []},
    {"action": "accept", "content": {"name": 12345}},
    {"action": "accept", "content": {"name": "A"}},
    {"action": "accept", "content": {"name": None}},
    {"action": "accept", "content": {"name": {"first": "Ann"}}},
    {"action": "accept", "content": {"name": ["Ann", 5]}},
]
BAD: list[tuple[InputRequest, Any]] = [
    *((FORM, answer) for answer in BAD_FORM),
    (VISIT, {}),
    (VISIT, {"action": "visited"}),
    (SAMPLE, {"role": "assistant", "content": TEXT}),
    (SAMPLE, {"role": "system", "model": "m", "content": TEXT}),
    (SAMPLE, {"role": "assistant", "model": "m", "content": {"type": "video"}}),
    (SAMPLE, {"role": "assistant", "model": "m", "content": "Paris"}),
    (SAMPLE, {"action": "accept"}),
    (ROOTS, {}),
    (ROOTS, {"roots": None}),
    (ROOTS, {"roots": [{"name": "no uri"}]}),
    (ROOTS, {"roots": ["file:///a"]}),
]


@pytest.mark.parametrize(("question", "answer"), BAD)
def test_what_is_no_answer_counts_as_none(question: InputRequest, answer: Any) -> None:
    """MRTR-12, ELI-10: a wrong shape, or content that breaks the schema, so that the question is asked again."""
    assert answered(question, answer) is None


def test_an_answer_nested_without_measure_counts_as_none() -> None:
    """MRTR-12: no depth ends the server."""
    assert settle(SAMPLE, b'{"role":' + b"[" * 100_000) is None


def test_a_choice_of_several_is_a_list_of_texts() -> None:
    """ELI-04, ELI-11: numbers, booleans and lists of texts are values of a form as well."""
    schema: Json = {
        "type": "object",
        "properties": {
            "colors": {"type": "array", "items": {"type": "string", "enum": ["red", "green"]}, "minItems": 1},
            "size": {"type": "string", "oneOf": [{"const": "s", "title": "Small"}]},
            "count": {"type": "integer", "minimum": 1},
            "share": {"type": "number"},
            "gift": {"type": "boolean", "default": False},
        },
    }
    content: Json = {"colors": ["red"], "size": "s", "count": 2, "share": 0.5, "gift": True}
    assert ElicitResult("accept", content) == answered(form("?", schema), {"action": "accept", "content": content})
    wrongs: list[Json] = [{"colors": ["blue"]}, {"colors": []}, {"size": "Small"}, {"count": 0}, {"gift": "yes"}]
    for wrong in wrongs:
        assert answered(form("?", schema), {"action": "accept", "content": wrong}) is None


def test_a_form_without_required_fields_may_come_back_empty() -> None:
    """ELI-11: accepted without content is accepted with none of the fields."""
    schema = {"type": "object", "properties": {"note": {"type": "string"}}}
    assert ElicitResult("accept", {}) == answered(form("?", schema), {"action": "accept"})


def test_a_refusal_says_which_question_and_how() -> None:
    """MRTR-20: declined and cancelled are told apart, and one except clause takes both."""
    declined, cancelled = Declined("name"), Cancelled("name")
    assert ("name", "decline", "name: decline") == (declined.key, declined.action, str(declined))
    assert ("name", "cancel", "name: cancel") == (cancelled.key, cancelled.action, str(cancelled))
    assert isinstance(declined, NotAccepted)
    assert isinstance(cancelled, NotAccepted)


def test_a_question_is_no_exception_that_a_handler_catches_by_accident() -> None:
    """MRTR-01, ours: `except Exception` does not swallow it."""
    assert not issubclass(InputRequired, Exception)
