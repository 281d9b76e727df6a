"""Multi round-trip requests: a result that asks, the retry that answers, and what a client must have declared."""

from typing import Any

import pytest

from tests.support.inprocess import CANCEL, DECLINE, FORM, URL, Json, accept
from tests.support.wire import Client

ADA = {"name": accept(name="Ada")}


def test_a_tool_asks_by_its_result(client: Client) -> None:
    """MRTR-01, MRTR-02, MRTR-03, MRTR-22, ELI-02, ELI-03: a form, and nothing that a complete result would have."""
    answer = client.tool("ask-name", capabilities=FORM)
    (question,) = answer.asked.values()
    assert {"method", "params"} == question.keys()
    assert "elicitation/create" == question["method"]
    assert ("form", True) == (question["params"]["mode"], bool(question["params"]["message"]))
    schema = question["params"]["requestedSchema"]
    assert ("object", ["name"]) == (schema["type"], schema["required"])
    assert "string" == schema["properties"]["name"]["type"]
    assert not {"content", "structuredContent", "isError", "ttlMs", "cacheScope"} & answer.result.keys()


def test_the_retry_is_a_request_of_its_own(client: Client) -> None:
    """MRTR-07, MRTR-08, ENV-06, ENV-07: on another connection, under the same id or another one."""
    for id in (1, 2):
        result = client.tool("ask-name", answers=ADA, capabilities=FORM, id=id).result
        assert [{"type": "text", "text": "Hello, Ada!"}] == result["content"]
        assert {"name": "Ada"} == result["structuredContent"]


@pytest.mark.parametrize("answer", [DECLINE, CANCEL], ids=["decline", "cancel"])
def test_a_refusal_is_an_answer_too_and_nothing_else_of_it_counts(client: Client, answer: Json) -> None:
    """MRTR-20, ELI-10, ELI-11: content that came along is not read."""
    done = client.tool("ask-name", answers={"name": {**answer, "content": {"name": "Eve"}}}, capabilities=FORM)
    assert (200, "complete") == done.served
    assert answer["action"] in done.text
    assert b"Eve" not in done.body


@pytest.mark.parametrize(
    "answers",
    [
        pytest.param({"name": 5}, id="no object"),
        pytest.param({"name": None}, id="null"),
        pytest.param({"name": {"action": "maybe"}}, id="an unknown action"),
        pytest.param({"name": {"action": "accept"}}, id="no content"),
        pytest.param({"name": accept(name=5)}, id="content that does not fit"),
        pytest.param({"name": accept()}, id="content that lacks a member"),
        pytest.param({"other": accept(name="x")}, id="another key"),
        pytest.param({}, id="nothing"),
        pytest.param([], id="a list"),
        pytest.param("Ada", id="text"),
    ],
)
def test_an_answer_that_does_not_fit_never_completes(client: Client, answers: Any) -> None:
    """MRTR-12, MRTR-14, ELI-10: it is asked again, or refused where it is no answer at all."""
    answer = client.tool("ask-name", answers=answers, capabilities=FORM)
    if 200 == answer.status:
        assert ["name"] == list(answer.asked)
    else:
        assert (400, -32602) == answer.refusal


def test_null_for_the_answers_never_completes(client: Client) -> None:
    """MRTR-12."""
    params: Json = {"name": "ask-name", "arguments": {}, "inputResponses": None}
    answer = client.request("tools/call", params, capabilities=FORM)
    if 200 == answer.status:
        assert ["name"] == list(answer.asked)
    else:
        assert (400, -32602) == answer.refusal


def test_answers_that_nobody_asked_for_are_ignored(client: Client) -> None:
    """MRTR-13, MRTR-18: beside the right one, and where a tool asks nothing."""
    assert "Hello, Ada!" == client.tool("ask-name", answers={**ADA, "zz": 5}, capabilities=FORM).text
    assert "echo: x" == client.tool("echo", {"message": "x"}, answers={"zz": 5}).text


@pytest.mark.parametrize(
    ("tool", "declared", "needed"),
    [
        ("ask-name", {}, {"elicitation": {"form": {}}}),
        ("ask-name", URL, {"elicitation": {"form": {}}}),
        ("confirm-launch", {"sampling": {}}, {"elicitation": {"form": {}}}),
        ("open-dashboard", FORM, {"elicitation": {"url": {}}}),
        ("open-dashboard", {"elicitation": {}}, {"elicitation": {"url": {}}}),
        ("summarize", {}, {"sampling": {}}),
        ("list-client-roots", {}, {"roots": {}}),
    ],
)
def test_a_client_is_never_asked_for_what_it_has_not_declared(
    client: Client, tool: str, declared: Json, needed: Json
) -> None:
    """MRTR-05, MRTR-06, ELI-01, SAM-01, ROO-01, HTTP-13: the error says what it would have to declare."""
    arguments = {"text": "long"} if tool == "summarize" else {}
    answer = client.tool(tool, arguments, capabilities=declared)
    assert (400, -32021) == answer.refusal
    assert needed == answer.error["data"]["requiredCapabilities"]


def test_elicitation_without_a_mode_means_forms(client: Client) -> None:
    """ELI-01."""
    assert "name" in client.tool("ask-name", capabilities={"elicitation": {}}).asked


def test_a_url_is_visited_with_consent(client: Client) -> None:
    """ELI-08, MRTR-24: mode, message and URL, without the id of earlier revisions; the nonce is in the state."""
    first = client.tool("open-dashboard", capabilities=URL)
    params = first.asked["visit"]["params"]
    assert {"mode", "message", "url"} == params.keys()
    assert "url" == params["mode"]
    assert params["url"].startswith("https://")
    state = first.result["requestState"]
    done = client.tool("open-dashboard", answers={"visit": {"action": "accept"}}, state=state, capabilities=URL)
    assert "accept" == done.result["structuredContent"]["action"]
    assert isinstance(done.result["structuredContent"]["nonce"], str)


def test_a_model_of_the_client_is_asked_for_a_summary(client: Client) -> None:
    """SAM-01, SAM-02, SAM-04."""
    sampling: Json = {"sampling": {}}
    question = client.tool("summarize", {"text": "long"}, capabilities=sampling).asked["summary"]
    assert "sampling/createMessage" == question["method"]
    assert question["params"]["maxTokens"] >= 1
    assert ["user"] == [message["role"] for message in question["params"]["messages"]]
    for content in ({"type": "text", "text": "short"}, [{"type": "text", "text": "short"}]):
        reply = {"summary": {"role": "assistant", "model": "m", "content": content}}
        done = client.tool("summarize", {"text": "long"}, answers=reply, capabilities=sampling)
        assert ("short", {"summary": "short"}) == (done.text, done.result["structuredContent"])


@pytest.mark.parametrize(
    "roots", [[{"uri": "file:///a"}, {"uri": "file:///b", "name": "b"}], []], ids=["two roots", "none"]
)
def test_the_roots_of_the_client_are_asked_for(client: Client, roots: list[Json]) -> None:
    """ROO-01, ROO-03."""
    declared: Json = {"roots": {}}
    assert "roots/list" == client.tool("list-client-roots", capabilities=declared).asked["roots"]["method"]
    done = client.tool("list-client-roots", answers={"roots": {"roots": roots}}, capabilities=declared)
    assert {"roots": [root["uri"] for root in roots]} == done.result["structuredContent"]


def test_roots_that_are_no_files_are_not_passed_on(client: Client) -> None:
    """ROO-02: refused or ignored, and asking again is a way to refuse."""
    roots = {"roots": {"roots": [{"uri": "https://example.com/"}, {"uri": "file:///a"}]}}
    answer = client.tool("list-client-roots", answers=roots, capabilities={"roots": {}})
    if 200 == answer.status and "complete" == answer.result["resultType"]:
        assert ["file:///a"] == answer.result["structuredContent"]["roots"]
    else:
        assert b"https://example.com/" not in answer.body


def test_a_resource_can_ask(client: Client) -> None:
    """RES-09, CAC-03, CAC-04: no hints on the question; what an answer opened is not to be kept."""
    first = client.read("demo://vault", capabilities=FORM)
    assert ["passphrase"] == list(first.asked)
    assert not {"ttlMs", "cacheScope", "contents"} & first.result.keys()
    opened = client.read("demo://vault", answers={"passphrase": accept(passphrase="mcp")}, capabilities=FORM).result
    (content,) = opened["contents"]
    assert ("demo://vault", True) == (content["uri"], bool(content["text"]))
    assert (0, "private") == (opened["ttlMs"], opened["cacheScope"])
    assert (400, -32021) == client.read("demo://vault").refusal


def test_a_prompt_can_ask(client: Client) -> None:
    """PRM-08, ELI-04: for one of three tones."""
    first = client.prompt("personalized-greeting", capabilities=FORM)
    schema = first.asked["tone"]["params"]["requestedSchema"]
    assert ["formal", "friendly", "pirate"] == schema["properties"]["tone"]["enum"]
    done = client.prompt("personalized-greeting", answers={"tone": accept(tone="pirate")}, capabilities=FORM).result
    assert "pirate" in done["messages"][0]["content"]["text"]
