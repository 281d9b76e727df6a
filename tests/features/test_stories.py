"""Whole stories that ask: a page that must really be opened, a model that uses tools."""

import pytest

from goldfish import (
    Context,
    InputRequired,
    SamplingMessage,
    Server,
    TextContent,
    ToolResultContent,
    ToolUseContent,
    visit,
)
from tests.support.inprocess import CONSENT, URL, Client, Json, in_loop

PARIS: Json = {"role": "assistant", "model": "m", "content": {"type": "text", "text": "Paris"}}


@in_loop
async def test_visiting_is_not_what_consent_says() -> None:
    """ELI-09: a client that accepts without a visit is asked again, until the page was really opened."""
    visited: set[str] = set()
    server = Server("test", "1")

    @server.tool
    async def pay(ctx: Context) -> str:
        order = ctx.state = ctx.state or f"order-{len(visited)}"
        page = f"https://example.com/pay/{order}"
        await ctx.elicit_url("pay", "Pay here", page)
        if order not in visited:
            raise InputRequired({"pay": visit("Not paid yet", page)})
        return f"paid {order}"

    client = Client(server.app, URL)
    asked = await client.tool("pay")
    url = asked.asked["pay"]["params"]["url"]
    for _ in range(3):
        asked = await client.tool("pay", after=asked, answers={"pay": CONSENT})
        assert url == asked.asked["pay"]["params"]["url"]
    visited.add(url.rpartition("/")[2])
    assert "paid order-0" == (await client.tool("pay", after=asked, answers={"pay": CONSENT})).text


@in_loop
async def test_a_model_may_use_tools_for_some_rounds() -> None:
    """SAM-03, SAM-05, MRTR-16: the history grows from round to round, and the last one leaves no choice."""
    server = Server("test", "1")

    @server.tool
    async def research(ctx: Context) -> str:
        history = [SamplingMessage(role="user", content=TextContent(text="Look it up"))]
        for turn in range(3):
            choice = {"mode": "none" if turn == 2 else "auto"}
            answer = await ctx.sample(f"turn{turn}", history, max_tokens=9, tools=[], tool_choice=choice)
            uses = [block for block in answer.blocks if isinstance(block, ToolUseContent)]
            if not uses:
                return f"{turn}: {answer.text}"
            found = [ToolResultContent(tool_use_id=use.id, content=[TextContent(text="found")]) for use in uses]
            history += [
                SamplingMessage(role="assistant", content=answer.blocks),
                SamplingMessage(role="user", content=found),
            ]
        return "never: no tool may be used in the last round"

    client = Client(server.app, {"sampling": {"tools": {}}})
    asked = await client.tool("research")
    for turn in range(2):
        use = {"type": "tool_use", "id": f"use{turn}", "name": "find", "input": {}}
        answers = {f"turn{turn}": {"role": "assistant", "model": "m", "content": [use], "stopReason": "toolUse"}}
        asked = await client.tool("research", after=asked, answers=answers)
    params = asked.asked["turn2"]["params"]
    assert ({"mode": "none"}, 5) == (params["toolChoice"], len(params["messages"]))
    assert "use1" == params["messages"][4]["content"][0]["toolUseId"]
    assert "2: Paris" == (await client.tool("research", after=asked, answers={"turn2": PARIS})).text


@pytest.mark.parametrize(
    ("options", "required"),
    [
        ({"tools": [{"name": "t", "inputSchema": {"type": "object"}}]}, {"sampling": {"tools": {}}}),
        ({"include_context": "allServers"}, {"sampling": {"context": {}}}),
    ],
)
@in_loop
async def test_what_a_sampling_request_uses_must_be_declared_too(options: Json, required: Json) -> None:
    """SAM-01, MRTR-05: `sampling` alone is not enough for tools or for the context of servers."""
    server = Server("test", "1")

    @server.tool
    async def samples(ctx: Context) -> str:
        return (await ctx.sample("s", "Hi", max_tokens=10, **options)).text

    answer = await Client(server.app, {"sampling": {}}).tool("samples")
    assert (400, -32021) == answer.refusal
    assert {"requiredCapabilities": required} == answer.error["data"]
    asked = await Client(server.app, required).tool("samples")
    assert ["s"] == list(asked.asked)
    assert "Paris" == (await Client(server.app, required).tool("samples", after=asked, answers={"s": PARIS})).text
