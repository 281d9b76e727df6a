"""The Server: registration, endpoints, and its end."""

import asyncio
import inspect
import logging
import warnings
from typing import Any

import pytest

import goldfish
from goldfish import RELAXED, STRICT, Context, Profile, Server
from tests.support.inprocess import FORM, PREFIX, Client, Json, accept, in_loop, in_no_time

KEY = b"a key that several servers share"


async def plain(ctx: Context) -> str:
    """A function for everything."""
    return "plain"


def test_a_decorator_gives_the_function_back() -> None:
    """Ours: with or without parentheses, so that it can be called and registered again."""
    server = Server("test", "1")
    assert plain is server.tool(plain)
    assert plain is server.tool(name="other")(plain)
    assert plain is server.prompt(plain)
    assert plain is server.prompt(name="other")(plain)
    assert plain is server.resource("test://plain")(plain)


@in_loop
async def test_one_function_may_be_all_three() -> None:
    """TOOL-04, ours: tools, prompts and resources have names of their own."""
    server = Server("test", "1")
    server.tool(plain)
    server.prompt(plain)
    server.resource("test://plain")(plain)
    client = Client(server.app)
    assert "plain" == (await client.tool("plain")).text
    assert "plain" == (await client.prompt("plain")).result["messages"][0]["content"]["text"]
    assert "plain" == (await client.read("test://plain")).result["contents"][0]["text"]
    assert "A function for everything." == (await client.call("tools/list")).result["tools"][0]["description"]


@in_loop
async def test_methods_of_an_object_can_be_registered() -> None:
    """Ours: a server's handlers may have something in common."""

    class Counter:
        def __init__(self) -> None:
            self.count = 0

        async def add(self, number: int) -> int:
            self.count += number
            return self.count

        def show(self) -> str:
            return str(self.count)

    counter = Counter()
    server = Server("test", "1")
    server.tool(counter.add)
    server.resource("counter://value")(counter.show)
    client = Client(server.app)
    assert 5 == (await client.tool("add", {"number": 5})).result["structuredContent"]
    assert "5" == (await client.read("counter://value")).result["contents"][0]["text"]


def test_what_is_registered_twice_is_refused() -> None:
    """TOOL-04: whatever kind it is."""
    server = Server("test", "1")
    for register in (server.tool, server.prompt, server.resource("test://plain")):
        register(plain)
        with pytest.raises(ValueError, match="it is registered twice"):
            register(plain)


def test_the_warning_about_a_name_points_at_the_registration() -> None:
    """TOOL-04: at the line of the author's, not at one of ours."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        Server("test", "1").tool(name="two words")(plain)
    assert [__file__] == [warning.filename for warning in caught]


@in_loop
async def test_what_is_registered_while_it_serves_is_served() -> None:
    """DIS-05, TOOL-02: the list is that of this moment."""
    server = Server("test", "1")
    client = Client(server.app)
    assert (404, -32601) == (await client.call("tools/list")).refusal
    server.tool(plain)
    assert "plain" == (await client.tool("plain")).text


def test_a_server_has_one_app() -> None:
    """Ours: `server.app` can be named again and again."""
    server = Server("test", "1")
    assert server.app is server.app


@in_loop
async def test_endpoints_of_a_server_differ_in_how_they_judge_and_in_nothing_else() -> None:
    """HDR-01, HTTP-01: the strict one is the default; a state of one opens at the other."""
    server = Server("test", "1")

    @server.tool
    async def asks(ctx: Context) -> str:
        ctx.state = 1
        return str(await ctx.elicit("word", "Which?", {"type": "object", "properties": {"word": {"type": "string"}}}))

    bare: dict[str, str | bytes | None] = {"mcp-protocol-version": None}
    assert (400, -32020) == (await Client(server.app).call("tools/list", headers=bare)).refusal
    relaxed = Client(server.endpoint(RELAXED), FORM)
    assert 200 == (await relaxed.call("tools/list", headers=bare)).status
    asked = await relaxed.tool("asks", headers=bare)
    done = await Client(server.endpoint(STRICT), FORM).tool("asks", after=asked, answers={"word": accept(word="x")})
    assert "{'word': 'x'}" == done.text


def test_a_profile_is_strict_unless_it_says_otherwise() -> None:
    """HDR-01: leniency is always somebody's choice."""
    assert Profile() == STRICT
    assert RELAXED != STRICT


@in_loop
async def test_servers_share_nothing() -> None:
    """ENV-05, ENV-07: two of them in one process are as two processes."""
    one, other = Server("one", "1"), Server("other", "1")
    one.tool(plain)
    assert (404, -32601) == (await Client(other.app).call("tools/list")).refusal
    stream = Client(one.app).open("subscriptions/listen", {"notifications": {"toolsListChanged": True}})
    await stream.frame()
    await other.tools_changed()
    await other.close()
    assert not stream.task.done()
    await one.close()
    assert 1 == len((await stream.answer()).notifications)


def ending_server(ended: list[str]) -> Server:
    server = Server("test", "1")

    @server.tool
    async def takes(seconds: float, ctx: Context) -> str:
        try:
            await ctx.log("info", "begun")
            await asyncio.sleep(seconds)
            return "done"
        finally:
            ended.append("ended")

    @server.tool
    async def holds_out() -> str:
        while True:
            try:
                await asyncio.sleep(3600)
            except asyncio.CancelledError:
                ended.append("held out")
                await asyncio.sleep(60)
                return "at last"

    return server


@in_no_time
async def test_the_end_lets_running_calls_finish_within_the_grace() -> None:
    """SUBS-11, ours: an answer that is about to come is not thrown away."""
    ended: list[str] = []
    server = ending_server(ended)
    call = Client(server.app).open("tools/call", {"name": "takes", "arguments": {"seconds": 2}})
    await asyncio.sleep(1)
    begun = asyncio.get_running_loop().time()
    await server.close(grace=5)
    assert "done" == (await call.answer()).text
    assert 2 > asyncio.get_running_loop().time() - begun


@pytest.mark.parametrize("meta", [{}, {PREFIX + "logLevel": "info"}])
@in_no_time
async def test_a_call_that_outlives_the_grace_is_cancelled_and_answered_with_an_error(meta: Json) -> None:
    """RPC-03, ours: as plain JSON, or as the last event where it streams; the handler can clean up."""
    ended: list[str] = []
    server = ending_server(ended)
    call = Client(server.app).open("tools/call", {"name": "takes", "arguments": {"seconds": 3600}}, id="x", meta=meta)
    await asyncio.sleep(1)
    await server.close(grace=2)
    answer = await call.answer()
    assert call.complete
    error = {"code": -32603, "message": "The server is shutting down; send the request again"}
    assert ("x", error) == (answer.message["id"], answer.error)
    assert ["ended"] == ended
    assert 4 > asyncio.get_running_loop().time()


@in_no_time
async def test_a_handler_that_holds_out_does_not_hold_up_the_end() -> None:
    """Ours: the end waits for nobody who does not let itself be cancelled."""
    ended: list[str] = []
    server = ending_server(ended)
    call = Client(server.app).open("tools/call", {"name": "holds_out"})
    await asyncio.sleep(1)
    await server.close(grace=1)
    assert ["held out"] == ended
    assert 3 > asyncio.get_running_loop().time()
    assert "at last" == (await call.answer()).text


@in_no_time
async def test_streams_and_calls_end_side_by_side() -> None:
    """SUBS-11: a stream does not wait for the calls; it ends with its result."""
    server = ending_server([])
    stream = Client(server.app).open("subscriptions/listen", {"notifications": {"toolsListChanged": True}})
    await stream.frame()
    call = Client(server.app).open("tools/call", {"name": "takes", "arguments": {"seconds": 3600}})
    await asyncio.sleep(1)
    closing = asyncio.ensure_future(server.close(grace=100))
    assert "complete" == (await stream.answer()).result["resultType"]
    assert 2 > asyncio.get_running_loop().time()
    await closing
    assert -32603 == (await call.answer()).error["code"]


@in_loop
async def test_a_server_may_end_before_it_began_and_more_than_once() -> None:
    """Ours: whoever cleans up need not keep count."""
    server = Server("test", "1")
    await server.close()
    server.tool(plain)
    assert 200 == (await Client(server.app).tool("plain")).status
    await server.close(grace=0)
    await server.close(grace=0)


@in_loop
async def test_a_handler_may_end_its_server() -> None:
    """Ours: it does not wait for itself."""
    server = Server("test", "1")

    @server.tool
    async def ends() -> str:
        await server.close(grace=60)
        return "closed"

    assert "closed" == (await Client(server.app).tool("ends")).text


@in_loop
async def test_a_handler_may_tell_of_changes() -> None:
    """TOOL-29: while its own request runs."""
    server = Server("test", "1")

    @server.tool
    async def grow() -> str:
        server.tool(name="grown")(plain)
        await server.tools_changed()
        return "grown"

    stream = Client(server.app).open("subscriptions/listen", {"notifications": {"toolsListChanged": True}})
    await stream.frame()
    await Client(server.app).tool("grow")
    assert "notifications/tools/list_changed" == (await stream.frame())["method"]
    await server.close()


@in_loop
async def test_nothing_is_logged_while_all_is_well(caplog: pytest.LogCaptureFixture) -> None:
    """Ours: a library is silent unless there is something to mend."""
    caplog.set_level(logging.DEBUG, logger="goldfish")
    server = Server("test", "1", state_keys=[KEY])
    server.tool(plain)
    client = Client(server.app)
    await client.call("server/discover")
    await client.tool("plain")
    await client.tool("nothing")
    await server.close()
    assert [] == [record for record in caplog.records if record.name.startswith("goldfish")]


def test_every_public_name_is_there_and_explains_itself() -> None:
    """Ours: `__all__` is what can be relied on."""
    assert sorted(set(goldfish.__all__)) == sorted(goldfish.__all__)
    public: dict[str, Any] = {name: getattr(goldfish, name) for name in goldfish.__all__}
    ours = {name: value for name, value in public.items() if inspect.isclass(value) or inspect.isfunction(value)}
    silent = [name for name, value in ours.items() if not inspect.getdoc(value)]
    assert [] == silent


def test_a_store_of_many_machines_needs_keys_that_they_share() -> None:
    """A random key would refuse the retries and the task ids of every other machine (ENV-07)."""
    with pytest.raises(ValueError, match="needs state_keys, the same on all of them"):
        Server("many", "1", store="redis://127.0.0.1:6379/0")
    Server("many", "1", store="redis://127.0.0.1:6379/0", state_keys=[b"a key that all of them have"])
