"""Answers that stream: progress and log messages ahead of the result, on the request's own stream and nowhere else."""

from typing import Any

import pytest

from tests.support.inprocess import Json
from tests.support.wire import LOG_LEVEL, Client


def test_a_log_message_makes_a_stream_of_the_answer(client: Client) -> None:
    """LOG-03, LOG-06, HTTP-07: the message first, then the result, and nothing behind it (HTTP-16)."""
    answer = client.tool("echo", {"message": "hi"}, meta={LOG_LEVEL: "info"})
    assert (200, "text/event-stream") == (answer.status, answer.media)
    (message,) = answer.notifications
    assert "notifications/message" == message["method"]
    assert "info" == message["params"]["level"]
    assert "data" in message["params"]
    assert (1, "complete") == (answer.message["id"], answer.result["resultType"])


@pytest.mark.parametrize("meta", [{}, {LOG_LEVEL: "notice"}, {LOG_LEVEL: "error"}, {LOG_LEVEL: "emergency"}])
def test_nobody_is_told_more_than_they_asked_for(client: Client, meta: Json) -> None:
    """LOG-01, LOG-02: without a level nothing at all."""
    answer = client.tool("echo", {"message": "hi"}, meta=meta)
    assert ("application/json", "echo: hi") == (answer.media, answer.text)


@pytest.mark.parametrize("level", ["debug", "info"])
def test_a_level_lets_everything_at_it_and_above_it_through(client: Client, level: str) -> None:
    """LOG-02."""
    assert 1 == len(client.tool("echo", {"message": "hi"}, meta={LOG_LEVEL: level}).notifications)


def test_a_level_is_legal_on_any_request(client: Client) -> None:
    """LOG-07."""
    assert (200, "complete") == client.request("tools/list", meta={LOG_LEVEL: "debug"}).served


@pytest.mark.parametrize("token", ["p1", "", 0, 7, -1, 1152921504606846977])
def test_progress_rises_to_its_total_under_the_token_of_the_request(client: Client, token: int | str) -> None:
    """PRG-01, PRG-02: the token as it was sent, falsy ones too."""
    answer = client.tool("long-task", {"steps": 3, "delayMs": 1}, meta={"progressToken": token})
    assert "text/event-stream" == answer.media
    assert {"notifications/progress"} == {frame["method"] for frame in answer.notifications}
    told = [frame["params"] for frame in answer.notifications]
    assert [(token, step, 3) for step in (1, 2, 3)] == [(p["progressToken"], p["progress"], p["total"]) for p in told]
    assert {type(token)} == {type(params["progressToken"]) for params in told}
    assert "completed 3 steps" == answer.text


def test_without_a_token_there_is_no_progress(client: Client) -> None:
    """PRG-01, PRG-03."""
    answer = client.tool("long-task", {"steps": 3, "delayMs": 1})
    assert ("application/json", "completed 3 steps") == (answer.media, answer.text)


def test_log_and_progress_come_in_the_order_in_which_they_were_sent(client: Client) -> None:
    """LOG-03, PRG-02."""
    meta = {"progressToken": 0, LOG_LEVEL: "debug"}
    answer = client.tool("long-task", {"steps": 2, "delayMs": 0}, meta=meta)
    assert ["message", "progress"] * 2 == [frame["method"].split("/")[1] for frame in answer.notifications]


def test_a_stream_may_not_be_held_back_or_kept(client: Client) -> None:
    """HTTP-17, HTTP-18: and its events have no id, since nothing can be resumed."""
    answer = client.tool("echo", {"message": "hi"}, meta={LOG_LEVEL: "info"})
    assert "no" == answer.headers["x-accel-buffering"]
    assert "no-cache" == answer.headers["cache-control"]
    assert b"\nid:" not in b"\n" + answer.body


def test_frames_leave_when_they_are_sent(client: Client) -> None:
    """PRG-03: the first progress is here while the rest is still to come."""
    params = {"name": "long-task", "arguments": {"steps": 2, "delayMs": 100}}
    with client.open("tools/call", params, meta={"progressToken": 1}) as stream:
        assert 1 == stream.next_frame()["params"]["progress"]
        assert not stream.ended
        assert "completed 2 steps" == stream.rest().text


def test_two_streams_at_once_do_not_mix(client: Client) -> None:
    """HTTP-15, PRG-06: each has its own token and its own id, and so with one token for both."""
    params = {"name": "long-task", "arguments": {"steps": 3, "delayMs": 10}}
    for tokens in (("a", "b"), ("same", "same")):
        with (
            client.open("tools/call", params, id=1, meta={"progressToken": tokens[0]}) as one,
            client.open("tools/call", params, id=2, meta={"progressToken": tokens[1]}) as other,
        ):
            answers = (one.rest(), other.rest())
        for id, token, answer in zip((1, 2), tokens, answers, strict=True):
            assert [token] * 3 == [frame["params"]["progressToken"] for frame in answer.notifications]
            assert id == answer.message["id"]


def test_what_belongs_to_one_request_is_not_tagged_for_another(client: Client) -> None:
    """ENV-11: only notifications of a listen stream carry a subscription id."""
    meta: dict[str, Any] = {"progressToken": 0, LOG_LEVEL: "debug"}
    answer = client.tool("long-task", {"steps": 2, "delayMs": 0}, meta=meta)
    assert [] == [frame for frame in answer.notifications if "_meta" in frame["params"]]


def test_every_frame_but_the_last_is_a_notification(client: Client) -> None:
    """RPC-22: the server never sends a request."""
    meta: dict[str, Any] = {"progressToken": 0, LOG_LEVEL: "debug"}
    answer = client.tool("long-task", {"steps": 2, "delayMs": 0}, meta=meta)
    assert all(frame["method"].startswith("notifications/") and "id" not in frame for frame in answer.notifications)
    assert {"jsonrpc", "id", "result"} == answer.message.keys()


def test_a_posted_cancellation_cancels_nothing(client: Client) -> None:
    """HTTP-11, CAN-04: on HTTP it is closing the connection that cancels."""
    params = {"name": "long-task", "arguments": {"steps": 2, "delayMs": 50}}
    with client.open("tools/call", params, id="mine", meta={"progressToken": 1}) as stream:
        stream.next_frame()
        for _ in range(2):  # while it runs, and once more for a request that knows no such id
            message = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": "mine"}}
            assert 202 == client.post(message).status
        assert "completed 2 steps" == stream.rest().text
