"""subscriptions/listen: the acknowledgement, then the changes that were asked for, and nothing else."""

from collections.abc import Sequence
from typing import Any

import pytest

from tests.support.inprocess import SUBSCRIPTION, Json
from tests.support.wire import LOG_LEVEL, Client

ACKNOWLEDGED = "notifications/subscriptions/acknowledged"
EVERYTHING: Json = {
    "toolsListChanged": True,
    "promptsListChanged": True,
    "resourcesListChanged": True,
    "resourceSubscriptions": ["demo://counter", "demo://logo"],
}


def trigger(client: Client, *events: Sequence[str]) -> None:
    """Publishes these changes, each an event and perhaps a URI; every call completes."""
    for event, *uri in events:
        arguments = {"event": event} | ({"uri": uri[0]} if uri else {})
        assert (200, "complete") == client.tool("trigger-notifications", arguments).served


def described(frame: Json) -> tuple[str, str | None, Any]:
    """A change as (its kind, its URI, the subscription it belongs to)."""
    params = frame["params"]
    return frame["method"].removeprefix("notifications/"), params.get("uri"), params["_meta"][SUBSCRIPTION]


@pytest.mark.parametrize("id", ["s-6", "", 0, 33])
def test_a_stream_begins_with_what_is_agreed(client: Client, id: int | str) -> None:
    """SUBS-02, SUBS-05, SUBS-14, HTTP-17: under the id of the request, as it was sent."""
    asked = {"toolsListChanged": True, "resourceSubscriptions": ["demo://counter"]}
    with client.open("subscriptions/listen", {"notifications": asked}, id=id) as stream:
        assert (200, "text/event-stream") == (stream.status, stream.headers["content-type"].split(";")[0])
        assert "no" == stream.headers["x-accel-buffering"]
        frame = stream.next_frame()
    assert ACKNOWLEDGED == frame["method"]
    assert asked == frame["params"]["notifications"]
    assert (type(id), id) == (type(frame["params"]["_meta"][SUBSCRIPTION]), frame["params"]["_meta"][SUBSCRIPTION])


@pytest.mark.parametrize(
    ("asked", "agreed"),
    [
        ({"toolsListChanged": True, "promptsListChanged": False}, {"toolsListChanged": True}),
        ({"toolsListChanged": True, "foo": 1}, {"toolsListChanged": True}),
        ({"resourceSubscriptions": ["demo://unknown"]}, {"resourceSubscriptions": ["demo://unknown"]}),
    ],
    ids=["false", "unknown member", "unknown resource"],
)
def test_what_is_not_wanted_or_not_known_is_not_agreed_to(client: Client, asked: Json, agreed: Json) -> None:
    """SUBS-03, SUBS-06, SUBS-09, SUBS-16: a resource may come into being later."""
    with client.open("subscriptions/listen", {"notifications": asked}) as stream:
        assert agreed == stream.next_frame()["params"]["notifications"]


@pytest.mark.parametrize(
    "params",
    [
        {},
        {"notifications": None},
        {"notifications": []},
        {"notifications": {"toolsListChanged": "yes"}},
        {"notifications": {"resourceSubscriptions": "demo://counter"}},
        {"notifications": {"resourceSubscriptions": [5]}},
    ],
)
def test_a_filter_that_is_none_is_refused_before_any_stream(client: Client, params: Json) -> None:
    """SUBS-01."""
    assert (400, -32602) == client.request("subscriptions/listen", params).refusal


@pytest.mark.parametrize("asked", [{}, {"toolsListChanged": False}, {"resourceSubscriptions": []}])
def test_a_stream_that_could_never_tell_anything_ends_at_once(client: Client, asked: Json) -> None:
    """SUBS-08, SUBS-11: with its result, which names the subscription."""
    answer = client.request("subscriptions/listen", {"notifications": asked}, id=4)
    assert "text/event-stream" == answer.media
    assert [ACKNOWLEDGED] == [frame["method"] for frame in answer.notifications]
    assert {} == answer.notifications[0]["params"]["notifications"]
    assert (4, "complete") == (answer.message["id"], answer.result["resultType"])
    assert 4 == answer.result["_meta"][SUBSCRIPTION]


def test_a_client_that_takes_no_stream_cannot_listen(client: Client) -> None:
    """SUBS-14: 406."""
    params = {"notifications": {"toolsListChanged": True}}
    assert 406 == client.request("subscriptions/listen", params, headers={"Accept": "application/json"}).status


def changes(client: Client) -> list[tuple[str, str | None, Any]]:
    """What a stream that asked for everything is told of six changes, one of which it did not ask for."""
    with client.open("subscriptions/listen", {"notifications": EVERYTHING}, id=33) as stream:
        assert EVERYTHING == stream.next_frame()["params"]["notifications"]
        trigger(client, ["tools"], ["prompts"], ["resources"], ["resource-updated"])
        trigger(client, ["resource-updated", "demo://vault"], ["resource-updated", "demo://logo"])
        return [described(stream.next_frame()) for _ in range(5)]


TOLD = [
    ("tools/list_changed", None, 33),
    ("prompts/list_changed", None, 33),
    ("resources/list_changed", None, 33),
    ("resources/updated", "demo://counter", 33),
    ("resources/updated", "demo://logo", 33),
]


def test_each_change_arrives_once_and_tagged(client: Client) -> None:
    """SUBS-04, SUBS-05, SUBS-07, TOOL-29, PRM-09, RES-15, CAC-08, ENV-11: of the resources, those that were named."""
    assert sorted(TOLD, key=str) == sorted(changes(client), key=str)


def test_changes_of_one_process_arrive_in_their_order(alone: Client) -> None:
    """Ours: between processes each publisher keeps its own order, and two of them have none."""
    assert TOLD == changes(alone)


def test_a_stream_gets_only_what_it_asked_for(client: Client) -> None:
    """SUBS-04: the last of four changes is the first that it hears of."""
    with client.open("subscriptions/listen", {"notifications": {"promptsListChanged": True}}, id="only") as stream:
        stream.next_frame()
        trigger(client, ["tools"], ["resources"], ["resource-updated"], ["prompts"])
        assert ("prompts/list_changed", None, "only") == described(stream.next_frame())


def test_two_streams_are_told_of_one_change_each_under_its_own_id(client: Client) -> None:
    """SUBS-10, SUBS-05."""
    asked = {"notifications": {"toolsListChanged": True}}
    with (
        client.open("subscriptions/listen", asked, id=1) as one,
        client.open("subscriptions/listen", asked, id="1") as other,
    ):
        assert [ACKNOWLEDGED] * 2 == [stream.next_frame()["method"] for stream in (one, other)]
        trigger(client, ["tools"])
        assert [1, "1"] == [described(stream.next_frame())[2] for stream in (one, other)]


def test_a_change_at_one_endpoint_is_heard_at_the_other(relaxed: Client, strict: Client) -> None:
    """Ours: both endpoints are of one server."""
    with relaxed.open("subscriptions/listen", {"notifications": {"toolsListChanged": True}}) as stream:
        stream.next_frame()
        trigger(strict, ["tools"])
        assert "tools/list_changed" == described(stream.next_frame())[0]


def test_what_happened_before_a_stream_is_not_told(alone: Client) -> None:
    """SUBS-13: a new stream begins anew. Between processes a change is told when it arrives, a moment later."""
    asked = {"notifications": {"toolsListChanged": True, "promptsListChanged": True}}
    with alone.open("subscriptions/listen", asked) as stream:
        stream.next_frame()
    trigger(alone, ["tools"])
    with alone.open("subscriptions/listen", asked) as stream:
        assert ACKNOWLEDGED == stream.next_frame()["method"]
        trigger(alone, ["prompts"])
        assert "prompts/list_changed" == described(stream.next_frame())[0]


def test_nothing_of_other_requests_is_heard(client: Client) -> None:
    """HTTP-22, LOG-03, PRG-03, CAN-03: no progress and no log message, also not of the trigger."""
    with client.open("subscriptions/listen", {"notifications": EVERYTHING}, meta={LOG_LEVEL: "debug"}) as stream:
        stream.next_frame()
        meta: dict[str, Any] = {LOG_LEVEL: "debug", "progressToken": 1}
        assert 2 == len(client.tool("long-task", {"steps": 1, "delayMs": 0}, meta=meta).notifications)
        trigger(client, ["tools"])
        assert "tools/list_changed" == described(stream.next_frame())[0]


def test_a_client_that_leaves_harms_nobody(client: Client) -> None:
    """SUBS-12: and the next change reaches those who stayed."""
    asked = {"notifications": {"toolsListChanged": True}}
    with client.open("subscriptions/listen", asked) as stays:
        stays.next_frame()
        with client.open("subscriptions/listen", asked) as leaves:
            leaves.next_frame()
        trigger(client, ["tools"])
        assert "tools/list_changed" == described(stays.next_frame())[0]
