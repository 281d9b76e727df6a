"""One response stream: its frames, its silence, its end."""

import asyncio
from typing import Any

import pytest

from goldfish.transports.sse import EventStream
from tests.support.inprocess import Json, in_loop, in_no_time


class Wire:
    """Takes what a stream sends, at once or only when it is let."""

    def __init__(self) -> None:
        self.sent: list[Json] = []
        self.open = asyncio.Event()
        self.open.set()

    async def send(self, message: Json) -> None:
        await self.open.wait()
        self.sent.append(message)

    @property
    def bodies(self) -> list[bytes]:
        return [message["body"] for message in self.sent if message["type"] == "http.response.body"]


@in_loop
async def test_nothing_is_sent_before_the_first_frame() -> None:
    """HTTP-07: as long as nothing streams, the answer may still become plain JSON with a status of its own."""
    wire = Wire()
    stream = EventStream(wire.send, keep_alive=60)
    assert not stream.started
    assert [] == wire.sent


@in_loop
async def test_the_first_frame_brings_the_headers_of_a_stream() -> None:
    """HTTP-17, HTTP-18: no proxy and no cache may keep an event, and no event has an id to resume from."""
    wire = Wire()
    stream = EventStream(wire.send, keep_alive=60)
    await stream.emit(b"{}")
    start, event = wire.sent
    assert 200 == start["status"]
    expected = {(b"content-type", b"text/event-stream"), (b"cache-control", b"no-cache"), (b"x-accel-buffering", b"no")}
    assert expected == set(start["headers"])
    assert {"type": "http.response.body", "body": b"data: {}\n\n", "more_body": True} == event
    stream.stop()


@in_loop
async def test_the_final_response_ends_the_stream() -> None:
    """HTTP-16: nothing comes behind it."""
    wire = Wire()
    stream = EventStream(wire.send, keep_alive=60)
    await stream.emit(b"1")
    await stream.finish(b"2")
    await stream.emit(b"3")
    assert [b"data: 1\n\n", b"data: 2\n\n"] == wire.bodies
    assert [True, False] == [message["more_body"] for message in wire.sent[1:]]


@in_loop
async def test_a_stream_may_consist_of_the_final_response() -> None:
    """HTTP-07: for a client that accepts nothing but a stream."""
    wire = Wire()
    await EventStream(wire.send, keep_alive=60).finish(b"{}")
    assert [b"data: {}\n\n"] == wire.bodies


@in_no_time
async def test_a_silent_stream_gets_a_comment_for_each_interval_of_silence() -> None:
    """HTTP-19, SUBS-17: so that nobody between takes the connection for dead; readers must ignore the line."""
    wire = Wire()
    stream = EventStream(wire.send, keep_alive=15)
    await stream.emit(b"1")
    await asyncio.sleep(10)
    await stream.emit(b"2")
    await asyncio.sleep(14)
    assert [b"data: 1\n\n", b"data: 2\n\n"] == wire.bodies
    await asyncio.sleep(2)
    assert [b":\n\n"] == wire.bodies[2:]
    await asyncio.sleep(15)
    assert [b":\n\n", b":\n\n"] == wire.bodies[2:]
    stream.stop()


@in_no_time
async def test_a_stopped_stream_gets_no_comments() -> None:
    """HTTP-16: no timer outlives its response."""
    wire = Wire()
    stream = EventStream(wire.send, keep_alive=15)
    await stream.finish(b"{}")
    stream.stop()
    await asyncio.sleep(60)
    assert [b"data: {}\n\n"] == wire.bodies


@in_no_time
async def test_no_comment_queues_behind_a_frame_that_nobody_takes() -> None:
    """HTTP-19: a stream whose reader stalls is not idle; comments do not pile up in it."""
    wire = Wire()
    stream = EventStream(wire.send, keep_alive=15)
    await stream.emit(b"1")
    wire.open.clear()
    stalled = asyncio.ensure_future(stream.emit(b"2"))
    await asyncio.sleep(100)
    wire.open.set()
    await stalled
    assert [b"data: 1\n\n", b"data: 2\n\n"] == wire.bodies
    await asyncio.sleep(35)
    stream.stop()
    assert [b":\n\n", b":\n\n"] == wire.bodies[2:]


@in_no_time
async def test_a_stalled_stream_costs_no_more_than_a_glance_at_each_interval(monkeypatch: pytest.MonkeyPatch) -> None:
    """HTTP-19: the timer of a stream that nobody reads must not run hot."""
    wire = Wire()
    loop = asyncio.get_running_loop()
    stream = EventStream(wire.send, keep_alive=15)
    await stream.emit(b"1")
    wire.open.clear()
    stalled = asyncio.ensure_future(stream.emit(b"2"))
    ticks = 0
    original = loop.call_later

    def counted(delay: float, callback: Any, *args: Any) -> asyncio.TimerHandle:
        nonlocal ticks
        ticks += 1
        return original(delay, callback, *args)

    monkeypatch.setattr(loop, "call_later", counted)
    await asyncio.sleep(150)
    assert 15 > ticks
    stalled.cancel()
    stream.stop()


@in_loop
async def test_frames_of_several_tasks_follow_the_headers_one_by_one() -> None:
    """HTTP-07: a handler may emit from many tasks, and a sender may take its time over the headers."""
    wire = Wire()
    wire.open.clear()
    stream = EventStream(wire.send, keep_alive=60)
    emitting = asyncio.gather(*(stream.emit(b"%d" % number) for number in range(3)))
    await asyncio.sleep(0)
    wire.open.set()
    await emitting
    stream.stop()
    assert "http.response.start" == wire.sent[0]["type"]
    assert [b"data: 0\n\n", b"data: 1\n\n", b"data: 2\n\n"] == wire.bodies
