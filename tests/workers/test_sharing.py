"""What the client says to one process holds in every other: tasks, requestState, changes."""

import json
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from tests.support.channel import Stream
from tests.support.inprocess import Json, accept
from tests.support.wire import Client
from tests.workers.conftest import Place

TASKS: Json = {"extensions": {"io.modelcontextprotocol/tasks": {}}, "elicitation": {"form": {}}}
RUNS = 200
EVENTS = 1_000
STREAMS = 50


def call(place: Place, turn: int, method: str, params: Json) -> Json:
    """One step on a connection of its own."""
    answer = place.client(turn).request(method, params, capabilities=TASKS)
    assert (200, "complete") == answer.served, answer.message
    return answer.result


def create(place: Place, turn: int, **arguments: Any) -> str:
    answer = place.client(turn).tool("run-task", arguments, capabilities=TASKS)
    assert (200, "task") == answer.served, answer.message
    task_id: str = answer.result["taskId"]
    return task_id


def test_tasks_are_consistent_from_the_first_acknowledgement(place: Place) -> None:
    """ENV-05, ENV-06, TASK-10: create, get, answer or cancel, get, each on a new connection to any process."""

    def run(number: int) -> tuple[str, str]:
        task_id = create(place, number, scenario="needs-input", delayMs=0)
        before = call(place, number + 1, "tasks/get", {"taskId": task_id})["status"]
        if number % 2:
            call(place, number + 2, "tasks/cancel", {"taskId": task_id})
        else:
            answers = {"name": accept(name=f"Ada {number}")}
            call(place, number + 2, "tasks/update", {"taskId": task_id, "inputResponses": answers})
        after = call(place, number + 3, "tasks/get", {"taskId": task_id})
        if after["status"] == "completed":
            assert f"Hello, Ada {number}!" == after["result"]["content"][0]["text"]
        return before, after["status"]

    with ThreadPoolExecutor(8) as pool:
        seen = list(pool.map(run, range(RUNS)))
    assert [("input_required", "cancelled" if number % 2 else "completed") for number in range(RUNS)] == seen


def test_every_round_of_a_question_may_land_on_another_process(place: Place) -> None:
    """ENV-06, ENV-07, MRTR-07, MRTR-16: what was answered travels in the sealed state."""

    def launch(number: int) -> bool:
        def tool(turn: int, **retry: Any) -> Json:
            return place.client(turn).tool("confirm-launch", capabilities=TASKS, **retry).result

        first = tool(number)
        second = tool(number + 1, answers={"confirm": accept(confirm=True)}, state=first["requestState"])
        third = tool(number + 2, answers={"code": accept(code="0000")}, state=second["requestState"])
        launched: bool = third["structuredContent"]["launched"]
        return launched

    with ThreadPoolExecutor(8) as pool:
        assert [True] * RUNS == list(pool.map(launch, range(RUNS)))


def test_of_two_who_answer_at_once_one_is_heard_everywhere(place: Place) -> None:
    """TASK-24: first one wins, and every process says the same."""
    for number in range(20):
        task_id = create(place, number, scenario="needs-input", delayMs=0)

        def answer(name: str, task_id: str = task_id) -> None:
            said = {"taskId": task_id, "inputResponses": {"name": accept(name=name)}}
            call(place, len(name), "tasks/update", said)

        with ThreadPoolExecutor(2) as pool:
            list(pool.map(answer, ["Ada", "Eve!"]))
        texts = {
            json.dumps(call(place, turn, "tasks/get", {"taskId": task_id})["result"]["content"])
            for turn in range(2 * place.processes)
        }
        assert 1 == len(texts)


def open_stream(place: Place, turn: int, number: int) -> Stream:
    params = {"notifications": {"resourceSubscriptions": [f"note://{index}" for index in range(EVENTS)]}}
    stream = place.client(turn).open("subscriptions/listen", params, id=number)
    assert "notifications/subscriptions/acknowledged" == stream.next_frame()["method"]
    return stream


def publish_all(client: Client) -> None:
    """From one process, as fast as it can: every request on the one connection."""
    with client.channel() as channel:
        for index in range(EVENTS):
            arguments = {"event": "resource-updated", "uri": f"note://{index}"}
            assert (200, "complete") == client.tool("trigger-notifications", arguments, channel=channel).served


def test_a_burst_reaches_every_stream_once_and_in_order(place: Place) -> None:
    """SUBS-02, SUBS-05: a thousand events of one publisher, at fifty streams of all processes."""
    streams = [open_stream(place, number, number) for number in range(STREAMS)]

    def heard(stream: Stream) -> list[str]:
        with stream:
            return [stream.next_frame(timeout=20)["params"]["uri"] for _ in range(EVENTS)]

    with ThreadPoolExecutor(STREAMS + 1) as pool:
        publishing = pool.submit(publish_all, place.client(0))
        received = list(pool.map(heard, streams))
        publishing.result()
    expected = [f"note://{index}" for index in range(EVENTS)]
    assert STREAMS == sum(uris == expected for uris in received)


def test_a_watched_task_is_told_wherever_it_is_answered(place: Place) -> None:
    """TASK-30: the stream is on one process, the answer comes to another."""
    task_id = create(place, 0, scenario="needs-input", delayMs=0)
    with place.client(0).open(
        "subscriptions/listen", {"notifications": {"taskIds": [task_id]}}, capabilities=TASKS
    ) as stream:
        assert "notifications/subscriptions/acknowledged" == stream.next_frame()["method"]
        assert "input_required" == stream.next_frame()["params"]["status"]
        begun = time.monotonic()
        call(place, 1, "tasks/update", {"taskId": task_id, "inputResponses": {"name": accept(name="Ada")}})
        last = stream.next_frame()
        while last["params"]["status"] != "completed":
            last = stream.next_frame()
        assert 2.0 > time.monotonic() - begun
        assert "Hello, Ada!" == last["params"]["result"]["content"][0]["text"]
