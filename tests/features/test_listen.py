"""subscriptions/listen: a long-lived stream of changes, from its acknowledgement to its end."""

import asyncio
import functools
import gc
import logging
from typing import Any

import pytest

from goldfish import Context, ResourceEntry, Server
from goldfish.features.hub import BUFFER, PATIENCE, Stream
from goldfish.features.listen import MAX_ENTRIES, Listen
from tests.support.inprocess import PREFIX, Client, Ended, Exchange, Json, in_loop, in_no_time

ID = PREFIX + "subscriptionId"
LISTEN = "subscriptions/listen"
TOOLS: Json = {"toolsListChanged": True}
EVERYTHING: Json = {
    "toolsListChanged": True,
    "promptsListChanged": True,
    "resourcesListChanged": True,
    "resourceSubscriptions": ["test://a", "test://b"],
}


@pytest.fixture
def server() -> Server:
    """Tools and resources, and no prompt."""
    server = Server("test", "1")

    @server.tool
    async def chatty(ctx: Context) -> str:
        await ctx.log("info", "hello")
        await ctx.progress(1)
        return "done"

    @server.resource("test://{name}", entries=lambda: [ResourceEntry(uri="test://a", name="a")])
    async def resource(name: str) -> str:
        return name

    return server


def listen(server: Server, notifications: Json, id: int | str = 1) -> Exchange:
    return Client(server.app).open(LISTEN, {"notifications": notifications}, id=id)


async def acknowledged(exchange: Exchange) -> Json:
    """What the server agreed to, out of the first frame."""
    frame = await exchange.frame()
    assert "notifications/subscriptions/acknowledged" == frame["method"]
    agreed: Json = frame["params"]["notifications"]
    return agreed


async def open_stream(server: Server, notifications: Json, id: int | str = 1) -> Exchange:
    exchange = listen(server, notifications, id)
    await acknowledged(exchange)
    return exchange


@pytest.mark.parametrize("id", ["s", "", "\u2028", 0, 1, -7, 2**60])
@in_loop
async def test_a_stream_begins_with_its_acknowledgement(server: Server, id: int | str) -> None:
    """SUBS-02, ENV-11: which carries the request's id, with its JSON type, and what is honoured."""
    exchange = listen(server, TOOLS, id)
    assert 200 == await exchange.status()
    frame = await exchange.frame()
    expected = {
        "jsonrpc": "2.0",
        "method": "notifications/subscriptions/acknowledged",
        "params": {"_meta": {ID: id}, "notifications": TOOLS},
    }
    assert expected == frame
    assert type(id) is type(frame["params"]["_meta"][ID])
    await server.close()


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        (EVERYTHING, {name: value for name, value in EVERYTHING.items() if name != "promptsListChanged"}),
        ({"promptsListChanged": True, **TOOLS}, TOOLS),
        ({"toolsListChanged": False, "resourcesListChanged": True}, {"resourcesListChanged": True}),
        ({"foo": 1, "taskIds": None, **TOOLS}, TOOLS),
        (
            {"resourceSubscriptions": ["test://b", "no uri", "test://b"]},
            {"resourceSubscriptions": ["test://b", "no uri"]},
        ),
        ({"resourceSubscriptions": [], **TOOLS}, TOOLS),
    ],
)
@in_loop
async def test_the_acknowledgement_has_what_is_honoured(server: Server, asked: Json, expected: Json) -> None:
    """SUBS-03, SUBS-06, SUBS-09, SUBS-16: false is not asked; what this server cannot tell or does not know is gone."""
    assert expected == await acknowledged(listen(server, asked))
    await server.close()


@pytest.mark.parametrize("asked", [{}, {"promptsListChanged": True}, {"foo": 1}, {"toolsListChanged": False}])
@in_loop
async def test_a_stream_that_could_never_tell_anything_ends_at_once(server: Server, asked: Json) -> None:
    """SUBS-08: acknowledged with nothing, and completed; no connection is held for it."""
    answer = await listen(server, asked, "e").answer()
    assert [{}] == [frame["params"]["notifications"] for frame in answer.notifications]
    assert ("complete", "e") == (answer.result["resultType"], answer.result["_meta"][ID])


@pytest.mark.parametrize(
    "params",
    [
        {},
        {"notifications": None},
        {"notifications": []},
        {"notifications": "toolsListChanged"},
        {"notifications": {"toolsListChanged": 1}},
        {"notifications": {"toolsListChanged": None}},
        {"notifications": {"resourceSubscriptions": "test://a"}},
        {"notifications": {"resourceSubscriptions": [5]}},
        {"notifications": {"resourceSubscriptions": {}}},
    ],
)
@in_loop
async def test_a_filter_of_another_shape_is_refused_before_any_stream(server: Server, params: Json) -> None:
    """SUBS-01: -32602 with its status."""
    answer = await Client(server.app).call(LISTEN, params)
    assert (400, -32602) == answer.refusal
    assert "application/json" == answer.media


@in_loop
async def test_a_client_that_takes_no_stream_is_turned_away(server: Server) -> None:
    """SUBS-14: there is no other form for this answer, so that it is 406."""
    answer = await Client(server.app, accept="application/json").call(LISTEN, {"notifications": TOOLS})
    assert 406 == answer.status
    assert b"subscriptions/listen answers with a stream: Accept must allow text/event-stream\n" == answer.body


@in_loop
async def test_only_what_was_asked_for_is_told(server: Server) -> None:
    """SUBS-04, SUBS-05, SUBS-07: each with the subscription's id, single resources by their URI."""
    exchange = await open_stream(server, {"resourceSubscriptions": ["test://a"], **TOOLS}, "s")
    await server.resources_changed()
    await server.prompts_changed()
    await server.resource_updated("test://b")
    await server.resource_updated("test://a/below")
    await server.resource_updated("test://a")
    await server.tools_changed()
    await server.close()
    meta = {"_meta": {ID: "s"}}
    answer = await exchange.answer()
    expected = [
        {"jsonrpc": "2.0", "method": "notifications/resources/updated", "params": {**meta, "uri": "test://a"}},
        {"jsonrpc": "2.0", "method": "notifications/tools/list_changed", "params": meta},
    ]
    assert expected == answer.notifications[1:]


@in_loop
async def test_several_streams_have_their_own_ids(server: Server) -> None:
    """SUBS-10, HTTP-25: also where two clients chose the same, and where one id is a text and the other a number."""
    ids: list[int | str] = ["1", 1, 1, 0]
    streams = [await open_stream(server, TOOLS, id) for id in ids]
    await server.tools_changed()
    frames = [await stream.frame() for stream in streams]
    assert ids == [frame["params"]["_meta"][ID] for frame in frames]
    await server.close()
    assert [2] * 4 == [len((await stream.answer()).notifications) for stream in streams]


@in_no_time
async def test_the_acknowledgement_precedes_what_happens_at_that_very_moment(server: Server) -> None:
    """SUBS-02: and nothing that happens after it is missed."""
    for _ in range(20):
        exchange = listen(server, TOOLS)
        exchange.stall()
        publishing = [asyncio.ensure_future(server.tools_changed()) for _ in range(3)]
        await asyncio.gather(*publishing)
        publishing = [asyncio.ensure_future(server.tools_changed()) for _ in range(3)]
        exchange.resume()
        await acknowledged(exchange)
        for _ in range(3):
            assert "notifications/tools/list_changed" == (await exchange.frame())["method"]
        await asyncio.gather(*publishing)
        await exchange.gone()


@in_loop
async def test_what_belongs_to_a_request_never_reaches_a_listen_stream(server: Server) -> None:
    """HTTP-22, LOG-03: log messages and progress stay on the stream of their own request."""
    loud = {PREFIX + "logLevel": "debug", "progressToken": "t"}
    exchange = Client(server.app).open(LISTEN, {"notifications": EVERYTHING}, meta=loud)
    await acknowledged(exchange)
    assert 3 == len((await Client(server.app).tool("chatty", meta=loud)).messages)
    await server.close()
    assert 1 == len((await exchange.answer()).notifications)


@in_loop
async def test_a_server_that_ends_a_stream_says_so(server: Server) -> None:
    """SUBS-11, CAN-03: by the result with the id, behind all that was to tell; no cancelled notification."""
    streams = [await open_stream(server, TOOLS, id) for id in ("a", 2)]
    await server.tools_changed()
    await server.close()
    for id, stream in zip(("a", 2), streams, strict=True):
        answer = await stream.answer()
        assert stream.complete
        assert ["notifications/tools/list_changed"] == [frame["method"] for frame in answer.notifications[1:]]
        assert {"resultType", "_meta"} == set(answer.result)
        assert ("complete", id, id) == (answer.result["resultType"], answer.result["_meta"][ID], answer.message["id"])


@in_loop
async def test_a_stream_that_is_opened_while_the_server_ends_ends_as_well(server: Server) -> None:
    """SUBS-11: acknowledged and completed."""
    await server.close()
    answer = await listen(server, TOOLS).answer()
    assert (1, "complete") == (len(answer.notifications), answer.result["resultType"])


@in_no_time
async def test_nothing_is_left_of_a_stream_whose_client_has_gone(server: Server) -> None:
    """SUBS-12, SUBS-13: no response, no memory, and no events for whoever comes next."""
    streams = [await open_stream(server, TOOLS, id) for id in range(20)]
    for stream in streams:
        await stream.gone()
    assert [[]] * 20 == [stream.late for stream in streams]
    del streams, stream
    await server.tools_changed()
    gc.collect()
    assert [] == [each for each in gc.get_objects() if isinstance(each, Stream)]
    again = await open_stream(server, TOOLS)
    await server.close()
    assert 1 == len((await again.answer()).notifications)


@in_no_time
async def test_a_silent_stream_is_kept_alive(server: Server) -> None:
    """SUBS-17, HTTP-19: by comments, which are no messages."""
    exchange = listen(server, TOOLS)
    await acknowledged(exchange)
    assert [b":", b":"] == [await exchange.event(), await exchange.event()]
    await server.tools_changed()
    assert "notifications/tools/list_changed" == (await exchange.frame())["method"]
    await exchange.gone()


@in_no_time
async def test_a_reader_that_stalls_loses_its_stream_and_no_other(
    server: Server, caplog: pytest.LogCaptureFixture
) -> None:
    """SUBS-12, ours: its buffer is bounded and freed; the others miss nothing of a burst and wait but a moment."""
    stalled, healthy = await open_stream(server, TOOLS, "stalled"), await open_stream(server, TOOLS, "healthy")
    stalled.stall()
    begun = asyncio.get_running_loop().time()
    for _ in range(3 * BUFFER):
        await server.tools_changed()
    with caplog.at_level(logging.WARNING, logger="goldfish"):
        for _ in range(3 * BUFFER):
            assert "healthy" == (await healthy.frame())["params"]["_meta"][ID]
        await stalled.task
    assert 2 * PATIENCE > asyncio.get_running_loop().time() - begun
    assert not stalled.complete
    assert ["subscriptions/listen: a reader stalled, its stream ends"] == caplog.messages
    with pytest.raises(Ended):
        await stalled.event()
    gc.collect()
    assert 1 == len([each for each in gc.get_objects() if isinstance(each, Stream)])
    await healthy.gone()


@in_no_time
async def test_a_reader_that_is_slow_and_goes_on_loses_nothing(server: Server) -> None:
    """SUBS-04, ours: a burst waits for it."""
    slow = await open_stream(server, TOOLS)
    slow.stall()
    publishing = asyncio.gather(*(server.tools_changed() for _ in range(BUFFER + 50)))
    await asyncio.sleep(PATIENCE / 2)
    slow.resume()
    for _ in range(BUFFER + 50):
        await slow.frame()
    await publishing
    await slow.gone()


@in_no_time
async def test_streams_are_bounded_in_number(monkeypatch: pytest.MonkeyPatch) -> None:
    """SUBS-18: the next one is told to come again later, below JSON-RPC; one that has ended makes room."""
    monkeypatch.setattr("goldfish.server.Listen", functools.partial(Listen, max_streams=1))
    server = Server("test", "1")

    @server.tool
    async def noop() -> str:
        return ""

    first = await open_stream(server, TOOLS)
    answer = await Client(server.app).call(LISTEN, {"notifications": TOOLS})
    assert (503, "10") == (answer.status, answer.headers["retry-after"])
    assert b"this process has 1 open streams, try again later\n" == answer.body
    await first.gone()
    await (await open_stream(server, TOOLS)).gone()


@in_loop
async def test_a_filter_lists_so_many_entries_and_no_more(server: Server) -> None:
    """Ours: an entry is a channel to hear, and a body has room for so many that all others would wait for seconds."""
    uris = [f"test://{number}" for number in range(MAX_ENTRIES + 1)]
    stream = await open_stream(server, {"resourceSubscriptions": uris[1:]})
    assert (400, -32602) == (await listen(server, {"resourceSubscriptions": uris}).answer()).refusal
    await stream.gone()


@in_loop
async def test_events_reach_every_endpoint_of_a_server(server: Server) -> None:
    """SUBS-10, ours: endpoints differ in nothing else than how they judge."""
    other = server.endpoint()
    streams = [await open_stream(server, TOOLS), Client(other).open(LISTEN, {"notifications": TOOLS})]
    await acknowledged(streams[1])
    await server.tools_changed()
    for stream in streams:
        assert "notifications/tools/list_changed" == (await stream.frame())["method"]
    await server.close()


@pytest.mark.parametrize("uri", ["test://\u2028", "test://\x85é", 'test://"\\'])
@in_loop
async def test_any_uri_is_told_as_it_is(server: Server, uri: str) -> None:
    """SUBS-07, ours: escaped where a reader of lines would cut it."""
    exchange = await open_stream(server, {"resourceSubscriptions": [uri]})
    await server.resource_updated(uri)
    assert uri == (await exchange.frame())["params"]["uri"]
    await server.close()
    body = (await exchange.answer()).body
    assert [] == [sign for sign in ("\u2028", "\x85") if sign.encode() in body]


@in_loop
async def test_after_a_gap_everything_listened_to_may_have_changed(server: Server) -> None:
    """SUBS-13, ours: where the bus cannot know what it missed, each stream is told once more all that it asked for."""
    exchange = await open_stream(server, {"resourceSubscriptions": ["test://a"], **TOOLS})
    await server._hub.lost()
    told = {(await exchange.frame())["method"] for _ in range(2)}
    assert {"notifications/resources/updated", "notifications/tools/list_changed"} == told
    await server.close()


async def flood(server: Server) -> None:
    for _ in range(2 * BUFFER):
        await server.tools_changed()


def waiting_for_room() -> list[asyncio.Task[Any]]:
    return [task for task in asyncio.all_tasks() if "Stream.room" in repr(task.get_coro())]


@in_no_time
async def test_nobody_waits_for_a_reader_that_has_left(server: Server) -> None:
    """SUBS-12, ours: what is published goes on as soon as the stream is gone."""
    stalled, healthy = await open_stream(server, TOOLS, 1), await open_stream(server, TOOLS, 2)
    stalled.stall()
    publishing = asyncio.ensure_future(flood(server))
    for _ in range(BUFFER):
        await healthy.frame()
    await asyncio.sleep(PATIENCE / 2)
    assert 1 == len(waiting_for_room())
    begun = asyncio.get_running_loop().time()
    await stalled.gone()
    await publishing
    assert begun == asyncio.get_running_loop().time()
    await healthy.gone()


@in_no_time
async def test_a_publisher_that_gives_up_leaves_nothing_running(server: Server) -> None:
    """Ours: what waits for room ends with who waits."""
    stalled = await open_stream(server, TOOLS)
    stalled.stall()
    publishing = asyncio.ensure_future(flood(server))
    await asyncio.sleep(PATIENCE / 2)
    assert 1 == len(waiting_for_room())
    publishing.cancel()
    await asyncio.wait([publishing])
    await asyncio.sleep(0)
    assert [] == waiting_for_room()
    await stalled.gone()
