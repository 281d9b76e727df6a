"""prompts and completion: lists, arguments, and suggestions while a person types."""

from typing import Any

import pytest

from tests.support.channel import Answer
from tests.support.wire import Client

PROMPT = {"type": "ref/prompt", "name": "code-review"}
TEMPLATE = {"type": "ref/resource", "uri": "demo://files/{name}"}


def complete(client: Client, ref: Any, name: str, value: Any, **more: Any) -> Answer:
    return client.request("completion/complete", {"ref": ref, "argument": {"name": name, "value": value}, **more})


def test_every_prompt_is_listed_with_its_arguments(client: Client) -> None:
    """PRM-01, ENV-20: and its icon."""
    listed = {each["name"]: each for each in client.request("prompts/list").result["prompts"]}
    assert {"code-review", "personalized-greeting"} <= listed.keys()
    assert all(each["title"] and each["description"] for each in listed.values())
    prompt = listed["code-review"]
    assert [("language", True), ("code", True)] == [(each["name"], each["required"]) for each in prompt["arguments"]]
    assert isinstance(prompt["icons"][0]["src"], str)


def test_the_list_is_the_same_each_time(client: Client) -> None:
    """PRM-02."""
    assert client.request("prompts/list").body == client.request("prompts/list").body


def test_a_prompt_is_rendered_with_its_arguments(client: Client) -> None:
    """PRM-06, PRM-11: one block a message; and no cache hints, which prompts/get has none of."""
    result = client.prompt("code-review", {"language": "python", "code": "x=1"}).result
    (message,) = result["messages"]
    assert ("user", "text") == (message["role"], message["content"]["type"])
    assert "python" in message["content"]["text"]
    assert "x=1" in message["content"]["text"]
    assert not {"ttlMs", "cacheScope"} & result.keys()


@pytest.mark.parametrize(
    "arguments",
    [
        {"language": "python"},
        {"code": "x"},
        {},
        {"language": 5, "code": "x"},
        {"language": None, "code": "x"},
        {"language": "python", "code": ["x"]},
        [],
    ],
)
def test_an_argument_that_is_missing_or_no_text_is_refused(client: Client, arguments: Any) -> None:
    """PRM-03, PRM-04."""
    assert (400, -32602) == client.request("prompts/get", {"name": "code-review", "arguments": arguments}).refusal


def test_arguments_that_a_prompt_does_not_know_are_ignored(client: Client) -> None:
    """PRM-05."""
    arguments = {"language": "go", "code": "x", "more": "y"}
    assert (200, "complete") == client.prompt("code-review", arguments).served


def test_an_unknown_prompt_is_refused(client: Client) -> None:
    """PRM-03."""
    assert (400, -32602) == client.prompt("nope").refusal


@pytest.mark.parametrize(
    ("ref", "name", "value", "expected"),
    [
        (PROMPT, "language", "py", ["python"]),
        (PROMPT, "language", "zz", []),
        (PROMPT, "code", "x", []),
        (TEMPLATE, "name", "s", ["spec.md"]),
    ],
)
def test_what_was_typed_is_completed(
    client: Client, ref: dict[str, str], name: str, value: str, expected: list[str]
) -> None:
    """CMP-01, CMP-02, CMP-05: an argument that nobody completes has no suggestions, and that is no error."""
    assert expected == complete(client, ref, name, value).result["completion"]["values"]


def test_a_context_may_come_along(client: Client) -> None:
    """CMP-06."""
    answer = complete(client, PROMPT, "language", "sw", context={"arguments": {"code": "x"}})
    assert ["swift"] == answer.result["completion"]["values"]


@pytest.mark.parametrize(
    ("ref", "name", "value"),
    [
        ({"type": "ref/prompt", "name": "nope"}, "a", ""),
        ({"type": "ref/resource", "uri": "demo://nope/{x}"}, "x", ""),
        ({"type": "ref/tool", "name": "echo"}, "message", ""),
        ({"type": "ref/prompt"}, "language", ""),
        ({}, "language", ""),
        (PROMPT, "nope", ""),
        (PROMPT, "language", 5),
    ],
)
def test_what_cannot_be_completed_is_refused(client: Client, ref: Any, name: str, value: Any) -> None:
    """CMP-02, CMP-04."""
    assert (400, -32602) == complete(client, ref, name, value).refusal
