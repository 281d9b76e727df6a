"""tools/list and tools/call: what is listed, and what comes back for good and for bad arguments."""

import re
from typing import Any

import pytest

from tests.support.wire import Client

TOOLS = [
    "echo",
    "execute-sql",
    "get-weather",
    "long-task",
    "fail",
    "ask-name",
    "confirm-launch",
    "open-dashboard",
    "summarize",
    "list-client-roots",
    "never-satisfied",
    "trigger-notifications",
]


def listed(client: Client) -> dict[str, Any]:
    return {tool["name"]: tool for tool in client.request("tools/list").result["tools"]}


def test_every_tool_is_listed_with_what_a_person_reads(client: Client) -> None:
    """TOOL-01, TOOL-04: names of the usual characters, each once."""
    tools = listed(client)
    assert TOOLS == [name for name in tools if name in TOOLS]
    assert all(tool["title"] and tool["description"] for tool in tools.values())
    assert all(re.fullmatch(r"[A-Za-z0-9_.-]{1,128}", name) for name in tools)


def test_every_input_schema_is_an_object_s(client: Client) -> None:
    """TOOL-06, TOOL-08: and one without parameters allows none."""
    schemas = {name: tool["inputSchema"] for name, tool in listed(client).items()}
    assert {"object"} == {schema["type"] for schema in schemas.values()}
    assert {"type": "object", "additionalProperties": False} == schemas["ask-name"]


def test_no_tool_says_how_it_would_be_executed(client: Client) -> None:
    """TOOL-34: this revision has no such member."""
    assert not [name for name, tool in listed(client).items() if "execution" in tool]


def test_a_tool_shows_its_icon_and_what_it_returns(client: Client) -> None:
    """ENV-20, TOOL-23."""
    tool = listed(client)["get-weather"]
    (icon,) = tool["icons"]
    assert icon["src"].startswith("data:")
    properties = tool["outputSchema"]["properties"]
    assert "number" == properties["temperatureC"]["type"]
    assert ["sunny", "cloudy", "rainy"] == properties["conditions"]["enum"]


def test_the_list_is_the_same_each_time_and_whatever_was_called(client: Client) -> None:
    """TOOL-02, TOOL-03, DIS-08: byte by byte, on another connection too."""
    before = client.request("tools/list").body
    with client.channel() as channel:
        client.open("tools/call", {"name": "fail", "arguments": {"mode": "throw"}}, channel=channel).rest()
        assert before == client.open("tools/list", channel=channel).rest().body
    assert before == client.request("tools/list", capabilities={"sampling": {}, "elicitation": {}}).body


def test_a_result_has_text_for_models_and_structure_for_programs(client: Client) -> None:
    """TOOL-18, TOOL-19, TOOL-20."""
    result = client.tool("echo", {"message": "hi"}).result
    assert [{"type": "text", "text": "echo: hi"}] == result["content"]
    assert {"echoed": "hi"} == result["structuredContent"]
    assert not result.get("isError")


@pytest.mark.parametrize("message", ["", "é世界🐠", "a\r\nb\tc", "\u2028\u2029\u0085", '"\\', "\x00\x1f\x7f"])
def test_text_comes_back_unharmed(client: Client, message: str) -> None:
    """TOOL-18: whatever characters it has."""
    assert message == client.tool("echo", {"message": message}).result["structuredContent"]["echoed"]


def test_the_weather_conforms_to_what_the_tool_promises(client: Client) -> None:
    """TOOL-21: and is the same for the same city."""
    one, other = (client.tool("get-weather", {"city": "Paris"}).result for _ in range(2))
    report = one["structuredContent"]
    assert {"city", "temperatureC", "conditions"} == report.keys()
    assert "Paris" == report["city"]
    assert isinstance(report["temperatureC"], int | float)
    assert report["conditions"] in ("sunny", "cloudy", "rainy")
    assert ["text"] == [block["type"] for block in one["content"]]
    assert one == other


@pytest.mark.parametrize(("mode", "words"), [("result", ""), ("throw", "deliberate")])
def test_a_tool_that_fails_says_so_in_its_result(client: Client, mode: str, words: str) -> None:
    """TOOL-16, HTTP-14: however it failed, so that a model can read it."""
    answer = client.tool("fail", {"mode": mode})
    assert (200, "complete") == answer.served
    assert answer.result["isError"] is True
    assert words in answer.text.lower()


@pytest.mark.parametrize(
    ("tool", "arguments", "named"),
    [
        ("echo", {"message": 5}, "message"),
        ("echo", {}, "message"),
        ("echo", {"message": None}, "message"),
        ("long-task", {"steps": 11}, "steps"),
        ("long-task", {"steps": 1.5}, "steps"),
        ("fail", {"mode": "other"}, "mode"),
    ],
)
def test_arguments_that_fail_the_schema_are_a_tool_error(
    client: Client, tool: str, arguments: dict[str, Any], named: str
) -> None:
    """TOOL-12, TOOL-15: whose text names the argument."""
    answer = client.tool(tool, arguments)
    assert (200, "complete") == answer.served
    assert answer.result["isError"] is True
    assert named in answer.text


@pytest.mark.parametrize("arguments", [[1], None, "x", 5])
def test_arguments_that_are_no_object_are_a_bad_request(client: Client, arguments: Any) -> None:
    """TOOL-14."""
    assert (400, -32602) == client.request("tools/call", {"name": "echo", "arguments": arguments}).refusal


@pytest.mark.parametrize("params", [{}, {"name": 5}, {"name": None, "arguments": {}}])
def test_a_call_must_name_its_tool(client: Client, params: dict[str, Any]) -> None:
    """TOOL-14, HDR-04: the name is missing or no text."""
    answer = client.request("tools/call", params)
    assert 400 == answer.status
    assert answer.error["code"] in (-32602, -32020)


def test_arguments_may_be_left_out(client: Client) -> None:
    """TOOL-17: which is the same as none."""
    left_out = client.request("tools/call", {"name": "long-task", "arguments": {"steps": 1, "delayMs": 0}})
    assert "completed 1 steps" == left_out.text
    form: dict[str, Any] = {"elicitation": {"form": {}}}
    assert "name" in client.request("tools/call", {"name": "ask-name"}, capabilities=form).asked


@pytest.mark.parametrize("name", ["nope", "Echo", "echo ", "größe", ""])
def test_an_unknown_tool_is_a_protocol_error(client: Client, name: str) -> None:
    """TOOL-13: names are compared exactly."""
    assert (400, -32602) == client.tool(name).refusal


def test_the_task_member_of_an_earlier_revision_is_ignored(client: Client) -> None:
    """TOOL-32, TOOL-33."""
    params = {"name": "echo", "arguments": {"message": "x"}, "task": {"ttl": 1000}}
    assert "echo: x" == client.request("tools/call", params).text
